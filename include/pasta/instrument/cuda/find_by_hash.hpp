// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Small tables in a GPU's memory whose entries are found by 64 bits of hash. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_FIND_BY_HASH_HPP
#define PASTA_INSTRUMENT_CUDA_FIND_BY_HASH_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>

namespace pasta::detail {

inline constexpr std::uint32_t no_entry = ~0u;

/// Where an entry is looked for first. @param size a power of two
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t home_of(device_word hash, std::uint32_t size) {
  return static_cast<std::uint32_t>(hash >> 32) % size;
}

struct found_entry {
  std::uint32_t number;  // no_entry: all places that were looked at are taken
  std::uint32_t is_new;  // to be filled in by the caller
};
/// Finds an entry or takes a free place for it, the first of all if it is free. Of lanes that call it
/// together with the same hash one gets a new entry.
/// @param hashes [size], 0 where free
PASTA_DEVICE PASTA_NEVER_INLINE inline found_entry find_by_hash(device_word* hashes, std::uint32_t size,
                                                                device_word hash) {
#if !PASTA_IS_HOST_PASS
  constexpr std::uint32_t most_tries = 9;
#pragma unroll 1
  for (std::uint32_t tries = 0; tries < most_tries; ++tries) {
    std::uint32_t const number = tries == 0 ? 0 : (home_of(hash, size) + tries - 1) % size;
    device_word seen = *static_cast<device_word volatile*>(&hashes[number]);
    if (seen == 0) seen = compare_exchange(&hashes[number], 0, hash);
    if (seen == 0 || seen == hash) return {number, seen == 0};
  }
#endif
  static_cast<void>(hashes), static_cast<void>(size), static_cast<void>(hash);
  return {no_entry, 0};
}

}  // namespace pasta::detail
#endif
