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
#include <pasta/instrument/ptx/detail/numbers.hpp>
#include <pasta/instrument/ptx/hook_sites.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
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

/// What a module begins with stands together: .version, .target, .address_size, and lines such as `# 1 "a.cu"`.
inline statement const& last_of_head(module const& from) {
  auto const behind = std::find_if(from.statements.begin(), from.statements.end(), [](statement const& each) {
    token const first = token_reader(each.text).next();
    return !first.is(".version") && !first.is(".target") && !first.is(".address_size") && !first.is('#');
  });
  return *(behind - 1);  // the first is .version, or a line
}

/// The table as words, and the state.
inline std::string declare_state(std::string_view id, std::string_view table) {
  std::string words;
  for (std::size_t i = 0; i < table.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i + k < table.size(); ++k) {
      word |= std::uint64_t{static_cast<unsigned char>(table[i + k])} << 8 * k;
    }
    fmt::format_to(std::back_inserter(words), "{}0x{:x}", i == 0 ? "" : i % 64 == 0 ? ",\n" : ",", word);
  }
  return fmt::format(
      "\n.weak .global .align 8 .u64 {0}{2}[{3}] = {{{4}}};\n"
      ".weak .global .align 16 .u64 {1}{2}[6] = {{0, 0, {5}, {0}{2}, 0, 0}};\n",
      sites_prefix, state_prefix, id, (table.size() + 7) / 8, words, table.size());
}

}  // namespace detail

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
    if (!each.handles_accesses() || each.architecture() <= architecture) continue;
    throw cannot_instrument(fmt::format("its target {} is older than {}'s hook, sm_{}", from.target.substr(0, 100),
                                        each.tool(), each.architecture()));
  }
}

class instrumenter {
 public:
  instrumenter(module const& from, std::span<hook const> hooks, instrument_options const& options)
      : from_(&from),
        hooks_(hooks),
        options_(&options),
        is_counted_(std::any_of(hooks.begin(), hooks.end(), [](hook const& each) { return each.counts_accesses(); })),
        leaving_(from) {}

  instrumented make() {
    result_.table.id = id();
    for (hook const& each : hooks_) result_.table.tools.push_back(each.tool());
    for (function const& body : from_->functions) {
      if (!body.is_declaration) plan(body);
    }
    place_rows();
    result_.json = to_json(result_.table, *from_, source_places(*from_));
    if (result_.sites == 0) {
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
  };

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
    table_function row{body.name, body.is_entry, {}, {}};
    try {
      register_room const room = room_of(body);
      planned made{
          &body,
          {*from_, body, leaving_, room,
           plan_counters(*from_, body,
                         [&](instruction const& what) { return is_counted_ && classify(what).access_count > 0; })},
          result_.table.counters,
          result_.table.functions.size(),
          plan_hooks(*from_, body, hooks_, room, totals_)};
      add_sites(made, row);
      result_.table.counters += static_cast<std::uint32_t>(made.counters.plan().counters.size());
      result_.sites += row.sites.size();
      if (!row.sites.empty()) planned_.push_back(std::move(made));
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

  // Sites that are counted, and those whose accesses handlers want: both in the order of the text.
  void add_sites(planned const& made, table_function& row) const {
    std::vector<counted_site> const& counted = made.counters.plan().sites;
    auto next = made.accesses.begin();
    auto const add = [&](std::size_t statement, std::uint32_t counter) {
      instruction const read = read_instruction(from_->statements[statement].text);
      table_site site{counter, statement, read.opcode, classify(read), {}};
      site.rows.fill({no_row, no_counts, 0, {}});
      for (; next != made.accesses.end() && next->statement == statement; ++next) {
        site.rows[next->number] = {next->row, next->in_order, next->in_order_step, next->why};
      }
      row.sites.push_back(site);
    };
    for (counted_site const& each : counted) {
      while (next != made.accesses.end() && next->statement < each.statement) add(next->statement, no_counter);
      add(each.statement, made.first_counter + made.counters.number_of(each.counter));
    }
    while (next != made.accesses.end()) add(next->statement, no_counter);
  }

  // Counters first, then the rows of each tool: of functions, of sites.
  void place_rows() {
    site_table& table = result_.table;
    table.rows = totals_.rows;
    auto const functions = static_cast<std::uint32_t>(table.functions.size());
    std::uint64_t shard = std::uint64_t{table.counters} * counter_bytes, shared = 0;
    auto const place = [](std::uint64_t& end, std::uint64_t count, std::uint32_t bytes) {
      constexpr std::uint64_t alignment = 32, most = std::uint64_t{1} << 31;
      if (count * bytes == 0) return std::uint32_t{0};
      std::uint64_t const begin = (end + alignment - 1) / alignment * alignment;
      end = begin + count * bytes;
      if (end > most) throw cannot_instrument("what tools would keep for it is too much");
      return static_cast<std::uint32_t>(begin);
    };
    for (hook const& each : hooks_) {
      using enum pasta::detail::hook_abi_word;
      row_places at;
      if (each.handles_accesses() && table.rows > 0) {
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
    table.shard_bytes = shard;
    table.shared_bytes = shared;
  }

  void write() {
    std::string const state_name = fmt::format("{}{}", state_prefix, result_.table.id);
    warp_sum const how = architecture(from_->target) >= 80 ? warp_sum::redux : warp_sum::shuffle;
    edits changes(from_->source);
    std::size_t number = 0;
    bool has_hooks = false;
    std::vector<std::string> called;
    for (planned& each : planned_) {
      bool const is_hooked = std::any_of(each.accesses.begin(), each.accesses.end(),
                                         [](hooked_access const& access) { return access.row != no_row; });
      if (!is_hooked && each.counters.plan().counters.empty()) continue;
      has_hooks |= is_hooked;
      bool const calls = is_hooked && is_too_long(each.accesses);
      if (calls && called.empty()) called = names_of_functions();
      hook_places const where{state_name, places_, result_.table.in_order, static_cast<std::uint32_t>(each.row),
                              calls ? std::span<std::string const>(called) : std::span<std::string const>()};
      counted_function::hook_needs needs;
      if (is_hooked) needs = {hook_registers(each.accesses), fold_kept(each.accesses, hooks_, where, *from_), {}};
      for (hooked_access const& access : each.accesses) {
        if (access.kept != hooked_access::not_kept) needs.kept_at.push_back(access.statement);
      }
      each.counters.write(changes, state_name, needs, each.first_counter, how, number);
      if (is_hooked) write_hooks(changes, *from_, *each.body, each.accesses, hooks_, where, number);
    }
    raise_version(changes, has_hooks);
    std::string declared =
        declare_state(result_.table.id, options_->pack == nullptr ? result_.json : options_->pack(result_.json));
    for (std::size_t i = 0; i < hooks_.size() && has_hooks; ++i) {
      declared += hooks_[i].declarations();
      if (!called.empty() && hooks_[i].handles_accesses())
        declared += access_function(hooks_[i], called[i], state_name, places_[i], result_.table.in_order);
    }
    changes.insert_after(last_of_head(*from_).text, declared);
    result_.text = changes.apply();
  }

  // A hook is some hundred instructions. Where a function has many accesses, or the module many such functions, the
  // assembler would take minutes: there the hook is a function that is called.
  bool is_too_long(std::vector<hooked_access> const& accesses) {
    // Before sm_90 ptxas adds code of its own wherever lanes exchange something: a body takes it two to three times as long.
    std::size_t const most_in_function = architecture(from_->target) >= 90 ? 8 : 4,
                      most_in_module = 3 * most_in_function;
    auto const count = static_cast<std::size_t>(
        std::count_if(accesses.begin(), accesses.end(), [](hooked_access const& each) { return each.row != no_row; }));
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
  void raise_version(edits& changes, bool has_hooks) const {
    constexpr unsigned version_of_activemask = 602;
    unsigned latest = version_number(from_->version);
    std::string_view text;
    auto const raise = [&](unsigned version, std::string_view as_text) {
      if (version > latest) latest = version, text = as_text;
    };
    raise(version_of_activemask, "6.2");
    for (hook const& each : hooks_) {
      if (has_hooks && each.handles_accesses()) raise(each.version(), each.version_text());
    }
    if (!text.empty()) changes.replace(from_->version, std::string(text));
  }

  ptx::module const* from_;
  std::span<hook const> hooks_;
  instrument_options const* options_;
  bool is_counted_;
  leaving_functions leaving_;
  instrumented result_;
  std::vector<planned> planned_;
  std::vector<row_places> places_;  // by hook
  hook_totals totals_;
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
