// A HIP program as it would be compiled for a GPU: adds up numbers by shuffles within a wave and shared memory within a
// block, and counts by divergent ballots.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

#define REQUIRE(call)                                                                        \
  if (hipError_t error = (call); error != hipSuccess) {                                      \
    std::printf("%s: %s\n", #call, hipGetErrorString(error));                                \
    return 1;                                                                                \
  }

// `in` has a number for each thread.
__global__ void add_up(int const* in, int* sums) {
  __shared__ int of_wave[1024 / 32];
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = warpSize / 2; distance > 0; distance /= 2) sum += __shfl_down(sum, distance);
  if (threadIdx.x % warpSize == 0) of_wave[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int all = 0;
    for (unsigned wave = 0; wave < blockDim.x / warpSize; ++wave) all += of_wave[wave];
    sums[blockIdx.x] = all;
  }
}

// Each lane's branch votes alone: what is voted is how many lanes are in it.
__global__ void vote(unsigned long long* odd, unsigned long long* even, unsigned* after) {
  if (threadIdx.x % 2 == 1) {
    odd[threadIdx.x] = __ballot(threadIdx.x % 4 == 1);
  } else if (threadIdx.x % 3 == 0) {
    even[threadIdx.x] = __ballot(1);
  }
  after[threadIdx.x] = static_cast<unsigned>(__popcll(__ballot(1)));
}

template <int Step>
__global__ void histogram(unsigned* bins, unsigned count) {
  extern __shared__ unsigned mine[];
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  atomicAdd(&mine[(threadIdx.x * Step) % count], 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}

int main() {
  constexpr unsigned blocks = 7, threads = 256;
  std::vector<int> numbers(blocks * threads);
  for (unsigned i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i % 100) - 20;
  int *in = nullptr, *sums = nullptr;
  REQUIRE(hipMalloc(&in, numbers.size() * sizeof(int)));
  REQUIRE(hipMalloc(&sums, blocks * sizeof(int)));
  REQUIRE(hipMemcpy(in, numbers.data(), numbers.size() * sizeof(int), hipMemcpyHostToDevice));
  hipLaunchKernelGGL(add_up, dim3(blocks), dim3(threads), 0, 0, in, sums);
  REQUIRE(hipGetLastError());
  std::vector<int> found(blocks);
  REQUIRE(hipMemcpy(found.data(), sums, blocks * sizeof(int), hipMemcpyDeviceToHost));
  for (unsigned block = 0; block < blocks; ++block) {
    int expected = 0;
    for (unsigned i = 0; i < threads; ++i) expected += numbers[block * threads + i];
    if (found[block] != expected) return std::printf("block %u: %d, not %d\n", block, found[block], expected);
  }

  int width = 0;
  REQUIRE(hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0));
  unsigned long long *odd = nullptr, *even = nullptr;
  unsigned* after = nullptr;
  REQUIRE(hipMalloc(&odd, 64 * sizeof(*odd)));
  REQUIRE(hipMalloc(&even, 64 * sizeof(*even)));
  REQUIRE(hipMalloc(&after, 64 * sizeof(*after)));
  vote<<<1, width>>>(odd, even, after);
  unsigned long long odd_of[64], even_of[64];
  unsigned after_of[64];
  REQUIRE(hipMemcpy(odd_of, odd, sizeof(odd_of), hipMemcpyDeviceToHost));
  REQUIRE(hipMemcpy(even_of, even, sizeof(even_of), hipMemcpyDeviceToHost));
  REQUIRE(hipMemcpy(after_of, after, sizeof(after_of), hipMemcpyDeviceToHost));
  unsigned long long first_of_four = 0, sixes = 0;
  for (int lane = 0; lane < width; ++lane) {
    if (lane % 4 == 1) first_of_four |= 1ull << lane;
    if (lane % 6 == 0) sixes |= 1ull << lane;
  }
  for (int lane = 0; lane < width; ++lane) {
    if (lane % 2 == 1 && odd_of[lane] != first_of_four) return std::printf("lane %d: odd %llx\n", lane, odd_of[lane]);
    if (lane % 6 == 0 && even_of[lane] != sixes) return std::printf("lane %d: even %llx\n", lane, even_of[lane]);
    if (after_of[lane] != static_cast<unsigned>(width)) return std::printf("lane %d: %u after\n", lane, after_of[lane]);
  }

  unsigned* bins = nullptr;
  REQUIRE(hipMalloc(&bins, 16 * sizeof(unsigned)));
  REQUIRE(hipMemset(bins, 0, 16 * sizeof(unsigned)));
  histogram<3><<<dim3(2), dim3(160), 16 * sizeof(unsigned), nullptr>>>(bins, 16u);
  REQUIRE(hipDeviceSynchronize());
  unsigned bins_of[16];
  REQUIRE(hipMemcpy(bins_of, bins, sizeof(bins_of), hipMemcpyDeviceToHost));
  for (unsigned bin : bins_of) {
    if (bin != 20) return std::printf("a bin has %u\n", bin);
  }
  REQUIRE(hipFree(in));
  std::printf("OK, waves of %d lanes\n", width);
  return 0;
}
