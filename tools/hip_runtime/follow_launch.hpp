// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_FOLLOW_LAUNCH_HPP
#define PASTA_TOOLS_HIP_RUNTIME_FOLLOW_LAUNCH_HPP

#include <exception>
#include <utility>
#include <vector>

#include "run.hpp"

namespace pasta::hip_runtime {

/// While it lives what the calling thread asks of the runtime is part of a call that was followed already.
class followed_call {
 public:
  followed_call() { ++depth_; }
  ~followed_call() { --depth_; }
  followed_call(followed_call const&) = delete;
  followed_call& operator=(followed_call const&) = delete;
  bool is_outermost() const { return depth_ == 1; }

 private:
  inline static constinit thread_local int depth_ = 0;
};

/// Does something for the run, if there is one. Whatever goes wrong with it, the program goes on.
template <class Function>
void for_run(run* here, Function&& f) noexcept {
  if (here == nullptr) return;
  try {
    f(*here);
  } catch (std::exception const& error) {
    here->give_up(error.what());
  }
}

/// A launch: its module is attached before it, it counts once the runtime took it.
class launch_follower {
 public:
  launch_follower(run* here, void const* function, launch_shape const& shape, hipStream_t stream) : shape_(shape) {
    for_run(here, [&](run& to) {
      record_ = &to.collector().find(function, stream, shape);
      is_captured_ = to.collector().is_capturing(stream);
    });
  }
  void taken(run& here) const {
    if (record_ == nullptr) return;
    if (is_captured_) {
      record_->see_shape(shape_);  // the graph's launches count
    } else {
      here.collector().see_launches(*record_, shape_, 1);
    }
  }

 private:
  launch_shape shape_;
  kernel_record* record_ = nullptr;
  bool is_captured_ = false;
};

/// @param call of the runtime's function
template <class Call>
hipError_t follow_launch(void const* function, launch_shape const& shape, hipStream_t stream, Call&& call) {
  followed_call const own;
  run* const here = own.is_outermost() ? run::active() : nullptr;
  launch_follower const follower(here, function, shape, stream);
  hipError_t const result = std::forward<Call>(call)();
  if (result == hipSuccess && here != nullptr) follower.taken(*here);
  return result;
}

/// Launches that one call makes.
/// @param follow makes the follower of the launch of this number: launch_follower(run* here, int number)
template <class Follow, class Call>
hipError_t follow_launches(int count, Follow&& follow, Call&& call) {
  followed_call const own;
  run* const here = own.is_outermost() ? run::active() : nullptr;
  std::vector<launch_follower> followers;
  for_run(here, [&](run& to) {
    for (int i = 0; i < count; ++i) followers.push_back(follow(&to, i));
  });
  hipError_t const result = std::forward<Call>(call)();
  for (launch_follower const& each : followers) {
    if (result == hipSuccess) each.taken(*here);
  }
  return result;
}

}  // namespace pasta::hip_runtime
#endif
