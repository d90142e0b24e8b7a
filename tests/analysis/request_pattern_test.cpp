// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/analysis/request_pattern.hpp>

#include "catch.hpp"

namespace {

// Lanes of the mask, lane i at byte first_byte + index(i) * 4, as it would be sampled.
template <class Index>
pasta::request_sample sample_of(std::uint64_t lanes, std::uint64_t first_byte, Index&& index) {
  pasta::request_sample sample{lanes, 0, {}};
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t lane = 0; lane < 64; ++lane) {
    if ((lanes >> lane & 1) != 0) lowest = std::min(lowest, 4 * std::int64_t{index(lane)});
  }
  for (std::int64_t lane = 0; lane < 64; ++lane) {
    if ((lanes >> lane & 1) != 0)
      sample.offsets[lane] = static_cast<std::uint64_t>(4 * std::int64_t{index(lane)} - lowest);
  }
  sample.first_byte = first_byte % 32;
  return sample;
}

constexpr std::uint64_t all_32 = 0xffffffff;

}  // namespace

TEST_CASE("request_pattern recognises a single lane") {
  auto const sample = sample_of(0x10, 30, [](std::int64_t) { return 0; });
  pasta::request_pattern const pattern(sample, 4, 32);
  CHECK(pattern.kind() == pasta::request_kind::single);
  CHECK(pattern.shape().sectors == 2);
  CHECK(pattern.sectors_aligned() == 1);
  CHECK(pattern.sectors_packed() == 1);
  CHECK(pattern.span_lanes() == 1);
}

TEST_CASE("request_pattern recognises strides, forwards, backwards and with idle lanes between") {
  std::int64_t const stride = GENERATE(as<std::int64_t>{}, -1024, -1, 0, 1, 3, 8);
  std::uint64_t const lanes = GENERATE(as<std::uint64_t>{}, all_32, 0x55555555u, 0xf0f0u, ~std::uint64_t{0});
  auto const sample = sample_of(lanes, 0, [&](std::int64_t lane) { return stride * lane; });
  pasta::request_pattern const pattern(sample, 4, 32);
  CHECK(pattern.kind() == pasta::request_kind::regular);
  CHECK(pattern.stride_bytes() == 4 * stride);
  std::uint64_t const distinct = stride == 0 ? 1 : pattern.shape().lanes;
  CHECK(pattern.sectors_packed() == (4 * distinct + 31) / 32);
}

TEST_CASE("request_pattern recognises rows, whole, cut off, and without some of their lanes") {
  struct {
    std::uint64_t lanes;
    std::int64_t width, pitch;
    std::size_t group_count, group_lanes;
    std::int64_t step;
  } const cases[] = {
      {all_32, 16, 1008, 2, 16, 1008},
      {all_32, 8, 1001, 4, 8, 1001},
      {0xfffffff, 16, 100, 2, 16, 100},   // 12 lanes in the last row
      {0xfffefffe, 16, 100, 2, 15, 100},  // the first lane of each row is idle
      {0xfffe, 8, 100, 2, 7, 99},         // the first lane of the first row only
      {~std::uint64_t{0}, 32, 500, 2, 32, 500},
      {all_32, 16, -64, 2, 16, -64},  // rows upwards
  };
  for (auto const& one : cases) {
    INFO(std::hex << one.lanes << std::dec << ", rows of " << one.width << ", " << one.pitch << " apart");
    auto const sample =
        sample_of(one.lanes, 4, [&](std::int64_t lane) { return lane / one.width * one.pitch + lane % one.width; });
    pasta::request_pattern const pattern(sample, 4, 32);
    REQUIRE(pattern.kind() == pasta::request_kind::groups);
    CHECK(pattern.group_count() == one.group_count);
    CHECK(pattern.group_lanes() == one.group_lanes);
    CHECK(pattern.group_step_bytes() == 4 * one.step);
    CHECK(pattern.stride_bytes() == 4);
  }
}

TEST_CASE("request_pattern knows what padded rows would ask for") {
  // 4 rows of 8 elements, 1001 elements apart, from a sector's begin: the first row is one sector, the others two.
  auto const sample = sample_of(all_32, 0, [](std::int64_t lane) { return lane / 8 * 1001 + lane % 8; });
  pasta::request_pattern const pattern(sample, 4, 32);
  CHECK(pattern.shape().sectors == 7);
  CHECK(pattern.sectors_aligned() == 7);
  CHECK(pattern.sectors_padded() == 4);
  CHECK(pattern.sectors_packed() == 4);
}

TEST_CASE("request_pattern tells a rising walk from a mixed one") {
  auto const rising = sample_of(all_32, 0, [](std::int64_t lane) { return lane * lane * 50; });
  CHECK(pasta::request_pattern(rising, 4, 32).kind() == pasta::request_kind::rising);
  CHECK(pasta::request_pattern(rising, 4, 32).sectors_packed() == 4);
  auto const mixed = sample_of(all_32, 0, [](std::int64_t lane) { return (lane * lane + lane) / 2 % 32 * 50; });
  pasta::request_pattern const pattern(mixed, 4, 32);
  CHECK(pattern.kind() == pasta::request_kind::mixed);
  CHECK(pattern.stride_bytes() == 0);
  CHECK(pattern.shape().sectors == 32);
  CHECK(pattern.sectors_packed() == 4);
}
