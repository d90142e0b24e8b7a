// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/cuda_names.hpp>
#include <pasta/testing.hpp>

#include "catch.hpp"

namespace {

template <class Probe>
__global__ void block_maximum(pasta::traced<int const, Probe> in, pasta::traced<int, Probe> out, int n) {
  __shared__ int partial[8];
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int value = i < n ? in[i] : 0;
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    int const other = __shfl_down_sync(~0u, value, static_cast<unsigned>(distance));
    if (other > value) value = other;
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 8) atomicMax(out[0], partial[threadIdx.x]);
  unsigned const low = __ballot_sync(~0u, threadIdx.x % 32 < 4);
  if (threadIdx.x == 0) atomicAdd(out[1], static_cast<int>(low));
  int const agrees = __all_sync(~0u, low == 15) & __any_sync(~0u, threadIdx.x % 32 == 31);
  __syncwarp();
  if (threadIdx.x == 40) atomicExch(out[2], agrees + __shfl_xor_sync(~0u, 7, 1) + __shfl_sync(~0u, 10, 0));
}

struct observer : pasta::tool<observer> {
  using events = pasta::events<pasta::memory_access, pasta::barrier>;
  struct site_state {
    pasta::count lanes;
  };
  static void on_memory_access(pasta::context<observer>& at, pasta::memory_access const&) { at.site().lanes.add(); }
  static void on_barrier(pasta::context<observer>& at, pasta::barrier const&) { at.site().lanes.add(); }
  void report(pasta::results<observer> const&, pasta::report&) const {}
};

}  // namespace

TEST_CASE("a kernel in CUDA's words runs and is observed") {
  std::vector<int> in(1000), out(3);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7919 % 1009);
  pasta::testing::fixture<observer> test({.threads = 2});
  test.launch(PASTA_KERNEL(block_maximum), {4, 256}, in.data(), out.data(), 1000);
  CHECK(out[0] == *std::max_element(in.begin(), in.end()));
  CHECK(out[1] == 4 * 15);
  CHECK(out[2] == 1 + 7 + 10);
  auto const kernel = test.results().kernels.at(0);
  CHECK(kernel.name == "block_maximum");
  std::map<std::pair<std::string, pasta::operation>, std::uint64_t> lanes;
  for (auto const& site : kernel.sites) lanes[{std::string(), site.site.what}] += site.state.lanes.value();
  CHECK(lanes[{"", pasta::operation::load}] == 1000);
  CHECK(lanes[{"", pasta::operation::atomic}] == 4 * (8 + 1 + 1));
  CHECK(lanes[{"", pasta::operation::barrier}] == 2 * 1024);
}
