// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "offload_bundle.hpp"

#include <elf.h>

#include <catch.hpp>
#include <cstdint>
#include <cstring>
#include <utility>

using pasta::hip_runtime::can_run;
using pasta::hip_runtime::code_object;
using pasta::hip_runtime::read_code_objects;

namespace {

void add_word(std::string& to, std::uint64_t word) { to.append(reinterpret_cast<char const*>(&word), sizeof word); }

/// A bundle as clang writes it.
std::string make_bundle(std::vector<std::pair<std::string, std::string>> const& entries) {
  std::string head = "__CLANG_OFFLOAD_BUNDLE__", codes;
  std::size_t head_bytes = head.size() + 8;
  for (auto const& entry : entries) head_bytes += 24 + entry.first.size();
  add_word(head, entries.size());
  for (auto const& [name, code] : entries) {
    add_word(head, head_bytes + codes.size());
    add_word(head, code.size());
    add_word(head, name.size());
    head += name;
    codes += code;
  }
  return head + codes;
}

}  // namespace

TEST_CASE("a bundle's code objects come with the GPU that they are for, those of the host are left out") {
  std::string const bundle = make_bundle({{"host-x86_64-unknown-linux--", ""},
                                          {"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "one"},
                                          {"hip-amdgcn-amd-amdhsa--gfx1030", "another"}});
  std::string why_not;
  std::vector<code_object> const found = read_code_objects(bundle.data(), why_not, bundle.size());
  REQUIRE(found.size() == 2);
  CHECK(why_not.empty());
  CHECK(found[0].target == "gfx90a:sramecc+:xnack-");
  CHECK(found[0].image == "one");
  CHECK(found[1].target == "gfx1030");
  CHECK(found[1].image == "another");
}

TEST_CASE("a bundle that was cut short has the code objects that are whole") {
  std::string const bundle =
      make_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", "one"}, {"hipv4-amdgcn-amd-amdhsa--gfx942", "another"}});
  std::string why_not;
  for (std::size_t bytes = 0; bytes <= bundle.size(); ++bytes) {
    // So that a sanitizer sees what is read behind it.
    std::vector<char> const copy(bundle.begin(), bundle.begin() + static_cast<std::ptrdiff_t>(bytes));
    std::size_t const count = read_code_objects(copy.data(), why_not, bytes).size();
    CHECK(count == (bytes == bundle.size() ? 2 : bytes >= bundle.size() - 7 ? 1 : 0));
  }
}

TEST_CASE("one ELF file is code for any GPU, as long as it says") {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  Elf64_Shdr section{};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = sizeof header + sizeof section;
  section.sh_size = 5;
  std::string image(reinterpret_cast<char const*>(&header), sizeof header);
  image.append(reinterpret_cast<char const*>(&section), sizeof section);
  image += "textbehind";
  std::string why_not;
  std::vector<code_object> const found = read_code_objects(image.data(), why_not, image.size());
  REQUIRE(found.size() == 1);
  CHECK(found[0].target.empty());
  CHECK(found[0].image.size() == image.size() - 5);
  CHECK(read_code_objects(image.data(), why_not, image.size() - 6)[0].image.empty());
}

TEST_CASE("what cannot be read is said") {
  std::string why_not;
  CHECK(read_code_objects("CCOB and more", why_not, 13).empty());
  CHECK(why_not == "its compressed code is damaged");
  CHECK(read_code_objects("something else", why_not, 14).empty());
  CHECK(why_not == "its code is in a form that PASTA does not know");
  std::string const of_host = make_bundle({{"host-x86_64-unknown-linux--", ""}});
  CHECK(read_code_objects(of_host.data(), why_not, of_host.size()).empty());
  CHECK(why_not == "there is no code for a GPU in it");
}

TEST_CASE("code runs on a GPU of its processor that has the features which it names") {
  CHECK(can_run("gfx90a", "gfx90a:sramecc+:xnack-"));
  CHECK(can_run("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"));
  CHECK(can_run("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"));
  CHECK(can_run("", "gfx90a"));
  CHECK(can_run("gfx90a", ""));
  CHECK_FALSE(can_run("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"));
  CHECK_FALSE(can_run("gfx90a:xnack-", "gfx90a"));
  CHECK_FALSE(can_run("gfx90", "gfx90a"));
  CHECK_FALSE(can_run("gfx908", "gfx90a"));
}
