// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Arrays whose accesses are seen by a probe.
#ifndef PASTA_INSTRUMENT_TRACED_HPP
#define PASTA_INSTRUMENT_TRACED_HPP

#include <pasta/instrument/probe.hpp>

namespace pasta {

/// An index that remembers where it was written. Made implicitly from any integer.
struct traced_index {
  std::ptrdiff_t value;
  place where;
  template <class Integer>
  requires(std::is_integral_v<Integer> || std::is_enum_v<Integer>) PASTA_DEVICE
      constexpr traced_index(Integer index, PASTA_PLACE_PARAMETERS)
      : value(static_cast<std::ptrdiff_t>(index)), where{PASTA_PLACE_ARGUMENTS} {}
};

namespace detail {
// A side of a compound assignment in the type that C++ computes in, said explicitly: `a[i] *= 2` must not warn in a
// user's build when a holds floats.
template <class T, class U, class Value>
PASTA_ALWAYS_INLINE PASTA_DEVICE constexpr auto in_common_type(Value const& value) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>) {
    return static_cast<std::common_type_t<T, U>>(value);
  } else {
    return value;
  }
}
}  // namespace detail

/// One element of a traced array that can be written. Reads when converted, writes when assigned; `+=` and its kin do
/// both. `auto x = a[i];` keeps the element, not its value: write the type.
template <class T, class Probe>
class traced_reference {
 public:
  using handle = typename Probe::handle;
  PASTA_DEVICE constexpr traced_reference(T* address, array_position const& position, memory_space space,
                                          place const& where, handle mine)
      : address_(address), position_(position), space_(space), where_(where), handle_(mine) {}
  traced_reference(traced_reference const&) = default;

  PASTA_ALWAYS_INLINE PASTA_DEVICE operator T() const { return load(); }
  PASTA_ALWAYS_INLINE PASTA_DEVICE T load() const { return Probe::load(handle_, where_, space_, address_, position_); }
  PASTA_ALWAYS_INLINE PASTA_DEVICE void store(T const& value) const {
    Probe::access(handle_, where_, access_kind::store, space_, address_, sizeof(T), position_);
    *address_ = value;
  }
  PASTA_ALWAYS_INLINE PASTA_DEVICE traced_reference const& operator=(T const& value) const {
    store(value);
    return *this;
  }
  PASTA_ALWAYS_INLINE PASTA_DEVICE traced_reference const& operator=(traced_reference const& from) const {
    store(from.load());
    return *this;
  }
  PASTA_ALWAYS_INLINE PASTA_DEVICE traced_reference& operator=(traced_reference const& from) {
    store(from.load());
    return *this;
  }

#define PASTA_DETAIL_ASSIGN(op, operand)                                                          \
  template <class U>                                                                              \
  PASTA_ALWAYS_INLINE PASTA_DEVICE traced_reference const& operator op##=(U const& right) const { \
    store(static_cast<T>(operand(load()) op operand(right)));                                     \
    return *this;                                                                                 \
  }
#define PASTA_DETAIL_IN_COMMON_TYPE(value) detail::in_common_type<T, U>(value)
  PASTA_DETAIL_ASSIGN(+, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(-, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(*, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(/, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(%, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(&, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(|, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(^, PASTA_DETAIL_IN_COMMON_TYPE)
  PASTA_DETAIL_ASSIGN(<<, )  // a shift has the type of its left side
  PASTA_DETAIL_ASSIGN(>>, )
#undef PASTA_DETAIL_IN_COMMON_TYPE
#undef PASTA_DETAIL_ASSIGN
  PASTA_ALWAYS_INLINE PASTA_DEVICE traced_reference const& operator++() const { return *this += 1; }
  PASTA_ALWAYS_INLINE PASTA_DEVICE traced_reference const& operator--() const { return *this -= 1; }
  PASTA_ALWAYS_INLINE PASTA_DEVICE T operator++(int) const {
    T const before = load();
    store(static_cast<T>(before + 1));
    return before;
  }
  PASTA_ALWAYS_INLINE PASTA_DEVICE T operator--(int) const {
    T const before = load();
    store(static_cast<T>(before - 1));
    return before;
  }

  PASTA_DEVICE constexpr T* address() const { return address_; }
  PASTA_DEVICE constexpr array_position const& position() const { return position_; }
  PASTA_DEVICE constexpr memory_space space() const { return space_; }
  PASTA_DEVICE constexpr place const& where() const { return where_; }
  PASTA_DEVICE constexpr handle probe_handle() const { return handle_; }

 private:
  T* address_;
  array_position position_;
  memory_space space_;
  place where_;
  [[no_unique_address]] handle handle_;
};

/// A pointer to elements that a kernel accesses with `a[i]`. Copied by value; owns nothing. T may be an array type:
/// then `a[i][j]`.
/// @tparam T the element, `const` where the kernel only reads it; trivially copyable
template <class T, class Probe>
class traced {
 public:
  static_assert(std::is_trivially_copyable_v<std::remove_all_extents_t<T>>, "a traced element is trivially copyable");
  using element = std::remove_all_extents_t<T>;

  using handle = typename Probe::handle;

  /// Made by pasta::launch and by the functions of pasta::thread.
  /// @param origin an address that all threads of the kernel have for this array, so that a probe which compares what
  /// they access need not look at where the array lies; null if there is none
  PASTA_DEVICE constexpr traced(T* first, memory_space space, handle mine, void const* origin = nullptr)
      : first_(first), origin_(origin), space_(space), handle_(mine) {}
  /// A read-only view of a writable array.
  template <class U>
  requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>) PASTA_DEVICE
      constexpr traced(traced<U, Probe> const& from)
      : first_(from.raw()), origin_(from.origin()), space_(from.space()), handle_(from.probe_handle()) {}

  PASTA_ALWAYS_INLINE PASTA_DEVICE auto operator[](traced_index index) const {
    if constexpr (std::is_array_v<T>) {
      return traced<std::remove_extent_t<T>, Probe>(first_[index.value], space_, handle_, origin_);
    } else {
      array_position const position{true, origin_, first_, index.value};
      if constexpr (std::is_const_v<T>) {
        return Probe::load(handle_, index.where, space_, first_ + index.value, position);
      } else {
        return traced_reference<T, Probe>(first_ + index.value, position, space_, index.where, handle_);
      }
    }
  }
  PASTA_ALWAYS_INLINE PASTA_DEVICE auto operator*() const = delete;  // *a has no index and so no place: write a[0]

  PASTA_DEVICE constexpr traced operator+(std::ptrdiff_t offset) const {
    return {first_ + offset, space_, handle_, origin_};
  }
  /// The same memory as elements of another type: `a.as<float4>()`. Alignment is the caller's.
  template <class U>
  PASTA_DEVICE traced<U, Probe> as() const {
    return {reinterpret_cast<U*>(first_), space_, handle_, origin_};
  }
  /// Accesses through it are not seen.
  PASTA_DEVICE constexpr T* raw() const { return first_; }
  PASTA_DEVICE constexpr void const* origin() const { return origin_; }
  PASTA_DEVICE constexpr memory_space space() const { return space_; }
  PASTA_DEVICE constexpr handle probe_handle() const { return handle_; }

 private:
  T* first_;
  void const* origin_;
  memory_space space_;
  [[no_unique_address]] handle handle_;
};

/// Without a probe: a pointer and nothing else.
template <class T>
class traced<T, no_probe> {
 public:
  using element = std::remove_all_extents_t<T>;
  PASTA_DEVICE constexpr traced(T* first, memory_space, no_handle = {}, void const* = nullptr) : first_(first) {}
  template <class U>
  requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>) PASTA_DEVICE
      constexpr traced(traced<U, no_probe> const& from)
      : first_(from.raw()) {}
  PASTA_ALWAYS_INLINE PASTA_DEVICE T& operator[](std::ptrdiff_t index) const { return first_[index]; }
  PASTA_DEVICE constexpr traced operator+(std::ptrdiff_t offset) const {
    return {first_ + offset, memory_space::global};
  }
  template <class U>
  PASTA_DEVICE traced<U, no_probe> as() const {
    return {reinterpret_cast<U*>(first_), memory_space::global};
  }
  PASTA_DEVICE constexpr T* raw() const { return first_; }

 private:
  T* first_;
};

}  // namespace pasta
#endif
