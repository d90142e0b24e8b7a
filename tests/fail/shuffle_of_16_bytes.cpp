// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect: lanes exchange trivially copyable values of at most 8 bytes
#include <pasta/pasta.hpp>

struct kernel {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array) const {
    struct four {
      float x[4];
    };
    four const value = t.shuffle_down(four{}, 1);
    array[0] = value.x[0];
  }
};

void run(float* array) { pasta::launch(kernel{}, {4, 64}, array); }
