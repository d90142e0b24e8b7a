// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "amd_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <pasta/config.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/session/ptx/read_site_table.hpp>

#include <compressed_bundle.hpp>
#include <image.hpp>
#include <offload_bundle.hpp>
#include <packed_table.hpp>

namespace pasta::cli {

namespace {

void add_table(std::string_view kept, std::string const& target, std::vector<amd_tools>& to) {
  std::string text = ptx::unpack_table(kept, ptx::max_table_bytes);
  text.resize(text.find_last_not_of('\0') + 1);
  ptx::read_table const table = ptx::read_site_table(text);  // of this version, or refused
  std::string const tools = fmt::format("{}", fmt::join(table.tools, "+"));
  auto known = std::find_if(to.begin(), to.end(), [&](amd_tools const& each) { return each.tools == tools; });
  if (known == to.end()) known = to.insert(to.end(), {tools, PASTA_VERSION, {}});
  if (std::find(known->targets.begin(), known->targets.end(), target) == known->targets.end())
    known->targets.push_back(target);
}

}  // namespace

std::vector<amd_tools> read_amd_tools(std::string_view section) {
  constexpr std::string_view plain = "__CLANG_OFFLOAD_BUNDLE__", compressed = hip_runtime::compressed_bundle_magic;
  std::vector<amd_tools> found;
  // Each source that was compiled has a bundle of its own.
  auto const find_next = [&](std::size_t from) {
    return std::min(section.find(plain, from), section.find(compressed, from));
  };
  for (std::size_t at = find_next(0); at != std::string_view::npos; at = find_next(at + 1)) {
    std::string why_not;
    for (auto const& code : hip_runtime::read_code_objects(section.data() + at, why_not, section.size() - at)) {
      for (std::string const& id : collecting::read_image(code.image).ids) {
        try {
          add_table(collecting::read_variable(code.image, std::string(ptx::sites_prefix) + id), code.target, found);
        } catch (std::runtime_error const&) {  // of another PASTA, or damaged: nothing can be said of it
        }
      }
    }
  }
  return found;
}

}  // namespace pasta::cli
