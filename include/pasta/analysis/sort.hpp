// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Sorting and reducing on the memory of a vendor: one interface, one back end for each vendor.
/// The host's back end is here. Thrust and rocPRIM are added by specialising sort_backend for their vendor's tag.
#ifndef PASTA_ANALYSIS_SORT_HPP
#define PASTA_ANALYSIS_SORT_HPP

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pasta/config.hpp>

namespace pasta {

/// Where a vendor's sorting is done: declared here, defined once for each vendor. A specialisation has four static
/// function templates, which see memory that the vendor can reach, and lengths that were checked:
///  - `void sort(std::span<T> values)`, stable;
///  - `void sort_by_key(std::span<Key> keys, std::span<Value> values)`, stable;
///  - `std::size_t unique(std::span<T> values)`, the number of values kept;
///  - `auto reduce_by_key(std::span<Key const> keys, std::span<Value const> values, Op op)`, an object with the members
///    keys and values.
/// Each returns when its result can be read. The order is that of `<`; of floating-point values that of
/// std::strong_order, so that a NaN has a place.
template <class Vendor>
struct sort_backend;

/// True if sort_backend is specialised for the vendor.
template <class Vendor>
concept has_sort_backend = requires {
  sizeof(sort_backend<Vendor>);
};

/// A std::span, a vector, an array: contiguous memory of trivially copyable values.
template <class Range>
concept sortable_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;

/// A sortable_range that may be written to.
template <class Range>
concept writable_range =
    sortable_range<Range> && !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// Each key once, in the order of the input, and what its values were reduced to. Both have the same length.
template <class Key, class Value>
struct reduced {
  std::vector<Key> keys;
  std::vector<Value> values;
};

namespace detail {

template <class T>
constexpr bool is_less(T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::strong_order(a, b) < 0;
  } else {
    return a < b;
  }
}

// Equal as the order sees it: neither is less.
template <class T>
constexpr bool is_same(T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::strong_order(a, b) == 0;
  } else {
    return a == b;
  }
}

inline void check_same_length(char const* function, std::size_t keys, std::size_t values) {
  if (keys != values) {
    throw std::invalid_argument(std::string("pasta::") + function + ": " + std::to_string(keys) + " keys but " +
                                std::to_string(values) + " values");
  }
}

template <sortable_range Range>
auto as_span(Range& range) {
  return std::span<std::remove_reference_t<std::ranges::range_reference_t<Range>>>(std::ranges::data(range),
                                                                                   std::ranges::size(range));
}

}  // namespace detail

/// The host's back end: the standard library, on the calling thread.
template <>
struct sort_backend<vendor::host> {
  template <class T>
  static void sort(std::span<T> values) {
    if constexpr (std::is_arithmetic_v<T>) {
      std::sort(values.begin(), values.end(), detail::is_less<T>);  // equal numbers cannot be told apart
    } else {
      std::vector<row<T>> const rows = sorted_rows(values);
      for (std::size_t i = 0; i < rows.size(); ++i) values[i] = rows[i].key;
    }
  }

  template <class Key, class Value>
  static void sort_by_key(std::span<Key> keys, std::span<Value> values) {
    std::vector<row<Key>> const rows = sorted_rows(keys);
    std::vector<Value> const old(values.begin(), values.end());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      keys[i] = rows[i].key;
      values[i] = old[rows[i].place];
    }
  }

  template <class T>
  static std::size_t unique(std::span<T> values) {
    auto const end = std::unique(values.begin(), values.end(), detail::is_same<T>);
    return static_cast<std::size_t>(end - values.begin());
  }

  template <class Key, class Value, class Op>
  static reduced<Key, Value> reduce_by_key(std::span<Key const> keys, std::span<Value const> values, Op op) {
    reduced<Key, Value> result;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && detail::is_same(keys[i - 1], keys[i])) {
        result.values.back() = op(result.values.back(), values[i]);
      } else {
        result.keys.push_back(keys[i]);
        result.values.push_back(values[i]);
      }
    }
    return result;
  }

 private:
  template <class Key>
  struct row {
    Key key;
    std::size_t place;  // in the input: makes the order of equal keys the one they had
  };

  template <class Key>
  static std::vector<row<Key>> sorted_rows(std::span<Key> keys) {
    std::vector<row<Key>> rows;
    rows.reserve(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) rows.push_back({keys[i], i});
    std::sort(rows.begin(), rows.end(), [](row<Key> const& a, row<Key> const& b) {
      if (detail::is_less(a.key, b.key)) return true;
      if (detail::is_less(b.key, a.key)) return false;
      return a.place < b.place;
    });
    return rows;
  }
};

/// Sorts in place, ascending and stable.
/// @param range contiguous memory that Vendor can reach: a std::span, a vector.
template <class Vendor = vendor::host, writable_range Range>
void sort(Range&& range) {
  if constexpr (has_sort_backend<Vendor>) {
    sort_backend<Vendor>::sort(detail::as_span(range));
  } else {
    static_assert(has_sort_backend<Vendor>, "no sort back end for this vendor: specialise pasta::sort_backend<V>");
  }
}

/// Sorts keys in place, ascending and stable, and moves each value along with its key.
/// @throw std::invalid_argument if the lengths differ.
template <class Vendor = vendor::host, writable_range Keys, writable_range Values>
void sort_by_key(Keys&& keys, Values&& values) {
  if constexpr (has_sort_backend<Vendor>) {
    detail::check_same_length("sort_by_key", std::ranges::size(keys), std::ranges::size(values));
    sort_backend<Vendor>::sort_by_key(detail::as_span(keys), detail::as_span(values));
  } else {
    static_assert(has_sort_backend<Vendor>, "no sort back end for this vendor: specialise pasta::sort_backend<V>");
  }
}

/// Keeps the first of each run of equal values, moved to the front. Sort first to have each value once.
/// @return the number of values kept; what stands behind them is unspecified.
template <class Vendor = vendor::host, writable_range Range>
std::size_t unique(Range&& range) {
  if constexpr (has_sort_backend<Vendor>) {
    return sort_backend<Vendor>::unique(detail::as_span(range));
  } else {
    static_assert(has_sort_backend<Vendor>, "no sort back end for this vendor: specialise pasta::sort_backend<V>");
    return 0;
  }
}

/// Reduces the values of each run of equal keys with op, from the left. Sort by key first to have each key once.
/// @param op called as op(Value, Value), associative; a back end may combine neighbours in any grouping.
/// @return an object with the members keys and values, of equal length; for the host a pasta::reduced.
/// @throw std::invalid_argument if the lengths differ.
template <class Vendor = vendor::host, sortable_range Keys, sortable_range Values, class Op = std::plus<>>
auto reduce_by_key(Keys const& keys, Values const& values, Op op = {}) {
  using key = std::ranges::range_value_t<Keys>;
  using value = std::ranges::range_value_t<Values>;
  if constexpr (has_sort_backend<Vendor>) {
    detail::check_same_length("reduce_by_key", std::ranges::size(keys), std::ranges::size(values));
    return sort_backend<Vendor>::reduce_by_key(std::span<key const>(keys), std::span<value const>(values),
                                               std::move(op));
  } else {
    static_assert(has_sort_backend<Vendor>, "no sort back end for this vendor: specialise pasta::sort_backend<V>");
    return reduced<key, value>{};
  }
}

}  // namespace pasta
#endif
