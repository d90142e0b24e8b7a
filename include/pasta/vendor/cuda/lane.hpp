// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What one lane of an NVIDIA GPU knows and can do: what pasta::thread is made of. The same members for every vendor.
#ifndef PASTA_VENDOR_CUDA_LANE_HPP
#define PASTA_VENDOR_CUDA_LANE_HPP

#include <pasta/event.hpp>
#include <pasta/vendor/cuda/atomic.hpp>
#include <pasta/vendor/cuda/warp.hpp>

namespace pasta::simt {

/// Where an operation stands; the hardware needs no order of places.
using place_order = std::uint64_t;

#if PASTA_IS_HOST_PASS
// nvcc compiles kernels for the CPU as well; nothing calls them there.
class lane {
 public:
  dim3 thread_index() const { return {}; }
  dim3 block_index() const { return {}; }
  dim3 block_size() const { return {}; }
  dim3 grid_size() const { return {}; }
  std::uint32_t number() const { return 0; }
  std::uint32_t warp_width() const { return 32; }
  void sync_block() const {}
  void sync_warp(place_order) const {}
  void reconverge(place_order) const {}
  lane_mask active_lanes(place_order) const { return 1; }
  struct votes {
    lane_mask lanes, holds;
  };
  votes vote(place_order, bool condition) const { return {1, condition ? 1u : 0u}; }
  template <class Value>
  Value shuffle(place_order, Value value, std::uint32_t) const {
    return value;
  }
  template <class T>
  void copy_async(T*, T const*, std::size_t, std::size_t) const {}
  void wait_copies() const {}
  template <class Array, int Number>
  Array& shared_array() const {
    static Array array;
    return array;
  }
  void* dynamic_shared() const { return nullptr; }
  memory_space space_of(void const*) const { return memory_space::global; }
};
#else
class lane {
 public:
  __device__ dim3 thread_index() const { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  __device__ dim3 block_index() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  __device__ dim3 block_size() const { return {blockDim.x, blockDim.y, blockDim.z}; }
  __device__ dim3 grid_size() const { return {gridDim.x, gridDim.y, gridDim.z}; }
  __device__ std::uint32_t number() const { return warp::lane(); }
  __device__ std::uint32_t warp_width() const { return 32; }

  __device__ void sync_block() const { __syncthreads(); }
  __device__ void sync_warp(place_order) const { __syncwarp(); }
  __device__ void reconverge(place_order) const {}
  __device__ lane_mask active_lanes(place_order) const { return warp::detail::active(); }

  struct votes {
    lane_mask lanes, holds;
  };
  __device__ votes vote(place_order, bool condition) const {
    return {warp::full, __ballot_sync(warp::full, condition)};
  }
  template <class Value>
  __device__ Value shuffle(place_order, Value value, std::uint32_t source) const {
    return warp::shuffle(warp::full, value, source);
  }

  /// With cp.async where sizes, spaces and alignment allow it (4, 8 or 16 bytes into shared memory), else at once.
  template <class T>
  __device__ void copy_async(T* destination, T const* source, std::size_t count, std::size_t source_count) const {
    std::size_t const bytes = count * sizeof(T), source_bytes = source_count * sizeof(T);
#if __CUDA_ARCH__ >= 800
    bool const is_aligned =
        ((reinterpret_cast<std::uintptr_t>(destination) | reinterpret_cast<std::uintptr_t>(source)) & (bytes - 1)) == 0;
    if ((bytes == 4 || bytes == 8 || bytes == 16) && is_aligned && __isShared(destination) && __isGlobal(source)) {
      auto const to = static_cast<std::uint32_t>(__cvta_generic_to_shared(destination));
      auto const from = __cvta_generic_to_global(source);
      auto const given = static_cast<std::uint32_t>(source_bytes);
      if (bytes == 4)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(given) : "memory");
      if (bytes == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(given) : "memory");
      if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(given) : "memory");
      return;
    }
#endif
    for (std::size_t i = 0; i < count; ++i) destination[i] = i < source_count ? source[i] : T{};
  }
  __device__ void wait_copies() const {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }

  template <class Array, int Number>
  __device__ Array& shared_array() const {
    __shared__ Array array;
    return array;
  }
  __device__ void* dynamic_shared() const {
    extern __shared__ __align__(16) unsigned char memory[];
    return memory;
  }

  __device__ memory_space space_of(void const* address) const {
    return __isShared(address) ? memory_space::shared : __isLocal(address) ? memory_space::local : memory_space::global;
  }
};
#endif

}  // namespace pasta::simt
#endif
