// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where in a kernel a lane is, as a number for the host engine.
#ifndef PASTA_TESTS_EMULATION_HIP_PROGRAM_POINTS_HPP
#define PASTA_TESTS_EMULATION_HIP_PROGRAM_POINTS_HPP

#include <cstdint>
#include <map>
#include <vector>

namespace hip_emulation {

/// Return addresses, the outermost first: equal where lanes execute the same operation in the same call of the same
/// functions, and less where they come first in the code.
using call_path = std::vector<std::uintptr_t>;

/// Makes `path` the way from `base` to the function that has the frame `innermost`, by the chain of frame pointers.
/// @param base the frame of the lane's outermost function
/// @throw std::logic_error for code that keeps no frame pointers
void read_call_path(call_path& path, void const* innermost, void const* base);

/// Numbers in the order of the paths. Not for several threads at once.
class program_points {
 public:
  /// The path's number, from 1; a new path gets one between those of its neighbours.
  /// @throw std::length_error if there is none left there
  std::uint64_t number_of(call_path const& path);
  void clear() { numbers_.clear(); }

 private:
  std::map<call_path, std::uint64_t> numbers_;
};

}  // namespace hip_emulation
#endif
