// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: pasta::shared takes an array type: pasta::shared<float[256]>(t)
#include <pasta/pasta.hpp>

struct kernel {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array) const {
    auto sums = pasta::shared<float>(t);
    sums[0] = 0.0f;
    array[0] = sums[0];
  }
};

void run(float* array) { pasta::launch(kernel{}, {4, 64}, array); }
