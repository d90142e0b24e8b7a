// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <launch_share.hpp>

#include <string>
#include <utility>

#include "catch.hpp"

namespace {

pasta::kernel_section section(std::string name, std::string route, pasta::loss losses) {
  pasta::kernel_section made;
  made.kernel = std::move(name);
  made.route = std::move(route);
  made.losses = std::move(losses);
  return made;
}

pasta::report_model report_of(std::string route, std::vector<pasta::kernel_section> kernels) {
  pasta::report_model made;
  made.header.route = std::move(route);
  made.tools.emplace_back().kernels = std::move(kernels);
  pasta::collecting::tell_share(made);
  return made;
}

pasta::loss launches(std::uint64_t seen, std::uint64_t delivered, std::uint64_t left_out, std::uint64_t lost,
                     std::vector<std::string> why = {}) {
  pasta::loss made;
  made.launches_seen = seen;
  made.launches_delivered = delivered;
  made.launches_sampled_out = left_out;
  made.launches_lost = lost;
  made.not_instrumentable = std::move(why);
  return made;
}

}  // namespace

TEST_CASE("the header of a report of route auto says what each route saw, and why the rest was not") {
  auto const report = report_of(
      "auto", {section("own", "ptx", launches(96, 96, 0, 0)), section("gemm", "patch", launches(4000, 4000, 0, 0)),
               section("odd", "", launches(4, 0, 0, 0, {"4 launches: no counters"}))});
  CHECK(
      report.header.seen ==
      "2 of 3 kernels, 4,096 of 4,100 launches: 96 by ptx (2.34 %), 4,000 by patch (97.6 %); 4 not seen: no counters");
  CHECK(report.notes.empty());
}

TEST_CASE("launches that were left out or lost are no launches that were not seen") {
  auto const report = report_of(
      "auto", {section("own", "ptx", launches(10, 5, 4, 1)), section("a function that is called", "ptx", {})});
  CHECK(report.header.seen ==
        "1 of 1 kernels, 5 of 10 launches: 5 by ptx (50 %), 0 by patch (0 %); 4 left out by choice; 1 lost");
}

TEST_CASE("a reason is said once, and of many the first three") {
  std::vector<pasta::kernel_section> kernels;
  for (char const* why : {"1 launch: a", "2 launches: a", "d", "c", "b"})
    kernels.push_back(section(why, "", launches(1, 0, 0, 0, {why})));
  std::string const seen = report_of("auto", kernels).header.seen;
  CHECK(seen.substr(seen.find("; 5 not")) == "; 5 not seen: a; b; c; …");
}

TEST_CASE("a report of one route has a note where not all launches were analysed") {
  auto const report = report_of("ptx", {section("own", "", launches(3, 3, 0, 0)),
                                        section("plain", "", launches(1, 0, 0, 0, {"1 launch: no counters"}))});
  CHECK(report.header.seen.empty());
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] ==
        "Route ptx: of 4 launches 3 were analysed (75 %), and 1 could not be; their kernels say why (route patch sees "
        "machine code as it is).");
  CHECK(report_of("ptx", {section("own", "", launches(3, 3, 0, 0))}).notes.empty());
}
