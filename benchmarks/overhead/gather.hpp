// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_BENCHMARKS_OVERHEAD_GATHER_HPP
#define PASTA_BENCHMARKS_OVERHEAD_GATHER_HPP

#include "target.hpp"

/// out[i] = in[index[i]], at indices that look random: each lane reads a sector of its own.
struct gather {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t const, Probe> index,
                               pasta::traced<float const, Probe> in, pasta::traced<float, Probe> out,
                               std::size_t n) const {
    std::size_t const i = t.index();
    if (i >= n) return;
    std::uint32_t const from = index[i];
    out[i] = in[from];
  }
};

namespace targets {

struct gather_problem {
  explicit gather_problem(std::size_t size) : n(size), index(n), in(n), out(n) {
    std::vector<std::uint32_t> places(n);
    for (std::size_t i = 0; i < n; ++i) places[i] = place(i);
    index.copy_from(places);
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 1000);
    in.copy_from(values);
  }

  template <class Launch>
  void run(Launch&& launch) {
    launch(gather{}, pasta::launch_config{static_cast<std::uint32_t>((n + 255) / 256), 256}, index, in, out, n);
  }

  std::string check() const {
    std::vector<float> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<float>(place(i) % 1000);
    return first_difference(download(out), expected);
  }

  std::uint32_t place(std::size_t i) const { return scattered(i, static_cast<std::uint32_t>(n)); }

  std::size_t n;
  pasta::buffer<std::uint32_t> index;
  pasta::buffer<float> in, out;
};

}  // namespace targets
#endif
