// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool's handlers as device functions that NVIDIA's Compute Sanitizer calls from machine code, which it patches at
/// run time. pasta_add_tool compiles
///
///     #define PASTA_DETAIL_HOOK
///     #define PASTA_DETAIL_PATCH
///     #include <sanitizer_patching.h>
///     #include <pasta/instrument/cuda/patch.hpp>
///     #include "coalescing.hpp"
///     PASTA_PATCH(coalescing)
///
/// with `nvcc --fatbin --compile-as-tools-patch`; no other kernel may stand in the file. There is a function for each
/// kind of instruction, and those that the tool needs (instrument/patch_needs.hpp) are the ones that are patched in.
/// Each runs in the lanes that execute the instruction together, just before it.
///
/// A tool with a thread_state has none: a patch is called, and what it kept for a thread would be memory. State of
/// sites (site_state) and of kernels does the same here.
#ifndef PASTA_INSTRUMENT_CUDA_PATCH_HPP
#define PASTA_INSTRUMENT_CUDA_PATCH_HPP

#include <pasta/instrument/cuda/patch_events.hpp>

#define PASTA_DETAIL_JOIN_PATCH_NAME(version, function) pasta_patch_##version##_##function
#define PASTA_DETAIL_PATCH_NAME_OF(version, function) PASTA_DETAIL_JOIN_PATCH_NAME(version, function)
#define PASTA_DETAIL_PATCH_NAME(function) PASTA_DETAIL_PATCH_NAME_OF(PASTA_PATCH_VERSION, function)

// `type` is the vendor's for such functions; `…` is what is called of patch_events.
#define PASTA_DETAIL_PATCH_FUNCTION(tool, function, type, parameters, ...)                               \
  extern "C" __device__ __noinline__ SanitizerPatchResult PASTA_DETAIL_PATCH_NAME(function) parameters { \
    ::pasta::detail::run_patch<tool, ::pasta::detail::patch_function::function>(                         \
        user_data, pc, [&](auto& events) { events.__VA_ARGS__; });                                       \
    return SANITIZER_PATCH_SUCCESS;                                                                      \
  }                                                                                                      \
  static_assert(::std::is_same_v<decltype(&PASTA_DETAIL_PATCH_NAME(function)), type>,                    \
                "this version of the Compute Sanitizer calls its patches otherwise");

#define PASTA_DETAIL_PATCH_ACCESS(tool, function, ...)                                                                 \
  PASTA_DETAIL_PATCH_FUNCTION(                                                                                         \
      tool, function, SanitizerCallbackMemoryAccess,                                                                   \
      (void* user_data, ::std::uint64_t pc, void* at, ::std::uint32_t size_bytes, ::std::uint32_t flags, void const*), \
      __VA_ARGS__)
#define PASTA_DETAIL_PATCH_PLAIN(tool, function, type, ...) \
  PASTA_DETAIL_PATCH_FUNCTION(tool, function, type, (void* user_data, ::std::uint64_t pc), __VA_ARGS__)
#define PASTA_DETAIL_PATCH_BULK(tool, function, type, to_type, first, second, ...)                          \
  PASTA_DETAIL_PATCH_FUNCTION(                                                                              \
      tool, function, type,                                                                                 \
      (void* user_data, ::std::uint64_t pc, to_type first, ::std::uint32_t second, ::std::uint32_t blocks), \
      __VA_ARGS__)

/// Stands once, after the tool's class.
#define PASTA_PATCH(tool)                                                                                             \
  static_assert(                                                                                                      \
      PASTA_DETAIL_IS_HOOK && PASTA_DETAIL_IS_PATCH,                                                                  \
      "a patch is compiled with PASTA_DETAIL_HOOK and PASTA_DETAIL_PATCH defined before any header of PASTA");        \
  static_assert(::pasta::check_tool<tool>());                                                                         \
  PASTA_DETAIL_PATCH_ACCESS(tool, global_access, global_access(at, size_bytes, flags))                                \
  PASTA_DETAIL_PATCH_ACCESS(tool, shared_access, access(::pasta::memory_space::shared, at, size_bytes, flags))        \
  PASTA_DETAIL_PATCH_ACCESS(tool, local_access, access(::pasta::memory_space::local, at, size_bytes, flags))          \
  PASTA_DETAIL_PATCH_ACCESS(tool, remote_shared_access, access(::pasta::memory_space::shared, at, size_bytes, flags)) \
  PASTA_DETAIL_PATCH_FUNCTION(tool, matrix_access, SanitizerCallbackMatrixMemoryAccess,                               \
                              (void* user_data, ::std::uint64_t pc, ::std::uint32_t at, ::std::uint32_t size_bytes,   \
                               ::std::uint32_t flags, ::std::uint32_t matrices, void const*),                         \
                              matrix_access(at, size_bytes, flags, matrices))                                         \
  PASTA_DETAIL_PATCH_FUNCTION(                                                                                        \
      tool, copy_async, SanitizerCallbackMemcpyAsync,                                                                 \
      (void* user_data, ::std::uint64_t pc, void* from, ::std::uint32_t to, ::std::uint32_t size_bytes),              \
      copy_async(from, to, size_bytes))                                                                               \
  PASTA_DETAIL_PATCH_FUNCTION(                                                                                        \
      tool, async_store, SanitizerCallbackAsyncStore,                                                                 \
      (void* user_data, ::std::uint64_t pc, ::std::uint32_t at, ::std::uint32_t, void*, ::std::uint32_t size_bytes),  \
      shared_access(at, size_bytes, ::pasta::access_kind::store))                                                     \
  PASTA_DETAIL_PATCH_FUNCTION(                                                                                        \
      tool, async_reduction, SanitizerCallbackAsyncReduction,                                                         \
      (void* user_data, ::std::uint64_t pc, ::std::uint32_t at, ::std::uint32_t, ::std::uint32_t size_bytes),         \
      shared_access(at, size_bytes, ::pasta::access_kind::atomic))                                                    \
  PASTA_DETAIL_PATCH_FUNCTION(tool, bulk_global_to_shared, SanitizerCallbackBulkCopyGlobalToShared,                   \
                              (void* user_data, ::std::uint64_t pc, ::std::uint64_t from, ::std::uint32_t to,         \
                               ::std::uint32_t, ::std::uint32_t data, ::std::uint32_t),                               \
                              bulk_copy(from, ::pasta::memory_space::global, to, ::pasta::memory_space::shared,       \
                                        data & 0xffff, ::pasta::access_kind::store))                                  \
  PASTA_DETAIL_PATCH_BULK(tool, bulk_shared_to_global, SanitizerCallbackBulkCopySharedToGlobal, ::std::uint64_t, to,  \
                          from,                                                                                       \
                          bulk_copy(from, ::pasta::memory_space::shared, to, ::pasta::memory_space::global, blocks,   \
                                    ::pasta::access_kind::store))                                                     \
  PASTA_DETAIL_PATCH_FUNCTION(tool, bulk_shared_to_shared, SanitizerCallbackBulkCopySharedToShared,                   \
                              (void* user_data, ::std::uint64_t pc, ::std::uint32_t from, ::std::uint32_t to,         \
                               ::std::uint32_t, ::std::uint32_t blocks),                                              \
                              bulk_copy(from, ::pasta::memory_space::shared, to, ::pasta::memory_space::shared,       \
                                        blocks, ::pasta::access_kind::store))                                         \
  PASTA_DETAIL_PATCH_BULK(tool, bulk_reduction_to_global, SanitizerCallbackBulkReductionSharedToGlobal,               \
                          ::std::uint64_t, to, from,                                                                  \
                          bulk_copy(from, ::pasta::memory_space::shared, to, ::pasta::memory_space::global, blocks,   \
                                    ::pasta::access_kind::atomic))                                                    \
  PASTA_DETAIL_PATCH_FUNCTION(tool, bulk_reduction_to_shared, SanitizerCallbackBulkReductionSharedToShared,           \
                              (void* user_data, ::std::uint64_t pc, ::std::uint32_t from, ::std::uint32_t to,         \
                               ::std::uint32_t, ::std::uint32_t blocks),                                              \
                              bulk_copy(from, ::pasta::memory_space::shared, to, ::pasta::memory_space::shared,       \
                                        blocks, ::pasta::access_kind::atomic))                                        \
  PASTA_DETAIL_PATCH_FUNCTION(tool, shared_set, SanitizerCallbackMemsetShared,                                        \
                              (void* user_data, ::std::uint64_t pc, ::std::uint32_t at, ::std::uint32_t blocks),      \
                              shared_set(at, blocks))                                                                 \
  PASTA_DETAIL_PATCH_FUNCTION(                                                                                        \
      tool, barrier, SanitizerCallbackBarrier,                                                                        \
      (void* user_data, ::std::uint64_t pc, ::std::uint32_t, ::std::uint32_t, ::std::uint32_t),                       \
      barrier(::pasta::barrier_scope::block))                                                                         \
  PASTA_DETAIL_PATCH_FUNCTION(tool, warp_barrier, SanitizerCallbackSyncwarp,                                          \
                              (void* user_data, ::std::uint64_t pc, ::std::uint32_t),                                 \
                              barrier(::pasta::barrier_scope::warp))                                                  \
  PASTA_DETAIL_PATCH_PLAIN(tool, cluster_barrier, SanitizerCallbackClusterBarrierArrive,                              \
                           barrier(::pasta::barrier_scope::cluster))                                                  \
  PASTA_DETAIL_PATCH_FUNCTION(tool, cuda_barrier, SanitizerCallbackCudaBarrier,                                       \
                              (void* user_data, ::std::uint64_t pc, void*, ::std::uint32_t kind, ::std::uint32_t),    \
                              cuda_barrier(kind))                                                                     \
  PASTA_DETAIL_PATCH_FUNCTION(tool, call, SanitizerCallbackCall,                                                      \
                              (void* user_data, ::std::uint64_t pc, ::std::uint64_t callee, ::std::uint32_t),         \
                              call(callee))                                                                           \
  PASTA_DETAIL_PATCH_PLAIN(tool, thread_enter, SanitizerCallbackBlockEnter,                                           \
                           template thread_event<::pasta::thread_enter>())                                            \
  PASTA_DETAIL_PATCH_PLAIN(tool, thread_exit, SanitizerCallbackBlockExit, template thread_event<::pasta::thread_exit>())
#endif
