// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_MAKE_SECTION_HPP
#define PASTA_SESSION_MAKE_SECTION_HPP

#include <fmt/format.h>

#include <pasta/report/report.hpp>
#include <pasta/session/tool_options.hpp>
#include <type_traits>

namespace pasta::detail {

// Calls f(std::type_identity<Event>{}) for the event that happens at such a site.
// @return its answer; false if there is none
template <class Function>
constexpr bool ask_event(operation what, Function&& f) {
  switch (what) {
    case operation::load:
    case operation::store:
    case operation::atomic:
      return f(std::type_identity<memory_access>{});
    case operation::copy:
      return f(std::type_identity<async_copy>{});
    case operation::barrier:
      return f(std::type_identity<barrier>{});
    case operation::branch:
      return f(std::type_identity<branch>{});
    case operation::matrix:
      return f(std::type_identity<matrix_operation>{});
    case operation::call:
      return f(std::type_identity<call>{});
    case operation::warp:
      break;
  }
  return false;
}
// Whether a tool handles, counts, or does one of both with the event that happens at such a site.
template <class Tool>
constexpr bool handles_at(operation what) {
  return ask_event(what, [](auto event) { return handles_v<Tool, typename decltype(event)::type>; });
}
template <class Tool>
constexpr bool counts_at(operation what) {
  return ask_event(what, [](auto event) { return counts_v<Tool, typename decltype(event)::type>; });
}
template <class Tool>
constexpr bool watches(operation what) {
  return handles_at<Tool>(what) || counts_at<Tool>(what);
}

/// Lets a tool report what was collected. @param notes gets a sentence if its report function fails
template <class Tool>
tool_section make_section(results<Tool> const& found, std::vector<std::string>& notes) {
  tool_section section;
  section.tool = tool_name<Tool>();
  section.options = list_options(found.options);
  pasta::report out(section);
  for (auto const& kernel : found.kernels) out.kernel(kernel);  // also those that the tool has nothing to say about
  try {
    Tool{}.report(found, out);
  } catch (std::exception const& error) {
    notes.push_back(fmt::format("{}: its report failed: {}", tool_name<Tool>(), error.what()));
  } catch (...) {
    notes.push_back(fmt::format("{}: its report failed", tool_name<Tool>()));
  }
  return section;
}

}  // namespace pasta::detail
#endif
