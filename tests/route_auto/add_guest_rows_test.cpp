// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <add_guest_rows.hpp>

#include <string>

#include "catch.hpp"

namespace {

using pasta::ptx::collected;
using pasta::ptx::collected_kernel;

collected_kernel& add_kernel(collected& to, std::string const& name, std::uint64_t launches) {
  collected_kernel& made = to.kernels.emplace_back();
  made.name = name;
  made.losses.launches_seen = made.losses.launches_delivered = launches;
  return made;
}

void touch(collected_kernel& by, std::uint64_t number, std::uint64_t address, std::uint64_t bytes) {
  pasta::touched_allocation touched;
  touched.allocation.number = number;
  touched.allocation.address = address;
  touched.allocation.size_bytes = bytes;
  touched.line_shift = 7;
  touched.page_shift = 16;
  touched.lines = {1};
  by.touched.merge(touched);
}

}  // namespace

TEST_CASE("a guest's kernels stand behind the host's, each with its route") {
  collected host, guest;
  add_kernel(host, "own", 3);
  add_kernel(host, "called", 0).losses = {};
  add_kernel(host, "unseen", 2).losses.launches_delivered = 0;
  add_kernel(guest, "own", 4);
  pasta::ptx::add_guest_rows(guest, host);
  REQUIRE(host.kernels.size() == 4);
  CHECK(host.kernels[0].route == "ptx");
  CHECK(host.kernels[1].route == "ptx");
  CHECK(host.kernels[2].route.empty());
  CHECK(host.kernels[3].name == "own");
  CHECK(host.kernels[3].route == "patch");
}

TEST_CASE("launches that a guest has seen are counted by name") {
  collected guest;
  add_kernel(guest, "a", 3).range = "one";
  add_kernel(guest, "a", 4).range = "other";
  add_kernel(guest, "b", 1);
  CHECK(pasta::ptx::count_launches(guest) == pasta::ptx::launches_by_name{{"a", 7}, {"b", 1}});
}

TEST_CASE("an allocation that both touched has the host's number, and no other has it") {
  collected host, guest;
  collected_kernel& own = add_kernel(host, "own", 1);
  touch(own, 0, 0x1000, 256);
  touch(own, 3, 0x9000, 512);
  collected_kernel& plain = add_kernel(guest, "plain", 1);
  touch(plain, 0, 0x5000, 64);   // the guest's alone
  touch(plain, 3, 0x1000, 256);  // the host's 0
  touch(plain, 7, 0x9000, 256);  // of another size: another one
  pasta::ptx::add_guest_rows(guest, host);
  auto const& touched = host.kernels[1].touched.allocations;
  REQUIRE(touched.size() == 3);
  CHECK(touched[0].allocation.number == 0);
  CHECK(touched[0].allocation.address == 0x1000);
  CHECK(touched[1].allocation.number == 4);
  CHECK(touched[1].allocation.address == 0x5000);
  CHECK(touched[2].allocation.number == 11);
}

TEST_CASE("an address that was allocated twice is not guessed") {
  collected host, guest;
  collected_kernel& own = add_kernel(host, "own", 1);
  touch(own, 1, 0x1000, 256);
  touch(own, 2, 0x1000, 256);
  touch(add_kernel(guest, "plain", 1), 1, 0x1000, 256);
  pasta::ptx::add_guest_rows(guest, host);
  CHECK(host.kernels[1].touched.allocations.at(0).allocation.number == 4);
}
