// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Lines of real machine code, as nvcc writes them.
#include "lines.hpp"

#include <catch.hpp>
#include <fstream>
#include <iterator>
#include <set>

namespace {

using pasta::patch::line_table;
using pasta::patch::source_line;

std::uint32_t line_of(line_table const& table, char const* function, std::uint64_t offset) {
  std::vector<source_line> const found = table.find(function, offset);
  return found.empty() ? 0 : found.front().line;
}

std::vector<char> read_file(char const* path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::uint32_t> lines_of(line_table const& table, char const* function, std::uint64_t bytes) {
  std::set<std::uint32_t> lines;
  for (std::uint64_t offset = 0; offset < bytes; offset += 16) {
    for (source_line const& at : table.find(function, offset)) {
      if (at.file.ends_with("/kernels.cu")) lines.insert(at.line);  // not what is inlined from CUDA's headers
    }
  }
  return lines;
}

TEST_CASE("Each function of machine code has its own lines") {
  line_table const table(read_file(PASTA_TEST_CUBIN));
  REQUIRE_FALSE(table.is_empty());
  std::set<std::uint32_t> const scale = lines_of(table, "_Z5scalePfi", 256),
                                strided = lines_of(table, "_Z7stridedPfi", 256);
  CHECK(scale.count(8) == 1);  // a[i] = value * 2
  CHECK(scale.count(7) == 1);
  CHECK(*scale.rbegin() <= 10);
  CHECK(strided.count(14) == 1);
  CHECK(*strided.begin() >= 12);
}

TEST_CASE("A function that a kernel calls has its lines behind the kernel's") {
  line_table const table(read_file(PASTA_TEST_CUBIN));
  std::set<std::uint32_t> const lines = lines_of(table, "_Z14through_sharedPfi", 4096);
  CHECK(lines.count(17) == 1);  // of add_one, whose code lies in the kernel's section
  CHECK(lines.count(22) == 1);
}

TEST_CASE("What is inlined says where") {
  line_table const table(read_file(PASTA_TEST_CUBIN));
  std::size_t inlined = 0;
  for (std::uint64_t offset = 0; offset < 4096; offset += 16) {
    std::vector<source_line> const places = table.find("_Z14through_sharedPfi", offset);
    if (places.size() < 2) continue;
    ++inlined;
    // atomicAdd of CUDA's headers, in add_one.
    CHECK_FALSE(places.front().file.ends_with("/kernels.cu"));
    CHECK(places.front().function.find("atomicAdd") != std::string::npos);
    CHECK(places.back().file.ends_with("/kernels.cu"));
    CHECK(places.back().line == 17);
    CHECK(places.back().function.empty());
  }
  CHECK(inlined > 0);
}

TEST_CASE("What is not known has no line") {
  line_table const table(read_file(PASTA_TEST_CUBIN));
  CHECK(line_of(table, "_Z7missingv", 0) == 0);
  CHECK(line_table(std::vector<char>()).is_empty());
  CHECK(line_table(std::vector<char>{'\x7f', 'E', 'L', 'F'}).is_empty());
  std::vector<char> broken = read_file(PASTA_TEST_CUBIN);
  for (std::size_t keep : {broken.size() / 2, std::size_t{64}, std::size_t{100}}) {
    std::vector<char> const part(broken.begin(), broken.begin() + static_cast<std::ptrdiff_t>(keep));
    CHECK(line_of(line_table(part), "_Z5scalePfi", 0) <= 30);
  }
}

TEST_CASE("Functions that are no kernels are told by their symbols") {
  std::vector<char> const image = read_file(PASTA_TEST_CUBIN);
  auto const names = pasta::patch::read_names({image.data(), image.size()});
  CHECK(names.has_lines);
  REQUIRE(names.called.size() == 1);
  CHECK(names.called.front().find("add_one") != std::string::npos);
  CHECK_FALSE(pasta::patch::read_names("no machine code").has_lines);
}

}  // namespace
