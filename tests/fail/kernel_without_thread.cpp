// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this kernel cannot be called with these arguments; it is written: template <class Probe> void
//   operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, int number) const
#include <pasta/pasta.hpp>

struct fill {
  template <class Probe>
  void operator()(pasta::traced<float, Probe> array) const {
    array[0] = 1.0f;
  }
};

void run(float* array) { pasta::launch(fill{}, {4, 64}, array); }
