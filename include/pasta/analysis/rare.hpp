// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_ANALYSIS_RARE_HPP
#define PASTA_ANALYSIS_RARE_HPP

#include <pasta/analysis/mergeable.hpp>

namespace pasta {

/// State that changes seldom, however often its site is executed: the worst request so far, a first occurrence. A GPU
/// keeps one of it for each site, behind a lock, and never a copy in registers, so it may be large. Handlers reach it
/// only through functions that say so (pasta::observe_request).
template <mergeable T>
class rare {
 public:
  PASTA_DEVICE constexpr T& get() { return value_; }
  PASTA_DEVICE constexpr T const& get() const { return value_; }
  PASTA_DEVICE constexpr void merge(rare const& other) { value_.merge(other.value_); }

 private:
  T value_{};
};

}  // namespace pasta
#endif
