// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What a sample says of the whole: in closed form, and over many samples of a known whole.
#include <cmath>
#include <numeric>
#include <pasta/session/block_tally.hpp>
#include <random>

#include "catch.hpp"

using namespace pasta;

namespace {

bool is_near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

}  // namespace

TEST_CASE("an estimate is what was counted times what was offered over what was taken") {
  sampling of;
  of.launches_offered = 100;
  of.launches_taken = 25;
  estimate(of, {{12, 1200}, {13, 1300}});  // each launch the same
  CHECK(of.scale == 4);
  CHECK(of.events == 10000);
  REQUIRE(of.events_error);
  CHECK(*of.events_error == 0);
}

TEST_CASE("the error of an estimate in closed form") {
  // Two parts of 2 launches of 10: mean 15 for a launch, off by -10 and +10.
  // error = 10/4 * sqrt((1 - 4/10) * 2/1 * (10^2 + 10^2)) = 2.5 * sqrt(240)
  sampling of;
  of.launches_offered = 10;
  of.launches_taken = 4;
  estimate(of, {{2, 20}, {2, 40}});
  CHECK(of.events == 150);
  REQUIRE(of.events_error);
  CHECK(is_near(*of.events_error, 2.5 * std::sqrt(240.0), 1e-12));

  // Blocks of unequal parts: mean 10 for a block, off by 0 + 5 - 5; error = 4 * sqrt(0.75 * 3/2 * 50).
  sampling blocks;
  blocks.blocks_offered = 40;
  blocks.blocks_taken = 10;
  estimate(blocks, {{5, 50}, {3, 35}, {2, 15}});
  CHECK(blocks.scale == 4);
  CHECK(blocks.events == 400);
  REQUIRE(blocks.events_error);
  CHECK(is_near(*blocks.events_error, 4 * std::sqrt(0.75 * 1.5 * 50), 1e-12));
}

TEST_CASE("launches and blocks are scaled together") {
  sampling of;
  of.launches_offered = 8;
  of.launches_taken = 2;
  of.blocks_offered = 100;
  of.blocks_taken = 10;
  estimate(of, {{1, 7}, {1, 7}});
  CHECK(is_near(of.scale, 40, 1e-12));
  CHECK(is_near(of.events, 560, 1e-12));
}

TEST_CASE("where all was taken there is no error, and one part alone tells none") {
  sampling all;
  all.launches_offered = all.launches_taken = 3;
  estimate(all, {{2, 10}, {1, 90}});
  CHECK(all.scale == 1);
  CHECK(all.events == 100);
  REQUIRE(all.events_error);
  CHECK(*all.events_error == 0);

  sampling one;
  one.launches_offered = 4;
  one.launches_taken = 1;
  estimate(one, {{1, 5}, {0, 0}});
  CHECK(one.events == 20);
  CHECK_FALSE(one.events_error);

  sampling nothing;
  nothing.launches_offered = 4;
  estimate(nothing, {{0, 0}});
  CHECK(nothing.scale == 0);
  CHECK(nothing.events == 0);
  CHECK_FALSE(nothing.events_error);
}

TEST_CASE("launches whose blocks are sampled too tell nothing of the error") {
  block_tally tally(make_block_sample(0.1, 1));
  sample_count counts;
  std::array<double, sample_part_count> parts{};
  for (int i = 0; i < 20; ++i) {
    std::uint32_t const part = counts.next_part();
    counts.launches_offered += 2;
    counts.take(part, 1000, tally);
    parts[part] += 5000;  // each launch has the same blocks, and these the same events
  }
  CHECK_FALSE(counts.estimated(0.1, parts).events_error);
}

TEST_CASE("over many samples of blocks the estimate's mean is the whole, and its error is what estimates vary by") {
  constexpr std::uint64_t blocks = 4096;
  std::mt19937_64 random(1);
  std::vector<double> events(blocks);
  for (double& each : events) each = static_cast<double>(100 + random() % 900);
  double const whole = std::accumulate(events.begin(), events.end(), 0.0);
  constexpr int samples = 2000;
  double sum = 0, squares = 0, told = 0;
  for (std::uint32_t seed = 0; seed < samples; ++seed) {
    block_sample const sample = make_block_sample(0.05, seed);
    block_tally tally(sample);
    sample_count counts;
    counts.launches_offered = 1;
    counts.take(sample_count::by_block, blocks, tally);
    std::array<double, sample_part_count> parts{};
    for (std::uint64_t block = 0; block < blocks; ++block) {
      std::uint32_t const hash = block_hash(static_cast<std::uint32_t>(block), sample.seed);
      if (sample.has(hash)) parts[block_tally::part_of(hash)] += events[block];
    }
    sampling const found = counts.estimated(0.05, parts);
    sum += found.events;
    squares += (found.events - whole) * (found.events - whole);
    REQUIRE(found.events_error);
    told += *found.events_error * *found.events_error;
  }
  double const deviation = std::sqrt(squares / samples);
  CHECK(std::abs(sum / samples - whole) < 4 * deviation / std::sqrt(samples));
  CHECK(is_near(std::sqrt(told / samples), deviation, 0.1));
}

TEST_CASE("over many samples of launches the estimate's mean is the whole, and its error is what estimates vary by") {
  constexpr int launches = 400, taken = 40, samples = 2000;
  std::mt19937_64 random(2);
  std::vector<double> events(launches);
  for (double& each : events) each = static_cast<double>(10 + random() % 1000);
  double const whole = std::accumulate(events.begin(), events.end(), 0.0);
  double sum = 0, squares = 0, told = 0;
  block_tally everything(make_block_sample(1, 0));
  for (int sample = 0; sample < samples; ++sample) {
    std::shuffle(events.begin(), events.end(), random);  // each sample is the first launches
    sample_count counts;
    counts.launches_offered = launches;
    std::array<double, sample_part_count> parts{};
    for (int i = 0; i < taken; ++i) {
      std::uint32_t const part = counts.next_part();
      parts[part] += events[static_cast<std::size_t>(i)];
      counts.take(part, 1, everything);
    }
    sampling const found = counts.estimated(1, parts);
    sum += found.events;
    squares += (found.events - whole) * (found.events - whole);
    REQUIRE(found.events_error);
    told += *found.events_error * *found.events_error;
  }
  double const deviation = std::sqrt(squares / samples);
  CHECK(std::abs(sum / samples - whole) < 4 * deviation / std::sqrt(samples));
  CHECK(is_near(std::sqrt(told / samples), deviation, 0.1));
}

TEST_CASE("a sample of blocks is as large as asked, the same for a seed, and another for another") {
  for (double const rate : {0.001, 0.1, 0.5, 0.9}) {
    block_tally tally(make_block_sample(rate, 7));
    block_tally::counts const& counts = tally.of(1 << 20);
    double const taken = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    double const asked = rate * (1 << 20);
    CHECK(std::abs(taken - asked) < 5 * std::sqrt(asked * (1 - rate)));
    for (std::uint64_t const count : counts)
      CHECK(std::abs(static_cast<double>(count) - asked / 8) < 6 * std::sqrt(asked / 8));
    CHECK(block_tally(make_block_sample(rate, 7)).of(1 << 20) == counts);
    CHECK(block_tally(make_block_sample(rate, 8)).of(1 << 20) != counts);
  }
  CHECK(make_block_sample(1, 3).is_everything());
  CHECK(make_block_sample(1e-12, 3).threshold == 1);
  CHECK_FALSE(make_block_sample(0.999999, 3).is_everything());
}
