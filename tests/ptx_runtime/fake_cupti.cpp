// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A stand-in for CUPTI: hands on what the stand-in of the driver tells, if it was asked for.
#include <cupti_result.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "fake_driver.hpp"

namespace {

CUpti_CallbackFunc callback = nullptr;
std::set<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> enabled;

void hand_on(CUpti_CallbackDomain domain, CUpti_CallbackId id, void const* data) {
  if (callback != nullptr && enabled.count({domain, id}) != 0) callback(nullptr, domain, id, data);
}

}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc wanted, void*) {
  if (std::getenv("FAKE_CUPTI_TAKEN") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (std::getenv("FAKE_CUPTI_REFUSES") != nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  callback = wanted;
  fake_set_listener(&hand_on);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  if (enable != 0) enabled.insert({domain, id});
  return CUPTI_SUCCESS;
}

}  // extern "C"
