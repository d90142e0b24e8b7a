// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: this kernel cannot be called with these arguments; it is written: template <class Probe> void
//   operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, int number) const
#include <pasta/pasta.hpp>

struct fill {
  void operator()(pasta::thread<pasta::no_probe>& t, pasta::traced<float, pasta::no_probe> array) const {
    array[static_cast<std::ptrdiff_t>(t.index())] = 1.0f;
  }
};

void run(float* array) { pasta::launch(fill{}, {4, 64}, array); }
