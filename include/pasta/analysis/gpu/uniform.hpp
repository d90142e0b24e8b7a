// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Values that all lanes of a wave have alike, in a form that the compiler knows to be so: they then take scalar
/// registers. Device code of GPUs that have such.
#ifndef PASTA_ANALYSIS_GPU_UNIFORM_HPP
#define PASTA_ANALYSIS_GPU_UNIFORM_HPP

#include <cstdint>
#include <pasta/config.hpp>

// A GPU without machine code has other ways to say it (tests/emulation/hip).
#ifndef PASTA_OF_FIRST_LANE
#define PASTA_OF_FIRST_LANE(half) static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(half)))
#define PASTA_IN_DEVICE_MEMORY __attribute__((address_space(1)))
#endif

namespace pasta::detail {

PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint64_t uniform_word(std::uint64_t word) {
  return PASTA_OF_FIRST_LANE(static_cast<std::uint32_t>(word)) |
         static_cast<std::uint64_t>(PASTA_OF_FIRST_LANE(static_cast<std::uint32_t>(word >> 32))) << 32;
}

/// Of a pointer to the GPU's memory, which the compiler then knows it to be.
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE T* uniform_pointer(T* pointer) {
  return (T*)(PASTA_IN_DEVICE_MEMORY T*)uniform_word(reinterpret_cast<std::uint64_t>(pointer));
}

}  // namespace pasta::detail
#endif
