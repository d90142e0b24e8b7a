// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Shadow bits of kernels on a probe by the HIP vendor: working_set against what the kernels do, in waves of both
// widths.
#include <pasta/testing.hpp>
#include <set>
#include <vector>
#include <working_set.hpp>

#include "catch.hpp"

namespace {

constexpr std::size_t line = 128;

/// Thread i reads element i * step and writes element i.
struct step_copy {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t const, Probe> from,
                               pasta::traced<std::uint32_t, Probe> to, std::size_t step, std::size_t count) const {
    std::size_t const i = t.index();
    if (i < count) to[i] = from[i * step];
  }
};
/// Thread i adds to element i * 7919 % count.
struct scatter {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t, Probe> to,
                               std::size_t count) const {
    t.atomic_add(to[t.index() * 7919 % count], 1u);
  }
};

pasta::buffer<std::uint32_t> zeros(std::size_t count) {
  pasta::buffer<std::uint32_t> made(count);
  made.set_bytes(0);
  return made;
}
std::uint64_t address_of(pasta::buffer<std::uint32_t> const& of) {
  return reinterpret_cast<std::uintptr_t>(of.device_pointer());
}
template <class Fixture>
void allocate(Fixture& test, pasta::buffer<std::uint32_t> const& of) {
  test.happened(pasta::allocation{address_of(of), of.size_bytes(), 0, 0});
}

template <class Function>
void at_both_widths(Function&& f) {
  for (std::uint32_t const width : {32u, 64u}) {
    INFO("width " << width);
    hip_emulation::set_device(width, 2);
    f();
  }
}

}  // namespace

TEST_CASE("a probe's shadow bits are the lines that lanes touch") {
  at_both_widths([] {
    for (std::size_t const step : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
      constexpr std::size_t count = 1000;
      auto const from = zeros(count * step), to = zeros(count);
      pasta::testing::fixture<working_set> test;
      allocate(test, from);
      allocate(test, to);
      for (int again = 0; again < 2; ++again) test.launch(step_copy{}, {8, 128}, from, to, step, count);
      auto const touched = test.results().kernels.at(0).touched;
      std::set<std::size_t> lines;
      for (std::size_t i = 0; i < count; ++i) lines.insert(i * step * 4 / line);
      std::set<std::size_t> read;
      touched.allocations.at(0).for_each_line([&](std::uint64_t each) { read.insert(each); });
      REQUIRE(read == lines);
      REQUIRE(touched.allocations.at(0).accesses() == 2 * count);
      REQUIRE(touched.allocations.at(1).line_grain_bytes() == count * 4);
      REQUIRE(touched.allocations.at(1).accesses() == 2 * count);
      REQUIRE(touched.unknown_accesses == 0);
    }
  });
}

TEST_CASE("a probe's shadow bits count scattered accesses by their page") {
  at_both_widths([] {
    constexpr std::size_t count = 100'003, page = 65536;
    auto const to = zeros(count);
    pasta::testing::fixture<working_set> test;
    allocate(test, to);
    test.launch(scatter{}, {16, 96}, to, count);
    auto const found = test.results();
    auto const& touched = found.kernels.at(0).touched.allocations.at(0);
    std::uint64_t const begin = address_of(to);
    std::vector<std::uint64_t> pages(touched.page_accesses.size());
    for (std::size_t i = 0; i < 16 * 96; ++i) ++pages.at((begin + i * 7919 % count * 4) / page - begin / page);
    REQUIRE(touched.page_accesses == pages);
  });
}

TEST_CASE("a probe's shadow bits end with an allocation, and go with it") {
  at_both_widths([] {
    constexpr std::size_t count = 256;
    auto const from = zeros(count), to = zeros(2 * count);
    pasta::testing::fixture<working_set> test;
    allocate(test, from);
    test.happened(pasta::allocation{address_of(to), count * 4 - 2, 0, 0});  // its last element has two bytes of it
    test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, count);
    test.happened(pasta::deallocation{address_of(to), 0, 0, 0});
    test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, std::size_t{40});
    allocate(test, to);
    test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, std::size_t{33});
    auto const touched = test.results().kernels.at(0).touched;
    REQUIRE(touched.allocations.size() == 3);
    REQUIRE(touched.unknown_accesses == 1 + 40);
    REQUIRE(touched.allocations.at(1).line_grain_bytes() == count * 4 - 2);
    REQUIRE(touched.allocations.at(1).accesses() == count);
    REQUIRE(touched.allocations.at(2).line_grain_bytes() == 2 * line);
    REQUIRE(touched.allocations.at(2).accesses() == 33);
  });
}

TEST_CASE("launches of a probe that are kept apart have shadow bits of their own") {
  at_both_widths([] {
    constexpr std::size_t count = 256;
    auto const from = zeros(count), to = zeros(count);
    pasta::testing::fixture<working_set> test({.per = pasta::scope::launch});
    allocate(test, to);
    for (std::size_t i = 1; i <= 40; ++i) test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, i);
    auto const found = test.results();
    REQUIRE(found.kernels.size() == 40);
    for (std::size_t i = 1; i <= 40; ++i) {
      auto const& touched = found.kernels.at(i - 1).touched;
      REQUIRE(touched.allocations.at(0).accesses() == i);
      REQUIRE(touched.allocations.at(0).line_grain_bytes() == (i * 4 + line - 1) / line * line);
      REQUIRE(touched.unknown_accesses == i);
    }
  });
}

TEST_CASE("a probe's lines are longer where memory for them is limited") {
  hip_emulation::set_device(64, 1);
  auto const from = zeros(64), to = zeros(64);
  pasta::testing::fixture<working_set> test({.options = {{"memory", "1"}}});
  allocate(test, from);
  allocate(test, to);
  test.launch(step_copy{}, {1, 64}, from, to, std::size_t{1}, std::size_t{64});
  // Nobody reads it: the kernels do not touch it.
  test.happened(pasta::allocation{std::uint64_t{1} << 44, std::uint64_t{4} << 30, 0, 0});
  test.launch(step_copy{}, {1, 64}, from, to, std::size_t{1}, std::size_t{64});
  auto const touched = test.results().kernels.at(0).touched;
  REQUIRE(touched.allocations.size() == 2);
  REQUIRE(touched.allocations.at(0).line_bytes() > line);
  REQUIRE(touched.allocations.at(0).line_grain_bytes() == 256);
  REQUIRE(touched.allocations.at(0).accesses() == 128);
}
