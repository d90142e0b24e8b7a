// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a tool's hook says about itself: words of the ABI (instrument/hook_abi.hpp).
#ifndef PASTA_INSTRUMENT_CUDA_HOOK_WORDS_HPP
#define PASTA_INSTRUMENT_CUDA_HOOK_WORDS_HPP

#include <pasta/instrument/cuda/hook_state.hpp>
#include <pasta/instrument/cuda/kept_counts.hpp>
#include <pasta/instrument/hook_events.hpp>

namespace pasta::detail {

template <class Tool>
struct hook_words : hook_events<Tool> {
  static constexpr std::uint32_t kept = kept_counts<Tool>::can_be ? kept_counts<Tool>::number : never_kept;
  static constexpr auto kept_places = kept_counts<Tool>::find_places();
  static constexpr std::uint32_t thread_state_words = thread_words<Tool>;
  static constexpr std::uint32_t address_period = [] {
    if constexpr (has_address_period<Tool> && !has_thread_state_v<Tool>) {
      return Tool::address_period(typename Tool::options{});
    } else {
      return 0;
    }
  }();
};

}  // namespace pasta::detail

#define PASTA_DETAIL_HOOK_ABI(name)                                                                                \
  extern "C" __device__ __constant__ extern ::std::uint32_t const pasta_hook_abi[::pasta::detail::hook_abi_words]; \
  __device__ __constant__ ::std::uint32_t const pasta_hook_abi[::pasta::detail::hook_abi_words] = {                \
      ::pasta::detail::hook_abi_version,                                                                           \
      static_cast<::std::uint32_t>(::pasta::detail::hook_words<name>::obstacle),                                   \
      ::pasta::detail::hook_words<name>::events,                                                                   \
      ::pasta::detail::hook_layout<name>::site_shard_bytes,                                                        \
      ::pasta::detail::hook_layout<name>::site_shared_bytes,                                                       \
      ::pasta::detail::hook_layout<name>::function_shard_bytes,                                                    \
      ::pasta::detail::hook_layout<name>::function_shared_bytes,                                                   \
      static_cast<::std::uint32_t>(::pasta::detail::hook_words<name>::watched),                                    \
      static_cast<::std::uint32_t>(::pasta::detail::hook_words<name>::watched >> 32),                              \
      ::pasta::detail::hook_words<name>::kept,                                                                     \
      ::pasta::detail::hook_words<name>::kept_places.words[0],                                                     \
      ::pasta::detail::hook_words<name>::kept_places.words[1],                                                     \
      ::pasta::detail::hook_words<name>::kept_places.words[2],                                                     \
      ::pasta::detail::hook_words<name>::kept_places.words[3],                                                     \
      ::pasta::detail::hook_words<name>::address_period,                                                           \
      ::pasta::detail::hook_words<name>::thread_state_words}
#endif
