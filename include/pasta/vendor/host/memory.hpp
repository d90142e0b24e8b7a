// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_MEMORY_HPP
#define PASTA_VENDOR_HOST_MEMORY_HPP

#include <cstring>
#include <new>
#include <pasta/vendor/traits.hpp>

namespace pasta {

/// On the host, pasta::buffer is the hook.
template <>
struct track_memory<vendor::host> : detail::hand_on_memory {};

namespace simt {

/// Memory for kernels, aligned as a GPU's. @throw std::bad_alloc
inline void* allocate(std::size_t bytes) { return ::operator new (bytes, std::align_val_t{256}); }
inline void release(void* memory) noexcept { ::operator delete (memory, std::align_val_t{256}); }
inline void copy(void* to, void const* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
inline void set_bytes(void* memory, std::uint8_t value, std::size_t bytes) { std::memset(memory, value, bytes); }

}  // namespace simt

}  // namespace pasta
#endif
