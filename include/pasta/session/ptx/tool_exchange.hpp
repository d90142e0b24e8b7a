// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How the collector of the ptx route asks a tool's shared library for the tool's report. PASTA_TOOL exports
///
///     extern "C" char const* pasta_tool_exchange_version();
///     extern "C" void pasta_tool_exchange(pasta::ptx::tool_exchange*);
///
/// C++ objects pass between the two, so the first is compared with exchange_version() before the second is called.
#ifndef PASTA_SESSION_PTX_TOOL_EXCHANGE_HPP
#define PASTA_SESSION_PTX_TOOL_EXCHANGE_HPP

#include <fmt/format.h>

#include <pasta/config.hpp>
#include <pasta/session/ptx/tool_rows.hpp>
#include <pasta/session/shadow_keeper.hpp>

namespace pasta::ptx {

/// What a tool with shadow bits asks of a collector; request.limit_bytes is 0 of a tool without.
struct shadow_need {
  std::string tool;
  pasta::detail::shadow_request request;
  std::uint32_t row_offset = 0;  ///< in a function's row, of what is once for all shards: where the view's address is
};

/// A question and its answer.
struct tool_exchange {
  std::vector<std::pair<std::string, std::string>> const* options = nullptr;  ///< name, value
  collected const* rows = nullptr;                                            ///< null: only the options are judged
  shadow_need shadow;                                                         ///< answered always
  tool_section section;                                                       ///< the answer, where there are rows
  std::vector<std::string> notes;
  std::string error;  ///< one line; empty: all is well
};

/// Equal where both sides are of one PASTA, and one standard library's layout.
inline std::string exchange_version() {
  return fmt::format("PASTA {} exchange 2, C++ ABI {}.{}, sizes {} {} {} {} {}", PASTA_VERSION, __GXX_ABI_VERSION,
                     _GLIBCXX_USE_CXX11_ABI, sizeof(tool_exchange), sizeof(collected), sizeof(collected_kernel),
                     sizeof(collected_site), sizeof(kernel_section));
}

template <class Tool>
void answer(tool_exchange& about) noexcept {
  try {
    auto const options = read_options<Tool>(*about.options);
    pasta::detail::state_tuple<typename Tool::options> all;
    pasta::detail::get_state<0>(all) = options;
    about.shadow = {std::string(tool_name<Tool>()), pasta::detail::request_shadow(type_list<Tool>{}, all),
                    pasta::detail::hook_layout<Tool>::shadow_shared};
    if (about.rows == nullptr) return;
    about.section = pasta::detail::make_section(results_of<Tool>(*about.rows, options), about.notes);
  } catch (std::exception const& error) {
    about.error = error.what();
  }
}

}  // namespace pasta::ptx
#endif
