// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How many blocks a multiprocessor holds at once, as far as registers and its slots for warps and blocks decide.
/// A register is given out to a whole warp, in steps of 8 for each thread, and each of a multiprocessor's four parts
/// has a quarter of the 65536 (NVIDIA's CUDA C++ programming guide, table of compute capabilities; cuda_occupancy.h).
#ifndef PASTA_TOOLS_PTXAS_OCCUPANCY_HPP
#define PASTA_TOOLS_PTXAS_OCCUPANCY_HPP

#include <cstdint>
#include <string_view>

namespace pasta::ptxas {

inline constexpr std::uint32_t most_registers = 255, register_step = 8, most_warps_in_block = 32;

/// Block sizes that a kernel may be launched with [warps].
struct block_sizes {
  std::uint32_t least_warps = 1, most_warps = most_warps_in_block;
};

/// @param target `sm_90a`; one that is not known is taken for the most roomy @param registers of a thread
/// @param warps of a block, 1 to 32
/// @return 0: such a block cannot be launched
std::uint32_t blocks_per_multiprocessor(std::string_view target, std::uint32_t registers, std::uint32_t warps);

/// The most registers with which as many blocks of each size are held as with so many registers: a multiple of 8, or
/// 255.
std::uint32_t most_registers_as_roomy_as(std::string_view target, std::uint32_t registers, block_sizes sizes);

/// The registers that a thread is given: up to the next multiple of 8. 255 for what is above 248.
std::uint32_t rounded_registers(std::uint32_t registers);

}  // namespace pasta::ptxas
#endif
