// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The only file that asks which compiler this is.
#ifndef PASTA_CONFIG_HPP
#define PASTA_CONFIG_HPP

#include <cstddef>
#include <cstdint>

#define PASTA_VERSION_MAJOR 0
#define PASTA_VERSION_MINOR 1
#define PASTA_VERSION_PATCH 0
#define PASTA_VERSION "0.1.0"

#if __cplusplus < 202002L
#error "PASTA needs C++20: compile with -std=c++20 or newer"
#endif

// PASTA_DEVICE stands before every function that can run inside a kernel.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define PASTA_DEVICE __host__ __device__
#else
#define PASTA_DEVICE
#endif
// Whether the compiler is now making code for the CPU (nvcc and hipcc read each file once more for each GPU).
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define PASTA_IS_HOST_PASS 0
#else
#define PASTA_IS_HOST_PASS 1
#endif
#define PASTA_ALWAYS_INLINE inline __attribute__((always_inline))
#define PASTA_NEVER_INLINE __attribute__((noinline))

// Where a traced operation stands in the source. Default arguments of a function; `place` must be the name of no other
// parameter. g++ has no column builtin but a right std::source_location; clang 14 has no source_location and clang 15
// a wrong one, but both have the builtin. The default arguments must not be nested in another call: g++ would give the
// callee's own place; a function that has them passes them on as PASTA_PLACE_FORWARDED.
#if defined(__CUDACC__)
#define PASTA_PLACE_PARAMETERS \
  char const *place_file = __builtin_FILE(), std::uint32_t place_line = __builtin_LINE(), std::uint32_t place_column = 0
#define PASTA_PLACE_ARGUMENTS place_file, place_line, place_column
#define PASTA_PLACE_FORWARDED PASTA_PLACE_ARGUMENTS
#elif defined(__clang__)
#define PASTA_PLACE_PARAMETERS                                                            \
  char const *place_file = __builtin_FILE(), std::uint32_t place_line = __builtin_LINE(), \
             std::uint32_t place_column = __builtin_COLUMN()
#define PASTA_PLACE_ARGUMENTS place_file, place_line, place_column
#define PASTA_PLACE_FORWARDED PASTA_PLACE_ARGUMENTS
#else
#include <source_location>
#define PASTA_PLACE_PARAMETERS std::source_location place_location = std::source_location::current()
#define PASTA_PLACE_ARGUMENTS place_location.file_name(), place_location.line(), place_location.column()
#define PASTA_PLACE_FORWARDED place_location
#endif

// What the report's header says about the build of the analysed program.
#if defined(__CUDACC__)
#define PASTA_COMPILER "nvcc"
#elif defined(__clang__)
#define PASTA_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define PASTA_COMPILER "g++ " __VERSION__
#else
#define PASTA_COMPILER "unknown"
#endif

namespace pasta {

namespace vendor {
struct host {};
struct cuda {};
struct hip {};
/// The vendor that this translation unit is compiled for.
#if defined(__CUDACC__)
using current = cuda;
#elif defined(__HIPCC__)
using current = hip;
#else
using current = host;
#endif
}  // namespace vendor

/// One bit per lane of a warp, lane 0 lowest. 64 bits where a warp can have 64 lanes.
#if defined(__CUDACC__)
using lane_mask = std::uint32_t;
#else
using lane_mask = std::uint64_t;
#endif

/// Extent or position in up to three dimensions.
struct dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  PASTA_DEVICE constexpr dim3(std::uint32_t x_ = 1, std::uint32_t y_ = 1, std::uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
  /// Number of elements of this extent; exact in 64 bits for every shape a GPU accepts.
  PASTA_DEVICE constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(dim3 const&, dim3 const&) = default;
};

}  // namespace pasta
#endif
