// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A HIP program that does what its words say, in order:
//   scale, fill      launch the kernel of this file, or of plain.hip, with 2 blocks of 64 threads (4 with `wide`)
//   wide             from here on
//   refused          a launch that the runtime does not take
//   device N, sync, reset
//   stream, capture, end_capture, replay     a graph of what was launched in between
//   load FILE, unload, launch NAME   of a module
//   other_launches, other_launches_of NAME   the same by each other call that launches a kernel, or a module's
//   library FILE, close, call NAME, call_each   of a library
//   alloc NAME BYTES, alloc_async, alloc_pool, alloc_flags, alloc_managed, alloc_pitch, alloc_3d, map likewise
//   free NAME, free_async, unmap     pitches are of 256 bytes, of 4 rows, of 2 layers
//   use NAME BYTE    what `scale` gets from here on
//   graph            one of nodes: two of `scale`, of which the second is then made wide; launched twice
//   by_address       memory and two launches of `scale` by addresses that the runtime gives, and a copy
//   push RANGE, pop, start, stop, step    pasta/annotate.h
//   thread WORD, fork WORD           in another thread; in a child, which ends with exit code 3
//   cost N           prints what a launch takes of the host [ns], the median of N rounds of 500
//   crash, abort, return N
#include <dlfcn.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <pasta/annotate.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

__global__ void scale(float* data, float by) { data[threadIdx.x] *= by; }
void fill(unsigned blocks, hipStream_t stream);

namespace {

unsigned blocks = 2;
hipStream_t stream = nullptr;
hipModule_t loaded = nullptr;
hipGraph_t graph = nullptr;
hipGraphExec_t exec = nullptr;
float* data = nullptr;

void check(char const* what, hipError_t error) {
  if (error != hipSuccess) std::printf("%s: error %d\n", what, static_cast<int>(error));
}

struct allocation {
  char* memory = nullptr;
  size_t bytes = 0;
};
std::map<std::string, allocation>& allocations() {
  static std::map<std::string, allocation> all;
  return all;
}

void allocate(std::string const& how, std::string const& name, size_t bytes) {
  void* memory = nullptr;
  size_t pitch = 0;
  hipPitchedPtr box{};
  hipError_t error = hipErrorInvalidValue;
  if (how == "alloc") error = hipMalloc(&memory, bytes);
  if (how == "alloc_async") error = hipMallocAsync(&memory, bytes, stream);
  if (how == "alloc_pool") error = hipMallocFromPoolAsync(&memory, bytes, nullptr, stream);
  if (how == "alloc_flags") error = hipExtMallocWithFlags(&memory, bytes, 0);
  if (how == "alloc_managed") error = hipMallocManaged(&memory, bytes, hipMemAttachGlobal);
  if (how == "alloc_pitch") error = hipMallocPitch(&memory, &pitch, bytes, 4);
  if (how == "alloc_3d") error = hipMalloc3D(&box, {bytes, 4, 2}), memory = box.ptr;
  if (how == "map") memory = std::aligned_alloc(256, bytes), error = hipMemMap(memory, bytes, 0, nullptr, 0);
  check(how.c_str(), error);
  allocations()[name] = {static_cast<char*>(memory), bytes};
}
void release(std::string const& how, std::string const& name) {
  auto const [memory, bytes] = allocations()[name];
  if (how == "free") check("hipFree", hipFree(memory));
  if (how == "free_async") check("hipFreeAsync", hipFreeAsync(memory, stream));
  if (how == "unmap") check("hipMemUnmap", hipMemUnmap(memory, bytes)), std::free(memory);
}

hipFunction_t function_of(std::string const& name) {
  hipFunction_t function = nullptr;
  check("hipModuleGetFunction", hipModuleGetFunction(&function, loaded, name.c_str()));
  return function;
}
void launch(std::string const& name) {
  hipFunction_t const function = function_of(name);
  check("hipModuleLaunchKernel", hipModuleLaunchKernel(function, blocks, 1, 1, 64, 1, 1, 32, stream, nullptr, nullptr));
}

// What HIP 5.2's headers do not have, as newer ones declare it.
struct launch_config {
  dim3 grid, block;
  size_t shared_bytes;
  hipStream_t stream;
  void* attributes;
  unsigned attribute_count;
};
struct function_launch_config {
  unsigned grid[3], block[3], shared_bytes;
  hipStream_t stream;
  void* attributes;
  unsigned attribute_count;
};
struct function_launch {
  hipFunction_t function;
  unsigned grid[3], block[3], shared_bytes;
  hipStream_t stream;
  void** parameters;
};
struct graph_node_parameters {
  hipGraphNodeType type;
  int reserved[3];
  hipKernelNodeParams kernel;
};

// By its name, as a program does that runs on runtimes of several versions.
template <class... Parameters>
void call_newer(char const* name, Parameters... parameters) {
  auto* const function = reinterpret_cast<hipError_t (*)(Parameters...)>(dlsym(RTLD_DEFAULT, name));
  check(name, function == nullptr ? hipErrorNotFound : function(parameters...));
}

void launch_otherwise() {
  auto* const kernel = reinterpret_cast<void*>(&scale);
  float* data = nullptr;
  float by = 2;
  void* all[] = {&data, &by};
  check("hipLaunchKernel_spt", hipLaunchKernel_spt(kernel, dim3(blocks), dim3(64), all, 16, stream));
  check("hipExtLaunchKernel", hipExtLaunchKernel(kernel, dim3(blocks), dim3(64), all, 16, stream, nullptr, nullptr, 0));
  check("hipLaunchCooperativeKernel", hipLaunchCooperativeKernel(kernel, dim3(blocks), dim3(64), all, 16, stream));
  launch_config config{dim3(blocks), dim3(64), 16, stream, nullptr, 0};
  call_newer("hipLaunchKernelExC", static_cast<launch_config const*>(&config), static_cast<void const*>(kernel),
             static_cast<void**>(all));
  hipLaunchParams each[2] = {{kernel, dim3(blocks), dim3(64), all, 16, stream},
                             {kernel, dim3(blocks), dim3(64), all, 16, stream}};
  check("hipLaunchCooperativeKernelMultiDevice", hipLaunchCooperativeKernelMultiDevice(each, 2, 0));
  check("hipExtLaunchMultiKernelMultiDevice", hipExtLaunchMultiKernelMultiDevice(each, 2, 0));
}

void launch_otherwise(hipFunction_t function) {
  function_launch_config config{{blocks, 1, 1}, {64, 1, 1}, 32, stream, nullptr, 0};
  call_newer("hipDrvLaunchKernelEx", static_cast<function_launch_config const*>(&config), function,
             static_cast<void**>(nullptr), static_cast<void**>(nullptr));
  call_newer("hipModuleLaunchCooperativeKernel", function, blocks, 1u, 1u, 64u, 1u, 1u, 32u, stream,
             static_cast<void**>(nullptr));
  function_launch each[2] = {{function, {blocks, 1, 1}, {64, 1, 1}, 32, stream, nullptr},
                             {function, {blocks, 1, 1}, {64, 1, 1}, 32, stream, nullptr}};
  call_newer("hipModuleLaunchCooperativeKernelMultiDevice", static_cast<function_launch*>(each), 2u, 0u);
  check("hipExtModuleLaunchKernel",
        hipExtModuleLaunchKernel(function, blocks * 64, 1, 1, 64, 1, 1, 32, stream, nullptr, nullptr));
}

hipModule_t library = nullptr;  // which it is not

void open_library(char const* path) {
  call_newer("hipLibraryLoadFromFile", &library, path, static_cast<hipJitOption*>(nullptr),
             static_cast<void**>(nullptr), 0u, static_cast<void*>(nullptr), static_cast<void**>(nullptr), 0u);
}
void call(hipFunction_t kernel) {
  hipFunction_t function = nullptr;
  call_newer("hipKernelGetFunction", &function, kernel);
  check("hipModuleLaunchKernel", hipModuleLaunchKernel(function, blocks, 1, 1, 64, 1, 1, 32, stream, nullptr, nullptr));
}
void call_of_library(char const* name) {
  hipFunction_t kernel = nullptr;
  call_newer("hipLibraryGetKernel", &kernel, library, name);
  call(kernel);
}
void call_each() {
  hipFunction_t kernels[4] = {};
  call_newer("hipLibraryEnumerateKernels", static_cast<hipFunction_t*>(kernels), 4u, library);
  for (hipFunction_t const kernel : kernels) {
    if (kernel != nullptr) call(kernel);
  }
}

void launch_by_address() {
  using allocate_function = hipError_t (*)(void**, size_t);
  using launch_function = hipError_t (*)(void const*, dim3, dim3, void**, size_t, hipStream_t);
  using copy_function = hipError_t (*)(void*, void const*, size_t, hipMemcpyKind);
  void *allocate = nullptr, *launch = nullptr, *launch_of_thread = nullptr, *copy = nullptr, *none = nullptr;
  void* const status = nullptr;
  call_newer("hipGetProcAddress", "hipMalloc", &allocate, 60000000, uint64_t{0}, status);
  call_newer("hipGetProcAddress", "hipLaunchKernel", &launch, 60000000, uint64_t{0}, status);
  call_newer("hipGetDriverEntryPoint", "hipLaunchKernel", &launch_of_thread, 2ull, status);
  call_newer("hipGetDriverEntryPoint_spt", "hipMemcpy", &copy, 0ull, status);
  call_newer("hipGetProcAddress", "hipNoSuchCall", &none, 60000000, uint64_t{0}, status);
  float by = 2, back = 1;
  void* memory = nullptr;
  check("hipMalloc", reinterpret_cast<allocate_function>(allocate)(&memory, 4096));
  void* all[] = {&memory, &by};
  for (void* const each : {launch, launch_of_thread})
    check("launch", reinterpret_cast<launch_function>(each)(reinterpret_cast<void const*>(&scale), dim3(blocks),
                                                            dim3(64), all, 16, stream));
  check("hipMemcpy", reinterpret_cast<copy_function>(copy)(&back, memory, sizeof back, hipMemcpyDeviceToHost));
  std::printf("%g\n", back);
}

void launch_nodes() {
  hipKernelNodeParams parameters{};
  parameters.func = reinterpret_cast<void*>(&scale);
  parameters.gridDim = dim3(blocks);
  parameters.blockDim = dim3(64);
  hipGraphNode_t nodes[2] = {};
  check("hipGraphCreate", hipGraphCreate(&graph, 0));
  for (hipGraphNode_t& node : nodes)
    check("hipGraphAddKernelNode", hipGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  call_newer("hipGraphInstantiateWithParams", &exec, graph, static_cast<void*>(nullptr));
  check("hipGraphLaunch", hipGraphLaunch(exec, stream));
  graph_node_parameters wide{hipGraphNodeTypeKernel, {}, parameters};
  wide.kernel.gridDim = dim3(2 * blocks);
  call_newer("hipGraphExecNodeSetParams", exec, nodes[1], &wide);
  check("hipGraphLaunch", hipGraphLaunch(exec, stream));
}

void print_cost(int rounds) {
  constexpr int launches = 500;
  std::vector<long long> took;
  for (int round = 0; round < rounds; ++round) {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) scale<<<blocks, 64, 16, stream>>>(nullptr, 2);
    auto const end = std::chrono::steady_clock::now();
    took.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count() / launches);
  }
  std::sort(took.begin(), took.end());
  std::printf("%lld ns\n", took[took.size() / 2]);
}

void replay() {
  if (exec == nullptr) check("hipGraphInstantiate", hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  check("hipGraphLaunch", hipGraphLaunch(exec, stream));
}

// @return how many words it took
std::size_t run(std::vector<std::string> const& words, std::size_t at) {
  std::string const& word = words[at];
  std::string const next = at + 1 < words.size() ? words[at + 1] : "";
  std::string const third = at + 2 < words.size() ? words[at + 2] : "";
  if (word == "scale") return scale<<<blocks, 64, 16, stream>>>(data, 2), 1;
  if (word.rfind("alloc", 0) == 0 || word == "map") return allocate(word, next, std::stoul(third)), 3;
  if (word.rfind("free", 0) == 0 || word == "unmap") return release(word, next), 2;
  if (word == "use") return data = reinterpret_cast<float*>(allocations()[next].memory + std::stol(third)), 3;
  if (word == "fill") return fill(blocks, stream), 1;
  if (word == "wide") return blocks = 4, 1;
  if (word == "refused") return scale<<<blocks, 2048>>>(nullptr, 2), static_cast<void>(hipGetLastError()), 1;
  if (word == "device") return check("hipSetDevice", hipSetDevice(std::stoi(next))), 2;
  if (word == "sync") return check("hipDeviceSynchronize", hipDeviceSynchronize()), 1;
  if (word == "reset") return check("hipDeviceReset", hipDeviceReset()), 1;
  if (word == "stream") return check("hipStreamCreate", hipStreamCreateWithFlags(&stream, hipStreamNonBlocking)), 1;
  if (word == "capture")
    return check("hipStreamBeginCapture", hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal)), 1;
  if (word == "end_capture") return check("hipStreamEndCapture", hipStreamEndCapture(stream, &graph)), 1;
  if (word == "replay") return replay(), 1;
  if (word == "load") return check("hipModuleLoad", hipModuleLoad(&loaded, next.c_str())), 2;
  if (word == "unload") return check("hipModuleUnload", hipModuleUnload(loaded)), 1;
  if (word == "launch") return launch(next), 2;
  if (word == "other_launches") return launch_otherwise(), 1;
  if (word == "other_launches_of") return launch_otherwise(function_of(next)), 2;
  if (word == "library") return open_library(next.c_str()), 2;
  if (word == "close") return call_newer("hipLibraryUnload", library), 1;
  if (word == "call") return call_of_library(next.c_str()), 2;
  if (word == "call_each") return call_each(), 1;
  if (word == "by_address") return launch_by_address(), 1;
  if (word == "graph") return launch_nodes(), 1;
  if (word == "push") return pasta_annotate_push(next.c_str()), 2;
  if (word == "pop") return pasta_annotate_pop(), 1;
  if (word == "start") return pasta_start(), 1;
  if (word == "stop") return pasta_stop(), 1;
  if (word == "step") return pasta_step(), 1;
  if (word == "thread") return std::thread([&] { run(words, at + 1); }).join(), 2;
  if (word == "fork") {
    if (pid_t const child = fork(); child == 0) {
      run(words, at + 1);
      std::exit(3);
    } else {
      int status = 0;
      waitpid(child, &status, 0);
      std::printf("child: %d\n", WEXITSTATUS(status));
    }
    return 2;
  }
  if (word == "cost") return print_cost(std::stoi(next)), 2;
  if (word == "crash") return *static_cast<int volatile*>(nullptr) = 1, 1;
  if (word == "abort") std::abort();
  if (word == "return") std::exit(std::stoi(next));
  std::printf("what is %s?\n", word.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> const words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size();) i += run(words, i);
}
