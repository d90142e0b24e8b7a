// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What instrumenting does to a kernel's registers, and what is said of it.
#ifndef PASTA_TOOLS_PTXAS_KERNEL_CHANGE_HPP
#define PASTA_TOOLS_PTXAS_KERNEL_CHANGE_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "figures.hpp"
#include "kernel_bounds.hpp"
#include "settings.hpp"

namespace pasta::ptxas {

struct kernel_change {
  kernel_figures native, instrumented;
  kernel_bounds bounds;
  std::uint32_t limit = 0;    ///< that was put in; 0: none
  std::string why_unlimited;  ///< half a line, where there should be one

  /// Whether there are figures of the instrumented kernel.
  bool is_assembled() const { return instrumented.registers != 0; }
  bool is_changed() const;
  std::uint64_t added_spill_bytes() const;
  /// A block size [threads] of which fewer blocks are held at once; nothing if there is none.
  std::optional<std::uint32_t> crowded_threads() const;
  /// Whether a launch that has room natively has room still.
  bool keeps_launches() const;
  /// Blocks of so many threads that a multiprocessor holds at once: native, instrumented.
  std::pair<std::uint32_t, std::uint32_t> blocks(std::uint32_t threads) const;
};

/// A row for each native kernel. @param bounds may lack some
std::vector<kernel_change> list_changes(std::span<kernel_figures const> native, std::span<kernel_bounds const> bounds);

/// The limits of kernels that take more registers than `wanted` allows, or that are likely to: before the instrumented
/// text is assembled that is the native count and what PASTA keeps in registers, afterwards the instrumented count.
/// Notes them in the rows, and why there is none. @return the new ones, by kernel
std::map<std::string, std::uint32_t> choose_limits(std::span<kernel_change> changes, register_policy wanted,
                                                   linking how);

/// `_Z3addPf (sm_90): registers 64 to 64 (limit 64), spills 0 to 8 bytes, blocks of 128 threads 8 to 8, …`
std::string describe(kernel_change const& change);

/// One line for all that is worse than natively: spills, fewer blocks at once. Empty if nothing is.
std::string warn(std::span<kernel_change const> changes);

/// A line of JSON for each kernel, as README.md describes them.
/// @param module the id in hexadecimal digits @param input the name of the file
std::string to_json_lines(std::span<kernel_change const> changes, std::string_view module, std::string_view input);

}  // namespace pasta::ptxas
#endif
