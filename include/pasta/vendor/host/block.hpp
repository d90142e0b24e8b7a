// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// One thread block on one CPU thread: lanes, warps, divergence, barriers and exchanges between lanes.
#ifndef PASTA_VENDOR_HOST_BLOCK_HPP
#define PASTA_VENDOR_HOST_BLOCK_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <pasta/config.hpp>
#include <pasta/vendor/host/fibers.hpp>
#include <pasta/vendor/host/shared_memory.hpp>
#include <pasta/vendor/launch_shape.hpp>

namespace pasta::simt {

inline constexpr std::uint32_t max_block_threads = 1024;
inline constexpr std::uint32_t max_warp_width = 64;
inline constexpr std::uint32_t max_warps = max_block_threads / 32;

/// Where lanes wait, as one number: lower goes first, equal means the same operation.
using place_order = std::uint64_t;
inline constexpr place_order order_of_enter = 0;
inline constexpr place_order order_of_exit = ~place_order{0};

using pasta::launch_shape;

/// Makes one value of what lanes handed in. @param values [lane]; only lanes of the mask are set
using combine_function = std::uint64_t (*)(std::uint64_t const* values, lane_mask lanes, std::uint64_t argument);

/// Runs blocks one after the other. All lanes of a block are run on the calling thread.
///
/// Lanes start one after the other on the same fiber. A lane gets a fiber of its own only when it has to wait: so a
/// kernel without barriers, exchanges and grouped events runs as a plain loop.
class block_runner {
 public:
  using lane_function = void (*)(void* argument, std::uint32_t thread);

  explicit block_runner(std::size_t stack_bytes) : fibers_(stack_bytes) {}

  /// Runs every thread of one block to its end. `run_lane(argument, thread)` is called once per thread, thread =
  /// linear index.
  /// @throw whatever a lane threw; the block's other lanes are then unwound
  void run(launch_shape const& shape, std::uint32_t warp_width, dim3 block_index, lane_function run_lane,
           void* argument) {
    start(shape, warp_width, block_index, run_lane, argument);
    next_lane next = pick();
    lane_ = next.thread;
    fibers_.switch_to(start_fiber());
    if (error_) {
      is_unwinding_ = true;
      fibers_.unwind_all();
      is_unwinding_ = false;
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
  }

  /// Waits until every live lane of the warp waits; those at the lowest place go on together.
  /// @param brought what group_values() gives to the lanes of the group
  /// @return the lanes that go on together, the caller among them
  lane_mask converge(place_order order, std::uint64_t brought = 0) {
    if (is_unwinding_) return own_bit();
    warp_state& warp = own_warp();
    warp.order[lane_in_warp()] = order;
    warp.brought[lane_in_warp()] = brought;
    warp.waiting |= own_bit();
    wait();
    return own_warp().group;
  }

  /// Hands in a value and waits for the other lanes of `lanes`. Every lane of `lanes` must come here; if one cannot
  /// (the caller's code diverged around it), those that did come are served and take_mismatch() tells.
  /// @return what `combine` makes of all values; without combine, the value of lane `argument`, or the caller's own if
  /// that
  ///   lane is not among those that came
  std::uint64_t exchange(lane_mask lanes, std::uint64_t value, combine_function combine, std::uint64_t argument) {
    if (is_unwinding_) return value;
    warp_state& warp = own_warp();
    std::uint32_t const lane = lane_in_warp();
    rendezvous& meeting = warp.meeting(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    if (meeting.arrived == 0) {
      meeting.expected = lanes;
      meeting.combine = combine;
    }
    meeting.values[lane] = value;
    meeting.arguments[lane] = argument;
    meeting.arrived |= own_bit();
    if (meeting.arrived == meeting.expected) {
      complete(warp, meeting);
      warp.ready &= ~own_bit();
    } else {
      warp.exchanging |= own_bit();
      wait();
    }
    return warp.received[lane];
  }

  /// Waits until every thread of the block that has not ended is here.
  void sync_block() {
    if (is_unwinding_) return;
    own_warp().at_barrier |= own_bit();
    ++at_barrier_count_;
    wait();
  }

  /// [lane]: what each lane of the caller's group brought to converge(); the same for all lanes of the group until
  /// each of them waits again.
  std::uint64_t const* group_values() const { return warps_[lane_ / warp_width_].group_values.data(); }
  /// Counts groups, so that what was computed once for a group can be known again by its other lanes.
  std::uint64_t group_number() const { return group_number_; }

  /// Before a block's first lane or after its last, on the worker itself: the caller counts as lane 0 of a warp of one.
  void begin_solo() {
    lane_ = 0;
    current_warp_ = 0;
  }
  /// Whether the address lies on the calling lane's own stack.
  bool is_on_own_stack(void const* address) const { return fibers_.is_on_running_stack(address); }

  /// Something computed once for the group, for its other lanes to find: `words` belong to `key` while `group` is
  /// group_number().
  struct group_memo {
    std::uint64_t group = ~std::uint64_t{0}, key = 0;
    std::array<std::uint64_t, 6> words{};
  };
  group_memo& memo() { return memo_; }

  std::uint32_t thread() const { return lane_; }
  std::uint32_t lane_in_warp() const { return lane_ & (warp_width_ - 1); }
  lane_mask own_bit() const { return lane_mask{1} << lane_in_warp(); }
  std::uint32_t warp_width() const { return warp_width_; }
  dim3 block_index() const { return block_index_; }
  launch_shape const& shape() const { return *shape_; }
  /// Whether lanes of an exchange did not all come, since the last call.
  bool take_mismatch() { return std::exchange(is_mismatched_, false); }
  shared_memory& shared() { return shared_; }

 private:
  struct rendezvous {
    lane_mask expected = 0, arrived = 0;
    combine_function combine = nullptr;
    std::array<std::uint64_t, max_warp_width> values, arguments;  // [lane]
  };
  struct warp_state {
    lane_mask unstarted = 0, ready = 0, waiting = 0, at_barrier = 0, exchanging = 0;
    lane_mask group = 0;  // the lanes that went on together last
    std::array<place_order, max_warp_width> order;
    std::array<std::uint64_t, max_warp_width> brought, group_values;
    std::array<std::uint64_t, max_warp_width>
        received;  // [lane]: from its last exchange; read before it begins another
    std::array<std::unique_ptr<rendezvous>, max_warp_width> meetings;  // [lowest lane of the exchange's mask]

    rendezvous& meeting(std::uint32_t lowest_lane) {
      if (!meetings[lowest_lane]) meetings[lowest_lane] = std::make_unique<rendezvous>();
      return *meetings[lowest_lane];
    }
    bool can_go() const { return (unstarted | ready | waiting | exchanging) != 0; }
  };
  struct next_lane {
    std::uint32_t thread;
    bool is_new;
  };
  static constexpr std::uint32_t no_thread = ~std::uint32_t{0};

  warp_state& own_warp() { return warps_[lane_ / warp_width_]; }

  void start(launch_shape const& shape, std::uint32_t warp_width, dim3 block_index, lane_function run_lane,
             void* argument) {
    shape_ = &shape;
    warp_width_ = warp_width;
    block_index_ = block_index;
    run_lane_ = run_lane;
    argument_ = argument;
    auto const thread_count = static_cast<std::uint32_t>(shape.block.count());
    warp_count_ = (thread_count + warp_width - 1) / warp_width;
    at_barrier_count_ = 0;
    current_warp_ = 0;
    for (std::uint32_t w = 0; w < warp_count_; ++w) {
      std::uint32_t const lanes = std::min(warp_width, thread_count - w * warp_width);
      warp_state& warp = warps_[w];
      warp.unstarted = lanes == 64 ? ~lane_mask{0} : (lane_mask{1} << lanes) - 1;
      warp.ready = warp.waiting = warp.at_barrier = warp.exchanging = warp.group = 0;
    }
  }

  // Suspends the calling lane, which has said in its warp's masks what it waits for.
  void wait() {
    std::uint32_t const self = lane_;
    next_lane const next = pick();
    if (next.thread != self) {
      lane_fiber_[self] = fibers_.running();
      go_on_with(next);
      lane_ = self;
    }
  }

  void go_on_with(next_lane next) {
    if (next.thread == no_thread) return fibers_.switch_to(main_fiber);
    lane_ = next.thread;
    fibers_.switch_to(next.is_new ? start_fiber() : lane_fiber_[next.thread]);
  }

  fiber_id start_fiber() {
    return fibers_.acquire([](void* self, fiber_id id) { static_cast<block_runner*>(self)->run_lanes(id); }, this);
  }

  // A fiber's life: runs lanes that have not started until there is none, then lends itself to whoever needs a fiber.
  void run_lanes(fiber_id id) {
    for (;;) {
      try {
        run_lane_(argument_, lane_);
      } catch (boost::context::detail::forced_unwind const&) {
        throw;
      } catch (...) {
        error_ = std::current_exception();
      }
      // Outside of the catch block: the C++ runtime keeps its list of caught exceptions per thread, not per fiber.
      if (error_) fibers_.switch_to(main_fiber);
      next_lane const next = pick();
      if (next.thread != no_thread && next.is_new) {
        lane_ = next.thread;
        continue;
      }
      fibers_.release(id);
      go_on_with(next);
      // Acquired again: lane_ was set by the one that switched here.
    }
  }

  // Which lane goes on; never the caller unless what it waits for has come.
  next_lane pick() {
    for (;;) {
      warp_state& warp = warps_[current_warp_];
      if (warp.ready != 0) return {take_lowest(warp.ready), false};
      if (warp.unstarted != 0) return {take_lowest(warp.unstarted), true};
      if (warp.exchanging != 0) {
        serve_stragglers(warp);
      } else if (warp.waiting != 0) {
        form_group(warp);
      } else if (!find_warp() && !release_barrier()) {
        return {no_thread, false};
      }
    }
  }

  std::uint32_t take_lowest(lane_mask& mask) const {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    return current_warp_ * warp_width_ + lane;
  }

  void form_group(warp_state& warp) {
    place_order lowest = order_of_exit;
    lane_mask group = 0;
    for (lane_mask left = warp.waiting; left != 0; left &= left - 1) {
      place_order const order = warp.order[static_cast<std::uint32_t>(std::countr_zero(left))];
      lane_mask const bit = left & (~left + 1);
      if (order < lowest) {
        lowest = order;
        group = bit;
      } else if (order == lowest) {
        group |= bit;
      }
    }
    warp.group = warp.ready = group;
    warp.waiting &= ~group;
    ++group_number_;
    // A copy: the first lane to go on may bring its next value before the last one has gone on.
    std::copy_n(warp.brought.begin(), warp_width_, warp.group_values.begin());
  }

  // All others wait elsewhere, so the lanes missing from an exchange will never come.
  void serve_stragglers(warp_state& warp) {
    is_mismatched_ = true;
    for (auto& meeting : warp.meetings) {
      if (meeting && meeting->arrived != 0) complete(warp, *meeting);
    }
  }

  static void complete(warp_state& warp, rendezvous& meeting) {
    lane_mask const lanes = meeting.arrived;
    auto const first = static_cast<std::uint32_t>(std::countr_zero(lanes));
    std::uint64_t const combined =
        meeting.combine != nullptr ? meeting.combine(meeting.values.data(), lanes, meeting.arguments[first]) : 0;
    for (lane_mask left = lanes; left != 0; left &= left - 1) {
      auto const lane = static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint64_t const source = meeting.arguments[lane];
      bool const is_there = source < max_warp_width && ((lanes >> source) & 1) != 0;
      warp.received[lane] = meeting.combine != nullptr ? combined : meeting.values[is_there ? source : lane];
    }
    meeting.arrived = 0;
    warp.exchanging &= ~lanes;
    warp.ready |= lanes;
  }

  bool find_warp() {
    for (std::uint32_t step = 1; step <= warp_count_; ++step) {
      std::uint32_t const candidate = (current_warp_ + step) % warp_count_;
      if (warps_[candidate].can_go()) {
        current_warp_ = candidate;
        return true;
      }
    }
    return false;
  }

  // Threads that have ended count as arrived, as on the GPU.
  bool release_barrier() {
    if (at_barrier_count_ == 0) return false;
    at_barrier_count_ = 0;
    for (std::uint32_t w = 0; w < warp_count_; ++w) warps_[w].ready = std::exchange(warps_[w].at_barrier, 0);
    current_warp_ = warp_count_ - 1;
    return find_warp();
  }

  fiber_pool fibers_;
  shared_memory shared_;
  std::array<warp_state, max_warps> warps_;
  std::array<fiber_id, max_block_threads> lane_fiber_;  // [thread]: where it was suspended
  launch_shape const* shape_ = nullptr;
  dim3 block_index_;
  lane_function run_lane_ = nullptr;
  void* argument_ = nullptr;
  std::exception_ptr error_;
  std::uint64_t group_number_ = 0;
  group_memo memo_;
  std::uint32_t lane_ = 0;  // linear index of the thread that runs
  std::uint32_t warp_width_ = 32, warp_count_ = 0, current_warp_ = 0, at_barrier_count_ = 0;
  bool is_unwinding_ = false, is_mismatched_ = false;
};

}  // namespace pasta::simt
#endif
