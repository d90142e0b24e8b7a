// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that give a device's memory and take it back, in front of the runtime's own.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include "follow_launch.hpp"
#include "next_call.hpp"

namespace {

using namespace pasta::hip_runtime;

/// A call that gives memory.
/// @param bytes_of f(): how much it is, once it is there
template <class Memory, class Bytes, class Call>
hipError_t follow_allocation(Memory const* memory, Bytes&& bytes_of, hipStream_t stream, Call&& call) {
  followed_call const own;
  hipError_t const result = call();
  if (result == hipSuccess && memory != nullptr && own.is_outermost()) {
    for_run(run::following_memory(),
            [&](run& to) { to.collector().allocated(*memory, static_cast<std::size_t>(bytes_of()), stream); });
  }
  return result;
}
template <class Memory, class Call>
hipError_t follow_allocation(Memory const* memory, std::size_t bytes, hipStream_t stream, Call&& call) {
  return follow_allocation(
      memory, [=] { return bytes; }, stream, call);
}

/// A call that takes memory back.
template <class Call>
hipError_t follow_release(void const* memory, collector::release how, Call&& call) {
  followed_call const own;
  if (own.is_outermost()) for_run(run::existing(), [&](run& to) { to.collector().released(memory, how); });
  return call();
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipMalloc(void** memory, std::size_t bytes) {
  return follow_allocation(memory, bytes, nullptr, [&] { return PASTA_DETAIL_NEXT(hipMalloc, memory, bytes); });
}
hipError_t hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned flags) {
  return follow_allocation(memory, bytes, nullptr,
                           [&] { return PASTA_DETAIL_NEXT(hipExtMallocWithFlags, memory, bytes, flags); });
}
hipError_t hipMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
  return follow_allocation(memory, bytes, nullptr,
                           [&] { return PASTA_DETAIL_NEXT(hipMallocManaged, memory, bytes, flags); });
}
hipError_t hipMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  return follow_allocation(
      memory, [&] { return *pitch * height; }, nullptr,
      [&] { return PASTA_DETAIL_NEXT(hipMallocPitch, memory, pitch, width, height); });
}
hipError_t hipMemAllocPitch(hipDeviceptr_t* memory, std::size_t* pitch, std::size_t width, std::size_t height,
                            unsigned element_bytes) {
  return follow_allocation(
      memory, [&] { return *pitch * height; }, nullptr,
      [&] { return PASTA_DETAIL_NEXT(hipMemAllocPitch, memory, pitch, width, height, element_bytes); });
}
hipError_t hipMalloc3D(hipPitchedPtr* made, hipExtent extent) {
  return follow_allocation(
      made == nullptr ? nullptr : &made->ptr, [&] { return made->pitch * extent.height * extent.depth; }, nullptr,
      [&] { return PASTA_DETAIL_NEXT(hipMalloc3D, made, extent); });
}
hipError_t hipMallocAsync(void** memory, std::size_t bytes, hipStream_t stream) {
  return follow_allocation(memory, bytes, stream,
                           [&] { return PASTA_DETAIL_NEXT(hipMallocAsync, memory, bytes, stream); });
}
hipError_t hipMallocFromPoolAsync(void** memory, std::size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  return follow_allocation(memory, bytes, stream,
                           [&] { return PASTA_DETAIL_NEXT(hipMallocFromPoolAsync, memory, bytes, pool, stream); });
}
/// Memory that has addresses of its own, of the calling thread's current device.
hipError_t hipMemMap(void* memory, std::size_t bytes, std::size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  return follow_allocation(&memory, bytes, nullptr,
                           [&] { return PASTA_DETAIL_NEXT(hipMemMap, memory, bytes, offset, handle, flags); });
}

hipError_t hipFree(void* memory) {
  return follow_release(memory, collector::release::waits, [&] { return PASTA_DETAIL_NEXT(hipFree, memory); });
}
hipError_t hipFreeAsync(void* memory, hipStream_t stream) {
  return follow_release(memory, collector::release::in_stream,
                        [&] { return PASTA_DETAIL_NEXT(hipFreeAsync, memory, stream); });
}
hipError_t hipMemUnmap(void* memory, std::size_t bytes) {
  return follow_release(memory, collector::release::waits,
                        [&] { return PASTA_DETAIL_NEXT(hipMemUnmap, memory, bytes); });
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
