// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A vector add and a gather of 2^26 words, for tools with shadow bits: prints the median time [ms] of 20 launches of
// each, and whether the sums are right.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>
__global__ void vadd(float const* a, float const* b, float* c, size_t n) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void gather(float const* a, uint32_t const* at, float* c, size_t n) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[at[i]];
}
__global__ void fill(uint32_t* at, float* a, float* b, size_t n) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  at[i] = uint32_t((i * 2654435761u) ^ (i >> 7) * 40503u) % uint32_t(n);
  a[i] = float(i & 255), b[i] = 1;
}
#define CHECK(x)                                        \
  if (auto e = (x); e != cudaSuccess) {                 \
    std::printf("%s: %s\n", #x, cudaGetErrorString(e)); \
    return 1;                                           \
  }
template <class F>
float median(F f) {
  cudaEvent_t b, e;
  cudaEventCreate(&b);
  cudaEventCreate(&e);
  std::vector<float> t;
  for (int i = 0; i < 23; ++i) {
    cudaEventRecord(b);
    f();
    cudaEventRecord(e);
    cudaEventSynchronize(e);
    float ms = 0;
    cudaEventElapsedTime(&ms, b, e);
    if (i > 2) t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}
int main() {
  size_t const n = size_t{1} << 26;
  float *a, *b, *c;
  uint32_t* at;
  CHECK(cudaMalloc(&a, n * 4));
  CHECK(cudaMalloc(&b, n * 4));
  CHECK(cudaMalloc(&c, n * 4));
  CHECK(cudaMalloc(&at, n * 4));
  unsigned const blocks = unsigned(n / 256);
  fill<<<blocks, 256>>>(at, a, b, n);
  CHECK(cudaDeviceSynchronize());
  float v = median([&] { vadd<<<blocks, 256>>>(a, b, c, n); });
  CHECK(cudaDeviceSynchronize());
  std::vector<float> host(1000);
  CHECK(cudaMemcpy(host.data(), c, 4000, cudaMemcpyDeviceToHost));
  bool ok = true;
  for (int i = 0; i < 1000; ++i) ok &= host[i] == float(i & 255) + 1;
  float g = median([&] { gather<<<blocks, 256>>>(a, at, c, n); });
  CHECK(cudaDeviceSynchronize());
  std::printf("vadd %.4f ms  gather %.4f ms  %s\n", v, g, ok ? "OK" : "WRONG");
}
