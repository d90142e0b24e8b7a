// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Windows of the generic address space. Global and constant memory lie at their own addresses.
#ifndef PASTA_TESTS_EMULATION_PTX_SPACES_HPP
#define PASTA_TESTS_EMULATION_PTX_SPACES_HPP

#include <cstdint>

namespace ptx_emulation {

inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t shared_window = std::uint64_t{1} << 40;
inline constexpr std::uint64_t local_window = std::uint64_t{2} << 40;
inline constexpr std::uint64_t parameter_window = std::uint64_t{3} << 40;  // a kernel's parameters
inline constexpr std::uint64_t function_window = std::uint64_t{4} << 40;   // addresses of functions, no memory

/// Where a block's shared variables and a lane's local ones begin in their windows: address 0 is nobody's.
inline constexpr std::uint32_t first_shared = 1024, first_local = 256;
/// Address of `.extern .shared .b8 x[]`, until a launch says where it begins.
inline constexpr std::uint64_t dynamic_shared = UINT32_MAX;
inline constexpr std::uint32_t local_bytes_per_lane = 32 * 1024;

inline bool is_in(std::uint64_t window, std::uint64_t address) { return address - window < window_bytes; }

}  // namespace ptx_emulation
#endif
