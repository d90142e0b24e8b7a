// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Products C = A B^T of whole numbers in bf16, A[m][k] and B[n][k], whose tiles hang over the edges: by mma, and by
// wgmma with both factors in shared memory.
#include <cstdint>

namespace {

// Elements (row, column) and (row, column + 1), zero beyond the edge.
__device__ std::uint32_t load_pair(std::uint16_t const* from, int row, int column, int rows, int columns) {
  std::uint32_t pair = 0;
  if (row < rows && column < columns) pair = from[row * columns + column];
  if (row < rows && column + 1 < columns) pair |= std::uint32_t{from[row * columns + column + 1]} << 16;
  return pair;
}
__device__ void store_pair(float* to, int row, int column, int rows, int columns, float first, float second) {
  if (row < rows && column < columns) to[row * columns + column] = first;
  if (row < rows && column + 1 < columns) to[row * columns + column + 1] = second;
}

}  // namespace

/// Blocks of a warp make 32 x 24 elements of C.
extern "C" __global__ void product_by_mma(std::uint16_t const* a, std::uint16_t const* b, float* c, int m, int n,
                                          int k) {
  int const lane = threadIdx.x, group = lane / 4, pair = lane % 4 * 2;
  int const first_row = blockIdx.y * 32, first_column = blockIdx.x * 24;
  float sums[2][3][4] = {};
  for (int step = 0; step < k; step += 16) {
#pragma unroll
    for (int y = 0; y < 2; ++y) {
      int const row = first_row + y * 16 + group;
      std::uint32_t const a0 = load_pair(a, row, step + pair, m, k), a1 = load_pair(a, row + 8, step + pair, m, k);
      std::uint32_t const a2 = load_pair(a, row, step + pair + 8, m, k),
                          a3 = load_pair(a, row + 8, step + pair + 8, m, k);
#pragma unroll
      for (int x = 0; x < 3; ++x) {
        int const column = first_column + x * 8 + group;
        std::uint32_t const b0 = load_pair(b, column, step + pair, n, k),
                            b1 = load_pair(b, column, step + pair + 8, n, k);
        float(&d)[4] = sums[y][x];
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
            "%1, "
            "%2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
      }
    }
  }
#pragma unroll
  for (int y = 0; y < 2; ++y) {
#pragma unroll
    for (int x = 0; x < 3; ++x) {
      int const row = first_row + y * 16 + group, column = first_column + x * 8 + pair;
      store_pair(c, row, column, m, n, sums[y][x][0], sums[y][x][1]);
      store_pair(c, row + 8, column, m, n, sums[y][x][2], sums[y][x][3]);
    }
  }
}

/// Blocks of four warps make 64 x 8 elements of C.
extern "C" __global__ void product_by_wgmma(std::uint16_t const* a, std::uint16_t const* b, float* c, int m, int n,
                                            int k) {
  // Tiles of 8 rows of 16 bytes; the second along K stands behind the first, the next 8 rows behind both.
  __shared__ alignas(128) std::uint32_t tiles[(64 + 8) * 8];
  int const first_row = blockIdx.y * 64, first_column = blockIdx.x * 8;
  float sums[4] = {};
  for (int step = 0; step < k; step += 16) {
    __syncthreads();
    for (int i = threadIdx.x; i < (64 + 8) * 8; i += 128) {
      int const row = i / 8, pair = i % 8;
      tiles[row / 8 * 64 + pair / 4 * 32 + row % 8 * 4 + pair % 4] =
          row < 64 ? load_pair(a, first_row + row, step + pair * 2, m, k)
                   : load_pair(b, first_column + row - 64, step + pair * 2, n, k);
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    auto const begin = static_cast<std::uint64_t>(__cvta_generic_to_shared(tiles));
    std::uint64_t const strides = std::uint64_t{128 / 16} << 16 | std::uint64_t{256 / 16} << 32;
    std::uint64_t const of_a = begin / 16 | strides, of_b = (begin + 64 * 32) / 16 | strides;
    asm volatile(
        "{\n.reg .pred adds;\nsetp.ne.s32 adds, %6, 0;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, adds, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "l"(of_a), "l"(of_b), "r"(step)
        : "memory");
  }
  int const lane = threadIdx.x % 32, row = first_row + threadIdx.x / 32 * 16 + lane / 4;
  int const column = first_column + lane % 4 * 2;
  store_pair(c, row, column, m, n, sums[0], sums[1]);
  store_pair(c, row + 8, column, m, n, sums[2], sums[3]);
}
