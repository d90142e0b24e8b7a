// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Relaxed atomic operations on numbers; each gives the value before. Device code.
#ifndef PASTA_VENDOR_HIP_ATOMIC_HPP
#define PASTA_VENDOR_HIP_ATOMIC_HPP

#include <hip/hip_runtime.h>

#include <pasta/config.hpp>
#include <type_traits>

namespace pasta::simt {

namespace detail {
template <class T>
using atomic_word =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
}  // namespace detail

template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE T atomic_compare_exchange(T& target, std::type_identity_t<T> expected,
                                                           std::type_identity_t<T> desired) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "a GPU exchanges numbers of 2, 4 or 8 bytes atomically");
  detail::atomic_word<T> seen, wanted;
  __builtin_memcpy(&seen, &expected, sizeof(T));
  __builtin_memcpy(&wanted, &desired, sizeof(T));
  __hip_atomic_compare_exchange_strong(reinterpret_cast<detail::atomic_word<T>*>(&target), &seen, wanted,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __builtin_memcpy(&expected, &seen, sizeof(T));
  return expected;
}

template <class T, class Function>
PASTA_DEVICE PASTA_ALWAYS_INLINE T atomic_update(T& target, Function&& f) {
  T old = *const_cast<T volatile*>(&target);
  PASTA_NO_UNROLL
  while (true) {
    T const seen = atomic_compare_exchange(target, old, f(old));
    if (__builtin_memcmp(&seen, &old, sizeof(T)) == 0) return old;
    old = seen;
  }
}

// With the GPU's own instruction where it has one for the type, else by compare and exchange.
#define PASTA_DETAIL_ATOMIC(name, is_native, native, expression)                                             \
  template <class T>                                                                                         \
  PASTA_DEVICE PASTA_ALWAYS_INLINE T atomic_##name(T& target, std::type_identity_t<T> operand) {             \
    if constexpr (is_native && sizeof(T) >= 4) {                                                             \
      return native(&target, operand, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                           \
    } else {                                                                                                 \
      return atomic_update(target, [=]([[maybe_unused]] T old) -> T { return static_cast<T>(expression); }); \
    }                                                                                                        \
  }
PASTA_DETAIL_ATOMIC(add, std::is_arithmetic_v<T>, __hip_atomic_fetch_add, old + operand)
PASTA_DETAIL_ATOMIC(min, std::is_integral_v<T>, __hip_atomic_fetch_min, old < operand ? old : operand)
PASTA_DETAIL_ATOMIC(max, std::is_integral_v<T>, __hip_atomic_fetch_max, old > operand ? old : operand)
PASTA_DETAIL_ATOMIC(exchange, std::is_arithmetic_v<T>, __hip_atomic_exchange, operand)
PASTA_DETAIL_ATOMIC(and, std::is_integral_v<T>, __hip_atomic_fetch_and, old& operand)
PASTA_DETAIL_ATOMIC(or, std::is_integral_v<T>, __hip_atomic_fetch_or, old | operand)
#undef PASTA_DETAIL_ATOMIC
template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE T atomic_sub(T& target, std::type_identity_t<T> operand) {
  return atomic_add(target, static_cast<T>(T{0} - operand));
}

/// What the lane wrote before is seen by the whole GPU before what it writes after.
PASTA_DEVICE PASTA_ALWAYS_INLINE void fence() { __threadfence(); }
/// Lets other waves go on while the caller waits for one of them.
PASTA_DEVICE PASTA_ALWAYS_INLINE void pause() { __builtin_amdgcn_s_sleep(1); }

}  // namespace pasta::simt
#endif
