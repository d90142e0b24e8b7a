// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <cstring>

#include "spaces.hpp"

namespace ptx_emulation {

block::block(launch_state& launch, code const& kernel, launch_shape const& shape, std::array<std::uint32_t, 3> index,
             std::uint32_t multiprocessor, std::span<std::byte const> parameters, device_memory& memory)
    : launch_(&launch), parameters_(parameters.begin(), parameters.end()) {
  std::uint32_t const dynamic = (launch.from->shared_end() + 15) / 16 * 16;
  shared_.resize(dynamic + shape.shared_bytes, std::byte{0xa5});
  execution view;
  view.memory = &memory;
  view.shared = shared_.data();
  view.shared_bytes = shared_.size();
  view.kernel_parameters = parameters_.data();
  view.kernel_parameter_bytes = parameters_.size();
  view.observer = launch.options->observer;
  view.clock = &launch.instructions;
  view.block_index = index;

  std::uint32_t const threads = shape.block[0] * shape.block[1] * shape.block[2];
  std::uint32_t const warps = (threads + warp_lanes - 1) / warp_lanes;
  for (std::uint32_t n = 0; n < warps; ++n) {
    std::uint32_t const mine = std::min(warp_lanes, threads - n * warp_lanes);
    view.warp_index = n;
    warp& made =
        warps_.emplace_back(launch, *this, kernel, mine == warp_lanes ? all_lanes : (lane_mask{1} << mine) - 1, view);
    auto const set = [&](std::uint32_t which, std::uint64_t value) {
      std::fill_n(made.special(static_cast<warp_row>(which)), warp_lanes, value);
    };
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      set(ntid_row + axis, shape.block[axis]);
      set(ctaid_row + axis, index[axis]);
      set(nctaid_row + axis, shape.grid[axis]);
    }
    set(warpid_row, n);
    set(nwarpid_row, warps);
    set(smid_row, multiprocessor);
    set(nsmid_row, launch.options->multiprocessors);
    set(gridid_row, launch.options->grid_id);
    set(dynamic_smem_size_row, shape.shared_bytes);
    set(total_smem_size_row, shared_.size());
    set(dynamic_begin_row, dynamic);
    for (std::uint32_t i = 0; i < warp_lanes; ++i) {
      std::uint32_t const thread = n * warp_lanes + i;
      made.special(tid_row)[i] = thread % shape.block[0];
      made.special(static_cast<warp_row>(tid_row + 1))[i] = thread / shape.block[0] % shape.block[1];
      made.special(static_cast<warp_row>(tid_row + 2))[i] = thread / shape.block[0] / shape.block[1];
      made.special(laneid_row)[i] = i;
      lane_mask const own = lane_mask{1} << i;
      made.special(lanemask_eq_row)[i] = own;
      made.special(lanemask_lt_row)[i] = own - 1;
      made.special(lanemask_le_row)[i] = own | (own - 1);
      made.special(lanemask_gt_row)[i] = ~(own | (own - 1));
      made.special(lanemask_ge_row)[i] = ~(own - 1);
    }
  }
}

bool block::run() {
  bool has_run = false;
  for (warp& each : warps_) {
    if (each.alive() == 0) continue;
    auto const turns = static_cast<std::uint32_t>(64 + (launch_->random() >> 8) % 448);
    has_run = each.run(turns) || has_run;
  }
  return has_run;
}

bool block::go_on_alone() {
  bool has_any = false;
  for (warp& each : warps_) has_any = each.go_on_alone() || has_any;
  return has_any;
}

bool block::is_done() const {
  return std::all_of(warps_.begin(), warps_.end(), [](warp const& each) { return each.alive() == 0; });
}

void block::describe(std::string& text) const {
  for (warp const& each : warps_) each.describe(text);
}

void block::arrive(barrier_arrival const& made) {
  state& at = barriers_[made.barrier];
  at.arrived += made.lanes;
  at.holds += made.holds;
  at.threads = std::max(at.threads, made.threads);
  at.is_waited_for = true;
  try_release(made.barrier);
}

void block::lanes_ended() {
  for (std::uint32_t i = 0; i < barriers_.size(); ++i) {
    if (barriers_[i].is_waited_for) try_release(i);
  }
}

void block::try_release(std::uint32_t barrier) {
  state& at = barriers_[barrier];
  std::uint32_t needed = at.threads, alive = 0;
  for (warp const& each : warps_) alive += static_cast<std::uint32_t>(std::popcount(each.alive()));
  if (needed == 0) needed = alive;
  if (at.arrived < needed) return;
  state const done = at;
  at = {};
  for (warp& each : warps_) each.release(barrier, done.holds, done.arrived);
}

}  // namespace ptx_emulation
