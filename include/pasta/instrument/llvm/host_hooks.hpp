// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What instrumented kernels of the host engine call: the functions that the pass plugin (tools/llvm) puts before their
/// instructions.
#ifndef PASTA_INSTRUMENT_LLVM_HOST_HOOKS_HPP
#define PASTA_INSTRUMENT_LLVM_HOST_HOOKS_HPP

#include <array>
#include <pasta/instrument/host/probe.hpp>
#include <pasta/instrument/llvm/kernel_registry.hpp>

namespace pasta::llvm_route {

/// Changes with the layout of host_hooks, what its functions take, and what the plugin makes of it.
inline constexpr std::uint32_t host_hooks_version = 1;

/// Bits of host_hooks::handled and counted.
inline constexpr std::uint32_t memory_access_bit = 1, branch_bit = 2, call_bit = 4;
/// A space that only the address tells, beside those of memory_space.
inline constexpr std::uint32_t unknown_space = 255;

/// One run's tools, for the plugin: it reads the constant in the module that it compiles. Numbers that its calls pass
/// are constants there, so that what they rule out vanishes when the functions are inlined.
struct host_hooks {
  std::uint32_t version;
  std::uint32_t handled, counted;  ///< which events tools handle; which they only count
  /// A lane is about to access memory.
  void (*access)(char const* file, std::uint32_t line, std::uint32_t column, std::uint32_t kind, std::uint32_t space,
                 void const* address, std::uint64_t size_bytes);
  /// A site was executed some times by a lane.
  void (*count)(char const* file, std::uint32_t line, std::uint32_t column, std::uint32_t what, std::uint32_t space,
                std::uint64_t size_bytes, std::uint64_t executions);
  /// A lane decides a condition.
  void (*branch)(char const* file, std::uint32_t line, std::uint32_t column, bool condition);
  /// A lane calls a function.
  void (*call)(char const* file, std::uint32_t line, std::uint32_t column, void const* callee);
  /// Before main, for each kernel.
  void (*add_kernel)(void const* original, void const* instrumented, char const* name);
};

namespace detail {

template <class List, class Event>
constexpr std::uint32_t bit_if_handled(std::uint32_t bit) {
  return any_handles_v<List, Event> ? bit : 0;
}
template <class List, class Event>
constexpr std::uint32_t bit_if_counted(std::uint32_t bit) {
  return any_counts_v<List, Event> ? bit : 0;
}

template <class ToolOrPack>
struct hook_functions {
  using list = tools_of_t<ToolOrPack>;
  using probe_of_run = probe<ToolOrPack>;

  PASTA_ALWAYS_INLINE static void access(char const* file, std::uint32_t line, std::uint32_t column, std::uint32_t kind,
                                         std::uint32_t space, void const* address, std::uint64_t size_bytes) {
    memory_space const known = space == unknown_space ? simt::space_of(simt::current_worker()->block, address)
                                                      : static_cast<memory_space>(space);
    probe_of_run::access({}, {file, line, column}, static_cast<access_kind>(kind), known, address, size_bytes);
  }
  PASTA_ALWAYS_INLINE static void count(char const* file, std::uint32_t line, std::uint32_t column, std::uint32_t what,
                                        std::uint32_t space, std::uint64_t size_bytes, std::uint64_t executions) {
    auto& data = *static_cast<worker_data<list>*>(simt::current_worker()->probe_data);
    auto const key =
        site_key::of({file, line, column}, static_cast<operation>(what), static_cast<memory_space>(space), size_bytes);
    data.kernel->row(key).executions += executions;
  }
  PASTA_ALWAYS_INLINE static void branch(char const* file, std::uint32_t line, std::uint32_t column, bool condition) {
    probe_of_run::decide({}, {file, line, column}, condition);
  }
  PASTA_ALWAYS_INLINE static void call(char const* file, std::uint32_t line, std::uint32_t column, void const* callee) {
    probe_of_run::feed({}, {file, line, column}, pasta::call{0, reinterpret_cast<std::uintptr_t>(callee), 0});
  }
  static void add_kernel(void const* original, void const* instrumented, char const* name) {
    kernel_registry::instance().add(original, &tools_key<list>, instrumented, name);
  }
};

}  // namespace detail

template <class ToolOrPack>
constexpr host_hooks hooks_of() {
  using functions = detail::hook_functions<ToolOrPack>;
  using list = tools_of_t<ToolOrPack>;
  std::uint32_t const handled = detail::bit_if_handled<list, memory_access>(memory_access_bit) |
                                detail::bit_if_handled<list, branch>(branch_bit) |
                                detail::bit_if_handled<list, call>(call_bit);
  std::uint32_t const counted = detail::bit_if_counted<list, memory_access>(memory_access_bit) |
                                detail::bit_if_counted<list, branch>(branch_bit) |
                                detail::bit_if_counted<list, call>(call_bit);
  return {host_hooks_version,
          handled,
          counted,
          &functions::access,
          &functions::count,
          &functions::branch,
          &functions::call,
          &functions::add_kernel};
}

/// The hooks of all packs that a program is built with.
template <class... Packs>
constexpr std::array<host_hooks, sizeof...(Packs)> all_hooks(type_list<Packs...>) {
  return {hooks_of<Packs>()...};
}

}  // namespace pasta::llvm_route
#endif
