// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles, coalesced threads, the grid.
// corpus: -arch=compute_75
// corpus: -arch=compute_90
// corpus: -arch=compute_90 -G
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace groups = cooperative_groups;

__global__ void sum_by_tile(int const* in, int* out) {
  auto const block = groups::this_thread_block();
  auto const tile = groups::tiled_partition<8>(block);
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int const sum = groups::reduce(tile, in[i], groups::plus<int>());
  int const before = groups::exclusive_scan(tile, in[i], groups::plus<int>());
  out[i] = sum - before + tile.shfl_xor(sum, 3);
}

__global__ void compact(float const* in, float* out, int* count, int size) {
  for (int i = static_cast<int>(groups::this_grid().thread_rank()); i < size; i += gridDim.x * blockDim.x) {
    if (in[i] <= 0) continue;
    auto const together = groups::coalesced_threads();
    int first = 0;
    if (together.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(together.size()));
    out[together.shfl(first, 0) + together.thread_rank()] = in[i];
  }
}

__global__ void smooth(float* a, float* b, int size, int steps) {
  auto const grid = groups::this_grid();
  int const i = static_cast<int>(grid.thread_rank());
  for (int step = 0; step < steps; ++step) {
    if (i > 0 && i + 1 < size) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;
    grid.sync();
    if (i > 0 && i + 1 < size) a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3;
    grid.sync();
  }
}

__global__ void sum_labelled(int const* labels, int const* in, int* out) {
  auto const warp = groups::tiled_partition<32>(groups::this_thread_block());
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  auto const same = groups::labeled_partition(warp, labels[i]);
  int const sum = groups::reduce(same, in[i], groups::greater<int>());
  if (same.thread_rank() == 0) atomicAdd(out + labels[i], sum);
}
