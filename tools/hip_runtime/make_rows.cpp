// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "make_rows.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "kernel_sections.hpp"
#include "memory_rows.hpp"

namespace pasta::hip_runtime {

namespace {

using functions_of_attachment = std::map<attachment const*, std::set<std::size_t>>;

void add_record(kernel_record const& record, std::string const& tool, collecting::kernel_sections& to) {
  bool is_new = false;
  ptx::collected_kernel& kernel = to.of(record.name, is_new);
  std::string why_not = record.why_not;
  if (record.where != nullptr && why_not.empty()) why_not = collecting::why_without(*record.where->table, tool);
  std::uint64_t const left_out = record.is_excluded ? record.launches.load() : 0;
  collecting::add_launches(record, left_out, why_not, is_new, kernel);
  if (record.where == nullptr || record.is_excluded || !why_not.empty()) return;
  collecting::memory_rows const rows(*record.where, {&record.where->kept}, tool);
  rows.add_function(record.where->table->functions[record.function], kernel);
}

}  // namespace

ptx::collected make_rows(std::deque<kernel_record> const& records, std::deque<device_record> const& devices,
                         std::string const& tool, std::set<std::string>& notes) {
  ptx::collected made;
  collecting::kernel_sections into(made);
  functions_of_attachment launched;
  for (kernel_record const& record : records) {
    if (record.launches == 0) continue;  // captured, or refused
    add_record(record, tool, into);
    if (record.where != nullptr) launched[record.where].insert(record.function);
  }
  bool has_functions = false;
  for (device_record const& device : devices) {
    for (attachment const& each : device.attachments) {
      if (!collecting::why_without(*each.table, tool).empty()) continue;
      has_functions = collecting::add_others(each, {&each.kept}, launched[&each], tool,
                                             "its launches: by a call that PASTA does not follow", into) ||
                      has_functions;
    }
    if (!device.lost_because.empty()) {
      notes.insert(fmt::format("On {} a kernel went wrong, and what was not read by then is lost with it: {}",
                               device.name, device.lost_because));
    }
  }
  if (has_functions) notes.insert(collecting::called_functions_note);
  return made;
}

}  // namespace pasta::hip_runtime
