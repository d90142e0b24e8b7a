// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_HISTOGRAM_HPP
#define PASTA_EXAMPLES_TARGETS_HISTOGRAM_HPP

#include "target.hpp"

/// Counts how often each key occurs, with atomic additions to bins in global memory.
struct histogram {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t const, Probe> keys,
                               pasta::traced<std::uint32_t, Probe> bins, std::size_t n) const {
    std::size_t const i = t.index();
    if (i >= n) return;
    std::uint32_t const key = keys[i];
    t.atomic_add(bins[key], 1u);
  }
};

namespace targets {

struct histogram_problem {
  static constexpr std::uint32_t bin_count = 256;

  explicit histogram_problem(std::size_t size) : n(size), keys(n), bins(bin_count) {
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = key(i);
    keys.copy_from(values);
    bins.set_bytes(0);
  }

  template <class Launch>
  void run(Launch&& launch) {
    launch(histogram{}, pasta::launch_config{static_cast<std::uint32_t>((n + 255) / 256), 256}, keys, bins, n);
  }

  std::string check() const {
    std::vector<std::uint32_t> expected(bin_count);
    for (std::size_t i = 0; i < n; ++i) ++expected[key(i)];
    return first_difference(download(bins), expected);
  }

  static std::uint32_t key(std::size_t i) { return scattered(i, bin_count); }

  std::size_t n;
  pasta::buffer<std::uint32_t> keys, bins;
};

}  // namespace targets
#endif
