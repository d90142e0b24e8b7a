// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_INSTRUMENT_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_INSTRUMENT_INL

#include <fmt/format.h>

#include <algorithm>
#include <pasta/config.hpp>
#include <pasta/instrument/ptx/blocks.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/detail/access_function.hpp>
#include <pasta/instrument/ptx/detail/counted_function.hpp>
#include <pasta/instrument/ptx/detail/list_sites.hpp>
#include <pasta/instrument/ptx/detail/module_texts.hpp>
#include <pasta/instrument/ptx/detail/numbers.hpp>
#include <pasta/instrument/ptx/detail/tools_of_function.hpp>
#include <pasta/instrument/ptx/event_sites.hpp>
#include <pasta/instrument/ptx/hook_sites.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/token.hpp>

namespace pasta::ptx {
inline bool is_instrumented(module const& from) {
  return std::any_of(from.variables.begin(), from.variables.end(),
                     [](variable const& each) { return each.name.starts_with(state_prefix); });
}

namespace detail {

/// @throws cannot_instrument
inline void check_module(module const& from, std::span<hook const> hooks) {
  constexpr unsigned oldest_architecture = 70;
  unsigned const architecture = detail::architecture(from.target);
  if (architecture < oldest_architecture) {
    throw cannot_instrument(fmt::format("its target {} is not one from sm_70 on", from.target.substr(0, 100)));
  }
  if (from.address_bits != 64) throw cannot_instrument("its addresses do not have 64 bits");
  if (is_instrumented(from)) throw cannot_instrument("it is instrumented already");
  if (from.source.find("%pasta_") != std::string_view::npos || from.source.find("$pasta_") != std::string_view::npos) {
    throw cannot_instrument("it uses names that begin with pasta_");
  }
  for (hook const& each : hooks) {
    if (!each.has_code() || each.architecture() <= architecture) continue;
    throw cannot_instrument(fmt::format("its target {} is older than {}'s hook, sm_{}", from.target.substr(0, 100),
                                        each.tool(), each.architecture()));
  }
}

class instrumenter {
 public:
  instrumenter(module const& from, std::span<hook const> hooks, instrument_options const& options)
      : from_(&from), hooks_(hooks), options_(&options), leaving_(from) {}

  instrumented make() {
    result_.table.id = id();
    for (hook const& each : hooks_) result_.table.tools.push_back(each.tool());
    for (function const& body : from_->functions) {
      if (!body.is_declaration) plan(body);
    }
    place_rows();
    result_.json = to_json(result_.table, *from_, source_places(*from_));
    result_.is_changed = result_.sites != 0 || has_hooks_;
    if (!result_.is_changed) {
      result_.text = from_->source;
      return std::move(result_);
    }
    write();
    return std::move(result_);
  }

 private:
  struct planned {
    function const* body;
    counted_function counters;
    std::uint32_t first_counter;
    std::size_t row;  // in the table
    std::vector<hooked_access> accesses;
    std::vector<hooked_event> events;
    std::vector<hook> own;  // the tools, where some of them get nothing of the function; else empty
    bool is_hooked;         // something in it reaches a handler
  };
  std::span<hook const> hooks_of(planned const& each) const { return each.own.empty() ? hooks_ : each.own; }

  std::string id() const {
    text_hash hash;
    hash.add(PASTA_VERSION);
    for (hook const& each : hooks_) {
      hash.add(each.tool());
      if (!each.source().empty()) hash.add(each.source());
    }
    hash.add(from_->source);
    for (std::string const& each : options_->short_of_registers) hash.add(each);
    return hash.to_string();
  }

  void plan(function const& body) {
    table_function row{body.name, body.is_entry, {}, {}, {}};
    try {
      register_room const room = room_of(body);
      std::vector<hook> own = concerned_tools(*from_, body, hooks_);
      row.without = find_left_out(own.empty() ? hooks_ : own, room);
      leave_out(row.without, hooks_, own);
      std::span<hook const> const hooks = own.empty() ? hooks_ : own;
      planned made{
          &body,
          {*from_, body, leaving_, room,
           plan_counters(*from_, body, [&](instruction const& what) { return is_counted(hooks_, classify(what)); })},
          result_.table.counters,
          result_.table.functions.size(),
          plan_hooks(*from_, body, hooks, room, totals_),
          plan_events(*from_, body, hooks, totals_.rows),
          {},
          has_thread_events(*from_, body, hooks)};
      made.own = std::move(own);
      made.is_hooked |=
          std::any_of(made.accesses.begin(), made.accesses.end(),
                      [](auto const& each) { return each.row != no_row; }) ||
          std::any_of(made.events.begin(), made.events.end(), [](auto const& each) { return each.row != no_row; });
      row.sites = list_sites({from_, hooks_, &made.counters, made.first_counter, made.accesses, made.events});
      result_.table.counters += static_cast<std::uint32_t>(made.counters.plan().counters.size());
      result_.sites += row.sites.size();
      has_hooks_ |= made.is_hooked;
      if (!row.sites.empty() || made.is_hooked) planned_.push_back(std::move(made));
    } catch (unknown_label const& e) {
      row.why = e.what();
    }
    result_.table.functions.push_back(std::move(row));
  }

  register_room room_of(function const& body) const {
    auto const& named = options_->short_of_registers;
    bool const is_short = std::find(named.begin(), named.end(), body.name) != named.end();
    return is_short || has_setmaxnreg(*from_, body) ? register_room::little : register_room::enough;
  }

  // Counters first, then the rows of each tool: of functions, of sites.
  void place_rows() {
    site_table& table = result_.table;
    table.rows = totals_.rows;
    auto const functions = static_cast<std::uint32_t>(table.functions.size());
    std::uint64_t shard = std::uint64_t{table.counters} * counter_bytes, shared = 0;
    auto const place = [](std::uint64_t& end, std::uint64_t count, std::uint32_t bytes) {
      constexpr std::uint64_t alignment = 32;
      if (count * bytes == 0) return std::uint32_t{0};
      std::uint64_t const begin = (end + alignment - 1) / alignment * alignment;
      end = begin + count * bytes;
      return static_cast<std::uint32_t>(begin);
    };
    for (hook const& each : hooks_) {
      using enum pasta::detail::hook_abi_word;
      row_places at;
      if (each.has_code() && has_hooks_) {
        at.functions_shard = place(shard, functions, each.word(abi_function_shard_bytes));
        at.sites_shard = place(shard, table.rows, each.word(abi_site_shard_bytes));
        at.functions_shared = place(shared, functions, each.word(abi_function_shared_bytes));
        at.sites_shared = place(shared, table.rows, each.word(abi_site_shared_bytes));
        table.tool_rows.push_back({each.tool(), at, each.word(abi_site_shard_bytes), each.word(abi_site_shared_bytes),
                                   each.word(abi_function_shard_bytes), each.word(abi_function_shared_bytes)});
      }
      places_.push_back(at);
    }
    table.in_order = place(shard, 1, totals_.in_order_bytes);
    if (shard + shared > most_collected_bytes) {
      // Found out before the text is made, which would be some hundred times as large.
      throw cannot_instrument(
          fmt::format("what tools would keep for it takes {:.1f} MiB, and a context has {} for that",
                      static_cast<double>(shard + shared) / (1 << 20), most_collected_bytes >> 20));
    }
    table.shard_bytes = shard;
    table.shared_bytes = shared;
  }

  void write() {
    std::string const state_name = fmt::format("{}{}", state_prefix, result_.table.id);
    warp_sum const how = architecture(from_->target) >= 80 ? warp_sum::redux : warp_sum::shuffle;
    edits changes(from_->source);
    std::size_t number = 0;
    std::vector<std::string> called;
    for (planned& each : planned_) {
      if (!each.is_hooked && each.counters.plan().counters.empty()) continue;
      bool const calls = each.is_hooked && (is_too_long(each));
      if (calls && called.empty()) called = names_of_functions();
      hook_places const where{state_name,
                              places_,
                              result_.table.in_order,
                              static_cast<std::uint32_t>(each.row),
                              count_run_places(each.accesses),
                              calls ? std::span<std::string const>(called) : std::span<std::string const>()};
      write(changes, each, where, how, number);
    }
    raise_version(changes);
    std::string declared =
        declare_state(result_.table.id, options_->pack == nullptr ? result_.json : options_->pack(result_.json));
    for (std::size_t i = 0; i < hooks_.size() && has_hooks_; ++i) {
      declared += hooks_[i].declarations();
      if (!called.empty()) declared += functions_of(i, state_name, called[i]);
    }
    changes.insert_after(last_of_head(*from_).text, declared);
    result_.text = changes.apply();
  }
  void write(edits& changes, planned& each, hook_places const& where, warp_sum how, std::size_t& number) const {
    std::span<hook const> const hooks = hooks_of(each);
    counted_function::hook_needs needs;
    std::vector<std::size_t> hooked_at;
    if (each.is_hooked) {
      needs = {hook_registers(each.accesses), fold_kept(each.accesses, hooks, where, *from_), {}};
      needs.registers += begin_threads(*each.body, hooks, where, number);
      write_events(changes, *from_, each.events, hooks, where, number);
    }
    for (hooked_access const& access : each.accesses) {
      if (access.keeps()) needs.kept_at.push_back(access.statement);
      hooked_at.push_back(access.statement);
    }
    for (hooked_event const& event : each.events) hooked_at.push_back(event.place);
    each.counters.write(changes, where.state_name, needs, each.first_counter, how, number);
    if (!each.is_hooked) return;
    // Behind the call's own event, which the states know.
    auto const place_of = [&](std::size_t call) {
      auto const event = std::find_if(each.events.begin(), each.events.end(),
                                      [&](hooked_event const& one) { return one.statement == call; });
      if (event != each.events.end()) return event->place;
      return each.counters.first_argument(call, read_instruction(from_->statements[call].text).guard, hooked_at);
    };
    end_threads(changes, *from_, *each.body, each.counters.find_ways_out(), place_of, hooks, where, number);
    write_hooks(changes, *from_, *each.body, each.accesses, hooks, where, number);
  }
  static std::size_t count_run_places(std::span<hooked_access const> accesses) {
    return static_cast<std::size_t>(std::count_if(
        accesses.begin(), accesses.end(), [](hooked_access const& each) { return each.run != hooked_access::no_run; }));
  }
  // A tool's hook as functions.
  std::string functions_of(std::size_t tool, std::string_view state_name, std::string const& name) const {
    hook const& of = hooks_[tool];
    std::string text;
    if (of.handles_accesses()) text = access_function(of, name, state_name, places_[tool], result_.table.in_order);
    auto const add = [&](hook_function which) { text += event_function(of, event_function_name(name, which), which); };
    for (std::size_t i = 1; i < pasta::detail::hook_event_count; ++i) {
      if (of.handles(static_cast<hook_function>(i))) add(static_cast<hook_function>(i));
    }
    if (of.has_state()) add(hook_function::fold);
    return text;
  }

  // A hook is some hundred instructions. Where a function has many accesses, or the module many such functions, the
  // assembler would take minutes: there the hook is a function that is called.
  bool is_too_long(planned const& each) {
    // Before sm_90 ptxas adds code of its own wherever lanes exchange something: a body takes it two to three times as
    // long.
    std::size_t const most_in_function = architecture(from_->target) >= 90 ? 8 : 4,
                      most_in_module = 3 * most_in_function;
    auto const reached = [](auto const& all) {
      return static_cast<std::size_t>(
          std::count_if(all.begin(), all.end(), [](auto const& one) { return one.row != no_row; }));
    };
    std::size_t count = reached(each.accesses) + reached(each.events);
    bool const has_state =
        std::any_of(hooks_of(each).begin(), hooks_of(each).end(), [](hook const& one) { return one.has_state(); });
    if (has_state || has_thread_events(*from_, *each.body, hooks_of(each)))
      count += each.counters.find_ways_out().size();
    bool const may_call = result_.table.functions.size() <= most_called_functions;
    if (may_call && (count > most_in_function || bodies_ + count > most_in_module)) return true;
    bodies_ += count;
    return false;
  }
  std::vector<std::string> names_of_functions() const {
    std::vector<std::string> names;
    names.reserve(hooks_.size());
    for (hook const& each : hooks_) names.push_back(fmt::format("pasta_hook_{}_{}", each.tool(), result_.table.id));
    return names;
  }

  // To the latest that something in the module needs.
  void raise_version(edits& changes) const {
    constexpr unsigned version_of_activemask = 602;
    unsigned latest = version_number(from_->version);
    std::string_view text;
    auto const raise = [&](unsigned version, std::string_view as_text) {
      if (version > latest) latest = version, text = as_text;
    };
    raise(version_of_activemask, "6.2");
    for (hook const& each : hooks_) {
      if (has_hooks_ && each.has_code()) raise(each.version(), each.version_text());
    }
    if (!text.empty()) changes.replace(from_->version, std::string(text));
  }

  ptx::module const* from_;
  std::span<hook const> hooks_;
  instrument_options const* options_;
  leaving_functions leaving_;
  instrumented result_;
  std::vector<planned> planned_;
  std::vector<row_places> places_;  // by hook
  hook_totals totals_;
  bool has_hooks_ = false;
  std::size_t bodies_ = 0;  // accesses with the hook's body before them
};

}  // namespace detail

inline instrumented count_accesses(module const& from, std::span<std::string const> tools) {
  std::vector<hook> counting;
  counting.reserve(tools.size());
  for (std::string const& tool : tools) counting.push_back(hook::counting(tool));
  return instrument(from, counting);
}

inline instrumented instrument(module const& from, std::span<hook const> hooks, instrument_options const& options) {
  detail::check_module(from, hooks);
  return detail::instrumenter(from, hooks, options).make();
}

}  // namespace pasta::ptx
#endif
