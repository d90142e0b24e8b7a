// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How a patch finds its site's row (instrument/patch_abi.hpp). Device code.
#ifndef PASTA_INSTRUMENT_CUDA_PATCH_SITES_HPP
#define PASTA_INSTRUMENT_CUDA_PATCH_SITES_HPP

#include <pasta/analysis/cuda/shared_merge.hpp>
#include <pasta/instrument/patch_abi.hpp>

namespace pasta::detail {

/// Reads a word anew: a value that is needed seldom is not kept in a register for it. A patch has 14 registers that it
/// need not save.
template <class Word>
PASTA_DEVICE PASTA_ALWAYS_INLINE Word read_anew(Word const& from) {
  return *const_cast<Word const volatile*>(&from);
}

// Words of the table are written once: one that has a value needs no exchange.
PASTA_DEVICE PASTA_ALWAYS_INLINE bool claim_patch_word(std::uint64_t* word, std::uint64_t wanted) {
  device_word before = *word;
  if (before == 0) before = compare_exchange(reinterpret_cast<device_word*>(word), 0, wanted);
  return before == 0 || before == wanted;
}

/// Takes a free place, or finds the site's, at `place` or behind. Each lane that calls it looks for itself.
/// @param about given the kernel's number
/// @return no_patch_row if there is none
template <class About>
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t claim_patch_row(patch_state const& of, std::uint32_t place,
                                                               std::uint64_t address, About const& about) {
  // The place, below the number of tries that are left.
  std::uint32_t const one_try = most_patch_sites;
  std::uint32_t at = patch_tries * one_try + place;
  PASTA_NO_UNROLL
  do {
    auto* site = reinterpret_cast<patch_site*>(read_anew(of.sites)) + at % one_try;
#if !PASTA_IS_HOST_PASS
    asm volatile("" : "+l"(site));  // else it is computed for each use, and what for is kept
#endif
    if (claim_patch_word(&site->address, address) && claim_patch_word(&site->about, about(read_anew(of.kernel))))
      return at % one_try;
    std::uint32_t const mask = ~(~0u << (32 - read_anew(of.place_shift)));
    at = ((at + 1) & mask) + (at / one_try - 1) * one_try;
  } while (at >= one_try);
  return no_patch_row;
}

template <class About>
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t find_patch_row(patch_state const& of, std::uint64_t address,
                                                              About const& about) {
  std::uint32_t const place = patch_place(address, of.kernel, of.place_shift);
  patch_site const& seen = reinterpret_cast<patch_site const*>(of.sites)[place];
  if (seen.address == address && seen.about == about(of.kernel)) return place;
  return claim_patch_row(of, place, address, about);
}

/// What decides whether the caller's block is in a sample.
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t hash_of_block(block_sample const& of) {
  std::uint32_t number = 0;
#if !PASTA_IS_HOST_PASS
  number = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
#endif
  return block_hash(number, of.seed);
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
