// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "collector.hpp"

#include <algorithm>
#include <pasta/session/annotated_range.hpp>
#include <utility>

#include "demangled.hpp"
#include "image.hpp"

namespace pasta::patch {

namespace {

using detail::patch_function;

/// The vendor's kind of instruction.
constexpr Sanitizer_InstructionId instruction_of(patch_function which) {
  switch (which) {
    case patch_function::global_access:
      return SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS;
    case patch_function::shared_access:
      return SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS;
    case patch_function::local_access:
      return SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS;
    case patch_function::remote_shared_access:
      return SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS;
    case patch_function::matrix_access:
      return SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS;
    case patch_function::copy_async:
      return SANITIZER_INSTRUCTION_MEMCPY_ASYNC;
    case patch_function::async_store:
      return SANITIZER_INSTRUCTION_ASYNC_STORE;
    case patch_function::async_reduction:
      return SANITIZER_INSTRUCTION_ASYNC_REDUCTION;
    case patch_function::bulk_global_to_shared:
      return SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED;
    case patch_function::bulk_shared_to_global:
      return SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL;
    case patch_function::bulk_shared_to_shared:
      return SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED;
    case patch_function::bulk_reduction_to_global:
      return SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL;
    case patch_function::bulk_reduction_to_shared:
      return SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED;
    case patch_function::shared_set:
      return SANITIZER_INSTRUCTION_MEMSET_SHARED;
    case patch_function::barrier:
      return SANITIZER_INSTRUCTION_BARRIER;
    case patch_function::warp_barrier:
      return SANITIZER_INSTRUCTION_SYNCWARP;
    case patch_function::cluster_barrier:
      return SANITIZER_INSTRUCTION_CLUSTER_BARRIER_ARRIVE;
    case patch_function::cuda_barrier:
      return SANITIZER_INSTRUCTION_CUDA_BARRIER;
    case patch_function::call:
      return SANITIZER_INSTRUCTION_CALL;
    case patch_function::thread_enter:
      return SANITIZER_INSTRUCTION_BLOCK_ENTER;
    case patch_function::thread_exit:
      return SANITIZER_INSTRUCTION_BLOCK_EXIT;
  }
  return SANITIZER_INSTRUCTION_INVALID;
}

/// Whether its instructions may access memory of one of these spaces. Those that name no space are told of with global
/// memory.
bool is_wanted(patch_function which, space_set const& spaces) {
  switch (which) {
    case patch_function::shared_access:
    case patch_function::remote_shared_access:
    case patch_function::matrix_access:
    case patch_function::async_store:
    case patch_function::async_reduction:
    case patch_function::bulk_shared_to_shared:
    case patch_function::bulk_reduction_to_shared:
    case patch_function::shared_set:
      return spaces.has(memory_space::shared);
    case patch_function::local_access:
      return spaces.has(memory_space::local);
    default:
      return true;
  }
}

// Of the calling thread, where a host numbers launches.
thread_local std::optional<std::uint64_t> given_number;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

context_record* collector::find_context(CUcontext handle) {
  // A handle is used again after its context's end.
  for (auto known = contexts_.rbegin(); known != contexts_.rend(); ++known) {
    if (known->handle == handle && !known->is_gone) return &*known;
  }
  return nullptr;
}

context_record& collector::context_of(CUcontext handle) {
  if (context_record* const known = find_context(handle); known != nullptr) return *known;
  // How memory is laid out is known once the tool is.
  context_record& made = contexts_.emplace_back(with_, patches_ ? patches_->about : tool_patches());
  made.handle = handle;
  return made;
}

void collector::context_made(Sanitizer_ResourceContextData const& what) {
  std::lock_guard const lock(mutex_);
  context_of(what.context).device = what.device;
}

// Instructions are patched when their module is loaded. Not when a kernel of it is launched: in a stream of the
// program's the driver then holds a lock that patching waits for. Code that is loaded when it is first needed gets its
// patches then, from the vendor's library.
void collector::module_loaded(Sanitizer_ResourceModuleData const& what) {
  std::lock_guard const lock(mutex_);
  context_record& context = context_of(what.context);
  std::string_view const image{what.pCubin, what.pCubin == nullptr ? 0 : what.cubinSize};
  std::vector<std::string> const kernels = context.modules.loaded(what.module, image);
  if (host_ != nullptr && is_others(context, what.module, image, kernels)) return;
  if (!has_chosen(context, kernels)) return;
  add_patches(context);
  if (context.why_not.empty()) patch_module(context, what.module);
}

// What reports by itself, or by the host of this collector, is left alone.
bool collector::is_others(context_record& context, CUmodule module, std::string_view image,
                          std::vector<std::string> const& kernels) const {
  if (!collecting::read_image(image).ids.empty()) {
    if (host_->reads_counters()) {
      context.modules.leave_to_host(module);
    } else {
      context.modules.set_why_not(module, "its module has PASTA's counters, which nobody reads");
    }
    return true;
  }
  bool const is_on_probe = std::any_of(kernels.begin(), kernels.end(), [](std::string const& name) {
    return name.rfind("_ZN5pasta", 0) == 0 && name.find("10run_probed") != std::string::npos;
  });
  if (is_on_probe) context.modules.set_why_not(module, "its module has tools compiled in, and reports by itself");
  return is_on_probe;
}

// A module whose kernels are unknown may have any.
bool collector::has_chosen(context_record const& context, std::vector<std::string> const& kernels) const {
  launch_selection const& chosen = wanted_.selection;
  if (!chosen.devices.has(static_cast<std::uint64_t>(context.device))) return false;
  if (kernels.empty() || (!chosen.kernels && !chosen.exclude)) return true;
  return std::any_of(kernels.begin(), kernels.end(),
                     [&](std::string const& name) { return chosen.has_kernel(collecting::demangled(name)); });
}

void collector::add_patches(context_record& context) {
  if (std::exchange(context.has_patches, true)) return;
  if (!patches_) {
    patches_ = begin_();
    // Parts of a sample are kept apart in the shards of what is looked for.
    if (is_sampling()) patches_->about.counts_alone = false;
  }
  context.why_not = patches_->why_not;
  if (!context.why_not.empty()) return;
  context.memory = arena(with_, patches_->about);
  SanitizerResult const added = with_.sanitizerAddPatchesFromFile_(patches_->file.c_str(), context.handle);
  if (added != SANITIZER_SUCCESS)
    context.why_not = fmt::format("the patches cannot be loaded: {}", with_.explain(added));
}

void collector::module_ends(Sanitizer_ResourceModuleData const& what) {
  std::lock_guard const lock(mutex_);
  context_record* const context = find_context(what.context);
  if (context == nullptr) return;
  // Other code may come to lie at its addresses: what was collected there gets its names now.
  if (context->modules.is_patched(what.module) && context->memory.exists()) read(*context, context->stream);
  context->modules.unloaded(what.module);
  std::erase_if(kernels_, [&](auto const& each) {
    return each.second->context == context && each.second->module == what.module;
  });
}

void collector::context_ends(CUcontext handle) {
  std::lock_guard const lock(mutex_);
  context_record* const context = find_context(handle);
  if (context == nullptr) return;
  if (context->memory.exists()) {
    read(*context, context->stream);
    if (context->lost_because.empty()) read_shadow(*context, ended::some);
    if (context->lost_because.empty()) count_delivered(*context);
  }
  context->is_gone = true;
  std::erase_if(kernels_, [&](auto const& each) { return each.second->context == context; });
}

kernel_record& collector::kernel_of(Sanitizer_LaunchData const& what) {
  kernel_record*& known = kernels_[{what.context, what.function}];
  if (known != nullptr) return *known;
  known = &records_.emplace_back();
  known->name = what.functionName == nullptr ? "?" : what.functionName;
  known->context = &context_of(what.context);
  known->module = what.module;
  known->is_wanted = wanted_.selection.devices.has(static_cast<std::uint64_t>(known->context->device)) &&
                     wanted_.selection.has_kernel(collecting::demangled(known->name));
  known->is_hosts = known->context->modules.is_left_to_host(what.module);
  return *known;
}

void collector::number_launches(std::uint64_t first) { given_number = first; }

std::uint64_t collector::next_number() {
  if (!given_number) return next_launch_++;
  return (*given_number)++;
}

std::string const& collector::range() const { return host_ == nullptr ? current_range() : host_->range(); }

bool collector::is_offered_now(std::uint64_t number) const {
  return !is_stopped_.load(std::memory_order_relaxed) && wanted_.selection.has_launch(number);
}

launch_group& collector::group_of(kernel_record& kernel, std::uint64_t number, std::uint32_t part, launched_by how) {
  std::string const& range = this->range();
  if (wanted_.per == scope::launch && how == launched_by::graph)
    notes_.insert("Launches in graphs are not kept apart on the patch route: they are merged by kernel.");
  if (wanted_.per == scope::launch && how == launched_by::call && kernel.is_wanted) {
    launch_group& made = kernel.groups.emplace_back();
    made.range = range;
    made.launch = number;
    return made;
  }
  launch_group*& known = kernel.of_range[part == 0 ? range : fmt::format("{}\x1f{}", range, part)];
  if (known == nullptr) {
    known = &kernel.groups.emplace_back();
    known->range = range;
    known->part = part;
  }
  return *known;
}

std::string collector::prepare_context(context_record& context, Sanitizer_StreamHandle stream) {
  add_patches(context);
  if (context.memory.exists() || !context.why_not.empty()) return context.why_not;
  static_cast<void>(with_.sanitizerGetStreamHandle_(context.handle, nullptr, &context.stream));
  return context.why_not = context.memory.make(context.handle, stream, tally_.sample());
}

// All its kernels are patched: the vendor's interface has nothing smaller.
void collector::patch_module(context_record& context, CUmodule module) {
  for (std::size_t i = 0; i < detail::patch_function_count; ++i) {
    auto const which = static_cast<patch_function>(i);
    if ((patches_->about.functions & patch_bit(which)) == 0 || !is_wanted(which, wanted_.selection.spaces)) continue;
    std::string const name = fmt::format("pasta_patch_{}_{}", PASTA_PATCH_VERSION, to_string(which));
    SanitizerResult const result = with_.sanitizerPatchInstructions_(instruction_of(which), module, name.c_str());
    if (result == SANITIZER_SUCCESS) continue;
    // An older interface lacks the newest kinds; without the first of them there is nothing.
    if (which == patch_function::global_access) {
      return context.modules.set_why_not(module,
                                         fmt::format("its instructions cannot be patched: {}", with_.explain(result)));
    }
    notes_.insert(
        fmt::format("This Compute Sanitizer tells nothing of {}: {}.", to_string(which), with_.explain(result)));
  }
  SanitizerResult const result = with_.sanitizerPatchModule_(module);
  if (result == SANITIZER_SUCCESS) return context.modules.set_patched(module);
  context.modules.set_why_not(module, fmt::format("its module cannot be patched: {}", with_.explain(result)));
}

void collector::prepare(kernel_record& kernel, Sanitizer_StreamHandle stream) {
  if (std::exchange(kernel.is_prepared, true)) return;
  kernel.why_not = prepare_context(*kernel.context, stream);
  module_map& modules = kernel.context->modules;
  if (kernel.why_not.empty() && !modules.is_patched(kernel.module)) kernel.why_not = modules.why_not(kernel.module);
  if (kernel.why_not.empty()) modules.locate(kernel.module, kernel.name);
}

std::optional<std::uint32_t> collector::make_state(context_record& context, std::string const& kernel) {
  if (context.kernels.size() < context.memory.layout().kernels) {
    context.kernels.push_back(&kernel);
    return static_cast<std::uint32_t>(context.kernels.size() - 1);
  }
  notes_.insert(fmt::format("There was room for {} kernels, ranges and launches that are kept apart, not for more.",
                            context.memory.layout().kernels));
  return {};
}

/// @return 0: there is no room
std::uint64_t collector::user_data_of_call(kernel_record& kernel, launch_group& group, Sanitizer_StreamHandle stream) {
  context_record& context = *kernel.context;
  if (!group.state) {
    group.state = make_state(context, kernel.name);
    if (!group.state) return 0;
    auto const code = context.modules.code_of(kernel.module, kernel.name);
    if (code && !group.launch) {  // a launch by itself would need as much memory as all of the kernel's
      if (auto const region = context.memory.add_region(*group.state, code->first, code->second, stream))
        group.region = &context.regions.emplace_back(*group.state, *region).second;
    }
  }
  if (group.region != nullptr && group.region->stream == stream) return group.region->rows.word;
  return context.memory.user_data(*group.state);
}

// All nodes of a graph's launch get what the last was given (driver 580.159.04): they share one state, and whose an
// event is its instruction's address says.
std::uint64_t collector::user_data_of_graph(kernel_record const& kernel, launch_group& group) {
  static std::string const of_several;
  context_record& context = *kernel.context;
  auto known = context.graph_states.find(group.range);
  if (known == context.graph_states.end()) {
    std::optional<std::uint32_t> const made = make_state(context, of_several);
    if (!made) return 0;
    known = context.graph_states.emplace(group.range, *made).first;
  }
  group.graph_state = known->second;
  return context.memory.user_data(known->second);
}

void collector::launch_begins(Sanitizer_LaunchData const& what, launched_by how) {
  std::lock_guard const lock(mutex_);
  kernel_record& kernel = kernel_of(what);
  std::uint64_t const number = next_number();
  if (kernel.is_hosts) return;
  bool const is_offered = kernel.is_wanted && is_offered_now(number);
  bool const is_in = is_offered && kernel.sampler.takes(wanted_.sampling_rate);
  bool const is_alone = wanted_.per == scope::launch && how == launched_by::call;
  sample_count* sampled = is_sampling() && is_offered && !is_alone ? &kernel.sampled[range()] : nullptr;
  // Parts of a sample of launches are there for its error alone: they leave half of the states to other kernels.
  bool const is_dealt = sampled != nullptr && is_in && wanted_.sampling_rate < 1 && wanted_.per != scope::launch;
  std::uint32_t part = is_dealt ? sampled->next_part() : 0;
  bool const is_crowded =
      kernel.context->memory.exists() && kernel.context->kernels.size() >= kernel.context->memory.layout().kernels / 2;
  // What nodes of graphs share is no part's.
  if (part != 0 && (is_crowded || how == launched_by::graph)) {
    part = 0;
    sampled->are_parts_known = false;
  }
  launch_group& group = group_of(kernel, number, part, how);
  if (is_alone && is_in && wanted_.block_rate < 1) sampled = &group.sampled;
  if (sampled != nullptr) ++sampled->launches_offered;
  launch_shape const shape{
      {what.gridDim_x, what.gridDim_y, what.gridDim_z}, {what.blockDim_x, what.blockDim_y, what.blockDim_z}, 0};
  if (group.launches++ == 0) group.first = shape;
  group.has_one_shape = group.has_one_shape && shape.grid == group.first.grid && shape.block == group.first.block;
  if (!is_in) {
    ++group.left_out;
    if (kernel.is_wanted && wanted_.selection.is_warming_up()) prepare(kernel, what.hStream);
    return;
  }
  prepare(kernel, what.hStream);
  std::uint64_t given = 0;
  if (kernel.why_not.empty() && kernel.context->lost_because.empty())
    given =
        how == launched_by::graph ? user_data_of_graph(kernel, group) : user_data_of_call(kernel, group, what.hStream);
  if (given == 0) {
    ++group.unpatched;
    return;
  }
  context_record& context = *kernel.context;
  if (how == launched_by::graph) {
    prepare_shadow(context, *group.graph_state, context.graph_shadows[*group.graph_state], what.hStream);
  } else {
    prepare_shadow(context, *group.state, group.shadow, what.hStream);
  }
  auto* const data = reinterpret_cast<void*>(given);
  SanitizerResult const result = with_.sanitizerSetLaunchCallbackData_(what.hLaunch, what.function, what.hStream, data);
  if (result == SANITIZER_SUCCESS && sampled != nullptr)
    sampled->take(wanted_.sampling_rate < 1 ? part : sample_count::by_block, shape.grid.count(), tally_);
  if (result == SANITIZER_SUCCESS) return;
  ++group.unpatched;
  notes_.insert(fmt::format("Launches could not be given their memory: {}.", with_.explain(result)));
}

// Where the program's instructions lie is known as long as their modules are loaded.
void collector::find_places(context_record& context) {
  std::vector<std::byte> const& copy = context.memory.copy();
  arena_layout const& layout = context.memory.layout();
  if (copy.empty()) return;
  for (std::uint32_t i = 0; i < layout.sites; ++i) {
    detail::patch_site site;
    std::memcpy(&site, copy.data() + layout.sites_begin + i * sizeof site, sizeof site);
    if (site.about == 0 || site.kernel() >= context.kernels.size()) continue;
    auto const [known, is_new] = context.places.try_emplace({site.address, site.kernel()});
    if (is_new) known->second = context.modules.find(site.address, *context.kernels[site.kernel()]);
  }
  for (auto const& [state, region] : context.regions) {
    for_each_row(region, copy, [&, state = state](code_row const& row) {
      auto const [known, is_new] = context.places.try_emplace({row.address, state});
      if (is_new) known->second = context.modules.find(row.address, *context.kernels[state]);
    });
  }
}

void collector::read(context_record& context, Sanitizer_StreamHandle stream) {
  if (context.is_gone || !context.lost_because.empty() || !context.memory.exists()) return;
  context.lost_because = context.memory.read(stream);
  if (!context.lost_because.empty()) return;
  find_places(context);
}

void collector::count_delivered(context_record const& context) {
  for (kernel_record& kernel : records_) {
    if (kernel.context != &context) continue;
    for (launch_group& group : kernel.groups) group.delivered = group.launches - group.left_out - group.unpatched;
  }
}

void collector::wait_ended(Sanitizer_SynchronizeData const& what, waited how) {
  std::unique_lock const lock(mutex_, std::try_to_lock);
  context_record* const context = lock ? find_context(what.context) : nullptr;
  if (context == nullptr || !context->memory.exists() || now() < context->next_read) return;
  auto const begin = std::chrono::steady_clock::now();
  read(*context, how == waited::for_stream ? what.hStream : context->stream);
  if (context->lost_because.empty()) read_shadow(*context, ended::some);
  if (how == waited::for_context && context->lost_because.empty()) count_delivered(*context);
  auto const end = std::chrono::steady_clock::now();
  // At most a fiftieth of the time goes into reading.
  context->next_read = (end + std::max<std::chrono::nanoseconds>(50 * (end - begin), std::chrono::milliseconds(500)))
                           .time_since_epoch()
                           .count();
}

void collector::harvest() {
  own_calls const own;
  std::lock_guard const lock(mutex_);
  for (context_record& context : contexts_) {
    if (context.is_gone || !context.memory.exists() || !context.lost_because.empty()) continue;
    ptx::context_pushed const pushed(driver_, context.handle);
    CUresult const result = pushed ? driver_.cuCtxSynchronize_() : CUDA_ERROR_INVALID_CONTEXT;
    if (result != CUDA_SUCCESS) {
      context.lost_because = driver_.explain(result);
      continue;
    }
    read(context, context.stream);
    if (context.lost_because.empty()) {
      read_shadow(context, ended::all);
      count_delivered(context);
    }
  }
}

}  // namespace pasta::patch
