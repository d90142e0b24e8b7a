// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the lanes of a wave do together. Lanes that are at the same point of the program go together; where lanes
/// parted, those at the lowest point go first.
#ifndef PASTA_TESTS_EMULATION_HIP_EMULATED_WAVES_H
#define PASTA_TESTS_EMULATION_HIP_EMULATED_WAVES_H

#include <cstring>
#include <type_traits>

#include "hip/emulated_device.h"

namespace hip_emulation {

/// The lanes of the wave that come to this point of the program together.
std::uint64_t converge();
/// Those for which the condition holds.
std::uint64_t ballot(bool condition);
/// What lane `source` brought; 0 if that lane is not here, as the hardware gives.
std::uint64_t exchange(std::uint64_t value, std::uint32_t source);

template <class T>
T shuffle(T value, int source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8, "lanes exchange values of at most 8 bytes");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  word = exchange(word, static_cast<std::uint32_t>(source) % wave_width());
  std::memcpy(&value, &word, sizeof(T));
  return value;
}

}  // namespace hip_emulation

inline unsigned long long __ballot(int predicate) { return ::hip_emulation::ballot(predicate != 0); }
inline unsigned long long __ballot64(int predicate) { return ::hip_emulation::ballot(predicate != 0); }
inline unsigned long long __activemask() { return ::hip_emulation::converge(); }
inline int __any(int predicate) { return ::hip_emulation::ballot(predicate != 0) != 0; }
inline int __all(int predicate) { return ::hip_emulation::ballot(predicate == 0) == 0; }

// Widths are powers of two: a wave is cut into parts that exchange among themselves.
template <class T>
T __shfl(T value, int source, int width = warpSize) {
  int const self = static_cast<int>(__lane_id());
  return ::hip_emulation::shuffle(value, source + (self & ~(width - 1)));
}
template <class T>
T __shfl_up(T value, unsigned distance, int width = warpSize) {
  int const self = static_cast<int>(__lane_id()), source = self - static_cast<int>(distance);
  return ::hip_emulation::shuffle(value, source < (self & ~(width - 1)) ? self : source);
}
template <class T>
T __shfl_down(T value, unsigned distance, int width = warpSize) {
  int const self = static_cast<int>(__lane_id()), source = self + static_cast<int>(distance);
  return ::hip_emulation::shuffle(value, (self & (width - 1)) + static_cast<int>(distance) >= width ? self : source);
}
template <class T>
T __shfl_xor(T value, int mask, int width = warpSize) {
  int const self = static_cast<int>(__lane_id()), source = self ^ mask;
  return ::hip_emulation::shuffle(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}

#define __builtin_amdgcn_readlane(value, lane) (::hip_emulation::shuffle((value), (lane)))
#define __builtin_amdgcn_wave_barrier() (static_cast<void>(::hip_emulation::converge()))

#endif
