// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "callbacks.hpp"

#include <algorithm>
#include <optional>

#include "call_parameters.hpp"
#include "run.hpp"
#include "watched_calls.hpp"

namespace pasta::ptx {

namespace {

struct launch_call {
  CUfunction function;
  CUstream stream;
  launch_shape shape;
};

// Where no stream is named, calls of the one kind mean the legacy stream and those of the other the thread's own.
enum class default_stream : std::uint8_t { legacy, of_thread };
CUstream stream_of(CUstream named, default_stream where) {
  return named == nullptr && where == default_stream::of_thread ? CU_STREAM_PER_THREAD : named;
}

launch_call read_launch(void const* data, default_stream where) {
  auto const& p = *static_cast<parameters::launch_kernel const*>(data);
  return {p.function,
          stream_of(p.stream, where),
          {{p.grid_x, p.grid_y, p.grid_z}, {p.block_x, p.block_y, p.block_z}, p.shared_bytes}};
}
launch_call read_launch_ex(void const* data, default_stream where) {
  auto const& p = *static_cast<parameters::launch_kernel_ex const*>(data);
  CUlaunchConfig const& c = *p.config;
  return {p.function,
          stream_of(c.hStream, where),
          {{c.gridDimX, c.gridDimY, c.gridDimZ}, {c.blockDimX, c.blockDimY, c.blockDimZ}, c.sharedMemBytes}};
}
// The block's shape was set by another call.
launch_call read_launch_grid(void const* data, CUpti_CallbackId id) {
  auto const& p = *static_cast<parameters::launch_grid const*>(data);
  launch_call launch{p.function, nullptr, {}};
  if (id != CUPTI_DRIVER_TRACE_CBID_cuLaunch)
    launch.shape.grid = {static_cast<std::uint32_t>(p.width), static_cast<std::uint32_t>(p.height), 1};
  if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync) launch.stream = p.stream;
  return launch;
}

/// The launch that a call makes; empty for other calls.
std::optional<launch_call> find_launch(CUpti_CallbackId id, void const* data) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      return read_launch(data, default_stream::legacy);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return read_launch(data, default_stream::of_thread);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      return read_launch_ex(data, default_stream::legacy);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return read_launch_ex(data, default_stream::of_thread);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      return read_launch(data, default_stream::legacy);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return read_launch(data, default_stream::of_thread);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync:
      return read_launch_grid(data, id);
    default:
      return std::nullopt;
  }
}

bool has_succeeded(CUpti_CallbackData const& call) {
  return *static_cast<CUresult const*>(call.functionReturnValue) == CUDA_SUCCESS;
}

// What a call's begin leaves for its end where not a function.
constexpr std::uint64_t is_apart = 1;

collector::outcome outcome_of(CUpti_CallbackData const& call) {
  return has_succeeded(call) ? collector::outcome::launched : collector::outcome::refused;
}

// A function's first launch attaches its module before the kernel starts; a launch counts once the driver took it.
void on_launch(run& all, launch_call const& launch, CUpti_CallbackData const& call) {
  collector& to = all.collector();
  if (call.callbackSite == CUPTI_API_ENTER) {
    *call.correlationData = 0;
    if (call.context == nullptr) return;  // the driver will refuse it
    function_record& record = to.find(launch.function, call.context, call.contextUid, call.symbolName, launch.shape);
    to.prepare_shadow(record);
    if (to.is_capturing(launch.stream)) {
      record.plain.see_shape(launch.shape);
    } else if (!to.is_any_apart(record)) {
      to.see_plain(record, launch.stream);
      *call.correlationData = reinterpret_cast<std::uintptr_t>(&record);
    } else {
      collector::launched const one{&record, 1};
      all.number_launches(to.launches_begin({&one, 1}, launch.stream, collector::launch_unit::kernel));
      *call.correlationData = is_apart;
    }
    return;
  }
  if (*call.correlationData == 0) return;
  if (*call.correlationData == is_apart) return to.launches_end(outcome_of(call), &launch.shape, launch.stream);
  auto* const record = reinterpret_cast<function_record*>(*call.correlationData);
  if (!has_succeeded(call)) return;
  record->plain.see_shape(launch.shape);
  record->plain.add_launches(1);
}

void on_graph_launch(run& all, CUpti_CallbackData const& call, default_stream where) {
  auto const& p = *static_cast<parameters::graph_launch const*>(call.functionParams);
  auto* const stream = stream_of(p.stream, where);
  collector& to = all.collector();
  if (call.callbackSite == CUPTI_API_ENTER) {
    *call.correlationData = 0;
    if (to.is_capturing(stream)) return;
    std::vector<collector::launched> const launches = to.launches_of(p.exec);
    bool const are_apart = std::any_of(launches.begin(), launches.end(), [&](collector::launched const& each) {
      return to.is_any_apart(*each.function);
    });
    // For one of them lines may be made longer, and those before it must be told again: each time they double.
    constexpr int most_rounds = 16;
    auto const is_stale = [&](collector::launched const& each) { return to.has_stale_shadow(*each.function); };
    for (int round = 0; round < most_rounds && std::any_of(launches.begin(), launches.end(), is_stale); ++round) {
      for (collector::launched const& each : launches) to.prepare_shadow(*each.function);
    }
    if (are_apart) all.number_launches(to.launches_begin(launches, stream, collector::launch_unit::graph));
    for (collector::launched const& each : launches) {
      if (!are_apart) to.see_plain(*each.function, stream);
    }
    *call.correlationData = are_apart ? is_apart : 0;
    return;
  }
  if (*call.correlationData == is_apart) return to.launches_end(outcome_of(call), nullptr, stream);
  if (!has_succeeded(call) || to.is_capturing(stream)) return;
  for (collector::launched const& each : to.launches_of(p.exec)) each.function->plain.add_launches(each.count);
}

void on_stream_end(run& all, CUpti_CallbackData const& call) {
  if (call.callbackSite != CUPTI_API_ENTER) return;
  all.collector().stream_gone(static_cast<parameters::stream_destroy const*>(call.functionParams)->stream);
}

// Instantiating calls begin with where the executable graph goes, and the graph.
void on_instantiate(run& all, CUpti_CallbackData const& call) {
  if (call.callbackSite == CUPTI_API_ENTER || !has_succeeded(call)) return;
  auto const& p = *static_cast<parameters::graph_instantiate const*>(call.functionParams);
  all.collector().graph_made(*p.exec, p.graph, call.context, call.contextUid);
}

void on_graph_update(run& all, CUpti_CallbackData const& call) {
  if (call.callbackSite == CUPTI_API_ENTER || !has_succeeded(call)) return;
  auto const& p = *static_cast<parameters::graph_exec_update const*>(call.functionParams);
  all.collector().graph_made(p.exec, p.graph, call.context, call.contextUid);
}

// Of both versions: the newer one's parameters name a CUkernel where they name no function.
void on_node_change(run& all, CUpti_CallbackId id, CUpti_CallbackData const& call) {
  if (call.callbackSite == CUPTI_API_ENTER || !has_succeeded(call)) return;
  auto const& p = *static_cast<parameters::graph_exec_kernel_node_set const*>(call.functionParams);
  CUDA_KERNEL_NODE_PARAMS node{};
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams) {
    auto const& old = *static_cast<CUDA_KERNEL_NODE_PARAMS_v1 const*>(p.node_parameters);
    node.func = old.func;
    node.gridDimX = old.gridDimX, node.gridDimY = old.gridDimY, node.gridDimZ = old.gridDimZ;
    node.blockDimX = old.blockDimX, node.blockDimY = old.blockDimY, node.blockDimZ = old.blockDimZ;
    node.sharedMemBytes = old.sharedMemBytes;
  } else {
    node = *static_cast<CUDA_KERNEL_NODE_PARAMS const*>(p.node_parameters);
  }
  all.collector().graph_node_changed(p.exec, p.node, node, call.context, call.contextUid);
}

// What is in a context is read while the context is there.
void on_context_end(run& all, CUpti_CallbackId id, CUpti_CallbackData const& call) {
  if (call.callbackSite != CUPTI_API_ENTER) return;
  auto const how = collector::wait::for_kernels;
  if (id == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy || id == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2) {
    auto* const context = static_cast<parameters::context_destroy const*>(call.functionParams)->context;
    return all.collector().harvest(how, [&](context_state const& each) { return each.handle == context; });
  }
  CUdevice const device = static_cast<parameters::primary_context_end const*>(call.functionParams)->device;
  all.collector().harvest(how, [&](context_state const& each) { return each.device == device; });
}

// A call of the runtime waits by one of the driver's, which may say less of what it waits for: the outer one counts.
void on_wait(run& all, CUpti_CallbackData const& call, collector::waited what) {
  thread_local unsigned depth = 0;
  if (call.callbackSite == CUPTI_API_ENTER) {
    if (depth++ == 0) all.collector().wait_begins(call.contextUid, what);
  } else if (depth > 0 && --depth == 0 && has_succeeded(call)) {
    all.collector().wait_ended(call.contextUid);
  }
}

// An error of the runtime is a number like the driver's, and 0 is success.
void on_runtime_call(run& all, CUpti_CallbackId id, CUpti_CallbackData const& call) {
  bool const is_for_all = id == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020;
  on_wait(all, call, is_for_all ? collector::waited::for_context : collector::waited::for_stream);
}

void on_unload(run& all, CUpti_CallbackId id, CUpti_CallbackData const& call) {
  all.collector().forget_handles();
  if (call.callbackSite == CUPTI_API_ENTER) {
    CUmodule module = nullptr;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload) {
      module = static_cast<parameters::module_unload const*>(call.functionParams)->module;
    } else {
      auto* const library = static_cast<parameters::library_unload const*>(call.functionParams)->library;
      if (all.with().cuLibraryGetModule_(&module, library) != CUDA_SUCCESS) module = nullptr;
    }
    *call.correlationData = reinterpret_cast<std::uintptr_t>(module);
    return;
  }
  auto* const module = reinterpret_cast<CUmodule>(*call.correlationData);
  if (module != nullptr && has_succeeded(call)) all.collector().module_gone(module, call.contextUid);
}

void on_memory_async(run& all, CUpti_CallbackData const& call, CUdeviceptr const* made, std::size_t bytes,
                     CUstream stream) {
  // In a capture it makes a node: the memory is the graph's, which has it in replays alone.
  if (call.callbackSite == CUPTI_API_ENTER || !has_succeeded(call) || all.collector().is_capturing(stream)) return;
  all.collector().allocated(call.contextUid, *made, bytes);
}

void on_free_async(run& all, CUpti_CallbackData const& call, default_stream where) {
  if (call.callbackSite != CUPTI_API_ENTER) return;
  auto const& p = *static_cast<parameters::memory_free_async const*>(call.functionParams);
  if (all.collector().is_capturing(stream_of(p.stream, where))) return;
  all.collector().released(call.contextUid, p.address, collector::release::in_stream);
}

// Memory that comes is known behind the call, memory that goes before it.
bool follow_memory(run& all, CUpti_CallbackId id, CUpti_CallbackData const& call) {
  collector& to = all.collector();
  bool const is_done = call.callbackSite != CUPTI_API_ENTER && has_succeeded(call);
  bool const begins = call.callbackSite == CUPTI_API_ENTER;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
      auto const& p = *static_cast<parameters::memory_allocate const*>(call.functionParams);
      if (is_done) to.allocated(call.contextUid, *p.made, p.bytes);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
      auto const& p = *static_cast<parameters::memory_allocate_async const*>(call.functionParams);
      on_memory_async(all, call, p.made, p.bytes,
                      stream_of(p.stream, id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync ? default_stream::legacy
                                                                                        : default_stream::of_thread));
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: {
      auto const& p = *static_cast<parameters::memory_allocate_from_pool const*>(call.functionParams);
      on_memory_async(
          all, call, p.made, p.bytes,
          stream_of(p.stream, id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync ? default_stream::legacy
                                                                                    : default_stream::of_thread));
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: {
      auto const& p = *static_cast<parameters::memory_allocate_pitch const*>(call.functionParams);
      if (is_done) to.allocated(call.contextUid, *p.made, *p.pitch * p.height);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemMap: {
      auto const& p = *static_cast<parameters::memory_map const*>(call.functionParams);
      if (is_done) to.allocated(call.contextUid, p.address, p.bytes);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      if (begins)
        to.released(call.contextUid, static_cast<parameters::memory_free const*>(call.functionParams)->address,
                    collector::release::waits);
      return true;
    case CUPTI_DRIVER_TRACE_CBID_cuMemUnmap: {
      auto const& p = *static_cast<parameters::memory_map const*>(call.functionParams);
      if (begins) to.unmapped(call.contextUid, p.address, p.bytes);
      return true;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
      return on_free_async(all, call, default_stream::legacy), true;
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
      return on_free_async(all, call, default_stream::of_thread), true;
    default:
      return false;
  }
}

void on_driver_call(run& all, CUpti_CallbackId id, CUpti_CallbackData const& call) {
  if (std::optional<launch_call> const launch = find_launch(id, call.functionParams))
    return on_launch(all, *launch, call);
  if (follow_memory(all, id, call)) return;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
      return on_graph_launch(all, call, default_stream::legacy);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      return on_graph_launch(all, call, default_stream::of_thread);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz:
      return on_instantiate(all, call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2:
      return on_graph_update(all, call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2:
      return on_node_change(all, id, call);
    case CUPTI_DRIVER_TRACE_CBID_cuGraphExecDestroy:
      if (call.callbackSite != CUPTI_API_ENTER) return;
      return all.collector().graph_destroyed(
          static_cast<parameters::graph_exec_destroy const*>(call.functionParams)->exec);
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz:
    case begin_capture_to_graph:
    case begin_capture_to_graph_ptsz:
      return all.collector().capture_begins();
    case CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize:
      return on_wait(all, call, collector::waited::for_context);
    case context_synchronize_v2:  // the context that it names need not be the current one
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz:
      return on_wait(all, call, collector::waited::for_stream);
    case CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy:
    case CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2:
      return on_stream_end(all, call);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleUnload:
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload:
      return on_unload(all, id, call);
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice:
      return all.collector().add_note(
          "Launches by cuLaunchCooperativeKernelMultiDevice are not seen, nor what their kernels do at first.");
    default:
      return on_context_end(all, id, call);
  }
}

}  // namespace

void CUPTIAPI on_event(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, void const* data) noexcept {
  run* const all = run::existing();
  if (all == nullptr || all->is_over()) return;
  try {
    if (domain != CUPTI_CB_DOMAIN_RESOURCE) {
      if (capture_relaxed::is_active() || all->is_guests_call()) return;
      auto const& call = *static_cast<CUpti_CallbackData const*>(data);
      return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? on_runtime_call(*all, id, call) : on_driver_call(*all, id, call);
    }
    auto const& resource = *static_cast<CUpti_ResourceData const*>(data);
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
      auto const* const module = static_cast<CUpti_ModuleResourceData const*>(resource.resourceDescriptor);
      if (module != nullptr && module->pCubin != nullptr)
        all->collector().image_loaded({module->pCubin, module->cubinSize});
    } else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
      all->collector().context_gone(resource.context);
      all->collector().forget_handles();
    }
  } catch (std::exception const& error) {
    all->give_up(error.what());
  }
}

}  // namespace pasta::ptx
