// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_FOLLOW_LAUNCH_HPP
#define PASTA_TOOLS_HIP_RUNTIME_FOLLOW_LAUNCH_HPP

#include <exception>
#include <optional>
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

inline collector::outcome outcome_of(hipError_t result) {
  return result == hipSuccess ? collector::outcome::launched : collector::outcome::refused;
}

/// A launch: its module is attached before it, it counts once the runtime took it.
/// @param call of the runtime's function
template <class Call>
hipError_t follow_launch(void const* function, launch_shape const& shape, hipStream_t stream, Call&& call) {
  followed_call const own;
  run* const here = own.is_outermost() ? run::active() : nullptr;
  kernel_record* record = nullptr;
  bool is_captured = false;
  std::optional<collector::launches_under_way> apart;
  for_run(here, [&](run& to) {
    kernel_record& found = to.collector().find(function, stream, shape);
    is_captured = to.collector().is_capturing(stream);
    if (!is_captured && to.collector().is_any_apart(found)) {
      apart = to.collector().launches_begin({{&found, shape}}, stream);
      to.collector().prepare_shadow(*apart);
    } else if (!is_captured) {
      to.collector().prepare_shadow(found);
    }
    record = &found;
  });
  hipError_t const result = std::forward<Call>(call)();
  if (record == nullptr || (result != hipSuccess && !apart)) return result;
  for_run(here, [&](run& to) {
    if (apart) return to.collector().launches_end(*apart, outcome_of(result));
    if (is_captured) return record->see_shape(shape);  // the graph's launches count
    to.collector().see_launches(*record, shape, stream);
  });
  return result;
}

struct followed_launch {
  void const* function;
  launch_shape shape;
  hipStream_t stream;
};

/// Launches of one call, on several devices. Where launches are told apart they are not followed: orders to the streams
/// of several devices cannot be given at once.
/// @param launch_at gives the launch of a number, as a followed_launch
template <class Launch, class Call>
hipError_t follow_launches(int count, Launch&& launch_at, Call&& call) {
  followed_call const own;
  run* const here = own.is_outermost() ? run::active() : nullptr;
  std::vector<std::pair<kernel_record*, followed_launch>> all;
  for_run(here, [&](run& to) {
    bool is_any_apart = false;
    for (int i = 0; i < count; ++i) {
      followed_launch const each = launch_at(i);
      all.emplace_back(&to.collector().find(each.function, each.stream, each.shape), each);
      is_any_apart = is_any_apart || to.collector().is_any_apart(*all.back().first);
    }
    if (is_any_apart) all.clear();
    for (auto const& [record, each] : all) to.collector().prepare_shadow(*record);
  });
  hipError_t const result = std::forward<Call>(call)();
  if (result != hipSuccess) return result;
  for_run(here, [&](run& to) {
    for (auto const& [record, each] : all) to.collector().see_launches(*record, each.shape, each.stream);
  });
  return result;
}

}  // namespace pasta::hip_runtime
#endif
