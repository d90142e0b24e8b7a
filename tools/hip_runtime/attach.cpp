// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Giving an instrumented module memory to count in. All of it runs at a launch, before the kernel starts, on a stream
// of its own: none of the program's is waited for.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <pasta/instrument/launch_sets.hpp>
#include <pasta/instrument/ptx/module_state.hpp>

#include "collector.hpp"
#include "packed_table.hpp"

namespace pasta::hip_runtime {

using ptx::module_state;

namespace {

// The text may have zeros behind it.
std::shared_ptr<ptx::read_table const> read_table_of(instrumented_code::part const& part, std::string& why_not) {
  if (part.table.empty()) {
    why_not = "its site table could not be found";
    return nullptr;
  }
  try {
    std::string text = ptx::unpack_table(part.table, ptx::max_table_bytes);
    text.resize(text.find_last_not_of('\0') + 1);
    auto table = std::make_shared<ptx::read_table const>(ptx::read_site_table(text));
    if (!part.id.empty() && table->id != part.id) throw ptx::table_error("its site table is that of another module");
    return table;
  } catch (ptx::packed_table_error const& error) {
    why_not = error.what();
  } catch (ptx::table_error const& error) {
    why_not = error.what();
  }
  return nullptr;
}

}  // namespace

// Entries lie behind the head, then sets in whole lines.
std::size_t attachment::launch_bytes() const {
  constexpr std::size_t line_bytes = 128;
  std::size_t const entries = sizeof(detail::launch_sets) + launch_set_count * sizeof(detail::launch_entry);
  return (entries + line_bytes - 1) / line_bytes * line_bytes + launch_set_count * of_launch.set_bytes();
}

std::string collector::copy(device_record& device, void* to, void const* from, std::size_t bytes, hipMemcpyKind kind) {
  hipError_t result = hipSuccess;
  if (device.stream == nullptr) result = runtime_.make_stream(&device.stream, hipStreamNonBlocking);
  if (result == hipSuccess) result = runtime_.copy_async(to, from, bytes, kind, device.stream);
  if (result == hipSuccess) result = runtime_.wait_for_stream(device.stream);
  return result == hipSuccess ? "" : runtime_.explain(result);
}

// The runtime tells the address of a variable that the host's code has a copy of: a registered module is told so.
void* collector::find_state(module_record& module, instrumented_code::part const& part, std::string& why_not) const {
  if (module.from == module_record::origin::program) return part.state;
  std::string const name = std::string(ptx::state_prefix) + part.id;
  void* state = nullptr;
  std::size_t bytes = 0;
  hipError_t result = hipErrorNotFound;
  if (module.from == module_record::origin::loaded) {
    auto* const loaded = static_cast<hipModule_t>(const_cast<void*>(module.loaded));
    if (runtime_.get_global != nullptr) result = runtime_.get_global(&state, &bytes, loaded, name.c_str());
  } else if (module.from == module_record::origin::library) {
    if (runtime_.get_library_global != nullptr)
      result = runtime_.get_library_global(&state, &bytes, module.loaded, name.c_str());
  } else if (runtime_.register_variable != nullptr && runtime_.get_symbol_address != nullptr) {
    std::unique_ptr<char[]>& shadow = module.shadows[part.id];
    if (!shadow) {
      // The name lies behind the copy, as long as the runtime may look at it.
      shadow = std::make_unique<char[]>(sizeof(module_state) + name.size() + 1);
      char* const text = shadow.get() + sizeof(module_state);
      name.copy(text, name.size());
      runtime_.register_variable(module.handle, shadow.get(), text, text, 0, sizeof(module_state), 0, 0);
    }
    result = runtime_.get_symbol_address(&state, shadow.get());
  }
  if (result == hipSuccess && state != nullptr) return state;
  why_not = fmt::format("its state could not be found: {}", runtime_.explain(result));
  return nullptr;
}

// A module gets at most an eighth of what is left, so that many find room; fewer shards cost time.
std::string collector::take_memory(device_record& device, attachment& made) {
  made.lay_out(device.most_shards, device.left_bytes / 8);
  if (made.set_bytes() > device.left_bytes) {
    return fmt::format(
        "PASTA has no memory left for it on the GPU: it needs {} bytes, {} MiB are its limit on a device",
        made.set_bytes(), ptx::most_collected_bytes >> 20);
  }
  hipError_t result = hipSuccess;
  void* memory = nullptr;
  while ((result = runtime_.allocate(&memory, made.set_bytes())) == hipErrorOutOfMemory && made.shard_count > 1) {
    static_cast<void>(runtime_.get_last_error());  // it is not the program's
    made.shard_count /= 2;
  }
  if (result != hipSuccess)
    return fmt::format("the GPU has no memory for what it counts: {}", runtime_.explain(result));
  made.memory = static_cast<std::byte*>(memory);
  device.left_bytes -= made.set_bytes();
  return "";
}

// For as many launches as a quarter of what is left has room for. What finds none adds to what all share.
std::string collector::take_launch_memory(device_record& device, attachment& made) {
  constexpr std::size_t most_sets = 1024;
  made.of_launch.table = made.table;
  made.of_launch.lay_out(1, 0);
  for (made.launch_set_count = most_sets; made.launch_set_count > 1; made.launch_set_count /= 2) {
    if (made.launch_bytes() <= device.left_bytes / 4) break;
  }
  void* memory = nullptr;
  hipError_t const result =
      made.launch_bytes() > device.left_bytes ? hipErrorOutOfMemory : runtime_.allocate(&memory, made.launch_bytes());
  if (result != hipSuccess) {
    made.launch_set_count = 0;
    return fmt::format("the GPU has no memory for launches of their own: {}", runtime_.explain(result));
  }
  made.launches = static_cast<std::byte*>(memory);
  device.left_bytes -= made.launch_bytes();
  std::vector<std::byte> begin(made.launch_bytes());
  detail::launch_sets const sets{reinterpret_cast<std::uint64_t>(made.launches) + made.launch_bytes() -
                                     made.launch_set_count * made.of_launch.set_bytes(),
                                 made.of_launch.set_bytes(), made.launch_set_count - 1};
  std::memcpy(begin.data(), &sets, sizeof sets);
  if (std::string problem = copy(device, made.launches, begin.data(), begin.size(), hipMemcpyHostToDevice);
      !problem.empty())
    return problem;
  auto const address = reinterpret_cast<std::uint64_t>(made.launches);
  return copy(device, static_cast<std::byte*>(made.state) + offsetof(module_state, launches), &address, sizeof address,
              hipMemcpyHostToDevice);
}

std::string collector::fill(device_record& device, attachment& made) {
  hipError_t result = runtime_.set_async(made.memory, 0, made.set_bytes(), device.stream);
  if (result == hipSuccess) result = runtime_.wait_for_stream(device.stream);
  if (result != hipSuccess) return runtime_.explain(result);
  auto const shared = reinterpret_cast<std::uint64_t>(made.memory);
  auto* const state = static_cast<std::byte*>(made.state);
  std::string problem =
      copy(device, state + offsetof(module_state, shared), &shared, sizeof shared, hipMemcpyHostToDevice);
  if (problem.empty() && wanted_.per == scope::launch) problem = take_launch_memory(device, made);
  if (!problem.empty()) return problem;
  struct {
    std::uint64_t shards;
    std::uint32_t shard_mask, shard_bytes;
  } const words{shared + made.shared_bytes, made.shard_count - 1, static_cast<std::uint32_t>(made.shard_stride)};
  // What makes kernels count comes last.
  return copy(device, state, &words, sizeof words, hipMemcpyHostToDevice);
}

attachment* collector::attach(device_record& device, module_record& module, instrumented_code::part& part,
                              std::string& why_not) {
  void* const state = find_state(module, part, why_not);
  if (state == nullptr) return nullptr;
  for (attachment& known : device.attachments) {
    if (!known.is_gone && known.state == state) return &known;
  }
  std::uint64_t shards = 0;
  if (std::string const error = copy(device, &shards, state, sizeof shards, hipMemcpyDeviceToHost); !error.empty()) {
    why_not = fmt::format("its state could not be read: {}", error);
    return nullptr;
  }
  if (shards != 0) {
    why_not = "something else than PASTA's library collects in its module";
    return nullptr;
  }
  std::list<attachment> list(1);
  attachment& made = list.front();
  made.module = &module;
  made.state = state;
  made.table = read_table_of(part, why_not);
  if (made.table == nullptr) return nullptr;
  std::string problem = take_memory(device, made);
  if (problem.empty()) {
    problem = fill(device, made);
    if (!problem.empty()) problem = fmt::format("its state could not be written: {}", problem);
  }
  if (!problem.empty()) {
    if (made.memory != nullptr) static_cast<void>(runtime_.release(made.memory)), device.left_bytes += made.set_bytes();
    if (made.launches != nullptr)
      static_cast<void>(runtime_.release(made.launches)), device.left_bytes += made.launch_bytes();
    why_not = problem;
    return nullptr;
  }
  std::lock_guard const lock(results_mutex_);
  device.attachments.splice(device.attachments.end(), list);
  return &device.attachments.back();
}

}  // namespace pasta::hip_runtime
