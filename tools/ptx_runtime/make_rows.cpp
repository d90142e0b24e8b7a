// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "make_rows.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <pasta/report/visible.hpp>
#include <pasta/session/ptx/library_code.hpp>

namespace pasta::ptx {

namespace {

/// Kernels by name, in the order in which they come.
class kernels_by_name {
 public:
  explicit kernels_by_name(collected& into) : into_(&into) {}
  std::size_t of(std::string const& name, bool& is_new) {
    auto const [known, was_added] = numbers_.try_emplace(name, into_->kernels.size());
    is_new = was_added;
    if (was_added) {
      into_->kernels.emplace_back();
      into_->kernels.back().name = demangled(name);
      into_->kernels.back().has_one_shape = false;
    }
    return known->second;
  }

 private:
  collected* into_;
  std::map<std::string, std::size_t> numbers_;
};

void add_once(std::vector<std::string>& to, std::string sentence) {
  if (std::find(to.begin(), to.end(), sentence) == to.end()) to.push_back(std::move(sentence));
}

/// A word of 64 bits at this place in each shard, summed.
std::uint64_t sum_words(attachment const& from, std::size_t offset) {
  std::uint64_t sum = 0;
  for (std::uint32_t shard = 0; shard < from.shard_count && !from.copy.empty(); ++shard) {
    std::uint64_t word = 0;
    std::memcpy(&word, from.copy.data() + from.shared_bytes + shard * from.shard_stride + offset, sizeof word);
    sum += word;
  }
  return sum;
}

std::vector<std::uint64_t> sum_counters(attachment const& from) {
  std::vector<std::uint64_t> sums(from.table->counters);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sum_words(from, i * sizeof(std::uint64_t));
  return sums;
}

// How often an access was made where the instruction was executed by so many lanes: whole warps execute what they make
// together.
std::uint64_t accesses_of(read_table::access const& access, std::uint64_t lanes) {
  switch (access.by) {
    case read_table::maker::rows:
      return lanes / 32 * access.lanes;
    case read_table::maker::warp:
      return lanes / 32;
    case read_table::maker::warp_group:
      return lanes / 128;
    case read_table::maker::lane:
      break;
  }
  return lanes;
}

/// One attachment's part of the rows.
class attachment_rows {
 public:
  attachment_rows(attachment const& from, std::string const& tool)
      : from_(&from), tool_(&tool), sums_(sum_counters(from)), rows_(from.table->find_rows(tool)) {}

  void add_function(read_table::function const& function, collected_kernel& to) const {
    for (read_table::site const& site : function.sites) {
      if (site.event) add_site(site, *site.event, to);
      for (read_table::access const& access : site.accesses) add_site(site, access, to);
    }
    for (read_table::left_out const& each : function.without) {
      if (each.tool == *tool_) add_once(to.losses.not_instrumentable, fmt::format("its handlers: {}", each.why));
    }
    if (rows_ != nullptr && function.row && !from_->copy.empty()) {
      to.function_rows.push_back(row(rows_->shard.functions, rows_->shard.function_bytes, rows_->shared.functions,
                                     rows_->shared.function_bytes, *function.row));
    }
  }
  /// Whether anything in it was executed.
  bool is_executed(read_table::function const& function) const {
    return has_function_row(function) ||
           std::any_of(function.sites.begin(), function.sites.end(), [&](read_table::site const& site) {
             if (site.counter && sums_[*site.counter] != 0) return true;
             if (site.event && is_handled(*site.event)) return true;
             return std::any_of(site.accesses.begin(), site.accesses.end(),
                                [&](read_table::access const& access) { return is_handled(access); });
           });
  }

 private:
  // Whether something was merged into the function's row.
  bool has_function_row(read_table::function const& function) const {
    if (rows_ == nullptr || !function.row || from_->copy.empty()) return false;
    row_bytes const of = row(rows_->shard.functions, rows_->shard.function_bytes, rows_->shared.functions,
                             rows_->shared.function_bytes, *function.row);
    auto const has_any = [](std::byte const* begin, std::size_t bytes) {
      return std::any_of(begin, begin + bytes, [](std::byte each) { return each != std::byte{0}; });
    };
    for (std::uint32_t shard = 0; shard < of.shard_count; ++shard) {
      if (has_any(of.first_shard + shard * of.shard_stride, of.shard_bytes)) return true;
    }
    return has_any(of.shared, of.shared_bytes);
  }
  // A site's row begins with its executions.
  bool is_handled(read_table::access const& access) const {
    if (rows_ == nullptr || !access.row) return false;
    if (sum_words(*from_, rows_->shard.sites + std::size_t{rows_->shard.site_bytes} * *access.row) != 0) return true;
    for (std::uint32_t first = 0, i = 0; access.in_order && first < 32; first += *access.size_bytes, ++i) {
      if (sum_words(*from_, *access.in_order + std::size_t{i} * access.in_order_step) != 0) return true;
    }
    return false;
  }

  row_bytes row(std::uint32_t shard_begin, std::uint32_t shard_row_bytes, std::uint32_t shared_begin,
                std::uint32_t shared_row_bytes, std::uint32_t number) const {
    std::byte const* const begin = from_->copy.data();
    return {begin + from_->shared_bytes + shard_begin + std::size_t{shard_row_bytes} * number,
            from_->shard_stride,
            from_->shard_count,
            begin + shared_begin + std::size_t{shared_row_bytes} * number,
            shard_row_bytes,
            shared_row_bytes};
  }

  void add_site(read_table::site const& site, read_table::access const& access, collected_kernel& to) const {
    collected_site made;
    made.opcode = site.opcode;
    made.where.what = access.kind;
    made.where.space = access.space;
    made.where.size_bytes = access.size_bytes.value_or(0);
    made.is_size_known = access.size_bytes.has_value();
    if (site.counter) made.executions = accesses_of(access, sums_[*site.counter]);
    if (rows_ != nullptr && access.row && !from_->copy.empty()) {
      made.rows.push_back(
          row(rows_->shard.sites, rows_->shard.site_bytes, rows_->shared.sites, rows_->shared.site_bytes, *access.row));
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
  void add_in_order(read_table::access const& access, collected_site& made) const {
    for (std::uint32_t first = 0, i = 0; first < 32; first += *access.size_bytes, ++i) {
      std::uint64_t const count = sum_words(*from_, *access.in_order + std::size_t{i} * access.in_order_step);
      if (count != 0) made.in_order.push_back({first, count});
    }
  }
  void place_site(read_table::site const& site, collected_site& made) const {
    if (!site.place) return;
    auto const& places = from_->table->places;
    read_table::place const* at = &places[place_outside_libraries(places, *site.place)];
    made.where.file = at->file;
    made.where.line = at->line;
    made.where.column = at->column;
    for (; at->caller; at = &places[*at->caller]) {
      read_table::place const& caller = places[*at->caller];
      made.callers.push_back({caller.file, caller.line, caller.column, demangled(at->function)});
    }
  }

  attachment const* from_;
  std::string const* tool_;
  std::vector<std::uint64_t> sums_;
  read_table::tool_rows const* rows_;
};

/// "" where the module has the tool, else half a line.
std::string why_without(read_table const& table, std::string const& tool) {
  if (std::find(table.tools.begin(), table.tools.end(), tool) != table.tools.end()) return "";
  std::string names;
  for (std::string const& name : table.tools) names += (names.empty() ? "" : ", ") + visible(name);
  return fmt::format("it was built with {}, not with {}", names.empty() ? "no tool" : names, tool);
}

void add_launches(function_record const& from, std::string const& tool, bool is_new, collected_kernel& to) {
  std::uint64_t const launches = from.launches.load();
  to.losses.launches_seen += launches;
  std::string why_not = from.why_not;
  if (from.where != nullptr && why_not.empty()) why_not = why_without(*from.where->table, tool);
  if (!why_not.empty()) {
    add_once(to.losses.not_instrumentable,
             fmt::format("{} launch{}: {}", launches, launches == 1 ? "" : "es", why_not));
  } else {
    to.losses.launches_delivered += from.delivered;
    to.losses.launches_lost += launches - std::min(launches, from.delivered);
  }
  if (is_new) {
    to.grid = from.first.grid;
    to.block = from.first.block;
    to.has_one_shape = true;
  }
  to.has_one_shape =
      to.has_one_shape && from.has_one_shape && to.grid == from.first.grid && to.block == from.first.block;
  to.shared_bytes = std::max(to.shared_bytes, from.shared_bytes.load());
}

}  // namespace

std::string demangled(std::string const& name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text ? text.get() : name;
}

collected make_rows(std::deque<function_record> const& records, std::deque<context_state> const& contexts,
                    std::string const& tool, std::set<std::string>& notes) {
  collected made;
  kernels_by_name kernels(made);
  std::set<std::pair<attachment const*, std::size_t>> launched;
  for (function_record const& record : records) {
    if (record.launches == 0) continue;  // only captured, or refused by the driver
    bool is_new = false;
    std::size_t const number = kernels.of(record.name, is_new);
    add_launches(record, tool, is_new, made.kernels[number]);
    if (record.where != nullptr) launched.emplace(record.where, record.function);
  }
  bool has_functions = false;
  for (context_state const& context : contexts) {
    for (attachment const& each : context.attachments) {
      if (!why_without(*each.table, tool).empty()) continue;
      attachment_rows const rows(each, tool);
      for (std::size_t i = 0; i < each.table->functions.size(); ++i) {
        read_table::function const& function = each.table->functions[i];
        bool const is_launched = launched.count({&each, i}) != 0;
        if (!is_launched && !rows.is_executed(function)) continue;
        bool is_new = false;
        collected_kernel& kernel = made.kernels[kernels.of(function.name, is_new)];
        rows.add_function(function, kernel);
        if (is_launched) continue;
        has_functions = has_functions || !function.is_entry;
        if (function.is_entry) add_once(kernel.losses.not_instrumentable, "its launches: the GPU launched it itself");
      }
    }
    bool const is_unread = std::any_of(context.attachments.begin(), context.attachments.end(),
                                       [](attachment const& each) { return each.copy.empty(); });
    if (context.is_gone && is_unread && context.lost_because.empty())
      notes.insert("A context was destroyed before what it had collected could be read.");
    if (!context.lost_because.empty()) {
      notes.insert(fmt::format("On {} a kernel went wrong, and what was not read by then is lost with it: {}",
                               context.device_name, context.lost_because));
    }
  }
  if (has_functions) {
    notes.insert(
        "A function that kernels call and that was not inlined stands beside the kernels, with what all calls of it "
        "did and without launches.");
  }
  return made;
}

}  // namespace pasta::ptx
