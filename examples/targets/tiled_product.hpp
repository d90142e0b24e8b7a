// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_TILED_PRODUCT_HPP
#define PASTA_EXAMPLES_TARGETS_TILED_PRODUCT_HPP

#include "target.hpp"

/// C = A B, all [n][n], by tiles of 16 x 16 in shared memory.
struct tiled_product {
  static constexpr std::uint32_t tile_size = 16;

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> A,
                               pasta::traced<float const, Probe> B, pasta::traced<float, Probe> C,
                               std::size_t n) const {
    auto tile_a = pasta::shared<float[tile_size][tile_size], 0>(t);
    auto tile_b = pasta::shared<float[tile_size][tile_size], 1>(t);
    std::size_t const row = t.index_y(), column = t.index_x();
    std::uint32_t const y = t.thread_index().y, x = t.thread_index().x;
    float sum = 0;
    for (std::size_t first = 0; first < n; first += tile_size) {
      float a = 0, b = 0;  // beyond the edge
      if (row < n && first + x < n) a = A[row * n + first + x];
      if (first + y < n && column < n) b = B[(first + y) * n + column];
      tile_a[y][x] = a;
      tile_b[y][x] = b;
      t.sync_block();
      PASTA_UNROLL
      for (std::uint32_t k = 0; k < tile_size; ++k) {
        float const left = tile_a[y][k];
        float const right = tile_b[k][x];
        sum += left * right;
      }
      t.sync_block();
    }
    if (row < n && column < n) C[row * n + column] = sum;
  }
};

namespace targets {

struct tiled_product_problem {
  explicit tiled_product_problem(std::size_t size) : n(size), a(n * n), b(n * n), c(n * n) {
    a.copy_from(values(1));
    b.copy_from(values(2));
  }

  template <class Launch>
  void run(Launch&& launch) {
    auto const tiles = static_cast<std::uint32_t>((n + tiled_product::tile_size - 1) / tiled_product::tile_size);
    launch(tiled_product{}, pasta::launch_config{{tiles, tiles}, {tiled_product::tile_size, tiled_product::tile_size}},
           a, b, c, n);
  }

  std::string check() const {
    std::vector<float> const left = values(1), right = values(2);
    std::vector<float> expected(n * n);
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t x = 0; x < n; ++x) expected[y * n + x] += left[y * n + k] * right[k * n + x];
      }
    }
    return first_difference(download(c), expected);
  }

  // From -2 to 2, so that sums stay whole numbers that float holds.
  std::vector<float> values(std::uint64_t seed) const {
    std::vector<float> all(n * n);
    for (std::size_t i = 0; i < n * n; ++i) all[i] = static_cast<float>(scattered(2 * i + seed, 5)) - 2;
    return all;
  }

  std::size_t n;
  pasta::buffer<float> a, b, c;
};

}  // namespace targets
#endif
