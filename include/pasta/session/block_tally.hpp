// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_BLOCK_TALLY_HPP
#define PASTA_SESSION_BLOCK_TALLY_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <pasta/instrument/block_sample.hpp>
#include <pasta/report/sampling.hpp>

namespace pasta {

/// How many blocks of a grid a sample has, in each of its parts: a block's part is its hash's last bits.
class block_tally {
 public:
  using counts = std::array<std::uint64_t, sample_part_count>;

  explicit block_tally(block_sample const& of) : sample_(of) {}

  block_sample const& sample() const { return sample_; }
  static constexpr std::uint32_t part_of(std::uint32_t hash) { return hash % sample_part_count; }
  /// Looks at each of the first 2^22 blocks of a size that it has not seen; more blocks are taken to have the asked
  /// share. Not for several threads at once.
  counts const& of(std::uint64_t blocks) {
    auto const [known, is_new] = known_.try_emplace(blocks);
    if (!is_new) return known->second;
    constexpr std::uint64_t most_looked_at = std::uint64_t{1} << 22;
    counts& made = known->second;
    made.fill(0);
    std::uint64_t const looked_at = blocks < most_looked_at ? blocks : most_looked_at;
    for (std::uint64_t block = 0; block < looked_at; ++block) {
      std::uint32_t const hash = block_hash(static_cast<std::uint32_t>(block), sample_.seed);
      if (sample_.has(hash)) ++made[part_of(hash)];
    }
    double const rate = sample_.is_everything() ? 1 : sample_.threshold / 4294967296.0;
    double const each = static_cast<double>(blocks - looked_at) * rate / sample_part_count;
    for (std::uint64_t& count : made) count += static_cast<std::uint64_t>(std::llround(each));
    return made;
  }

 private:
  block_sample sample_;
  std::map<std::uint64_t, counts> known_;
};

/// What is known of a kernel's sample while it is taken.
struct sample_count {
  std::uint64_t launches_offered = 0, launches_taken = 0, blocks_offered = 0, blocks_taken = 0;
  std::array<double, sample_part_count> units{};  ///< launches, or blocks, in each part
  bool are_parts_known = true;                    ///< what was counted in each is known

  /// Of the next launch that is taken.
  std::uint32_t next_part() const { return static_cast<std::uint32_t>(launches_taken % sample_part_count); }
  /// The part of a launch whose blocks are dealt to all of them.
  static constexpr std::uint32_t by_block = ~0u;
  /// @param part_of_launch in which it is, or by_block @param blocks of each launch @param launches that are taken
  /// together, such as a graph's
  void take(std::uint32_t part_of_launch, std::uint64_t blocks, block_tally& tally, std::uint64_t launches = 1) {
    if (part_of_launch != by_block) units[part_of_launch] += static_cast<double>(launches);
    launches_taken += launches;
    if (tally.sample().is_everything()) return;
    // The blocks taken are the same ones in each launch: that launches are alike tells nothing of the others.
    if (part_of_launch != by_block) are_parts_known = false;
    blocks_offered += blocks * launches;
    block_tally::counts const& counts = tally.of(blocks);
    for (std::uint32_t part = 0; part < sample_part_count; ++part) {
      blocks_taken += counts[part] * launches;
      if (part_of_launch == by_block) units[part] += static_cast<double>(counts[part] * launches);
    }
  }
  void add(sample_count const& other) {
    launches_offered += other.launches_offered;
    launches_taken += other.launches_taken;
    blocks_offered += other.blocks_offered;
    blocks_taken += other.blocks_taken;
    for (std::uint32_t part = 0; part < sample_part_count; ++part) units[part] += other.units[part];
    are_parts_known = are_parts_known && other.are_parts_known;
  }
  /// @param events in each part
  sampling estimated(double block_rate, std::array<double, sample_part_count> const& events) const {
    sampling made;
    made.launches_offered = launches_offered;
    made.launches_taken = launches_taken;
    made.block_rate = block_rate;
    made.blocks_offered = blocks_offered;
    made.blocks_taken = blocks_taken;
    std::vector<sample_part> parts;
    for (std::uint32_t part = 0; part < sample_part_count; ++part) parts.push_back({units[part], events[part]});
    if (!are_parts_known) {  // one part tells nothing of the error
      sample_part all;
      for (sample_part const& part : parts) all.units += part.units, all.events += part.events;
      parts.assign(1, all);
    }
    estimate(made, parts);
    return made;
  }
};

}  // namespace pasta
#endif
