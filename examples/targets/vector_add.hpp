// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_EXAMPLES_TARGETS_VECTOR_ADD_HPP
#define PASTA_EXAMPLES_TARGETS_VECTOR_ADD_HPP

#include "target.hpp"

/// c = a + b. Neighbouring lanes access neighbouring elements: nothing to improve.
struct vector_add {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float const, Probe> b, pasta::traced<float, Probe> c,
                               std::size_t n) const {
    std::size_t const i = t.index();
    if (i < n) c[i] = a[i] + b[i];
  }
};

namespace targets {

struct vector_add_problem {
  explicit vector_add_problem(std::size_t size) : n(size), a(n), b(n), c(n) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 1000);
    a.copy_from(values);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 77);
    b.copy_from(values);
  }

  template <class Launch>
  void run(Launch&& launch) {
    launch(vector_add{}, pasta::launch_config{static_cast<std::uint32_t>((n + 255) / 256), 256}, a, b, c, n);
  }

  std::string check() const {
    std::vector<float> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<float>(i % 1000 + i % 77);
    return first_difference(download(c), expected);
  }

  std::size_t n;
  pasta::buffer<float> a, b, c;
};

}  // namespace targets
#endif
