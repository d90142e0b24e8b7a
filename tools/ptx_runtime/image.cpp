// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <pasta/instrument/ptx/module_state.hpp>

namespace pasta::ptx {

namespace {

struct end_elf {
  void operator()(Elf* elf) const { elf_end(elf); }
};

/// Calls f(name, type) for each named symbol.
template <class Function>
void for_each_symbol(Elf* elf, Function&& f) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    for (Elf_Data* data = elf_getdata(section, nullptr); data != nullptr; data = elf_getdata(section, data)) {
      GElf_Sym symbol{};
      for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
        char const* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name != nullptr && *name != '\0') f(std::string_view(name), GELF_ST_TYPE(symbol.st_info));
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
  constexpr std::string_view magic{
      "\x7f"
      "ELF",
      4};
  if (image.substr(0, magic.size()) != magic) return names;
  elf_version(EV_CURRENT);
  // libelf wants a pointer that may be written through, and does not write when it only reads.
  std::unique_ptr<Elf, end_elf> const elf(elf_memory(const_cast<char*>(image.data()), image.size()));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return names;
  for_each_symbol(elf.get(), [&](std::string_view name, unsigned char) {
    if (name.substr(0, state_prefix.size()) == state_prefix && is_id(name.substr(state_prefix.size())))
      names.ids.emplace_back(name.substr(state_prefix.size()));
  });
  std::sort(names.ids.begin(), names.ids.end());
  names.ids.erase(std::unique(names.ids.begin(), names.ids.end()), names.ids.end());
  if (names.ids.empty()) return names;
  for_each_symbol(elf.get(), [&](std::string_view name, unsigned char type) {
    if (type == STT_FUNC) names.functions.emplace_back(name);
  });
  return names;
}

}  // namespace pasta::ptx
