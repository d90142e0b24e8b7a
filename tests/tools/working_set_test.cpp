// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <bit>
#include <pasta/testing.hpp>
#include <thread>
#include <working_set.hpp>

#include "catch.hpp"

namespace {

// Addresses that nobody reads: events are fed.
constexpr std::uint64_t page = 65536, base = std::uint64_t{1} << 40;
constexpr pasta::lane_mask warp = 0xffffffff;

template <class Fixture>
void allocate(Fixture& test, std::uint64_t address, std::uint64_t bytes) {
  test.happened(pasta::allocation{address, bytes, 0, 0});
}
template <class Fixture>
void release(Fixture& test, std::uint64_t address) {
  test.happened(pasta::deallocation{address, 0, 0, 0});
}
// Lane i accesses so many bytes at address + i * step.
template <class Fixture>
void access(Fixture& test, std::uint64_t address, std::uint64_t step, std::uint32_t bytes,
            pasta::lane_mask lanes = warp) {
  test.feed(lanes, [=](std::uint32_t lane) {
    return pasta::memory_access{0, address + lane * step, bytes, pasta::access_kind::load, pasta::memory_space::global,
                                0};
  });
}

template <class Fixture>
pasta::touched_memory touched_by(Fixture& test) {
  return test.results().kernels.at(0).touched;
}

pasta::table const& table_of(pasta::kernel_section const& kernel, std::string const& name) {
  for (auto const& table : kernel.tables) {
    if (table.name == name) return table;
  }
  throw std::runtime_error("no table " + name);
}
std::uint64_t number(pasta::cell const& of) { return std::get<std::uint64_t>(of); }
double real(pasta::cell const& of) { return std::get<double>(of); }

struct write_own {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> a, std::uint32_t n) const {
    auto const i = static_cast<std::uint32_t>(t.index());
    if (i < n) a[i] = 1;
  }
};

}  // namespace

TEST_CASE("working_set counts distinct lines, distinct pages, and accesses by page") {
  pasta::testing::fixture<working_set> test;
  allocate(test, base, 4 * page);
  for (int again = 0; again < 3; ++again) access(test, base, 4, 4);  // one line
  access(test, base + page, 256, 4);                                 // 32 lines of 8192 bytes
  access(test, base + 3 * page + 64, 0, 4, 0xff);                    // 8 lanes, one line
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 1);
  auto const& of = touched.allocations[0];
  CHECK(touched.unknown_accesses == 0);
  CHECK(of.allocation.size_bytes == 4 * page);
  CHECK(of.line_bytes() == 128);
  CHECK(of.line_grain_bytes() == (1 + 32 + 1) * 128);
  CHECK(of.page_grain_bytes() == 3 * page);
  CHECK(of.page_accesses == std::vector<std::uint64_t>{96, 32, 0, 8});
  CHECK(of.lines_in_page(0) == 1);
  CHECK(of.lines_in_page(1) == 32);
  CHECK(of.lines_in_page(2) == 0);
}

TEST_CASE("working_set charges an address in no allocation to nobody") {
  pasta::testing::fixture<working_set> test;
  allocate(test, base, 100);        // ends within its line
  allocate(test, base + 256, 256);  // of the same page
  access(test, base + 100, 1, 1, 0xf);
  access(test, base - 4, 0, 4, 0x3);
  access(test, base + 512, 0, 4, 0x1);
  CHECK(touched_by(test).allocations.empty());
  CHECK(touched_by(test).unknown_accesses == 7);
  access(test, base + 98, 0, 4, 0x1);  // two bytes of it, two beyond
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 1);
  CHECK(touched.allocations[0].line_grain_bytes() == 100);
  CHECK(touched.allocations[0].accesses() == 1);
  CHECK(touched.unknown_accesses == 8);
}

TEST_CASE("working_set tells allocations apart that share a line") {
  pasta::testing::fixture<working_set> test;
  allocate(test, base, 64);
  allocate(test, base + 64, 64);
  access(test, base + 64, 2, 2);
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 1);
  CHECK(touched.allocations[0].allocation.number == 1);
  CHECK(touched.allocations[0].line_grain_bytes() == 64);
}

TEST_CASE("working_set counts an access that crosses lines in each of them") {
  pasta::testing::fixture<working_set> test;
  allocate(test, base + 16, 1024);
  access(test, base + 120, 0, 16, 0x1);
  access(test, base + 128 + 100, 0, 512, 0x1);
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 1);
  CHECK(touched.allocations[0].line_grain_bytes() == 112 + 5 * 128);  // its first line has 112 bytes of it
  CHECK(touched.allocations[0].accesses() == 2);
}

TEST_CASE("working_set tells an address that is allocated again from what it was") {
  pasta::testing::fixture<working_set> test;
  allocate(test, base, page);
  access(test, base, 4, 4);
  release(test, base);
  access(test, base, 4, 4, 0x7);
  allocate(test, base, 2 * page);
  access(test, base + 128, 128, 4);
  allocate(test, base + page, page);  // the release of the one before was not seen
  access(test, base, 4, 4, 0x1);
  access(test, base + page, 4, 4);
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 3);
  CHECK(touched.unknown_accesses == 4);
  CHECK(touched.allocations[0].allocation.size_bytes == page);
  CHECK(touched.allocations[0].line_grain_bytes() == 128);
  CHECK(touched.allocations[1].allocation.size_bytes == 2 * page);
  CHECK(touched.allocations[1].line_grain_bytes() == 32 * 128);
  CHECK(touched.allocations[2].line_grain_bytes() == 128);
}

TEST_CASE("working_set sees allocations between launches") {
  pasta::testing::fixture<working_set> test;
  for (std::uint64_t i = 0; i < 100; ++i) {
    allocate(test, base + i * page, page / 2);
    for (std::uint64_t of = 0; of <= i; ++of) access(test, base + of * page + i * 128, 4, 4);
  }
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 100);
  for (std::uint64_t i = 0; i < 100; ++i) {
    CHECK(touched.allocations[i].line_grain_bytes() == (100 - i) * 128);
    CHECK(touched.allocations[i].accesses() == (100 - i) * 32);
  }
}

namespace {

// Between two writes of the kernel another thread releases memory.
std::atomic<int> step{0};
struct write_around_a_release {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>&, pasta::traced<float, Probe> a) const {
    a[0] = 1;
    step = 1;
    while (step != 2) std::this_thread::yield();
    a[32] = 2;
  }
};

}  // namespace

TEST_CASE("working_set reads what is released while a kernel runs when it has ended") {
  pasta::testing::fixture<working_set> test;
  pasta::buffer<float> const a(64);
  auto const address = reinterpret_cast<std::uint64_t>(a.device_pointer());
  allocate(test, address, 64 * sizeof(float));
  allocate(test, base, page);
  step = 0;
  std::thread other([&] {
    while (step != 1) std::this_thread::yield();
    release(test, address);
    release(test, base);
    allocate(test, base, 2 * page);
    step = 2;
  });
  test.launch(write_around_a_release{}, {1, 1}, a);
  other.join();
  auto const found = touched_by(test);
  CHECK(found.unknown_accesses == 0);
  REQUIRE(found.allocations.size() == 1);
  CHECK(found.allocations[0].allocation.number == 0);
  REQUIRE(found.allocations[0].lines.size() == 1);
  CHECK(std::popcount(found.allocations[0].lines[0]) == 2);
}

TEST_CASE("working_set makes its grain coarser where memory would pass the limit, and says so") {
  pasta::testing::fixture<working_set> test({.options = {{"memory", "1"}}});
  std::uint64_t const gib = std::uint64_t{1} << 30;
  allocate(test, base, gib / 2);
  access(test, base + 384, 0, 4, 0x1);  // 512 KiB of bits, 64 of counts
  CHECK(touched_by(test).allocations.at(0).line_bytes() == 128);
  allocate(test, base + 4 * gib, 4 * gib);
  access(test, base + 512, 0, 4, 0x1);
  access(test, base + 4 * gib, 1024, 4);
  auto const touched = touched_by(test);
  REQUIRE(touched.allocations.size() == 2);
  CHECK(touched.unknown_accesses == 0);
  std::uint64_t const line = touched.allocations[1].line_bytes();
  CHECK(line == 2048);  // 4.5 GiB: 288 KiB of bits, 576 of counts
  CHECK(touched.allocations[0].line_grain_bytes() == 2048);
  CHECK(touched.allocations[0].accesses() == 2);
  CHECK(touched.allocations[1].line_grain_bytes() == 16 * 2048);
  static_cast<void>(test.report());
  bool is_said = false;
  for (auto const& note : test.notes()) is_said |= note.find("a bit is for 2048 bytes, not for 128") != note.npos;
  CHECK(is_said);
}

TEST_CASE("working_set says what it does not know where even the coarsest grain is too much") {
  pasta::testing::fixture<working_set> test({.options = {{"memory", "1"}}});
  allocate(test, base, std::uint64_t{64} << 30);
  access(test, base, 4, 4);
  CHECK(touched_by(test).allocations.empty());
  static_cast<void>(test.report());
  bool is_said = false;
  for (auto const& note : test.notes()) is_said |= note.find("1 launches found no shadow memory") != note.npos;
  CHECK(is_said);
}

TEST_CASE("working_set's shadow memory is a 1024th of what is tracked, and a count for each page") {
  pasta::testing::fixture<working_set> test;
  allocate(test, base, 64 << 20);
  access(test, base, 4, 4);
  static_cast<void>(test.report());
  REQUIRE(test.notes().size() == 1);
  CHECK(test.notes()[0] ==
        "shadow memory: at most 73 KiB at a time, for 65536 KiB that the program had allocated; a bit for 128 bytes, a "
        "count for 64 KiB");
}

TEST_CASE("working_set counts each kernel and, where launches are kept apart, each launch by itself") {
  pasta::buffer<float> a(1024);
  auto const threads = GENERATE(1u, 3u);
  auto const width = GENERATE(32u, 64u);
  pasta::testing::fixture<working_set> test({.warp_width = width, .threads = threads, .per = pasta::scope::launch});
  allocate(test, reinterpret_cast<std::uintptr_t>(a.device_pointer()), 4096);
  test.launch(write_own{}, {8, 128}, a, 1024u);
  test.launch(write_own{}, {8, 128}, a, 8u);
  auto const kernels = test.results().kernels;
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].touched.allocations.at(0).line_grain_bytes() == 4096);
  CHECK(kernels[0].touched.allocations.at(0).accesses() == 1024);
  CHECK(kernels[1].touched.allocations.at(0).line_grain_bytes() == 128);
  CHECK(kernels[1].touched.allocations.at(0).accesses() == 8);
}

TEST_CASE("working_set's report has totals, allocations, and the hottest pages first") {
  pasta::testing::fixture<working_set> test({.options = {{"hottest", "2"}}});
  allocate(test, base, 2 * page);
  allocate(test, base + 8 * page, page);
  access(test, base + page, 4, 4);
  access(test, base, 4, 4, 0xf);
  access(test, base + 8 * page, 4, 4);
  access(test, base + 8 * page + 128, 4, 4, 0xff);
  access(test, base + 4 * page, 4, 4, 0x1);
  auto const kernel = test.report().at(0).kernels.at(0);
  auto const totals = table_of(kernel, "totals").rows.at(0);
  CHECK(number(totals[0]) == 2);
  CHECK(number(totals[1]) == 3 * page);
  CHECK(number(totals[2]) == 4 * 128);
  CHECK(number(totals[3]) == 3 * page);
  CHECK(real(totals[4]) == 512.0 / (3 * page));
  CHECK(number(totals[5]) == 128);
  CHECK(number(totals[6]) == page);
  CHECK(number(totals[7]) == 76);
  CHECK(number(totals[8]) == 1);
  CHECK(table_of(kernel, "allocations").rows.size() == 2);
  auto const& pages = table_of(kernel, "hottest_pages").rows;
  REQUIRE(pages.size() == 2);
  CHECK(number(pages[0][0]) == 1);
  CHECK(number(pages[0][1]) == 0);
  CHECK(number(pages[0][2]) == 40);
  CHECK(number(pages[0][4]) == 2);
  CHECK(number(pages[1][0]) == 0);
  CHECK(number(pages[1][1]) == page);
  CHECK(number(pages[1][2]) == 32);
}
