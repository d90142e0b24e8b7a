// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_VENDOR_HOST_SHARED_MEMORY_HPP
#define PASTA_VENDOR_HOST_SHARED_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace pasta::simt {

/// Most shared memory a block may have, static and dynamic together [bytes]: what current data-centre GPUs allow.
inline constexpr std::size_t max_shared_bytes = 227 * 1024;

/// The shared memory of the block that a worker runs. Contents are undefined when a block starts, as on a GPU.
class shared_memory {
 public:
  /// Before a launch: forgets the last kernel's static arrays.
  /// @throw std::invalid_argument if `dynamic_bytes` is more than a block may have
  void begin_launch(std::size_t dynamic_bytes) {
    if (dynamic_bytes > max_shared_bytes)
      throw std::invalid_argument("more dynamic shared memory than a block can have (227 KiB)");
    if (!storage_) storage_ = std::make_unique<storage>();
    used_bytes_ = aligned(dynamic_bytes);
    arrays_.clear();
  }

  void* dynamic() const { return storage_->bytes; }

  /// The static array known as `key`, the same for all threads and blocks of a launch.
  /// @throw std::length_error if the block's shared memory is exhausted
  void* array(void const* key, std::size_t size_bytes) {
    for (auto const& known : arrays_) {
      if (known.key == key) return storage_->bytes + known.offset;
    }
    if (used_bytes_ + size_bytes > max_shared_bytes) {
      throw std::length_error("the kernel's shared arrays need more than a block can have (227 KiB)");
    }
    arrays_.push_back({key, used_bytes_});
    used_bytes_ += aligned(size_bytes);
    return storage_->bytes + arrays_.back().offset;
  }

  bool contains(void const* address) const {
    auto const where = reinterpret_cast<std::uintptr_t>(address);
    auto const base = reinterpret_cast<std::uintptr_t>(storage_.get());
    return storage_ && where >= base && where < base + max_shared_bytes;
  }

 private:
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  struct alignas(alignment) storage {
    std::byte bytes[max_shared_bytes + alignment];
  };
  struct known_array {
    void const* key;
    std::size_t offset;
  };
  std::unique_ptr<storage> storage_;
  std::vector<known_array> arrays_;
  std::size_t used_bytes_ = 0;
};

}  // namespace pasta::simt
#endif
