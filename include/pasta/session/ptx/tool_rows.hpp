// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Makes a tool's results of what the ptx route collected.
#ifndef PASTA_SESSION_PTX_TOOL_ROWS_HPP
#define PASTA_SESSION_PTX_TOOL_ROWS_HPP

#include <map>
#include <pasta/instrument/choices.hpp>
#include <pasta/instrument/hook_layout.hpp>
#include <pasta/session/make_section.hpp>
#include <pasta/session/ptx/collected.hpp>
#include <pasta/session/ptx/settle_in_order.hpp>

namespace pasta::ptx {

/// Whether the ptx route has all that the tool needs: what happens on a GPU, but for a block's begin and end.
template <class Tool>
inline constexpr bool can_collect_v = [] {
  bool is_any_known = false, is_other_handled = handles_v<Tool, block_enter> || handles_v<Tool, block_exit>;
#define PASTA_DETAIL_CHECK(event) is_any_known = is_any_known || handles_v<Tool, event> || counts_v<Tool, event>;
  PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(PASTA_DETAIL_CHECK)
#undef PASTA_DETAIL_CHECK
#define PASTA_DETAIL_CHECK(event) is_other_handled = is_other_handled || handles_v<Tool, event>;
  PASTA_DETAIL_FOR_EACH_HOST_EVENT(PASTA_DETAIL_CHECK)
#undef PASTA_DETAIL_CHECK
  return is_any_known && !is_other_handled;
}();
/// Whether the tool has handlers that run on a GPU.
template <class Tool>
inline constexpr bool has_handlers_v = [] {
  bool is_any = false;
#define PASTA_DETAIL_CHECK(event) is_any = is_any || handles_v<Tool, event>;
  PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(PASTA_DETAIL_CHECK)
#undef PASTA_DETAIL_CHECK
  return is_any;
}();

/// @throws usage_error for options that the tool does not have, and for those that its handlers were built with
template <class Tool>
typename Tool::options read_options(std::vector<std::pair<std::string, std::string>> const& wanted);

/// What the tool's report function gets. @throws what the tool's handler throws
template <class Tool>
results<Tool> results_of(collected const& from, typename Tool::options const& options);

}  // namespace pasta::ptx

#include <pasta/session/ptx/detail/tool_rows.inl>
#endif
