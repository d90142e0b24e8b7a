// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_SITES_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_SITES_INL

#include <fmt/format.h>

#include <algorithm>
#include <pasta/instrument/ptx/detail/hook_code.hpp>
#include <pasta/instrument/ptx/hook_sites.hpp>

namespace pasta::ptx {

inline std::vector<hooked_access> plan_hooks(module const& from, function const& body, std::span<hook const> hooks,
                                             register_room room, hook_totals& totals) {
  if (std::none_of(hooks.begin(), hooks.end(), [](hook const& each) { return each.handles_accesses(); })) return {};
  std::vector<hooked_access> found = detail::find_accesses(from, body, hooks, totals.rows);
  if (room == register_room::enough) {
    blocks const parts(from, body);
    std::vector<std::size_t> looping = detail::find_looping(from, parts, hooks, found);
    detail::choose_runs(from, body, parts, looping, found);
    detail::choose_kept(looping, found);
  }
  detail::put_together(from, body, found, detail::batch_kind::in_order);
  detail::place_counts(from, found, totals);
  return found;
}

inline std::string hook_registers(std::span<hooked_access const> accesses) {
  std::string text =
      "\t.reg .pred \t%pasta_turns;\n"
      "\t.reg .b32 \t%pasta_lane, %pasta_size, %pasta_space, %pasta_keeps, %pasta_group, %pasta_together;\n"
      "\t.reg .b64 \t%pasta_shared, %pasta_address, %pasta_row, %pasta_row_shared, %pasta_function, "
      "%pasta_function_shared, %pasta_kept;\n"
      "\tmov.u32 \t%pasta_lane, %laneid;\n";
  for (hooked_access const& each : accesses) {
    if (each.kept == hooked_access::not_kept) continue;
    fmt::format_to(std::back_inserter(text),
                   "\t.reg .b64 \t%pasta_next{0};\n"
                   "\t.reg .b32 \t%pasta_step{0}, %pasta_times{0}, %pasta_adds{0};\n"
                   "\tmov.b64 \t%pasta_next{0}, -1;\n"
                   "\tmov.b32 \t%pasta_step{0}, 0;\n"
                   "\tmov.b32 \t%pasta_times{0}, 0;\n"
                   "\tmov.b32 \t%pasta_adds{0}, 0;\n",
                   each.kept);
  }
  return text + detail::begin_runs(accesses);
}

inline std::string fold_kept(std::span<hooked_access const> accesses, std::span<hook const> hooks,
                             hook_places const& where, module const& from) {
  std::string code;
  for (hooked_access const& each : accesses) {
    if (each.kept != hooked_access::not_kept) code += detail::fold_one(from, each, hooks, where);
  }
  return code + detail::fold_runs(from, accesses, hooks, where);
}

inline void write_hooks(edits& changes, module const& from, function const& body,
                        std::span<hooked_access const> accesses, std::span<hook const> hooks, hook_places const& where,
                        std::size_t& number) {
  // A test takes a few dozen instructions. Where there are many the function does it, so that the code stays small.
  constexpr std::ptrdiff_t most_tests = 32;
  auto const may_count_in_order = [](hooked_access const& each) {
    return each.batch == hooked_access::no_batch && each.in_order != no_counts && !each.keeps();
  };
  bool const has_many = std::count_if(accesses.begin(), accesses.end(), may_count_in_order) > most_tests;
  std::string seldom;
  for (auto each = accesses.begin(); each != accesses.end();) {
    bool const is_alone = each->batch == hooked_access::no_batch;
    auto const end = is_alone ? each + 1 : std::find_if(each, accesses.end(), [&](hooked_access const& other) {
      return other.batch != each->batch;
    });
    if (each->why.empty()) {
      bool const asks_function =
          has_many && detail::is_tested_by_function(detail::access_of(from, *each), hooks, where);
      auto const test = asks_function ? detail::in_order_test::in_function : detail::in_order_test::here;
      bool const is_run = each->run != hooked_access::no_run;
      detail::spliced code = is_run     ? detail::code_of_run(from, {each, end}, hooks, where, number)
                             : is_alone ? detail::code_of(from, *each, hooks, where, number, test)
                                        : detail::code_of_batch(from, {each, end}, hooks, where, number);
      if (!each->is_nested) {
        seldom += code.seldom;
        code.seldom.clear();
      }
      changes.insert_before(from.statements[is_alone ? each->statement : each->batch].text, "\n" + code.all() + "\t");
    }
    each = end;
  }
  seldom += detail::write_breaks(changes, from, accesses, number);
  if (!seldom.empty()) changes.insert_before(from.statements[body.end].text, "\n\tret;\n" + seldom);
}

}  // namespace pasta::ptx
#endif
