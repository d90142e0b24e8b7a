// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The states of the tools of a run, side by side. A tuple of its own: std::get cannot be called in device code.
#ifndef PASTA_INSTRUMENT_STATES_HPP
#define PASTA_INSTRUMENT_STATES_HPP

#include <pasta/analysis/mergeable.hpp>
#include <pasta/tool.hpp>
#include <utility>

namespace pasta::detail {

template <std::size_t Index, class State>
struct state_leaf {
  [[no_unique_address]] State value{};
};
template <class Indexes, class... States>
struct state_leaves;
template <std::size_t... Index, class... States>
struct state_leaves<std::index_sequence<Index...>, States...> : state_leaf<Index, States>... {};
template <class... States>
// A constructor: clang 15 and 16 cannot initialize this as an aggregate where a state is empty.
struct state_tuple : state_leaves<std::index_sequence_for<States...>, States...> {
  constexpr state_tuple() = default;
};

/// The state of the tool at Index.
template <std::size_t Index, class State>
PASTA_DEVICE constexpr State& get_state(state_leaf<Index, State>& leaf) {
  return leaf.value;
}
template <std::size_t Index, class State>
PASTA_DEVICE constexpr State const& get_state(state_leaf<Index, State> const& leaf) {
  return leaf.value;
}

// The same kind of state of each tool of a run.
template <class List>
struct states_of;
template <class... Tools>
struct states_of<type_list<Tools...>> {
  using site = state_tuple<typename Tools::site_state...>;
  using thread = state_tuple<typename Tools::thread_state...>;
  using kernel = state_tuple<typename Tools::kernel_state...>;
  using launch = state_tuple<typename Tools::launch_state...>;
  using program = state_tuple<typename Tools::program_state...>;
  using options = state_tuple<typename Tools::options...>;
};
template <class... States>
void merge_states(state_tuple<States...>& into, state_tuple<States...> const& from) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (merge_state(get_state<Index>(into), get_state<Index>(from)), ...);
  }
  (std::index_sequence_for<States...>{});
}

struct shadow_view;
template <class Tool>
inline constexpr bool has_shadow_v = false;
// A class that is no tool, or hides it, has none: what is wrong with it is told elsewhere.
template <class Tool>
requires(!std::is_empty_v<typename Tool::shadow>) inline constexpr bool has_shadow_v<Tool> = true;
template <class List>
inline constexpr bool any_shadow_v = false;
template <class... Tools>
inline constexpr bool any_shadow_v<type_list<Tools...>> = (has_shadow_v<Tools> || ...);
/// What a handler reaches by at.shadow(). @param view null: nothing is kept
template <class Tool>
PASTA_DEVICE constexpr typename Tool::shadow make_shadow([[maybe_unused]] shadow_view const* view) {
  if constexpr (has_shadow_v<Tool>) {
    return typename Tool::shadow(view);
  } else {
    return {};
  }
}

template <class Tool>
inline constexpr bool has_thread_state_v = !std::is_empty_v<typename Tool::thread_state>;
template <class Tool>
concept folds = requires(typename Tool::thread_state& state, context<Tool>& at) {
  { Tool::fold(state, at) } -> std::same_as<void>;
};

template <class List>
inline constexpr bool any_thread_state_v = false;
template <class... Tools>
inline constexpr bool any_thread_state_v<type_list<Tools...>> = (has_thread_state_v<Tools> || ...);

// Calls f(index, type) for each tool of the list: f.template operator()<Index, Tool>().
template <class... Tools, class Function>
PASTA_ALWAYS_INLINE void for_each_tool(type_list<Tools...>, Function&& f) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) { (f.template operator()<Index, Tools>(), ...); }
  (std::index_sequence_for<Tools...>{});
}

}  // namespace pasta::detail
#endif
