// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_CSR_SPMV_HPP
#define PASTA_EXAMPLES_TARGETS_CSR_SPMV_HPP

#include "target.hpp"

/// y = A x for a sparse matrix in rows (CSR), one thread for each row. Rows differ in length, so lanes leave the loop
/// one by one; neighbouring lanes read far from each other.
struct csr_spmv {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint32_t const, Probe> row_begin,
                               pasta::traced<std::uint32_t const, Probe> columns,
                               pasta::traced<float const, Probe> values, pasta::traced<float const, Probe> x,
                               pasta::traced<float, Probe> y, std::size_t row_count) const {
    std::size_t const row = t.index();
    if (row >= row_count) return;
    std::uint32_t const begin = row_begin[row];
    std::uint32_t const end = row_begin[row + 1];
    float sum = 0;
    for (std::uint32_t j = begin; j < end; ++j) {
      std::uint32_t const column = columns[j];
      float const value = values[j];
      sum += value * x[column];
    }
    y[row] = sum;
  }
};

namespace targets {

/// A square matrix with 0 to 16 entries in a row, at columns that look random.
struct csr_matrix {
  explicit csr_matrix(std::size_t row_count) : row_begin(1, 0) {
    for (std::size_t row = 0; row < row_count; ++row) {
      std::uint32_t const length = scattered(row, 17);
      for (std::uint32_t k = 0; k < length; ++k) {
        columns.push_back(scattered(31 * row + k, static_cast<std::uint32_t>(row_count)));
        values.push_back(static_cast<float>(1 + (row + k) % 5));
      }
      row_begin.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    if (columns.empty()) columns.push_back(0), values.push_back(0);  // read by nobody
  }
  std::vector<std::uint32_t> row_begin, columns;
  std::vector<float> values;
};

struct csr_spmv_problem {
  explicit csr_spmv_problem(std::size_t size)
      : n(size),
        matrix(n),
        row_begin(upload(matrix.row_begin)),
        columns(upload(matrix.columns)),
        values(upload(matrix.values)),
        x(n),
        y(n) {
    std::vector<float> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<float>(i % 10);
    x.copy_from(all);
  }

  template <class Launch>
  void run(Launch&& launch) {
    launch(csr_spmv{}, pasta::launch_config{static_cast<std::uint32_t>((n + 127) / 128), 128}, row_begin, columns,
           values, x, y, n);
  }

  std::string check() const {
    std::vector<float> expected(n);
    for (std::size_t row = 0; row < n; ++row) {
      for (std::uint32_t j = matrix.row_begin[row]; j < matrix.row_begin[row + 1]; ++j) {
        expected[row] += matrix.values[j] * static_cast<float>(matrix.columns[j] % 10);
      }
    }
    return first_difference(download(y), expected);
  }

  std::size_t n;
  csr_matrix matrix;
  pasta::buffer<std::uint32_t> row_begin, columns;
  pasta::buffer<float> values, x, y;
};

}  // namespace targets
#endif
