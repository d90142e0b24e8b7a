// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// In place of rocPRIM, on the CPU: the algorithms that analysis/hip/sort.hpp uses, as AMD documents them. Asked without
// memory they say how much they need, else they use exactly that much. Radix sort is for integers; both sorts are
// stable, and leave their input.
#ifndef PASTA_STAND_IN_ROCPRIM_HPP
#define PASTA_STAND_IN_ROCPRIM_HPP

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace rocprim {

namespace stand_in {

/// Does the work where there is memory, which it fills from end to end; else says how much.
template <class Work>
hipError_t with_storage(void* memory, std::size_t& bytes, std::size_t needed, Work&& work) {
  if (memory == nullptr) {
    bytes = needed;
    return hipSuccess;
  }
  if (bytes != needed) return hipErrorInvalidValue;
  std::memset(memory, 0xa5, bytes);
  work();
  return hipSuccess;
}

template <class Key, class Value, class Less>
void sort_pairs(Key const* keys, Key* sorted, Value const* values, Value* moved, std::size_t count, Less less) {
  std::vector<std::size_t> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  for (std::size_t i = 0; i < count; ++i) sorted[i] = keys[places[i]], moved[i] = values[places[i]];
}

}  // namespace stand_in

template <class Key>
hipError_t radix_sort_keys(void* memory, std::size_t& bytes, Key const* keys, Key* sorted, unsigned count) {
  static_assert(std::is_integral_v<Key>);
  return stand_in::with_storage(memory, bytes, count * sizeof(Key), [&] {
    std::copy(keys, keys + count, sorted);
    std::sort(sorted, sorted + count);
  });
}
template <class Key, class Value>
hipError_t radix_sort_pairs(void* memory, std::size_t& bytes, Key const* keys, Key* sorted, Value const* values,
                            Value* moved, unsigned count) {
  static_assert(std::is_integral_v<Key>);
  return stand_in::with_storage(memory, bytes, count * sizeof(Value) + 1, [&] {
    stand_in::sort_pairs(keys, sorted, values, moved, count, [](Key a, Key b) { return a < b; });
  });
}
template <class Key, class Less>
hipError_t merge_sort(void* memory, std::size_t& bytes, Key const* keys, Key* sorted, std::size_t count, Less less) {
  return stand_in::with_storage(memory, bytes, 0, [&] {
    std::copy(keys, keys + count, sorted);
    std::stable_sort(sorted, sorted + count, less);
  });
}
template <class Key, class Value, class Less>
hipError_t merge_sort(void* memory, std::size_t& bytes, Key const* keys, Key* sorted, Value const* values, Value* moved,
                      std::size_t count, Less less) {
  return stand_in::with_storage(memory, bytes, count,
                                [&] { stand_in::sort_pairs(keys, sorted, values, moved, count, less); });
}
template <class T, class Same>
hipError_t unique(void* memory, std::size_t& bytes, T const* values, T* kept, std::size_t* kept_count,
                  std::size_t count, Same same) {
  return stand_in::with_storage(memory, bytes, 3, [&] {
    *kept_count = static_cast<std::size_t>(std::unique_copy(values, values + count, kept, same) - kept);
  });
}
/// The key of a run is one of it, not always the first.
template <class Key, class Value, class Op, class Same>
hipError_t reduce_by_key(void* memory, std::size_t& bytes, Key const* keys, Value const* values, unsigned count,
                         Key* run_keys, Value* run_values, unsigned* run_count, Op op, Same same) {
  return stand_in::with_storage(memory, bytes, 5, [&] {
    unsigned runs = 0;
    for (unsigned i = 0; i < count; ++i) {
      bool const goes_on = i > 0 && same(keys[i - 1], keys[i]);
      run_values[goes_on ? runs - 1 : runs] = goes_on ? op(run_values[runs - 1], values[i]) : values[i];
      run_keys[goes_on ? runs - 1 : runs] = keys[i];
      if (!goes_on) ++runs;
    }
    *run_count = runs;
  });
}

}  // namespace rocprim
#endif
