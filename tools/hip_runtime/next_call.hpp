// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_NEXT_CALL_HPP
#define PASTA_TOOLS_HIP_RUNTIME_NEXT_CALL_HPP

#include <atomic>

#include "runtime.hpp"

namespace pasta::hip_runtime {

/// A function of the runtime that this library has one of the same name for. Found at its first call, which may be
/// before this library's own start.
class next_function {
 public:
  constexpr explicit next_function(char const* name) : name_(name) {}

  /// Calls it as a function of these parameters' types. @return `missing` where the process has no runtime
  template <class Result, class... Parameters>
  Result call(Result missing, Parameters... parameters) {
    void* const found = find();
    return found == nullptr ? missing : reinterpret_cast<Result (*)(Parameters...)>(found)(parameters...);
  }
  /// One that gives nothing back.
  template <class... Parameters>
  void call_plain(Parameters... parameters) {
    if (void* const found = find()) reinterpret_cast<void (*)(Parameters...)>(found)(parameters...);
  }

 private:
  void* find() {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) found_ = found = find_next(name_);
    return found;
  }

  char const* name_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace pasta::hip_runtime

/// Calls the runtime's function of this name; its error where there is none.
#define PASTA_DETAIL_NEXT(name, ...)                                \
  [&] {                                                             \
    static constinit pasta::hip_runtime::next_function next(#name); \
    return next.call(hipErrorNotInitialized, __VA_ARGS__);          \
  }()
#endif
