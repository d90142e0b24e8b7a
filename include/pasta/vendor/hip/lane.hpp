// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What one lane of an AMD GPU knows and can do: what pasta::thread is made of. The same members for every vendor.
#ifndef PASTA_VENDOR_HIP_LANE_HPP
#define PASTA_VENDOR_HIP_LANE_HPP

#include <pasta/event.hpp>
#include <pasta/vendor/hip/atomic.hpp>
#include <pasta/vendor/hip/warp.hpp>

namespace pasta::simt {

/// Where an operation stands; the hardware needs no order of places.
using place_order = std::uint64_t;

class lane {
 public:
  PASTA_DEVICE dim3 thread_index() const { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  PASTA_DEVICE dim3 block_index() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  PASTA_DEVICE dim3 block_size() const { return {blockDim.x, blockDim.y, blockDim.z}; }
  PASTA_DEVICE dim3 grid_size() const { return {gridDim.x, gridDim.y, gridDim.z}; }
  PASTA_DEVICE std::uint32_t number() const { return warp::lane(); }
  PASTA_DEVICE std::uint32_t warp_width() const { return warp::width(); }

  PASTA_DEVICE void sync_block() const { __syncthreads(); }
  // Lanes go in step: it is the compiler that must not move accesses across.
  PASTA_DEVICE void sync_warp(place_order) const {
    __threadfence_block();
    __builtin_amdgcn_wave_barrier();
  }
  PASTA_DEVICE void reconverge(place_order) const {}
  PASTA_DEVICE lane_mask active_lanes(place_order) const { return warp::detail::active(); }

  struct votes {
    lane_mask lanes, holds;
  };
  PASTA_DEVICE votes vote(place_order, bool condition) const {
    lane_mask const lanes = warp::detail::active();
    return {lanes, warp::ballot(lanes, condition)};
  }
  template <class Value>
  PASTA_DEVICE Value shuffle(place_order, Value value, std::uint32_t source) const {
    return warp::shuffle(warp::detail::active(), value, source);
  }

  /// At once, through registers.
  template <class T>
  PASTA_DEVICE void copy_async(T* destination, T const* source, std::size_t count, std::size_t source_count) const {
    for (std::size_t i = 0; i < count; ++i) destination[i] = i < source_count ? source[i] : T{};
  }
  PASTA_DEVICE void wait_copies() const {}

  template <class Array, int Number>
  __device__ Array& shared_array() const {
    __shared__ Array array;
    return array;
  }
  __device__ void* dynamic_shared() const {
    HIP_DYNAMIC_SHARED(aligned_bytes, pasta_dynamic_shared)
    return pasta_dynamic_shared;
  }

  __device__ memory_space space_of(void const* address) const {
    auto const generic = (__attribute__((address_space(0))) void const*)address;
    if (__builtin_amdgcn_is_shared(generic)) return memory_space::shared;
    return __builtin_amdgcn_is_private(generic) ? memory_space::local : memory_space::global;
  }

 private:
  struct alignas(16) aligned_bytes {
    unsigned char bytes[16];
  };
};

}  // namespace pasta::simt
#endif
