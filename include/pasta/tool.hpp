// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The template method: a tool derives from tool<Derived> and gives what it needs; the rest is empty and costs nothing.
#ifndef PASTA_TOOL_HPP
#define PASTA_TOOL_HPP

#include <limits>
#include <pasta/handler.hpp>
#include <pasta/tool/short_text.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

namespace pasta {

class report;
template <class Tool>
struct results;

/// Base of every tool. A tool hides the names below that it needs:
///
/// - `events`, `counts`: what it watches; each event in `events` has a handler `static void on_<event>(context&,
///   <event> const&)`.
/// - `options`: an aggregate with default values and a `describe()`; read-only in handlers through `at.options()`.
/// - `site_state`, `kernel_state`, `launch_state`, `program_state`: aggregates of mergeable fields (pasta/analysis);
///   one per instrumented operation and kernel, per kernel, per launch where launches are kept apart, per program.
/// - `thread_state` (at most 128 bytes, trivially copyable): private to a thread; needs
///   `static void fold(thread_state&, context&)`, which merges it into other state and sets it back. A route may call
///   fold any number of times during a thread's life; the last time is after the thread's last event.
/// - `shadow`: `pasta::shadow_bits<128>`, a bit for each line of the program's memory, by `at.shadow()` in handlers, as
///   `touched` in results. Optional beside it: `static std::uint64_t shadow_limit_bytes(options const&)`, the most
///   memory that it takes on a device.
/// - `PASTA_DEVICE static constexpr bool watches(pasta::site_key const&)`: which sites' events it wants, by the key's
///   what(), space() and size_bytes() alone, which are known when the program is compiled. Without it, all of them. At
///   other sites nothing is done for the tool.
/// - `static constexpr std::uint32_t address_period(options const&)` [bytes]: a promise about `on_memory_access`: what
///   it adds to state stays the same when all addresses of a request move by a multiple of this. A GPU then counts
///   requests that are alike and calls the handler for one of each kind, with the addresses of no real one; what it
///   adds is multiplied. Not with a thread_state. 0 promises nothing.
/// - `summary`: one sentence for `pasta list`.
/// - `void report(results<Derived> const&, pasta::report&) const`: required. On the host, once, after the program's
///   last event.
///
/// It declares no `on_` name itself, so that handlers can be found by name.
template <class Derived>
struct tool {
  using tool_base = tool;
  using events = pasta::events<>;
  using counts = counted<>;
  struct options {};
  struct site_state {};
  struct thread_state {};
  struct kernel_state {};
  struct launch_state {};
  struct program_state {};
  struct shadow {};
  static constexpr std::string_view summary = "";
};

/// Several tools in one run: each gets every event it handles, with its own state. Named a+b, in the order given.
template <class... Tools>
struct tool_pack {};

namespace detail {
template <class Tool>
struct tools_of {
  using type = type_list<Tool>;
};
template <class... Tools>
struct tools_of<tool_pack<Tools...>> {
  using type = type_list<Tools...>;
};

template <class Type>
constexpr std::string_view type_name() {
  // g++: "... [with Type = a::b; std::string_view = ...]", clang: "... [Type = a::b]"
  std::string_view const text = __PRETTY_FUNCTION__;
  std::size_t const begin = text.find("Type = ") + 7;
  std::size_t depth = 0, end = begin, last = begin;
  for (; end < text.size(); ++end) {
    char const letter = text[end];
    if (letter == '<' || letter == '(') ++depth;
    if ((letter == '>' || letter == ')') && depth > 0) --depth;
    if (depth > 0) continue;
    if (letter == ';' || letter == ']') break;
    if (letter == ':' && text[end + 1] == ':') last = end + 2;
  }
  return text.substr(last, end - last);
}
}  // namespace detail

/// A tool alone, or the tools of a pack, as a type_list.
template <class ToolOrPack>
using tools_of_t = typename detail::tools_of<ToolOrPack>::type;

/// A tool's name: its class's, without namespaces.
template <class Tool>
constexpr std::string_view tool_name() {
  return detail::type_name<Tool>();
}

/// Whether any tool of a pack has a handler for the event.
template <class List, class Event>
inline constexpr bool any_handles_v = false;
template <class... Tools, class Event>
inline constexpr bool any_handles_v<type_list<Tools...>, Event> = (handles_v<Tools, Event> || ...);
/// Whether any tool of a pack counts the event's sites.
template <class List, class Event>
inline constexpr bool any_counts_v = false;
template <class... Tools, class Event>
inline constexpr bool any_counts_v<type_list<Tools...>, Event> = (counts_v<Tools, Event> || ...);

/// Whether handlers use an option, or report() alone: that one can be changed when the handlers were built before.
enum class option_use : std::uint8_t { handlers, report };

/// What a command line says about one option. Made by pasta::option or pasta::report_option.
template <class Options, class Value>
struct option_description {
  std::string_view name, help;
  Value Options::*member;
  Value minimum, maximum;  ///< inclusive
  option_use use = option_use::handlers;
};

/// A text, which report() alone uses.
template <class Options>
struct option_description<Options, short_text> {
  std::string_view name, help;
  short_text Options::*member;
  std::string (*find_mistake)(std::string_view text);  ///< half a line; empty: the text is right. Null: each is
  option_use use = option_use::report;
};

/// Describes one field of `options`:
///
///     static constexpr auto describe() {
///       return std::tuple{pasta::option("sector-bytes", &options::sector_bytes, "smallest unit that memory moves
///       [bytes]")};
///     }
///
/// @param name lower case, words joined by dashes; `--name` on the command line
/// @param help one line with the unit
/// @param minimum, maximum inclusive bounds; another value ends the run before the program starts, with exit code 2
template <class Options, class Value>
constexpr option_description<Options, Value> option(
    std::string_view name, Value Options::*member, std::string_view help,
    std::type_identity_t<Value> minimum = std::numeric_limits<Value>::lowest(),
    std::type_identity_t<Value> maximum = std::numeric_limits<Value>::max()) {
  static_assert(std::is_arithmetic_v<Value>, "a tool's option is a number or a bool");
  return {name, help, member, minimum, maximum, option_use::handlers};
}
/// As option(), for a field that report() uses and no handler.
template <class Options, class Value>
constexpr option_description<Options, Value> report_option(
    std::string_view name, Value Options::*member, std::string_view help,
    std::type_identity_t<Value> minimum = std::numeric_limits<Value>::lowest(),
    std::type_identity_t<Value> maximum = std::numeric_limits<Value>::max()) {
  option_description<Options, Value> described = option(name, member, help, minimum, maximum);
  described.use = option_use::report;
  return described;
}
/// A text that report() uses: at most short_text::max_bytes, one line.
/// @param find_mistake what is wrong with a text, as half a line for the message (`'x' is not MxNxK`), or an empty one;
/// a wrong text ends the run before the program starts, with exit code 2
template <class Options>
constexpr option_description<Options, short_text> report_option(
    std::string_view name, short_text Options::*member, std::string_view help,
    std::string (*find_mistake)(std::string_view) = nullptr) {
  return {name, help, member, find_mistake};
}
/// Handlers have no texts.
template <class Options>
constexpr option_description<Options, std::string_view> option(std::string_view, short_text Options::*,
                                                               std::string_view) {
  static_assert(sizeof(Options) == 0, "a text is an option of report() alone: pasta::report_option(...)");
  return {};
}

/// A tool asked for state that the event has not: `at.site()` in a handler of an event without a site.
struct tool_error : std::logic_error {
  using std::logic_error::logic_error;
};

/// Everything that a handler may touch, as references into PASTA's storage; valid during the call.
template <class Tool>
class context {
 public:
  using options_type = typename Tool::options;

  struct parts {
    typename Tool::site_state* site = nullptr;
    typename Tool::thread_state* thread = nullptr;
    typename Tool::kernel_state* kernel = nullptr;
    typename Tool::launch_state* launch = nullptr;
    typename Tool::program_state* program = nullptr;
    options_type const* options = nullptr;
    void const* locator = nullptr;  ///< the vendor's own way to the site's row; null where the states lie in it
    [[no_unique_address]] typename Tool::shadow shadow{};
  };
  PASTA_DEVICE constexpr explicit context(parts const& with) : parts_(with) {}

  /// The row of the operation that the event is about.
  PASTA_DEVICE constexpr typename Tool::site_state& site() const { return existing(parts_.site); }
  /// The calling lane's own state.
  PASTA_DEVICE constexpr typename Tool::thread_state& thread() const { return existing(parts_.thread); }
  /// Merged over all launches of the kernel.
  PASTA_DEVICE constexpr typename Tool::kernel_state& kernel() const { return existing(parts_.kernel); }
  /// Merged over one launch with `--per launch`, else over all launches of the kernel.
  PASTA_DEVICE constexpr typename Tool::launch_state& launch() const { return existing(parts_.launch); }
  /// Merged over the whole program; the only state of events outside of kernels.
  PASTA_DEVICE constexpr typename Tool::program_state& program() const { return existing(parts_.program); }
  PASTA_DEVICE constexpr options_type const& options() const { return *parts_.options; }
  /// What the kernel touches, by address; of a tool that has shadow bits.
  PASTA_DEVICE constexpr typename Tool::shadow const& shadow() const { return parts_.shadow; }
  /// For PASTA's own functions that write to a site's row.
  PASTA_DEVICE constexpr void const* locator() const { return parts_.locator; }

 private:
  template <class State>
  PASTA_DEVICE static constexpr State& existing(State* state) {
#if PASTA_IS_HOST_PASS
    if (state == nullptr) throw tool_error("a handler asked for state that its event does not have");
#endif
    return *state;
  }
  parts parts_;
};

}  // namespace pasta
#endif
