// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "gpu.hpp"
#include "launch.hpp"
#include "patched_text.hpp"
#include "program.hpp"

namespace fake {

gpu& all() {
  static gpu* const one = new gpu;  // also behind main's end
  return *one;
}

namespace {

std::string read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

module* module_of(CUmodule given) {
  auto* const found = reinterpret_cast<module*>(given);
  return found != nullptr && found->is_loaded ? found : nullptr;
}

Sanitizer_ResourceModuleData about(module& what) {
  Sanitizer_ResourceModuleData data{};
  data.context = context();
  data.module = reinterpret_cast<CUmodule>(&what);
  data.cubinSize = what.image.size();
  data.pCubin = what.image.data();
  return data;
}

std::uint64_t address_of(module const& in, pasta::ptx::statement const& at) {
  function const& of = in.functions[at.function];
  static bool const is_offset = std::getenv("STAND_IN_OFFSETS") != nullptr;
  return (is_offset ? 0 : of.begin) + std::uint64_t{at.line - of.first_line} * 16;
}

}  // namespace
}  // namespace fake

// NOLINTBEGIN(readability-identifier-naming): the driver's names
extern "C" {

CUresult CUDAAPI cuInit(unsigned) {
  static bool const is_started = [] {
    char const* const path = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
    auto const start = library == nullptr ? nullptr : ::dlsym(library, "InitializeInjection");
    if (start != nullptr) reinterpret_cast<int (*)()>(start)();
    return true;
  }();
  return is_started ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetName(char* name, int size, CUdevice) {
  std::strncpy(name, "Interpreter", static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorString(CUresult error, char const** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "some error";
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice device) {
  *made = fake::context();
  if (fake::all().has_context) return CUDA_SUCCESS;
  fake::all().has_context = true;
  Sanitizer_ResourceContextData const data{fake::context(), device};
  fake::all().tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED, &data);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device) {
  Sanitizer_ResourceContextData const data{fake::context(), device};
  fake::all().tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
  fake::all().has_context = false;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuCtxPopCurrent(CUcontext*) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuCtxSynchronize() {
  std::lock_guard const lock(fake::all().mutex);
  if (fake::all().error != CUDA_SUCCESS) return fake::all().error;
  Sanitizer_SynchronizeData data{};
  data.context = fake::context();
  fake::all().tell(SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, &data);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemAlloc(CUdeviceptr* made, std::size_t bytes) {
  *made = fake::all().memory.allocate(bytes);
  Sanitizer_ResourceMemoryData data{};
  data.address = *made;
  data.size = bytes;
  fake::all().tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, &data);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  Sanitizer_ResourceMemoryData data{};
  data.address = address;
  fake::all().memory.free(address);
  fake::all().tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, &data);
  return CUDA_SUCCESS;
}
// `path` is PTX; beside it may be an ELF file of the same name with `.elf` behind it.
CUresult CUDAAPI cuModuleLoad(CUmodule* made, char const* path) {
  std::lock_guard const lock(fake::all().mutex);
  fake::module& loaded = fake::all().modules.emplace_back();
  loaded.text = fake::read_file(path);
  loaded.image = fake::read_file(std::string(path) + ".elf");
  loaded.parsed = pasta::ptx::read(loaded.text);
  std::uint64_t begin = 0x100000000 + fake::all().modules.size() * 0x1000000;
  for (std::size_t i = 0; i < loaded.parsed.functions.size(); ++i) {
    fake::function& made_function = loaded.functions.emplace_back();
    made_function.of = &loaded;
    made_function.name = loaded.parsed.functions[i].name;
    made_function.begin = begin;
    std::uint32_t last = 0;
    for (pasta::ptx::statement const& each : loaded.parsed.statements) {
      if (each.function != i) continue;
      if (made_function.first_line == 0) made_function.first_line = each.line;
      last = each.line;
    }
    made_function.size = std::uint64_t{last - made_function.first_line + 1} * 16;
    begin += (made_function.size + 0x7f) / 0x80 * 0x80;
  }
  *made = reinterpret_cast<CUmodule>(&loaded);
  Sanitizer_ResourceModuleData const data = fake::about(loaded);
  fake::all().tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &data);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleUnload(CUmodule given) {
  fake::module* const found = fake::module_of(given);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Sanitizer_ResourceModuleData const data = fake::about(*found);
  fake::all().tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &data);
  found->is_loaded = false;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction* found, CUmodule given, char const* name) {
  fake::module* const in = fake::module_of(given);
  if (in == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (fake::function& each : in->functions) {
    if (each.name != name) continue;
    *found = reinterpret_cast<CUfunction>(&each);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction given, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                unsigned block_y, unsigned block_z, unsigned, CUstream, void** arguments, void**) {
  std::lock_guard const lock(fake::all().mutex);
  if (fake::all().error != CUDA_SUCCESS) return fake::all().error;
  auto const& function = *reinterpret_cast<fake::function const*>(given);
  fake::launch launch;
  Sanitizer_LaunchData data{};
  data.context = fake::context();
  data.module = reinterpret_cast<CUmodule>(function.of);
  data.function = given;
  data.functionName = function.name.c_str();
  data.gridDim_x = grid_x, data.gridDim_y = grid_y, data.gridDim_z = grid_z;
  data.blockDim_x = block_x, data.blockDim_y = block_y, data.blockDim_z = block_z;
  data.hLaunch = reinterpret_cast<Sanitizer_LaunchHandle>(&launch);
  fake::all().is_launching = true;
  fake::all().tell(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
  fake::all().is_launching = false;

  fake::module const& in = *function.of;
  std::string const text =
      in.patched == 0
          ? in.text
          : pasta_test::patched_text::make(in.parsed, in.patched, launch.user_data, fake::all().patches,
                                           [&](pasta::ptx::statement const& at) { return fake::address_of(in, at); });
  ptx_emulation::program const program(text, fake::all().memory);
  ptx_emulation::launch_shape shape;
  shape.grid = {grid_x, grid_y, grid_z};
  shape.block = {block_x, block_y, block_z};
  std::byte parameters[12];
  std::memcpy(parameters, arguments[0], 8);
  std::memcpy(parameters + 8, arguments[1], 4);
  try {
    ptx_emulation::launch(program, *program.find_kernel(function.name), shape, parameters, fake::all().memory, {});
  } catch (ptx_emulation::kernel_fault const&) {
    fake::all().error = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  ++fake::all().launches;
  fake::all().tell(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
  return CUDA_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
