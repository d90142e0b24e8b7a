// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_HOST_HOST_MEMORY_HPP
#define PASTA_SESSION_HOST_HOST_MEMORY_HPP

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace pasta::detail {

/// The host's memory, for a shadow_keeper.
struct host_memory {
  std::atomic<int> const* running = nullptr;  ///< launches

  static void* allocate(std::size_t bytes) {
    constexpr std::size_t alignment = 64;
    void* const memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    return memory == nullptr ? nullptr : std::memset(memory, 0, bytes);
  }
  static void release(void* memory) { std::free(memory); }
  static bool read(void* to, void const* from, std::size_t bytes) { return std::memcpy(to, from, bytes), true; }
  static bool write(void* to, void const* from, std::size_t bytes) { return std::memcpy(to, from, bytes), true; }
  static bool clear(void* memory, std::size_t bytes) { return std::memset(memory, 0, bytes), true; }
  /// Nobody waits: a running kernel may need what its owner has locked.
  bool wait() const { return running == nullptr || running->load(std::memory_order_acquire) == 0; }
};

}  // namespace pasta::detail
#endif
