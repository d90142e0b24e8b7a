// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_REPEAT_HPP
#define PASTA_ANALYSIS_REPEAT_HPP

#include <cstring>
#include <pasta/analysis/mergeable.hpp>

namespace pasta::detail {

/// Makes of a state what `times` of it give, merged. By doubling, and so for whatever merges; arrays too.
template <class T>
PASTA_DEVICE void repeat(T& state, std::uint64_t times) {
  struct boxed {
    T value;
  };
  boxed doubled{}, all{};
  merge_one(doubled.value, state);
  for (; times != 0; times >>= 1) {
    if ((times & 1) != 0) merge_one(all.value, doubled.value);
    boxed const half = doubled;
    merge_one(doubled.value, half.value);
  }
  std::memcpy(&state, &all.value, sizeof(T));
}

}  // namespace pasta::detail
#endif
