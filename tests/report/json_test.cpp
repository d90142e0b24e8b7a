// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/report/json.hpp>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <pasta/report/text.hpp>
#include <random>
#include <string>
#include <vector>

#include <pasta/report/read_json.hpp>

#include "catch.hpp"
#include "samples.hpp"

using pasta::from_json;
using pasta::report_error;
using pasta::to_json;
using pasta_test::contains_text;
using pasta_test::full_report;
using pasta_test::hostile_name;

namespace {

/// The sample as a JSON tree, to be damaged.
nlohmann::json tree() { return nlohmann::json::parse(to_json(full_report())); }

std::string refusal(std::string const& text) {
  try {
    from_json(text);
  } catch (report_error const& e) {
    return e.what();
  }
  return "accepted";
}

/// The report with one cell, after a round trip.
pasta::cell round_trip(pasta::cell const& value) {
  pasta::report_model r;
  r.tools.resize(1);
  r.tools[0].tables = {{"t", {{"c", "", pasta::column_role::value}}, {{value}}}};
  return from_json(to_json(r)).tools.at(0).tables.at(0).rows.at(0).at(0);
}

}  // namespace

TEST_CASE("a report survives writing and reading") {
  auto const before = full_report();
  auto const after = from_json(to_json(before));
  CHECK(to_json(after) == to_json(before));
  CHECK(after.header.command == before.header.command);
  CHECK(after.header.slowdown == before.header.slowdown);
  CHECK_FALSE(after.is_complete);
  CHECK(after.tools.at(0).kernels.at(0).launch == 3U);
  CHECK(after.tools.at(0).kernels.at(0).duration_ns == std::numeric_limits<std::uint64_t>::max());
  CHECK(after.tools.at(0).kernels.at(0).tables.at(0).rows == before.tools.at(0).kernels.at(0).tables.at(0).rows);
  CHECK(after.tools.at(0).kernels.at(0).losses.not_instrumentable ==
        before.tools.at(0).kernels.at(0).losses.not_instrumentable);
  CHECK(after.tools.at(0).kernels.at(0).findings.at(1).gain_at_most == 3.2);
}

TEST_CASE("a sample survives writing and reading, and is not written where there is none") {
  auto report = full_report();
  CHECK_FALSE(tree().at("tools").at(0).at("kernels").at(0).contains("sampling"));
  report.tools.at(0).kernels.at(0).sampling = {100, 25, 0.1, 1000, 90, 44.5, 123456.5, std::nullopt};
  auto const after = from_json(to_json(report));
  CHECK(to_json(after) == to_json(report));
  REQUIRE(after.tools.at(0).kernels.at(0).sampling);
  CHECK(after.tools.at(0).kernels.at(0).sampling->blocks_taken == 90);
  CHECK(after.tools.at(0).kernels.at(0).sampling->scale == 44.5);
  CHECK_FALSE(after.tools.at(0).kernels.at(0).sampling->events_error);
}

TEST_CASE("which route saw a kernel survives writing and reading, and is not written where there is one") {
  CHECK_FALSE(tree().at("header").contains("seen"));
  CHECK_FALSE(tree().at("tools").at(0).at("kernels").at(0).contains("route"));
  auto report = full_report();
  report.header.seen = "1 of 1 kernels";
  report.tools.at(0).kernels.at(0).route = "ptx";
  auto const read = from_json(to_json(report));
  CHECK(read.header.seen == "1 of 1 kernels");
  CHECK(read.tools.at(0).kernels.at(0).route == "ptx");
}

TEST_CASE("a strict parser reads the report of an empty and of a full model") {
  CHECK(nlohmann::json::parse(to_json({})).at("schema") == "pasta-report/1");
  auto const parsed = tree();
  CHECK(parsed.at("tools").at(0).at("kernels").at(0).at("tables").at(0).at("rows").at(0).at(2) == (1ULL << 53) + 1);
  CHECK(parsed.at("header").at("slowdown") == 12.5);
  CHECK(parsed.at("tools").at(0).at("kernels").at(0).at("losses").at("launches_sampled_out") == 2);
}

TEST_CASE("any byte string survives as a name") {
  std::vector<std::string> names{
      hostile_name, "", std::string(1, '\0'), "\xc3\xa9", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xe2\x82"};
  for (int byte = 0; byte < 256; ++byte) names.push_back(std::string("x") + static_cast<char>(byte) + "y");
  for (std::string const& name : names) {
    pasta::report_model r;
    r.header.command = {name};
    r.tools.resize(1);
    r.tools[0].kernels.resize(1);
    r.tools[0].kernels[0].kernel = name;
    std::string const text = to_json(r);
    CHECK_NOTHROW(nlohmann::json::parse(text));
    auto const after = from_json(text);
    CHECK(after.tools.at(0).kernels.at(0).kernel == name);
    CHECK(after.header.command.at(0) == name);
  }
}

TEST_CASE("a name that is not UTF-8 is written as its bytes") {
  pasta::report_model r;
  r.notes = {"a\xff"};
  CHECK(nlohmann::json::parse(to_json(r)).at("notes").at(0) == nlohmann::json{{"bytes_hex", "61ff"}});
}

TEST_CASE("numbers in cells keep their value and kind") {
  using unsigned_integer = std::uint64_t;
  using signed_integer = std::int64_t;
  for (unsigned_integer const n : {0ULL, 1ULL, (1ULL << 53) + 1, ~0ULL}) CHECK(round_trip(n) == pasta::cell(n));
  for (signed_integer const n : {signed_integer{-1}, std::numeric_limits<signed_integer>::min()})
    CHECK(round_trip(n) == pasta::cell(n));
  CHECK(round_trip(signed_integer{5}) == pasta::cell(unsigned_integer{5}));
  for (double const x : {0.0, 4.0, 0.1, 1e300, 5e-324, -2.5, 1e17, std::numeric_limits<double>::max()})
    CHECK(round_trip(x) == pasta::cell(x));
}

TEST_CASE("a number that is not finite is null") {
  double const infinity = std::numeric_limits<double>::infinity();
  for (double const x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(round_trip(x) == pasta::cell());
    pasta::report_model r;
    r.header.slowdown = x;
    CHECK(nlohmann::json::parse(to_json(r)).at("header").at("slowdown").is_null());
  }
}

TEST_CASE("text that is not a report is refused with one line") {
  CHECK(refusal("") == "not a report: it is empty");
  CHECK(refusal(" \n ") == "not a report: it is empty");
  CHECK(refusal("hello") == "not JSON: wrong at byte 1");
  CHECK(refusal("{} x") == "not JSON: wrong at byte 4");
  CHECK(refusal("[]") == "not a report: it has no field schema");
  CHECK(refusal("{}") == "not a report: it has no field schema");
  CHECK(refusal("{\"schema\": 1e999}") == "not JSON: a number is out of range");
  CHECK(refusal("{\"schema\": \"pasta-report/2\"}") ==
        "its schema is \"pasta-report/2\"; this version reads \"pasta-report/1\"");
  CHECK(refusal("{\"schema\": \"\\u001b[31m\\n\"}").find_first_of("\x1b\n") == std::string::npos);
}

TEST_CASE("a report cut short at any byte is refused") {
  std::string const text = to_json(full_report());
  std::size_t const end = text.find_last_of('}');
  for (std::size_t size = 1; size <= end; ++size) {
    INFO("size " << size);
    CHECK_THAT(refusal(text.substr(0, size)), contains_text("cut short"));
  }
}

TEST_CASE("a missing field is named") {
  auto damaged = tree();
  damaged["tools"][0]["kernels"][0]["losses"].erase("events_dropped");
  CHECK(refusal(damaged.dump()) == "missing field tools[0].kernels[0].losses.events_dropped");
  damaged = tree();
  damaged.erase("header");
  CHECK(refusal(damaged.dump()) == "missing field header");
}

TEST_CASE("each field is required and has its type") {
  auto const whole = tree().flatten();
  // Removes, then replaces, one leaf after the other.
  for (auto const& leaf : whole.items()) {
    auto const pointer = nlohmann::json::json_pointer(leaf.key());
    if (pointer.back().find_first_not_of("0123456789") != std::string::npos) {
      auto damaged = tree();
      damaged[pointer.parent_pointer()].erase(pointer.back());
      INFO(leaf.key());
      CHECK(refusal(damaged.dump()) != "accepted");
    }
    auto damaged = tree();
    damaged[pointer] = nlohmann::json::array({nlohmann::json::object()});
    INFO(leaf.key());
    CHECK(refusal(damaged.dump()) != "accepted");
  }
}

TEST_CASE("a wrong type is named with its place") {
  auto damaged = tree();
  damaged["header"]["pid"] = -1;
  CHECK(refusal(damaged.dump()) == "header.pid: expected an integer from 0 to 2^64 - 1, found another number");
  damaged = tree();
  damaged["tools"][0]["kernels"][0]["findings"][0]["place"]["line"] = 1ULL << 32;
  CHECK_THAT(refusal(damaged.dump()),
             contains_text("kernels[0].findings[0].place.line: expected an integer from 0 to 2^32 - 1"));
  damaged = tree();
  damaged["tools"][0]["kernels"][0]["findings"][0]["severity"] = "urgent";
  CHECK_THAT(refusal(damaged.dump()), contains_text("severity: expected \"low\", \"medium\" or \"high\""));
  damaged = tree();
  damaged["notes"] = "one";
  CHECK(refusal(damaged.dump()) == "notes: expected a list, found string");
  damaged = tree();
  damaged["notes"][0] = {{"bytes_hex", "6"}};
  CHECK_THAT(refusal(damaged.dump()), contains_text("notes[0].bytes_hex: expected an even number of digits"));
  damaged["notes"][0] = {{"bytes_hex", "6G"}};
  CHECK_THAT(refusal(damaged.dump()), contains_text("notes[0].bytes_hex"));
}

TEST_CASE("a row with another number of cells than columns is refused") {
  auto damaged = tree();
  damaged["tools"][0]["kernels"][0]["tables"][0]["rows"][1].push_back(1);
  CHECK(refusal(damaged.dump()) ==
        "tools[0].kernels[0].tables[0].rows[1]: expected 5 cells, one for each column, found 6");
}

TEST_CASE("a field that is not known is ignored") {
  auto extended = tree();
  extended["header"]["color"] = {1, 2, 3};
  CHECK(refusal(extended.dump()) == "accepted");
}

TEST_CASE("deep, wide and endless JSON is refused before it costs memory") {
  CHECK(refusal(std::string(10'000'000, '[')) == "not a report: nested too deeply");
  std::string wide = "{";
  for (int i = 0; i < 100'000; ++i) wide += "\"k" + std::to_string(i) + "\":1,";
  CHECK_THAT(refusal(wide), contains_text("more fields than any report has"));
  CHECK_THAT(refusal(std::string(pasta::report_size_limit_bytes + 1, '1')), contains_text("more than the limit"));
}

TEST_CASE("a damaged report is read or refused, never worse, and what is read can be shown and written") {
  std::string const whole = to_json(full_report());
  std::mt19937 random(4711);
  auto const below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  std::string const bytes = "\"\\{}[],:0123456789-+eE.nulltruefalse \n\x01\xff";
  std::size_t accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = whole;
    for (std::size_t change = 0; change <= below(3); ++change) {
      std::size_t const at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = bytes[below(bytes.size())];
          break;
        case 1:
          text.erase(at, 1 + below(20));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(40)));
      }
    }
    try {
      auto const report = from_json(text);
      ++accepted;
      CHECK(to_json(from_json(to_json(report))) == to_json(report));
      std::string const shown = pasta::to_text(report, {});
      for (char const c : shown) {
        if (c != '\n' && static_cast<unsigned char>(c) < 0x20) FAIL("a control character in the text");
      }
    } catch (report_error const& e) {
      CHECK(std::string(e.what()).find('\n') == std::string::npos);
    }
  }
  CHECK(accepted > 100);  // else the changes are too coarse to test what is behind the parser
}
