// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Global memory: what is allocated, at addresses of the host.
#ifndef PASTA_TESTS_EMULATION_PTX_MEMORY_HPP
#define PASTA_TESTS_EMULATION_PTX_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>

namespace ptx_emulation {

class device_memory {
 public:
  /// Zeros, aligned to 256 bytes. @param bytes at least 1
  std::uint64_t allocate(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    std::unique_ptr<std::byte, release> made(
        static_cast<std::byte*>(std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)));
    if (!made) throw std::bad_alloc();
    std::memset(made.get(), 0, bytes);
    auto const at = reinterpret_cast<std::uint64_t>(made.get());
    all_.emplace(at, allocation{std::move(made), bytes});
    return at;
  }
  /// @return false if nothing begins there
  bool free(std::uint64_t address) {
    begin_ = size_ = 0;
    return all_.erase(address) == 1;
  }
  /// Size of what begins there [bytes]; 0 for nothing.
  std::size_t size_of(std::uint64_t address) const {
    auto const found = all_.find(address);
    return found == all_.end() ? 0 : found->second.bytes;
  }

  /// Whether all the bytes lie in one allocation. The one that was asked for last is found at once.
  bool has(std::uint64_t address, std::uint64_t bytes) {
    if (address - begin_ < size_ && bytes <= size_ - (address - begin_)) return true;
    auto next = all_.upper_bound(address);
    if (next == all_.begin()) return false;
    --next;
    if (address - next->first >= next->second.bytes || bytes > next->second.bytes - (address - next->first))
      return false;
    begin_ = next->first;
    size_ = next->second.bytes;
    return true;
  }

 private:
  struct release {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct allocation {
    std::unique_ptr<std::byte, release> memory;
    std::size_t bytes;
  };
  std::map<std::uint64_t, allocation> all_;
  std::uint64_t begin_ = 0, size_ = 0;
};

}  // namespace ptx_emulation
#endif
