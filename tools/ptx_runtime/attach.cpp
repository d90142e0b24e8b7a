// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Giving an instrumented module memory to count in. All of it runs at a launch, before the kernel starts, on a stream
// of its own: none of the program's is waited for.
#include <fmt/format.h>

#include <algorithm>
#include <pasta/instrument/ptx/module_state.hpp>

#include "collector.hpp"
#include "packed_table.hpp"

namespace pasta::ptx {

namespace {

// Of a state of either size; what follows is there in the larger alone.
constexpr std::size_t small_state_bytes = 32, shared_offset = 32;

struct state_words {
  std::uint64_t shards = 0;
  std::uint32_t shard_mask = 0, shard_bytes = 0;
  std::uint64_t table_bytes = 0, table = 0;
};
static_assert(sizeof(state_words) == small_state_bytes);

}  // namespace

context_state& collector::context_of(CUcontext handle, std::uint32_t uid) {
  std::unique_lock lock(results_mutex_);
  for (context_state& known : contexts_) {
    if (known.uid == uid) return known;
  }
  context_state& made = contexts_.emplace_back();
  made.uid = uid;
  made.handle = handle;
  made.left_bytes = memory_limit_bytes;
  lock.unlock();
  char name[256] = "";
  int processors = 1;
  static_cast<void>(driver_.cuCtxGetDevice_(&made.device));
  static_cast<void>(driver_.cuDeviceGetName_(name, sizeof name, made.device));
  static_cast<void>(driver_.cuDeviceGetAttribute_(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, made.device));
  made.device_name = name;
  while (made.most_shards < static_cast<std::uint32_t>(processors) && made.most_shards < 4096) made.most_shards *= 2;
  return made;
}

std::string collector::copy_to_host(context_state& context, void* to, CUdeviceptr from, std::size_t bytes) const {
  CUresult result = CUDA_SUCCESS;
  if (context.stream == nullptr) result = driver_.cuStreamCreate_(&context.stream, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS) result = driver_.cuMemcpyDtoHAsync_(to, from, bytes, context.stream);
  if (result == CUDA_SUCCESS) result = driver_.cuStreamSynchronize_(context.stream);
  return result == CUDA_SUCCESS ? "" : driver_.explain(result);
}

std::shared_ptr<read_table const> collector::read_table_of(context_state& context, CUdeviceptr state,
                                                           std::string const& id, std::string& why_not) {
  if (auto const known = tables_.find(id); known != tables_.end()) return known->second;
  state_words words;
  if (std::string const error = copy_to_host(context, &words, state, sizeof words); !error.empty()) {
    why_not = fmt::format("its state could not be read: {}", error);
    return nullptr;
  }
  if (words.table == 0 || words.table_bytes == 0 || words.table_bytes > max_table_bytes) {
    why_not = fmt::format("its site table has {} bytes", words.table_bytes);
    return nullptr;
  }
  std::string bytes(words.table_bytes, '\0');
  if (std::string const error = copy_to_host(context, bytes.data(), words.table, bytes.size()); !error.empty()) {
    why_not = fmt::format("its site table could not be read: {}", error);
    return nullptr;
  }
  try {
    auto table = std::make_shared<read_table const>(read_site_table(unpack_table(bytes, max_table_bytes)));
    if (table->id != id) throw table_error("its site table is that of another module");
    return tables_[id] = std::move(table);
  } catch (packed_table_error const& error) {
    why_not = error.what();
    return nullptr;
  } catch (table_error const& error) {
    why_not = error.what();
    return nullptr;
  }
}

// A module gets at most an eighth of what is left, so that many find room; fewer shards cost time. Where launches are
// kept apart it gets many sets, of fewer shards.
std::string collector::take_memory(context_state& context, attachment& made) {
  constexpr std::size_t enough_sets = 1024, many_sets = 128, few_sets = 8;
  constexpr std::uint32_t few_shards = 16;
  bool const is_apart = wanted_.per == scope::launch && context.can_switch;
  std::size_t const share = context.left_bytes / 8;
  made.lay_out(context.most_shards, share);
  while (is_apart && made.shard_count > few_shards && made.set_bytes() * many_sets > share) made.shard_count /= 2;
  while (is_apart && made.shard_count > 1 && made.set_bytes() * few_sets > share) made.shard_count /= 2;
  std::size_t sets = is_apart ? std::clamp<std::size_t>(share / made.set_bytes(), 1, enough_sets) : 1;
  std::string const limit = fmt::format("{} MiB are its limit in a context", memory_limit_bytes >> 20);
  if (made.set_bytes() > context.left_bytes)
    return fmt::format("PASTA has no memory left for it on the GPU: it needs {} bytes, {}", made.set_bytes(), limit);
  CUresult result = CUDA_SUCCESS;
  while ((result = grow(context, made, sets)) == CUDA_ERROR_OUT_OF_MEMORY && (made.shard_count > 1 || sets > 1)) {
    sets > 1 ? sets /= 2 : made.shard_count /= 2;
  }
  if (result != CUDA_SUCCESS)
    return fmt::format("the GPU has no memory for what it counts: {}", driver_.explain(result));
  launch_bin& first = made.bins.emplace_back();
  first.memory = made.free.back();
  made.free.pop_back();
  return "";
}

// Tells the module where its memory is. It is on where the launch that is about to be made is one to be analysed.
std::string collector::fill(context_state& context, attachment& made) {
  bool const is_off = context.can_switch && (is_stopped_ || !wanted_.selection.has_launch(next_launch_));
  std::uint64_t const shared = made.bins.front().memory;
  struct {
    std::uint64_t shards;
    std::uint32_t shard_mask, shard_bytes;
  } const words{is_off ? 0 : shared + made.shared_bytes, made.shard_count - 1,
                static_cast<std::uint32_t>(made.shard_stride)};
  made.epochs.push_back({is_off ? nullptr : &made.bins.front()});
  made.is_switching = is_off || (is_choosy_ && context.can_switch);
  CUresult result = CUDA_SUCCESS;
  if (made.has_shared_word())
    result = driver_.cuMemcpyHtoDAsync_(made.state + shared_offset, &shared, sizeof shared, context.stream);
  // What makes kernels count comes last.
  if (result == CUDA_SUCCESS) result = driver_.cuMemcpyHtoDAsync_(made.state, &words, sizeof words, context.stream);
  if (result == CUDA_SUCCESS) result = driver_.cuStreamSynchronize_(context.stream);
  return result == CUDA_SUCCESS ? "" : driver_.explain(result);
}

attachment* collector::attach(context_state& context, CUmodule module, std::string const& id, std::string& why_not) {
  CUdeviceptr state = 0;
  std::size_t state_bytes = 0;
  std::string const name = std::string(state_prefix) + id;
  if (driver_.cuModuleGetGlobal_(&state, &state_bytes, module, name.c_str()) != CUDA_SUCCESS) return nullptr;
  if (state_bytes < small_state_bytes) {
    why_not = fmt::format("its state has {} bytes", state_bytes);
    return nullptr;
  }
  std::uint64_t shards = 0;
  if (std::string const error = copy_to_host(context, &shards, state, sizeof shards); !error.empty()) {
    why_not = fmt::format("its state could not be read: {}", error);
    return nullptr;
  }
  // A module that was unloaded may have had its state at this address: what is in the state tells, unless it is off.
  for (attachment& known : context.attachments) {
    if (known.is_gone || known.state != state) continue;
    if (known.has(shards) || (shards == 0 && known.module == module && known.is_switching)) return &known;
  }
  if (shards != 0) {
    why_not = "something else than PASTA's library collects in its module";
    return nullptr;
  }
  if (is_choosy_ || is_stopped_) prepare(context);
  std::list<attachment> list(1);
  attachment& made = list.front();
  made.module = module;
  made.state = state;
  made.state_bytes = state_bytes;
  made.table = read_table_of(context, state, id, why_not);
  if (made.table == nullptr) return nullptr;
  std::string problem = take_memory(context, made);
  if (problem.empty()) {
    problem = fill(context, made);
    if (!problem.empty()) problem = fmt::format("its state could not be written: {}", problem);
  }
  if (!problem.empty()) {
    why_not = problem;
    return nullptr;
  }
  std::lock_guard const lock(results_mutex_);
  context.attachments.splice(context.attachments.end(), list);
  return &context.attachments.back();
}

// Without attaching.
attachment* collector::find_attachment(context_state& context, CUmodule module, std::string const& id) {
  for (attachment& known : context.attachments) {
    if (!known.is_gone && known.module == module && known.table->id == id) return &known;
  }
  return nullptr;
}

}  // namespace pasta::ptx
