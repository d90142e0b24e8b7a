// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Relaxed atomic operations on numbers; each gives the value before. Device code.
#ifndef PASTA_VENDOR_CUDA_ATOMIC_HPP
#define PASTA_VENDOR_CUDA_ATOMIC_HPP

#include <cstring>
#include <pasta/config.hpp>
#include <type_traits>

namespace pasta::simt {

namespace detail {

// The type of CUDA's own functions that has this size, for integers.
template <class T>
using atomic_word = std::conditional_t<
    sizeof(T) == 8, unsigned long long,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T> && std::is_integral_v<T>, int, unsigned>,
                       unsigned short>>;
template <class T>
inline constexpr bool is_atomic_integer_v = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

template <class To, class From>
PASTA_DEVICE PASTA_ALWAYS_INLINE To bits_as(From const& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

}  // namespace detail

template <class T>
PASTA_DEVICE PASTA_ALWAYS_INLINE T atomic_compare_exchange(T& target, std::type_identity_t<T> expected,
                                                           std::type_identity_t<T> desired) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8,
                "a GPU exchanges numbers of 2, 4 or 8 bytes atomically");
#if PASTA_IS_HOST_PASS
  static_cast<void>(target), static_cast<void>(desired);
  return expected;
#else
  using word = detail::atomic_word<T>;
  return detail::bits_as<T>(
      atomicCAS(reinterpret_cast<word*>(&target), detail::bits_as<word>(expected), detail::bits_as<word>(desired)));
#endif
}

template <class T, class Function>
PASTA_DEVICE PASTA_ALWAYS_INLINE T atomic_update(T& target, Function&& f) {
  T old = *const_cast<T volatile*>(&target);
  while (true) {
    T const seen = atomic_compare_exchange(target, old, f(old));
    if (std::memcmp(&seen, &old, sizeof(T)) == 0) return old;
    old = seen;
  }
}

// With the GPU's own instruction where it has one for the type, else by compare and exchange.
#if PASTA_IS_HOST_PASS
#define PASTA_DETAIL_ATOMIC(name, is_native, native, expression)                           \
  template <class T>                                                                       \
  T atomic_##name(T& target, std::type_identity_t<T> operand) {                            \
    return atomic_update(target, [=]([[maybe_unused]] T old) -> T { return expression; }); \
  }
#else
#define PASTA_DETAIL_ATOMIC(name, is_native, native, expression)                                             \
  template <class T>                                                                                         \
  __device__ PASTA_ALWAYS_INLINE T atomic_##name(T& target, std::type_identity_t<T> operand) {               \
    if constexpr (is_native) {                                                                               \
      using word = detail::atomic_word<T>;                                                                   \
      auto* const at = reinterpret_cast<word*>(&target);                                                     \
      return static_cast<T>(native);                                                                         \
    } else {                                                                                                 \
      return atomic_update(target, [=]([[maybe_unused]] T old) -> T { return static_cast<T>(expression); }); \
    }                                                                                                        \
  }
template <class T>
requires std::is_floating_point_v<T> __device__ PASTA_ALWAYS_INLINE T atomic_add(T& target,
                                                                                 std::type_identity_t<T> operand) {
  return atomicAdd(&target, operand);
}
#endif
PASTA_DETAIL_ATOMIC(add, detail::is_atomic_integer_v<T>, atomicAdd(at, static_cast<word>(operand)), old + operand)
PASTA_DETAIL_ATOMIC(sub, detail::is_atomic_integer_v<T>, atomicAdd(at, word{0} - static_cast<word>(operand)),
                    old - operand)
PASTA_DETAIL_ATOMIC(min, detail::is_atomic_integer_v<T> && (std::is_unsigned_v<T> || sizeof(T) == 4),
                    atomicMin(at, static_cast<word>(operand)), old < operand ? old : operand)
PASTA_DETAIL_ATOMIC(max, detail::is_atomic_integer_v<T> && (std::is_unsigned_v<T> || sizeof(T) == 4),
                    atomicMax(at, static_cast<word>(operand)), old > operand ? old : operand)
PASTA_DETAIL_ATOMIC(exchange, detail::is_atomic_integer_v<T>, atomicExch(at, static_cast<word>(operand)), operand)
PASTA_DETAIL_ATOMIC(and, detail::is_atomic_integer_v<T>, atomicAnd(at, static_cast<word>(operand)), old& operand)
PASTA_DETAIL_ATOMIC(or, detail::is_atomic_integer_v<T>, atomicOr(at, static_cast<word>(operand)), old | operand)
#undef PASTA_DETAIL_ATOMIC

}  // namespace pasta::simt
#endif
