// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The Compute Sanitizer of the stand-in. STAND_IN_SANITIZER says what goes wrong: taken, refuses, no_patches,
// no_memory, no_module, no_reading, old_kinds. STAND_IN_USER_DATA names a file for what each launch was given. A build
// with STAND_IN_IS_OLD lacks a function.
#include <sanitizer_memory.h>
#include <sanitizer_patching.h>
#include <sanitizer_stream.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <pasta/instrument/patch_abi.hpp>
#include <string_view>

#include "gpu.hpp"

namespace {

bool goes_wrong(std::string_view what) {
  char const* const how = std::getenv("STAND_IN_SANITIZER");
  return how != nullptr && how == what;
}
std::string read_file(char const* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
bool is_there(void const* at, std::size_t bytes) {
  return fake::all().memory.has(reinterpret_cast<std::uint64_t>(at), bytes);
}

// Loading and patching wait for a lock that a launch in a stream of the program's holds.
void require_no_launch() {
  if (!fake::all().is_launching) return;
  std::fputs("the stand-in: patching while a launch begins would wait for ever\n", stderr);
  std::abort();
}

// Which function is for which kind of instruction, as the vendor's header numbers them.
struct kind {
  int instruction;
  std::string_view function;
};
constexpr kind kinds[] = {{1, "thread_enter"},
                          {2, "thread_exit"},
                          {3, "global_access"},
                          {4, "shared_access"},
                          {5, "local_access"},
                          {6, "barrier"},
                          {7, "warp_barrier"},
                          {9, "call"},
                          {13, "cuda_barrier"},
                          {14, "copy_async"},
                          {17, "remote_shared_access"},
                          {19, "matrix_access"},
                          {21, "cluster_barrier"},
                          {26, "async_store"},
                          {27, "async_reduction"},
                          {30, "bulk_global_to_shared"},
                          {32, "shared_set"},
                          {35, "bulk_shared_to_global"},
                          {36, "bulk_shared_to_shared"},
                          {37, "bulk_reduction_to_global"},
                          {38, "bulk_reduction_to_shared"}};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the vendor's names
extern "C" {

SanitizerResult sanitizerSubscribe(Sanitizer_SubscriberHandle* made, Sanitizer_CallbackFunc callback, void* data) {
  if (goes_wrong("taken")) return SANITIZER_ERROR_MAX_LIMIT_REACHED;
  if (goes_wrong("refuses")) return SANITIZER_ERROR_NOT_INITIALIZED;
  fake::all().listener = callback;
  fake::all().listener_data = data;
  *made = reinterpret_cast<Sanitizer_SubscriberHandle>(&fake::all());
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerEnableCallback(uint32_t enable, Sanitizer_SubscriberHandle, Sanitizer_CallbackDomain domain,
                                        Sanitizer_CallbackId id) {
  if (enable == 0) return SANITIZER_ERROR_INVALID_PARAMETER;
  fake::all().enabled.insert({domain, id});
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerGetResultString(SanitizerResult result, char const** text) {
  *text = result == SANITIZER_ERROR_OUT_OF_MEMORY       ? "out of memory"
          : result == SANITIZER_ERROR_NOT_INITIALIZED   ? "not initialized"
          : result == SANITIZER_ERROR_INVALID_PARAMETER ? "invalid parameter"
                                                        : "unknown error";
  return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerAddPatchesFromFile(char const* path, CUcontext context) {
  require_no_launch();
  std::string const file = read_file(path);
  if (goes_wrong("no_patches") || context != fake::context() || file.compare(0, 4, "\x50\xed\x55\xba") != 0)
    return SANITIZER_ERROR_INVALID_PARAMETER;
  // What the file has as machine code.
  fake::all().patches = read_file(std::getenv("STAND_IN_PATCHES"));
  return fake::all().patches.empty() ? SANITIZER_ERROR_INVALID_PARAMETER : SANITIZER_SUCCESS;
}
SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId const id, CUmodule module, char const* name) {
  using namespace pasta::detail;
  std::string const prefix = "pasta_patch_" + std::to_string(PASTA_PATCH_VERSION) + "_";
  if (goes_wrong("old_kinds") && id >= SANITIZER_INSTRUCTION_ASYNC_STORE) return SANITIZER_ERROR_INVALID_PARAMETER;
  if (std::string_view(name).substr(0, prefix.size()) != prefix) return SANITIZER_ERROR_INVALID_PARAMETER;
  if (fake::all().patches.find(std::string(name) + "(") == std::string::npos) return SANITIZER_ERROR_INVALID_PARAMETER;
  std::string_view const function = std::string_view(name).substr(prefix.size());
  for (kind const& each : kinds) {
    if (each.instruction != id || each.function != function) continue;
    for (std::size_t i = 0; i < patch_function_count; ++i) {
      auto const which = static_cast<patch_function>(i);
      if (to_string(which) == function) reinterpret_cast<fake::module*>(module)->wanted |= patch_bit(which);
    }
    return SANITIZER_SUCCESS;
  }
  return SANITIZER_ERROR_INVALID_PARAMETER;
}
SanitizerResult sanitizerPatchModule(CUmodule module) {
  require_no_launch();
  if (goes_wrong("no_module")) return SANITIZER_ERROR_INVALID_PARAMETER;
  auto& patched = *reinterpret_cast<fake::module*>(module);
  patched.patched = patched.wanted;
  return SANITIZER_SUCCESS;
}
#ifndef STAND_IN_IS_OLD
SanitizerResult sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle launch, CUfunction, Sanitizer_StreamHandle,
                                               void const* data) {
  auto const word = reinterpret_cast<std::uint64_t>(data);
  reinterpret_cast<fake::launch*>(launch)->user_data = word;
  if (char const* const told = std::getenv("STAND_IN_USER_DATA"))
    std::ofstream(told, std::ios::app) << (pasta::detail::code_rows{word}.exist() ? "rows\n" : "state\n");
  return SANITIZER_SUCCESS;
}
#endif
SanitizerResult sanitizerGetFunctionPcAndSize(CUmodule module, char const* name, uint64_t* begin, uint64_t* size) {
  for (fake::function const& each : reinterpret_cast<fake::module*>(module)->functions) {
    if (each.name != name) continue;
    *begin = each.begin;
    *size = each.size;
    return SANITIZER_SUCCESS;
  }
  return SANITIZER_ERROR_INVALID_PARAMETER;
}

SanitizerResult sanitizerAlloc(CUcontext, void** made, size_t size) {
  if (goes_wrong("no_memory")) return SANITIZER_ERROR_OUT_OF_MEMORY;
  *made = reinterpret_cast<void*>(fake::all().memory.allocate(size));
  std::memset(*made, 0xa5, size);  // as it comes
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerFree(CUcontext, void* memory) {
  return fake::all().memory.free(reinterpret_cast<std::uint64_t>(memory)) ? SANITIZER_SUCCESS
                                                                          : SANITIZER_ERROR_INVALID_PARAMETER;
}
SanitizerResult sanitizerMemset(void* at, int value, size_t count, Sanitizer_StreamHandle) {
  if (!is_there(at, count)) return SANITIZER_ERROR_ADDRESS_NOT_IN_DEVICE_MEMORY;
  std::memset(at, value, count);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerMemcpyHostToDeviceAsync(void* to, void* from, size_t count, Sanitizer_StreamHandle) {
  if (!is_there(to, count)) return SANITIZER_ERROR_ADDRESS_NOT_IN_DEVICE_MEMORY;
  std::memcpy(to, from, count);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerMemcpyDeviceToHost(void* to, void* from, size_t count, Sanitizer_StreamHandle) {
  if (goes_wrong("no_reading") || fake::all().error != CUDA_SUCCESS) return SANITIZER_ERROR_UNKNOWN;
  if (!is_there(from, count)) return SANITIZER_ERROR_ADDRESS_NOT_IN_DEVICE_MEMORY;
  std::memcpy(to, from, count);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerStreamSynchronize(Sanitizer_StreamHandle) { return SANITIZER_SUCCESS; }
SanitizerResult sanitizerGetStreamHandle(CUcontext, CUstream, Sanitizer_StreamHandle* handle) {
  *handle = reinterpret_cast<Sanitizer_StreamHandle>(&fake::all());
  return SANITIZER_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
