// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_BUFFER_HPP
#define PASTA_SESSION_BUFFER_HPP

#include <cstring>
#include <new>
#include <pasta/session/launch.hpp>
#include <span>

namespace pasta {

/// Memory that kernels work on: the GPU's, or the host's where the host engine is the GPU. Owns it; moves, does not
/// copy. Contents are undefined at first, the first byte is aligned to 256 bytes. Allocation, copies, sets and release
/// are events for tools.
template <class T>
class buffer {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "a buffer's elements are trivially copyable");

  /// @throw std::bad_alloc on the host, vendor_error on a GPU
  explicit buffer(std::size_t element_count) : count_(element_count) {
    if (element_count > static_cast<std::size_t>(-1) / sizeof(T) / 2) throw std::bad_array_new_length();
    if (element_count == 0) return;
    first_ = static_cast<T*>(simt::allocate(size_bytes()));
    track_memory<vendor::current>{}(first_, size_bytes());
  }
  /// Allocates and copies in.
  explicit buffer(std::span<T const> from) : buffer(from.size()) { copy_from(from); }
  ~buffer() {
    if (first_ == nullptr) return;
    track_memory<vendor::current>{}(first_, 0);
    simt::release(first_);
  }
  buffer(buffer&& from) noexcept : first_(std::exchange(from.first_, nullptr)), count_(std::exchange(from.count_, 0)) {}
  buffer& operator=(buffer&& from) noexcept {
    std::swap(first_, from.first_);
    std::swap(count_, from.count_);
    return *this;
  }

  std::size_t size() const { return count_; }  ///< [elements]
  std::size_t size_bytes() const { return count_ * sizeof(T); }
  /// What a kernel gets. Not to be read on the host: use copy_to.
  T* device_pointer() const { return first_; }

  /// Copies the span to the buffer's beginning; blocks. @throw std::length_error if the span is longer than the buffer
  void copy_from(std::span<T const> from) { copy(first_, from.data(), from.size(), copy_direction::host_to_device); }
  /// Copies the buffer's beginning to the span; blocks. @throw std::length_error if the span is longer than the buffer
  void copy_to(std::span<T> to) const { copy(to.data(), first_, to.size(), copy_direction::device_to_host); }
  /// Sets every byte; blocks.
  void set_bytes(std::uint8_t value) {
    get_nanoseconds<vendor::host> const now;
    std::uint64_t const begin_ns = now();
    if (count_ > 0) simt::set_bytes(first_, value, size_bytes());
    if (session* const here = session::existing()) {
      here->happened(memory_set{reinterpret_cast<std::uintptr_t>(first_), size_bytes(), value, 0, begin_ns, now()});
    }
  }

 private:
  void copy(T* to, T const* from, std::size_t count, copy_direction direction) const {
    if (count > count_) throw std::length_error("a copy is longer than the buffer");
    get_nanoseconds<vendor::host> const now;
    std::uint64_t const begin_ns = now();
    if (count > 0) simt::copy(to, from, count * sizeof(T));
    if (session* const here = session::existing()) {
      here->happened(memory_copy{reinterpret_cast<std::uintptr_t>(from), reinterpret_cast<std::uintptr_t>(to),
                                 count * sizeof(T), direction, 0, begin_ns, now()});
    }
  }

  T* first_ = nullptr;
  std::size_t count_ = 0;
};

template <class T>
buffer(std::span<T const>) -> buffer<T>;

}  // namespace pasta
#endif
