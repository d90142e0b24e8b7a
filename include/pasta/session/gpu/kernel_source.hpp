// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_GPU_KERNEL_SOURCE_HPP
#define PASTA_SESSION_GPU_KERNEL_SOURCE_HPP

#include <pasta/session/kernel_argument.hpp>

namespace pasta::detail {

/// A kernel as it is passed to a GPU: without data, nothing is.
template <class Kernel>
struct kernel_source {
  Kernel kernel;
  PASTA_DEVICE Kernel const& get() const { return kernel; }
  static kernel_source of(Kernel const& from) { return {from}; }
};
template <class Kernel>
requires(std::is_empty_v<Kernel>&& std::is_default_constructible_v<Kernel>) struct kernel_source<Kernel> {
  PASTA_DEVICE Kernel get() const { return {}; }
  static kernel_source of(Kernel const&) { return {}; }
};

}  // namespace pasta::detail
#endif
