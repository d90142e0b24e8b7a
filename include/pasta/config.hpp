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

// fmt 9 does not make its functions constexpr for nvcc, although it uses them in constants.
#if defined(__CUDACC__)
#if defined(FMT_VERSION) && !FMT_USE_CONSTEXPR
#error "include <pasta/pasta.hpp> before fmt, or compile with -DFMT_USE_CONSTEXPR=1"
#elif !defined(FMT_VERSION) && !defined(FMT_USE_CONSTEXPR)
#define FMT_USE_CONSTEXPR 1
#endif
#endif

#if __cplusplus < 202002L
#error "PASTA needs C++20: compile with -std=c++20 or newer"
#endif

// Which vendor this translation unit is for. All files of a program that include pasta.hpp must agree.
#if defined(__CUDACC__)
#define PASTA_DETAIL_IS_CUDA 1
#else
#define PASTA_DETAIL_IS_CUDA 0
#endif
#if defined(__HIPCC__) && !PASTA_DETAIL_IS_CUDA
#define PASTA_DETAIL_IS_HIP 1
#include <hip/hip_runtime.h>  // __host__ and __device__ are its macros
#else
#define PASTA_DETAIL_IS_HIP 0
#endif
// PASTA_DEVICE stands before every function that can run inside a kernel.
#if PASTA_DETAIL_IS_CUDA || PASTA_DETAIL_IS_HIP
#define PASTA_DEVICE __host__ __device__
#else
#define PASTA_DEVICE
#endif
// The vendor's own version of a header, of the same name in each vendor's folder; HIP's may be what GPUs share (gpu).
//     #include PASTA_INSTRUMENT_OF_VENDOR(probe)
#if PASTA_DETAIL_IS_CUDA
#define PASTA_VENDOR_NAME "cuda"
#define PASTA_VENDOR_HEADER <pasta/vendor/cuda.hpp>
#define PASTA_ANALYSIS_OF_VENDOR(name) <pasta/analysis/cuda/name.hpp>
#define PASTA_INSTRUMENT_OF_VENDOR(name) <pasta/instrument/cuda/name.hpp>
#define PASTA_SESSION_OF_VENDOR(name) <pasta/session/cuda/name.hpp>
#elif PASTA_DETAIL_IS_HIP
#define PASTA_VENDOR_NAME "hip"
#define PASTA_VENDOR_HEADER <pasta/vendor/hip.hpp>
#define PASTA_ANALYSIS_OF_VENDOR(name) <pasta/analysis/gpu/name.hpp>
#define PASTA_INSTRUMENT_OF_VENDOR(name) <pasta/instrument/gpu/name.hpp>
#define PASTA_SESSION_OF_VENDOR(name) <pasta/session/hip/name.hpp>
#else
#define PASTA_VENDOR_NAME "host"
#define PASTA_VENDOR_HEADER <pasta/vendor/host.hpp>
#define PASTA_ANALYSIS_OF_VENDOR(name) <pasta/analysis/host/name.hpp>
#define PASTA_INSTRUMENT_OF_VENDOR(name) <pasta/instrument/host/name.hpp>
#define PASTA_SESSION_OF_VENDOR(name) <pasta/session/host/name.hpp>
#endif
// Whether the compiler is now making code for the CPU (nvcc and hipcc read each file once more for each GPU).
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define PASTA_IS_HOST_PASS 0
#else
#define PASTA_IS_HOST_PASS 1
#endif
// Before a loop with a small constant number of iterations: unrolls it also where a tool's code makes it long.
#if defined(__CUDACC__) || defined(__clang__)
#define PASTA_UNROLL _Pragma("unroll")
#else
#define PASTA_UNROLL _Pragma("GCC unroll 64")
#endif
// Before a loop that is seldom gone round, or whose code is long: leaves it a loop.
#if defined(__CUDACC__) || defined(__clang__)
#define PASTA_NO_UNROLL _Pragma("unroll 1")
#else
#define PASTA_NO_UNROLL
#endif
#define PASTA_ALWAYS_INLINE inline __attribute__((always_inline))
// A hook is one function without calls: see instrument/cuda/hook.hpp.
#if defined(PASTA_DETAIL_HOOK)
#define PASTA_NEVER_INLINE __attribute__((always_inline))
#define PASTA_DETAIL_IS_HOOK 1
#else
#define PASTA_NEVER_INLINE __attribute__((noinline))
#define PASTA_DETAIL_IS_HOOK 0
#endif
// A patch is made of the same: see instrument/cuda/patch.hpp.
#if defined(PASTA_DETAIL_PATCH)
#define PASTA_DETAIL_IS_PATCH 1
#else
#define PASTA_DETAIL_IS_PATCH 0
#endif

// The llvm route (docs/routes.md): which functions are kernels, and what they call that is not theirs. Builds with the
// pass plugin define PASTA_LLVM_ROUTE; without it these mean nothing.
#if defined(__clang__)
#define PASTA_PLAIN_KERNEL __attribute__((annotate("pasta.kernel")))
#else
#define PASTA_PLAIN_KERNEL
#endif
#if defined(PASTA_LLVM_ROUTE)
#define PASTA_PROGRAM_ROUTE "llvm"
#define PASTA_KERNEL_CALL __attribute__((noinline, annotate("pasta.runtime")))
#define PASTA_KERNEL_CONSTANT __attribute__((noinline, const, annotate("pasta.runtime")))
#else
#define PASTA_PROGRAM_ROUTE "probe"
#define PASTA_KERNEL_CALL
#define PASTA_KERNEL_CONSTANT
#endif

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
#define PASTA_DETAIL_TEXT(number) #number
#define PASTA_DETAIL_VERSION_TEXT(major, minor) PASTA_DETAIL_TEXT(major) "." PASTA_DETAIL_TEXT(minor)
#define PASTA_COMPILER "nvcc " PASTA_DETAIL_VERSION_TEXT(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__)
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
#if PASTA_DETAIL_IS_CUDA
using current = cuda;
#elif PASTA_DETAIL_IS_HIP
using current = hip;
#else
using current = host;
#endif
}  // namespace vendor

/// Whether this translation unit is compiled with the llvm route's pass plugin.
#if defined(PASTA_LLVM_ROUTE)
inline constexpr bool is_llvm_route = true;
#else
inline constexpr bool is_llvm_route = false;
#endif

/// One bit per lane of a warp, lane 0 lowest. 64 bits where a warp can have 64 lanes.
#if PASTA_DETAIL_IS_CUDA
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
