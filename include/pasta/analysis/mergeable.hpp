// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What all analysis state has in common: two partial results of the same kind become one.
#ifndef PASTA_ANALYSIS_MERGEABLE_HPP
#define PASTA_ANALYSIS_MERGEABLE_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <pasta/config.hpp>

namespace pasta {

/// A value of which partial results can be combined: shards, launches, devices, processes and routes merge by this
/// alone. What a type must keep, beyond what the compiler can check:
///  - `T{}` and a T whose bytes are all zero are the neutral element: merging it changes nothing (arenas are zeroed);
///  - merge is commutative and associative (a summary with an error bound: keeps its bound), so no order is ever fixed.
template <class T>
concept mergeable = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> &&
    requires(T& into, T const& from) {
  { into.merge(from) } -> std::same_as<void>;
};

/// The most fields that one state struct may have. Nest structs, or use arrays, for more.
inline constexpr std::size_t max_field_count = 16;

namespace detail {

// `{}` initialises any one field (also an array or a nested struct) and never spreads over several, so the greatest
// number of `{}` that compiles is the number of fields.
template <class State>
consteval std::size_t count_fields() {
  if constexpr (std::is_empty_v<State>)
    return 0;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 17;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 16;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 15;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 14;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 13;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 12;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 11;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 10;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}, {}}; })
    return 9;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}, {}}; })
    return 8;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}, {}}; })
    return 7;
  else if constexpr (requires { State{{}, {}, {}, {}, {}, {}}; })
    return 6;
  else if constexpr (requires { State{{}, {}, {}, {}, {}}; })
    return 5;
  else if constexpr (requires { State{{}, {}, {}, {}}; })
    return 4;
  else if constexpr (requires { State{{}, {}, {}}; })
    return 3;
  else if constexpr (requires { State{{}, {}}; })
    return 2;
  else if constexpr (requires { State{{}}; })
    return 1;
  else
    return 0;
}

// Converts to a base of State and to nothing else: State{any_base_of<State>{}} compiles exactly when there is a base.
template <class State>
struct any_base_of {
  template <class Base>
  requires(std::is_base_of_v<Base, State> && !std::same_as<Base, State>) operator Base() const;
};

template <class State>
inline constexpr bool is_plain_struct =
    std::is_class_v<State>&& std::is_aggregate_v<State>&& std::is_trivially_copyable_v<State>&&
        std::is_default_constructible_v<State> &&
    !requires {
  State{any_base_of<State>{}};
};

template <std::size_t Index, class First, class... Rest>
PASTA_DEVICE constexpr auto& pick(First& first, Rest&... rest) {
  if constexpr (Index == 0) {
    return first;
  } else {
    return pick<Index - 1>(rest...);
  }
}

// The field at Index of a plain struct; State may be const. A structured binding has no other way to say "all fields".
template <std::size_t Index, class State>
PASTA_DEVICE constexpr auto& get_field(State& state) {
  constexpr std::size_t count = count_fields<std::remove_const_t<State>>();
  static_assert(Index < count && count <= max_field_count);
  if constexpr (count == 1) {
    auto& [a] = state;
    return pick<Index>(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = state;
    return pick<Index>(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = state;
    return pick<Index>(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = state;
    return pick<Index>(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = state;
    return pick<Index>(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = state;
    return pick<Index>(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = state;
    return pick<Index>(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = state;
    return pick<Index>(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = state;
    return pick<Index>(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

template <std::size_t Index, class State>
using field_t = std::remove_cvref_t<decltype(get_field<Index>(std::declval<State const&>()))>;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t Size>
inline constexpr bool is_std_array<std::array<T, Size>> = true;

template <class State>
consteval bool is_state();

template <class State, std::size_t... Index>
consteval bool are_fields_states(std::index_sequence<Index...>) {
  return (is_state<field_t<Index, State>>() && ...);
}

template <class State>
consteval bool has_too_many_fields() {
  if constexpr (is_plain_struct<State>)
    return count_fields<State>() > max_field_count;
  else
    return false;
}

template <class State>
consteval bool is_state() {
  if constexpr (mergeable<State>) {
    return true;
  } else if constexpr (std::is_bounded_array_v<State>) {
    return is_state<std::remove_extent_t<State>>();
  } else if constexpr (is_std_array<State>) {
    return is_state<typename State::value_type>();
  } else if constexpr (is_plain_struct<State>) {
    if constexpr (count_fields<State>() > max_field_count) {
      return false;
    } else {
      return are_fields_states<State>(std::make_index_sequence<count_fields<State>()>{});
    }
  } else {
    return false;
  }
}

}  // namespace detail

/// One mergeable, or a plain struct whose fields are all mergeable: at most 16 fields, each a mergeable, a plain struct
/// of them, or an array (`count by_kind[3]`, `std::array<count, 3>`) of them. An empty struct is state too.
template <class State>
concept mergeable_state = detail::is_state<State>();

/// Number of fields of a plain struct; an array or a nested struct is one field.
template <mergeable_state State>
inline constexpr std::size_t field_count_v = detail::count_fields<State>();

namespace detail {

template <class T>
PASTA_DEVICE constexpr void merge_one(T& into, T const& from);

template <class T, std::size_t Size>
PASTA_DEVICE constexpr void merge_one(T (&into)[Size], T const (&from)[Size]) {
  for (std::size_t i = 0; i < Size; ++i) merge_one(into[i], from[i]);
}

// The C array inside a std::array: its member functions cannot be called in device code without compiler flags.
template <class T, std::size_t Size>
PASTA_DEVICE inline void merge_one(std::array<T, Size>& into, std::array<T, Size> const& from) {
  if constexpr (Size > 0) {
    merge_one(reinterpret_cast<T(&)[Size]>(into), reinterpret_cast<T const(&)[Size]>(from));
  }
}

template <class State, std::size_t... Index>
PASTA_DEVICE constexpr void merge_fields([[maybe_unused]] State& into, [[maybe_unused]] State const& from,
                                         std::index_sequence<Index...>) {
  (merge_one(get_field<Index>(into), get_field<Index>(from)), ...);
}

template <class T>
PASTA_DEVICE constexpr void merge_one(T& into, T const& from) {
  if constexpr (mergeable<T>) {
    into.merge(from);
  } else {
    merge_fields(into, from, std::make_index_sequence<count_fields<T>()>{});
  }
}

template <class State, class Function, std::size_t... Index>
constexpr void visit_fields([[maybe_unused]] State& state, [[maybe_unused]] Function& function,
                            std::index_sequence<Index...>) {
  (function(get_field<Index>(state)), ...);
}

}  // namespace detail

/// Merges each field of `from` into the same field of `into`. The two may not be the same object.
template <mergeable_state State>
PASTA_DEVICE constexpr void merge_state(State& into, State const& from) {
  detail::merge_one(into, from);
}

/// Calls `function(field)` for each field in the order of declaration; fields of a const state are const.
/// Does not go into arrays and nested structs: they are one field each. Host only.
template <class State, class Function>
requires(mergeable_state<std::remove_const_t<State>>&&
             detail::is_plain_struct<std::remove_const_t<State>>) constexpr void for_each_field(State& state,
                                                                                                Function&& function) {
  constexpr std::size_t count = detail::count_fields<std::remove_const_t<State>>();
  detail::visit_fields(state, function, std::make_index_sequence<count>{});
}

/// Says in one sentence what is wrong with a tool's state, as a compile error; true if nothing is, so that a caller
/// can stop there. Used as `static_assert(pasta::check_state<site_state>());`
template <class State>
consteval bool check_state() {
  if constexpr (!mergeable<State> && !detail::is_plain_struct<State>) {
    static_assert(
        mergeable<State> || detail::is_plain_struct<State>,
        "this tool's state is not a plain struct: it must have no base, constructor, private member or virtual "
        "function, and be trivially copyable");
  } else if constexpr (detail::has_too_many_fields<State>()) {
    static_assert(!detail::has_too_many_fields<State>(),
                  "this tool's state has more than 16 fields: group some of them in a struct or an array");
  } else {
    static_assert(
        mergeable_state<State>,
        "a field of this tool's state does not merge: use pasta::count, max, histogram, ... or give the type a "
        "member void merge(T const&)");
  }
  return mergeable_state<State>;
}

}  // namespace pasta
#endif
