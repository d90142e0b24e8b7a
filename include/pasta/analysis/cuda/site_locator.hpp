// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How a GPU thread finds the row of a site.
#ifndef PASTA_ANALYSIS_CUDA_SITE_LOCATOR_HPP
#define PASTA_ANALYSIS_CUDA_SITE_LOCATOR_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>

namespace pasta::detail {

// A site's row is known from its line, kind and size when the kernel is compiled, and so is its place in registers.
// Sites that share a row there are told apart at run time; the second one gets a row behind. Without optimisation every
// row costs each thread memory.
#if defined(__CUDACC_DEBUG__)
inline constexpr std::uint32_t home_row_count = 32;
#else
inline constexpr std::uint32_t home_row_count = 128;
#endif
inline constexpr std::uint32_t spare_row_count = 64, row_count = home_row_count + spare_row_count;
inline constexpr std::uint32_t no_row = ~0u;

/// Which site has a row: a site_key's words. Both are set once, by compare and exchange.
struct alignas(16) site_entry {
  device_word packed, file;
};

/// The row of a site that is not in its place yet or shares it. @return no_row if all are taken
PASTA_DEVICE PASTA_NEVER_INLINE inline std::uint32_t claim_row(site_entry* entries, std::uint32_t slot,
                                                               device_word packed, device_word file) {
#if !PASTA_IS_HOST_PASS
  std::uint32_t place = slot;
#pragma unroll 1
  for (std::uint32_t tries = 0; tries <= spare_row_count; ++tries) {
    device_word const seen = compare_exchange(&entries[place].packed, 0, packed);
    if (seen == 0 || seen == packed) {
      device_word const other = compare_exchange(&entries[place].file, 0, file);
      if (other == 0 || other == file) return place;
    }
    place = home_row_count + (static_cast<std::uint32_t>(packed >> 44) + tries) % spare_row_count;
  }
#endif
  static_cast<void>(entries), static_cast<void>(slot), static_cast<void>(packed), static_cast<void>(file);
  return no_row;
}

PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_home(site_entry const& seen, device_word packed, char const* name) {
  return (seen.packed == packed) & (seen.file == static_cast<device_word>(reinterpret_cast<std::uintptr_t>(name)));
}

PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t find_row(site_entry* entries, std::uint32_t slot, device_word packed,
                                                        char const* name) {
  // Words of an entry are written once, so an old value can only be zero.
  if (is_home(entries[slot], packed, name)) return slot;
  return claim_row(entries, slot, packed, static_cast<device_word>(reinterpret_cast<std::uintptr_t>(name)));
}

/// A way to a site's row for functions that know neither the tools of the run nor their layout.
struct site_locator {
  site_entry* entries;
  unsigned char* rare;       // of the tool, in row 0
  unsigned char* rare_lock;  // of row 0
  std::uint32_t rare_row_bytes;
  std::uint32_t slot;
  char const* file;
  device_word packed;  // 0: the slot is the row

  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t row() const {
    return packed == 0 ? slot : find_row(entries, slot, packed, file);
  }
};

}  // namespace pasta::detail
#endif
