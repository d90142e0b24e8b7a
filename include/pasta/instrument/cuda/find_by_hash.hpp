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
/// Tries one place. @return whether the entry is there now
PASTA_DEVICE PASTA_ALWAYS_INLINE bool try_entry(device_word* hashes, std::uint32_t number, device_word hash,
                                                std::uint32_t& is_new) {
  device_word seen = *static_cast<device_word volatile*>(&hashes[number]);
  if (seen == 0) seen = compare_exchange(&hashes[number], 0, hash);
  is_new = seen == 0;
  return seen == 0 || seen == hash;
}
/// Finds an entry or takes a free place for it, the first of all if it is free. Of lanes that call it
/// together with the same hash one gets a new entry.
/// @param hashes [size], 0 where free
PASTA_DEVICE PASTA_NEVER_INLINE inline found_entry find_by_hash(device_word* hashes, std::uint32_t size,
                                                                device_word hash) {
  constexpr std::uint32_t most_tries = 9;
  found_entry found{0, 0};
#pragma unroll 1
  for (std::uint32_t tries = 0; tries < most_tries; ++tries) {
    found.number = tries == 0 ? 0 : (home_of(hash, size) + tries - 1) % size;
    if (try_entry(hashes, found.number, hash, found.is_new)) return found;
  }
  return {no_entry, 0};
}

}  // namespace pasta::detail
#endif
