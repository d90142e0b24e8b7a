// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_REPORT_SAMPLES_HPP
#define PASTA_TESTS_REPORT_SAMPLES_HPP

#include <cstdint>
#include <limits>
#include <string>

#include <pasta/report/model.hpp>

namespace pasta_test {

/// A name with every kind of byte that an exporter got wrong: quotes, a backslash, a newline, control characters, a
/// byte that is not UTF-8.
inline std::string const hostile_name =
    std::string("a\"b\\c\n\t\r") + std::string("\x01\x1b[31m\0\x7f\xff", 9) + "<T,\"x\">";

/// A report with something in every field.
inline pasta::report_model full_report() {
  pasta::report_model r;
  r.header = {{"./transpose", "--size", "a b"},
              4711,
              "box",
              "probe",
              "host",
              "CPU engine, 2 threads, warp width 32",
              "0.1.0",
              "Debian GNU/Linux 12",
              "a processor",
              "g++ 12.2.0",
              "-O2 -g",
              "2026-01-31T12:00:00Z",
              1'234'567'890,
              "a GPU",
              "580.1",
              "13.0",
              12.5};
  r.is_complete = false;
  r.incomplete_reason = "killed by SIGSEGV";
  r.notes = {"A note."};

  pasta::tool_section tool;
  tool.tool = "coalescing";
  tool.options = {{"sector-bytes", "32"}};
  tool.tables = {
      {"program", {{"name", "", pasta::column_role::key}, {"value", "ns"}}, {{std::string("x"), std::uint64_t{3}}}}};
  tool.findings = {{pasta::severity::low, {}, "About the program.", "", {}}};

  pasta::kernel_section kernel;
  kernel.kernel = "transpose<float>";
  kernel.range = "epoch/step";
  kernel.launch = 3;
  kernel.grid = "32x32x1";
  kernel.block = "32x8x1";
  kernel.shared_bytes = 4096;
  kernel.duration_ns = std::numeric_limits<std::uint64_t>::max();
  kernel.losses = {10, 7, 2, 1, 1000, 5, {"a library kernel: no source"}};
  kernel.tables = {{"lines",
                    {{"file", "", pasta::column_role::key},
                     {"line", "", pasta::column_role::key},
                     {"requests", "", pasta::column_role::value},
                     {"efficiency", "1", pasta::column_role::value},
                     {"stride", "elements", pasta::column_role::value}},
                    {{std::string("/src/transpose.cpp"), std::uint64_t{21}, std::uint64_t{(1ULL << 53) + 1}, 0.125,
                      std::int64_t{-4}},
                     {std::string("/src/transpose.cpp"), std::uint64_t{22}, std::uint64_t{0}, {}, {}}}}};
  kernel.findings = {
      {pasta::severity::medium, {"/src/transpose.cpp", "f", 22, 5}, "Something small.", "Change it.", 1.5},
      {pasta::severity::high,
       {"/src/transpose.cpp", "f", 21, 9},
       "Stores are 1024 elements apart.",
       "Use a tile.",
       3.2}};
  tool.kernels = {kernel};
  r.tools = {tool};
  return r;
}

}  // namespace pasta_test
#endif
