// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "make_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <pasta/report/visible.hpp>
#include <tuple>

#include "attachment_rows.hpp"

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
