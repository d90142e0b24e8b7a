// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks and the shared memory that they share.
// corpus: -arch=compute_90
// corpus: -arch=compute_90 -G
// corpus: -arch=compute_100
#include <cooperative_groups.h>

#include <utility>

namespace groups = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) count_together(int const* in, int* counts, int size) {
  __shared__ int own[64];
  auto const cluster = groups::this_cluster();
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) own[i] = 0;
  cluster.sync();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < size; i += gridDim.x * blockDim.x) {
    unsigned const bin = static_cast<unsigned>(in[i]) % 256;
    atomicAdd(cluster.map_shared_rank(own, bin / 64) + bin % 64, 1);
  }
  cluster.sync();
  for (unsigned i = threadIdx.x; i < 64; i += blockDim.x) {
    atomicAdd(counts + cluster.block_rank() * 64 + i, own[i]);
  }
}

__global__ void read_neighbour(float* out) {
  extern __shared__ float tile[];
  auto const cluster = groups::this_cluster();
  tile[threadIdx.x] = static_cast<float>(cluster.block_rank());
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(std::move(token));
  float const* const other = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % cluster.num_blocks());
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      other[threadIdx.x] + static_cast<float>(groups::cluster_group::dim_blocks().x);
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
