// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a tool says about itself so that a route can do less: which sites it watches, which requests are alike to it.
#ifndef PASTA_INSTRUMENT_CHOICES_HPP
#define PASTA_INSTRUMENT_CHOICES_HPP

#include <pasta/instrument/site.hpp>
#include <pasta/instrument/states.hpp>

namespace pasta::detail {

template <class Tool>
concept chooses_sites = requires(site_key const& site) {
  { Tool::watches(site) } -> std::same_as<bool>;
};

template <class Tool>
concept has_address_period = requires(typename Tool::options const& options) {
  { Tool::address_period(options) } -> std::same_as<std::uint32_t>;
};

/// Whether the tool wants the events of a site: all of them, if it does not choose.
template <class Tool>
PASTA_DEVICE constexpr bool watches([[maybe_unused]] site_key const& site) {
  if constexpr (chooses_sites<Tool>) {
    return Tool::watches(site);
  } else {
    return true;
  }
}

/// Whether anything is to be done when an event happens at a site: a tool handles it, or has it counted.
template <class List>
struct site_choice;
template <class... Tools>
struct site_choice<type_list<Tools...>> {
  template <class Event>
  PASTA_DEVICE static constexpr bool handles([[maybe_unused]] site_key const& site) {
    return ((handles_v<Tools, Event> && watches<Tools>(site)) || ...);
  }
  template <class Event>
  PASTA_DEVICE static constexpr bool sees(site_key const& site) {
    return (counts_v<Tools, Event> || ...) || handles<Event>(site);
  }
};

/// Whether a GPU may handle one of several alike requests and count the others: all tools that handle memory accesses
/// say which requests are alike, and none keeps state of its threads.
template <class List>
inline constexpr bool has_alike_requests_v = false;
template <class... Tools>
inline constexpr bool has_alike_requests_v<type_list<Tools...>> =
    (handles_v<Tools, memory_access> || ...) &&
    ((!handles_v<Tools, memory_access> || (has_address_period<Tools> && !has_thread_state_v<Tools>)) && ...);

}  // namespace pasta::detail
#endif
