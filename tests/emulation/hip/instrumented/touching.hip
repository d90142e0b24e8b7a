// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of tests/llvm/touching_kernels.hpp; with `many N` fill_from alone, so many times, in
// memory that grows.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "touching_kernels.hpp"

namespace {

void check(hipError_t error) {
  if (error != hipSuccess) std::exit(1);
}
template <class T>
T* allocate(std::size_t count) {
  void* memory = nullptr;
  check(hipMalloc(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

int run_many(unsigned count) {
  for (unsigned i = 0; i < count; ++i) fill_from<<<1, 64>>>(allocate<double>(64 * (i + 1)), 64 * i);
  check(hipDeviceSynchronize());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string const how = argc > 1 ? argv[1] : "";
  if (how == "many") return run_many(static_cast<unsigned>(std::atoi(argv[2])));
  auto* const in = allocate<float>(64'000);
  auto* const out = allocate<float>(1000);
  for (int i = 0; i < 2; ++i) strided<<<4, 256>>>(in, out, 1000, 64);
  auto* const lines = allocate<unsigned>(5120);
  auto* const sums = allocate<unsigned>(40);
  calling<<<1, 40>>>(lines, sums);
  auto* const sum = allocate<unsigned>(1);
  check(hipMemset(sum, 0, sizeof *sum));
  partly_outside<<<2, 50>>>(sum, 90u);
  for (unsigned const first : {0u, 100u}) {
    auto* const filled = allocate<double>(1024);
    fill_from<<<1, 64>>>(filled, first);
    check(hipFree(filled));
  }
  auto* const values = allocate<unsigned>(1000);
  many_loads<<<1, 200>>>(values, values + 500);
  unsigned counted = 0;
  check(hipMemcpy(&counted, sum, sizeof counted, hipMemcpyDeviceToHost));
  std::printf("%u\n", counted);
  return 0;
}
