// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// PASTA_TOOL: makes a tool's class a tool that can be found.
#ifndef PASTA_SESSION_TOOL_MODULE_HPP
#define PASTA_SESSION_TOOL_MODULE_HPP

#include <nlohmann/json.hpp>
#include <pasta/session/patch/tool_patches.hpp>
#include <pasta/session/ptx/tool_exchange.hpp>
#include <pasta/session/tool_options.hpp>

namespace pasta::detail {

/// What `pasta list` shows of a tool; docs/architecture.md gives the shape.
template <class Tool>
requires is_right_v<Tool> std::string describe_tool() {
  using nlohmann::ordered_json;
  ordered_json all;
  all["tool"] = tool_name<Tool>();
  all["summary"] = Tool::summary;
  all["pasta_version"] = PASTA_VERSION;
  all["options"] = ordered_json::array();
  typename Tool::options const defaults{};
  for_each_option<typename Tool::options>([&](auto const& known) {
    ordered_json option{{"name", known.name}, {"default", option_text(defaults.*known.member)}, {"help", known.help}};
    if constexpr (requires { known.minimum; }) {
      option["minimum"] = option_text(known.minimum);
      option["maximum"] = option_text(known.maximum);
    }
    all["options"].push_back(std::move(option));
  });
  all["events"] = ordered_json::array();
#define PASTA_DETAIL_LIST(event) \
  if constexpr (handles_v<Tool, event> || counts_v<Tool, event>) all["events"].push_back(#event);
  PASTA_DETAIL_FOR_EACH_EVENT(PASTA_DETAIL_LIST)
#undef PASTA_DETAIL_LIST
  all["counts"] = ordered_json::array();
#define PASTA_DETAIL_LIST(event) \
  if constexpr (counts_v<Tool, event> && !handles_v<Tool, event>) all["counts"].push_back(#event);
  PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(PASTA_DETAIL_LIST)
#undef PASTA_DETAIL_LIST
  all["routes"] = ordered_json::array();
  if constexpr (!lacks_v<Tool, call>) all["routes"].push_back("probe");
  if constexpr (ptx::can_collect_v<Tool>) all["routes"].push_back("ptx");
  if constexpr (patch_needs<Tool>::obstacle == patch_obstacle::none) all["routes"].push_back("patch");
  all["routes"].push_back("llvm");
  return all.dump();
}

template <class Tool>
requires is_right_v<Tool>
void answer_exchange(ptx::tool_exchange& about) {
  if constexpr (ptx::can_collect_v<Tool>) {
    ptx::answer<Tool>(about);
  } else {
    about.error = fmt::format("{} does not have the route ptx", tool_name<Tool>());
  }
}

/// A wrong tool has had its message.
template <class Tool>
requires(!is_right_v<Tool>) std::string describe_tool() { return {}; }
template <class Tool>
requires(!is_right_v<Tool>) void answer_exchange(ptx::tool_exchange&) {}
template <class Tool>
requires is_right_v<Tool>
void answer_patch_question(patch::tool_patches& about) { patch::answer_patches<Tool>(about); }
template <class Tool>
requires(!is_right_v<Tool>) void answer_patch_question(patch::tool_patches&) {}

}  // namespace pasta::detail

/// Stands once, in NAME.cpp after the tool's class: checks it, exports its description, how the ptx route reports, and
/// what the patch route patches.
#define PASTA_TOOL(name)                                                                                           \
  static_assert(::pasta::check_tool<name>());                                                                      \
  extern "C" __attribute__((visibility("default"))) char const* pasta_tool_description() {                         \
    static std::string const text = ::pasta::detail::describe_tool<name>();                                        \
    return text.c_str();                                                                                           \
  }                                                                                                                \
  extern "C" __attribute__((visibility("default"))) char const* pasta_tool_exchange_version() {                    \
    static std::string const text = ::pasta::ptx::exchange_version();                                              \
    return text.c_str();                                                                                           \
  }                                                                                                                \
  extern "C" __attribute__((visibility("default"))) void pasta_tool_exchange(::pasta::ptx::tool_exchange* about) { \
    ::pasta::detail::answer_exchange<name>(*about);                                                                \
  }                                                                                                                \
  extern "C" __attribute__((visibility("default"))) void pasta_tool_patches(::pasta::patch::tool_patches* about) { \
    ::pasta::detail::answer_patch_question<name>(*about);                                                          \
  }
#endif
