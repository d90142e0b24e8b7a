// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include <algorithm>
#include <utility>

namespace pasta::patch {

std::vector<source_line> loaded_code::find_lines(std::string const& function, std::uint64_t offset) {
  if (!lines) lines = std::make_unique<line_table>(std::exchange(image, {}));
  return lines->find(function, offset);
}

std::vector<std::string> module_map::loaded(CUmodule module, std::string_view image) {
  module_record made;
  code_names names = read_names(image);
  made.code->called = std::move(names.called);
  made.has_names = !names.kernels.empty();
  if (names.has_lines) made.code->image.assign(image.begin(), image.end());
  modules_[module] = std::move(made);
  return std::move(names.kernels);
}

void module_map::unloaded(CUmodule module) {
  modules_.erase(module);
  std::erase_if(ranges_, [&](auto const& each) { return each.second.module == module; });
}

void module_map::locate(CUmodule module, std::string const& function) {
  std::uint64_t begin = 0, size = 0;
  if (with_->sanitizerGetFunctionPcAndSize_(module, function.c_str(), &begin, &size) != SANITIZER_SUCCESS) return;
  if (size != 0) ranges_[begin] = {begin + size, function, module};
}

bool module_map::is_patched(CUmodule module) const {
  auto const known = modules_.find(module);
  return known != modules_.end() && known->second.is_patched;
}

bool module_map::is_left_to_host(CUmodule module) const {
  auto const known = modules_.find(module);
  return known != modules_.end() && known->second.is_hosts;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> module_map::code_of(CUmodule module,
                                                                           std::string const& kernel) const {
  auto const known = modules_.find(module);
  if (known == modules_.end() || !known->second.has_names) return {};
  // Functions with a dollar in front lie within their kernel; others are code that several kernels share.
  std::vector<std::string> const& called = known->second.code->called;
  if (std::any_of(called.begin(), called.end(), [](std::string const& name) { return name[0] != '$'; })) return {};
  for (auto const& [begin, range] : ranges_) {
    if (range.module == module && range.name == kernel) return std::pair{begin, range.end - begin};
  }
  return {};
}

std::string const& module_map::why_not(CUmodule module) const {
  static std::string const unknown = "its module was loaded before PASTA was told of modules";
  auto const known = modules_.find(module);
  return known == modules_.end() ? unknown : known->second.why_not;
}

module_map::function_range const* module_map::range_of(std::uint64_t address, std::uint64_t& begin) const {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  --next;
  begin = next->first;
  return address < next->second.end ? &next->second : nullptr;
}

code_place module_map::find(std::uint64_t address, std::string const& kernel) {
  std::uint64_t begin = 0;
  function_range const* found = range_of(address, begin);
  if (found == nullptr) {
    // A function that kernels call: where these are is asked when the first is needed.
    for (auto& [module, record] : modules_) {
      if (!record.is_patched || std::exchange(record.code->are_called_located, true)) continue;
      for (std::string const& name : record.code->called) locate(module, name);
    }
    found = range_of(address, begin);
  }
  for (auto each = ranges_.begin(); found == nullptr && each != ranges_.end(); ++each) {
    if (each->second.name != kernel || address >= each->second.end - each->first) continue;
    found = &each->second;
    begin = 0;
  }
  if (found == nullptr) return {};
  return {found->name, address - begin, modules_.at(found->module).code};
}

}  // namespace pasta::patch
