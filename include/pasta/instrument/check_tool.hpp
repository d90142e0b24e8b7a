// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Says what is wrong with a tool, in one message: each check is reached only if those before it hold.
#ifndef PASTA_INSTRUMENT_CHECK_TOOL_HPP
#define PASTA_INSTRUMENT_CHECK_TOOL_HPP

#include <concepts>
#include <pasta/analysis/mergeable.hpp>
#include <pasta/instrument/choices.hpp>
#include <pasta/instrument/no_probe.hpp>
#include <pasta/instrument/states.hpp>

namespace pasta {

/// Most bytes of a tool's thread_state: what a GPU keeps in registers.
inline constexpr std::size_t max_thread_state_bytes = 128;

namespace detail {

template <class Options>
concept described = requires {
  Options::describe();
};

inline constexpr std::size_t no_description = static_cast<std::size_t>(-1);

template <class Options, class Description>
inline constexpr std::size_t description_size_v = no_description;
template <class Options, class... Values>
inline constexpr std::size_t description_size_v<Options, std::tuple<option_description<Options, Values>...>> =
    sizeof...(Values);

// How many fields describe() describes; no_description where it is not a constant tuple of this struct's fields.
template <class Options>
consteval std::size_t described_count() {
  if constexpr (!described<Options>) {
    return std::is_empty_v<Options> ? 0 : no_description;
  } else if constexpr (requires { typename std::bool_constant<(static_cast<void>(Options::describe()), true)>; }) {
    return description_size_v<Options, std::remove_cv_t<decltype(Options::describe())>>;
  } else {
    return no_description;
  }
}

template <class Description>
inline constexpr bool are_numbers_v = true;
template <class Options, class... Values>
inline constexpr bool are_numbers_v<std::tuple<option_description<Options, Values>...>> =
    ((std::is_arithmetic_v<Values> || std::is_same_v<Values, short_text>)&&...);

template <class Options>
consteval bool are_options_numbers() {
  if constexpr (described<Options>) {
    return are_numbers_v<std::remove_cv_t<decltype(Options::describe())>>;
  } else {
    return true;
  }
}

// Lower-case words joined by dashes, so that --name and PASTA_TOOL_OPTIONS are never ambiguous.
constexpr bool is_option_name(std::string_view name) {
  if (name.empty() || name.front() == '-' || name.back() == '-') return false;
  for (char const letter : name) {
    if (!((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-')) return false;
  }
  return true;
}

template <class First, class Second>
constexpr bool is_same_member(First first, Second second) {
  if constexpr (std::is_same_v<First, Second>) {
    return first == second;
  } else {
    return false;
  }
}

template <class Options, class Value>
constexpr bool is_in_range(option_description<Options, Value> const& of, Value value) {
  return value >= of.minimum && value <= of.maximum;
}
template <class Options>
constexpr bool is_in_range(option_description<Options, short_text> const&, short_text const&) {
  return true;
}

enum class option_fault { none, name, member, duplicate, range };

template <class Options>
consteval option_fault find_option_fault() {
  option_fault fault = option_fault::none;
  if constexpr (described<Options>) {
    std::apply(
        [&](auto const&... all) {
          Options const defaults{};
          auto const check = [&](auto const& one) {
            if (fault != option_fault::none) return;
            bool const is_member_taken = (std::size_t{is_same_member(one.member, all.member)} + ...) > 1;
            bool const is_name_taken = (std::size_t{one.name == all.name} + ...) > 1;
            if (is_name_taken) fault = option_fault::duplicate;
            if (is_member_taken) fault = option_fault::member;
            if (!is_option_name(one.name)) fault = option_fault::name;
            if (!is_in_range(one, defaults.*one.member)) fault = option_fault::range;
          };
          (check(all), ...);
        },
        Options::describe());
  }
  return fault;
}

template <class Tool>
concept has_public_names = requires {
  typename Tool::events;
  typename Tool::counts;
  typename Tool::options;
  typename Tool::site_state;
  typename Tool::thread_state;
  typename Tool::kernel_state;
  typename Tool::launch_state;
  typename Tool::program_state;
  typename Tool::shadow;
};

template <class Tool>
concept has_summary = requires {
  { Tool::summary } -> std::convertible_to<std::string_view>;
};

// As for handlers: a name that the tool has in any form.
struct has_fold {
  int fold;
};
template <class Tool>
struct looks_for_fold : Tool, has_fold {};
template <class Tool>
inline constexpr bool declares_fold_v = !requires {
  &looks_for_fold<Tool>::fold;
};

struct has_watches {
  int watches;
};
template <class Tool>
struct looks_for_watches : Tool, has_watches {};
template <class Tool>
inline constexpr bool declares_watches_v = !requires {
  &looks_for_watches<Tool>::watches;
};
struct has_an_address_period {
  int address_period;
};
template <class Tool>
struct looks_for_address_period : Tool, has_an_address_period {};
template <class Tool>
inline constexpr bool declares_address_period_v = !requires {
  &looks_for_address_period<Tool>::address_period;
};

template <class Tool>
concept reports = requires(Tool const& tool, results<Tool> const& found, pasta::report& out) {
  { tool.report(found, out) } -> std::same_as<void>;
};
struct has_report {
  int report;
};
template <class Tool>
struct looks_for_report : Tool, has_report {};
template <class Tool>
inline constexpr bool declares_report_v = !requires {
  &looks_for_report<Tool>::report;
};

template <class Tool>
consteval bool check_shape() {
  if constexpr (!std::is_class_v<Tool>) {
    static_assert(std::is_class_v<Tool>, "a tool is a class that derives from pasta::tool<YourTool>");
  } else if constexpr (!requires { sizeof(Tool); }) {
    static_assert(
        requires { sizeof(Tool); }, "a tool is checked after its class is complete");
  } else if constexpr (std::is_final_v<Tool>) {
    static_assert(!std::is_final_v<Tool>,
                  "a tool must not be final: PASTA derives from it to find its handlers by name");
  } else if constexpr (!std::derived_from<Tool, tool<Tool>>) {
    static_assert(std::derived_from<Tool, tool<Tool>>,
                  "a tool derives publicly from pasta::tool of itself: struct your_tool : pasta::tool<your_tool>");
  } else if constexpr (std::is_polymorphic_v<Tool>) {
    static_assert(!std::is_polymorphic_v<Tool>,
                  "a tool has no virtual function: handlers run on the GPU and are found at compile time");
  } else if constexpr (!std::is_empty_v<Tool>) {
    static_assert(std::is_empty_v<Tool>,
                  "a tool has no data members: what it collects belongs in site_state, thread_state, kernel_state, "
                  "launch_state or program_state, what it is told in options");
  } else if constexpr (!std::is_default_constructible_v<Tool>) {
    static_assert(std::is_default_constructible_v<Tool>,
                  "a tool can be made without arguments: PASTA makes it to call report");
  } else if constexpr (!has_public_names<Tool>) {
    static_assert(has_public_names<Tool>, "a tool's events, counts, options and states are public types");
  } else if constexpr (!has_summary<Tool>) {
    static_assert(has_summary<Tool>,
                  "a tool's summary is one sentence: static constexpr std::string_view summary = \"...\", public");
  } else {
    return true;
  }
  return false;
}

template <class Tool>
consteval bool check_lists() {
  using listed = typename Tool::events;
  using counts = typename Tool::counts;
  if constexpr (!is_events_v<listed>) {
    static_assert(is_events_v<listed>,
                  "a tool's events are written: using events = pasta::events<pasta::memory_access, ...>");
  } else if constexpr (!are_events_v<listed>) {
    static_assert(are_events_v<listed>,
                  "a tool's events name a type that is not an event; the events are the structs of pasta/event.hpp");
  } else if constexpr (!is_counted_v<counts>) {
    static_assert(is_counted_v<counts>,
                  "a tool's counts are written: using counts = pasta::counted<pasta::memory_access, ...>");
  } else if constexpr (!are_countable_v<counts>) {
    static_assert(
        are_countable_v<counts>,
        "only events with a site can be counted: memory_access, async_copy, barrier, branch, matrix_operation, call");
  } else {
    return true;
  }
  return false;
}

template <class Tool>
consteval bool check_handlers() {
#define PASTA_DETAIL_CHECK(event) &&check_handler(static_cast<event const*>(nullptr), static_cast<Tool const*>(nullptr))
  constexpr bool are_right = true PASTA_DETAIL_FOR_EACH_EVENT(PASTA_DETAIL_CHECK);
#undef PASTA_DETAIL_CHECK
  constexpr bool watches =
      !std::is_same_v<typename Tool::events, events<>> || !std::is_same_v<typename Tool::counts, counted<>>;
  static_assert(watches || !are_right,
                "a tool says what it watches: using events = pasta::events<...> with handlers, or using counts = "
                "pasta::counted<...>");
  return are_right && watches;
}

template <class Tool>
consteval bool check_states() {
  using thread_state = typename Tool::thread_state;
  if constexpr (!check_state<typename Tool::site_state>() || !check_state<typename Tool::kernel_state>() ||
                !check_state<typename Tool::launch_state>() || !check_state<typename Tool::program_state>()) {
    return false;  // said by check_state
  } else if constexpr (!std::is_trivially_copyable_v<thread_state> || !std::is_default_constructible_v<thread_state>) {
    static_assert(std::is_trivially_copyable_v<thread_state> && std::is_default_constructible_v<thread_state>,
                  "thread_state is trivially copyable and default-constructible: it lives in registers");
  } else if constexpr (sizeof(thread_state) > max_thread_state_bytes) {
    static_assert(sizeof(thread_state) <= max_thread_state_bytes,
                  "thread_state has at most 128 bytes: it lives in registers");
  } else if constexpr (has_thread_state_v<Tool> && !declares_fold_v<Tool>) {
    static_assert(declares_fold_v<Tool>,
                  "a tool with a thread_state merges it: PASTA_DEVICE static void fold(thread_state& state, "
                  "pasta::context<YourTool>& at)");
  } else if constexpr (has_thread_state_v<Tool> && !folds<Tool>) {
    static_assert(folds<Tool>,
                  "fold has the wrong signature; expected: PASTA_DEVICE static void fold(thread_state& state, "
                  "pasta::context<YourTool>& "
                  "at), public");
  } else if constexpr (declares_fold_v<Tool> && !has_thread_state_v<Tool>) {
    static_assert(has_thread_state_v<Tool>, "fold without a thread_state: nothing would be folded");
  } else {
    return true;
  }
  return false;
}

template <class Tool>
consteval bool check_options() {
  using options = typename Tool::options;
  if constexpr (!are_options_numbers<options>()) {
    return false;  // said by pasta::option
  } else if constexpr (!std::is_trivially_copyable_v<options> || !std::is_aggregate_v<options>) {
    static_assert(std::is_aggregate_v<options> && std::is_trivially_copyable_v<options>,
                  "a tool's options are a plain struct of numbers, bools and pasta::short_texts with default values");
  } else if constexpr (described_count<options>() != count_fields<options>()) {
    static_assert(described_count<options>() == count_fields<options>(),
                  "each field of options is described once: static constexpr auto describe() { return "
                  "std::tuple{pasta::option(\"name\", &options::name, \"what it means [unit]\")}; }");
  } else if constexpr (constexpr option_fault fault = find_option_fault<options>(); fault != option_fault::none) {
    static_assert(fault != option_fault::name,
                  "an option's name is lower-case words joined by dashes, without leading dashes");
    static_assert(fault != option_fault::member, "two options of a tool set the same field");
    static_assert(fault != option_fault::duplicate, "two options of a tool have the same name");
    static_assert(fault != option_fault::range, "an option's default value is outside of its own minimum and maximum");
  } else {
    return true;
  }
  return false;
}

template <class Tool>
consteval bool check_choices() {
  if constexpr (declares_watches_v<Tool> && !chooses_sites<Tool>) {
    static_assert(
        chooses_sites<Tool>,
        "watches has the wrong signature; expected: PASTA_DEVICE static constexpr bool watches(pasta::site_key "
        "const& site), public");
  } else if constexpr (declares_address_period_v<Tool> && !has_address_period<Tool>) {
    static_assert(has_address_period<Tool>,
                  "address_period has the wrong signature; expected: static constexpr std::uint32_t "
                  "address_period(options const& chosen), public");
  } else if constexpr (has_address_period<Tool> && !handles_v<Tool, memory_access>) {
    static_assert(handles_v<Tool, memory_access>,
                  "address_period without a handler on_memory_access: nobody would ask");
  } else if constexpr (has_address_period<Tool> && has_thread_state_v<Tool>) {
    static_assert(!has_thread_state_v<Tool>,
                  "a tool with an address_period has no thread_state: its handler is called for one of many requests");
  } else if constexpr (has_address_period<Tool> && has_shadow_v<Tool>) {
    static_assert(!has_shadow_v<Tool>,
                  "a tool with an address_period has no shadow bits: its handler does not get each request's address");
  } else {
    return true;
  }
  return false;
}

template <class Tool>
consteval bool check_report() {
  if constexpr (!declares_report_v<Tool>) {
    static_assert(declares_report_v<Tool>,
                  "a tool reports: void report(pasta::results<YourTool> const& found, pasta::report& out) const");
  } else if constexpr (!reports<Tool>) {
    static_assert(reports<Tool>,
                  "report has the wrong signature; expected: void report(pasta::results<YourTool> const& found, "
                  "pasta::report& out) const, public");
  } else {
    return true;
  }
  return false;
}

template <class Tool>
consteval bool check_one_tool() {
  if constexpr (!check_shape<Tool>()) {
    return false;
  } else if constexpr (!check_lists<Tool>()) {
    return false;
  } else if constexpr (!check_handlers<Tool>()) {
    return false;
  } else if constexpr (!check_states<Tool>()) {
    return false;
  } else if constexpr (!check_options<Tool>()) {
    return false;
  } else if constexpr (!check_choices<Tool>()) {
    return false;
  } else {
    return check_report<Tool>();
  }
}

template <class... Types>
inline constexpr bool are_all_different = true;
template <class First, class... Rest>
inline constexpr bool are_all_different<First, Rest...> =
    !(std::is_same_v<First, Rest> || ...) && are_all_different<Rest...>;

template <class... Tools>
consteval bool check_tools(type_list<Tools...>) {
  if constexpr (sizeof...(Tools) == 0) {
    static_assert(sizeof...(Tools) > 0, "an empty pasta::tool_pack: name its tools");
    return false;
  } else if constexpr (!are_all_different<Tools...>) {
    static_assert(are_all_different<Tools...>, "a pasta::tool_pack names the same tool twice");
    return false;
  } else if constexpr ((std::size_t{has_shadow_v<Tools>} + ...) > 1) {
    static_assert((std::size_t{has_shadow_v<Tools>} + ...) <= 1, "a pasta::tool_pack has one tool with shadow bits");
    return false;
  } else {
    return (check_one_tool<Tools>() && ...);
  }
}

template <class Tool, class Event>
inline constexpr bool lacks_v = (handles_v<Tool, Event> || counts_v<Tool, Event>)&&!probe_delivers_v<Event>;

template <class... Tools>
consteval bool check_delivery(type_list<Tools...>) {
  constexpr bool lacks_call = (lacks_v<Tools, call> || ...);
  static_assert(!lacks_call, "the probe route does not deliver pasta::call; routes that do: ptx, patch");
  return !lacks_call;
}

// What the checks have found, for code that must not go on with a wrong tool: its messages would bury the one that
// helps.
template <class ToolOrPack>
inline constexpr bool is_right_v = check_tools(tools_of_t<ToolOrPack>{});

template <class ToolOrPack>
consteval bool is_ready_for_probe() {
  if constexpr (is_right_v<ToolOrPack>) {
    return check_delivery(tools_of_t<ToolOrPack>{});
  } else {
    return false;
  }
}

}  // namespace detail

/// A compile error that says what to change, unless the tool, or every tool of a pack, is rightly written.
/// @return true, so that static_assert(check_tool<your_tool>()) adds no second message
template <class ToolOrPack>
consteval bool check_tool() {
  return detail::is_right_v<ToolOrPack> || true;
}

/// A compile error that says what is missing and who has it, unless the probe route delivers all that the tools watch.
/// @return true, as check_tool
template <class ToolOrPack>
consteval bool check_probe_delivers() {
  return detail::is_ready_for_probe<ToolOrPack>() || true;
}

}  // namespace pasta
#endif
