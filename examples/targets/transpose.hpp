// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_TRANSPOSE_HPP
#define PASTA_EXAMPLES_TARGETS_TRANSPOSE_HPP

#include "target.hpp"

/// out = transposed in, both [n][n]. A warp reads a row and writes a column: each lane writes into a sector of its own.
struct naive_transpose {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t n) const {
    std::size_t const x = t.index_x(), y = t.index_y();
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
  }
};

/// The same through a tile in shared memory: a warp reads a row and writes a row. A row of the tile has 33 elements,
/// so that its columns lie in different banks.
struct tiled_transpose {
  static constexpr std::uint32_t tile_size = 32, rows_per_step = 8;

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t n) const {
    auto tile = pasta::shared<float[tile_size][tile_size + 1]>(t);
    std::size_t const left = std::size_t{t.block_index().x} * tile_size,
                      top = std::size_t{t.block_index().y} * tile_size;
    std::uint32_t const column = t.thread_index().x;
    for (std::uint32_t row = t.thread_index().y; row < tile_size; row += rows_per_step) {
      if (top + row < n && left + column < n) tile[row][column] = in[(top + row) * n + left + column];
    }
    t.sync_block();
    for (std::uint32_t row = t.thread_index().y; row < tile_size; row += rows_per_step) {
      if (left + row < n && top + column < n) out[(left + row) * n + top + column] = tile[column][row];
    }
  }
};

namespace targets {

template <class Kernel>
struct transpose_problem {
  explicit transpose_problem(std::size_t size) : n(size), in(n * n), out(n * n) {
    std::vector<float> values(n * n);
    for (std::size_t i = 0; i < n * n; ++i) values[i] = static_cast<float>(i % 4096);
    in.copy_from(values);
  }

  template <class Launch>
  void run(Launch&& launch) {
    auto const tiles = static_cast<std::uint32_t>((n + 31) / 32);
    std::uint32_t const rows_per_block = std::is_same_v<Kernel, tiled_transpose> ? 32 : 8;
    auto const rows = static_cast<std::uint32_t>((n + rows_per_block - 1) / rows_per_block);
    launch(Kernel{}, pasta::launch_config{{tiles, rows}, {32, 8}}, in, out, n);
  }

  std::string check() const {
    std::vector<float> expected(n * n);
    for (std::size_t i = 0; i < n * n; ++i) expected[i % n * n + i / n] = static_cast<float>(i % 4096);
    return first_difference(download(out), expected);
  }

  std::size_t n;
  pasta::buffer<float> in, out;
};

}  // namespace targets
#endif
