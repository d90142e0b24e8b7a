// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which blocks of a grid a sample has: those whose number's hash is below a threshold. The same on every route, in
/// every launch, and in every run with the same seed.
#ifndef PASTA_INSTRUMENT_BLOCK_SAMPLE_HPP
#define PASTA_INSTRUMENT_BLOCK_SAMPLE_HPP

#include <cstdint>
#include <pasta/config.hpp>

namespace pasta {

/// @param block its number in the grid, x + grid.x * (y + grid.y * z), of which the last 32 bits count
/// @param seed of block_sample @return 32 bits that look drawn
PASTA_DEVICE constexpr std::uint32_t block_hash(std::uint32_t block, std::uint32_t seed) {
  std::uint32_t bits = (block ^ seed) * 0x85ebca6bu;
  bits = (bits ^ bits >> 15) * 0xc2b2ae35u;
  return bits ^ bits >> 16;
}

struct block_sample {
  std::uint32_t threshold = 0;  ///< 0: all blocks
  std::uint32_t seed = 0;       ///< of the hash: the number that was asked for, spread over all bits

  PASTA_DEVICE constexpr bool is_everything() const { return threshold == 0; }
  PASTA_DEVICE constexpr bool has(std::uint32_t hash) const { return threshold == 0 || hash < threshold; }
};

/// @param rate above 0, at most 1: the share of the blocks @param number another one, another sample
constexpr block_sample make_block_sample(double rate, std::uint32_t number) {
  std::uint32_t const seed = (number + 1) * 0x9e3779b9u;
  double const threshold = rate * 4294967296.0;
  if (threshold >= 4294967295.5) return {0, seed};
  return {threshold < 1 ? 1u : static_cast<std::uint32_t>(threshold), seed};
}

}  // namespace pasta
#endif
