// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <pasta/pasta.hpp>

void run_saxpy(int n, float a, float const* x, float* y);

int main() {
  constexpr int n = 1000;
  std::vector<float> x(n), y(n, 1);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
  pasta::buffer<float> device_x(n), device_y(n);
  device_x.copy_from(x);
  device_y.copy_from(y);
  run_saxpy(n, 2, device_x.device_pointer(), device_y.device_pointer());
  device_y.copy_to(y);

  for (int i = 0; i < n; ++i) {
    if (y[static_cast<std::size_t>(i)] != 2 * static_cast<float>(i) + 1) return std::puts("wrong result"), 1;
  }
  std::puts("OK");
}
