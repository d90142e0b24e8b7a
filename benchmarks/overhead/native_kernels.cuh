// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The kernels of examples/targets as plain CUDA, as they were written without PASTA: same shapes, same types.
#ifndef PASTA_BENCHMARKS_OVERHEAD_NATIVE_KERNELS_CUH
#define PASTA_BENCHMARKS_OVERHEAD_NATIVE_KERNELS_CUH

#include <cstddef>
#include <cstdint>

namespace native {

__global__ void vector_add(float const* a, float const* b, float* c, std::size_t n) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void stencil(float const* in, float* out, std::size_t n) {
  std::size_t const x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::size_t const y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x + 1 >= n || y + 1 >= n) return;
  std::size_t const i = y * n + x;
  out[i] = 4 * in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n];
}

__global__ void tiled_product(float const* A, float const* B, float* C, std::size_t n) {
  constexpr std::uint32_t tile_size = 16;
  __shared__ float tile_a[tile_size][tile_size];
  __shared__ float tile_b[tile_size][tile_size];
  std::uint32_t const x = threadIdx.x, y = threadIdx.y;
  std::size_t const row = std::size_t{blockIdx.y} * blockDim.y + y, column = std::size_t{blockIdx.x} * blockDim.x + x;
  float sum = 0;
  for (std::size_t first = 0; first < n; first += tile_size) {
    tile_a[y][x] = row < n && first + x < n ? A[row * n + first + x] : 0;
    tile_b[y][x] = first + y < n && column < n ? B[(first + y) * n + column] : 0;
    __syncthreads();
    for (std::uint32_t k = 0; k < tile_size; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  if (row < n && column < n) C[row * n + column] = sum;
}

__global__ void gather(std::uint32_t const* index, float const* in, float* out, std::size_t n) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[index[i]];
}

}  // namespace native
#endif
