// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_STENCIL_HPP
#define PASTA_EXAMPLES_TARGETS_STENCIL_HPP

#include "target.hpp"

/// One step of a 5-point stencil on a grid [n][n]; its border stays. The neighbours to the left and right of a warp's
/// 32 elements lie in sectors of their own.
struct stencil {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t n) const {
    std::size_t const x = t.index_x(), y = t.index_y();
    if (x == 0 || y == 0 || x + 1 >= n || y + 1 >= n) return;
    std::size_t const i = y * n + x;
    float const center = in[i];
    float const left = in[i - 1];
    float const right = in[i + 1];
    float const above = in[i - n];
    float const below = in[i + n];
    out[i] = 4 * center + left + right + above + below;
  }
};

namespace targets {

struct stencil_problem {
  explicit stencil_problem(std::size_t size) : n(size), in(n * n), out(n * n) {
    in.copy_from(values());
    out.copy_from(values());
  }

  template <class Launch>
  void run(Launch&& launch) {
    launch(stencil{},
           pasta::launch_config{{static_cast<std::uint32_t>((n + 31) / 32), static_cast<std::uint32_t>((n + 7) / 8)},
                                {32, 8}},
           in, out, n);
  }

  std::string check() const {
    std::vector<float> const from = values();
    std::vector<float> expected = from;
    for (std::size_t y = 1; y + 1 < n; ++y) {
      for (std::size_t x = 1; x + 1 < n; ++x) {
        std::size_t const i = y * n + x;
        expected[i] = 4 * from[i] + from[i - 1] + from[i + 1] + from[i - n] + from[i + n];
      }
    }
    return first_difference(download(out), expected);
  }

  std::vector<float> values() const {
    std::vector<float> all(n * n);
    for (std::size_t i = 0; i < n * n; ++i) all[i] = static_cast<float>(scattered(i, 100));
    return all;
  }

  std::size_t n;
  pasta::buffer<float> in, out;
};

}  // namespace targets
#endif
