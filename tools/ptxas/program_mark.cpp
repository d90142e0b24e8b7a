// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "program_mark.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <pasta/report/write_file.hpp>

namespace pasta::ptxas {

namespace {

/// An ELF note. The linker puts notes right behind the program headers, and strip keeps this one.
struct program_note {
  std::uint32_t name_bytes, description_bytes, type;
  std::array<char, 8> name;
  std::array<char, 16> description;
};
extern "C" [[gnu::used, gnu::section(".note.pasta"),
             gnu::visibility("default")]] alignas(4) program_note const pasta_ptxas_note{
    6, 16, 1, {'P', 'A', 'S', 'T', 'A', '\0'}, {"ptxas drop-in"}};

// The notes of programs that were linked here stand within the first kilobyte.
constexpr std::size_t searched_bytes = 8192;

std::string read_start(std::string const& path) {
  detail::open_file const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string start(searched_bytes, '\0');
  ssize_t const count = file.descriptor() < 0 ? -1 : ::read(file.descriptor(), start.data(), start.size());
  start.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return start;
}

}  // namespace

kinship compare_with_this_program(std::string const& path) {
  struct stat here {};
  struct stat there {};
  if (::stat("/proc/self/exe", &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
      here.st_ino == there.st_ino) {
    return kinship::itself;
  }
  std::string_view const mark(pasta_ptxas_note.name.data(),
                              pasta_ptxas_note.name.size() + pasta_ptxas_note.description.size());
  return read_start(path).find(mark) != std::string::npos ? kinship::copy : kinship::stranger;
}

bool is_machine_code(std::string const& path) {
  return read_start(path).starts_with(
      "\x7f"
      "ELF");
}

}  // namespace pasta::ptxas
