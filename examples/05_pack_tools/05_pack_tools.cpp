// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Two tools in one run. Nothing in the program says so: CMakeLists.txt names the pack.
#include <cstdio>
#include <pasta/pasta.hpp>

// Every thread walks through a row of its own: neighbouring lanes are a row apart.
struct sum_rows {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float, Probe> sums, std::size_t columns) const {
    float sum = 0;
    for (std::size_t column = 0; column < columns; ++column) sum += a[t.index() * columns + column];
    sums[t.index()] = sum;
  }
};

int main() {
  constexpr std::size_t rows = 128, columns = 64;
  std::vector<float> values(rows * columns, 1), result(rows);
  pasta::buffer<float> a(rows * columns), sums(rows);
  a.copy_from(values);
  pasta::launch(sum_rows{}, {1, rows}, a, sums, columns);
  sums.copy_to(result);

  bool const is_right = std::all_of(result.begin(), result.end(), [](float sum) { return sum == columns; });
  std::puts(is_right ? "OK" : "wrong result");
  return is_right ? 0 : 1;
}
