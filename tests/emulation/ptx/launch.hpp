// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Runs a kernel.
#ifndef PASTA_TESTS_EMULATION_PTX_LAUNCH_HPP
#define PASTA_TESTS_EMULATION_PTX_LAUNCH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "execution.hpp"
#include "program.hpp"

namespace ptx_emulation {

struct launch_shape {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t shared_bytes = 0;  // dynamic
};

/// Whether lanes that a branch parted meet again: always where all their ways come together, or nowhere but in the
/// instructions that wait for others. PTX promises no more than the last; a GPU lies in between, near the first.
enum class reconvergence : std::uint8_t { ideal, none };

/// How it is run. Equal options give an equal run.
struct launch_options {
  std::uint64_t seed = 0;  // in which order warps, and parts of them, come, and how long their turns are
  ptx_emulation::reconvergence meets = ptx_emulation::reconvergence::ideal;
  std::uint32_t multiprocessors = 4, blocks_each = 2;
  /// Lanes that wait where they should meet others go on alone when the others have executed so many instructions more:
  /// those may be waiting for what the first would do, a lock's release.
  std::uint64_t patience = 4'000'000;
  std::uint64_t most_instructions = 20'000'000'000;  // of warps
  std::uint64_t grid_id = 1;
  access_observer* observer = nullptr;
};

/// Returns when all threads have ended.
/// @param parameters the kernel's, as they lie in its parameter space; at least as many bytes as it has
/// @return how many instructions were executed, of warps or parts of them @throws kernel_fault
std::uint64_t launch(program const& from, code const& kernel, launch_shape const& shape,
                     std::span<std::byte const> parameters, device_memory& memory, launch_options const& options);

}  // namespace ptx_emulation
#endif
