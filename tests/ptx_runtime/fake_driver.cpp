// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "fake_driver.hpp"

#include <call_parameters.hpp>
#include <watched_calls.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace fake {

driver all;
thread_local std::vector<fake::context*> current;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

call::call(CUpti_CallbackId id, char const* name, void const* parameters, char const* symbol) : id_(id) {
  data_.functionName = name;
  data_.functionParams = parameters;
  data_.symbolName = symbol;
  data_.callbackSite = CUPTI_API_ENTER;
  data_.correlationData = &correlation_;
  data_.functionReturnValue = &result_;
  data_.context = reinterpret_cast<CUcontext>(here());
  data_.contextUid = here() == nullptr ? 0 : here()->uid;
  tell();
}
call::~call() {
  data_.callbackSite = CUPTI_API_EXIT;
  tell();
}
void call::tell() {
  if (all.listener == nullptr) return;
  if (!all.is_timing) return all.listener(CUPTI_CB_DOMAIN_DRIVER_API, id_, &data_);
  stopwatch const watch(all.listening_ns);
  all.listener(CUPTI_CB_DOMAIN_DRIVER_API, id_, &data_);
}

namespace {

void tell_of_destruction(fake::context* context) {
  CUpti_ResourceData data{};
  data.context = reinterpret_cast<CUcontext>(context);
  if (all.listener != nullptr)
    all.listener(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
}

void destroy(fake::context* context) {
  tell_of_destruction(context);
  if (all.observer != nullptr) all.observer->context_ends(*context);
  context->is_destroyed = true;
  std::erase_if(all.queue, [&](work const& each) { return each.in == context; });
}

bool is_dead(fake::context const* context) { return context == nullptr || context->is_destroyed; }

// The allocation that the address is in.
unsigned char* at(CUdeviceptr address, std::size_t bytes) {
  auto const after = all.memory.upper_bound(address);
  if (after != all.memory.begin()) {
    auto& [begin, block] = *std::prev(after);
    if (address - begin + bytes <= block.size()) return reinterpret_cast<unsigned char*>(address);
  }
  for (fake::module& module : all.modules) {
    for (auto& [name, block] : module.variables) {
      auto const begin = reinterpret_cast<CUdeviceptr>(block.data());
      if (address >= begin && address - begin + bytes <= block.size()) return reinterpret_cast<unsigned char*>(address);
    }
  }
  return nullptr;
}

CUresult usable() {
  if (is_dead(here())) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (here()->error != CUDA_SUCCESS) return here()->error;
  return is_forbidden() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

}  // namespace
}  // namespace fake

using namespace fake;

extern "C" {

void fake_set_listener(void (*listener)(CUpti_CallbackDomain, CUpti_CallbackId, void const*)) {
  all.listener = listener;
}
void fake_set_free_bytes(std::size_t bytes) { all.free_bytes = bytes; }
int fake_context_waits() { return all.context_waits; }
std::int64_t fake_listening_ns() {
  all.is_timing = true;  // one thread
  return std::exchange(all.listening_ns, 0) - std::exchange(all.ordering_ns, 0);
}
int fake_writes() { return all.writes; }
void fake_begin(CUstream on) { begin_in_stream(stream_of(on)); }
void fake_run(CUstream on, int kernels) { run_stream(stream_of(on), kernels); }

CUresult cuInit(unsigned) {
  static bool const is_done = [] {
    char const* const path = std::getenv("CUDA_INJECTION64_PATH");
    if (path == nullptr) return true;
    void* const library = ::dlopen(path, RTLD_NOW);
    if (library == nullptr) std::fprintf(stderr, "fake driver: %s\n", ::dlerror());
    auto const start = library == nullptr ? nullptr : ::dlsym(library, "InitializeInjection");
    if (start != nullptr) reinterpret_cast<int (*)()>(start)();
    return true;
  }();
  return is_done ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
CUresult fake_context_create(CUcontext* made) {
  std::lock_guard const lock(all.mutex);
  fake::context& context = all.contexts.emplace_back();
  context.kind = kind::context;
  context.uid = ++all.last_uid;
  if (all.observer != nullptr) all.observer->context_made(context);
  *made = reinterpret_cast<CUcontext>(&context);
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current.assign(1, as<fake::context>(context, kind::context));
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  auto* const pushed = as<fake::context>(context, kind::context);
  if (is_dead(pushed)) return CUDA_ERROR_INVALID_CONTEXT;
  current.push_back(pushed);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = reinterpret_cast<CUcontext>(current.back());
  current.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = here() == nullptr ? 0 : here()->device;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  call told(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", nullptr);
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return told(result);
  ++all.context_waits;
  CUresult const result = run_queue(here());
  if (all.observer != nullptr && result == CUDA_SUCCESS) all.observer->has_waited(*here());
  return told(result);
}
int fake_runtime_synchronize() {
  CUpti_CallbackData data{};
  int result = 0;
  data.functionName = "cudaDeviceSynchronize";
  data.functionReturnValue = &result;
  data.contextUid = here()->uid;
  data.callbackSite = CUPTI_API_ENTER;
  auto const tell = [&] {
    if (all.listener != nullptr)
      all.listener(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, &data);
  };
  tell();
  {
    call told(pasta::ptx::context_synchronize_v2, "cuCtxSynchronize_v2", nullptr);  // as the runtime of CUDA 13 does
    result = told(run_queue(here()));
  }
  data.callbackSite = CUPTI_API_EXIT;
  tell();
  return result;
}
CUresult cuCtxDestroy(CUcontext context) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2, "cuCtxDestroy_v2", &context);
  auto* const gone = as<fake::context>(context, kind::context);
  if (is_dead(gone)) return told(CUDA_ERROR_INVALID_CONTEXT);
  destroy(gone);
  return told(CUDA_SUCCESS);
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2, "cuDevicePrimaryCtxReset_v2", &device);
  for (fake::context& each : all.contexts) {
    if (each.device == device && !each.is_destroyed) destroy(&each);
  }
  return told(CUDA_SUCCESS);
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute asked, CUdevice) {
  *value = 6;  // multiprocessors: eight shards
  if (asked == CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) *value = std::getenv("FAKE_NO_WRITES") == nullptr;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "a stand-in");
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, char const** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "an error";
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* made, std::size_t bytes) {
  pasta::ptx::parameters::memory_allocate const parameters{made, bytes};
  call told(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2", &parameters);
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return told(result);
  std::lock_guard const lock(all.mutex);
  if (bytes > all.free_bytes) return told(CUDA_ERROR_OUT_OF_MEMORY);
  all.free_bytes -= bytes;
  std::vector<unsigned char> block(bytes + 256, 0xa5);  // memory is not zero
  auto const begin = reinterpret_cast<CUdeviceptr>(block.data());
  all.memory[begin] = std::move(block);
  *made = (begin + 255) / 256 * 256;
  if (all.observer != nullptr) all.observer->memory_made(*here(), *made, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** made, std::size_t bytes, unsigned) {
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return result;
  *made = std::calloc(bytes, 1);
  return CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* found, void* of, unsigned) {
  *found = reinterpret_cast<CUdeviceptr>(of);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr address) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, "cuMemFree_v2", &address);
  std::lock_guard const lock(all.mutex);
  auto const after = all.memory.upper_bound(address);
  if (after == all.memory.begin()) return CUDA_ERROR_INVALID_VALUE;
  if (all.observer != nullptr && here() != nullptr) all.observer->memory_ends(*here(), address);
  all.free_bytes += std::prev(after)->second.size() - 256;
  all.memory.erase(std::prev(after));
  return CUDA_SUCCESS;
}
// As if its memory was given again at once.
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  struct {
    CUdeviceptr address;
    CUstream stream;
  } const parameters{address, stream};
  call told(CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, "cuMemFreeAsync", &parameters);
  all.again = address;
  return told(CUDA_SUCCESS);
}
CUresult cuMemAllocAsync(CUdeviceptr* made, std::size_t bytes, CUstream stream) {
  struct {
    CUdeviceptr* made;
    std::size_t bytes;
    CUstream stream;
  } const parameters{made, bytes, stream};
  call told(CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, "cuMemAllocAsync", &parameters);
  *made = all.again;
  return told(all.again == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return result;
  std::lock_guard const lock(all.mutex);
  unsigned char const* const source = at(from, bytes);
  if (source == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, source, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, void const* from, std::size_t bytes, CUstream) {
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return result;
  std::lock_guard const lock(all.mutex);
  unsigned char* const target = at(to, bytes);
  if (target == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(target, from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return result;
  std::lock_guard const lock(all.mutex);
  unsigned char* const target = at(to, bytes);
  if (target == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memset(target, value, bytes);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* made, unsigned flags) {
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return result;
  std::lock_guard const lock(all.mutex);
  fake::stream& stream = all.streams.emplace_back();
  stream.kind = kind::stream;
  stream.is_nonblocking = flags == CU_STREAM_NON_BLOCKING;
  *made = reinterpret_cast<CUstream>(&stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream given) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2, "cuStreamDestroy_v2", &given);
  return told(stream_of(given) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS);
}
CUresult cuStreamSynchronize(CUstream given) {
  call told(CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, "cuStreamSynchronize", &given);
  if (CUresult const result = usable(); result != CUDA_SUCCESS) return told(result);
  // A blocking stream would wait for the program's kernels.
  auto* const waited = stream_of(given);
  return told(waited == nullptr || !waited->is_nonblocking ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS);
}
CUresult cuStreamIsCapturing(CUstream given, CUstreamCaptureStatus* status) {
  if (given == CU_STREAM_PER_THREAD) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  }
  auto* const asked = as<fake::stream>(given, kind::stream);
  if (asked == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *status = asked->captures != nullptr ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}

}  // extern "C"
