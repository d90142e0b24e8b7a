// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// CUDA's driver API on the interpreter: what the programs of tests/gpu call. One device, one context; a launch has run
// when cuLaunchKernel returns, and what went wrong in it is told by the next call that waits, and by all that follow.
#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver.hpp"
#include "launch.hpp"

// What the handles of cuda.h point to. CUstream is null or this.
struct CUmod_st {
  CUmod_st(char const* text, ptx_emulation::device_memory& memory) : program(text, memory) {}
  ptx_emulation::program program;
  std::map<ptx_emulation::code const*, std::unique_ptr<CUfunc_st>> functions;
};
struct CUfunc_st {
  CUmod_st* module;
  ptx_emulation::code const* code;
};
struct CUctx_st {};
struct CUstream_st {};

namespace {

using namespace ptx_emulation;

struct stand_in {
  device_memory memory;
  CUctx_st context;
  CUcontext current = nullptr;
  CUresult broken = CUDA_SUCCESS;  // by a kernel; the context is of no use then
  std::uint64_t launches = 0;
};
stand_in& state() {
  static stand_in only;
  return only;
}

CUresult ready() { return state().current == nullptr ? CUDA_ERROR_INVALID_CONTEXT : state().broken; }
CUresult ready_for(std::uint64_t address, std::size_t bytes) {
  if (CUresult const status = ready(); status != CUDA_SUCCESS) return status;
  return bytes == 0 || state().memory.has(address, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
void* host(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult code_of(kernel_fault const& fault) {
  switch (fault.kind) {
    case fault_kind::illegal_address:
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case fault_kind::misaligned_address:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case fault_kind::illegal_instruction:
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case fault_kind::trap:
      return CUDA_ERROR_LAUNCH_FAILED;
    default:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
  }
}

}  // namespace

ptx_emulation::launch_options& stand_in_options() {
  static launch_options options = [] {
    launch_options made;
    if (char const* const seed = std::getenv("PASTA_EMULATION_SEED")) made.seed = std::strtoull(seed, nullptr, 10);
    return made;
  }();
  return options;
}
void mend_stand_in() { state().broken = CUDA_SUCCESS; }

extern "C" {

CUresult CUDAAPI cuInit(unsigned flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = &state().context;
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  state().current = context;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetCurrent(CUcontext* context) {
  *context = state().current;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxSynchronize() { return ready(); }

CUresult CUDAAPI cuGetErrorName(CUresult error, char const** name) {
  constexpr std::pair<CUresult, char const*> all[] = {
      {CUDA_SUCCESS, "CUDA_SUCCESS"},
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"}};
  for (auto const& [known, text] : all) {
    *name = text;
    if (known == error) return CUDA_SUCCESS;
  }
  *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult CUDAAPI cuGetErrorString(CUresult error, char const** text) { return cuGetErrorName(error, text); }

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, void const* image, unsigned count, CUjit_option* options,
                                    void** values) {
  if (CUresult const status = ready(); status != CUDA_SUCCESS) return status;
  try {
    *module = new CUmod_st(static_cast<char const*>(image), state().memory);
    return CUDA_SUCCESS;
  } catch (unknown_code const& error) {
    std::fprintf(stderr, "the stand-in for CUDA's driver refuses the PTX: %s\n", error.what());
    char* log = nullptr;
    std::size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = reinterpret_cast<std::size_t>(values[i]);
    }
    if (log != nullptr && size > 0) std::snprintf(log, size, "%s", error.what());
    return CUDA_ERROR_INVALID_PTX;
  }
}
CUresult CUDAAPI cuModuleLoadData(CUmodule* module, void const* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  delete module;
  return ready();
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule module, char const* name) {
  code const* const found = module->program.find_kernel(name);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  std::unique_ptr<CUfunc_st>& made = module->functions[found];
  if (!made) made = std::make_unique<CUfunc_st>(CUfunc_st{module, found});
  *function = made.get();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, char const* name) {
  symbol const* const found = module->program.find_variable(name);
  if (found == nullptr) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = found->address;
  if (bytes != nullptr) *bytes = found->bytes;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (CUresult const status = ready(); status != CUDA_SUCCESS) return status;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  try {
    *address = state().memory.allocate(bytes);
    return CUDA_SUCCESS;
  } catch (std::bad_alloc const&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  if (address != 0 && !state().memory.free(address)) return CUDA_ERROR_INVALID_VALUE;
  return ready();
}
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, void const* from, std::size_t bytes) {
  CUresult const status = ready_for(to, bytes);
  if (status == CUDA_SUCCESS) std::memcpy(host(to), from, bytes);
  return status;
}
CUresult CUDAAPI cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  CUresult const status = ready_for(from, bytes);
  if (status == CUDA_SUCCESS) std::memcpy(to, host(from), bytes);
  return status;
}
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  CUresult const status = std::max(ready_for(from, bytes), ready_for(to, bytes));
  if (status == CUDA_SUCCESS) std::memmove(host(to), host(from), bytes);
  return status;
}
CUresult CUDAAPI cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  CUresult const status = ready_for(to, bytes);
  if (status == CUDA_SUCCESS) std::memset(host(to), value, bytes);
  return status;
}
CUresult CUDAAPI cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t words) {
  CUresult const status = ready_for(to, words * sizeof value);
  if (status == CUDA_SUCCESS) std::fill_n(static_cast<unsigned*>(host(to)), words, value);
  return status;
}

CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned) {
  *stream = new CUstream_st;
  return ready();
}
CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  delete stream;
  return ready();
}
CUresult CUDAAPI cuStreamSynchronize(CUstream) { return ready(); }

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream,
                                void** parameters, void** extra) {
  if (CUresult const status = ready(); status != CUDA_SUCCESS) return status;
  launch_shape const shape{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  std::uint64_t const threads = std::uint64_t{block_x} * block_y * block_z;
  bool const is_possible = threads > 0 && threads <= 1024 && std::uint64_t{grid_x} * grid_y * grid_z > 0 &&
                           shared_bytes <= 227 * 1024 && extra == nullptr;
  if (!is_possible) return CUDA_ERROR_INVALID_VALUE;
  code const& kernel = *function->code;
  std::vector<std::byte> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(&bytes[kernel.parameters[i].offset], parameters[i], kernel.parameters[i].bytes);
  launch_options options = stand_in_options();
  options.seed += state().launches;
  options.grid_id = ++state().launches;
  try {
    launch(function->module->program, kernel, shape, bytes, state().memory, options);
  } catch (kernel_fault const& fault) {
    std::fprintf(stderr, "the kernel %s: %s\n", std::string(kernel.name).c_str(), fault.what());
    state().broken = code_of(fault);
  }
  return CUDA_SUCCESS;
}

}  // extern "C"
