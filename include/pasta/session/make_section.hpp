// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_SESSION_MAKE_SECTION_HPP
#define PASTA_SESSION_MAKE_SECTION_HPP

#include <fmt/format.h>

#include <pasta/report/report.hpp>
#include <pasta/session/tool_options.hpp>

namespace pasta::detail {

// Whether a tool handles or counts the event that happens at such a site.
template <class Tool>
constexpr bool watches(operation what) {
  switch (what) {
    case operation::load:
    case operation::store:
    case operation::atomic:
      return handles_v<Tool, memory_access> || counts_v<Tool, memory_access>;
    case operation::copy:
      return handles_v<Tool, async_copy> || counts_v<Tool, async_copy>;
    case operation::barrier:
      return handles_v<Tool, barrier> || counts_v<Tool, barrier>;
    case operation::branch:
      return handles_v<Tool, branch> || counts_v<Tool, branch>;
    case operation::matrix:
      return handles_v<Tool, matrix_operation> || counts_v<Tool, matrix_operation>;
    case operation::call:
      return handles_v<Tool, call> || counts_v<Tool, call>;
    case operation::warp:
      break;
  }
  return false;
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
