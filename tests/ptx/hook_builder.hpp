// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hooks as text, for tests: each function adds up its parameters where a row is.
#ifndef PASTA_TESTS_PTX_HOOK_BUILDER_HPP
#define PASTA_TESTS_PTX_HOOK_BUILDER_HPP

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hook_builder {

namespace ptx = pasta::ptx;
using pasta::detail::hook_function;

struct wanted {
  std::initializer_list<hook_function> handled = {}, counted = {};
  std::uint32_t state_words = 0;
};

/// A tool with rows of 16 and 24 bytes of its sites, and of 8 bytes of functions.
inline std::string abi_words(wanted const& what) {
  std::uint32_t events = 0;
  for (hook_function const each : what.handled) events |= pasta::detail::handled_bit(each);
  for (hook_function const each : what.counted) events |= pasta::detail::counted_bit(each);
  std::uint32_t const words[] = {pasta::detail::hook_abi_version,
                                 0,
                                 events,
                                 16,
                                 24,
                                 8,
                                 0,
                                 ~0u,
                                 ~0u,
                                 pasta::detail::never_kept,
                                 0,
                                 0,
                                 0,
                                 0,
                                 0,
                                 what.state_words};
  return fmt::format(".visible .const .align 4 .u32 pasta_hook_abi[{}] = {{{}}};\n", std::size(words),
                     fmt::join(words, ", "));
}

/// A function that reads each of its parameters, and returns each word of the state with 1 added to it.
inline std::string function_text(hook_function which, std::uint32_t state_words) {
  auto const [count, bytes] = pasta::detail::parameters_of(which);
  bool const takes_state = state_words != 0 && which != hook_function::start;
  std::string parameters, body;
  auto const separator = [&] { return parameters.empty() ? "" : ", "; };
  for (std::size_t i = 0; i < count; ++i) {
    parameters += fmt::format("{}.param .b{} p{}", separator(), 8 * bytes[i], i);
    body += fmt::format("ld.param.b{} {}{}, [p{}];\n", 8 * bytes[i], bytes[i] == 8 ? "%rd" : "%r", i, i);
  }
  if (takes_state) parameters += fmt::format("{}.param .align 4 .b8 s[{}]", separator(), 4 * state_words);
  for (std::uint32_t i = 0; i < state_words; ++i) {
    if (takes_state) {
      body += fmt::format("ld.param.u32 %r20, [s+{}];\nadd.u32 %r20, %r20, 1;\n", 4 * i);
    } else {
      body += fmt::format("mov.u32 %r20, {};\n", 100 + i);
    }
    body += fmt::format("st.param.b32 [r+{}], %r20;\n", 4 * i);
  }
  std::string result = state_words == 0 ? "" : fmt::format("(.param .align 4 .b8 r[{}]) ", 4 * state_words);
  if (state_words == 0 && which == hook_function::memory_access) result = "(.param .b64 r) ";
  return fmt::format(".visible .func {}pasta_hook_{}({})\n{{\n.reg .b32 %r<30>;\n.reg .b64 %rd<20>;\n{}ret;\n}}\n",
                     result, to_string(which), parameters, body);
}

inline std::string hook_text(wanted const& what) {
  std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n" + abi_words(what);
  for (hook_function const each : what.handled) text += function_text(each, what.state_words);
  if (what.state_words != 0) {
    text += function_text(hook_function::start, what.state_words);
    text += function_text(hook_function::fold, what.state_words);
  }
  return text;
}

inline std::vector<ptx::hook> one_hook(wanted const& what) {
  std::vector<ptx::hook> hooks;
  hooks.emplace_back("watcher", hook_text(what));
  return hooks;
}

inline std::string module_of(std::string_view body, std::string_view before = "",
                             std::string_view head = ".entry k()") {
  return fmt::format(
      ".version 8.6\n.target sm_100a\n.address_size 64\n{}{}\n{{\n.reg .pred %p<5>;\n.reg .b32 %r<20>;\n"
      ".reg .b64 %rd<9>;\n{}\n}}\n",
      before, head, body);
}

struct made {
  std::string text;
  nlohmann::json table;
  nlohmann::json const& site(std::size_t number, std::size_t function = 0) const {
    return table.at("functions").at(function).at("sites").at(number);
  }
};
inline made instrument(std::string const& source, std::vector<ptx::hook> const& hooks) {
  ptx::instrumented const result = ptx::instrument(ptx::read(source), hooks);
  return {result.text, nlohmann::json::parse(result.json)};
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}
/// Whether all parts are in the text, one behind the other.
inline bool is_in_order(std::string_view text, std::initializer_list<std::string_view> parts) {
  std::size_t at = 0;
  for (std::string_view const part : parts) {
    at = text.find(part, at);
    if (at == std::string_view::npos) return false;
    at += part.size();
  }
  return true;
}

}  // namespace hook_builder
#endif
