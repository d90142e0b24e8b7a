// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A matrix product by matrix instructions of 16x8x16, whose block tiles hang over the edges. The kernel says where an
// instruction stands (t.matrix_operation), the program what is to be multiplied (the range's name): matrix_tiles then
// knows how much of the work is padding.
#include <pasta/annotate.h>

#include <cstdio>
#include <pasta/pasta.hpp>

/// C = A B, of m x k and k x n elements. A block of one warp makes 64 x 96 elements of C.
struct tiled_product {
  static constexpr std::uint32_t tile_rows = 64, tile_columns = 96;

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float const, Probe> b, pasta::traced<float, Probe> c, std::uint32_t m,
                               std::uint32_t n, std::uint32_t k) const {
    std::uint32_t const block_row = t.block_index().y * tile_rows, block_column = t.block_index().x * tile_columns;
    for (std::uint32_t y = block_row; y < block_row + tile_rows; y += 16) {
      for (std::uint32_t x = block_column; x < block_column + tile_columns; x += 8) {
        float sums[4] = {};
        for (std::uint32_t step = 0; step < k; step += 16) {
          t.matrix_operation({16, 8, 16, pasta::element_type::f16, pasta::element_type::f32});
          // On a GPU the instruction itself stands here. On the CPU each lane makes its four elements by hand.
          for (std::uint32_t i = 0; i < 4; ++i) {
            std::uint32_t const row = y + t.lane() / 4 + i / 2 * 8, column = x + t.lane() % 4 * 2 + i % 2;
            if (row >= m || column >= n) continue;  // padding
            for (std::uint32_t s = step; s < step + 16 && s < k; ++s) {
              float const left = a[std::size_t{row} * k + s], right = b[std::size_t{s} * n + column];
              sums[i] += left * right;
            }
          }
        }
        for (std::uint32_t i = 0; i < 4; ++i) {
          std::uint32_t const row = y + t.lane() / 4 + i / 2 * 8, column = x + t.lane() % 4 * 2 + i % 2;
          if (row < m && column < n) c[std::size_t{row} * n + column] = sums[i];
        }
      }
    }
  }
};

int main() {
  constexpr std::uint32_t m = 100, n = 520, k = 64;
  pasta::buffer<float> a(m * k), b(k * n), c(m * n);
  a.copy_from(std::vector<float>(m * k, 0.5F));
  b.copy_from(std::vector<float>(k * n, 2));

  pasta_annotate_push("product 100x520x64");  // M x N x K of each launch in the range
  pasta::dim3 const grid((n + tiled_product::tile_columns - 1) / tiled_product::tile_columns,
                         (m + tiled_product::tile_rows - 1) / tiled_product::tile_rows);
  pasta::launch(tiled_product{}, {grid, 32}, a, b, c, m, n, k);
  pasta_annotate_pop();

  std::vector<float> result(m * n);
  c.copy_to(result);
  for (float const element : result) {
    if (element != k) return std::puts("wrong"), 1;
  }
  std::puts("OK");
}
