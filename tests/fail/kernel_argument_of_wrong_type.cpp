// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this kernel cannot be called with these arguments; it is written: template <class Probe> void
//   operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, int number) const
#include <pasta/pasta.hpp>

struct fill {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, std::size_t count) const {
    if (t.index() < count) array[t.index()] = 1.0f;
  }
};

void run(double* array) { pasta::launch(fill{}, {4, 64}, array, std::size_t{200}); }
