// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions by which modules come and go, in front of the runtime's own; and those by which a program
// whose kernels are functions of its own tells of them. All may be called before main.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include <cstdint>

#include "follow_module.hpp"
#include "next_call.hpp"

namespace {

using namespace pasta::hip_runtime;
constexpr auto from_module = module_record::origin::loaded;

/// What hipcc makes the program register.
struct fat_binary {
  std::uint32_t magic, version;
  void const* image;
  void const* unused;
};
constexpr std::uint32_t fat_binary_magic = 0x48495046;  // "HIPF"

void add_loaded(hipError_t result, hipModule_t const* module, void const* image) {
  if (result == hipSuccess && image != nullptr)
    remember([&](module_list& all) { all.add_loaded(from_module, *module, image); });
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

void** __hipRegisterFatBinary(void const* data) {
  static constinit next_function next("__hipRegisterFatBinary");
  void** const handle = next.call(static_cast<void**>(nullptr), data);
  auto const* const binary = static_cast<fat_binary const*>(data);
  if (handle != nullptr && binary != nullptr && binary->magic == fat_binary_magic && binary->image != nullptr)
    remember([&](module_list& all) { all.add_registered(handle, binary->image); });
  return handle;
}
void __hipUnregisterFatBinary(void** handle) {
  remember([&](module_list& all) { let_go(all.registered_gone(handle)); });
  static constinit next_function next("__hipUnregisterFatBinary");
  next.call_plain(handle);
}
void __hipRegisterFunction(void** handle, void const* function, char* device_function, char const* name,
                           unsigned thread_limit, void* thread, void* block, void* block_size, void* grid_size,
                           int* wave_size) {
  static constinit next_function next("__hipRegisterFunction");
  next.call_plain(handle, function, device_function, name, thread_limit, thread, block, block_size, grid_size,
                  wave_size);
  if (name != nullptr) remember([&](module_list& all) { all.add_registered_kernel(handle, function, name); });
}

hipError_t hipModuleLoad(hipModule_t* module, char const* path) {
  followed_call const own;
  hipError_t const result = PASTA_DETAIL_NEXT(hipModuleLoad, module, path);
  if (result == hipSuccess && path != nullptr && own.is_outermost()) add_file(from_module, *module, path);
  return result;
}
hipError_t hipModuleLoadData(hipModule_t* module, void const* image) {
  followed_call const own;
  hipError_t const result = PASTA_DETAIL_NEXT(hipModuleLoadData, module, image);
  if (own.is_outermost()) add_loaded(result, module, image);
  return result;
}
hipError_t hipModuleLoadDataEx(hipModule_t* module, void const* image, unsigned count, hipJitOption* options,
                               void** values) {
  followed_call const own;
  hipError_t const result = PASTA_DETAIL_NEXT(hipModuleLoadDataEx, module, image, count, options, values);
  if (own.is_outermost()) add_loaded(result, module, image);
  return result;
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, char const* name) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipModuleGetFunction, function, module, name);
  if (result == hipSuccess && name != nullptr)
    remember([&](module_list& all) { all.add_loaded_kernel(from_module, module, *function, name); });
  return result;
}
hipError_t hipModuleUnload(hipModule_t module) {
  remember([&](module_list& all) { let_go(all.loaded_gone(from_module, module)); });
  return PASTA_DETAIL_NEXT(hipModuleUnload, module);
}

/// A module whose kernels are functions of the program, which run on the host: an emulated GPU's.
/// @param state a module_state (pasta/instrument/ptx/module_state.hpp), all zeros @param table its site table
void pasta_hip_add_module(void* state, char const* table, std::uint64_t table_bytes) {
  remember([&](module_list& all) { all.add_program_state(state, {table, table_bytes}); });
}
/// One of its kernels. @param function as hipLaunchKernel gets it @param name as in the table
void pasta_hip_add_kernel(void const* function, char const* name) {
  remember([&](module_list& all) { all.add_program_kernel(function, name); });
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
