// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// pasta::sort and its like on an NVIDIA GPU, by Thrust. For files that nvcc compiles; no other header includes this
/// one, because Thrust takes seconds to compile.
#ifndef PASTA_ANALYSIS_CUDA_SORT_HPP
#define PASTA_ANALYSIS_CUDA_SORT_HPP

#include <thrust/copy.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/unique.h>

#include <cstdint>
#include <cuda/std/bit>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <memory>
#include <pasta/analysis/sort.hpp>

namespace pasta {

namespace detail {

// The place of a floating-point value in std::strong_order, as an integer: that order is the order of the bits, but
// that those of negative values run backwards.
template <class T>
PASTA_DEVICE inline auto order_of_bits(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a GPU sorts floating-point values of 4 and of 8 bytes");
  using integer = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  auto const bits = ::cuda::std::bit_cast<integer>(value);
  integer const magnitude_bits = ::cuda::std::numeric_limits<integer>::max();
  return bits < 0 ? bits ^ magnitude_bits : bits;
}

struct is_less_on_device {
  template <class T>
  PASTA_DEVICE bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return order_of_bits(a) < order_of_bits(b);
    } else {
      return a < b;
    }
  }
};

struct is_same_on_device {
  template <class T>
  PASTA_DEVICE bool operator()(T const& a, T const& b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return order_of_bits(a) == order_of_bits(b);
    } else {
      return a == b;
    }
  }
};

// The standard's function objects cannot be called on a GPU; these stand for them. Everything else stands for itself.
template <class Op>
struct device_operation {
  using type = Op;
};
template <class T>
struct device_operation<std::plus<T>> {
  using type = ::cuda::std::plus<T>;
};
template <class T>
struct device_operation<std::multiplies<T>> {
  using type = ::cuda::std::multiplies<T>;
};
template <class T>
struct device_operation<std::bit_and<T>> {
  using type = ::cuda::std::bit_and<T>;
};
template <class T>
struct device_operation<std::bit_or<T>> {
  using type = ::cuda::std::bit_or<T>;
};
template <class T>
struct device_operation<std::bit_xor<T>> {
  using type = ::cuda::std::bit_xor<T>;
};

// Device memory without contents.
template <class T>
class device_scratch {
 public:
  explicit device_scratch(std::size_t count) : first_(thrust::device_malloc<T>(count).get()) {}
  T* first() const { return first_.get(); }

  // The first `count` values, on the host.
  std::vector<T> download(std::size_t count) const {
    std::vector<T> to(count);
    thrust::device_ptr<T const> const from(first_.get());
    thrust::copy(from, from + static_cast<std::ptrdiff_t>(count), to.begin());
    return to;
  }

 private:
  struct release {
    void operator()(T* first) const { thrust::device_free(thrust::device_ptr<T>(first)); }
  };
  std::unique_ptr<T, release> first_;
};

}  // namespace detail

/// CUDA's back end. Spans are of device memory on the current device. Work goes to the default stream, after what was
/// launched there, and each function blocks until it is done.
///
/// Numbers and bytes are sorted by radix; keys with an order of their own, and floating-point keys, are merged. A key's
/// `<` and `==`, and the operation of reduce_by_key, are called on the GPU: mark them PASTA_DEVICE. std::plus,
/// std::multiplies, std::bit_and, std::bit_or and std::bit_xor may be given as they are.
///
/// Needs free device memory of about the size of keys and values, during the call.
/// @throw std::bad_alloc if there is not that much; thrust::system_error, a std::runtime_error, if the GPU fails,
/// also for a kernel launched before. They are Thrust's own. Contents are unspecified after either.
template <>
struct sort_backend<vendor::cuda> {
  template <class T>
  static void sort(std::span<T> values) {
    T* const first = values.data();
    if constexpr (sorts_by_radix<T>) {
      thrust::stable_sort(thrust::cuda::par, first, first + values.size());
    } else {
      thrust::stable_sort(thrust::cuda::par, first, first + values.size(), detail::is_less_on_device{});
    }
  }

  template <class Key, class Value>
  static void sort_by_key(std::span<Key> keys, std::span<Value> values) {
    Key* const first = keys.data();
    if constexpr (sorts_by_radix<Key>) {
      thrust::stable_sort_by_key(thrust::cuda::par, first, first + keys.size(), values.data());
    } else {
      thrust::stable_sort_by_key(thrust::cuda::par, first, first + keys.size(), values.data(),
                                 detail::is_less_on_device{});
    }
  }

  template <class T>
  static std::size_t unique(std::span<T> values) {
    T* const first = values.data();
    T* const end = thrust::unique(thrust::cuda::par, first, first + values.size(), detail::is_same_on_device{});
    return static_cast<std::size_t>(end - first);
  }

  /// The result is on the host, as with the host's back end, so that callers are the same; it is as long as there are
  /// runs of keys, and has the first key of each. Keys and values have a default constructor.
  template <class Key, class Value, class Op>
  static reduced<Key, Value> reduce_by_key(std::span<Key const> keys, std::span<Value const> values, Op op) {
    if (keys.empty()) return {};
    using operation = typename detail::device_operation<Op>::type;
    detail::device_scratch<Key> const run_keys(keys.size());
    detail::device_scratch<Value> const run_values(keys.size());
    auto const end = [&] {
      Key const* const first = keys.data();
      if constexpr (std::is_same_v<operation, Op>) {
        return thrust::reduce_by_key(thrust::cuda::par, first, first + keys.size(), values.data(), run_keys.first(),
                                     run_values.first(), detail::is_same_on_device{}, std::move(op));
      } else {
        return thrust::reduce_by_key(thrust::cuda::par, first, first + keys.size(), values.data(), run_keys.first(),
                                     run_values.first(), detail::is_same_on_device{}, operation{});
      }
    }();
    if constexpr (!std::is_arithmetic_v<Key>) {
      // Thrust gives the last key of each run. Equal keys may differ in what is not compared: give the first.
      thrust::unique_copy(thrust::cuda::par, keys.data(), keys.data() + keys.size(), run_keys.first(),
                          detail::is_same_on_device{});
    }
    auto const run_count = static_cast<std::size_t>(end.first - run_keys.first());
    return {run_keys.download(run_count), run_values.download(run_count)};
  }

 private:
  // Thrust sorts these by their bits if it is given no comparison.
  template <class T>
  static constexpr bool sorts_by_radix = std::is_integral_v<T>;
};

}  // namespace pasta
#endif
