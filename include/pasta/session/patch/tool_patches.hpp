// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the collector of the patch route asks a tool's shared library. PASTA_TOOL exports
///
///     extern "C" void pasta_tool_patches(pasta::patch::tool_patches*);
///
/// beside what it exports for the ptx route (session/ptx/tool_exchange.hpp), whose version is compared first.
#ifndef PASTA_SESSION_PATCH_TOOL_PATCHES_HPP
#define PASTA_SESSION_PATCH_TOOL_PATCHES_HPP

#include <pasta/instrument/patch_needs.hpp>
#include <string>

namespace pasta::patch {

struct tool_patches {
  std::uint32_t functions = 0;  ///< bits by patch_bit(): the kinds of instructions that are to be patched
  std::uint32_t site_shard_bytes = 0, site_shared_bytes = 0;          ///< of a site's row (instrument/hook_layout.hpp)
  std::uint32_t function_shard_bytes = 0, function_shared_bytes = 0;  ///< of a kernel's
  bool counts_alone = false;                                          ///< its kernels may have code_rows
  std::string obstacle;  ///< why the tool does not have the route, half a line; empty: it has
};

template <class Tool>
std::string explain_obstacle() {
  using needs = pasta::detail::patch_needs<Tool>;
  switch (needs::obstacle) {
    case pasta::detail::patch_obstacle::none:
      return "";
    case pasta::detail::patch_obstacle::no_device_event:
      return "it has no event of a GPU";
    case pasta::detail::patch_obstacle::has_thread_state:
      return "its thread_state would be in memory at each access; keep what belongs to a line in site_state";
    case pasta::detail::patch_obstacle::other_events: {
      std::string names;
#define PASTA_DETAIL_NAME(event) \
  if (needs::template wants<event>) names += (names.empty() ? "" : ", ") + std::string(#event);
      PASTA_DETAIL_NAME(block_enter)
      PASTA_DETAIL_NAME(block_exit)
      PASTA_DETAIL_NAME(branch)
      PASTA_DETAIL_NAME(matrix_operation)
      PASTA_DETAIL_FOR_EACH_HOST_EVENT(PASTA_DETAIL_NAME)
#undef PASTA_DETAIL_NAME
      return "the route has no " + names;
    }
  }
  return "";
}

template <class Tool>
void answer_patches(tool_patches& about) {
  using layout = pasta::detail::hook_layout<Tool>;
  about.functions = pasta::detail::patch_needs<Tool>::functions;
  about.site_shard_bytes = layout::site_shard_bytes;
  about.site_shared_bytes = layout::site_shared_bytes;
  about.function_shard_bytes = layout::function_shard_bytes;
  about.function_shared_bytes = layout::function_shared_bytes;
  about.counts_alone = pasta::detail::patch_counts_alone_v<Tool>;
  about.obstacle = explain_obstacle<Tool>();
}

}  // namespace pasta::patch
#endif
