// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_INSTRUMENT_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_INSTRUMENT_INL

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <pasta/config.hpp>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/counters.hpp>
#include <pasta/instrument/ptx/counting_code.hpp>
#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/leaving.hpp>
#include <pasta/instrument/ptx/token.hpp>

namespace pasta::ptx {
namespace detail {

/// A hash of texts, FNV-1a of 128 bits, in 32 hexadecimal digits. A collision would have linkers mix two modules up.
class text_hash {
 public:
  void add(std::string_view text) {
    for (char const c : text) add(static_cast<unsigned char>(c));
    add(0x100);  // the end of a text is told from any of its bytes
  }
  std::string to_string() const {
    return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(value_ >> 64), static_cast<std::uint64_t>(value_));
  }

 private:
  __extension__ typedef unsigned __int128 word;
  void add(unsigned c) { value_ = (value_ ^ c) * ((word{1} << 88) + 0x13b); }
  word value_ = (word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
};

/// 90 of `sm_90a`; 0 if it is something else.
inline unsigned architecture(std::string_view target) {
  unsigned number = 0;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

/// 602 of `6.2`.
inline unsigned version_number(std::string_view version) {
  unsigned major = 0, minor = 0;
  char const* const end = version.data() + version.size();
  auto const read = std::from_chars(version.data(), end, major);
  if (read.ptr != end) std::from_chars(read.ptr + 1, end, minor);
  return major * 100 + minor;
}

/// Of one function.
class counted_function {
 public:
  // Registers of 64 bits for counters. With setmaxnreg at most 16 bytes.
  static constexpr std::size_t most_in_registers = 16, most_beside_setmaxnreg = 2;
  // Up to so many places find the shard's address each for itself, and no register is taken in between.
  static constexpr std::size_t most_addresses = 4;

  counted_function(module const& from, function const& body, leaving_functions const& leaving, counter_plan plan)
      : from_(&from),
        body_(&body),
        leaving_(&leaving),
        plan_(std::move(plan)),
        in_register_(plan_.counters.size(), memory) {
    choose_registers();
  }
  counter_plan const& plan() const { return plan_; }

  /// @param first number of the function's first counter in the module
  void write(edits& changes, std::string_view state_name, std::uint32_t first, warp_sum how, std::size_t& label) {
    std::size_t const memories = plan_.counters.size() - registers_;
    std::vector<std::size_t> const ways_out = find_ways_out();
    bool const is_shared = memories + (registers_ == 0 ? 0 : ways_out.size()) > most_addresses;
    std::string const address = shard_address(state_name);
    changes.insert_after(from_->statements[body_->begin].text,
                         counting_registers(registers_) + (is_shared ? address : ""));

    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      counter const& each = plan_.counters[i];
      std::string code = "\n";
      if (in_register_[i] != memory) {
        code += count_in_register(each.guard, in_register_[i]);
      } else {
        if (!is_shared) code += address;
        code += count_in_memory(each.guard, first + static_cast<std::uint32_t>(i));
      }
      changes.insert_before(from_->statements[each.statement].text, code + "\t");
    }
    if (registers_ == 0) return;
    std::vector<register_counter> folded;
    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      if (in_register_[i] != memory) folded.push_back({in_register_[i], first + static_cast<std::uint32_t>(i)});
    }
    for (std::size_t const at : ways_out) {
      statement const& each = from_->statements[at];
      instruction read;
      if (each.kind == statement_kind::instruction) read = read_instruction(each.text);
      // Who does not leave goes on behind what leads out, but comes to a call with its arguments.
      bool const is_call = control_of(read) == control::call;
      std::string code = "\n", stay;
      if (read.guard) {
        stay = fmt::format("$pasta_stay{}", label++);
        code += fmt::format("\t@{}{} bra \t{};\n", read.guard.is_negated ? "" : "!", read.guard.predicate, stay);
      }
      if (!is_shared) code += address;
      code += fold(how, folded, label++);
      if (read.guard && is_call) code += stay + ":\n";
      statement const& place = is_call ? from_->statements[first_argument(at, read.guard)] : each;
      changes.insert_before(place.text, code + "\t");
      if (read.guard && !is_call) changes.insert_after(each.text, fmt::format("\n{}:", stay));
    }
  }

 private:
  static constexpr std::size_t memory = SIZE_MAX;

  // What a thread does once goes to memory at once: the same additions as at its end, and no register. In loops the
  // innermost come first.
  void choose_registers() {
    std::size_t most = most_in_registers;
    for (std::size_t i = body_->begin; i < body_->end; ++i) {
      statement const& each = from_->statements[i];
      if (each.kind != statement_kind::instruction || each.text.find("setmaxnreg") == std::string_view::npos) continue;
      if (read_instruction(each.text).name == "setmaxnreg") most = most_beside_setmaxnreg;
    }
    std::vector<std::size_t> looping;
    for (std::size_t i = 0; i < plan_.counters.size(); ++i) {
      if (plan_.counters[i].loop_depth > 0) looping.push_back(i);
    }
    std::stable_sort(looping.begin(), looping.end(), [&](std::size_t a, std::size_t b) {
      return plan_.counters[a].loop_depth > plan_.counters[b].loop_depth;
    });
    looping.resize(std::min(looping.size(), most));
    std::sort(looping.begin(), looping.end());
    for (std::size_t const i : looping) in_register_[i] = registers_++;
  }

  // Statements behind which the thread may be gone, and the body's `}` if control comes there.
  std::vector<std::size_t> find_ways_out() const {
    std::vector<std::size_t> found;
    bool comes_to_end = true;
    for (std::size_t i = body_->begin + 1; i < body_->end; ++i) {
      statement const& each = from_->statements[i];
      if (each.kind == statement_kind::label) comes_to_end = true;
      if (each.kind != statement_kind::instruction) continue;
      instruction const read = read_instruction(each.text);
      comes_to_end = falls_through(read);
      switch (control_of(read)) {
        case control::to_caller:
        case control::exit:
          found.push_back(i);
          break;
        case control::call:
          if (leaving_->may_leave(read)) found.push_back(i);
          break;
        default:
          break;
      }
    }
    if (comes_to_end) found.push_back(body_->end);
    return found;
  }

  // The first `st.param` that a call's fold may come before, else the call: PTX has no jump between them.
  std::size_t first_argument(std::size_t call, guard const& which) const {
    std::size_t first = call;
    for (std::size_t i = call - 1; i > body_->begin; --i) {
      statement const& each = from_->statements[i];
      if (each.kind == statement_kind::directive) continue;
      if (each.kind != statement_kind::instruction) break;
      instruction const read = read_instruction(each.text);
      if (read.name == "st" && (read.has("param") || read.has("param::func"))) first = i;
      // What counts in a register or decides whether there is a call stays before the fold.
      if (control_of(read) != control::next || (which && may_write(read, which.predicate)) || counts_in_register(i))
        break;
    }
    return first;
  }
  bool counts_in_register(std::size_t statement) const {
    auto const& all = plan_.counters;
    auto const found = std::lower_bound(all.begin(), all.end(), statement, [](counter const& each, std::size_t number) {
      return each.statement < number;
    });
    return found != all.end() && found->statement == statement &&
           in_register_[static_cast<std::size_t>(found - all.begin())] != memory;
  }

  ptx::module const* from_;
  function const* body_;
  leaving_functions const* leaving_;
  counter_plan plan_;
  std::vector<std::size_t> in_register_;  // by counter: the register's number, or memory
  std::size_t registers_ = 0;
};

/// What a module begins with stands together: .version, .target, .address_size, and lines such as `# 1 "a.cu"`.
inline statement const& last_of_head(module const& from) {
  auto const behind = std::find_if(from.statements.begin(), from.statements.end(), [](statement const& each) {
    token const first = token_reader(each.text).next();
    return !first.is(".version") && !first.is(".target") && !first.is(".address_size") && !first.is('#');
  });
  return *(behind - 1);  // the first is .version, or a line
}

/// The table as words, and the state.
inline std::string declare_state(std::string_view id, std::string_view json) {
  std::string words;
  for (std::size_t i = 0; i < json.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i + k < json.size(); ++k) {
      word |= std::uint64_t{static_cast<unsigned char>(json[i + k])} << 8 * k;
    }
    fmt::format_to(std::back_inserter(words), "{}0x{:x}", i == 0 ? "" : i % 64 == 0 ? ",\n" : ",", word);
  }
  return fmt::format(
      "\n.weak .global .align 8 .u64 {0}{2}[{3}] = {{{4}}};\n"
      ".weak .global .align 16 .u64 {1}{2}[4] = {{0, 0, {5}, {0}{2}}};\n",
      sites_prefix, state_prefix, id, (json.size() + 7) / 8, words, json.size());
}

}  // namespace detail

inline bool is_instrumented(module const& from) {
  return std::any_of(from.variables.begin(), from.variables.end(),
                     [](variable const& each) { return each.name.starts_with(state_prefix); });
}

inline instrumented count_accesses(module const& from, std::span<std::string const> tools) {
  constexpr unsigned oldest_architecture = 70, version_of_activemask = 602;
  unsigned const architecture = detail::architecture(from.target);
  if (architecture < oldest_architecture) {
    throw cannot_instrument(fmt::format("its target {} is not one from sm_70 on", from.target.substr(0, 100)));
  }
  if (from.address_bits != 64) throw cannot_instrument("its addresses do not have 64 bits");
  if (is_instrumented(from)) throw cannot_instrument("it is instrumented already");
  if (from.source.find("%pasta_") != std::string_view::npos || from.source.find("$pasta_") != std::string_view::npos) {
    throw cannot_instrument("it uses names that begin with pasta_");
  }

  instrumented result;
  detail::text_hash hash;
  hash.add(PASTA_VERSION);
  for (std::string const& tool : tools) hash.add(tool);
  hash.add(from.source);
  result.table.id = hash.to_string();
  result.table.tools.assign(tools.begin(), tools.end());

  edits changes(from.source);
  leaving_functions const leaving(from);
  std::string const state_name = fmt::format("{}{}", state_prefix, result.table.id);
  warp_sum const how = architecture >= 80 ? warp_sum::redux : warp_sum::shuffle;
  std::size_t label = 0;
  for (function const& body : from.functions) {
    if (body.is_declaration) continue;
    table_function row{body.name, body.is_entry, {}, {}};
    try {
      detail::counted_function counted(from, body, leaving, plan_counters(from, body, [](instruction const& what) {
                                         return classify(what).access_count > 0;
                                       }));
      for (counted_site const& site : counted.plan().sites) {
        instruction const read = read_instruction(from.statements[site.statement].text);
        row.sites.push_back({result.table.counters + static_cast<std::uint32_t>(site.counter), site.statement,
                             read.opcode, classify(read)});
      }
      if (!row.sites.empty()) counted.write(changes, state_name, result.table.counters, how, label);
      result.table.counters += static_cast<std::uint32_t>(counted.plan().counters.size());
      result.sites += row.sites.size();
    } catch (unknown_label const& e) {
      row.why = e.what();
    }
    result.table.functions.push_back(std::move(row));
  }
  result.json = to_json(result.table, from, source_places(from));
  if (result.sites == 0) {
    result.text = from.source;
    return result;
  }

  if (detail::version_number(from.version) < version_of_activemask) changes.replace(from.version, "6.2");
  changes.insert_after(detail::last_of_head(from).text, detail::declare_state(result.table.id, result.json));
  result.text = changes.apply();
  return result;
}

}  // namespace pasta::ptx
#endif
