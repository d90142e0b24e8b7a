// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_FIBERS_HPP
#define PASTA_VENDOR_HOST_FIBERS_HPP

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <memory>
#include <pasta/vendor/host/fiber_stack.hpp>
#include <utility>
#include <vector>

namespace pasta::simt {

/// The number of a fiber within its pool; 0 is the worker thread itself.
using fiber_id = std::uint32_t;
inline constexpr fiber_id main_fiber = 0;

/// Fibers of one worker thread that switch to each other directly, with no scheduler in between, and are used again.
/// Not thread-safe: everything happens on the worker that made it. Stacks are mapped with a guard page and touched on
/// use.
class fiber_pool {
 public:
  explicit fiber_pool(std::size_t stack_bytes) : stack_bytes_(stack_bytes), contexts_(1), stacks_(1) {}

  /// A fiber that is not in use; it will run `entry(argument, its id)` when first switched to. The entry must never
  /// return: it ends by switching away after release().
  fiber_id acquire(void (*entry)(void*, fiber_id), void* argument) {
    if (!idle_.empty()) {
      fiber_id const id = idle_.back();
      idle_.pop_back();
      return id;
    }
    auto const id = static_cast<fiber_id>(contexts_.size());
    fiber_stack_allocator const allocator(stack_bytes_);
    boost::context::stack_context const stack = allocator.allocate();
    stacks_.push_back({static_cast<char const*>(stack.sp) - stack.size, static_cast<char const*>(stack.sp)});
    contexts_.emplace_back(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), allocator,
                           [this, entry, argument, id](boost::context::fiber&& from) {
                             contexts_[previous_] = std::move(from);
                             entry(argument, id);
                             return std::move(contexts_[main_fiber]);
                           });
    return id;
  }

  /// Marks the running fiber as free; it must then switch away, and goes on from there when it is acquired and
  /// switched to again.
  void release(fiber_id id) { idle_.push_back(id); }

  /// Suspends the running fiber and goes on with another.
  void switch_to(fiber_id id) {
    fiber_id const self = running_;
    previous_ = self;
    running_ = id;
    boost::context::fiber from = std::move(contexts_[id]).resume();
    contexts_[previous_] = std::move(from);
  }

  fiber_id running() const { return running_; }

  /// Whether the address lies on the running fiber's stack.
  bool is_on_running_stack(void const* address) const {
    stack_range const& stack = stacks_[running_];
    return stack.low <= address && address < stack.high;
  }

  /// Unwinds every fiber's stack (destructors of what lives there run) and forgets them. From the main fiber only.
  void unwind_all() {
    idle_.clear();
    for (std::size_t id = 1; id < contexts_.size(); ++id) {
      // The unwound fiber ends inside this destructor and control comes back here.
      running_ = static_cast<fiber_id>(id);
      boost::context::fiber{std::move(contexts_[id])};
    }
    contexts_.resize(1);
    stacks_.resize(1);
    running_ = main_fiber;
  }

  ~fiber_pool() { unwind_all(); }
  fiber_pool(fiber_pool const&) = delete;
  fiber_pool& operator=(fiber_pool const&) = delete;

 private:
  std::size_t stack_bytes_;
  std::vector<boost::context::fiber> contexts_;  // [id]: where it was suspended; empty while it runs
  struct stack_range {
    char const *low = nullptr, *high = nullptr;
  };
  std::vector<stack_range> stacks_;  // [id]
  std::vector<fiber_id> idle_;
  fiber_id running_ = main_fiber;
  fiber_id previous_ = main_fiber;
};

}  // namespace pasta::simt
#endif
