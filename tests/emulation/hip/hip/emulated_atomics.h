// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Atomic operations: relaxed, each gives the value before.
#ifndef PASTA_TESTS_EMULATION_HIP_EMULATED_ATOMICS_H
#define PASTA_TESTS_EMULATION_HIP_EMULATED_ATOMICS_H

#include <atomic>
#include <type_traits>

namespace hip_emulation {

template <class T, class Function>
T update(T* target, Function&& f) {
  std::atomic_ref<T> const atomic(*target);
  T old = atomic.load(std::memory_order_relaxed);
  while (!atomic.compare_exchange_weak(old, f(old), std::memory_order_relaxed)) {
  }
  return old;
}
// A store in it makes what follows a lock's release; so all are sequentially consistent, which is never wrong.
template <class T>
bool compare_exchange(T* target, T* expected, std::type_identity_t<T> desired) {
  return std::atomic_ref<T>(*target).compare_exchange_strong(*expected, desired);
}
template <class T>
T compare_and_swap(T* target, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  compare_exchange(target, &expected, desired);
  return expected;
}

}  // namespace hip_emulation

// For clang's pass plugin a call of one is one access, as it is one instruction of a GPU.
#ifdef __clang__
#pragma clang attribute push(__attribute__((annotate("pasta.atomic"))), apply_to = function)
#endif
#define PASTA_DETAIL_ATOMIC(name, expression)                                                       \
  template <class T>                                                                                \
  T atomic##name(T* target, std::type_identity_t<T> operand) {                                      \
    return ::hip_emulation::update(target, [&](T old) -> T { return static_cast<T>(expression); }); \
  }
PASTA_DETAIL_ATOMIC(Add, old + operand)
PASTA_DETAIL_ATOMIC(Sub, old - operand)
PASTA_DETAIL_ATOMIC(Min, old < operand ? old : operand)
PASTA_DETAIL_ATOMIC(Max, old > operand ? old : operand)
PASTA_DETAIL_ATOMIC(And, old& operand)
PASTA_DETAIL_ATOMIC(Or, old | operand)
PASTA_DETAIL_ATOMIC(Xor, old ^ operand)
PASTA_DETAIL_ATOMIC(Inc, old >= operand ? T{0} : old + 1)
PASTA_DETAIL_ATOMIC(Dec, old == 0 || old > operand ? operand : old - 1)
#undef PASTA_DETAIL_ATOMIC
template <class T>
T atomicExch(T* target, std::type_identity_t<T> operand) {
  return std::atomic_ref<T>(*target).exchange(operand);
}
template <class T>
T atomicCAS(T* target, std::type_identity_t<T> expected, std::type_identity_t<T> desired) {
  return ::hip_emulation::compare_and_swap(target, expected, desired);
}
#ifdef __clang__
#pragma clang attribute pop
#endif

#define __HIP_MEMORY_SCOPE_AGENT 4
#define __hip_atomic_load(from, order, scope) (__atomic_load_n((from), (order)))
#define __hip_atomic_fetch_add(target, operand, order, scope) (::atomicAdd((target), (operand)))
#define __hip_atomic_fetch_min(target, operand, order, scope) (::atomicMin((target), (operand)))
#define __hip_atomic_fetch_max(target, operand, order, scope) (::atomicMax((target), (operand)))
#define __hip_atomic_fetch_and(target, operand, order, scope) (::atomicAnd((target), (operand)))
#define __hip_atomic_fetch_or(target, operand, order, scope) (::atomicOr((target), (operand)))
#define __hip_atomic_exchange(target, operand, order, scope) (::atomicExch((target), (operand)))
#define __hip_atomic_compare_exchange_strong(target, expected, desired, order, failed_order, scope) \
  (::hip_emulation::compare_exchange((target), (expected), (desired)))

#endif
