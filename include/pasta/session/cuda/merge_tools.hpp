// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_CUDA_MERGE_TOOLS_HPP
#define PASTA_SESSION_CUDA_MERGE_TOOLS_HPP

#include <pasta/instrument/cuda/region.hpp>
#include <utility>

namespace pasta::detail {

template <std::size_t Part, class State, class Parts>
void merge_part([[maybe_unused]] State& into, [[maybe_unused]] Parts const& from) {
  if constexpr (Parts::template has_v<Part>) merge_one(part<Part>(into), from.template get<Part>());
}
template <class State, class Parts, std::size_t... Part>
void merge_parts(State& into, Parts const& from, std::index_sequence<Part...>) {
  (merge_part<Part>(into, from), ...);
}

/// Merges the fields that the parts have, tool by tool.
template <class... States, class... Parts>
void merge_tools(state_tuple<States...>& into, state_tuple<Parts...> const& from) {
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (merge_parts(get_state<Index>(into), get_state<Index>(from), std::make_index_sequence<part_count_v<States>>{}),
     ...);
  }
  (std::index_sequence_for<States...>{});
}

}  // namespace pasta::detail
#endif
