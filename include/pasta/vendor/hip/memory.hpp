// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HIP_MEMORY_HPP
#define PASTA_VENDOR_HIP_MEMORY_HPP

#include <pasta/vendor/hip/error.hpp>
#include <pasta/vendor/traits.hpp>

namespace pasta {

/// pasta::buffer is the hook.
template <>
struct track_memory<vendor::hip> : detail::hand_on_memory {};

namespace simt {

/// Memory of the current GPU. @throw vendor_error
inline void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(hipMalloc(&memory, bytes), "cannot allocate " + std::to_string(bytes) + " bytes");
  return memory;
}
inline void release(void* memory) noexcept { static_cast<void>(hipFree(memory)); }
/// Between host and GPU, in either direction; waits for the copy and for the launches of the default stream before it.
/// @throw vendor_error also for a kernel that went wrong before
inline void copy(void* to, void const* from, std::size_t bytes) {
  check(hipMemcpy(to, from, bytes, hipMemcpyDefault), "cannot copy " + std::to_string(bytes) + " bytes");
}
inline void set_bytes(void* memory, std::uint8_t value, std::size_t bytes) {
  check(hipMemset(memory, value, bytes), "cannot set " + std::to_string(bytes) + " bytes");
  check(hipStreamSynchronize(nullptr), "cannot set " + std::to_string(bytes) + " bytes");
}

}  // namespace simt
}  // namespace pasta
#endif
