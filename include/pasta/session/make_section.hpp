// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_MAKE_SECTION_HPP
#define PASTA_SESSION_MAKE_SECTION_HPP

#include <fmt/format.h>

#include <pasta/report/report.hpp>
#include <pasta/session/tool_options.hpp>

namespace pasta::detail {

// Calls f.operator()<Event>() for the event that happens at such a site. @return its answer; false if there is none
template <class Function>
constexpr bool ask_event(operation what, Function&& f) {
  switch (what) {
    case operation::load:
    case operation::store:
    case operation::atomic:
      return f.template operator()<memory_access>();
    case operation::copy:
      return f.template operator()<async_copy>();
    case operation::barrier:
      return f.template operator()<barrier>();
    case operation::branch:
      return f.template operator()<branch>();
    case operation::matrix:
      return f.template operator()<matrix_operation>();
    case operation::call:
      return f.template operator()<call>();
    case operation::warp:
      break;
  }
  return false;
}
// Whether a tool handles, counts, or does one of both with the event that happens at such a site.
template <class Tool>
constexpr bool handles_at(operation what) {
  return ask_event(what, []<class Event>() { return handles_v<Tool, Event>; });
}
template <class Tool>
constexpr bool counts_at(operation what) {
  return ask_event(what, []<class Event>() { return counts_v<Tool, Event>; });
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
