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
#include <optional>
#include <pasta/report/visible.hpp>
#include <pasta/session/ptx/library_code.hpp>
#include <tuple>

namespace pasta::ptx {

namespace {

/// Sections by name, range and launch, in the order in which they come.
class sections {
 public:
  explicit sections(collected& into) : into_(&into) {}
  collected_kernel& of(std::string const& name, bool& is_new, std::string const& range = "",
                       std::optional<std::uint64_t> launch = std::nullopt) {
    auto const [known, was_added] = numbers_.try_emplace({name, range, launch}, into_->kernels.size());
    is_new = was_added;
    if (was_added) {
      collected_kernel& made = into_->kernels.emplace_back();
      made.name = demangled(name);
      made.range = range;
      made.launch = launch;
      made.has_one_shape = false;
    }
    return into_->kernels[known->second];
  }

 private:
  collected* into_;
  std::map<std::tuple<std::string, std::string, std::optional<std::uint64_t>>, std::size_t> numbers_;
};

void add_once(std::vector<std::string>& to, std::string sentence) {
  if (std::find(to.begin(), to.end(), sentence) == to.end()) to.push_back(std::move(sentence));
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

/// What was read of some of an attachment's bins.
class attachment_rows {
 public:
  attachment_rows(attachment const& from, std::vector<launch_bin const*> bins, std::string const& tool)
      : from_(&from), bins_(std::move(bins)), tool_(&tool), rows_(from.table->find_rows(tool)) {
    std::erase_if(bins_, [](launch_bin const* each) { return each->copy.empty(); });
  }

  void add_function(read_table::function const& function, collected_kernel& to) const {
    for (read_table::site const& site : function.sites) {
      if (site.event) add_site(site, *site.event, to);
      for (read_table::access const& access : site.accesses) add_site(site, access, to);
    }
    for (read_table::left_out const& each : function.without) {
      if (each.tool == *tool_) add_once(to.losses.not_instrumentable, fmt::format("its handlers: {}", each.why));
    }
    if (rows_ == nullptr || !function.row) return;
    for (launch_bin const* bin : bins_) to.function_rows.push_back(function_row(*bin, *function.row));
  }
  /// Whether anything in it was executed.
  bool is_executed(read_table::function const& function) const {
    return has_function_row(function) ||
           std::any_of(function.sites.begin(), function.sites.end(), [&](read_table::site const& site) {
             if (site.counter && count(*site.counter) != 0) return true;
             if (site.event && is_handled(*site.event)) return true;
             return std::any_of(site.accesses.begin(), site.accesses.end(),
                                [&](read_table::access const& access) { return is_handled(access); });
           });
  }

 private:
  // Whether something was merged into the function's row.
  bool has_function_row(read_table::function const& function) const {
    if (rows_ == nullptr || !function.row) return false;
    auto const has_any = [](std::byte const* begin, std::size_t bytes) {
      return std::any_of(begin, begin + bytes, [](std::byte each) { return each != std::byte{0}; });
    };
    return std::any_of(bins_.begin(), bins_.end(), [&](launch_bin const* bin) {
      row_bytes const of = function_row(*bin, *function.row);
      for (std::uint32_t shard = 0; shard < of.shard_count; ++shard) {
        if (has_any(of.first_shard + shard * of.shard_stride, of.shard_bytes)) return true;
      }
      return has_any(of.shared, of.shared_bytes);
    });
  }
  /// A word of 64 bits at this place in each shard, summed.
  std::uint64_t sum_words(std::size_t offset) const {
    std::uint64_t sum = 0;
    for (launch_bin const* bin : bins_) {
      for (std::uint32_t shard = 0; shard < bin->shard_count; ++shard) {
        std::uint64_t word = 0;
        std::memcpy(&word, bin->copy.data() + from_->shared_bytes + shard * from_->shard_stride + offset, sizeof word);
        sum += word;
      }
    }
    return sum;
  }
  std::uint64_t count(std::uint32_t counter) const { return sum_words(counter * sizeof(std::uint64_t)); }
  // A site's row begins with its executions.
  bool is_handled(read_table::access const& access) const {
    if (rows_ == nullptr || !access.row) return false;
    if (sum_words(rows_->shard.sites + std::size_t{rows_->shard.site_bytes} * *access.row) != 0) return true;
    for (std::uint32_t first = 0, i = 0; access.in_order && first < 32; first += *access.size_bytes, ++i) {
      if (sum_words(*access.in_order + std::size_t{i} * access.in_order_step) != 0) return true;
    }
    return false;
  }

  row_bytes row(launch_bin const& bin, std::uint32_t shard_begin, std::uint32_t shard_row_bytes,
                std::uint32_t shared_begin, std::uint32_t shared_row_bytes, std::uint32_t number) const {
    std::byte const* const begin = bin.copy.data();
    return {begin + from_->shared_bytes + shard_begin + std::size_t{shard_row_bytes} * number,
            from_->shard_stride,
            bin.shard_count,
            begin + shared_begin + std::size_t{shared_row_bytes} * number,
            shard_row_bytes,
            shared_row_bytes};
  }
  row_bytes function_row(launch_bin const& bin, std::uint32_t number) const {
    return row(bin, rows_->shard.functions, rows_->shard.function_bytes, rows_->shared.functions,
               rows_->shared.function_bytes, number);
  }

  void add_site(read_table::site const& site, read_table::access const& access, collected_kernel& to) const {
    collected_site made;
    made.opcode = site.opcode;
    made.where.what = access.kind;
    made.where.space = access.space;
    made.where.size_bytes = access.size_bytes.value_or(0);
    made.is_size_known = access.size_bytes.has_value();
    if (site.counter) made.executions = accesses_of(access, count(*site.counter));
    if (rows_ != nullptr && access.row) {
      made.rows.reserve(bins_.size());
      for (launch_bin const* bin : bins_) {
        made.rows.push_back(row(*bin, rows_->shard.sites, rows_->shard.site_bytes, rows_->shared.sites,
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
  void add_in_order(read_table::access const& access, collected_site& made) const {
    for (std::uint32_t first = 0, i = 0; first < 32; first += *access.size_bytes, ++i) {
      std::uint64_t const count = sum_words(*access.in_order + std::size_t{i} * access.in_order_step);
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
  std::vector<launch_bin const*> bins_;
  std::string const* tool_;
  read_table::tool_rows const* rows_;
};

/// "" where the module has the tool, else half a line.
std::string why_without(read_table const& table, std::string const& tool) {
  if (std::find(table.tools.begin(), table.tools.end(), tool) != table.tools.end()) return "";
  std::string names;
  for (std::string const& name : table.tools) names += (names.empty() ? "" : ", ") + visible(name);
  return fmt::format("it was built with {}, not with {}", names.empty() ? "no tool" : names, tool);
}

void add_launches(function_record const& from, launch_group const& group, std::string const& tool, bool is_new,
                  collected_kernel& to) {
  std::uint64_t const launches = group.launches.load(), wanted = launches - std::min(launches, group.left_out);
  to.losses.launches_seen += launches;
  to.losses.launches_sampled_out += group.left_out;
  std::string why_not = from.why_not;
  if (from.where != nullptr && why_not.empty()) why_not = why_without(*from.where->table, tool);
  if (!why_not.empty() && wanted > 0) {
    add_once(to.losses.not_instrumentable, fmt::format("{} launch{}: {}", wanted, wanted == 1 ? "" : "es", why_not));
  } else if (wanted > 0) {
    std::uint64_t const delivered = std::min(wanted, group.delivered);
    to.losses.launches_delivered += delivered;
    to.losses.launches_lost += wanted - delivered;
  }
  if (is_new) {
    to.grid = group.first.grid;
    to.block = group.first.block;
    to.has_one_shape = true;
  }
  to.has_one_shape =
      to.has_one_shape && group.has_one_shape && to.grid == group.first.grid && to.block == group.first.block;
  to.shared_bytes = std::max(to.shared_bytes, group.shared_bytes.load());
}

// Groups that became one, by the one that stands for them.
using united_groups = std::map<launch_group const*, std::vector<launch_group const*>>;

void add_groups(function_record const& from, std::string const& tool, sections& to, std::uint64_t& beside) {
  std::vector<launch_group const*> groups{&from.plain};
  for (launch_group const& each : from.apart) groups.push_back(&each);
  std::erase_if(groups, [](launch_group const* each) { return each->launches == 0; });  // captured, or refused
  united_groups united;
  for (launch_group const* each : groups) united[&each->root()].push_back(each);
  for (launch_group const* each : groups) {
    launch_group const& root = each->root();
    bool is_new = false;
    collected_kernel& kernel = to.of(from.name, is_new, root.range, root.launch);
    add_launches(from, *each, tool, is_new, kernel);
    auto const members = united.find(&root);
    if (members == united.end()) continue;  // it has stood for all of them
    std::set<launch_bin const*> bins;
    std::uint64_t launches = 0;
    for (launch_group const* member : members->second) {
      bins.insert(member->bins.begin(), member->bins.end());
      launches += member->launches - member->left_out;
    }
    if (from.where != nullptr && !from.where->is_switching) bins.insert(&from.where->bins.front());
    if (members->second.size() > 1) beside += launches;
    united.erase(members);
    bool const has_rows = from.where != nullptr && !from.is_excluded && why_without(*from.where->table, tool).empty();
    if (has_rows && launches > 0) {
      attachment_rows const rows(*from.where, {bins.begin(), bins.end()}, tool);
      rows.add_function(from.where->table->functions[from.function], kernel);
    }
  }
}

// What no launch of the program's is known to have done: functions that are called, and what the GPU launches.
// @return whether there are such functions
bool add_others(attachment const& from, std::set<std::size_t> const& launched, std::string const& tool, sections& to) {
  std::vector<launch_bin const*> bins;
  for (launch_bin const& each : from.bins) bins.push_back(&each);
  attachment_rows const rows(from, std::move(bins), tool);
  bool has_functions = false;
  for (std::size_t i = 0; i < from.table->functions.size(); ++i) {
    read_table::function const& function = from.table->functions[i];
    if (launched.count(i) != 0 || !rows.is_executed(function)) continue;
    bool is_new = false;
    collected_kernel& kernel = to.of(function.name, is_new);
    rows.add_function(function, kernel);
    has_functions = has_functions || !function.is_entry;
    if (function.is_entry) add_once(kernel.losses.not_instrumentable, "its launches: the GPU launched it itself");
  }
  return has_functions;
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
  sections into(made);
  std::map<attachment const*, std::set<std::size_t>> launched;
  std::uint64_t beside = 0;
  for (function_record const& record : records) {
    add_groups(record, tool, into, beside);
    bool const is_launched =
        record.plain.launches != 0 || std::any_of(record.apart.begin(), record.apart.end(),
                                                  [](launch_group const& each) { return each.launches != 0; });
    if (record.where != nullptr && is_launched) launched[record.where].insert(record.function);
  }
  if (beside > 0) {
    notes.insert(fmt::format(
        "{} launches ran beside others of their kernel in another stream, and are merged with them.", beside));
  }
  bool has_functions = false;
  for (context_state const& context : contexts) {
    for (attachment const& each : context.attachments) {
      if (why_without(*each.table, tool).empty())
        has_functions = add_others(each, launched[&each], tool, into) || has_functions;
    }
    bool const is_unread = std::any_of(context.attachments.begin(), context.attachments.end(),
                                       [](attachment const& each) { return each.bins.front().copy.empty(); });
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
