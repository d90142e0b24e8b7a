// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program without a word of PASTA that does what its first argument says; gpu_test.py knows what it accesses.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void check(int error, char const* what, int line) {
  if (error == 0) return;
  std::fprintf(stderr, "%s: error %d in line %d\n", what, error, line);
  std::exit(3);
}
#define CHECK(call) check(static_cast<int>(call), #call, __LINE__)

constexpr std::size_t n = 1'000'000;
float *a, *b, *c;
int* p;

}  // namespace

template <class T>
__global__ void add(T* to, T const* left, T const* right, std::size_t count) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) to[i] = left[i] + right[i];
}
__device__ __noinline__ int helper(int* from, int i) { return from[i] + 1; }
__global__ void caller(int* from, int count) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  __shared__ int kept[256];
  kept[threadIdx.x] = i < count ? helper(from, i) : 0;
  __syncthreads();
  if (i < count) atomicAdd(&from[i], kept[threadIdx.x ^ 1]);
}
__global__ void small(int* to) { to[threadIdx.x] = 1; }
__global__ void fault(int* from) { *reinterpret_cast<int volatile*>(8) = from[threadIdx.x]; }
__global__ void together(int* to) {
  cooperative_groups::this_grid().sync();
  to[threadIdx.x] += 1;
}
__global__ void endless(int volatile* from) {
  while (from[0] == 0) {
  }
}

namespace {

void allocate() {
  for (float** each : {&a, &b, &c}) {
    CHECK(cudaMalloc(each, n * sizeof **each));
    CHECK(cudaMemset(*each, 0, n * sizeof **each));
  }
  CHECK(cudaMalloc(&p, n * sizeof *p));
  CHECK(cudaMemset(p, 0, n * sizeof *p));
}
void launch_add(cudaStream_t stream = nullptr) {
  add<float><<<(n + 255) / 256, 256, 0, stream>>>(c, a, b, n);
  CHECK(cudaGetLastError());
}
cudaStream_t make_stream() {
  cudaStream_t made = nullptr;
  CHECK(cudaStreamCreate(&made));
  return made;
}

void run_streams() {
  cudaStream_t const streams[] = {make_stream(), make_stream(), make_stream(), make_stream()};
  for (int i = 0; i < 40; ++i) launch_add(streams[i % 4]);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2), config.blockDim = dim3(32), config.stream = streams[0];
  CHECK(cudaLaunchKernelEx(&config, small, p));
  void* arguments[] = {&p};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(&together), dim3(2), dim3(64), arguments, 0,
                                    streams[1]));
  CHECK(cudaLaunchKernel(reinterpret_cast<void const*>(&small), dim3(1), dim3(32), arguments, 0, cudaStreamPerThread));
  CHECK(cudaDeviceSynchronize());
}

void run_graph() {
  cudaStream_t const stream = make_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  launch_add(stream);
  small<<<1, 64, 0, stream>>>(p);
  launch_add(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

// The driver's own interface: modules, a library, a graph of nodes that were never launched otherwise, two contexts.
void run_driver(char const* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> const image{std::istreambuf_iterator<char>(file), {}};
  CUdevice device = 0;
  CUcontext context = nullptr, other = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUdeviceptr memory = 0;
  CHECK(cuMemAlloc(&memory, 4096));
  void* arguments[] = {&memory};
  auto const launch = [&](void* function, unsigned threads) {
    CHECK(cuLaunchKernel(static_cast<CUfunction>(function), 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuCtxSynchronize());
  };
  for (int i = 0; i < 2; ++i) {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetFunction(&function, module, "_Z5smallPi"));
    launch(function, 64);
    CHECK(cuModuleUnload(module));
  }
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CHECK(cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cuLibraryGetKernel(&kernel, library, "_Z5smallPi"));
  launch(kernel, 32);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.kern = kernel, parameters.ctx = context;
  parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
  parameters.blockDimX = 32, parameters.blockDimY = parameters.blockDimZ = 1;
  parameters.kernelParams = arguments;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode node = nullptr;
  CUstream stream = nullptr;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 3; ++i) CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuCtxSynchronize());
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&other, nullptr, 0, device));
#else
  CHECK(cuCtxCreate(&other, 0, device));
#endif
  CHECK(cuMemAlloc(&memory, 4096));
  launch(kernel, 32);
  CHECK(cuCtxDestroy(other));
}

int run(std::string const& what, char** rest) {
  if (what == "driver") {
    run_driver(rest[0]);
    return 0;
  }
  allocate();
  if (what == "streams") run_streams();
  if (what == "graph") run_graph();
  if (what == "plain") {
    for (int i = 0; i < 3; ++i) launch_add();
    caller<<<4, 256>>>(p, 1000);
    CHECK(cudaDeviceSynchronize());
  }
  if (what == "unwaited") launch_add();
  if (what == "reset") {
    launch_add();
    CHECK(cudaDeviceReset());
    allocate();
    launch_add();
    CHECK(cudaDeviceSynchronize());
  }
  if (what == "fault") {
    launch_add();
    CHECK(cudaDeviceSynchronize());
    fault<<<1, 32>>>(p);
    std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
    return 4;
  }
  if (what == "abort") {
    launch_add();
    CHECK(cudaDeviceSynchronize());
    std::abort();
  }
  if (what == "endless") {
    launch_add();
    CHECK(cudaDeviceSynchronize());
    endless<<<1, 1>>>(p);
    std::raise(SIGTERM);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) { return count < 2 ? 2 : run(words[1], words + 2); }
