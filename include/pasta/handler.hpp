// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which events a tool handles: concepts, and checks that say what is wrong in one message.
#ifndef PASTA_HANDLER_HPP
#define PASTA_HANDLER_HPP

#include <concepts>
#include <pasta/event.hpp>
#include <type_traits>

namespace pasta {

template <class Tool>
class context;

template <class... Types>
struct type_list {
  static constexpr std::size_t size = sizeof...(Types);
};

template <class List, class Type>
inline constexpr bool contains_v = false;
template <template <class...> class List, class... Types, class Type>
inline constexpr bool contains_v<List<Types...>, Type> = (std::same_as<Types, Type> || ...);

/// `using events = pasta::events<pasta::memory_access, pasta::kernel_end>;`: what the tool has handlers for.
template <class... Events>
struct events {};

/// `using counts = pasta::counted<pasta::memory_access>;`: how often each site was executed, per lane, with no handler.
template <class... Events>
struct counted {};

namespace detail {

template <class Event>
inline constexpr bool is_event_v = false;
template <class Event>
inline constexpr bool is_countable_v = requires(Event event) {
  event.site;
};

// A name that the tool has in any form (other signature, overloaded, private) is ambiguous in a class that derives from
// the tool and from one that has a member of that name. `before`: what stands before the handler's `static`.
#define PASTA_DETAIL_DEFINE_EVENT(event, before, device)                                                             \
  template <>                                                                                                        \
  inline constexpr bool is_event_v<event> = true;                                                                    \
  struct has_on_##event {                                                                                            \
    int on_##event;                                                                                                  \
  };                                                                                                                 \
  template <class Tool>                                                                                              \
  struct looks_for_on_##event : Tool, has_on_##event {};                                                             \
  template <class Tool>                                                                                              \
  constexpr bool declares(event const*, Tool const*) {                                                               \
    return !requires { &looks_for_on_##event<Tool>::on_##event; };                                                   \
  }                                                                                                                  \
  template <class Tool>                                                                                              \
  constexpr bool handles(event const*, Tool const*) {                                                                \
    return requires(context<Tool> & at, event const& happened) {                                                     \
      { Tool::on_##event(at, happened) } -> std::same_as<void>;                                                      \
    };                                                                                                               \
  }                                                                                                                  \
  template <class Tool>                                                                                              \
  device PASTA_ALWAYS_INLINE void deliver(context<Tool>& at, event const& happened) {                                \
    Tool::on_##event(at, happened);                                                                                  \
  }                                                                                                                  \
  /* Each check is reached only if those before it hold: one mistake, one message. */                                \
  template <class Tool>                                                                                              \
  consteval bool check_handler(event const* which, Tool const* tool) {                                               \
    constexpr bool is_listed = contains_v<typename Tool::events, event>;                                             \
    if constexpr (!declares(static_cast<event const*>(nullptr), static_cast<Tool const*>(nullptr))) {                \
      static_assert(!is_listed,                                                                                      \
                    "this tool lists pasta::" #event " in its events but has no handler; add: " before               \
                    "static void on_" #event "(pasta::context<YourTool>& at, pasta::" #event " const& event)");      \
      return !is_listed;                                                                                             \
    } else {                                                                                                         \
      constexpr bool is_right = handles(static_cast<event const*>(nullptr), static_cast<Tool const*>(nullptr));      \
      static_assert(is_right, "on_" #event " has the wrong signature; expected: " before "static void on_" #event    \
                              "(pasta::context<YourTool>& at, pasta::" #event " const& event), public");             \
      static_assert(!is_right || is_listed, "this tool has a handler on_" #event " but does not list pasta::" #event \
                                            " in its events; add it to: using events = pasta::events<...>");         \
      return static_cast<void>(which), static_cast<void>(tool), is_right && is_listed;                               \
    }                                                                                                                \
  }
#define PASTA_DETAIL_DEFINE_DEVICE_EVENT(event) PASTA_DETAIL_DEFINE_EVENT(event, "PASTA_DEVICE ", PASTA_DEVICE)
#define PASTA_DETAIL_DEFINE_HOST_EVENT(event) PASTA_DETAIL_DEFINE_EVENT(event, "", )
PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(PASTA_DETAIL_DEFINE_DEVICE_EVENT)
PASTA_DETAIL_FOR_EACH_HOST_EVENT(PASTA_DETAIL_DEFINE_HOST_EVENT)
#undef PASTA_DETAIL_DEFINE_HOST_EVENT
#undef PASTA_DETAIL_DEFINE_DEVICE_EVENT
#undef PASTA_DETAIL_DEFINE_EVENT

template <class List>
inline constexpr bool is_events_v = false;
template <class... Events>
inline constexpr bool is_events_v<pasta::events<Events...>> = true;
template <class List>
inline constexpr bool is_counted_v = false;
template <class... Events>
inline constexpr bool is_counted_v<counted<Events...>> = true;

template <class List>
inline constexpr bool are_events_v = false;
template <template <class...> class List, class... Events>
inline constexpr bool are_events_v<List<Events...>> = (is_event_v<Events> && ...);

template <class List>
inline constexpr bool are_countable_v = false;
template <class... Events>
inline constexpr bool are_countable_v<counted<Events...>> = ((is_event_v<Events> && is_countable_v<Events>)&&...);

}  // namespace detail

/// Whether the tool has a handler for this event, rightly declared.
template <class Tool, class Event>
inline constexpr bool handles_v = detail::handles(static_cast<Event const*>(nullptr),
                                                  static_cast<Tool const*>(nullptr));

/// Whether the tool has how often this event's sites were executed counted for it.
template <class Tool, class Event>
inline constexpr bool counts_v = contains_v<typename Tool::counts, Event>;

}  // namespace pasta
#endif
