// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Gives what puts hooks into PTX any bytes: as a module that is instrumented, as a kernel's body, and as a hook. It has
// to refuse them with one line, or to make PTX that can be read, in which each statement of the source still stands in
// its order.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <ptx/hook_builder.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "kept_statements.hpp"

namespace {

namespace ptx = pasta::ptx;
using pasta_fuzz::stop;

/// A hook whose requests may be counted in order, and kept; and one whose may not.
std::string hook_text(std::string_view body, std::uint32_t period, std::uint32_t kept) {
  std::uint32_t const words[] = {pasta::detail::hook_abi_version,
                                 0,
                                 1,
                                 16,
                                 24,
                                 0,
                                 0,
                                 ~std::uint32_t{0},
                                 ~std::uint32_t{0},
                                 kept,
                                 8,
                                 0,
                                 0,
                                 0,
                                 period};
  return fmt::format(
      ".version 7.0\n.target sm_70\n.address_size 64\n"
      ".visible .const .align 4 .u32 pasta_hook_abi[{}] = {{{}}};\n"
      ".visible .func (.param .b64 r) pasta_hook_memory_access(.param .b64 p0, .param .b32 p1, .param .b32 p2, "
      ".param .b32 p3, .param .b32 p4, .param .b64 p5, .param .b64 p6, .param .b64 p7, .param .b64 p8, .param .b32 "
      "p9)\n"
      "{{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{}\n}}\n",
      std::size(words), fmt::join(words, ", "), body);
}

void check_line(std::string_view message) {
  if (message.find('\n') != std::string_view::npos) stop("the error has several lines");
}

void check(std::string_view source, std::vector<ptx::hook> const& hooks) {
  try {
    ptx::module const before = ptx::read(source);
    ptx::instrumented const result = ptx::instrument(before, hooks);
    auto const table = nlohmann::json::parse(result.json);
    if (table.at("functions").size() > before.functions.size()) stop("the table has a function too many");
    if (!result.is_changed) {
      if (result.text != source) stop("without a site the text changes");
      return;
    }
    ptx::module const after = ptx::read(result.text);
    if (!ptx::is_instrumented(after)) stop("the state is not declared");
    if (pasta_fuzz::has_whole_directives(before)) pasta_fuzz::check_kept(before, after);
  } catch (ptx::read_error const&) {
  } catch (ptx::cannot_instrument const& error) {
    check_line(error.what());
  }
}

std::vector<ptx::hook> const& two_hooks() {
  static std::vector<ptx::hook> const hooks = [] {
    std::vector<ptx::hook> made;
    made.emplace_back("keeper", hook_text("ld.param.u32 %r1, [p9];\nld.param.u64 %rd1, [p0];\n@%p1 ret;\n"
                                          "st.param.b64 [r+0], %rd1;\nret;",
                                          32, 1));
    made.push_back(ptx::hook::counting("access_count"));
    return made;
  }();
  return hooks;
}
std::vector<ptx::hook> const& three_hooks() {
  static std::vector<ptx::hook> const hooks = [] {
    std::vector<ptx::hook> made = two_hooks();
    made.emplace_back("watcher", hook_text("ld.param.u64 %rd1, [p5];\nred.global.add.u64 [%rd1], 1;\nret;", 0,
                                           pasta::detail::never_kept));
    return made;
  }();
  return hooks;
}

/// Each event, and a state of each thread.
std::vector<ptx::hook> const& event_hooks() {
  using enum pasta::detail::hook_function;
  static std::vector<ptx::hook> const hooks = hook_builder::one_hook(
      {{memory_access, async_copy, barrier, branch, matrix_operation, call, thread_enter, thread_exit}, {branch}, 3});
  return hooks;
}

void check_hook(std::string_view text) {
  std::vector<ptx::hook> hooks;
  try {
    hooks.emplace_back("fuzzed", text);
  } catch (ptx::bad_hook const& error) {
    return check_line(error.what());
  } catch (ptx::read_error const&) {
    return;
  }
  // What is not refused can be put before any access.
  check(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(){.reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
      "ld.global.u32 %r1, [%rd1]; bar.sync 0; @%p1 ret; cp.async.ca.shared.global [%r1], [%rd1], 4;\n"
      "st.u32 [%rd2+4], %r1; ret;}",
      hooks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  check(text, two_hooks());
  // Few bytes begin as PTX does: the same as a kernel's body, and as a hook's.
  std::string const kernel = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(){" + std::string(text) + "\n}";
  check(kernel, two_hooks());
  check(kernel, three_hooks());
  check(kernel, event_hooks());
  check_hook(text);
  check_hook(hook_text(text, 32, 1));
  return 0;
}
