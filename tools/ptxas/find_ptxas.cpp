// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "find_ptxas.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <command.hpp>
#include <pasta/report/visible.hpp>
#include "program_mark.hpp"

namespace pasta::ptxas {

namespace {

namespace fs = std::filesystem;

struct candidate {
  std::string path, reason;
};

/// What is wrong with a file as the vendor's ptxas; code 0 if nothing is.
struct fault {
  int code = 0;
  std::string text = {};
};

fault judge(std::string const& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {cli::exit_not_found, std::generic_category().message(errno)};
  if (S_ISDIR(status.st_mode)) return {cli::exit_not_executable, "it is a folder"};
  if (!S_ISREG(status.st_mode)) return {cli::exit_not_executable, "it is no regular file"};
  if (::access(path.c_str(), X_OK) != 0) return {cli::exit_not_executable, std::generic_category().message(errno)};
  switch (compare_with_this_program(path)) {
    case kinship::itself:
      return {cli::exit_not_found, "it is this program itself"};
    case kinship::copy:
      return {cli::exit_not_found, "it is a copy of this program"};
    case kinship::stranger:
      break;
  }
  return {};
}

std::string variable(char const* name) {
  char const* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

/// The folders of the file that was started and, if that was a link, of the program at its end.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  // Not argv[0]: that is what the caller likes, and mostly without a folder.
  auto const started = ::getauxval(AT_EXECFN);
  std::error_code error;
  if (started != 0) folders.push_back(fs::absolute(reinterpret_cast<char const*>(started), error).parent_path());
  fs::path const program = fs::read_symlink("/proc/self/exe", error);
  if (!error && (folders.empty() || program.parent_path() != folders.front())) folders.push_back(program.parent_path());
  return folders;
}

/// The program of the toolkit that an nvcc, or a link to it, belongs to.
void add_beside_nvcc(std::vector<candidate>& candidates, std::string const& name, fs::path const& nvcc,
                     std::string_view where) {
  std::error_code error;
  fs::path const target = fs::canonical(nvcc, error);
  if (!error) candidates.push_back({target.parent_path() / name, fmt::format("beside the nvcc {}", where)});
}

std::vector<candidate> all_candidates(std::string const& name) {
  std::string const sibling = name + std::string(real_suffix);
  std::vector<candidate> candidates;
  std::vector<fs::path> const here = own_folders();
  candidates.reserve(here.size());
  for (fs::path const& folder : here) {
    // Of a link the end: --version says the name by which a ptxas is called, and Triton keeps that.
    std::error_code error;
    fs::path const target = fs::canonical(folder / sibling, error);
    bool const is_link = !error && fs::is_symlink(folder / sibling, error);
    candidates.push_back({is_link ? target : folder / sibling, fmt::format("{} beside this program", sibling)});
  }
  for (char const* const home : {"CUDA_HOME", "CUDA_PATH"}) {
    if (std::string const folder = variable(home); !folder.empty()) {
      candidates.push_back({fs::path(folder) / "bin" / name, home});
    }
  }
  for (fs::path const& folder : here) add_beside_nvcc(candidates, name, folder / "nvcc", "beside this program");
  std::vector<std::string> const folders = folders_in("PATH");
  auto const with_nvcc = std::find_if(folders.begin(), folders.end(), [](std::string const& folder) {
    return ::access((folder + "/nvcc").c_str(), X_OK) == 0;
  });
  if (with_nvcc != folders.end()) add_beside_nvcc(candidates, name, fs::path(*with_nvcc) / "nvcc", "in PATH");
  for (std::string const& folder : folders) candidates.push_back({folder + "/" + name, "PATH"});
  candidates.push_back({"/usr/local/cuda/bin/" + name, "the usual place"});
  return candidates;
}

}  // namespace

found_program find_program(vendor_program which, std::vector<std::string>& refused) {
  bool const is_ptxas = which == vendor_program::ptxas;
  std::string const name = is_ptxas ? "ptxas" : "nvlink";
  std::string const variable_name = is_ptxas ? "PASTA_PTXAS" : "PASTA_NVLINK";
  if (std::string const path = variable(variable_name.c_str()); !path.empty()) {
    if (fault const wrong = judge(path); wrong.code != 0) {
      throw cli::command_error(fmt::format("{}={}: {}", variable_name, visible(path), wrong.text), wrong.code);
    }
    return {path, variable_name};
  }
  for (candidate const& c : all_candidates(name)) {
    fault const wrong = judge(c.path);
    if (wrong.code == 0) return {c.path, c.reason};
    refused.push_back(fmt::format("{} ({}): {}", visible(c.path), c.reason, wrong.text));
  }
  throw cli::command_error(
      fmt::format("the real {} was not found; set {} to its path, or CUDA_HOME to the toolkit's (PASTA_DEBUG=1 says "
                  "where it was looked for)",
                  name, variable_name),
      cli::exit_not_found);
}

std::vector<std::string> folders_in(char const* name) {
  std::vector<std::string> folders;
  std::string const list = variable(name);
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t const end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

}  // namespace pasta::ptxas
