// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef STORE_COUNT_HPP
#define STORE_COUNT_HPP

#include <pasta/pasta.hpp>

/// Counts the stores of each kernel, one per lane.
struct store_count : pasta::tool<store_count> {
  static constexpr std::string_view summary = "counts the stores of each kernel";
  using events = pasta::events<pasta::memory_access>;
  struct kernel_state {
    pasta::count stores;
  };

  PASTA_DEVICE static void on_memory_access(pasta::context<store_count>& at, pasta::memory_access const& access) {
    if (access.kind == pasta::access_kind::store) at.kernel().stores.add(1);
  }

  void report(pasta::results<store_count> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      out.kernel(kernel).table("stores", {{"stores", ""}}).add(kernel.kernel.stores.value());
    }
  }
};

#endif
