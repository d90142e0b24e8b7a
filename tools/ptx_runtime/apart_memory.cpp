// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Memory for launches that are kept apart, and what is to be said of those for which there was none.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "collector.hpp"
#include "epochs.hpp"

namespace pasta::ptx {

void collector::add_launch_notes(std::set<std::string>& notes) const {
  auto const tell = [&](std::uint64_t count, char const* what) {
    if (count > 0) notes.insert(fmt::format("{} launch{} {}", count, count == 1 ? "" : "es", what));
  };
  tell(merged_launches_,
       "merged by kernel: there was no memory to keep more launches or ranges apart (at most 8192 of them).");
  tell(forced_launches_,
       "that would have been left out ran beside others of the module in another stream: analysed too.");
  tell(partial_launches_,
       "ran in another stream while collecting was switched on or off in their module: they may be counted in part.");
}

// More memory for launches that are kept apart: what was read is used again, or the GPU gives some.
void collector::make_room(context_state& context, attachment& of, launch_group const& group) {
  if (group.launch) {
    // Only where it pays: reading takes as long as some dozens of launches.
    std::lock_guard const lock(results_mutex_);
    if (of.once.empty() || !is_releasable(of, *of.once[of.once.size() / 2])) return;
  }
  std::unique_lock const attach_lock(attach_mutex_, std::try_to_lock);
  if (!attach_lock) return;
  capture_relaxed const relaxed(driver_);
  if (group.launch) return static_cast<void>(read(context, of));
  std::size_t const bytes = of.set_bytes();
  std::size_t const sets = std::clamp<std::size_t>(context.left_bytes / 8 / bytes, 1, 8);
  if (sets * bytes <= context.left_bytes) static_cast<void>(grow(context, of, sets));
}

// @return an error of the driver
CUresult collector::grow(context_state& context, attachment& of, std::size_t sets) {
  CUdeviceptr memory = 0;
  std::size_t const bytes = of.set_bytes() * sets;
  CUresult result = driver_.cuMemAlloc_(&memory, bytes);
  if (result != CUDA_SUCCESS) return result;
  if (context.stream == nullptr) result = driver_.cuStreamCreate_(&context.stream, CU_STREAM_NON_BLOCKING);
  if (result == CUDA_SUCCESS) result = driver_.cuMemsetD8Async_(memory, 0, bytes, context.stream);
  if (result == CUDA_SUCCESS) result = driver_.cuStreamSynchronize_(context.stream);
  if (result != CUDA_SUCCESS) {
    static_cast<void>(driver_.cuMemFree_(memory));
    return result;
  }
  context.left_bytes -= bytes;
  std::lock_guard const lock(results_mutex_);
  of.slabs.push_back({memory, sets});
  for (std::size_t i = sets; i > 0; --i) of.free.push_back(memory + (i - 1) * of.set_bytes());
  return CUDA_SUCCESS;
}

// Of single launches, and nothing adds to them any more.
std::vector<launch_bin*> collector::ended_bins(attachment& of) {
  settle(of);
  std::vector<launch_bin*> found;
  std::copy_if(of.once.begin(), of.once.end(), std::back_inserter(found),
               [&](launch_bin const* each) { return is_releasable(of, *each); });
  return found;
}

}  // namespace pasta::ptx
