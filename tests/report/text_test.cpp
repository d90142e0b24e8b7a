// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/report/text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
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
  auto report = full_report();
  report.tools[0].kernels[0].duration_ns = 4'213'000;
  CHECK(to_text(report, {}) ==
        R"(PASTA 0.1.0  coalescing                                                      2026-01-31 12:00:00 UTC
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
  HIGH    transpose.cpp:21  in transpose<float> [epoch/step], launch 3          at most 3.20x faster
          Stores are 1024 elements apart.
          Use a tile.
  MEDIUM  transpose.cpp:22  in transpose<float> [epoch/step], launch 3          at most 1.50x faster
          Something small.
          Change it.
  LOW     whole program
          About the program.

coalescing  transpose<float> [epoch/step], launch 3
  grid 32x32x1  block 32x8x1  4,096 bytes shared  4.21 ms
    loss: 2 of 10 launches left out by choice, sampling or stop()
    loss: 1 of 10 launches did not end
    loss: 5 events dropped, 1,000 delivered
    loss: not seen: a library kernel: no source
  lines
                                                             stride
    place                          requests  efficiency  [elements]
    transpose.cpp:21  9,007,199,254,740,993       0.125          -4
    transpose.cpp:22                      0           -           -

coalescing  whole program
  program
          value
    name   [ns]
    x         3
)");
}

TEST_CASE("only what was asked for is shown") {
  pasta::text_options options;
  options.scope = pasta::text_scope::findings;
  std::string const text = to_text(full_report(), options);
  CHECK_THAT(text, contains_text("HIGH    transpose.cpp:21"));
  CHECK_THAT(text, contains_text("INCOMPLETE"));
  CHECK_THAT(text, !contains_text("compiler") && !contains_text("efficiency"));
}

TEST_CASE("a complete report without findings says so, and loss is shown only where there is some") {
  auto report = full_report();
  report.is_complete = true;
  report.tools[0].findings.clear();
  report.tools[0].kernels[0].findings.clear();
  report.tools[0].kernels[0].losses = {3, 3, 0, 0, 9, 0, {}};
  std::string const text = to_text(report, {});
  CHECK_THAT(text, contains_text("No findings"));
  CHECK_THAT(text, !contains_text("loss") && !contains_text("INCOMPLETE"));
}

TEST_CASE("a sample is told above what was counted in it, with the factor, the estimate and its error") {
  auto report = full_report();
  auto& sampling = report.tools[0].kernels[0].sampling;
  pasta::text_options options;
  options.width = 300;
  auto const has = [&](char const* text) { return to_text(report, options).find(text) != std::string::npos; };
  sampling = {100, 25, 0.1, 1000, 90, 44.5, 123456.4, 789.6};
  CHECK(
      has("sample: 25 of 100 launches (25 %), in them 90 of 1,000 blocks (9 %); what follows is of these alone, "
          "times 44.5 estimates all; events of all: 123,456 +- 790 (standard error)"));
  CHECK(has("sample: what follows is of what was analysed of each kernel, and not scaled"));
  sampling->events_error.reset();
  CHECK(has("events of all: 123,456, its error is not known"));
  sampling = pasta::sampling{3, 3, 0.01, 12, 0, 0, 0, {}};
  CHECK(has("sample: 0 of 12 blocks (0 %): nothing is known of it"));
  CHECK_FALSE(has("estimates all"));
  sampling = pasta::sampling{3, 3, 1, 0, 0, 1, 5, 0};
  CHECK_FALSE(has("sample:"));
}

TEST_CASE("a program without kernels is told apart from one that did not get so far") {
  auto report = full_report();
  report.is_complete = true;
  report.tools[0].kernels.clear();
  CHECK_THAT(to_text(report, {}), contains_text("coalescing  no kernel was launched"));
  report.is_complete = false;
  CHECK_THAT(to_text(report, {}), !contains_text("no kernel was launched"));
}

TEST_CASE("no name can send a control character to the terminal") {
  auto report = full_report();
  std::string const& bad = pasta_test::hostile_name;
  auto& header = report.header;
  for (std::string* text : {&header.host_name, &header.route, &header.vendor, &header.device, &header.pasta_version,
                            &header.os, &header.cpu, &header.compiler, &header.compiler_flags, &header.date,
                            &header.gpu, &header.driver, &header.cuda, &report.incomplete_reason}) {
    *text = bad;
  }
  header.command = {bad, bad};
  report.notes = {bad};
  auto& tool = report.tools[0];
  tool.tool = bad;
  tool.options = {{bad, bad}};
  auto& kernel = tool.kernels[0];
  kernel.kernel = kernel.grid = kernel.block = bad;
  kernel.losses.not_instrumentable = {bad};
  kernel.tables[0].name = bad;
  for (auto& column : kernel.tables[0].columns) column.unit = bad;
  kernel.tables[0].rows[0][0] = bad;
  tool.tables[0].columns = {{bad, bad, pasta::column_role::key}, {"b" + bad, bad, pasta::column_role::value}};
  tool.tables[0].rows[0][0] = bad;
  for (auto& f : kernel.findings) {
    f.message = f.advice = f.place.file = f.place.function = bad;
  }
  for (char const c : to_text(report, {})) CHECK((c == '\n' || (c >= 0x20 && c < 0x7F)));
  pasta::text_options colored;
  colored.color = pasta::text_color::always;
  std::string const text = to_text(report, colored);
  CHECK_THAT(text, contains_text("\x1b[1m"));
  CHECK_THAT(text, !contains_text("\x1b[31mA") && !contains_text(bad));
}

TEST_CASE("the line of the source stands beside its row and its finding") {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "pasta-text-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  std::string const file = folder + "/transpose.cpp";
  std::ofstream(file) << std::string(20, '\n') << "\tout[x] = in[y]; // \x1b[31m red\r\n";
  auto report = full_report();
  report.tools[0].kernels[0].findings[1].place.file = file;
  report.tools[0].kernels[0].tables[0].rows[0][0] = file;
  pasta::text_options options;
  options.folder = folder;
  std::string const text = to_text(report, options);
  CHECK_THAT(text, contains_text("          | out[x] = in[y]; // \\x1b[31m red\n          Stores are 1024"));
  CHECK_THAT(text, contains_text("-4\n        | out[x] = in[y]; // \\x1b[31m red\n"));
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_THAT(to_text(report, options), !contains_text("| out"));  // and does not wait for a writer
  fs::remove_all(folder);
}

TEST_CASE("files are named relative to the folder, by base name where that is enough, else in full") {
  auto report = full_report();
  auto& rows = report.tools[0].kernels[0].tables[0].rows;
  pasta::text_options options;
  options.folder = "/src";
  CHECK_THAT(to_text(report, options), contains_text("    transpose.cpp:21"));
  options.folder = "/elsewhere";
  CHECK_THAT(to_text(report, options), contains_text("    transpose.cpp:21"));
  rows[1][0] = std::string("/other/transpose.cpp");
  CHECK_THAT(to_text(report, options),
             contains_text("    /src/transpose.cpp:21") && contains_text("    /other/transpose.cpp:22"));
  options.folder = "/other";
  CHECK_THAT(to_text(report, options),
             contains_text("    /src/transpose.cpp:21") && contains_text("    transpose.cpp:22"));
}

TEST_CASE("the column is shown where a line has several sites") {
  auto report = full_report();
  auto& table = report.tools[0].kernels[0].tables[0];
  table.columns = {{"file", "", pasta::column_role::key},
                   {"line", "", pasta::column_role::key},
                   {"column", "", pasta::column_role::key}};
  auto const row = [](std::uint64_t line, std::uint64_t column) {
    return std::vector<pasta::cell>{std::string("a.cpp"), line, column};
  };
  table.rows = {row(1, 3), row(2, 5)};
  CHECK_THAT(to_text(report, {}), contains_text("    a.cpp:1\n    a.cpp:2\n"));
  table.rows.push_back(row(2, 9));
  CHECK_THAT(to_text(report, {}), contains_text("    a.cpp:1:3\n    a.cpp:2:5\n    a.cpp:2:9\n"));
}

TEST_CASE("numbers are readable and exact") {
  auto const shown = [](std::string const& unit, std::vector<pasta::cell> const& cells, std::size_t i) {
    return pasta::number_format(numbers(unit, cells), 0)(cells[i]);
  };
  using whole = std::uint64_t;
  CHECK(shown("", {whole{1234567}}, 0) == "1,234,567");
  CHECK(shown("", {whole{999}}, 0) == "999");
  CHECK(shown("", {~whole{0}}, 0) == "18,446,744,073,709,551,615");
  CHECK(shown("", {std::int64_t{-1234}}, 0) == "-1,234");
  CHECK(shown("1", {0.12345}, 0) == "0.123");
  CHECK(shown("1", {0.12345, 1234.5}, 0) == "0.12");
  CHECK(shown("1", {0.12345, 1234.5}, 1) == "1,234.50");
  CHECK(shown("1", {1e-7}, 0) == "1.0e-07");
  CHECK(shown("", {pasta::cell()}, 0) == "-");
  CHECK(shown("", {std::numeric_limits<double>::quiet_NaN()}, 0) == "-");
  CHECK(shown("bytes", {whole{4096}, whole{8192}}, 1) == "8");
  CHECK(pasta::number_format(numbers("bytes", {whole{4096}}), 0).unit() == "KiB");
  CHECK(shown("bytes", {whole{4096}, whole{4097}}, 0) == "4,096");
  CHECK(pasta::number_format(numbers("bytes", {whole{4096}, whole{4097}}), 0).unit() == "bytes");
  CHECK(pasta::number_format(numbers("bytes", {whole{0}}), 0).unit() == "bytes");
  CHECK(pasta::readable_time(999) == "999 ns");
  CHECK(pasta::readable_time(999'600) == "1 ms");
  CHECK(pasta::readable_time(4'213'000) == "4.21 ms");
  CHECK(pasta::readable_time(75'000'000'000) == "75.0 s");
}

TEST_CASE("a long table is cut and counted, a wide one keeps to the width") {
  auto report = full_report();
  auto& table = report.tools[0].kernels[0].tables[0];
  table.rows.assign(1050, table.rows[1]);
  pasta::text_options options;
  CHECK_THAT(to_text(report, options), contains_text("    1,010 more rows in the JSON file\n"));
  report = full_report();
  report.tools[0].kernels[0].kernel = std::string(300, 'k');
  report.tools[0].kernels[0].findings[0].message =
      std::string(40, 'm') + ' ' + std::string(40, 'n') + ' ' + std::string(40, 'o');
  report.tools[0].kernels[0].tables[0].rows[0][0] = "/src/" + std::string(300, 'f') + ".cpp";
  CHECK(longest_line(to_text(report, options)) <= 100);
}

TEST_CASE("colors are for terminals without NO_COLOR") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(pasta::text_options_for(ends[1]).color == pasta::text_color::never);
  ::close(ends[0]);
  ::close(ends[1]);
  int const terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) return;
  ::unsetenv("NO_COLOR");
  CHECK(pasta::text_options_for(terminal).color == pasta::text_color::always);
  ::setenv("NO_COLOR", "1", 1);
  CHECK(pasta::text_options_for(terminal).color == pasta::text_color::never);
  ::unsetenv("NO_COLOR");
  ::close(terminal);
}

TEST_CASE("a table that is too wide says once what is the same in all rows, and keeps its places whole") {
  auto report = full_report();
  auto& table = report.tools[0].kernels[0].tables[0];
  table.columns.insert(table.columns.begin() + 2,
                       {{"space", "", pasta::column_role::key}, {"size", "bytes", pasta::column_role::key}});
  for (auto& row : table.rows) row.insert(row.begin() + 2, {std::string("global"), std::uint64_t{4}});
  CHECK_THAT(to_text(report, {}), contains_text("place             space ") && !contains_text("all rows"));
  pasta::text_options narrow;
  narrow.width = 75;
  std::string const text = to_text(report, narrow);
  CHECK_THAT(text, contains_text("  lines  (all rows: space global, size 4 bytes)\n"));
  CHECK_THAT(text, contains_text("    transpose.cpp:21  9,007,199,254,740,993       0.125          -4\n"));
}
