// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_MEMORY_ROWS_HPP
#define PASTA_TOOLS_COLLECTING_MEMORY_ROWS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <pasta/session/ptx/collected.hpp>
#include <pasta/session/ptx/library_code.hpp>

#include "demangled.hpp"
#include "kept_memory.hpp"

namespace pasta::collecting {

/// Adds a sentence that is not there yet.
inline void add_once(std::vector<std::string>& to, std::string sentence) {
  if (std::find(to.begin(), to.end(), sentence) == to.end()) to.push_back(std::move(sentence));
}

// How often an access was made where the instruction was executed by so many lanes: whole warps execute what they make
// together.
inline std::uint64_t accesses_of(ptx::read_table::access const& access, std::uint64_t lanes) {
  switch (access.by) {
    case ptx::read_table::maker::rows:
      return lanes / 32 * access.lanes;
    case ptx::read_table::maker::warp:
      return lanes / 32;
    case ptx::read_table::maker::warp_group:
      return lanes / 128;
    case ptx::read_table::maker::lane:
      break;
  }
  return lanes;
}

/// What was read of a module's sets of memory, for one tool.
class memory_rows {
 public:
  memory_rows(memory_layout const& from, std::vector<kept_copy const*> copies, std::string const& tool)
      : from_(&from), copies_(std::move(copies)), tool_(&tool), rows_(from.table->find_rows(tool)) {
    std::erase_if(copies_, [](kept_copy const* each) { return each->copy.empty(); });
  }

  void add_function(ptx::read_table::function const& function, ptx::collected_kernel& to) const {
    for (ptx::read_table::site const& site : function.sites) {
      if (site.event) add_site(site, *site.event, to);
      for (ptx::read_table::access const& access : site.accesses) add_site(site, access, to);
    }
    for (ptx::read_table::left_out const& each : function.without) {
      if (each.tool == *tool_) add_once(to.losses.not_instrumentable, fmt::format("its handlers: {}", each.why));
    }
    if (rows_ == nullptr || !function.row) return;
    for (kept_copy const* each : copies_) to.function_rows.push_back(function_row(*each, *function.row));
  }
  /// Whether anything in it was executed.
  bool is_executed(ptx::read_table::function const& function) const {
    return has_function_row(function) ||
           std::any_of(function.sites.begin(), function.sites.end(), [&](ptx::read_table::site const& site) {
             if (site.counter && count(*site.counter) != 0) return true;
             if (site.event && is_handled(*site.event)) return true;
             return std::any_of(site.accesses.begin(), site.accesses.end(),
                                [&](ptx::read_table::access const& access) { return is_handled(access); });
           });
  }

 private:
  // Whether something was merged into the function's row.
  bool has_function_row(ptx::read_table::function const& function) const {
    if (rows_ == nullptr || !function.row) return false;
    auto const has_any = [](std::byte const* begin, std::size_t bytes) {
      return std::any_of(begin, begin + bytes, [](std::byte each) { return each != std::byte{0}; });
    };
    return std::any_of(copies_.begin(), copies_.end(), [&](kept_copy const* each) {
      ptx::row_bytes const of = function_row(*each, *function.row);
      for (std::uint32_t shard = 0; shard < of.shard_count; ++shard) {
        if (has_any(of.first_shard + shard * of.shard_stride, of.shard_bytes)) return true;
      }
      return has_any(of.shared, of.shared_bytes);
    });
  }
  /// A word of 64 bits at this place in each shard, summed.
  std::uint64_t sum_words(std::size_t offset) const {
    std::uint64_t sum = 0;
    for (kept_copy const* each : copies_) {
      for (std::uint32_t shard = 0; shard < each->shard_count; ++shard) {
        std::uint64_t word = 0;
        std::memcpy(&word, each->copy.data() + from_->shared_bytes + shard * from_->shard_stride + offset, sizeof word);
        sum += word;
      }
    }
    return sum;
  }
  std::uint64_t count(std::uint32_t counter) const { return sum_words(counter * sizeof(std::uint64_t)); }
  // A site's row begins with its executions.
  bool is_handled(ptx::read_table::access const& access) const {
    if (rows_ == nullptr || !access.row) return false;
    if (sum_words(rows_->shard.sites + std::size_t{rows_->shard.site_bytes} * *access.row) != 0) return true;
    for (std::uint32_t first = 0, i = 0; access.in_order && first < 32; first += *access.size_bytes, ++i) {
      if (sum_words(*access.in_order + std::size_t{i} * access.in_order_step) != 0) return true;
    }
    return false;
  }

  ptx::row_bytes row(kept_copy const& from_copy, std::uint32_t shard_begin, std::uint32_t shard_row_bytes,
                     std::uint32_t shared_begin, std::uint32_t shared_row_bytes, std::uint32_t number) const {
    std::byte const* const begin = from_copy.copy.data();
    return {begin + from_->shared_bytes + shard_begin + std::size_t{shard_row_bytes} * number,
            from_->shard_stride,
            from_copy.shard_count,
            begin + shared_begin + std::size_t{shared_row_bytes} * number,
            shard_row_bytes,
            shared_row_bytes};
  }
  ptx::row_bytes function_row(kept_copy const& from_copy, std::uint32_t number) const {
    return row(from_copy, rows_->shard.functions, rows_->shard.function_bytes, rows_->shared.functions,
               rows_->shared.function_bytes, number);
  }

  void add_site(ptx::read_table::site const& site, ptx::read_table::access const& access,
                ptx::collected_kernel& to) const {
    ptx::collected_site made;
    made.opcode = site.opcode;
    made.where.what = access.kind;
    made.where.space = access.space;
    made.where.size_bytes = access.size_bytes.value_or(0);
    made.where.tile = access.tile;
    made.is_size_known = access.size_bytes.has_value();
    if (site.counter) made.executions = accesses_of(access, count(*site.counter));
    if (rows_ != nullptr && access.row) {
      made.rows.reserve(copies_.size());
      for (kept_copy const* each : copies_) {
        made.rows.push_back(row(*each, rows_->shard.sites, rows_->shard.site_bytes, rows_->shared.sites,
                                rows_->shared.site_bytes, *access.row));
      }
      if (access.in_order) add_in_order(access, made);
    }
    if (rows_ != nullptr) made.unhandled = access.unhandled;
    place_site(site, made);
    if (!made.is_size_known && made.executions.value_or(0) != 0) {
      std::string sentence = fmt::format("bytes of {} at {}:{} ({})", to_string(access.kind),
                                         made.where.file.empty() ? "?" : made.where.file, made.where.line, site.opcode);
      if (!access.why.empty()) sentence += fmt::format(": {}", access.why);
      add_once(to.losses.not_instrumentable, std::move(sentence));
    }
    to.sites.push_back(std::move(made));
  }
  void add_in_order(ptx::read_table::access const& access, ptx::collected_site& made) const {
    for (std::uint32_t first = 0, i = 0; first < 32; first += *access.size_bytes, ++i) {
      std::uint64_t const count = sum_words(*access.in_order + std::size_t{i} * access.in_order_step);
      if (count != 0) made.in_order.push_back({first, count});
    }
  }
  void place_site(ptx::read_table::site const& site, ptx::collected_site& made) const {
    if (!site.place) return;
    auto const& places = from_->table->places;
    ptx::read_table::place const* at = &places[ptx::place_outside_libraries(places, *site.place)];
    made.where.file = at->file;
    made.where.line = at->line;
    made.where.column = at->column;
    for (; at->caller; at = &places[*at->caller]) {
      ptx::read_table::place const& caller = places[*at->caller];
      made.callers.push_back({caller.file, caller.line, caller.column, demangled(at->function)});
    }
  }

  memory_layout const* from_;
  std::vector<kept_copy const*> copies_;
  std::string const* tool_;
  ptx::read_table::tool_rows const* rows_;
};

}  // namespace pasta::collecting
#endif
