// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The kernels of examples/targets as CUDA has them, line by line: nothing in them is of PASTA but the names.
#ifndef PASTA_TESTS_LLVM_PLAIN_TARGETS_HPP
#define PASTA_TESTS_LLVM_PLAIN_TARGETS_HPP

#include <cstddef>
#include <cstdint>

#ifndef __HIPCC__
#include <pasta/cuda_names.hpp>
#endif

namespace plain {

using std::size_t;
using std::uint32_t;

inline size_t index_x() { return size_t{blockIdx.x} * blockDim.x + threadIdx.x; }
inline size_t index_y() { return size_t{blockIdx.y} * blockDim.y + threadIdx.y; }

__global__ inline void vector_add(float const* a, float const* b, float* c, size_t n) {
  size_t const i = index_x();
  if (i < n) c[i] = a[i] + b[i];
}

__global__ inline void csr_spmv(uint32_t const* row_begin, uint32_t const* columns, float const* values, float const* x,
                                float* y, size_t row_count) {
  size_t const row = index_x();
  if (row >= row_count) return;
  uint32_t const begin = row_begin[row];
  uint32_t const end = row_begin[row + 1];
  float sum = 0;
  for (uint32_t j = begin; j < end; ++j) {
    uint32_t const column = columns[j];
    float const value = values[j];
    sum += value * x[column];
  }
  y[row] = sum;
}

__global__ inline void histogram(uint32_t const* keys, uint32_t* bins, size_t n) {
  size_t const i = index_x();
  if (i >= n) return;
  uint32_t const key = keys[i];
  atomicAdd(&bins[key], 1u);
}

__global__ inline void misaligned_copy(float const* in, float* out, size_t n) {
  size_t const i = index_x();
  if (i < n) out[i] = in[i + 1];
}

__global__ inline void strided_copy(float const* in, float* out, size_t n) {
  size_t const i = index_x();
  if (i < n) out[i] = in[i * 8];
}

__global__ inline void record_sum(float const* records, float* out, size_t n) {
  size_t const i = index_x();
  if (i >= n) return;
  float const first = records[4 * i];
  float const second = records[4 * i + 1];
  out[i] = first + second;
}

__global__ inline void stencil(float const* in, float* out, size_t n) {
  size_t const x = index_x(), y = index_y();
  if (x == 0 || y == 0 || x + 1 >= n || y + 1 >= n) return;
  size_t const i = y * n + x;
  float const center = in[i];
  float const left = in[i - 1];
  float const right = in[i + 1];
  float const above = in[i - n];
  float const below = in[i + n];
  out[i] = 4 * center + left + right + above + below;
}

__global__ inline void naive_transpose(float const* in, float* out, size_t n) {
  size_t const x = index_x(), y = index_y();
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

__global__ inline void tiled_transpose(float const* in, float* out, size_t n) {
  __shared__ float tile[32][33];
  size_t const left = size_t{blockIdx.x} * 32, top = size_t{blockIdx.y} * 32;
  uint32_t const column = threadIdx.x;
  for (uint32_t row = threadIdx.y; row < 32; row += 8) {
    if (top + row < n && left + column < n) tile[row][column] = in[(top + row) * n + left + column];
  }
  __syncthreads();
  for (uint32_t row = threadIdx.y; row < 32; row += 8) {
    if (left + row < n && top + column < n) out[(left + row) * n + top + column] = tile[column][row];
  }
}

__global__ inline void tiled_product(float const* A, float const* B, float* C, size_t n) {
  __shared__ float tile_a[16][16];
  __shared__ float tile_b[16][16];
  size_t const row = index_y(), column = index_x();
  uint32_t const y = threadIdx.y, x = threadIdx.x;
  float sum = 0;
  for (size_t first = 0; first < n; first += 16) {
    float a = 0, b = 0;
    if (row < n && first + x < n) a = A[row * n + first + x];
    if (first + y < n && column < n) b = B[(first + y) * n + column];
    tile_a[y][x] = a;
    tile_b[y][x] = b;
    __syncthreads();
#pragma unroll
    for (uint32_t k = 0; k < 16; ++k) {
      float const left = tile_a[y][k];
      float const right = tile_b[k][x];
      sum += left * right;
    }
    __syncthreads();
  }
  if (row < n && column < n) C[row * n + column] = sum;
}

}  // namespace plain
#endif
