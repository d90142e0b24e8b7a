// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <pasta/pasta.hpp>
#include <vector>

struct fill {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::size_t, Probe> out,
                               std::size_t count) const {
    if (t.index() < count) out[t.index()] = t.index();
  }
};

// 1,000 elements in 16 blocks of 64 threads: 24 threads store nothing.
int main() {
  std::vector<std::size_t> out(1000, 0);
  pasta::launch(fill{}, {16, 64}, out.data(), out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] != i) return 1;
  }
  std::puts("filled");
}
