// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The smallest program that can be analysed: a kernel, and its launch.
#include <cstdio>
#include <pasta/pasta.hpp>

// A kernel is written once, as a template on its probe. Without a tool its arrays are plain pointers; with one, each
// a[i] is an event that knows its own line.
struct add_one {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, std::size_t n) const {
    std::size_t const i = t.index();  // this thread's number in the whole grid
    if (i < n) a[i] += 1;             // a load and a store
  }
};

int main() {
  constexpr std::size_t n = 1000;
  std::vector<int> values(n, 41);

  // A buffer is the GPU's memory; the host copies in and out.
  pasta::buffer<int> a(n);
  a.copy_from(values);
  pasta::launch(add_one{}, {4, 256}, a, n);  // 4 blocks of 256 threads
  a.copy_to(values);

  bool const is_right = std::all_of(values.begin(), values.end(), [](int value) { return value == 42; });
  std::puts(is_right ? "OK" : "wrong result");
  return is_right ? 0 : 1;
}
