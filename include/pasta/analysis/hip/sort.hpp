// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// pasta::sort and its like on an AMD GPU, by rocPRIM. For files that hipcc compiles; no other header includes this
/// one, because rocPRIM takes seconds to compile. Compiled, not run on AMD hardware.
#ifndef PASTA_ANALYSIS_HIP_SORT_HPP
#define PASTA_ANALYSIS_HIP_SORT_HPP

#include <bit>
#include <limits>
#include <pasta/analysis/sort.hpp>
#include <pasta/vendor/hip/memory.hpp>
#include <rocprim/rocprim.hpp>

namespace pasta {

namespace detail {

// The place of a floating-point value in std::strong_order, as an integer: that order is the order of the bits, but
// that those of negative values run backwards.
template <class T>
PASTA_DEVICE auto place_in_order(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a GPU sorts floating-point values of 4 and of 8 bytes");
    using integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    auto const bits = std::bit_cast<integer>(value);
    return bits < 0 ? bits ^ std::numeric_limits<integer>::max() : bits;
  } else {
    return value;
  }
}
struct is_less_on_device {
  template <class T>
  PASTA_DEVICE bool operator()(T const& a, T const& b) const {
    return place_in_order(a) < place_in_order(b);
  }
};
struct is_same_on_device {
  template <class T>
  PASTA_DEVICE bool operator()(T const& a, T const& b) const {
    return place_in_order(a) == place_in_order(b);
  }
};

// Device memory without contents.
template <class T>
class device_scratch {
 public:
  explicit device_scratch(std::size_t count) : first_(static_cast<T*>(simt::allocate(count * sizeof(T)))) {}
  ~device_scratch() { simt::release(first_); }
  device_scratch(device_scratch const&) = delete;
  device_scratch& operator=(device_scratch const&) = delete;
  T* first() const { return first_; }
  // The first `count` values, on the host.
  std::vector<T> download(std::size_t count) const {
    std::vector<T> to(count);
    if (count > 0) simt::copy(to.data(), first_, count * sizeof(T));
    return to;
  }

 private:
  T* first_;
};

// Runs one of rocPRIM's algorithms: `call(memory, bytes)` says how much memory it needs, and then uses it.
template <class Call>
void run_with_storage(Call&& call) {
  std::size_t bytes = 0;
  simt::check(call(nullptr, bytes), "cannot sort or reduce");
  device_scratch<unsigned char> const memory(bytes == 0 ? 1 : bytes);
  simt::check(call(static_cast<void*>(memory.first()), bytes), "cannot sort or reduce");
}

}  // namespace detail

/// HIP's back end. Spans are of device memory on the current device. Work goes to the default stream, after what was
/// launched there, and each function blocks until it is done.
///
/// Integers are sorted by radix; keys with an order of their own, and floating-point keys, are merged. A key's `<` and
/// `==`, and the operation of reduce_by_key, are called on the GPU: mark them PASTA_DEVICE (what is constexpr is).
///
/// Needs free device memory of about twice the size of keys and values, during the call.
/// @throw vendor_error if there is not that much or the GPU fails, also for a kernel launched before;
/// std::length_error for 2^32 values or more. Contents are unspecified after either.
template <>
struct sort_backend<vendor::hip> {
  template <class T>
  static void sort(std::span<T> values) {
    if (values.empty()) return;
    detail::device_scratch<T> const sorted(values.size());
    detail::run_with_storage([&](void* memory, std::size_t& bytes) {
      if constexpr (std::is_integral_v<T>) {
        return rocprim::radix_sort_keys(memory, bytes, values.data(), sorted.first(), count_of(values));
      } else {
        return rocprim::merge_sort(memory, bytes, values.data(), sorted.first(), values.size(),
                                   detail::is_less_on_device{});
      }
    });
    simt::copy(values.data(), sorted.first(), values.size_bytes());
  }

  template <class Key, class Value>
  static void sort_by_key(std::span<Key> keys, std::span<Value> values) {
    if (keys.empty()) return;
    detail::device_scratch<Key> const sorted(keys.size());
    detail::device_scratch<Value> const moved(keys.size());
    detail::run_with_storage([&](void* memory, std::size_t& bytes) {
      if constexpr (std::is_integral_v<Key>) {
        return rocprim::radix_sort_pairs(memory, bytes, keys.data(), sorted.first(), values.data(), moved.first(),
                                         count_of(keys));
      } else {
        return rocprim::merge_sort(memory, bytes, keys.data(), sorted.first(), values.data(), moved.first(),
                                   keys.size(), detail::is_less_on_device{});
      }
    });
    simt::copy(keys.data(), sorted.first(), keys.size_bytes());
    simt::copy(values.data(), moved.first(), values.size_bytes());
  }

  template <class T>
  static std::size_t unique(std::span<T> values) {
    if (values.empty()) return 0;
    detail::device_scratch<T> const kept(values.size());
    std::size_t const count = copy_unique(std::span<T const>(values), kept.first());
    simt::copy(values.data(), kept.first(), count * sizeof(T));
    return count;
  }

  /// The result is on the host, as with the host's back end, so that callers are the same; it is as long as there are
  /// runs of keys, and has the first key of each. Keys and values have a default constructor.
  template <class Key, class Value, class Op>
  static reduced<Key, Value> reduce_by_key(std::span<Key const> keys, std::span<Value const> values, Op op) {
    if (keys.empty()) return {};
    detail::device_scratch<Key> const run_keys(keys.size());
    detail::device_scratch<Value> const run_values(keys.size());
    detail::device_scratch<unsigned> const run_count(1);
    detail::run_with_storage([&](void* memory, std::size_t& bytes) {
      return rocprim::reduce_by_key(memory, bytes, keys.data(), values.data(), count_of(keys), run_keys.first(),
                                    run_values.first(), run_count.first(), op, detail::is_same_on_device{});
    });
    // Equal keys may differ in what is not compared: the first is wanted.
    if constexpr (!std::is_arithmetic_v<Key>) copy_unique(keys, run_keys.first());
    std::size_t const count = run_count.download(1)[0];
    return {run_keys.download(count), run_values.download(count)};
  }

 private:
  template <class T>
  static unsigned count_of(std::span<T> values) {
    if (values.size() > std::numeric_limits<unsigned>::max()) throw std::length_error("2^32 values or more");
    return static_cast<unsigned>(values.size());
  }
  // The first of each run. @return how many
  template <class T>
  static std::size_t copy_unique(std::span<T const> values, T* to) {
    detail::device_scratch<std::size_t> const count(1);
    detail::run_with_storage([&](void* memory, std::size_t& bytes) {
      return rocprim::unique(memory, bytes, values.data(), to, count.first(), values.size(),
                             detail::is_same_on_device{});
    });
    return count.download(1)[0];
  }
};

}  // namespace pasta
#endif
