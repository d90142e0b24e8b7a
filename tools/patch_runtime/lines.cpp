// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "lines.hpp"

#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>

namespace pasta::patch {

namespace {

struct end_elf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using elf_file = std::unique_ptr<Elf, end_elf>;
struct end_dwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

constexpr std::string_view magic{
    "\x7f"
    "ELF",
    4};

elf_file open(char* image, std::size_t size) {
  if (std::string_view(image, size).substr(0, magic.size()) != magic) return nullptr;
  elf_version(EV_CURRENT);
  elf_file elf(elf_memory(image, size));
  return elf && elf_kind(elf.get()) == ELF_K_ELF ? std::move(elf) : nullptr;
}

struct section {
  Elf_Scn* at = nullptr;
  GElf_Shdr header{};
};
std::optional<section> find_section(Elf* elf, std::string_view name) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return std::nullopt;
  section found;
  while ((found.at = elf_nextscn(elf, found.at)) != nullptr) {
    if (gelf_getshdr(found.at, &found.header) == nullptr) continue;
    char const* const its = elf_strptr(elf, names, found.header.sh_name);
    if (its != nullptr && name == its) return found;
  }
  return std::nullopt;
}

// Code of different functions lies in different sections, each from address 0 on: so that addresses tell them apart, a
// section's number stands above them.
constexpr unsigned section_shift = 40;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << section_shift) - 1;

/// Writes the functions' addresses to where the lines name functions.
void relocate(Elf* elf) {
  auto const lines = find_section(elf, ".debug_line"), relocations = find_section(elf, ".rela.debug_line");
  bool const has_addends = relocations.has_value();
  auto const entries = has_addends ? relocations : find_section(elf, ".rel.debug_line");
  if (!lines || !entries) return;
  Elf_Data* const text = elf_getdata(lines->at, nullptr);
  Elf_Data* const list = elf_getdata(entries->at, nullptr);
  Elf_Scn* const symbol_section = elf_getscn(elf, entries->header.sh_link);
  Elf_Data* const symbols = symbol_section == nullptr ? nullptr : elf_getdata(symbol_section, nullptr);
  if (text == nullptr || list == nullptr || symbols == nullptr) return;
  for (int i = 0;; ++i) {
    GElf_Rela entry{};
    if (has_addends) {
      if (gelf_getrela(list, i, &entry) == nullptr) break;
    } else {
      GElf_Rel plain{};
      if (gelf_getrel(list, i, &plain) == nullptr) break;
      entry.r_offset = plain.r_offset, entry.r_info = plain.r_info;
    }
    GElf_Sym symbol{};
    if (gelf_getsym(symbols, static_cast<int>(GELF_R_SYM(entry.r_info)), &symbol) == nullptr) continue;
    if (text->d_size < sizeof(std::uint64_t) || entry.r_offset > text->d_size - sizeof(std::uint64_t)) continue;
    std::uint64_t const address = (std::uint64_t{symbol.st_shndx} << section_shift) +
                                  ((symbol.st_value + static_cast<std::uint64_t>(entry.r_addend)) & offset_mask);
    std::memcpy(static_cast<char*>(text->d_buf) + entry.r_offset, &address, sizeof address);
  }
}

// NVIDIA's mark of a kernel in a symbol.
constexpr unsigned char entry_mark = 0x10;

struct function_symbol {
  std::string name;
  std::uint64_t begin = 0, size = 0;
};
/// Calls f(name, symbol) for each function.
template <class Function>
void for_each_function(Elf* elf, Function&& f) {
  for (Elf_Scn* at = elf_nextscn(elf, nullptr); at != nullptr; at = elf_nextscn(elf, at)) {
    GElf_Shdr header{};
    if (gelf_getshdr(at, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* const data = elf_getdata(at, nullptr);
    GElf_Sym symbol{};
    for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      char const* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name != nullptr && *name != '\0') f(name, symbol);
    }
  }
}
/// Functions by their section's number.
std::multimap<std::size_t, function_symbol> read_functions(Elf* elf) {
  std::multimap<std::size_t, function_symbol> found;
  for_each_function(elf, [&](char const* name, GElf_Sym const& symbol) {
    found.emplace(symbol.st_shndx, function_symbol{name, symbol.st_value, symbol.st_size});
  });
  return found;
}

}  // namespace

code_names read_names(std::string_view image) {
  code_names names;
  // libelf wants a pointer that may be written through, and does not write when it only reads.
  elf_file const elf = open(const_cast<char*>(image.data()), image.size());
  if (!elf) return names;
  names.has_lines = find_section(elf.get(), ".debug_line").has_value();
  for_each_function(elf.get(), [&](char const* name, GElf_Sym const& symbol) {
    ((symbol.st_other & entry_mark) == 0 ? names.called : names.kernels).emplace_back(name);
  });
  return names;
}

/// Takes the lines of one unit.
class line_table::unit_reader {
 public:
  unit_reader(line_table& into, std::unordered_map<std::string, std::uint32_t>& files, Dwarf* dwarf, Dwarf_Lines* lines,
              std::size_t count)
      : into_(&into), files_(&files), dwarf_(dwarf), lines_(lines), begins_(count), places_(count, nowhere) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Dwarf_Line* const line = dwarf_onesrcline(lines, i);
      numbers_[line] = i;
      begins_[i] = begin;
      bool is_end = false;
      if (dwarf_lineendsequence(line, &is_end) == 0 && is_end) begin = i + 1;
    }
  }

  std::uint32_t place_of(std::size_t number) {
    if (places_[number] != nowhere) return places_[number];
    Dwarf_Line* const line = dwarf_onesrcline(lines_, number);
    int row = 0, column = 0;
    if (dwarf_lineno(line, &row) != 0 || row <= 0) return nowhere;
    if (dwarf_linecol(line, &column) != 0) column = 0;
    std::uint32_t caller = nowhere;
    std::string function;
#if _ELFUTILS_PREREQ(0, 186)
    // NVIDIA's lines say themselves where they are inlined: by the number of a row before in the function's lines.
    // libdw takes it for one in the unit's.
    if (Dwarf_Line* const context = dwarf_linecontext(lines_, line); context != nullptr) {
      std::size_t const at = begins_[number] + numbers_.at(context);
      if (at < number) caller = place_of(at);
      char const* const name = dwarf_linefunctionname(dwarf_, line);
      if (name != nullptr && caller != nowhere) function = name;
    }
#endif
    char const* const file = dwarf_linesrc(line, nullptr, nullptr);
    auto const [known, is_new] =
        files_->try_emplace(file == nullptr ? "" : file, static_cast<std::uint32_t>(into_->files_.size()));
    if (is_new) into_->files_.push_back(known->first);
    into_->places_.push_back(
        {known->second, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), caller, function});
    return places_[number] = static_cast<std::uint32_t>(into_->places_.size() - 1);
  }

 private:
  line_table* into_;
  std::unordered_map<std::string, std::uint32_t>* files_;
  Dwarf* dwarf_;
  Dwarf_Lines* lines_;
  std::vector<std::size_t> begins_;  // of the function's lines that each is of
  std::vector<std::uint32_t> places_;
  std::unordered_map<Dwarf_Line*, std::size_t> numbers_;
};

line_table::line_table(std::vector<char> image) {
  elf_file const elf = open(image.data(), image.size());
  if (!elf) return;
  relocate(elf.get());
  std::unique_ptr<Dwarf, end_dwarf> const dwarf(dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr));
  if (!dwarf) return;
  auto const functions = read_functions(elf.get());
  std::unordered_map<std::string, std::uint32_t> files;
  Dwarf_Off next = 0;
  Dwarf_CU* unit = nullptr;
  for (Dwarf_Off at = 0;; at = next) {
    Dwarf_Files* names = nullptr;
    Dwarf_Lines* lines = nullptr;
    std::size_t name_count = 0, line_count = 0;
    if (dwarf_next_lines(dwarf.get(), at, &next, &unit, &names, &name_count, &lines, &line_count) != 0) break;
    unit_reader reader(*this, files, dwarf.get(), lines, line_count);
    for (std::size_t i = 0; i < line_count; ++i) {
      Dwarf_Line* const line = dwarf_onesrcline(lines, i);
      Dwarf_Addr address = 0;
      bool is_end = false;
      if (line == nullptr || dwarf_lineaddr(line, &address) != 0 || dwarf_lineendsequence(line, &is_end) != 0) continue;
      std::uint32_t const where = is_end ? nowhere : reader.place_of(i);
      std::uint64_t const offset = address & offset_mask;
      auto const [first, last] = functions.equal_range(static_cast<std::size_t>(address >> section_shift));
      // A function that another calls may lie in its section: each has the lines of its own part.
      for (auto each = first; each != last; ++each) {
        function_symbol const& of = each->second;
        if (offset >= of.begin && offset < of.begin + std::max<std::uint64_t>(of.size, 1))
          functions_[of.name].push_back({offset - of.begin, where});
      }
    }
  }
  for (auto& [name, rows] : functions_) {
    std::stable_sort(rows.begin(), rows.end(), [](row const& a, row const& b) { return a.offset < b.offset; });
  }
}

std::vector<source_line> line_table::find(std::string const& function, std::uint64_t offset) const {
  std::vector<source_line> found;
  auto const known = functions_.find(function);
  if (known == functions_.end()) return found;
  std::vector<row> const& rows = known->second;
  // Several rows of one offset: the last is the innermost function's.
  auto const behind = std::upper_bound(rows.begin(), rows.end(), offset,
                                       [](std::uint64_t at, row const& each) { return at < each.offset; });
  if (behind == rows.begin()) return found;
  for (std::uint32_t at = std::prev(behind)->place; at != nowhere; at = places_[at].caller) {
    place const& each = places_[at];
    found.push_back({files_[each.file], each.line, each.column, each.function});
  }
  return found;
}

}  // namespace pasta::patch
