// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "cupti.hpp"

#include <cupti_result.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "find_cupti.hpp"
#include "watched_calls.hpp"

namespace pasta::ptx {

namespace {

// Not cupti.h: it draws in much that this needs nothing of.
using subscribe_function = CUptiResult(CUPTIAPI*)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*);
using enable_function = CUptiResult(CUPTIAPI*)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                               CUpti_CallbackId);

}  // namespace

std::string subscribe(cupti_callback callback) {
  opened_cupti const opened = open_cupti();
  if (opened.library == nullptr) return opened.problem;
  auto const do_subscribe = reinterpret_cast<subscribe_function>(::dlsym(opened.library, "cuptiSubscribe"));
  auto const enable = reinterpret_cast<enable_function>(::dlsym(opened.library, "cuptiEnableCallback"));
  if (do_subscribe == nullptr || enable == nullptr) return fmt::format("{} is not CUPTI", opened.path);

  CUpti_SubscriberHandle subscriber = nullptr;
  CUptiResult const result = do_subscribe(&subscriber, callback, nullptr);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    return "another tool has CUPTI's callbacks, and only one can (a profiler, a debugger)";
  if (result != CUPTI_SUCCESS) return fmt::format("CUPTI refuses callbacks (error {})", static_cast<int>(result));
  // An older CUPTI does not know the newest calls; programs that use them need a newer driver anyway.
  bool is_any_launch_watched = false;
  for (CUpti_CallbackId const call : watched_driver_calls) {
    bool const is_enabled = enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call) == CUPTI_SUCCESS;
    if (call == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) is_any_launch_watched = is_enabled;
  }
  for (CUpti_CallbackId const call : watched_runtime_calls) enable(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, call);
  for (CUpti_CallbackId const what : watched_resources) enable(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, what);
  return is_any_launch_watched ? "" : "CUPTI refuses to tell of launches";
}

}  // namespace pasta::ptx
