// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "make_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "demangled.hpp"
#include "kernel_sections.hpp"
#include "memory_rows.hpp"

namespace pasta::ptx {

using collecting::kernel_sections;
using collecting::why_without;

namespace {

// "" where something counts in the function's launches for the tool.
std::string why_not(function_record const& function, std::string const& tool) {
  if (function.where == nullptr || !function.why_not.empty()) return function.why_not;
  return why_without(*function.where->table, tool);
}

// Groups that became one, by the one that stands for them.
using united_groups = std::map<launch_group const*, std::vector<launch_group const*>>;

// What the bits of a function say.
void add_touched(attachment const& from, std::size_t function, collected_kernel& to) {
  auto const known = from.touched.find(function);
  if (known != from.touched.end()) to.touched.merge(known->second);
}

void add_groups(function_record const& from, std::string const& tool, kernel_sections& to, std::uint64_t& beside) {
  std::vector<launch_group const*> groups{&from.plain};
  for (launch_group const& each : from.apart) groups.push_back(&each);
  std::erase_if(groups, [](launch_group const* each) { return each->launches == 0; });  // captured, or refused
  std::set<std::string> mixed;  // ranges whose parts of a sample became one
  united_groups united;
  for (launch_group const* each : groups) united[&each->root()].push_back(each);
  for (launch_group const* each : groups) {
    launch_group const& root = each->root();
    bool is_new = false;
    collected_kernel& kernel = to.of(from.name, is_new, root.range, root.launch);
    collecting::add_launches(*each, each->left_out, why_not(from, tool), is_new, kernel);
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
    for (launch_group const* member : members->second) {
      if (member->part != root.part) mixed.insert(root.range), mixed.insert(member->range);
    }
    united.erase(members);
    bool const has_rows = from.where != nullptr && !from.is_excluded && why_without(*from.where->table, tool).empty();
    if (has_rows && launches > 0) {
      collecting::memory_rows const rows(*from.where, {bins.begin(), bins.end()}, tool);
      std::size_t const before = kernel.sites.size();
      rows.add_function(from.where->table->functions[from.function], kernel);
      for (std::size_t i = before; i < kernel.sites.size(); ++i) kernel.sites[i].part = root.part;
      if (!root.launch && root.range.empty() && root.part == 0) {
        add_touched(*from.where, from.function, kernel);
      } else if (!from.where->touched.empty()) {
        collecting::add_once(kernel.losses.not_instrumentable,
                             "what it touched: this route has bits for a kernel, not for launches kept apart");
      }
    }
  }
  for (auto const& [range, counts] : from.sampled) {
    bool is_new = false;
    collected_kernel& kernel = to.of(from.name, is_new, range);
    collecting::add_sample(counts, kernel);
    if (mixed.count(range) != 0) kernel.sampled->are_parts_known = false;
  }
}

std::uint64_t count_launches(function_record const& of) {
  std::uint64_t launches = of.plain.launches;
  for (launch_group const& each : of.apart) launches += each.launches;
  return launches;
}

// Of a kernel without counters: what of its launches nobody else saw. @return whether that is all of it
bool is_seen_elsewhere(function_record const& from, launches_by_name& seen_elsewhere, kernel_sections& to) {
  auto const seen = seen_elsewhere.find(collecting::demangled(from.name));
  if (from.where != nullptr || seen == seen_elsewhere.end()) return false;
  std::uint64_t const launches = count_launches(from), elsewhere = std::min(launches, seen->second);
  seen->second -= elsewhere;
  if (launches == elsewhere) return true;
  bool is_new = false;
  collected_kernel& kernel = to.of(from.name, is_new);
  collecting::launch_counts rest;
  rest.first = from.plain.first;
  rest.add_launches(launches - elsewhere);
  collecting::add_launches(rest, from.is_excluded ? launches - elsewhere : 0, from.why_not, is_new, kernel);
  return true;
}

}  // namespace

std::uint64_t count_plain_launches(std::deque<function_record> const& records) {
  std::uint64_t launches = 0;
  for (function_record const& each : records) {
    if (each.where == nullptr && !each.is_excluded) launches += count_launches(each);
  }
  return launches;
}

collected make_rows(std::deque<function_record> const& records, std::deque<context_state> const& contexts,
                    std::string const& tool, launches_by_name seen_elsewhere, std::set<std::string>& notes) {
  collected made;
  kernel_sections into(made);
  std::map<attachment const*, std::set<std::size_t>> launched;
  std::uint64_t beside = 0;
  for (function_record const& record : records) {
    if (!is_seen_elsewhere(record, seen_elsewhere, into)) add_groups(record, tool, into, beside);
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
      if (!why_without(*each.table, tool).empty()) continue;
      std::vector<kept_copy const*> copies;
      for (launch_bin const& bin : each.bins) copies.push_back(&bin);
      has_functions = collecting::add_others(each, std::move(copies), launched[&each], tool,
                                             "its launches: the GPU launched it itself", into) ||
                      has_functions;
      for (auto const& [function, touched] : each.touched) {
        bool is_new = false;
        bool const is_called = !each.table->functions[function].is_entry && !touched.allocations.empty();
        if (is_called) add_touched(each, function, into.of(each.table->functions[function].name, is_new));
        has_functions = has_functions || is_called;
      }
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
  if (has_functions) notes.insert(collecting::called_functions_note);
  return made;
}

}  // namespace pasta::ptx
