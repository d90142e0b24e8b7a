// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_LEAVING_HPP
#define PASTA_INSTRUMENT_PTX_LEAVING_HPP

#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string_view>
#include <unordered_set>

namespace pasta::ptx {

/// Which functions of a module may end the thread that calls them, by `exit` in themselves or in what they call.
/// Functions of other modules may, but for those of the CUDA device library that are known not to: vprintf, malloc,
/// free, and __assertfail, which ends the launch.
class leaving_functions {
 public:
  explicit leaving_functions(module const& from);

  /// Whether a thread may not come back from this call. @param what of control::call
  bool may_leave(instruction const& what) const;

 private:
  std::unordered_set<std::string_view> staying_;
};

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/leaving.inl>
#endif
