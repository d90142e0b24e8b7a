// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How a patch finds its site's row (instrument/patch_abi.hpp). Device code.
#ifndef PASTA_INSTRUMENT_CUDA_PATCH_SITES_HPP
#define PASTA_INSTRUMENT_CUDA_PATCH_SITES_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>
#include <pasta/instrument/patch_abi.hpp>

namespace pasta::detail {

/// Looks on behind a place that is another site's, and takes a free one. All lanes that are here look for the same.
/// @return no_patch_row if there is none
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t claim_patch_row(patch_site* sites, std::uint32_t place,
                                                               std::uint32_t mask, std::uint64_t address,
                                                               std::uint64_t about) {
  PASTA_NO_UNROLL
  for (std::uint32_t tries = 0; tries < patch_tries; ++tries, place = (place + 1) & mask) {
    patch_site& at = sites[place];
    // Words are written once: one that has a value needs no exchange.
    device_word seen = at.address;
    if (seen == 0) seen = compare_exchange(reinterpret_cast<device_word*>(&at.address), 0, address);
    if (seen != 0 && seen != address) continue;
    device_word other = at.about;
    if (other == 0) other = compare_exchange(reinterpret_cast<device_word*>(&at.about), 0, about);
    if (other == 0 || other == about) return place;
  }
  return no_patch_row;
}

PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t find_patch_row(patch_state const& of, std::uint64_t address,
                                                              std::uint64_t about) {
  auto* const sites = reinterpret_cast<patch_site*>(of.sites);
  std::uint32_t const place = patch_place(address, about, of.site_mask);
  patch_site const seen = sites[place];
  if ((seen.address == address) & (seen.about == about)) return place;
  return claim_patch_row(sites, place, of.site_mask, address, about);
}

/// The number of the multiprocessor that runs the caller.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t multiprocessor() {
  std::uint32_t number = 0;
#if !PASTA_IS_HOST_PASS
  asm("mov.u32 %0, %%smid;" : "=r"(number));
#endif
  return number;
}

}  // namespace pasta::detail
#endif
