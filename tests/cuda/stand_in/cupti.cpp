// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A stand-in for CUPTI: a library that tells of kernels which the stand-in for CUDA's runtime ran, in CUPTI's own
// records. STAND_IN_CUPTI says how it behaves:
//   taken, refuses, old   as when another tool has it, when it has no permission, and CUPTI of CUDA 11
//   silent, drops         it tells of no kernel; of every second one
#include <cupti.h>
#include <dlfcn.h>
#include <time.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <pasta/session/cuda/cupti_api.hpp>
#include <string_view>
#include <utility>

#include "stand_in.hpp"

namespace {

using cuda_stand_in::kernel_seen;

// What PASTA declares is what CUPTI has.
namespace declared = pasta::detail::cupti;
static_assert(offsetof(declared::kernel_record, kind) == offsetof(CUpti_ActivityKernel10, kind));
static_assert(offsetof(declared::kernel_record, start) == offsetof(CUpti_ActivityKernel10, start));
static_assert(offsetof(declared::kernel_record, end) == offsetof(CUpti_ActivityKernel10, end));
static_assert(offsetof(declared::kernel_record, grid) == offsetof(CUpti_ActivityKernel10, gridX));
static_assert(offsetof(declared::kernel_record, correlation) == offsetof(CUpti_ActivityKernel10, correlationId));
static_assert(sizeof(declared::kernel_record) <= sizeof(CUpti_ActivityKernel10));
static_assert(offsetof(declared::call_data, site) == offsetof(CUpti_CallbackData, callbackSite));
static_assert(offsetof(declared::call_data, correlation) == offsetof(CUpti_CallbackData, correlationId));
static_assert(declared::concurrent_kernel == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(declared::driver_api == CUPTI_CB_DOMAIN_DRIVER_API &&
              declared::runtime_api == CUPTI_CB_DOMAIN_RUNTIME_API);
static_assert(declared::taken == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && CUPTI_API_ENTER == 0);
static_assert(declared::runtime_launches[0] == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 &&
              declared::runtime_launches[1] == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000 &&
              declared::runtime_launches[2] == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060 &&
              declared::runtime_launches[3] == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060);
static_assert(declared::driver_launches[0] == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel &&
              declared::driver_launches[1] == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz &&
              declared::driver_launches[2] == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx &&
              declared::driver_launches[3] == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz);

CUpti_CallbackFunc on_call = nullptr;
CUpti_BuffersCallbackRequestFunc want_buffer = nullptr;
CUpti_BuffersCallbackCompleteFunc hand_over = nullptr;
bool is_enabled = false;
std::uint32_t seen_count = 0;

std::uint8_t* buffer = nullptr;
std::size_t buffer_bytes = 0, filled_bytes = 0;

bool behaves(std::string_view how) {
  char const* const text = std::getenv("STAND_IN_CUPTI");
  return text != nullptr && how == text;
}

void hand_over_buffer() {
  if (buffer != nullptr) hand_over(nullptr, 0, std::exchange(buffer, nullptr), buffer_bytes, filled_bytes);
}

void call_begins(std::uint32_t correlation) {
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_ENTER;
  data.correlationId = correlation;
  on_call(nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &data);
  data.callbackSite = CUPTI_API_EXIT;
  on_call(nullptr, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &data);
}

void kernel_ended(kernel_seen const& what) {
  if (!is_enabled || behaves("silent") || (behaves("drops") && ++seen_count % 2 == 0)) return;
  CUpti_ActivityKernel10 record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = what.begin_ns;
  record.end = what.end_ns;
  record.deviceId = what.device;
  record.contextId = what.context;
  record.correlationId = what.correlation;
  record.name = what.name;
  record.graphNodeId = what.is_of_graph ? 1 : 0;
  if (buffer != nullptr && filled_bytes + sizeof record > buffer_bytes) hand_over_buffer();
  if (buffer == nullptr) {
    std::size_t most = 0;
    want_buffer(&buffer, &buffer_bytes, &most);
    filled_bytes = 0;
  }
  std::memcpy(buffer + filled_bytes, &record, sizeof record);
  filled_bytes += sizeof record;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = behaves("old") ? 17 : CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*) {
  if (behaves("taken")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  on_call = callback;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  on_call = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  want_buffer = request;
  hand_over = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (behaves("refuses")) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  is_enabled = kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  auto* const listen =
      reinterpret_cast<decltype(&cuda_stand_in::stand_in_listen)>(::dlsym(RTLD_DEFAULT, "stand_in_listen"));
  if (listen != nullptr) listen(&call_begins, &kernel_ended);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  hand_over_buffer();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* from, std::size_t filled, CUpti_Activity** record) {
  auto* const begin = reinterpret_cast<CUpti_Activity*>(from);
  std::size_t at = 0;
  if (*record != nullptr) {
    at = static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(*record) - from) + sizeof(CUpti_ActivityKernel10);
  }
  if (at + sizeof(CUpti_ActivityKernel10) > filled) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = at == 0 ? begin : reinterpret_cast<CUpti_Activity*>(from + at);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* now) {
  timespec read{};
  ::clock_gettime(CLOCK_REALTIME, &read);
  *now = static_cast<std::uint64_t>(read.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(read.tv_nsec);
  return CUPTI_SUCCESS;
}

}  // extern "C"
