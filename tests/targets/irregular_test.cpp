// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Histogram and sparse product: their requests depend on the data, so they are counted here once more from the
// definition.
#include "../../examples/targets/csr_spmv.hpp"
#include "../../examples/targets/histogram.hpp"
#include "measure.hpp"

using namespace pasta_test;

namespace {

// Elements of 4 bytes, of arrays that begin with a sector.
std::vector<std::uint64_t> bytes_of(std::vector<std::uint64_t> indices) {
  for (auto& index : indices) index *= 4;
  return indices;
}

}  // namespace

TEST_CASE("histogram: a warp's atomics touch the sectors of its keys' bins") {
  std::uint64_t const n = GENERATE(1u, 300u, 10000u), w = GENERATE(32u, 64u);
  auto const found = measure<targets::histogram_problem>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));
  request_sum atomics;
  for (std::uint64_t first = 0; first < n; first += w) {
    std::vector<std::uint64_t> bins;
    for (std::uint64_t i = first; i < std::min(first + w, n); ++i) bins.push_back(targets::histogram_problem::key(i));
    atomics.add(bytes_of(bins), 4);
  }
  std::uint64_t const sectors = divide_up(n, 8);
  CHECK(found.at("histogram") ==
        traffic_by_kind{{global_load, {divide_up(n, w), sectors, sectors, n}}, {global_atomic, atomics.sum()}});
  CHECK(atomics.sum().accesses == n);
}

TEST_CASE("csr_spmv: lanes go through their rows together until each row ends") {
  std::uint64_t const n = GENERATE(1u, 100u, 2000u), w = GENERATE(32u, 64u);
  auto const found = measure<targets::csr_spmv_problem>(n, static_cast<std::uint32_t>(w), GENERATE(1u, 2u));

  targets::csr_matrix const matrix(n);
  auto const begin_of = [&](std::uint64_t row) { return matrix.row_begin[row]; };
  request_sum loads, stores;
  for (std::uint64_t first = 0; first < n; first += w) {
    std::uint64_t const last = std::min(first + w, n);
    std::vector<std::uint64_t> rows, next_rows;
    std::uint64_t longest = 0;
    for (std::uint64_t row = first; row < last; ++row) {
      rows.push_back(row);
      next_rows.push_back(row + 1);
      longest = std::max<std::uint64_t>(longest, begin_of(row + 1) - begin_of(row));
    }
    loads.add(bytes_of(rows), 4);
    loads.add(bytes_of(next_rows), 4);
    for (std::uint64_t k = 0; k < longest; ++k) {
      std::vector<std::uint64_t> entries, columns;
      for (std::uint64_t row = first; row < last; ++row) {
        if (begin_of(row) + k >= begin_of(row + 1)) continue;
        entries.push_back(begin_of(row) + k);
        columns.push_back(matrix.columns[begin_of(row) + k]);
      }
      loads.add(bytes_of(entries), 4);  // columns[j]
      loads.add(bytes_of(entries), 4);  // values[j]
      loads.add(bytes_of(columns), 4);  // x[column]
    }
    stores.add(bytes_of(rows), 4);
  }
  CHECK(found.at("csr_spmv") == traffic_by_kind{{global_load, loads.sum()}, {global_store, stores.sum()}});
}
