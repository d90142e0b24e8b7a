// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool's thread_state as hooks take and return it (instrument/hook_abi.hpp): words of 32 bits, which the assembler
/// keeps in registers. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_HOOK_STATE_HPP
#define PASTA_INSTRUMENT_CUDA_HOOK_STATE_HPP

#include <cstdint>
#include <pasta/instrument/states.hpp>
#include <type_traits>

namespace pasta::detail {

template <std::uint32_t Count>
struct state_words {
  std::uint32_t words[Count];
};
template <>
struct state_words<0> {};

template <class Tool>
inline constexpr std::uint32_t thread_words = has_thread_state_v<Tool> ? (sizeof(typename Tool::thread_state) + 3) / 4
                                                                       : 0;

template <class Tool>
using words_of = state_words<thread_words<Tool>>;
template <class Tool, class WithoutState>
using hook_result = std::conditional_t<has_thread_state_v<Tool>, words_of<Tool>, WithoutState>;

template <class Tool>
PASTA_DEVICE PASTA_ALWAYS_INLINE typename Tool::thread_state to_thread_state(words_of<Tool> words) {
#if !PASTA_IS_HOST_PASS
  // Each word is read whole: the compiler would else read single bytes of it, which are no registers.
  for (std::uint32_t& word : words.words) asm("" : "+r"(word));
#endif
  typename Tool::thread_state state;
  __builtin_memcpy(&state, &words, sizeof state);
  return state;
}

template <class Tool>
PASTA_DEVICE PASTA_ALWAYS_INLINE words_of<Tool> to_words(typename Tool::thread_state const& state) {
  words_of<Tool> words{};
  __builtin_memcpy(&words, &state, sizeof state);
  return words;
}

}  // namespace pasta::detail
#endif
