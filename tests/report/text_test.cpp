// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/report/text.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <pasta/report/text_table.hpp>

#include "catch.hpp"
#include "samples.hpp"

using pasta::to_text;
using pasta_test::contains_text;
using pasta_test::full_report;

namespace {

pasta::table numbers(std::string const& unit, std::vector<pasta::cell> const& cells) {
  pasta::table t{"t", {{"c", unit, pasta::column_role::value}}, {}};
  for (auto const& cell : cells) t.rows.push_back({cell});
  return t;
}

std::size_t longest_line(std::string const& text) {
  std::size_t longest = 0;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t const end = text.find('\n', start);
    longest = std::max(longest, pasta::display_width(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return longest;
}

}  // namespace

TEST_CASE("the text of a report, in full") {
  CHECK(to_text(full_report(), {}) == R"(PASTA 0.1.0  coalescing                                                      2026-01-31 12:00:00 UTC
INCOMPLETE: killed by SIGSEGV; numbers cover what had happened until then
  command   ./transpose --size 'a b'
  options   sector-bytes=32
  route     probe on host: CPU engine, 2 threads, warp width 32
  gpu       a GPU, driver 580.1, CUDA 13.0
  machine   box, Debian GNU/Linux 12, a processor
  compiler  g++ 12.2.0  -O2 -g
  time      1.23 s, 12.50 times the run without a tool (whole program)
  note      A note.

3 findings
  HIGH    transpose.cpp:21  in transpose<float>, launch 3                       at most 3.20x faster
          Stores are 1024 elements apart.
          Use a tile.
  MEDIUM  transpose.cpp:22  in transpose<float>, launch 3                       at most 1.50x faster
          Something small.
          Change it.
  LOW     
          About the program.

coalescing  transpose<float>, launch 3  grid 32x32x1  block 32x8x1  4,096 bytes shared
    loss: 2 of 10 launches left out by sampling or stop()
    loss: 1 of 10 launches did not end
    loss: 5 events dropped, 1,000 delivered
    loss: not seen: a library kernel: no source
  lines
                                                                stride
    place                          requests  efficiency     [elements]
    transpose.cpp:21  9,007,199,254,740,993       0.125             -4
    transpose.cpp:22                      0           -              -

coalescing  whole program
  program
          value
    name   [ns]
    x         3
)");
}
