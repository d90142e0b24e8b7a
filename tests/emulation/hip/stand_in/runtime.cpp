// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// In place of libamdhip64, for the host side of programs that hipcc compiled: memory is the host's, streams are in
// order, kernels are not executed. Loaded before AMD's own (LD_PRELOAD). Each launch is a line in the file that
// HIP_STAND_IN_LOG names: kernel, grid, block, bytes of dynamic shared memory.
//
// HIP_STAND_IN_DEVICES is their number (1). HIP_STAND_IN_FAIL names functions that fail, `hipMalloc:1-2` in the first
// two calls, `hipMemcpyAsync:3` from the third on; `hang` is a wait for the device that never ends. Modules that count
// have variables whose names begin with pasta_state_: HIP_STAND_IN_COUNTS is what each launch adds to the counters of
// all of its device that somebody collects, `0=100,1=3` or `all=10` (HIP_STAND_IN_STATE: of the one of this number),
// and in the file of HIP_STAND_IN_STATES is a line for each, with the number of shards. HIP_STAND_IN_TOUCH is a byte in
// what such a state has once for all shards, where code finds its shadow memory: each launch loads 4 bytes from where
// its first parameter points to. In the file of HIP_STAND_IN_WAITS is a line for each wait for a device.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <mutex>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  hipStream_t stream;
};
thread_local std::vector<configuration> pushed;
thread_local hipError_t last_error = hipSuccess;

std::mutex mutex;
std::map<void const*, std::string>& kernels() {  // what was registered, before main
  static auto* const all = new std::map<void const*, std::string>;
  return *all;
}

hipError_t done(hipError_t error = hipSuccess) {
  if (error != hipSuccess) last_error = error;
  return error;
}

char const* variable_or(char const* name, char const* otherwise) {
  char const* const text = std::getenv(name);
  return text != nullptr ? text : otherwise;
}

int device_count() { return std::atoi(variable_or("HIP_STAND_IN_DEVICES", "1")); }
thread_local int current_device = 0;

// Whether this call is to fail: calls are counted from 1.
bool is_to_fail(std::string const& function) {
  static std::mutex counting;
  static auto* const calls = new std::map<std::string, int>;
  std::istringstream words(variable_or("HIP_STAND_IN_FAIL", ""));
  for (std::string word; std::getline(words, word, ',');) {
    std::size_t const colon = word.find(':');
    if (word.substr(0, colon) != function) continue;
    std::lock_guard const lock(counting);
    int const call = ++(*calls)[function];
    int first = 1, last = INT_MAX;
    if (colon != std::string::npos) std::sscanf(word.c_str() + colon, ":%d-%d", &first, &last);
    return call >= first && call <= last;
  }
  return false;
}

// A variable of a module, with memory on each device that it was asked for on.
struct variable {
  std::string name;
  std::size_t bytes = 0;
  void* host = nullptr;      // the host's copy of a registered one
  void const* of = nullptr;  // the module that was loaded
  std::map<int, std::byte*> memory;

  std::byte* on(int device) {
    std::byte*& there = memory[device];
    if (there == nullptr) there = static_cast<std::byte*>(std::calloc(bytes, 1));
    return there;
  }
};
std::deque<variable>& variables() {
  static auto* const all = new std::deque<variable>;
  return *all;
}

// What kernels would do that count: the first words of a state are the first shard's address, the number of shards - 1,
// and the bytes from one to the next.
void add_counts() {
  if (std::getenv("HIP_STAND_IN_COUNTS") == nullptr) return;
  static std::uint32_t launches = 0;
  std::uint32_t const launch = launches++;
  char const* const only = std::getenv("HIP_STAND_IN_STATE");
  int number = 0;
  for (variable& each : variables()) {
    if (each.name.rfind("pasta_state_", 0) != 0 || each.memory.count(current_device) == 0) continue;
    if (only != nullptr && std::atoi(only) != number++) continue;
    std::byte const* const state = each.on(current_device);
    struct {
      std::byte* shards;
      std::uint32_t mask, stride;
    } to;
    std::memcpy(&to, state, sizeof to);
    if (to.shards == nullptr) continue;
    if (char const* const path = std::getenv("HIP_STAND_IN_STATES"))
      std::ofstream(path, std::ios::app) << "shards " << to.mask + 1 << '\n';
    auto const add = [&](std::size_t counter, std::uint64_t count) {
      std::byte* const at = to.shards + (launch & to.mask) * to.stride + counter * sizeof count;
      std::uint64_t sum = 0;
      std::memcpy(&sum, at, sizeof sum);
      sum += count;
      std::memcpy(at, &sum, sizeof sum);
    };
    std::istringstream words(variable_or("HIP_STAND_IN_COUNTS", ""));
    for (std::string word; std::getline(words, word, ',');) {
      std::uint64_t const count = std::strtoull(word.c_str() + word.find('=') + 1, nullptr, 10);
      if (word.rfind("all=", 0) != 0) {
        add(std::strtoul(word.c_str(), nullptr, 10), count);
      } else {
        for (std::size_t counter = 0; counter < to.stride / sizeof count; ++counter) add(counter, count);
      }
    }
  }
}

// What a kernel would do that keeps shadow bits.
void touch(void const* address) {
  char const* const word = std::getenv("HIP_STAND_IN_TOUCH");
  if (word == nullptr || address == nullptr) return;
  for (variable& each : variables()) {
    if (each.name.rfind("pasta_state_", 0) != 0 || each.memory.count(current_device) == 0) continue;
    pasta::ptx::module_state state{};
    std::memcpy(&state, each.on(current_device), sizeof state);
    pasta::detail::shadow_view const* view = nullptr;
    if (state.shards == 0) continue;
    std::memcpy(&view, reinterpret_cast<std::byte const*>(state.shared) + std::atoi(word), sizeof view);
    if (view != nullptr) pasta::detail::update_shadow(*view, 1, reinterpret_cast<std::uintptr_t>(address), 4);
  }
}
void const* first_of(void** parameters) {
  return parameters == nullptr ? nullptr : *static_cast<void const* const*>(*parameters);
}

double now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct node {
  std::string name;
  hipKernelNodeParams parameters;
  void const* first = nullptr;  // parameter
};
using graph = std::deque<node>;  // whose nodes stay where they are
struct stream {
  graph* capture = nullptr;
};
graph* capture_of(hipStream_t handle) {
  bool const is_handle = reinterpret_cast<std::uintptr_t>(handle) > 16;
  return is_handle ? reinterpret_cast<stream*>(handle)->capture : nullptr;
}

hipError_t log_launch(std::string const& kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                      void const* first_parameter = nullptr) {
  if (char const* const path = std::getenv("HIP_STAND_IN_LOG")) {
    if (std::FILE* const file = std::fopen(path, "a")) {
      std::fprintf(file, "%s %u,%u,%u %u,%u,%u %zu\n", kernel.c_str(), grid.x, grid.y, grid.z, block.x, block.y,
                   block.z, shared_bytes);
      std::fclose(file);
    }
  }
  add_counts();
  touch(first_parameter);
  return done();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// What hipcc's own code calls.
void** __hipRegisterFatBinary(void const*) { return new void*(nullptr); }
void __hipUnregisterFatBinary(void** handle) { delete handle; }
void __hipRegisterFunction(void**, void const* function, char*, char const* name, unsigned, void*, void*, void*, void*,
                           int*) {
  std::lock_guard const lock(mutex);
  kernels()[function] = name;
}
void __hipRegisterVar(void**, void* host, char*, char* name, int, std::size_t bytes, int, int) {
  std::lock_guard const lock(mutex);
  variables().push_back({name, bytes, host, nullptr, {}});
}
hipError_t hipGetSymbolAddress(void** memory, void const* host) {
  std::lock_guard const lock(mutex);
  if (is_to_fail("hipGetSymbolAddress")) return done(hipErrorInvalidSymbol);
  for (variable& each : variables()) {
    if (each.host == host && host != nullptr) return *memory = each.on(current_device), done();
  }
  return done(hipErrorInvalidSymbol);
}

// A module is where its image is; a kernel of it is its name.
hipError_t hipModuleLoadData(hipModule_t* module, void const* image) {
  *module = reinterpret_cast<hipModule_t>(new void const*(image));
  return done();
}
hipError_t hipModuleLoad(hipModule_t* module, char const*) { return hipModuleLoadData(module, nullptr); }
hipError_t hipModuleLoadDataEx(hipModule_t* module, void const* image, unsigned, hipJitOption*, void**) {
  return hipModuleLoadData(module, image);
}
hipError_t hipModuleUnload(hipModule_t module) {
  std::lock_guard const lock(mutex);
  for (variable& each : variables()) {
    if (each.of == module) each.name.clear(), each.of = nullptr;
  }
  delete reinterpret_cast<void const**>(module);
  return done();
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t, char const* name) {
  std::lock_guard const lock(mutex);
  *function = reinterpret_cast<hipFunction_t>(new std::string(name));
  return done();
}
hipError_t hipModuleGetGlobal(void** memory, std::size_t* bytes, hipModule_t module, char const* name) {
  constexpr std::size_t any_size = 64;
  std::lock_guard const lock(mutex);
  *bytes = any_size;
  for (variable& each : variables()) {
    if (each.of == module && each.name == name) return *memory = each.on(current_device), done();
  }
  variables().push_back({name, any_size, nullptr, module, {}});
  *memory = variables().back().on(current_device);
  return done();
}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream) {
  pushed.push_back({grid, block, shared_bytes, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, hipStream_t* stream) {
  if (pushed.empty()) return done(hipErrorInvalidConfiguration);
  configuration const& last = pushed.back();
  *grid = last.grid, *block = last.block, *shared_bytes = last.shared_bytes, *stream = last.stream;
  pushed.pop_back();
  return hipSuccess;
}

hipError_t hipLaunchKernel(void const* function, dim3 grid, dim3 block, void** all, std::size_t shared_bytes,
                           hipStream_t in) {
  std::lock_guard const lock(mutex);
  auto const known = kernels().find(function);
  if (known == kernels().end()) return done(hipErrorInvalidDeviceFunction);
  if (block.x * block.y * block.z > 1024 || grid.x == 0) return done(hipErrorInvalidConfiguration);
  if (graph* const into = capture_of(in)) {
    hipKernelNodeParams const parameters{block, nullptr, const_cast<void*>(function),
                                         grid,  nullptr, static_cast<unsigned>(shared_bytes)};
    into->push_back({known->second, parameters, first_of(all)});
    return done();
  }
  return log_launch(known->second, grid, block, shared_bytes, first_of(all));
}
hipError_t hipLaunchKernel_spt(void const* function, dim3 grid, dim3 block, void** all, std::size_t shared_bytes,
                               hipStream_t stream) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipExtLaunchKernel(void const* function, dim3 grid, dim3 block, void** all, std::size_t shared_bytes,
                              hipStream_t stream, hipEvent_t, hipEvent_t, int) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipLaunchCooperativeKernel(void const* function, dim3 grid, dim3 block, void** all, unsigned shared_bytes,
                                      hipStream_t stream) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipLaunchCooperativeKernel_spt(void const* function, dim3 grid, dim3 block, void** all,
                                          std::uint32_t shared_bytes, hipStream_t stream) {
  return hipLaunchKernel(function, grid, block, all, shared_bytes, stream);
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 hipStream_t, void**, void**) {
  std::lock_guard const lock(mutex);
  return log_launch(function == nullptr ? "a_module_s_kernel" : *reinterpret_cast<std::string const*>(function),
                    {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes);
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                            hipStream_t stream, void** all) {
  return hipModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, all,
                               nullptr);
}
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* all, int count, unsigned) {
  for (hipLaunchParams const* each = all; each != all + count; ++each) {
    hipError_t const result =
        hipLaunchKernel(each->func, each->gridDim, each->blockDim, each->args, each->sharedMem, each->stream);
    if (result != hipSuccess) return result;
  }
  return done();
}
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* all, int count, unsigned flags) {
  return hipLaunchCooperativeKernelMultiDevice(all, count, flags);
}

// Of newer runtimes, as AMD documents them.
struct launch_config {
  dim3 grid, block;
  std::size_t shared_bytes;
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
hipError_t hipLaunchKernelExC(launch_config const* config, void const* function, void** all) {
  return hipLaunchKernel(function, config->grid, config->block, all, config->shared_bytes, config->stream);
}
hipError_t hipDrvLaunchKernelEx(function_launch_config const* config, hipFunction_t function, void** all,
                                void** extra) {
  auto const& [grid, block, shared_bytes, stream, attributes, count] = *config;
  return hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared_bytes, stream,
                               all, extra);
}
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(function_launch* all, unsigned count, unsigned) {
  for (unsigned i = 0; i < count; ++i) {
    auto const& [function, grid, block, shared_bytes, stream, parameters] = all[i];
    hipError_t const result = hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                                    shared_bytes, stream, parameters, nullptr);
    if (result != hipSuccess) return result;
  }
  return done();
}
// A library is a module. All have one kernel, `twice`; its function is another handle.
hipError_t hipLibraryLoadData(hipModule_t* library, void const* image, hipJitOption*, void**, unsigned, void*, void**,
                              unsigned) {
  return hipModuleLoadData(library, image);
}
hipError_t hipLibraryLoadFromFile(hipModule_t* library, char const*, hipJitOption*, void**, unsigned, void*, void**,
                                  unsigned) {
  return hipModuleLoadData(library, nullptr);
}
hipError_t hipLibraryUnload(hipModule_t library) { return hipModuleUnload(library); }
hipError_t hipLibraryGetKernel(hipFunction_t* kernel, hipModule_t library, char const* name) {
  return hipModuleGetFunction(kernel, library, name);
}
hipError_t hipLibraryEnumerateKernels(hipFunction_t* kernels, unsigned count, hipModule_t library) {
  return count == 0 ? done() : hipModuleGetFunction(kernels, library, "twice");
}
hipError_t hipKernelGetName(char const** name, hipFunction_t kernel) {
  *name = reinterpret_cast<std::string const*>(kernel)->c_str();
  return done();
}
hipError_t hipKernelGetFunction(hipFunction_t* function, hipFunction_t kernel) {
  *function = reinterpret_cast<hipFunction_t>(new std::string(*reinterpret_cast<std::string const*>(kernel)));
  return done();
}
hipError_t hipLibraryGetGlobal(void** memory, std::size_t* bytes, hipModule_t library, char const* name) {
  return hipModuleGetGlobal(memory, bytes, library, name);
}

hipError_t hipMalloc(void** memory, std::size_t bytes) {
  if (is_to_fail("hipMalloc")) return done(hipErrorOutOfMemory);
  constexpr std::size_t alignment = 256, fresh_bytes = 1 << 28;  // which come as zeros
  *memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (*memory != nullptr && bytes < fresh_bytes) std::memset(*memory, 0, bytes);
  return done(*memory == nullptr ? hipErrorOutOfMemory : hipSuccess);
}
hipError_t hipMallocManaged(void** memory, std::size_t bytes, unsigned) { return hipMalloc(memory, bytes); }
hipError_t hipMallocAsync(void** memory, std::size_t bytes, hipStream_t) { return hipMalloc(memory, bytes); }
hipError_t hipMallocFromPoolAsync(void** memory, std::size_t bytes, hipMemPool_t, hipStream_t) {
  return hipMalloc(memory, bytes);
}
hipError_t hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned) { return hipMalloc(memory, bytes); }
hipError_t hipMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  *pitch = (width + 255) / 256 * 256;
  return hipMalloc(memory, *pitch * height);
}
hipError_t hipMemAllocPitch(hipDeviceptr_t* memory, std::size_t* pitch, std::size_t width, std::size_t height,
                            unsigned) {
  return hipMallocPitch(memory, pitch, width, height);
}
hipError_t hipMalloc3D(hipPitchedPtr* made, hipExtent extent) {
  return hipMallocPitch(&made->ptr, &made->pitch, extent.width, extent.height * extent.depth);
}
hipError_t hipMemMap(void*, std::size_t, std::size_t, hipMemGenericAllocationHandle_t, unsigned long long) {
  return done();
}
hipError_t hipMemUnmap(void*, std::size_t) { return done(); }
hipError_t hipFree(void* memory) {
  std::free(memory);
  return done();
}
hipError_t hipFreeAsync(void* memory, hipStream_t) { return hipFree(memory); }
hipError_t hipMemcpy(void* to, void const* from, std::size_t bytes, hipMemcpyKind) {
  std::memmove(to, from, bytes);
  return done();
}
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(1, bytes);
  return done(*memory == nullptr ? hipErrorOutOfMemory : hipSuccess);
}
hipError_t hipMemcpyAsync(void* to, void const* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t) {
  if (is_to_fail("hipMemcpyAsync")) return done(hipErrorUnknown);
  return hipMemcpy(to, from, bytes, kind);
}
hipError_t hipMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return done();
}
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t) {
  return hipMemset(memory, value, bytes);
}

hipError_t hipDeviceSynchronize() {
  // A kernel without end.
  while (is_to_fail("hang")) ::pause();
  if (char const* const path = std::getenv("HIP_STAND_IN_WAITS")) std::ofstream(path, std::ios::app) << "device\n";
  return done(is_to_fail("hipDeviceSynchronize") ? hipErrorIllegalAddress : hipSuccess);
}
hipError_t hipDeviceReset() {
  std::lock_guard const lock(mutex);
  for (variable& each : variables()) each.memory.erase(current_device);
  return done();
}
// Addresses of its own functions, whatever stands before them.
hipError_t hipGetProcAddress(char const* name, void** function, int, std::uint64_t flags, void*) {
  Dl_info own{};
  if (::dladdr(&mutex, &own) == 0) return done(hipErrorUnknown);
  std::string const text = (flags & 2) != 0 ? std::string(name) + "_spt" : name;
  void* library = ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  *function = ::dlsym(library, text.c_str());
  if (*function == nullptr) *function = ::dlsym(library, name);
  return done(*function != nullptr ? hipSuccess : hipErrorNotFound);
}
hipError_t hipGetDriverEntryPoint(char const* name, void** function, unsigned long long flags, void* status) {
  return hipGetProcAddress(name, function, 0, flags, status);
}
hipError_t hipGetDriverEntryPoint_spt(char const* name, void** function, unsigned long long, void* status) {
  return hipGetProcAddress(name, function, 0, 2, status);
}
hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }
hipError_t hipPeekAtLastError() { return last_error; }
char const* hipGetErrorName(hipError_t) { return "an error"; }
char const* hipGetErrorString(hipError_t) { return "an error of the stand-in"; }
hipError_t hipGetDeviceCount(int* count) {
  *count = device_count();
  return done();
}
hipError_t hipGetDevice(int* device) {
  *device = current_device;
  return done();
}
hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= device_count()) return done(hipErrorInvalidDevice);
  current_device = device;
  return done();
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  if (device < 0 || device >= device_count()) return done(hipErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof(properties->name), "stand-in");
  std::snprintf(properties->gcnArchName, sizeof(properties->gcnArchName), "gfx90a");
  properties->warpSize = 64;
  properties->multiProcessorCount = 4;
  return done();
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  if (device < 0 || device >= device_count()) return done(hipErrorInvalidDevice);
  if (attribute == hipDeviceAttributeMultiprocessorCount) return *value = 4, done();
  if (attribute == hipDeviceAttributeWarpSize) return *value = 64, done();
  return done(hipErrorInvalidValue);
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = 50'200'000;
  return done();
}

hipError_t hipStreamCreateWithFlags(hipStream_t* made, unsigned) {
  *made = reinterpret_cast<hipStream_t>(new stream);
  return done();
}
hipError_t hipStreamDestroy(hipStream_t handle) {
  delete reinterpret_cast<stream*>(handle);
  return done();
}
hipError_t hipStreamSynchronize(hipStream_t) { return done(); }
// A graph is the kernels of a stream that captured them, one that can be launched the same graph.
hipError_t hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode) {
  reinterpret_cast<stream*>(handle)->capture = new graph;
  return done();
}
hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t* captured) {
  *captured = reinterpret_cast<hipGraph_t>(std::exchange(reinterpret_cast<stream*>(handle)->capture, nullptr));
  return done();
}
hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus* status) {
  *status = capture_of(handle) != nullptr ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  return done();
}
hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t from, hipGraphNode_t*, char*, std::size_t) {
  *exec = reinterpret_cast<hipGraphExec_t>(from);
  return done();
}
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t* exec, hipGraph_t from, void*) {
  return hipGraphInstantiate(exec, from, nullptr, nullptr, 0);
}
hipError_t hipGraphCreate(hipGraph_t* made, unsigned) {
  *made = reinterpret_cast<hipGraph_t>(new graph);
  return done();
}
hipError_t hipGraphAddKernelNode(hipGraphNode_t* made, hipGraph_t to, hipGraphNode_t const*, std::size_t,
                                 hipKernelNodeParams const* parameters) {
  std::lock_guard const lock(mutex);
  auto const known = kernels().find(parameters->func);
  if (known == kernels().end()) return done(hipErrorInvalidDeviceFunction);
  auto& nodes = *reinterpret_cast<graph*>(to);
  nodes.push_back({known->second, *parameters, first_of(parameters->kernelParams)});
  *made = reinterpret_cast<hipGraphNode_t>(&nodes.back());
  return done();
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t, hipGraphNode_t of, hipKernelNodeParams const* parameters) {
  reinterpret_cast<node*>(of)->parameters = *parameters;
  return done();
}
struct graph_node_parameters {
  hipGraphNodeType type;
  int reserved[3];
  hipKernelNodeParams kernel;
};
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t of, graph_node_parameters* parameters) {
  return hipGraphExecKernelNodeSetParams(exec, of, &parameters->kernel);
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t) {
  std::lock_guard const lock(mutex);
  for (node const& each : *reinterpret_cast<graph*>(exec))
    static_cast<void>(log_launch(each.name, each.parameters.gridDim, each.parameters.blockDim,
                                 each.parameters.sharedMemBytes, each.first));
  return done();
}
hipError_t hipGraphExecDestroy(hipGraphExec_t) { return done(); }
hipError_t hipGraphGetNodes(hipGraph_t of, hipGraphNode_t* nodes, std::size_t* count) {
  auto& all = *reinterpret_cast<graph*>(of);
  for (std::size_t i = 0; nodes != nullptr && i < all.size() && i < *count; ++i)
    nodes[i] = reinterpret_cast<hipGraphNode_t>(&all[i]);
  *count = all.size();
  return done();
}
hipError_t hipGraphNodeGetType(hipGraphNode_t, hipGraphNodeType* type) {
  *type = hipGraphNodeTypeKernel;
  return done();
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t of, hipKernelNodeParams* parameters) {
  *parameters = reinterpret_cast<node*>(of)->parameters;
  return done();
}
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t, hipGraph_t*) { return done(hipErrorInvalidValue); }
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode*) { return done(); }

hipError_t hipEventCreate(hipEvent_t* made) {
  *made = reinterpret_cast<hipEvent_t>(new double(0));
  return done();
}
hipError_t hipEventCreateWithFlags(hipEvent_t* made, unsigned) { return hipEventCreate(made); }
hipError_t hipEventDestroy(hipEvent_t event) {
  delete reinterpret_cast<double*>(event);
  return done();
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t) {
  *reinterpret_cast<double*>(event) = now_ms();
  return done();
}
hipError_t hipEventSynchronize(hipEvent_t) { return done(); }
hipError_t hipEventQuery(hipEvent_t) { return is_to_fail("hipEventQuery") ? hipErrorNotReady : hipSuccess; }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  *milliseconds = static_cast<float>(*reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(begin));
  return done();
}
}

// HIP 5.2 declares it as C++; the grid is told in threads.
hipError_t hipExtModuleLaunchKernel(hipFunction_t, std::uint32_t all_x, std::uint32_t all_y, std::uint32_t all_z,
                                    std::uint32_t block_x, std::uint32_t block_y, std::uint32_t block_z,
                                    std::size_t shared_bytes, hipStream_t, void**, void**, hipEvent_t, hipEvent_t,
                                    std::uint32_t) {
  std::lock_guard const lock(mutex);
  return log_launch("a_module_s_kernel", {all_x / block_x, all_y / block_y, all_z / block_z},
                    {block_x, block_y, block_z}, shared_bytes);
}
#pragma GCC visibility pop
