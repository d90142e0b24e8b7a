// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_INSTRUMENT_HPP
#define PASTA_INSTRUMENT_PTX_INSTRUMENT_HPP

#include <cstdint>
#include <pasta/instrument/ptx/hook.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/site_table.hpp>
#include <span>
#include <string>
#include <string_view>

/// Puts what tools need into PTX: counters of memory accesses and other events, and their handlers.
namespace pasta::ptx {

/// Makes a site table's text smaller. Who reads it knows text that is not packed by its first byte, a brace.
using table_packer = std::string (*)(std::string_view text);

struct instrument_options {
  table_packer pack = nullptr;  ///< null: the table stands in the module as text
  /// Functions that keep at most 16 bytes in registers, as those with `setmaxnreg` do: they have none to spare.
  std::span<std::string const> short_of_registers = {};
};

struct instrumented {
  std::string text;  ///< PTX with counters, hooks, the state and the site table; the source if there is no site
  site_table table;  ///< views of the module's source
  std::string json;  ///< the table's text
  std::size_t sites = 0;
  bool is_changed = false;  ///< there is something to count, or to hand to a handler
};

/// The module cannot be instrumented at all. what() is half a line: `its target sm_61 is older than sm_70`.
struct cannot_instrument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether a module has state of PASTA already: it is the output of instrument(), or PTX that was taken from a binary.
bool is_instrumented(module const& from);

/// Puts the bodies of each hook before the instructions whose events its handlers want, thread_enter at a kernel's
/// begin and thread_exit where threads end. Where a tool counts, counts how often each site is executed, per lane: of
/// memory accesses atomic operations, asynchronous copies, textures and surfaces too. What is not touched stays byte
/// for byte. A function that cannot be instrumented is left as it is, and its row of the table says why.
/// @param hooks of the tools, in their order
/// @throws cannot_instrument; std::bad_alloc; what `pack` throws
instrumented instrument(module const& from, std::span<hook const> hooks, instrument_options const& options = {});

/// The same for tools that count, by their names.
instrumented count_accesses(module const& from, std::span<std::string const> tools);

}  // namespace pasta::ptx

#include <pasta/instrument/ptx/detail/instrument.inl>
#endif
