// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/report/csv.hpp>

#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "samples.hpp"

using pasta::to_csv;
using pasta_test::contains_text;

namespace {

/// A report with one table of one text column.
pasta::report_model with_text(std::string const& text) {
  pasta::report_model r;
  r.tools.resize(1);
  r.tools[0].tool = "t";
  r.tools[0].tables = {{"x", {{"c", "", pasta::column_role::key}}, {{text}}}};
  return r;
}

std::string cell_of(std::string const& text) {
  std::string const csv = to_csv(with_text(text), "t", "x");
  std::string const before = "tool,kernel,launch,range,c\r\nt,,,,";
  REQUIRE(csv.substr(0, before.size()) == before);
  REQUIRE(csv.substr(csv.size() - 2) == "\r\n");
  return csv.substr(before.size(), csv.size() - before.size() - 2);
}

}  // namespace

TEST_CASE("a table of a kernel becomes rows with tool, kernel and launch first") {
  CHECK(to_csv(pasta_test::full_report(), "coalescing", "lines") ==
        "tool,kernel,launch,range,file,line,requests,efficiency,stride\r\n"
        "coalescing,transpose<float>,3,epoch/step,/src/transpose.cpp,21,9007199254740993,0.125,-4\r\n"
        "coalescing,transpose<float>,3,epoch/step,/src/transpose.cpp,22,0,,\r\n");
}

TEST_CASE("rows of a sample have what they are multiplied by") {
  auto report = pasta_test::full_report();
  report.tools.at(0).kernels.at(0).sampling = {100, 25, 1, 0, 0, 4, 5, 0};
  CHECK(to_csv(report, "coalescing", "lines") ==
        "tool,kernel,launch,range,sampling_scale,file,line,requests,efficiency,stride\r\n"
        "coalescing,transpose<float>,3,epoch/step,4,/src/transpose.cpp,21,9007199254740993,0.125,-4\r\n"
        "coalescing,transpose<float>,3,epoch/step,4,/src/transpose.cpp,22,0,,\r\n");
  CHECK(to_csv(report, "coalescing", "program") == "tool,kernel,launch,range,name,value\r\ncoalescing,,,,x,3\r\n");
}

TEST_CASE("rows have the route that saw them where a report has several") {
  auto report = pasta_test::full_report();
  report.tools.at(0).kernels.at(0).route = "patch";
  std::string const csv = to_csv(report, "coalescing", "lines");
  std::string const begin =
      "tool,kernel,launch,range,route,file,line,requests,efficiency,stride\r\n"
      "coalescing,transpose<float>,3,epoch/step,patch,/src/transpose.cpp,21,";
  CHECK(csv.substr(0, begin.size()) == begin);
  CHECK(to_csv(report, "coalescing", "program") == "tool,kernel,launch,range,name,value\r\ncoalescing,,,,x,3\r\n");
}

TEST_CASE("a table about the program has no kernel") {
  CHECK(to_csv(pasta_test::full_report(), "coalescing", "program") ==
        "tool,kernel,launch,range,name,value\r\ncoalescing,,,,x,3\r\n");
}

TEST_CASE("texts are quoted as RFC 4180 says") {
  CHECK(cell_of("plain") == "plain");
  CHECK(cell_of("a,b") == "\"a,b\"");
  CHECK(cell_of("a\"b") == "\"a\"\"b\"");
  CHECK(cell_of("\"\"") == "\"\"\"\"\"\"");
  CHECK(cell_of("a\nb") == "\"a\nb\"");
  CHECK(cell_of("\xff") == "\xff");
}

TEST_CASE("a text that a spreadsheet would run gets an apostrophe, and so does one that has it") {
  CHECK(cell_of("=1+1") == "'=1+1");
  CHECK(cell_of("+x") == "'+x");
  CHECK(cell_of("-x") == "'-x");
  CHECK(cell_of("@x") == "'@x");
  CHECK(cell_of("\tx") == "'\tx");
  CHECK(cell_of("'x") == "''x");
  CHECK(cell_of("=cmd,\"x\"") == "\"'=cmd,\"\"x\"\"\"");
}

TEST_CASE("a number that is not finite is empty") {
  auto r = with_text("x");
  r.tools[0].tables[0].rows = {
      {std::numeric_limits<double>::quiet_NaN()}, {std::numeric_limits<double>::infinity()}, {-1.5}};
  CHECK(to_csv(r, "t", "x") == "tool,kernel,launch,range,c\r\nt,,,,\r\nt,,,,\r\nt,,,,-1.5\r\n");
}

TEST_CASE("kernels whose tables differ in columns share the union of them") {
  auto r = with_text("x");
  r.tools[0].kernels.resize(2);
  r.tools[0].kernels[0].kernel = "k";
  r.tools[0].kernels[0].tables = {{"x",
                                   {{"d", "", pasta::column_role::key}, {"c", "", pasta::column_role::key}},
                                   {{std::string("1"), std::string("2")}}}};
  CHECK(to_csv(r, "t", "x") == "tool,kernel,launch,range,d,c\r\nt,k,,,1,2\r\nt,,,,,x\r\n");
}

TEST_CASE("the tables of a report are listed, and one that is not there is refused") {
  CHECK(pasta::csv_names(pasta_test::full_report()) ==
        std::vector<std::string>{"coalescing.lines", "coalescing.program"});
  CHECK_THROWS_WITH(to_csv(pasta_test::full_report(), "coalescing", "line"), "no table coalescing.line in this report");
}
