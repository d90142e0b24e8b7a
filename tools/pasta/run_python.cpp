// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run_python.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <hook_files.hpp>
#include <pasta/report/visible.hpp>
#include "installed_tools.hpp"
#include "nvcc_cache_key.hpp"
#include "nvcc_toolkit.hpp"
#include "output.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

/// Why nothing is assembled with the tools, or "".
std::string why_not(arguments const& tools) {
  auto const hooks = ptxas::find_hooks();
  for (std::string const& tool : tools) {
    bool const has_hook = std::any_of(hooks.begin(), hooks.end(), [&](auto const& hook) { return hook.tool == tool; });
    if (tool != "access_count" && !has_hook) return fmt::format("there is no hook of {}", visible(tool));
  }
  return cache_folder().empty() ? "no folder for caches can be written" : "";
}

}  // namespace

environment_changes python_variables(arguments tools) {
  environment_changes changes;
  std::error_code error;
  fs::path const modules = fs::path(own_folder()).parent_path() / "lib/pasta/python/run";
  char const* const debugging = std::getenv("PASTA_DEBUG");
  auto const explain = [&](std::string const& why) {
    if (debugging != nullptr && std::string_view(debugging) == "1")
      complain(fmt::format("what Triton compiles gets no counters: {}", why));
  };
  if (!fs::exists(modules / "sitecustomize.py", error)) {
    explain(fmt::format("{} is not there", visible(modules.native())));
    return changes;
  }
  char const* const path = std::getenv("PYTHONPATH");
  bool const is_set = path != nullptr && *path != '\0';
  changes.emplace_back("PYTHONPATH", is_set ? fmt::format("{}:{}", modules.native(), path) : modules.native());
  std::sort(tools.begin(), tools.end());
  try {
    if (std::string const why = why_not(tools); !why.empty()) {
      explain(why);
      return changes;
    }
    fs::path const stand_in = find_build_files().stand_in;
    changes.emplace_back("PASTA_PTX_TOOLS", fmt::format("{}", fmt::join(tools, ",")));
    changes.emplace_back("PASTA_JIT_PTXAS", fs::canonical(stand_in).native());
    changes.emplace_back("PASTA_JIT_CACHE", (cache_folder() / "jit" / build_key(tools, stand_in)).native());
  } catch (std::exception const& e) {
    explain(e.what());
  }
  return changes;
}

}  // namespace pasta::cli
