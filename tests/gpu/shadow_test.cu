// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Shadow bits of kernels on a probe: working_set against what the kernels do, in closed form.
#include <cstdio>
#include <pasta/testing.hpp>
#include <working_set.hpp>

#include "checks.hpp"

namespace {

constexpr std::size_t line = 128, page = 65536;

/// Thread i reads element i * step and writes element i.
struct step_copy {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t const, Probe> from,
                               pasta::traced<std::uint32_t, Probe> to, std::size_t step, std::size_t count) const {
    std::size_t const i = t.index();
    if (i < count) to[i] = from[i * step];
  }
};

/// Thread i reads 16 bytes.
struct alignas(16) four_words {
  std::uint32_t of[4];
};
struct wide_read {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<four_words const, Probe> from,
                               pasta::traced<std::uint32_t, Probe> sum) const {
    four_words const read = from[t.index()];
    if (read.of[0] == 12345) sum[0] = read.of[1];
  }
};

/// Threads add to elements all over: thread i to i * 7919 % count.
struct scatter {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t, Probe> to,
                               std::size_t count) const {
    t.atomic_add(to[t.index() * 7919 % count], 1u);
  }
};

template <class T>
void allocate(pasta::testing::fixture<working_set>& test, pasta::buffer<T> const& of) {
  int device = 0;
  static_cast<void>(cudaGetDevice(&device));
  test.happened(pasta::allocation{reinterpret_cast<std::uintptr_t>(of.device_pointer()), of.size_bytes(),
                                  static_cast<std::uint64_t>(device), 0});
}
template <class T>
void release(pasta::testing::fixture<working_set>& test, pasta::buffer<T> const& of) {
  test.happened(pasta::deallocation{reinterpret_cast<std::uintptr_t>(of.device_pointer()), 0, 0, 0});
}

std::uint64_t lines_of(std::uint64_t bytes) { return (bytes + line - 1) / line; }

void strides() {
  for (std::size_t const step : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    constexpr std::size_t count = 1000;
    auto from = zeros<std::uint32_t>(count * step), to = zeros<std::uint32_t>(count);
    pasta::testing::fixture<working_set> test;
    allocate(test, from);
    allocate(test, to);
    for (int again = 0; again < 2; ++again) test.launch(step_copy{}, {8, 128}, from, to, step, count);
    auto const touched = test.results().kernels.at(0).touched;
    CHECK_EQUAL(touched.unknown_accesses, 0u);
    CHECK_EQUAL(touched.allocations.size(), 2u);
    std::uint64_t lines = 0;
    for (std::size_t i = 0, last = line; i < count; ++i) {
      if (i * step * 4 / line != last) ++lines;
      last = i * step * 4 / line;
    }
    std::uint64_t read = 0;
    touched.allocations.at(0).for_each_line([&](std::uint64_t) { ++read; });
    CHECK_EQUAL(read, step * 4 >= line ? count : lines);
    CHECK_EQUAL(touched.allocations.at(0).accesses(), 2 * count);
    CHECK_EQUAL(touched.allocations.at(1).line_grain_bytes(), count * 4);
    CHECK_EQUAL(touched.allocations.at(1).accesses(), 2 * count);
  }
}

void wide_and_scattered() {
  constexpr std::size_t count = 100003;
  auto wide = zeros<four_words>(640);
  auto to = zeros<std::uint32_t>(count), none = zeros<std::uint32_t>(1);
  pasta::testing::fixture<working_set> test;
  allocate(test, wide);
  allocate(test, to);
  test.launch(wide_read{}, {5, 128}, wide, none);
  test.launch(scatter{}, {16, 96}, to, count);
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.at(0).touched.allocations.at(0).line_grain_bytes(), 640u * 16);
  CHECK_EQUAL(found.kernels.at(0).touched.allocations.at(0).accesses(), 640u);
  auto const& touched = found.kernels.at(1).touched.allocations.at(0);
  std::set<std::size_t> lines;
  std::vector<std::uint64_t> pages((count * 4 + page - 1) / page + 1);
  std::uint64_t const begin = touched.allocation.address;
  for (std::size_t i = 0; i < 16 * 96; ++i) {
    std::uint64_t const at = begin + i * 7919 % count * 4;
    lines.insert(at / line);
    ++pages[at / page - begin / page];
  }
  std::uint64_t marked = 0;
  touched.for_each_line([&](std::uint64_t) { ++marked; });
  CHECK_EQUAL(marked, lines.size());
  for (std::size_t i = 0; i < touched.page_accesses.size(); ++i) CHECK_EQUAL(touched.page_accesses[i], pages.at(i));
}

void bounds_and_reuse() {
  constexpr std::size_t count = 256;
  auto from = zeros<std::uint32_t>(count), to = zeros<std::uint32_t>(2 * count);
  std::uint64_t const address = reinterpret_cast<std::uintptr_t>(to.device_pointer());
  pasta::testing::fixture<working_set> test;
  allocate(test, from);
  test.happened(pasta::allocation{address, count * 4 - 2, 0, 0});  // its last element has two bytes of it
  test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, count);
  release(test, to);
  test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, std::size_t{40});
  allocate(test, to);
  test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, std::size_t{33});
  auto const touched = test.results().kernels.at(0).touched;
  CHECK_EQUAL(touched.allocations.size(), 3u);
  CHECK_EQUAL(touched.unknown_accesses, 1u + 40);
  CHECK_EQUAL(touched.allocations.at(1).line_grain_bytes(), count * 4 - 2);
  CHECK_EQUAL(touched.allocations.at(1).accesses(), count);
  CHECK_EQUAL(touched.allocations.at(2).line_grain_bytes(), lines_of(33 * 4) * line);
  CHECK_EQUAL(touched.allocations.at(2).accesses(), 33u);
  CHECK_EQUAL(contents(to).at(39), 0u);
}

void launches_apart() {
  constexpr std::size_t count = 256;
  auto from = zeros<std::uint32_t>(count), to = zeros<std::uint32_t>(count);
  pasta::testing::fixture<working_set> test({.per = pasta::scope::launch});
  allocate(test, to);
  for (std::size_t i = 1; i <= 40; ++i) test.launch(step_copy{}, {1, count}, from, to, std::size_t{1}, i);
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.size(), 40u);
  for (std::size_t i = 1; i <= 40; ++i) {
    auto const& touched = found.kernels.at(i - 1).touched;
    CHECK_EQUAL(touched.allocations.at(0).accesses(), i);
    CHECK_EQUAL(touched.allocations.at(0).line_grain_bytes(), lines_of(i * 4) * line);
    CHECK_EQUAL(touched.unknown_accesses, i);
  }
}

void coarser() {
  auto from = zeros<std::uint32_t>(64), to = zeros<std::uint32_t>(64);
  pasta::testing::fixture<working_set> test({.options = {{"memory", "1"}}});
  allocate(test, from);
  allocate(test, to);
  test.launch(step_copy{}, {1, 64}, from, to, std::size_t{1}, std::size_t{64});
  // Nobody reads it: the kernels do not touch it.
  test.happened(pasta::allocation{std::uint64_t{1} << 44, std::uint64_t{4} << 30, 0, 0});
  test.launch(step_copy{}, {1, 64}, from, to, std::size_t{1}, std::size_t{64});
  auto const touched = test.results().kernels.at(0).touched;
  CHECK_EQUAL(touched.allocations.size(), 2u);
  CHECK(touched.allocations.at(0).line_bytes() > line);
  CHECK_EQUAL(touched.allocations.at(0).line_grain_bytes(), 256u);
  CHECK_EQUAL(touched.allocations.at(0).accesses(), 128u);
}

}  // namespace

int main() {
  if (!checks::has_gpu()) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  checks::run("strides", strides);
  checks::run("wide and scattered requests", wide_and_scattered);
  checks::run("bounds and reuse", bounds_and_reuse);
  checks::run("launches apart", launches_apart);
  checks::run("coarser lines", coarser);
  return checks::finish();
}
