// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <pasta/instrument/ptx/module_state.hpp>
#include <utility>

namespace pasta::collecting {

namespace {

struct end_elf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

using elf_handle = std::unique_ptr<Elf, end_elf>;

/// Empty for what is no ELF file.
elf_handle open_image(std::string_view image) {
  constexpr std::string_view magic{
      "\x7f"
      "ELF",
      4};
  if (image.substr(0, magic.size()) != magic) return nullptr;
  elf_version(EV_CURRENT);
  // libelf wants a pointer that may be written through, and does not write when it only reads.
  elf_handle elf(elf_memory(const_cast<char*>(image.data()), image.size()));
  return elf && elf_kind(elf.get()) == ELF_K_ELF ? std::move(elf) : nullptr;
}

/// Calls f(name, symbol) for each named symbol.
template <class Function>
void for_each_symbol(Elf* elf, Function&& f) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    for (Elf_Data* data = elf_getdata(section, nullptr); data != nullptr; data = elf_getdata(section, data)) {
      GElf_Sym symbol{};
      for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
        char const* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name != nullptr && *name != '\0') f(std::string_view(name), symbol);
      }
    }
  }
}

// An id is 32 hexadecimal digits.
bool is_id(std::string_view text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

image_names read_image(std::string_view image) {
  image_names names;
  elf_handle const elf = open_image(image);
  if (!elf) return names;
  for_each_symbol(elf.get(), [&](std::string_view name, GElf_Sym const&) {
    if (name.substr(0, ptx::state_prefix.size()) == ptx::state_prefix && is_id(name.substr(ptx::state_prefix.size())))
      names.ids.emplace_back(name.substr(ptx::state_prefix.size()));
  });
  std::sort(names.ids.begin(), names.ids.end());
  names.ids.erase(std::unique(names.ids.begin(), names.ids.end()), names.ids.end());
  if (names.ids.empty()) return names;
  for_each_symbol(elf.get(), [&](std::string_view name, GElf_Sym const& symbol) {
    if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC) names.functions.emplace_back(name);
  });
  return names;
}

std::string_view read_variable(std::string_view image, std::string_view name) {
  std::string_view found;
  elf_handle const elf = open_image(image);
  if (!elf) return found;
  for_each_symbol(elf.get(), [&](std::string_view known, GElf_Sym const& symbol) {
    GElf_Shdr section{};
    if (known != name || gelf_getshdr(elf_getscn(elf.get(), symbol.st_shndx), &section) == nullptr) return;
    if (section.sh_type == SHT_NOBITS || symbol.st_value < section.sh_addr) return;
    std::uint64_t const offset = symbol.st_value - section.sh_addr;
    if (offset > section.sh_size || symbol.st_size > section.sh_size - offset) return;
    if (section.sh_offset > image.size() || section.sh_size > image.size() - section.sh_offset) return;
    found = image.substr(section.sh_offset + offset, symbol.st_size);
  });
  return found;
}

}  // namespace pasta::collecting
