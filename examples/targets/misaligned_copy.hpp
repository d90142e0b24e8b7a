// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_MISALIGNED_COPY_HPP
#define PASTA_EXAMPLES_TARGETS_MISALIGNED_COPY_HPP

#include "target.hpp"

// Three ways to waste bandwidth, on purpose.

/// out = in without its first element: every warp reads from 4 bytes after a sector's begin.
struct misaligned_copy {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t n) const {
    std::size_t const i = t.index();
    if (i < n) out[i] = in[i + 1];
  }
};

/// out = every eighth element of in: each lane reads a sector of its own.
struct strided_copy {
  static constexpr std::size_t stride = 8;  ///< [elements]

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t n) const {
    std::size_t const i = t.index();
    if (i < n) out[i] = in[i * stride];
  }
};

/// Adds up two fields of records of four: an array of structs, of which half is not wanted.
struct record_sum {
  static constexpr std::size_t field_count = 4;

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> records,
                               pasta::traced<float, Probe> out, std::size_t n) const {
    std::size_t const i = t.index();
    if (i >= n) return;
    float const first = records[field_count * i];
    float const second = records[field_count * i + 1];
    out[i] = first + second;
  }
};

namespace targets {

struct misaligned_copy_problem {
  explicit misaligned_copy_problem(std::size_t size)
      : n(size), in(strided_copy::stride * n + 1), misaligned(n), strided(n), sums(n) {
    std::vector<float> values(in.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    in.copy_from(values);
  }

  template <class Launch>
  void run(Launch&& launch) {
    pasta::launch_config const shape{static_cast<std::uint32_t>((n + 255) / 256), 256};
    launch(misaligned_copy{}, shape, in, misaligned, n);
    launch(strided_copy{}, shape, in, strided, n);
    launch(record_sum{}, shape, in, sums, n);
  }

  std::string check() const {
    std::vector<float> copied(n), picked(n), added(n);
    for (std::size_t i = 0; i < n; ++i) {
      copied[i] = value(i + 1);
      picked[i] = value(strided_copy::stride * i);
      added[i] = value(record_sum::field_count * i) + value(record_sum::field_count * i + 1);
    }
    for (auto const& [got, expected] :
         {std::pair(&misaligned, &copied), std::pair(&strided, &picked), std::pair(&sums, &added)}) {
      if (std::string const difference = first_difference(download(*got), *expected); !difference.empty())
        return difference;
    }
    return {};
  }

  static float value(std::size_t i) { return static_cast<float>(i % 1021); }

  std::size_t n;
  pasta::buffer<float> in, misaligned, strided, sums;
};

}  // namespace targets
#endif
