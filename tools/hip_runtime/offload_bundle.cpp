// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "offload_bundle.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "compressed_bundle.hpp"

namespace pasta::hip_runtime {

namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view elf_magic{
    "\x7f"
    "ELF",
    4};
constexpr std::uint64_t most_entries = 1024, most_name_bytes = 1024;

/// A part of an image, whose end may not be known. Nothing of it is read that lies behind.
std::string_view part(std::string_view image, std::uint64_t offset, std::uint64_t bytes) {
  bool const is_within = offset <= image.size() && bytes <= image.size() - offset;
  return is_within ? std::string_view(image.data() + offset, bytes) : std::string_view();
}
template <class Record>
bool read_record(Record& to, std::string_view image, std::uint64_t offset) {
  std::string_view const from = part(image, offset, sizeof to);
  if (from.empty()) return false;
  std::memcpy(&to, from.data(), sizeof to);
  return true;
}

// Its last byte is a section's or the section table's.
std::string_view whole_elf(std::string_view image) {
  Elf64_Ehdr header{};
  if (!read_record(header, image, 0) || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
  std::uint64_t end = header.e_shoff + std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  Elf64_Shdr section{};
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    if (!read_record(section, image, header.e_shoff + i * sizeof section)) return {};
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return part(image, 0, end);
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-": what follows the triple. Entries of the host have none.
std::string target_of(std::string_view entry) {
  if (!entry.starts_with("hip")) return "";
  std::size_t const end = entry.find("--");
  return end == std::string_view::npos ? "" : std::string(entry.substr(end + 2));
}

/// A target's features: "xnack-", "sramecc+".
bool has_feature(std::string_view device, std::string_view feature) {
  std::size_t const at = device.find(feature);
  return at != std::string_view::npos && device[at - 1] == ':' &&
         (at + feature.size() == device.size() || device[at + feature.size()] == ':');
}

std::vector<code_object> read_bundle(std::string_view all, std::string& why_not) {
  std::vector<code_object> objects;
  if (!all.starts_with(bundle_magic)) {
    why_not = "its code is in a form that PASTA does not know";
    return objects;
  }
  // The number of entries; of each where it begins, how long it is, how long its name is, its name.
  std::uint64_t at = bundle_magic.size(), count = 0;
  read_record(count, all, at);
  at += sizeof count;
  for (std::uint64_t i = 0; i < std::min(count, most_entries); ++i) {
    struct {
      std::uint64_t offset, bytes, name_bytes;
    } entry{};
    if (!read_record(entry, all, at) || entry.name_bytes > most_name_bytes) break;
    std::string target = target_of(part(all, at + sizeof entry, entry.name_bytes));
    at += sizeof entry + entry.name_bytes;
    std::string_view const code = part(all, entry.offset, entry.bytes);
    if (!target.empty() && !code.empty()) objects.push_back({std::move(target), code, nullptr});
  }
  if (objects.empty()) why_not = "there is no code for a GPU in it";
  return objects;
}

}  // namespace

std::vector<code_object> read_code_objects(void const* image, std::string& why_not, std::size_t bytes) {
  std::string_view const all(static_cast<char const*>(image), bytes);
  if (all.starts_with(elf_magic)) return {{"", whole_elf(all), nullptr}};
  if (!all.starts_with(compressed_bundle_magic)) return read_bundle(all, why_not);
  auto const kept = std::make_shared<std::string const>(uncompress_bundle(all, why_not));
  if (kept->empty()) return {};
  std::vector<code_object> objects = read_bundle(*kept, why_not);
  for (code_object& each : objects) each.uncompressed = kept;
  return objects;
}

bool can_run(std::string_view target, std::string_view device) {
  if (target.empty() || device.empty()) return true;
  std::string_view const processor = target.substr(0, target.find(':'));
  if (processor != device.substr(0, device.find(':'))) return false;
  while (target.find(':') != std::string_view::npos) {
    target.remove_prefix(target.find(':') + 1);
    if (!has_feature(device, target.substr(0, target.find(':')))) return false;
  }
  return true;
}

}  // namespace pasta::hip_runtime
