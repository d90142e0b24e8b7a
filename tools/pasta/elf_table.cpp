// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "elf_table.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>

#include <compressed_bundle.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>
#include "command.hpp"

namespace pasta::cli {

namespace {

struct end_elf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using elf_handle = std::unique_ptr<Elf, end_elf>;

elf_handle open_elf(int descriptor) {
  elf_version(EV_CURRENT);
  return elf_handle(elf_begin(descriptor, ELF_C_READ, nullptr));
}

int open_regular(std::string const& path) {
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    throw command_error(fmt::format("cannot read {}: {}", visible(path), std::generic_category().message(errno)));
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return descriptor;
  ::close(descriptor);
  throw command_error(fmt::format("{} is not a regular file", visible(path)));
}

[[noreturn]] void fail_as_damaged(std::string const& path) {
  throw command_error(fmt::format("{}: the section .pasta_tools is damaged", visible(path)));
}

void add_entries(std::string_view data, std::string const& path, std::vector<compiled_tool>& tools) {
  while (!data.empty()) {
    auto const end = data.find('\0');
    if (end == std::string_view::npos) fail_as_damaged(path);
    std::string_view const entry = data.substr(0, end);
    data.remove_prefix(end + 1);
    if (entry.empty()) continue;  // padding between the tables of two object files
    auto const first = entry.find('\t');
    auto const second = first == std::string_view::npos ? first : entry.find('\t', first + 1);
    if (second == std::string_view::npos) fail_as_damaged(path);
    compiled_tool tool{std::string(entry.substr(0, first)), std::string(entry.substr(first + 1, second - first - 1)),
                       std::string(entry.substr(second + 1))};
    auto const is_same = [&](compiled_tool const& t) { return t.route == tool.route && t.pack == tool.pack; };
    if (std::none_of(tools.begin(), tools.end(), is_same)) tools.push_back(std::move(tool));
  }
}

// Code objects lie in it as they are, with the names of their variables, or compressed.
void add_amd_code(Elf_Data const* bundles, program_table& table) {
  if (bundles == nullptr || bundles->d_buf == nullptr) return;
  std::string_view const code(static_cast<char const*>(bundles->d_buf), bundles->d_size);
  if (code.find(ptx::state_prefix) == std::string_view::npos &&
      code.find(hip_runtime::compressed_bundle_magic) == std::string_view::npos)
    return;
  table.amd_code += code;
}

}  // namespace

program_table read_program_table(std::string const& path) {
  detail::open_file file(open_regular(path));
  elf_handle const elf = open_elf(file.descriptor());
  program_table table;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return table;
  table.kind = file_kind::elf;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf.get(), &names) != 0) return table;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) continue;
    char const* const name = elf_strptr(elf.get(), names, header.sh_name);
    if (name == nullptr) continue;
    if (std::string_view(name) == ".hip_fatbin") add_amd_code(elf_rawdata(section, nullptr), table);
    if (std::string_view(name) != ".pasta_tools") continue;
    Elf_Data const* const data = elf_rawdata(section, nullptr);
    if (data == nullptr || (data->d_buf == nullptr && data->d_size != 0)) fail_as_damaged(path);
    if (data->d_size != 0) add_entries({static_cast<char const*>(data->d_buf), data->d_size}, path, table.tools);
  }
  return table;
}

std::string elf_damage(std::string const& path) {
  try {
    detail::open_file file(open_regular(path));
    elf_handle const elf = open_elf(file.descriptor());
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return "not an ELF file";
    struct stat status {};
    std::size_t count = 0;
    if (::fstat(file.descriptor(), &status) != 0 || elf_getphdrnum(elf.get(), &count) != 0) return "a damaged ELF file";
    auto const size = static_cast<std::uint64_t>(status.st_size);
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr header{};
      if (gelf_getphdr(elf.get(), static_cast<int>(i), &header) == nullptr) return "a damaged ELF file";
      if (header.p_type == PT_LOAD && (header.p_offset > size || header.p_filesz > size - header.p_offset)) {
        return "an ELF file that was cut short";
      }
    }
  } catch (command_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace pasta::cli
