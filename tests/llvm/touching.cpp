// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of touching_kernels.hpp on the host engine.
#include <cstdio>
#include <pasta/cuda_names.hpp>

#include "touching_kernels.hpp"

int main() {
  pasta::buffer<float> in(64'000), out(1000);
  for (int i = 0; i < 2; ++i) pasta::launch(strided, {4, 256}, in, out, 1000, 64);
  pasta::buffer<unsigned> lines(5120), sums(40);
  pasta::launch(calling, {1, 40}, lines, sums);
  pasta::buffer<unsigned> sum(1);
  sum.set_bytes(0);
  pasta::launch(partly_outside, {2, 50}, sum, 90u);
  for (unsigned const first : {0u, 100u}) {
    pasta::buffer<double> filled(1024);
    pasta::launch(fill_from, {1, 64}, filled, first);
  }
  pasta::buffer<unsigned> values(1000);
  pasta::launch(many_loads, {1, 200}, values.device_pointer(), values.device_pointer() + 500);
  unsigned counted = 0;
  sum.copy_to({&counted, 1});
  std::printf("%u\n", counted);
  return 0;
}
