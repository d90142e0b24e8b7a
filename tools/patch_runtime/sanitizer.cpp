// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "find_sanitizer.hpp"

namespace pasta::patch {

std::string sanitizer::load() {
  opened_sanitizer const opened = open_sanitizer();
  if (opened.library == nullptr) return opened.problem;
  std::string missing;
#define PASTA_DETAIL_FIND(name)                                                  \
  name##_ = reinterpret_cast<decltype(&::name)>(::dlsym(opened.library, #name)); \
  if (name##_ == nullptr) missing = #name;
  PASTA_DETAIL_SANITIZER_FUNCTIONS(PASTA_DETAIL_FIND)
#undef PASTA_DETAIL_FIND
  if (missing.empty()) return "";
  return fmt::format("{} has no {}: it is older than CUDA 12.0", visible(opened.path), missing);
}

std::string sanitizer::subscribe(Sanitizer_CallbackFunc callback, void* user_data) const {
  Sanitizer_SubscriberHandle subscriber = nullptr;
  SanitizerResult const result = sanitizerSubscribe_(&subscriber, callback, user_data);
  if (result == SANITIZER_ERROR_MAX_LIMIT_REACHED)
    return "another tool has the Compute Sanitizer's callbacks, and only one can (compute-sanitizer, a debugger)";
  if (result != SANITIZER_SUCCESS) return fmt::format("the Compute Sanitizer refuses callbacks: {}", explain(result));
  constexpr std::pair<Sanitizer_CallbackDomain, Sanitizer_CallbackId> needed[] = {
      {SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING},
      {SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED},
      {SANITIZER_CB_DOMAIN_SYNCHRONIZE, SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED},
      {SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN}};
  for (auto const& [domain, id] : needed) {
    if (SanitizerResult const enabled = sanitizerEnableCallback_(1, subscriber, domain, id);
        enabled != SANITIZER_SUCCESS) {
      return fmt::format("the Compute Sanitizer refuses callback {} of domain {}: {}", id, static_cast<int>(domain),
                         explain(enabled));
    }
  }
  return "";
}

std::string sanitizer::explain(SanitizerResult error) const {
  char const* text = nullptr;
  if (sanitizerGetResultString_ != nullptr) sanitizerGetResultString_(error, &text);
  return fmt::format("{} (error {})", text == nullptr ? "unknown" : text, static_cast<int>(error));
}

}  // namespace pasta::patch
