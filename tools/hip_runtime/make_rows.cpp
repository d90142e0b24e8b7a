// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "make_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "demangled.hpp"
#include "kernel_sections.hpp"
#include "memory_rows.hpp"

namespace pasta::hip_runtime {

namespace {

using functions_of_attachment = std::map<attachment const*, std::set<std::size_t>>;

/// A kernel's function in a part of its module.
struct part_function {
  attachment const* where;
  std::size_t number;
  ptx::read_table::function const& function() const { return where->table->functions[number]; }
};

std::vector<part_function> parts_of(kernel_record const& record) {
  std::vector<part_function> parts;
  if (record.where != nullptr) parts.push_back({record.where, record.function});
  for (auto const& [where, number] : record.others) parts.push_back({where, number});
  return parts;
}

// The launches of a kernel that have sets of their own: those of a queue come in the order of its numbers.
// @return how many there are
std::size_t add_apart(kernel_record const& record, std::string const& tool, collecting::kernel_sections& to,
                      std::set<std::string>& notes) {
  std::vector<std::pair<apart_launch const*, part_function>> apart;
  std::set<std::uint64_t> queues;
  for (part_function const& part : parts_of(record)) {
    for (apart_launch const& each : part.where->apart) {
      if (each.function != part.number) continue;
      apart.emplace_back(&each, part);
      queues.insert(each.queue);
    }
  }
  if (queues.size() > 1)
    notes.insert(
        "Launches of several queues: those of one kernel are numbered queue by queue, in each in their order.");
  apart.resize(std::min(apart.size(), record.each.size()));
  for (std::size_t i = 0; i < apart.size(); ++i) {
    auto const& [number, shape] = record.each[i];
    bool is_new = false;
    ptx::collected_kernel& kernel = to.of(record.name, is_new, "", number);
    kernel.grid = shape.grid;
    kernel.block = shape.block;
    kernel.has_one_shape = true;
    kernel.shared_bytes = shape.shared_bytes;
    kernel.losses.launches_seen = kernel.losses.launches_delivered = 1;
    auto const& [launch, part] = apart[i];
    collecting::memory_rows const rows(part.where->of_launch, {&launch->kept}, tool);
    rows.add_function(part.function(), kernel);
  }
  return apart.size();
}

// Of several parts that have the kernel one is what runs: those in which nothing was executed have nothing to say.
// @param copies_of f(attachment): what was kept of it
template <class Copies>
void add_rows(kernel_record const& record, std::string const& tool, Copies&& copies_of, ptx::collected_kernel& kernel) {
  bool is_any = false;
  std::vector<part_function> const parts = parts_of(record);
  for (part_function const& part : parts) {
    collecting::memory_rows const rows(*part.where, copies_of(*part.where), tool);
    if (parts.size() > 1 && !rows.is_executed(part.function())) continue;
    rows.add_function(part.function(), kernel);
    is_any = true;
  }
  if (is_any) return;
  collecting::memory_rows const rows(*record.where, copies_of(*record.where), tool);
  rows.add_function(record.where->table->functions[record.function], kernel);
}

// The launches of a kernel that are kept apart from others, by range.
void add_group(kernel_record const& record, launch_key const& key, launch_group const& group,
               std::string const& why_not, std::string const& tool, collecting::kernel_sections& to) {
  if (group.launches == 0) return;
  bool is_new = false;
  ptx::collected_kernel& kernel = to.of(record.name, is_new, key.first);
  collecting::add_launches(group, group.left_out, why_not, is_new, kernel);
  if (record.where == nullptr || record.is_excluded || !why_not.empty()) return;
  auto const of_key = [&](attachment const& at) {
    std::vector<collecting::kept_copy const*> copies;
    for (other_set const& set : at.others) {
      if (set.key == key) copies.push_back(&set.kept);
    }
    return copies;
  };
  std::size_t const before = kernel.sites.size();
  add_rows(record, tool, of_key, kernel);
  for (std::size_t i = before; i < kernel.sites.size(); ++i) kernel.sites[i].part = key.second;
}

// What the bits of a function say, in the section of each range.
void add_touched(std::vector<part_function> const& parts, std::string const& name, collecting::kernel_sections& to) {
  std::map<std::string, touched_memory> touched;
  for (part_function const& part : parts) {
    for (auto const& [kernel, range] : part.where->shadow_kernels(part.number)) touched[range].merge(kernel->touched());
  }
  for (auto const& [range, all] : touched) {
    bool is_new = false;
    if (!all.allocations.empty() || all.unknown_accesses > 0) to.of(name, is_new, range).touched.merge(all);
  }
}

void add_record(kernel_record const& record, std::string const& tool, collecting::kernel_sections& to,
                std::set<std::string>& notes) {
  std::string why_not = record.why_not;
  if (record.where != nullptr && why_not.empty()) why_not = collecting::why_without(*record.where->table, tool);
  bool const has_rows = record.where != nullptr && !record.is_excluded && why_not.empty();
  std::uint64_t const apart = has_rows ? add_apart(record, tool, to, notes) : 0;
  for (auto const& [key, group] : record.groups) add_group(record, key, group, why_not, tool, to);
  if (apart == record.launches) return;
  std::uint64_t const left_out = record.is_excluded ? record.launches.load() : record.left_out;
  if (has_rows && record.where->launches != nullptr && record.launches > apart + left_out) {
    notes.insert(fmt::format("{} launches of {} have no memory of their own, and are reported together.",
                             record.launches - apart - left_out, collecting::demangled(record.name)));
  }
  bool is_new = false;
  ptx::collected_kernel& kernel = to.of(record.name, is_new);
  collecting::add_launches(record, left_out, why_not, is_new, kernel);
  kernel.losses.launches_seen -= apart;
  kernel.losses.launches_delivered -= std::min(kernel.losses.launches_delivered, apart);
  if (!has_rows) return;
  if (!record.part_why_not.empty())
    collecting::add_once(kernel.losses.not_instrumentable, fmt::format("a part of its code: {}", record.part_why_not));
  auto const of_others = [](attachment const& at) { return std::vector<collecting::kept_copy const*>{&at.kept}; };
  add_rows(record, tool, of_others, kernel);
}

}  // namespace

ptx::collected make_rows(std::deque<kernel_record> const& records, std::deque<device_record> const& devices,
                         std::string const& tool, std::set<std::string>& notes, bits which) {
  ptx::collected made;
  collecting::kernel_sections into(made);
  functions_of_attachment launched;
  for (kernel_record const& record : records) {
    bool const is_launched =
        record.launches != 0 || std::any_of(record.groups.begin(), record.groups.end(),
                                            [](auto const& each) { return each.second.launches != 0; });
    if (!is_launched) continue;  // captured, or refused
    add_record(record, tool, into, notes);
    for (auto const& [range, counts] : record.sampled) {
      bool is_new = false;
      collecting::add_sample(counts, into.of(record.name, is_new, range));
    }
    std::vector<part_function> const parts = parts_of(record);
    for (part_function const& part : parts) launched[part.where].insert(part.number);
    if (which == bits::kept) add_touched(parts, record.name, into);
  }
  bool has_functions = false;
  for (device_record const& device : devices) {
    for (attachment const& each : device.attachments) {
      if (!collecting::why_without(*each.table, tool).empty()) continue;
      std::vector<collecting::kept_copy const*> sets{&each.kept};
      for (other_set const& other : each.others) sets.push_back(&other.kept);
      has_functions = collecting::add_others(each, std::move(sets), launched[&each], tool,
                                             "its launches: by a call that PASTA does not follow", into) ||
                      has_functions;
      for (std::size_t i = 0; which == bits::kept && i < each.table->functions.size(); ++i) {
        std::size_t const before = made.kernels.size();
        if (!each.table->functions[i].is_entry) add_touched({{&each, i}}, each.table->functions[i].name, into);
        has_functions = has_functions || made.kernels.size() > before;
      }
      if (each.apart.empty()) continue;
      std::vector<collecting::kept_copy const*> copies;
      for (apart_launch const& launch : each.apart) copies.push_back(&launch.kept);
      has_functions = collecting::add_others(each.of_launch, std::move(copies), launched[&each], tool,
                                             "its launches: by a call that PASTA does not follow", into) ||
                      has_functions;
    }
    if (!device.lost_because.empty()) {
      notes.insert(fmt::format("On {} a kernel went wrong, and what was not read by then is lost with it: {}",
                               device.name, device.lost_because));
    }
  }
  if (has_functions) notes.insert(collecting::called_functions_note);
  for (ptx::collected_kernel& kernel : made.kernels) {
    if (which != bits::unkept || kernel.losses.launches_delivered == 0) continue;
    collecting::add_once(kernel.losses.not_instrumentable,
                         "what it touched: this route has bits for a kernel, not for launches kept apart");
  }
  // Launches that are kept apart come as they were made, and what is of no one launch behind them.
  std::stable_sort(made.kernels.begin(), made.kernels.end(), [](auto const& a, auto const& b) {
    constexpr std::uint64_t no_number = ~std::uint64_t{0};
    return a.launch.value_or(no_number) < b.launch.value_or(no_number);
  });
  return made;
}

}  // namespace pasta::hip_runtime
