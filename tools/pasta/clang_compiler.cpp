// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "clang_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "capture.hpp"
#include "installed_tools.hpp"
#include "nvcc_toolkit.hpp"
#include "process.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

bool is_compiler(std::string const& word) {
  std::string name = fs::path(word).filename().string();
  if (name == "hipcc") return true;
  if (!name.starts_with("clang++")) return false;
  name.erase(0, 7);
  return name.empty() || (name.front() == '-' && name.find_first_not_of("0123456789", 1) == std::string::npos);
}

bool can_be_command(std::string const& word) {
  static std::string const sources[] = {".cpp", ".cc", ".cxx", ".C", ".c", ".hip", ".cu", ".o", ".a", ".so", ".s"};
  std::string const extension = fs::path(word).extension().string();
  return !word.empty() && word.front() != '-' &&
         std::find(std::begin(sources), std::end(sources), extension) == std::end(sources);
}

fs::path plugin_folder() { return fs::path(own_folder()).parent_path() / "lib/pasta"; }
fs::path plugin_path(int version) { return plugin_folder() / fmt::format("libpasta_llvm_{}.so", version); }

}  // namespace

clang_command split_clang_command(arguments const& words) {
  clang_command command;
  for (std::size_t i = 0; i < words.size() && (i == 0 || can_be_command(words[i - 1])); ++i) {
    if (!is_compiler(words[i])) continue;
    auto const place = words.begin() + static_cast<std::ptrdiff_t>(i);
    command.launcher.assign(words.begin(), place);
    command.compiler = words[i];
    command.words.assign(place + 1, words.end());
    return command;
  }
  command.words = words;
  return command;
}

std::vector<int> plugin_versions() {
  std::vector<int> versions;
  std::error_code error;
  for (fs::directory_iterator entry(plugin_folder(), error), end; !error && entry != end; entry.increment(error)) {
    std::string const name = entry->path().filename().string();
    constexpr std::string_view before = "libpasta_llvm_", after = ".so";
    if (!name.starts_with(before) || !name.ends_with(after)) continue;
    std::string const number = name.substr(before.size(), name.size() - before.size() - after.size());
    if (!number.empty() && number.size() < 4 && number.find_first_not_of("0123456789") == std::string::npos)
      versions.push_back(std::stoi(number));
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

std::string plugin_for(int version) {
  std::error_code error;
  if (fs::exists(plugin_path(version), error)) return plugin_path(version).lexically_normal().string();
  std::vector<int> const known = plugin_versions();
  if (known.empty())
    throw command_error(
        "this PASTA has no pass plugin: it was built without the headers of LLVM (apt-get install "
        "llvm-15-dev, and build it again)");
  throw command_error(
      fmt::format("the compiler is of LLVM {}, and PASTA's pass plugins are for LLVM {}: use clang++-{}", version,
                  fmt::join(known, ", "), known.back()));
}

namespace {

int ask_for_llvm_version(std::string const& compiler) {
  // "Debian clang version 15.0.6", "HIP version: 5.2.21153-0\nDebian clang version 15.0.6\n…"
  constexpr std::string_view mark = "clang version ";
  auto const text = capture({compiler, "--version"}, "");
  std::size_t const place = text ? text->find(mark) : std::string::npos;
  int const version = place == std::string::npos ? 0 : std::atoi(text->c_str() + place + mark.size());
  if (version == 0) throw command_error(fmt::format("{} does not say that it is clang", visible(compiler)));
  return version;
}

/// "" for what is no file
std::string read_text(fs::path const& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A script as it is now, with all that may have it call another clang; the machine's start bounds what is not seen.
std::string state_of_script(std::string const& script) {
  std::error_code error;
  fs::path const path = fs::canonical(script, error);
  auto const changed = fs::last_write_time(path, error).time_since_epoch().count();
  std::string state = read_text("/proc/sys/kernel/random/boot_id");
  state += fmt::format("{}\n{}\n", path.native(), changed);
  for (char const* name : {"HIP_CLANG_PATH", "HIP_PATH", "HIP_PLATFORM", "ROCM_PATH", "PATH"}) {
    char const* const value = std::getenv(name);
    state += fmt::format("{}={}\n", name, value != nullptr ? value : "");
  }
  return state;
}

}  // namespace

int llvm_version_of(std::string const& compiler) {
  // hipcc, a script, takes a quarter of a second to answer, which is asked for each file that is compiled.
  fs::path const cache = is_script(compiler) ? cache_folder() : fs::path();
  if (cache.empty()) return ask_for_llvm_version(compiler);
  std::string const state = state_of_script(compiler);
  std::string const kept = read_text(cache / "llvm_version");
  if (kept.starts_with(state)) return std::atoi(kept.c_str() + state.size());
  int const version = ask_for_llvm_version(compiler);
  try {
    write_file(state + std::to_string(version), cache / "llvm_version");
  } catch (std::exception const&) {  // it is asked again
  }
  return version;
}

std::string find_clang(std::string const& wanted, std::string const& usual) {
  if (!wanted.empty()) return find_program(wanted);
  std::vector<std::string> names{usual};
  if (usual == "clang++") {
    for (int const version : plugin_versions()) names.insert(names.begin(), fmt::format("clang++-{}", version));
  }
  for (std::string const& name : names) {
    try {
      return find_program(name);
    } catch (command_error const&) {  // the next one
    }
  }
  throw command_error(fmt::format("none of {} was found (apt-get install {})", fmt::join(names, ", "),
                                  usual == "clang++" ? "clang" : usual),
                      exit_not_found);
}

}  // namespace pasta::cli
