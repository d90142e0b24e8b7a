// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Relaxed atomic operations on numbers; each gives the value before.
#ifndef PASTA_VENDOR_HOST_ATOMIC_HPP
#define PASTA_VENDOR_HOST_ATOMIC_HPP

#include <atomic>
#include <type_traits>

namespace pasta::simt {

template <class T, class Function>
T atomic_update(T& target, Function&& f) {
  std::atomic_ref<T> const atomic(target);
  T old = atomic.load(std::memory_order_relaxed);
  while (!atomic.compare_exchange_weak(old, f(old), std::memory_order_relaxed)) {
  }
  return old;
}

#define PASTA_DETAIL_ATOMIC(name, expression)                                                         \
  template <class T>                                                                                  \
  T atomic_##name(T& target, std::type_identity_t<T> operand) {                                       \
    return atomic_update(target, [&]([[maybe_unused]] T old) { return static_cast<T>(expression); }); \
  }
PASTA_DETAIL_ATOMIC(add, old + operand)
PASTA_DETAIL_ATOMIC(sub, old - operand)
PASTA_DETAIL_ATOMIC(min, old < operand ? old : operand)
PASTA_DETAIL_ATOMIC(max, old > operand ? old : operand)
PASTA_DETAIL_ATOMIC(exchange, operand)
PASTA_DETAIL_ATOMIC(and, old& operand)
PASTA_DETAIL_ATOMIC(or, old | operand)
#undef PASTA_DETAIL_ATOMIC

template <class T>
T atomic_compare_exchange(T& target, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  std::atomic_ref<T>(target).compare_exchange_strong(expected, desired, std::memory_order_relaxed);
  return expected;
}

}  // namespace pasta::simt
#endif
