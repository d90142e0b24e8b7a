// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels whose accesses are known, built by plain nvcc: the patch route's test on a GPU. Each access is in inline
// assembly, so that no compiler merges or drops it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ int load(int const* from) {
  int value;
  asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ void store(int* to, int value) { asm volatile("st.global.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory"); }
// An address of which the instruction does not say the space.
__device__ void store_anywhere(int* to, int value) {
  asm volatile("st.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

__global__ void copy(int* a, int* b, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) store(b + i, load(a + i));
}
__global__ void strided(int* a, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) store(a + i * 8, i);
}
__global__ void add(int* a, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) asm volatile("red.global.add.s32 [%0], 1;" ::"l"(a + i) : "memory");
}
// Half of the lanes mean shared memory.
__global__ void generic(int* a, int n) {
  __shared__ int tile[1024];
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int* const to = i % 2 == 0 ? a + i : tile + threadIdx.x;
  if (i < n) store_anywhere(to, i);
  __syncthreads();
}

namespace {
bool check(char const* what) {
  cudaError_t const error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s: %s\n", what, cudaGetErrorString(error));
  return error == cudaSuccess;
}
}  // namespace

int main(int count, char** words) {
  int const n = 1000000;
  int *a = nullptr, *b = nullptr;
  cudaMalloc(&a, n * 8 * sizeof(int));
  cudaMalloc(&b, n * 8 * sizeof(int));
  cudaMemset(a, 0, n * 8 * sizeof(int));
  unsigned const grid = (n + 255) / 256;
  bool const uses_graph = count > 1 && std::strcmp(words[1], "graph") == 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (uses_graph) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    copy<<<grid, 256, 0, stream>>>(a, b, n);
    add<<<grid, 256, 0, stream>>>(b, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, stream);
  } else {
    for (int i = 0; i < 4; ++i) copy<<<grid, 256, 0, stream>>>(a, b, n);
    strided<<<grid, 256>>>(a, n);
    add<<<grid, 256, 0, stream>>>(b, n);
    generic<<<grid, 256>>>(a, n);
  }
  if (!check("kernels")) return 1;
  int last = 0;
  cudaMemcpy(&last, b + n - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%d\n", last);
  return 0;
}
