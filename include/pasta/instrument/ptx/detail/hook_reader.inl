// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_READER_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_READER_INL

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <pasta/instrument/ptx/detail/hook_numbers.hpp>
#include <pasta/instrument/ptx/detail/move_operand.hpp>
#include <pasta/instrument/ptx/detail/numbers.hpp>
#include <pasta/instrument/ptx/hook.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/register_scopes.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <unordered_map>
#include <unordered_set>

namespace pasta::ptx {
/// Reads a hook once.
class hook_reader {
 public:
  explicit hook_reader(hook& into) : into_(&into), from_(ptx::read(into.source_)) {}

  void read() {
    into_->architecture_ = detail::architecture(from_.target);
    into_->version_ = detail::version_number(from_.version);
    into_->version_text_ = from_.version;
    read_words();
    for (variable const& each : from_.variables) variables_[each.name] = &each;
    for (std::size_t i = 0; i < pasta::detail::hook_function_count; ++i) {
      auto const which = static_cast<hook_function>(i);
      bool const is_wanted =
          i < pasta::detail::hook_event_count ? into_->handles(which) : into_->has_state() && into_->has_code();
      if (is_wanted) read_function(which);
    }
  }

 private:
  [[noreturn]] void fail(std::string_view what, statement const* at = nullptr) const {
    throw bad_hook(fmt::format("the hook of {} {}{}", into_->tool_, what,
                               at == nullptr ? std::string() : fmt::format(" (line {})", at->line)));
  }

  void read_function(hook_function which) {
    which_ = which;
    std::string const name = fmt::format("pasta_hook_{}", to_string(which));
    body_ = from_.find(name);
    if (body_ == nullptr || body_->is_declaration || body_->is_entry) fail(fmt::format("has no function {}", name));
    check_parameters();
    collect_names();
    copy_state();
    registers_of_.pass(from_.statements[body_->begin]);
    for (std::size_t i = body_->begin + 1; i < body_->end; ++i) {
      registers_of_.pass(from_.statements[i]);
      add(from_.statements[i], i + 1 == body_->end);
    }
    registers_of_.pass(from_.statements[body_->end]);
    flush();
  }
  std::vector<hook::piece>& pieces() { return into_->pieces_[static_cast<std::size_t>(which_)]; }

  void read_words() {
    using namespace pasta::detail;
    auto const found = std::find_if(from_.variables.begin(), from_.variables.end(),
                                    [](variable const& each) { return each.name == "pasta_hook_abi"; });
    if (found == from_.variables.end()) fail("is none: it has no pasta_hook_abi");
    std::vector<std::uint64_t> const elements = ptx::detail::numbers_of(*found);
    std::uint32_t const bytes = ptx::detail::element_bytes(*found);
    if (bytes == 0 || elements.size() * bytes > hook_abi_words * 4) fail("has another pasta_hook_abi");
    for (std::size_t i = 0; i < elements.size(); ++i) {
      std::size_t const at = i * bytes;
      into_->words_[at / 4] |= static_cast<std::uint32_t>(elements[i]) << 8 * (at % 4);
    }
    if (into_->words_[abi_version] != hook_abi_version) {
      fail(fmt::format("is of version {}, not {}", into_->words_[abi_version], hook_abi_version));
    }
    check_rows();
    switch (static_cast<hook_obstacle>(into_->words_[abi_obstacle])) {
      case hook_obstacle::none:
        break;
      default:
        fail(
            "is none: block_enter and block_exit need a barrier of the block, and the ptx route adds none; "
            "the route probe has them");
    }
    if (into_->state_words() > max_thread_state_words) fail("keeps a thread_state of more than 128 bytes");
  }
  void check_rows() const {
    using namespace pasta::detail;
    auto const& words = into_->words_;
    for (auto const which :
         {abi_site_shard_bytes, abi_site_shared_bytes, abi_function_shard_bytes, abi_function_shared_bytes}) {
      if (words[which] % 8 != 0 || words[which] > 1u << 20) fail("has rows of an impossible size");
    }
    for (std::uint32_t i = 0; into_->may_keep() && i < words[abi_kept_counts]; ++i) {
      std::uint32_t const at = words[abi_kept_place + i];
      bool const is_of_function = (at & kept_function) != 0;
      std::uint64_t const end = std::uint64_t{at & ~kept_function} + 8;
      if (at % 8 != 0 || end > words[is_of_function ? abi_function_shard_bytes : abi_site_shard_bytes]) {
        fail("keeps counts outside of its rows");
      }
    }
  }
  // The state stands behind the others. Of a tool without one it is an empty struct, or missing.
  void check_parameters() const {
    auto const [count, bytes] = pasta::detail::parameters_of(which_);
    std::uint64_t const state = 4 * into_->state_words();
    bool const takes_state = into_->has_state() && which_ != hook_function::start;
    auto const& all = body_->parameters;
    bool is_right = all.size() == count + (takes_state ? 1 : 0) ||
                    (!takes_state && all.size() == count + 1 && all[count].size_bytes <= 1);
    for (std::size_t i = 0; is_right && i < count; ++i) is_right = all[i].size_bytes == bytes[i] && !all[i].is_register;
    if (is_right && takes_state) is_right = all[count].size_bytes == state && !all[count].is_register;
    std::uint64_t const result = into_->has_state() ? state : which_ == hook_function::memory_access ? 8 : 0;
    is_right = is_right && body_->results.size() == (result == 0 ? 0 : 1);
    if (is_right && result != 0) is_right = body_->results[0].size_bytes == result && !body_->results[0].is_register;
    if (!is_right) fail("has other parameters", &from_.statements[body_->head]);
  }

  void collect_names() {
    parameters_.clear(), labels_.clear(), registers_.clear();
    for (std::size_t i = 0; i < body_->parameters.size(); ++i) parameters_[body_->parameters[i].name] = i;
    for (std::size_t i = body_->begin + 1; i < body_->end; ++i) {
      statement const& each = from_.statements[i];
      if (each.kind == statement_kind::label) labels_.insert(token_reader(each.text).next().text);
      if (each.kind != statement_kind::directive) continue;
      token_reader reader(each.text);
      if (!reader.next().is(".reg")) continue;
      for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
        if (t.kind == token_kind::word && t.text.starts_with('%')) registers_.insert(t.text);
      }
    }
  }

  // What is returned is written where the state is: it is read from a copy.
  void copy_state() {
    if (!into_->has_state() || which_ == hook_function::start) return;
    text_ += fmt::format("\t.reg .b32 \t%pasta_in<{}>;\n", into_->state_words());
    for (std::uint32_t i = 0; i < into_->state_words(); ++i)
      text_ += fmt::format("\tmov.b32 \t%pasta_in{0}, {1}{0};\n", i, into_->state_register());
  }
  // The number of a word of the state, or of what is returned; none if it is no whole word.
  std::optional<std::uint32_t> word_at(std::string_view offset, std::string_view type) const {
    std::uint32_t at = 0;
    auto const end = offset.data() + offset.size();
    bool const is_number = offset.empty() || std::from_chars(offset.data(), end, at).ptr == end;
    if (!is_number || at % 4 != 0 || at / 4 >= into_->state_words() || bits_of(type) != 32) return std::nullopt;
    return at / 4;
  }

  void add(statement const& each, bool is_last) {
    switch (each.kind) {
      case statement_kind::directive:
        add_directive(each);
        break;
      case statement_kind::instruction:
        add_instruction(each, is_last);
        break;
      case statement_kind::label:
      case statement_kind::scope_begin:
      case statement_kind::scope_end:
        add_words(each);
        break;
      default:
        fail("has a statement that is not known", &each);
    }
  }

  void add_directive(statement const& each) {
    token const first = token_reader(each.text).next();
    if (first.is(".loc")) return;
    if (first.is(".local") || first.is(".shared")) fail("has memory of its own", &each);
    if (first.is(".param")) fail("calls a function", &each);
    add_words(each);
  }

  void add_instruction(statement const& each, bool is_last) {
    instruction const what = read_instruction(each.text);
    if (what.name == "call") fail("calls a function", &each);
    bool const is_of_warp = what.name == "bar" && what.has("warp");
    if ((what.name == "bar" && !is_of_warp) || what.name == "barrier" || what.name == "mbarrier") {
      fail("has a barrier", &each);
    }
    if (what.name == "exit" || what.name == "trap" || what.name == "brkpt") fail("ends the thread", &each);
    if (what.name == "alloca" || what.has("local") || what.has("shared")) fail("has memory of its own", &each);
    if (what.name == "ret") {
      if (is_last && !what.guard) return;
      text_ += "\t";
      if (what.guard) {
        text_ += what.guard.is_negated ? "@!" : "@";
        add_word(what.guard.predicate, each);
        text_ += " ";
      }
      text_ += "bra \t$pasta_h";
      cut(hook::piece::tail::number);
      text_ += "_end;\n";
      return;
    }
    if (what.name == "ld" && what.has("param")) {
      add_read(what, each);
      return;
    }
    if (what.name == "st" && what.has("param")) {
      add_result(what, each);
      return;
    }
    add_words(each);
  }

  static bool is_begin(std::string_view offset) { return offset.empty() || offset == "0"; }

  void add_result(instruction const& what, statement const& each) {
    address const to = what.operands.size() == 2 ? read_address(what.operands[0]) : address{};
    if (into_->has_state()) {
      auto const word = word_at(to.offset, what.last_modifier());
      if (!word || to.base != body_->results[0].name || what.guard) fail("returns something in an unknown way", &each);
      text_ += fmt::format("\tmov.b32 \t{}{}, {};\n", into_->state_register(), *word, renamed(what.operands[1]));
      return;
    }
    if (body_->results.empty() || to.base != body_->results[0].name || !is_begin(to.offset) || what.guard ||
        bits_of(what.last_modifier()) != 64) {
      fail("returns something in an unknown way", &each);
    }
    text_ += "\tmov.b64 \t%pasta_kept, ";
    text_ += renamed(what.operands[1]);
    text_ += ";\n";
  }

  void add_read(instruction const& what, statement const& each) {
    address const from = what.operands.size() == 2 ? read_address(what.operands[1]) : address{};
    auto const found = parameters_.find(from.base);
    std::string_view const type = what.last_modifier();
    auto const [count, bytes] = pasta::detail::parameters_of(which_);
    if (found != parameters_.end() && found->second == count && into_->has_state()) {
      auto const word = word_at(from.offset, type);
      if (!word || what.guard) fail("reads a parameter in an unknown way", &each);
      text_ += fmt::format("\tmov.b32 \t{}, %pasta_in{};\n", renamed(what.operands[0]), *word);
      return;
    }
    if (found == parameters_.end() || found->second >= count || !is_begin(from.offset) || what.guard ||
        bits_of(type) < 8 || bits_of(type) / 8 > bytes[found->second] || what.operands[0].starts_with('{') ||
        registers_of_.bits_of(what.operands[0]) < std::max(bits_of(type), 16u) ||
        (type.starts_with('s') && registers_of_.bits_of(what.operands[0]) != bits_of(type))) {
      fail("reads a parameter in an unknown way", &each);
    }
    cut(hook::piece::tail::nothing);
    hook::piece read;
    read.what = hook::piece::tail::read;
    read.parameter = found->second;
    read.type = type;
    read.into = renamed(what.operands[0]);
    read.bits = registers_of_.bits_of(what.operands[0]);
    pieces().push_back(std::move(read));
  }

  // As it is, but for names that are the hook's own.
  void add_words(statement const& each) {
    token_reader reader(each.text);
    char const* behind = nullptr;
    text_ += "\t";
    for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
      if (behind != nullptr && t.begin() != behind) text_ += ' ';
      behind = t.end();
      if (t.kind == token_kind::word) {
        add_word(t.text, each);
      } else {
        text_ += t.text;
      }
    }
    text_ += "\n";
  }

  void add_word(std::string_view word, statement const& each) {
    if (labels_.contains(word)) {
      text_ += "$pasta_h";
      cut(hook::piece::tail::number);
      text_ += '_';
      text_ += word.starts_with('$') ? word.substr(1) : word;
    } else if (parameters_.contains(word)) {
      fail("takes the address of a parameter", &each);
    } else if (auto const found = variables_.find(word); found != variables_.end()) {
      carry(*found->second, each);
      text_ += name_of(word);
    } else {
      text_ += renamed(word);
    }
  }

  // `%r12` is declared by `.reg .b32 %r<20>`.
  std::string renamed(std::string_view word) const {
    std::size_t end = word.size();
    while (end > 0 && word[end - 1] >= '0' && word[end - 1] <= '9') --end;
    bool const is_own =
        word.starts_with('%') && (registers_.contains(word) || registers_.contains(word.substr(0, end)));
    return is_own ? fmt::format("%pasta_h_{}", word.substr(1)) : std::string(word);
  }

  std::string name_of(std::string_view variable) const {
    return fmt::format("pasta_{}_{}", into_->tool_, variable.substr(variable.starts_with('$') ? 1 : 0));
  }
  // A variable that the code names, and what its own text names.
  void carry(variable const& what, statement const& each) {
    if (!carried_.insert(what.name).second) return;
    if (what.space != ".global" && what.space != ".const") fail("has memory of its own", &each);
    if (what.linked == linkage::external || what.linked == linkage::common) fail("needs a variable of others", &each);
    std::string text;
    token_reader reader(what.text);
    char const* behind = nullptr;
    for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
      if (t.is(".visible") || t.is(".weak")) continue;
      if (behind != nullptr && t.begin() != behind) text += ' ';
      behind = t.end();
      auto const found = t.kind == token_kind::word ? variables_.find(t.text) : variables_.end();
      if (found != variables_.end()) {
        carry(*found->second, each);
        text += name_of(t.text);
      } else {
        text += t.text;
      }
    }
    if (!text.ends_with(';')) text += ';';
    into_->declarations_ += text + "\n";
  }

  void cut(enum hook::piece::tail what) {
    if (what == hook::piece::tail::nothing && text_.empty()) return;
    hook::piece made;
    made.what = what;
    made.text = std::move(text_);
    text_.clear();
    pieces().push_back(std::move(made));
  }
  void flush() { cut(hook::piece::tail::nothing); }

  hook* into_;
  ptx::module from_;
  hook_function which_ = hook_function::memory_access;
  register_scopes registers_of_;
  function const* body_ = nullptr;
  std::unordered_map<std::string_view, std::size_t> parameters_;
  std::unordered_map<std::string_view, variable const*> variables_;
  std::unordered_set<std::string_view> labels_, registers_, carried_;
  std::string text_;
};

}  // namespace pasta::ptx
#endif
