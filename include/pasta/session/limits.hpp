// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Bounds of settings, for the program that is analysed and for the command that starts it.
#ifndef PASTA_SESSION_LIMITS_HPP
#define PASTA_SESSION_LIMITS_HPP

#include <cstdint>

namespace pasta::limits {

inline constexpr std::uint32_t host_threads = 1024;  ///< most worker threads of the host engine
inline constexpr double sampling_rate = 1e-9;        ///< smallest share of launches; the largest is 1
inline constexpr double block_rate = 1e-6;           ///< smallest share of blocks; the largest is 1

}  // namespace pasta::limits
#endif
