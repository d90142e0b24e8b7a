// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "nvcc_toolkit.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <find_ptxas.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include <toolkit_view.hpp>
#include "capture.hpp"
#include "command.hpp"
#include "installed_tools.hpp"
#include "process.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

std::string variable(char const* name) {
  char const* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

bool is_program(fs::path const& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// What nvcc --dryrun prints of itself: `#$ _HERE_=/usr/local/cuda/bin`.
fs::path ask_for_folder(std::string const& nvcc) {
  ::setenv(nvcc_chain_variable, nvcc_is_asked, 1);
  auto const text = capture({"/bin/sh", "-c", "\"$0\" --dryrun -E -x cu /dev/null 2>&1", nvcc}, "");
  ::unsetenv(nvcc_chain_variable);
  constexpr std::string_view mark = "#$ _HERE_=";
  auto const place = text ? text->find(mark) : std::string::npos;
  if (place == std::string::npos) return {};
  auto const begin = place + mark.size();
  return text->substr(begin, text->find('\n', begin) - begin);
}

/// A folder that nobody else can write, so that nobody else can put a compiler into it.
fs::path private_temporary_folder() {
  std::string const base = variable("TMPDIR").empty() ? "/tmp" : variable("TMPDIR");
  fs::path folder = fs::absolute(fmt::format("{}/pasta-{}", base, ::getuid()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw command_error(
        fmt::format("cannot make {}: {}", visible(folder.native()), std::generic_category().message(errno)));
  }
  struct stat status {};
  bool const is_ours = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                       status.st_uid == ::getuid() && (status.st_mode & 077) == 0;
  if (!is_ours) throw command_error(fmt::format("{} is not a folder of this user's alone", visible(folder.native())));
  return folder;
}

}  // namespace

bool is_script(std::string const& program) {
  std::ifstream file(program, std::ios::binary);
  std::array<char, 2> start{};
  return file.read(start.data(), start.size()) && start == std::array<char, 2>{'#', '!'};
}

found_nvcc find_nvcc(std::string const& wanted, std::string const& reason) {
  if (!wanted.empty()) return {find_program(wanted), reason};
  bool const is_in_chain = std::getenv(nvcc_chain_variable) != nullptr;
  auto const can_be_taken = [&](std::string const& path) {
    return is_program(path) && !(is_in_chain && is_script(path));
  };
  for (char const* const name : {"CUDA_HOME", "CUDA_PATH"}) {
    std::string const folder = variable(name);
    if (!folder.empty() && can_be_taken(folder + "/bin/nvcc")) return {folder + "/bin/nvcc", name};
  }
  for (std::string const& folder : ptxas::folders_in("PATH")) {
    if (can_be_taken(folder + "/nvcc")) return {folder + "/nvcc", "PATH"};
  }
  if (can_be_taken("/usr/local/cuda/bin/nvcc")) return {"/usr/local/cuda/bin/nvcc", "the usual place"};
  throw command_error(
      "nvcc was not found; install NVIDIA's CUDA toolkit (apt-get install nvidia-cuda-toolkit, or cuda-toolkit from "
      "NVIDIA's packages), or set CUDA_HOME to it",
      exit_not_found);
}

fs::path toolkit_of(found_nvcc const& nvcc) {
  std::error_code error;
  fs::path const program = fs::canonical(nvcc.path, error);
  std::vector<fs::path> folders{program.parent_path()};
  if (!is_program(folders.front() / "ptxas") || program.filename() != "nvcc" || is_script(program)) {
    folders.insert(folders.begin(), fs::canonical(ask_for_folder(nvcc.path), error));
  }
  for (fs::path const& folder : folders) {
    if (is_program(folder / "ptxas") && is_program(folder / "nvcc")) return folder.parent_path();
  }
  throw command_error(fmt::format("{} belongs to no CUDA toolkit with a bin/ptxas", visible(nvcc.path)));
}

build_files find_build_files() {
  fs::path const own = own_folder();
  std::array<fs::path, 2> const folders{own / PASTA_LIBEXEC_FROM_BIN, own / "../libexec/pasta"};
  std::optional<fs::path> stand_in, built_with;
  for (fs::path const& candidate : {own / "pasta_ptxas", folders[0] / "ptxas", folders[1] / "ptxas"}) {
    if (!stand_in && is_program(candidate)) stand_in = candidate.lexically_normal();
  }
  for (fs::path const& folder : folders) {
    std::error_code error;
    if (!built_with && fs::exists(folder / "built_with.h", error)) {
      built_with = (folder / "built_with.h").lexically_normal();
    }
  }
  if (stand_in && built_with) return {*stand_in, *built_with};
  fs::path const missing = (folders[0] / (stand_in ? "built_with.h" : "ptxas")).lexically_normal();
  throw command_error(fmt::format("{} is not there: the installation is not whole", visible(missing.native())));
}

fs::path cache_folder() {
  // A relative path is to be ignored, says the specification of these variables.
  fs::path folder = variable("XDG_CACHE_HOME");
  if (!folder.is_absolute()) {
    fs::path const home = variable("HOME");
    if (!home.is_absolute()) return {};
    folder = home / ".cache";
  }
  folder /= "pasta";
  std::error_code error;
  fs::create_directories(folder, error);
  return ::access(folder.c_str(), W_OK | X_OK) == 0 && fs::is_directory(folder, error) ? folder : fs::path();
}

fs::path includable(fs::path const& header) {
  constexpr std::string_view not_taken = "'\"$`\\";
  auto const is_taken = [&](fs::path const& path) {
    return path.native().find_first_of(not_taken) == std::string::npos;
  };
  if (is_taken(header)) return header;
  fs::path folder = cache_folder();
  if (folder.empty() || !is_taken(folder)) folder = private_temporary_folder();
  std::ifstream file(header, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // The name has the content in it: another version's does not change what a build depends on.
  fs::path copy = folder / fmt::format("built_with-{:016x}.h", std::hash<std::string>()(text));
  std::error_code error;
  if (!fs::exists(copy, error)) write_file(text, copy);
  return copy;
}

fs::path instrumenting_nvcc(fs::path const& toolkit, fs::path const& stand_in) {
  // Toolkits side by side have views side by side; another version of one of them replaces its own.
  std::string const key = fs::canonical(toolkit).native() + '\n' + fs::canonical(stand_in).native();
  std::string const name = fmt::format("toolkit-{:016x}", std::hash<std::string>()(key));
  if (fs::path const cache = cache_folder(); !cache.empty()) {
    try {
      ptxas::make_toolkit_view(toolkit, stand_in, cache / name);
      return cache / name / "bin" / "nvcc";
    } catch (command_error const&) {  // a full disk, no symbolic links
    }
  }
  fs::path const view = private_temporary_folder() / name;
  ptxas::make_toolkit_view(toolkit, stand_in, view);
  return view / "bin" / "nvcc";
}

}  // namespace pasta::cli
