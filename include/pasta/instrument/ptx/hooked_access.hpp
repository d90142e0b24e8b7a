// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// An access that a tool's handler wants, and where the tools' rows are.
#ifndef PASTA_INSTRUMENT_PTX_HOOKED_ACCESS_HPP
#define PASTA_INSTRUMENT_PTX_HOOKED_ACCESS_HPP

#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/hook.hpp>
#include <pasta/instrument/ptx/strides.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pasta::ptx {

inline constexpr std::uint32_t no_row = UINT32_MAX, no_counts = UINT32_MAX;

/// What the accesses of a module take so far.
struct hook_totals {
  std::uint32_t rows = 0;
  std::uint32_t in_order_bytes = 0;  ///< of each shard
};

/// An access that a handler wants.
struct hooked_access {
  std::size_t statement;
  std::uint8_t number = 0;     ///< in site::accesses()
  std::uint32_t row = no_row;  ///< in the module
  /// Where its counts of requests in order are [bytes], 8 for each element of a sector, `in_order_step` apart;
  /// no_counts: none.
  std::uint32_t in_order = no_counts, in_order_step = 0;
  std::string_view why;  ///< it reaches no handler, and has no row
  std::string skip;      ///< code that leads past the hooks where there is no access, and may make %pasta_size
  /// For tests that all lanes come to: code that makes %pasta_adds false where the guard does not hold, or the access
  /// is not of its whole size. `whole` is of the size alone.
  std::string holds, whole;
  /// Likewise code that makes %pasta_adds true where there is an access. Empty: there always is.
  std::string happens;
  std::vector<std::string_view> conditions;  ///< registers that these ask for
  std::string before;                        ///< code that makes %pasta_address
  hook_operand size, space;
  /// Accesses that are tested for order together, or have one run, have one number: that of the last one's statement,
  /// where they are.
  std::size_t batch = no_batch;
  std::string_view base;    ///< register of 64 bits that the address is relative to; empty: none
  std::int64_t offset = 0;  ///< from it [bytes]

  bool is_nested = false;  ///< within a scope of the body: names of its own may be in the code
  /// Number among those of the function whose latest request is kept in registers; not_kept: it is none.
  std::size_t kept = not_kept;
  /// Number among those of the function whose requests are counted in runs (ptx/detail/hook_run.hpp); no_run: it is
  /// none.
  std::size_t run = no_run;
  std::size_t run_place = 0;      ///< number among all accesses of runs
  bool has_known_step = false;    ///< of all accesses of the run: a multiple of in_order_period
  std::vector<run_break> breaks;  ///< of the run
  /// Code as `holds`: makes %pasta_adds false where a value of 32 bits went beyond what they hold since the last turn.
  std::string has_stepped;
  /// Of a run: registers of the function that the access's hook is not to compete with, and their bits.
  std::vector<std::pair<std::string_view, std::uint32_t>> saved;
  /// Whether what a function with runs knows of its thread is found again here, so that no register has it meanwhile.
  bool finds_again = false;

  static constexpr std::size_t no_batch = SIZE_MAX, not_kept = SIZE_MAX, no_run = SIZE_MAX;
  bool keeps() const { return kept != not_kept || run != no_run; }
};

/// Where the rows of one tool begin, in a shard and once for all [bytes].
struct row_places {
  std::uint32_t functions_shard = 0, sites_shard = 0, functions_shared = 0, sites_shared = 0;
};

/// Functions of a module in which hooks are called: their numbers have 29 bits.
inline constexpr std::uint32_t most_called_functions = 1U << 29;

/// Where what hooks write to is.
struct hook_places {
  std::string_view state_name;              ///< of the module's state
  std::span<row_places const> rows;         ///< by hook
  std::uint32_t in_order = 0;               ///< counts of requests in order, in a shard [bytes]
  std::uint32_t function = 0;               ///< number of the function's rows
  std::size_t run_places = 0;               ///< accesses of the function whose requests are counted in runs
  std::span<std::string const> calls = {};  ///< by hook: the function to call, instead of bodies; empty: none is called
};

}  // namespace pasta::ptx
#endif
