// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A stand-in for the Compute Sanitizer beside that of CUPTI: patches are not run, their memory is written as those of
// access_count do. FAKE_SANITIZER says what goes wrong: taken, no_module. A build with FAKE_SANITIZER_IS_OLD lacks a
// function.
#include <sanitizer_callbacks.h>
#include <sanitizer_memory.h>
#include <sanitizer_patching.h>
#include <sanitizer_result.h>
#include <sanitizer_stream.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/patch_abi.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "fake_driver.hpp"

namespace {

using pasta::detail::patch_site;
using pasta::detail::patch_state;

Sanitizer_CallbackFunc callback = nullptr;
void* callback_data = nullptr;
std::set<std::pair<int, std::uint32_t>> enabled;
std::set<fake::module*> wanted, patched;

struct launch {
  std::uint64_t given = 0;
};

bool goes_wrong(std::string_view what) {
  char const* const how = std::getenv("FAKE_SANITIZER");
  return how != nullptr && how == what;
}
void tell(Sanitizer_CallbackDomain domain, std::uint32_t id, void const* data) {
  if (callback != nullptr && enabled.count({domain, id}) != 0) callback(callback_data, domain, id, data);
}
// As if its functions lay one behind the other.
std::uint64_t address_of(fake::function const& which) { return reinterpret_cast<std::uint64_t>(&which) << 8; }

class teller final : public fake::observer {
 public:
  void context_made(fake::context& made) override {
    Sanitizer_ResourceContextData const data{reinterpret_cast<CUcontext>(&made), made.device};
    tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED, &data);
  }
  void context_ends(fake::context& gone) override {
    Sanitizer_ResourceContextData const data{reinterpret_cast<CUcontext>(&gone), gone.device};
    tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
  }
  void module_loaded(fake::module& made, char const* image) override {
    Sanitizer_ResourceModuleData const data = about(made, image);
    tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED, &data);
  }
  void module_ends(fake::module& gone) override {
    Sanitizer_ResourceModuleData const data = about(gone, nullptr);
    tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING, &data);
  }
  std::uint64_t launch_begins(fake::function& what, bool is_node) override {
    launch made;
    Sanitizer_GraphNodeLaunchData node{};
    Sanitizer_LaunchData& data = node.launchData;
    data.context = reinterpret_cast<CUcontext>(what.of->in);
    data.module = reinterpret_cast<CUmodule>(what.of);
    data.function = reinterpret_cast<CUfunction>(&what);
    data.functionName = what.name.c_str();
    data.gridDim_x = data.gridDim_y = data.gridDim_z = data.blockDim_y = data.blockDim_z = 1;
    data.blockDim_x = 32;
    data.hLaunch = reinterpret_cast<Sanitizer_LaunchHandle>(&made);
    node.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
    if (is_node) {
      tell(SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, &node);
    } else {
      tell(SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    }
    return made.given;
  }
  void has_waited(fake::context& in) override {
    Sanitizer_SynchronizeData data{};
    data.context = reinterpret_cast<CUcontext>(&in);
    tell(SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, &data);
  }
  void loads(fake::function& by, std::uint64_t given, std::uint64_t offset, std::uint64_t lanes) override {
    if (patched.count(by.of) == 0 || given == 0) return;
    auto const& state = *reinterpret_cast<patch_state const*>(given);
    auto* const sites = reinterpret_cast<patch_site*>(state.sites);
    std::uint64_t const address = address_of(by) + offset,
                        about = pasta::detail::patch_about(state.kernel, pasta::operation::load,
                                                           static_cast<std::uint32_t>(pasta::memory_space::global), 4);
    std::uint32_t place = pasta::detail::patch_place(address, state.kernel, state.place_shift);
    while (sites[place].about != 0 && (sites[place].about != about || sites[place].address != address))
      place = (place + 1) & (state.places() - 1);
    sites[place] = {address, about};
    constexpr std::size_t row_bytes = 8;  // of access_count
    *reinterpret_cast<std::uint64_t*>(state.site_shards + place * row_bytes) += lanes;
  }
  void touches(fake::function& by, std::uint64_t given, std::size_t word, std::uint64_t address,
               std::uint64_t bytes) override {
    if (patched.count(by.of) == 0 || given == 0) return;
    auto const& state = *reinterpret_cast<patch_state const*>(given);
    auto const* const view = *reinterpret_cast<pasta::detail::shadow_view const* const*>(state.function_shared + word);
    if (view != nullptr) pasta::detail::update_shadow(*view, 1, address, bytes);
  }
  void memory_made(fake::context& in, std::uint64_t address, std::uint64_t bytes) override {
    Sanitizer_ResourceMemoryData const data = about(in, address, bytes);
    tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, &data);
  }
  void memory_ends(fake::context& in, std::uint64_t address) override {
    Sanitizer_ResourceMemoryData const data = about(in, address, 0);
    tell(SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE, &data);
  }

 private:
  static Sanitizer_ResourceMemoryData about(fake::context& in, std::uint64_t address, std::uint64_t bytes) {
    Sanitizer_ResourceMemoryData data{};
    data.context = reinterpret_cast<CUcontext>(&in);
    data.device = in.device;
    data.address = address;
    data.size = bytes;
    return data;
  }
  static Sanitizer_ResourceModuleData about(fake::module& what, char const* image) {
    Sanitizer_ResourceModuleData data{};
    data.context = reinterpret_cast<CUcontext>(what.in);
    data.module = reinterpret_cast<CUmodule>(&what);
    data.cubinSize = image == nullptr ? 0 : fake::image_bytes(image);
    data.pCubin = const_cast<char*>(image);
    return data;
  }
};

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the vendor's names
extern "C" {

SanitizerResult sanitizerSubscribe(Sanitizer_SubscriberHandle* made, Sanitizer_CallbackFunc wanted_callback,
                                   void* data) {
  if (goes_wrong("taken")) return SANITIZER_ERROR_MAX_LIMIT_REACHED;
  static teller one;
  callback = wanted_callback;
  callback_data = data;
  fake::all.observer = &one;
  *made = reinterpret_cast<Sanitizer_SubscriberHandle>(&one);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerEnableCallback(uint32_t, Sanitizer_SubscriberHandle, Sanitizer_CallbackDomain domain,
                                        Sanitizer_CallbackId id) {
  enabled.insert({domain, id});
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerGetResultString(SanitizerResult, char const** text) {
  *text = "some error";
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerAddPatchesFromFile(char const*, CUcontext) { return SANITIZER_SUCCESS; }
SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId const, CUmodule module, char const*) {
  wanted.insert(reinterpret_cast<fake::module*>(module));
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerPatchModule(CUmodule module) {
  if (goes_wrong("no_module")) return SANITIZER_ERROR_INVALID_PARAMETER;
  auto* const given = reinterpret_cast<fake::module*>(module);
  for (auto const& [name, bytes] : given->variables) {
    if (name.rfind("pasta_state_", 0) != 0) continue;
    std::fputs("the stand-in: a module with counters is patched\n", stderr);
    std::abort();
  }
  if (wanted.count(given) != 0) patched.insert(given);
  return SANITIZER_SUCCESS;
}
#ifndef FAKE_SANITIZER_IS_OLD
SanitizerResult sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle handle, CUfunction, Sanitizer_StreamHandle,
                                               void const* data) {
  reinterpret_cast<launch*>(handle)->given = reinterpret_cast<std::uint64_t>(data);
  return SANITIZER_SUCCESS;
}
#endif
SanitizerResult sanitizerGetFunctionPcAndSize(CUmodule module, char const* name, uint64_t* begin, uint64_t* size) {
  fake::function* const found = fake::find_function(reinterpret_cast<fake::module*>(module), name);
  if (found == nullptr) return SANITIZER_ERROR_INVALID_PARAMETER;
  *begin = address_of(*found);
  *size = 256;
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerAlloc(CUcontext, void** made, size_t size) {
  // As the vendor's does, by a call of the driver that CUPTI may tell of.
  CUdeviceptr memory = 0;
  fake::all.free_bytes += size;
  if (cuMemAlloc(&memory, size) != CUDA_SUCCESS) return SANITIZER_ERROR_OUT_OF_MEMORY;
  *made = reinterpret_cast<void*>(memory);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerFree(CUcontext, void*) { return SANITIZER_SUCCESS; }
SanitizerResult sanitizerMemset(void* at, int value, size_t count, Sanitizer_StreamHandle) {
  std::memset(at, value, count);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerMemcpyHostToDeviceAsync(void* to, void* from, size_t count, Sanitizer_StreamHandle) {
  std::memcpy(to, from, count);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerMemcpyDeviceToHost(void* to, void* from, size_t count, Sanitizer_StreamHandle) {
  if (fake::here() != nullptr && fake::here()->error != CUDA_SUCCESS) return SANITIZER_ERROR_UNKNOWN;
  std::memcpy(to, from, count);
  return SANITIZER_SUCCESS;
}
SanitizerResult sanitizerStreamSynchronize(Sanitizer_StreamHandle) { return SANITIZER_SUCCESS; }
SanitizerResult sanitizerGetStreamHandle(CUcontext, CUstream, Sanitizer_StreamHandle* handle) {
  *handle = reinterpret_cast<Sanitizer_StreamHandle>(&fake::all);
  return SANITIZER_SUCCESS;
}
}
// NOLINTEND(readability-identifier-naming)
