// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "callbacks.hpp"

#include <exception>

#include "collector.hpp"

namespace pasta::patch {

namespace {

void on_resource(collector& to, Sanitizer_CallbackId id, void const* data) {
  switch (id) {
    case SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED:
      return to.context_made(*static_cast<Sanitizer_ResourceContextData const*>(data));
    case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      return to.context_ends(static_cast<Sanitizer_ResourceContextData const*>(data)->context);
    case SANITIZER_CBID_RESOURCE_MODULE_LOADED:
      return to.module_loaded(*static_cast<Sanitizer_ResourceModuleData const*>(data));
    case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      return to.module_ends(*static_cast<Sanitizer_ResourceModuleData const*>(data));
    case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC:
    case SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC:
      return to.memory_made(*static_cast<Sanitizer_ResourceMemoryData const*>(data));
    case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE:
    case SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC:
      return to.memory_ends(*static_cast<Sanitizer_ResourceMemoryData const*>(data));
    default:
      return;
  }
}

bool is_of_code(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id) {
  return domain == SANITIZER_CB_DOMAIN_RESOURCE && id != SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC &&
         id != SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE && id != SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC &&
         id != SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC;
}

void on_any(collector& to, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, void const* data) {
  switch (domain) {
    case SANITIZER_CB_DOMAIN_RESOURCE:
      return on_resource(to, id, data);
    case SANITIZER_CB_DOMAIN_LAUNCH:
      if (id == SANITIZER_CBID_LAUNCH_BEGIN) {
        to.launch_begins(*static_cast<Sanitizer_LaunchData const*>(data), collector::launched_by::call);
      }
      return;
    case SANITIZER_CB_DOMAIN_GRAPHS: {
      auto const& node = *static_cast<Sanitizer_GraphNodeLaunchData const*>(data);
      bool const is_launch = id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN && node.isGraphUpload == 0 &&
                             node.nodeType == CU_GRAPH_NODE_TYPE_KERNEL;
      if (is_launch) to.launch_begins(node.launchData, collector::launched_by::graph);
      return;
    }
    case SANITIZER_CB_DOMAIN_SYNCHRONIZE:
      return to.wait_ended(*static_cast<Sanitizer_SynchronizeData const*>(data),
                           id == SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED ? collector::waited::for_context
                                                                                 : collector::waited::for_stream);
    default:
      return;
  }
}

}  // namespace

void SANITIZERAPI on_event(void* of, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                           void const* data) noexcept {
  auto* const here = static_cast<event_target*>(of);
  if (own_calls::are_made() || here == nullptr || !here->is_following()) return;
  // What another collector in the process does for itself is no business of this one; but code may be loaded by it.
  if (!is_of_code(domain, id) && here->is_hosts_call()) return;
  own_calls const own;
  try {
    on_any(here->collector(), domain, id, data);
  } catch (std::exception const& error) {
    here->give_up(error.what());
  }
}

}  // namespace pasta::patch
