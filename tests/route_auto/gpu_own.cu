// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The half of the route auto's test on a GPU that `pasta nvcc` builds; gpu_plain.cu is the other, built by plain nvcc.
// Words: "graph" replays a graph of both halves' kernels five times, "ranges" launches them in an annotated range.
#include <pasta/annotate.h>

#include <cstdio>
#include <cstring>

#include "gpu_plain.hpp"

__global__ void own_copy(int const volatile* from, int volatile* to, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] = from[i] + 1;
}

namespace {

constexpr int n = 1'000'000;
constexpr unsigned grid = (n + 255) / 256;

void launch_all(int* a, int* b, cudaStream_t stream) {
  own_copy<<<grid, 256, 0, stream>>>(a, b, n);
  launch_plain(b, a, n, stream);
}

void replay(int* a, int* b, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  launch_all(a, b, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int i = 0; i < 5; ++i) cudaGraphLaunch(exec, stream);
}

}  // namespace

int main(int count, char** words) {
  char const* const how = count > 1 ? words[1] : "";
  int *a = nullptr, *b = nullptr;
  cudaStream_t stream;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMemset(a, 0, n * sizeof(int));
  cudaStreamCreate(&stream);
  if (std::strcmp(how, "graph") == 0) {
    replay(a, b, stream);
  } else {
    if (std::strcmp(how, "ranges") == 0) pasta_annotate_push("both");
    for (int i = 0; i < 4; ++i) launch_all(a, b, stream);
    if (std::strcmp(how, "ranges") == 0) pasta_annotate_pop();
  }
  cudaError_t const error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  static int results[n];
  cudaMemcpy(results, a, sizeof results, cudaMemcpyDeviceToHost);
  unsigned long long sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 31 + static_cast<unsigned>(results[i]);
  std::printf("%llu\n", sum);
  return 0;
}
