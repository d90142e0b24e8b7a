// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels to be measured natively and instrumented, as a library with a C interface that is built twice: by nvcc and by
// `pasta nvcc --tools TOOL`. cuda_programs.py loads both into one process. A failure of CUDA ends the process.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "../overhead/native_kernels.cuh"

namespace {

void require(cudaError_t status, char const* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
T* allocate(std::size_t count) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  return static_cast<T*>(memory);
}

__host__ __device__ std::uint32_t mixed(std::uint64_t i) {
  std::uint64_t x = i * 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  return static_cast<std::uint32_t>(x * 0xbf58476d1ce4e5b9u >> 32);
}

// Filling is no part of what is measured, and is copied rather than computed: these kernels would be in the report.
template <class T, class Value>
void fill(T* device, std::size_t count, Value value) {
  std::vector<T> host(count);
  for (std::size_t i = 0; i < count; ++i) host[i] = value(i);
  require(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice), "copy");
}

constexpr std::size_t n = std::size_t{1} << 26;
constexpr std::size_t side = 8192, order = 2048;

// Arrays that programs share: results go to `out` alone.
struct arrays {
  float *a = allocate<float>(n), *b = allocate<float>(n), *out = allocate<float>(n);
  std::uint32_t* keys = allocate<std::uint32_t>(n);
  std::size_t scratch_bytes = std::size_t{1} << 30;
  void* scratch = allocate<char>(scratch_bytes);

  arrays() {
    fill(a, n, [](std::size_t i) { return static_cast<float>(mixed(i) >> 24); });
    fill(b, n, [](std::size_t i) { return static_cast<float>(mixed(i + n) >> 24); });
    fill(keys, n, [](std::size_t i) { return mixed(i) & (n - 1); });
    require(cudaMemset(out, 0, n * sizeof(float)), "clear");
  }
  std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(out); }
};

struct program {
  char const* name;
  std::size_t size;
  void (*run)(arrays& in);
};

constexpr program programs[] = {
    {"vector_add", n, [](arrays& in) { native::vector_add<<<n / 256, 256>>>(in.a, in.b, in.out, n); }},
    {"stencil", side,
     [](arrays& in) { native::stencil<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(in.a, in.out, side); }},
    {"tiled_product", order,
     [](arrays& in) {
       native::tiled_product<<<dim3(order / 16, order / 16), dim3(16, 16)>>>(in.a, in.b, in.out, order);
     }},
    {"gather", n, [](arrays& in) { native::gather<<<n / 256, 256>>>(in.keys, in.a, in.out, n); }},
    {"cub_sort", n,
     [](arrays& in) {
       require(cub::DeviceRadixSort::SortKeys(in.scratch, in.scratch_bytes, in.keys, in.words(), n), "sort");
     }},
    {"cub_scan", n,
     [](arrays& in) {
       require(cub::DeviceScan::ExclusiveSum(in.scratch, in.scratch_bytes, in.keys, in.words(), n), "scan");
     }},
    {"cub_reduce", n,
     [](arrays& in) {
       require(cub::DeviceReduce::Sum(in.scratch, in.scratch_bytes, in.keys, in.words(), n), "reduce");
     }},
};

arrays& memory() {
  static arrays all;
  return all;
}

__global__ void nothing(std::uint32_t* out, bool is_written) {
  if (is_written) *out = 1;
}

}  // namespace

extern "C" {

int program_count() { return std::size(programs); }
char const* program_name(int which) { return programs[which].name; }
std::size_t program_size(int which) { return programs[which].size; }

/// Time of one run [ms], of `runs` behind each other.
double time_ms(int which, int runs) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) {
    require(cudaEventCreate(&begin), "event");
    require(cudaEventCreate(&end), "event");
  }
  arrays& in = memory();
  require(cudaDeviceSynchronize(), "before");
  require(cudaEventRecord(begin), "begin");
  for (int i = 0; i < runs; ++i) programs[which].run(in);
  require(cudaEventRecord(end), "end");
  require(cudaEventSynchronize(end), programs[which].name);
  require(cudaGetLastError(), programs[which].name);
  float ms = 0;
  require(cudaEventElapsedTime(&ms, begin, end), "time");
  return static_cast<double>(ms) / runs;
}

/// What all bytes of the last result add up to, each word mixed with its place.
std::uint64_t digest() {
  std::vector<std::uint32_t> host(n);
  require(cudaMemcpy(host.data(), memory().words(), n * 4, cudaMemcpyDeviceToHost), "read");
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (host[i] + 1) * (i * 0x9e3779b97f4a7c15u | 1);
  return sum;
}

/// The host's time for a launch of a kernel that does nothing [us]: `launches` in portions that the queue has room for.
double launch_us(int launches) {
  using clock = std::chrono::steady_clock;
  constexpr int portion = 256;
  std::uint32_t* const out = memory().words();
  clock::duration all{};
  for (int done = 0; done < launches; done += portion) {
    auto const begin = clock::now();
    for (int i = 0; i < portion; ++i) nothing<<<1, 32>>>(out, false);
    all += clock::now() - begin;
    require(cudaDeviceSynchronize(), "nothing");
  }
  return std::chrono::duration<double, std::micro>(all).count() / launches;
}

/// GPU memory in use [bytes].
std::size_t used_bytes() {
  std::size_t free = 0, all = 0;
  require(cudaMemGetInfo(&free, &all), "memory");
  return all - free;
}
}
