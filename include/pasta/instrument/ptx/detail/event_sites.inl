// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_EVENT_SITES_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_EVENT_SITES_INL

#include <fmt/format.h>

#include <algorithm>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/counters.hpp>
#include <pasta/instrument/ptx/detail/event_code.hpp>
#include <pasta/instrument/ptx/event_sites.hpp>

namespace pasta::ptx {
namespace detail {

/// Where a call begins: its first argument, or what decides whether and what it calls.
inline std::size_t begin_of_call(module const& from, function const& body, std::size_t call, instruction const& what,
                                 std::string_view callee) {
  std::size_t first = call;
  for (std::size_t i = call - 1; i > body.begin; --i) {
    statement const& each = from.statements[i];
    if (each.kind == statement_kind::directive) continue;
    bool const is_prototype = each.kind == statement_kind::label &&
                              from.statements[i + 1].kind == statement_kind::directive &&
                              from.statements[i + 1].text.starts_with(".callprototype");
    if (is_prototype) continue;
    if (each.kind != statement_kind::instruction) break;
    instruction const read = read_instruction(each.text);
    bool const is_argument = read.name == "st" && (read.has("param") || read.has("param::func"));
    if (!is_argument || read.guard) break;
    if ((what.guard && may_write(read, what.guard.predicate)) || may_write(read, callee)) break;
    first = i;
  }
  return first;
}

inline bool has_exit(module const& from, function const& body) {
  for (std::size_t i = body.begin; i < body.end; ++i) {
    statement const& each = from.statements[i];
    if (each.kind == statement_kind::instruction && control_of(read_instruction(each.text)) == control::exit)
      return true;
  }
  return false;
}

}  // namespace detail

inline std::vector<hooked_event> plan_events(module const& from, function const& body, std::span<hook const> hooks,
                                             std::uint32_t& rows) {
  std::vector<hooked_event> found;
  register_scopes registers;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    statement const& each = from.statements[i];
    registers.pass(each);
    if (each.kind != statement_kind::instruction) continue;
    instruction const what = read_instruction(each.text);
    site where = classify(what);
    auto const event = event_of(where);
    if (!event || !is_handled(hooks, *event)) continue;
    if (access const& first = where.all[0]; where.access_count > 0 && first.limit_operand < what.operands.size())
      decide_limit(where, registers.bits_of(what.operands[first.limit_operand]) == 1 ? ".pred" : ".b32");
    hooked_event made;
    made.event = *event;
    made.statement = made.place = i;
    detail::event_arguments(what, where, registers).fill(made);
    if (made.why.empty()) made.row = rows++;
    if (*event == hook_function::call && made.why.empty())
      made.place = detail::begin_of_call(from, body, i, what, what.operands[where.operand]);
    found.push_back(std::move(made));
  }
  return found;
}

inline bool has_thread_events(module const& from, function const& body, std::span<hook const> hooks) {
  if (body.is_entry)
    return is_handled(hooks, hook_function::thread_enter) || is_handled(hooks, hook_function::thread_exit);
  return is_handled(hooks, hook_function::thread_exit) && detail::has_exit(from, body);
}

inline std::vector<left_out_tool> find_left_out(std::span<hook const> hooks, register_room room) {
  std::vector<left_out_tool> found;
  std::uint32_t const most =
      room == register_room::little ? pasta::detail::max_words_in_little_room : pasta::detail::max_thread_state_words;
  std::uint32_t words = 0;
  for (hook const& each : hooks) {
    if (words + each.state_words() <= most) {
      words += each.state_words();
    } else {
      found.push_back(
          {each.tool(),
           fmt::format("its thread_state of {} bytes does not fit in the registers: {}", 4 * each.state_words(),
                       room == register_room::little
                           ? "all tools have 16 bytes beside setmaxnreg, and in kernels that have no registers to spare"
                           : "all tools have 128 bytes")});
    }
  }
  return found;
}

inline void write_events(edits& changes, module const& from, std::span<hooked_event const> events,
                         std::span<hook const> hooks, hook_places const& where, std::size_t& number) {
  for (hooked_event const& each : events) {
    if (!each.why.empty()) continue;
    changes.insert_before(from.statements[each.place].text,
                          "\n" + detail::code_of_event(each, hooks, where, number) + "\t");
  }
}

inline std::string begin_threads(function const& body, std::span<hook const> hooks, hook_places const& where,
                                 std::size_t& number) {
  std::string code = detail::begin_states(hooks, number);
  if (body.is_entry) code += detail::code_of_thread(hook_function::thread_enter, hooks, where, number);
  return code;
}

inline void end_threads(edits& changes, module const& from, function const& body,
                        std::vector<std::size_t> const& ways_out,
                        std::function<std::size_t(std::size_t)> const& place_of, std::span<hook const> hooks,
                        hook_places const& where, std::size_t& number) {
  for (std::size_t const at : ways_out) {
    statement const& each = from.statements[at];
    instruction read;
    if (each.kind == statement_kind::instruction) read = read_instruction(each.text);
    control const to = control_of(read);
    bool const is_call = to == control::call;
    std::string code;
    if (!is_call && (body.is_entry || to == control::exit))
      code = detail::code_of_thread(hook_function::thread_exit, hooks, where, number);
    code += detail::code_of_thread(hook_function::fold, hooks, where, number);
    if (code.empty()) continue;
    std::string stay;
    if (read.guard) {
      stay = fmt::format("$pasta_stay_on{}", number++);
      code = fmt::format("\t@{}{} bra \t{};\n{}", read.guard.is_negated ? "" : "!", read.guard.predicate, stay, code);
    }
    // Who does not leave goes on behind what leads out, but comes to a call with its arguments.
    if (read.guard && is_call) code += stay + ":\n";
    changes.insert_before(from.statements[is_call ? place_of(at) : at].text, "\n" + code + "\t");
    if (read.guard && !is_call) changes.insert_after(each.text, fmt::format("\n{}:", stay));
  }
}

}  // namespace pasta::ptx
#endif
