// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <coalescing.hpp>
#include <pasta/testing.hpp>
#include <set>

#include "catch.hpp"

namespace {

using pasta_test::contains_text;

struct expected {
  std::uint64_t sectors = 0, needed = 0;
};

// Straight from the definition: the set of sectors and the set of bytes that the lanes touch.
template <class Address>
expected count_naively(pasta::lane_mask lanes, Address&& address_of, std::uint64_t size,
                       std::uint64_t sector_bytes = 32) {
  std::set<std::uint64_t> sectors, bytes;
  for (std::uint32_t lane = 0; lane < 64; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    for (std::uint64_t i = 0; i < size; ++i) {
      bytes.insert(address_of(lane) + i);
      sectors.insert((address_of(lane) + i) / sector_bytes);
    }
  }
  return {sectors.size(), (bytes.size() + sector_bytes - 1) / sector_bytes};
}

constexpr std::uint64_t base = std::uint64_t{1} << 40;
constexpr pasta::lane_mask all_32 = 0xffffffff;

// One request, as the tool sees it.
template <class Address>
void feed(pasta::testing::fixture<coalescing>& test, pasta::lane_mask lanes, Address&& address_of, std::uint32_t size,
          pasta::access_kind kind = pasta::access_kind::load, pasta::memory_space space = pasta::memory_space::global) {
  test.feed(lanes, [&](std::uint32_t lane) { return pasta::memory_access{0, address_of(lane), size, kind, space, 0}; });
}

pasta::site_result<coalescing> only_site(pasta::testing::fixture<coalescing>& test) {
  auto const found = test.results();
  REQUIRE(found.kernels.size() == 1);
  REQUIRE(found.kernels[0].sites.size() == 1);
  return found.kernels[0].sites[0];
}

std::vector<pasta::finding> findings(pasta::testing::fixture<coalescing>& test) {
  return test.report().at(0).kernels.at(0).findings;
}

pasta::table const& table_of(pasta::kernel_section const& kernel, std::string const& name) {
  for (auto const& table : kernel.tables) {
    if (table.name == name) return table;
  }
  throw std::runtime_error("no table " + name);
}

}  // namespace

TEST_CASE("coalescing asks for the distinct sectors of a request, whatever the size and the pattern") {
  auto const size = GENERATE(1u, 2u, 4u, 8u, 16u);
  auto const width = GENERATE(32u, 64u);
  auto const shift = GENERATE(0u, 1u, 4u, 20u);  // [bytes]
  pasta::lane_mask const full = width == 64 ? ~pasta::lane_mask{0} : all_32;
  pasta::lane_mask const masks[] = {full, 0xfffff, 0x1, 0x80000000, 0xaaaaaaaa, full & 0xf0f0f0f0f0f0f0f0};
  auto const at = [&](auto&& index) {
    return [&, index](std::uint32_t lane) { return base + shift + index(lane) * size; };
  };

  for (pasta::lane_mask const lanes : masks) {
    auto const check = [&](char const* name, auto&& address_of) {
      INFO(name << ", size " << size << ", shift " << shift << ", lanes " << std::hex << lanes);
      pasta::testing::fixture<coalescing> test({.warp_width = width});
      feed(test, lanes, address_of, size);
      auto const site = only_site(test);
      expected const right = count_naively(lanes, address_of, size);
      CHECK(site.state.requests.value() == 1);
      CHECK(site.state.sectors.value() == right.sectors);
      CHECK(site.state.sectors_needed.value() == right.needed);
      CHECK(site.executions == static_cast<std::uint64_t>(__builtin_popcountll(lanes)));
    };
    for (std::uint64_t const stride : {1u, 2u, 8u, 32u}) {
      check("stride", at([stride](std::uint64_t lane) { return lane * stride; }));
      check("backwards", at([stride](std::uint64_t lane) { return (63 - lane) * stride; }));
    }
    check("broadcast", at([](std::uint64_t) { return std::uint64_t{7}; }));
    check("permuted", at([](std::uint64_t lane) { return lane * 5 % 64; }));
    check("two by two", at([](std::uint64_t lane) { return lane / 2; }));
    check("rows of 16", at([](std::uint64_t lane) { return lane / 16 * 1001 + lane % 16; }));
    check("anywhere", at([](std::uint64_t lane) { return lane * lane * 2654435761u % 99991; }));
  }
}

TEST_CASE("coalescing gives the sectors that hardware counters gave") {
  // Loads of 4 bytes: stride [elements], sectors.
  struct {
    std::uint64_t stride, sectors;
  } const measured[] = {{0, 1}, {1, 4}, {2, 8}, {8, 32}, {32, 32}};
  for (auto const& one : measured) {
    pasta::testing::fixture<coalescing> test;
    feed(
        test, all_32, [&](std::uint32_t lane) { return base + one.stride * 4 * lane; }, 4);
    CHECK(only_site(test).state.sectors.value() == one.sectors);
  }
}

TEST_CASE("coalescing looks at global memory only") {
  pasta::testing::fixture<coalescing> test;
  auto const address_of = [](std::uint32_t lane) { return base + 128 * lane; };
  feed(test, all_32, address_of, 4, pasta::access_kind::load, pasta::memory_space::shared);
  feed(test, all_32, address_of, 4, pasta::access_kind::load, pasta::memory_space::local);
  auto const kernel = test.report().at(0).kernels.at(0);
  CHECK(table_of(kernel, "sites").rows.empty());
  CHECK(kernel.findings.empty());
  // Nothing was asked for, so there is no efficiency.
  auto const& total = table_of(kernel, "totals").rows.at(0);
  CHECK(total[1] == pasta::cell(std::uint64_t{0}));
  CHECK(total[4] == pasta::cell());
}

TEST_CASE("coalescing counts other sectors when told so") {
  pasta::testing::fixture<coalescing> test({.options = {{"sector-bytes", "64"}}});
  auto const address_of = [](std::uint32_t lane) { return base + 32 + 4 * lane; };
  feed(test, all_32, address_of, 4);
  CHECK(only_site(test).state.sectors.value() == 3);
  CHECK(count_naively(all_32, address_of, 4, 64).sectors == 3);
  CHECK_THROWS_AS(pasta::testing::fixture<coalescing>({.options = {{"sector-bytes", "7"}}}), pasta::usage_error);
  CHECK_THROWS_AS(pasta::testing::fixture<coalescing>({.options = {{"minimum-gain", "0.5"}}}), pasta::usage_error);
  CHECK_THROWS_AS(pasta::testing::fixture<coalescing>({.options = {{"sectors", "32"}}}), pasta::usage_error);
}

namespace {

struct diverging {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float, Probe> b) const {
    float sum = 0;
    if (t.lane() % 4 == 0) {
      sum = a[t.lane()];
    } else {
      sum = a[64 + t.lane()];
    }
    for (std::uint32_t i = 0; i < t.lane() % 3; ++i) sum += a[128 + t.lane()];
    b[t.lane()] = sum;
  }
};

}  // namespace

TEST_CASE("coalescing makes one request of the lanes that go together when a warp diverges") {
  pasta::buffer<float> a(256), b(64);
  a.set_bytes(0);
  pasta::testing::fixture<coalescing> test;
  test.launch(diverging{}, {1, 32}, a, b);
  auto const sites = test.results().kernels.at(0).sites;
  REQUIRE(sites.size() == 4);
  struct {
    std::uint64_t requests, lanes, sectors, needed;
  } const right[] = {
      {1, 8, 4, 1},   // lanes 0, 4, 8, ...: 32 bytes of 4 sectors
      {1, 24, 4, 3},  // all others
      {2, 31, 8, 5},  // 21 lanes go once (84 bytes), 10 of them twice (40 bytes)
      {1, 32, 4, 4},  // together again
  };
  for (std::size_t i = 0; i < 4; ++i) {
    INFO("site " << i);
    CHECK(sites[i].state.requests.value() == right[i].requests);
    CHECK(sites[i].executions == right[i].lanes);
    CHECK(sites[i].state.sectors.value() == right[i].sectors);
    CHECK(sites[i].state.sectors_needed.value() == right[i].needed);
  }
}

TEST_CASE("coalescing names the pattern and what the cure would leave") {
  struct {
    char const *name, *pattern, *advice, *sectors;
    pasta::lane_mask lanes;
    std::uint64_t (*index)(std::uint64_t lane);  // [elements of 4 bytes]
  } const cases[] = {
      {"column", "lane i+1 reads 1024 elements after lane i; 32 sectors per request where 4 would do",
       "stage tiles in shared memory", "4 instead of 32 sectors in each request", all_32,
       [](std::uint64_t lane) { return lane * 1024; }},
      {"column, upwards", "lane i+1 reads 1024 elements before lane i;", "swap the loops", "4 instead of 32", all_32,
       [](std::uint64_t lane) { return (31 - lane) * 1024; }},
      {"record", "lane i+1 reads 4 elements after lane i;", "a structure of arrays", "4 instead of 16", all_32,
       [](std::uint64_t lane) { return lane * 4 + 1; }},
      {"misaligned", "lane i+1 reads 1 element after lane i, from 4 bytes after a sector's begin; 5 sectors",
       "multiple of 8 elements", "4 instead of 5", all_32, [](std::uint64_t lane) { return lane + 1; }},
      {"misaligned rows", "2 groups of 16 lanes, 1001 elements apart, in which lane i+1 reads 1 element after lane i;",
       "multiple of 8 elements", "4 instead of 5", all_32,
       [](std::uint64_t lane) { return lane / 16 * 1001 + lane % 16; }},
      {"short rows", "8 groups of 4 lanes, 1008 elements apart", "at least a warp wide", "4 instead of 8", all_32,
       [](std::uint64_t lane) { return lane / 4 * 1008 + lane % 4; }},
      {"rows without their first lane", "2 groups of 15 lanes, 1003 elements apart", "multiple of 8 elements",
       "4 instead of 5", 0xfffefffe, [](std::uint64_t lane) { return lane / 16 * 1003 + lane % 16; }},
      {"idle lanes", "lane i+1 reads 1 element after lane i, 14 of 29 lanes are idle;",
       "neighbouring lanes take the active work", "2 instead of 4", 0x15555555,
       [](std::uint64_t lane) { return lane; }},
      {"gather", "lanes read here and there (a gather); 32 sectors", "sort or bin the indices", "4 instead of 32",
       all_32, [](std::uint64_t lane) { return (lane * 7919 + lane * lane * 104729) % 99991; }},
      {"one row each", "each lane reads after the lane before, at irregular distances; 32 sectors",
       "go through one row together", "4 instead of 32", all_32, [](std::uint64_t lane) { return 50 * lane * lane; }},
      {"one lane", "one lane reads one element, from 30 bytes after a sector's begin; 2 sectors",
       "multiples of 32 bytes", "1 instead of 2", 0x10, nullptr},
  };
  for (auto const& one : cases) {
    INFO(one.name);
    pasta::testing::fixture<coalescing> test;
    feed(
        test, one.lanes, [&](std::uint32_t lane) { return one.index ? base + 4 * one.index(lane) : base + 30; }, 4);
    auto const found = findings(test);
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0].message, contains_text(one.pattern));
    CHECK_THAT(found[0].advice, contains_text(one.advice));
    CHECK_THAT(found[0].advice, contains_text(one.sectors));
    CHECK(found[0].place.line > 0);
  }
}

TEST_CASE("coalescing finds nothing where no sector is wasted") {
  for (auto const index :
       {+[](std::uint64_t lane) { return lane; }, +[](std::uint64_t) { return std::uint64_t{3}; },
        +[](std::uint64_t lane) { return lane ^ 21; }, +[](std::uint64_t lane) { return lane / 8 * 64 + lane % 8; }}) {
    pasta::testing::fixture<coalescing> test;
    feed(
        test, all_32, [&](std::uint32_t lane) { return base + 4 * index(lane); }, 4);
    CHECK(findings(test).empty());
  }
}

TEST_CASE("coalescing advises shared memory where lanes add to scattered elements") {
  pasta::testing::fixture<coalescing> test;
  feed(
      test, all_32, [](std::uint32_t lane) { return base + 4 * (lane * 40503u % 65537 % 256); }, 4,
      pasta::access_kind::atomic);
  auto const found = findings(test);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].message, contains_text("atomic of 4 bytes: lanes update here and there (a scatter)"));
  CHECK_THAT(found[0].advice, contains_text("add up in shared memory first"));
}

TEST_CASE("coalescing bounds the gain by the site's share of the kernel's sectors, and sorts by it") {
  // 32 of 32 + 16 + 4 sectors with efficiency 1/8, and 16 with 1/4.
  pasta::testing::fixture<coalescing> test;
  feed(
      test, all_32, [](std::uint32_t lane) { return base + 4 * lane; }, 4);
  test.feed(all_32, [](std::uint32_t lane) {
    return pasta::memory_access{0, base + 16 * lane, 4, pasta::access_kind::load, pasta::memory_space::global, 0};
  });
  test.feed(all_32, [](std::uint32_t lane) {
    return pasta::memory_access{0, base + 128 * lane, 4, pasta::access_kind::store, pasta::memory_space::global, 0};
  });
  auto const found = findings(test);
  REQUIRE(found.size() == 2);
  CHECK(*found[0].gain_at_most == pasta_test::approx(1 / (1 - 32.0 / 52 * (1 - 1.0 / 8))));
  CHECK(found[0].level == pasta::severity::high);
  CHECK(*found[1].gain_at_most == pasta_test::approx(1 / (1 - 16.0 / 52 * (1 - 1.0 / 4))));
  CHECK(found[1].level == pasta::severity::medium);

  pasta::testing::fixture<coalescing> strict({.options = {{"minimum-gain", "8.5"}}});
  feed(
      strict, all_32, [](std::uint32_t lane) { return base + 128 * lane; }, 4);
  CHECK(findings(strict).empty());
}

TEST_CASE("coalescing reports the stride that all requests have, signed, and none where they differ") {
  auto const stride_of = [](std::initializer_list<std::int64_t> strides) {
    pasta::testing::fixture<coalescing> test;
    for (std::int64_t const stride : strides) {
      feed(
          test, all_32, [&](std::uint32_t lane) { return base + static_cast<std::uint64_t>(stride * lane); }, 4);
    }
    return table_of(test.report().at(0).kernels.at(0), "sites").rows.at(0).back();
  };
  CHECK(stride_of({4}) == pasta::cell(std::int64_t{4}));
  CHECK(stride_of({-8, -8}) == pasta::cell(std::int64_t{-8}));
  CHECK(stride_of({0}) == pasta::cell(std::int64_t{0}));
  CHECK(stride_of({4, 8}) == pasta::cell());
  CHECK(stride_of({std::int64_t{1} << 31}) == pasta::cell());  // too far apart for a stride worth a name
  CHECK(stride_of({-(std::int64_t{1} << 31) + 4}) == pasta::cell(-(std::int64_t{1} << 31) + 4));

  pasta::testing::fixture<coalescing> single;
  feed(
      single, 1, [](std::uint32_t) { return base; }, 4);
  CHECK(table_of(single.report().at(0).kernels.at(0), "sites").rows.at(0).back() == pasta::cell());
}

namespace {

struct gather {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float, Probe> b, std::size_t n) const {
    std::size_t const i = t.index();
    if (i % 7 != 0) b[i * 3 % n] = a[(i * i + 13 * i) % n];
  }
};

}  // namespace

TEST_CASE("coalescing says the same whatever the number of workers") {
  constexpr std::size_t n = 1 << 14;
  pasta::buffer<float> a(n), b(n);
  a.set_bytes(0);
  auto const report_with = [&](std::uint32_t threads) {
    pasta::testing::fixture<coalescing> test({.threads = threads});
    test.launch(gather{}, {n / 128, 128}, a, b, n);
    return test.report().at(0).kernels.at(0);
  };
  auto const alone = report_with(1);
  REQUIRE(alone.findings.size() == 2);
  for (std::uint32_t const threads : {2u, 3u, 5u}) {
    auto const together = report_with(threads);
    for (std::size_t i = 0; i < alone.tables.size(); ++i) CHECK(together.tables[i].rows == alone.tables[i].rows);
    REQUIRE(together.findings.size() == alone.findings.size());
    for (std::size_t i = 0; i < alone.findings.size(); ++i) {
      CHECK(together.findings[i].message == alone.findings[i].message);
      CHECK(together.findings[i].advice == alone.findings[i].advice);
      CHECK(together.findings[i].gain_at_most == alone.findings[i].gain_at_most);
    }
  }
}
