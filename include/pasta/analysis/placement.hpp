// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where a GPU keeps each field of a tool's state.
#ifndef PASTA_ANALYSIS_PLACEMENT_HPP
#define PASTA_ANALYSIS_PLACEMENT_HPP

#include <pasta/analysis/common_value.hpp>
#include <pasta/analysis/count.hpp>
#include <pasta/analysis/max.hpp>
#include <pasta/analysis/mergeable.hpp>
#include <pasta/analysis/min.hpp>
#include <pasta/analysis/rare.hpp>

namespace pasta::detail {

/// registers: each thread adds up in registers, and merges at its end. memory: merged after each event. rare: one for
/// all threads, written by pasta's own functions.
enum class placement { registers, memory, rare };

template <class Field>
inline constexpr placement placement_v = placement::memory;
template <>
inline constexpr placement placement_v<count> = placement::registers;
template <class T>
inline constexpr placement placement_v<max<T>> = sizeof(max<T>) == 8 ? placement::registers : placement::memory;
template <class T>
inline constexpr placement placement_v<min<T>> = sizeof(min<T>) == 8 ? placement::registers : placement::memory;
template <class T>
inline constexpr placement placement_v<common_value<T>> = sizeof(common_value<T>) == 8 ? placement::registers
                                                                                       : placement::memory;
template <class T>
inline constexpr placement placement_v<rare<T>> = placement::rare;

// The fields of a state: a state that is itself a mergeable has one.
template <class State>
inline constexpr std::size_t part_count_v = mergeable<State> ? 1 : count_fields<State>();
template <std::size_t Index, class State>
PASTA_DEVICE constexpr auto& part(State& state) {
  if constexpr (mergeable<std::remove_const_t<State>>) {
    return state;
  } else {
    return get_field<Index>(state);
  }
}
template <std::size_t Index, class State>
using part_t = std::remove_cvref_t<decltype(part<Index>(std::declval<State const&>()))>;

struct no_part {};

/// The fields of a state that have one of the places, and nothing in place of the others.
template <class State, placement... Where>
class parts_in {
  template <std::size_t Index>
  static constexpr bool has = ((placement_v<part_t<Index, State>> == Where) || ...);
  template <std::size_t Index>
  static consteval auto type_of() {
    if constexpr (has<Index>) {
      return std::type_identity<part_t<Index, State>>{};
    } else {
      return std::type_identity<no_part>{};
    }
  }
  // Aligned for the atomic operations on 8 bytes that fields of two 4-byte words are merged with.
  template <std::size_t Index, class Type>
  struct leaf {
    alignas(alignof(Type) < 8 ? 8 : alignof(Type)) Type value{};
  };
  template <std::size_t Index>
  struct leaf<Index, no_part> {
    [[no_unique_address]] no_part value{};
  };
  template <class Indexes>
  struct leaves;
  template <std::size_t... Index>
  struct leaves<std::index_sequence<Index...>> : leaf<Index, typename decltype(type_of<Index>())::type>... {};

  template <std::size_t Index, class Type>
  PASTA_DEVICE static constexpr Type& value_of(leaf<Index, Type>& of) {
    return of.value;
  }
  template <std::size_t Index, class Type>
  PASTA_DEVICE static constexpr Type const& value_of(leaf<Index, Type> const& of) {
    return of.value;
  }
  leaves<std::make_index_sequence<part_count_v<State>>> all_;

 public:
  template <std::size_t Index>
  static constexpr bool has_v = has<Index>;
  template <std::size_t Index>
  PASTA_DEVICE constexpr auto& get() {
    return value_of<Index>(all_);
  }
  template <std::size_t Index>
  PASTA_DEVICE constexpr auto const& get() const {
    return value_of<Index>(all_);
  }
};

template <class State, std::size_t... Part>
consteval bool has_no_memory_parts(std::index_sequence<Part...>) {
  return ((placement_v<part_t<Part, State>> != placement::memory) && ...);
}
/// Whether no field of a state has to be merged after each event.
template <class State>
consteval bool has_registers_only() {
  return has_no_memory_parts<State>(std::make_index_sequence<part_count_v<State>>{});
}

template <class State, std::size_t... Part>
consteval bool has_a_register_part(std::index_sequence<Part...>) {
  return ((placement_v<part_t<Part, State>> == placement::registers) || ...);
}
/// Whether a field of a state is added up in registers.
template <class State>
consteval bool has_register_parts() {
  return has_a_register_part<State>(std::make_index_sequence<part_count_v<State>>{});
}

template <class State>
using register_parts = parts_in<State, placement::registers>;
template <class State>
using shared_parts = parts_in<State, placement::registers, placement::memory>;
template <class State>
using rare_parts = parts_in<State, placement::rare>;

// Calls f.operator()<Index>() for each field.
template <class State, class Function, std::size_t... Index>
PASTA_DEVICE PASTA_ALWAYS_INLINE void for_each_part_index(Function&& f, std::index_sequence<Index...>) {
  (f.template operator()<Index>(), ...);
}
template <class State, class Function>
PASTA_DEVICE PASTA_ALWAYS_INLINE void for_each_part(Function&& f) {
  for_each_part_index<State>(f, std::make_index_sequence<part_count_v<State>>{});
}

}  // namespace pasta::detail
#endif
