// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_LIST_SITES_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_LIST_SITES_HPP

#include <algorithm>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/detail/counted_function.hpp>
#include <pasta/instrument/ptx/site_table.hpp>
#include <span>
#include <vector>

namespace pasta::ptx::detail {

/// What is planned for a function.
struct planned_sites {
  ptx::module const* from;
  std::span<hook const> hooks;
  counted_function const* counters;
  std::uint32_t first_counter;
  std::span<hooked_access const> accesses;
  std::span<hooked_event const> events;
};

/// Sites that are counted, and those whose events handlers want: all in the order of the text.
inline std::vector<table_site> list_sites(planned_sites const& what) {
  std::vector<table_site> sites;
  auto counted = what.counters->plan().sites.begin();
  auto const counted_end = what.counters->plan().sites.end();
  auto access = what.accesses.begin();
  auto event = what.events.begin();
  for (;;) {
    std::size_t statement = SIZE_MAX;
    if (counted != counted_end) statement = counted->statement;
    if (access != what.accesses.end()) statement = std::min(statement, access->statement);
    if (event != what.events.end()) statement = std::min(statement, event->statement);
    if (statement == SIZE_MAX) return sites;
    instruction const read = read_instruction(what.from->statements[statement].text);
    table_site site{no_counter, statement, read.opcode, classify(read), {}, {}};
    site.rows.fill({no_row, no_counts, 0, {}});
    if (counted != counted_end && counted->statement == statement)
      site.counter = what.first_counter + what.counters->number_of((counted++)->counter);
    for (; access != what.accesses.end() && access->statement == statement; ++access)
      site.rows[access->number] = {access->row, access->in_order, access->in_order_step, access->why};
    auto const which = event_of(site.what);
    if (which && (is_counted(what.hooks, *which) || is_handled(what.hooks, *which))) site.event = {which, no_row, {}};
    if (event != what.events.end() && event->statement == statement) {
      site.event = {event->event, event->row, event->why};
      ++event;
    }
    sites.push_back(site);
  }
}

}  // namespace pasta::ptx::detail
#endif
