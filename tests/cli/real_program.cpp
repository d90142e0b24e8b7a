// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <pasta/pasta.hpp>

struct fill {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> out, std::size_t count) const {
    if (t.index() < count) out[t.index()] = 1;
  }
};

// Fills 100 elements and ends with the status that its argument says.
int main(int count, char** values) {
  std::vector<float> out(100);
  pasta::launch(fill{}, {2, 64}, out.data(), out.size());
  std::puts("filled");
  return count > 1 ? std::atoi(values[1]) : 0;
}
