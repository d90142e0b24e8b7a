// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Reads the site table that travels in an instrumented module (instrument/ptx/site_table.hpp gives its shape).
#ifndef PASTA_SESSION_PTX_READ_SITE_TABLE_HPP
#define PASTA_SESSION_PTX_READ_SITE_TABLE_HPP

#include <cstdint>
#include <optional>
#include <pasta/instrument/site.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pasta::ptx {

/// A table that cannot be used. what() is half a line: `it is of PASTA 0.0.9, this is 0.1.0`.
struct table_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A table as read: owns its texts, and every number in it is in range.
struct read_table {
  /// Who makes an access when a warp executes the instruction.
  enum class maker : std::uint8_t { lane, rows, warp, warp_group };

  struct place {
    std::string file;
    std::uint32_t line = 0, column = 0;
    std::string function;               ///< the inlined function that holds it, mangled; empty if it is not inlined
    std::optional<std::size_t> caller;  ///< the place it was inlined at: a lower number
  };
  struct access {
    operation kind = operation::load;
    memory_space space = memory_space::global;
    std::optional<std::uint32_t> size_bytes;  ///< empty: only the run tells
    maker by = maker::lane;
    std::uint32_t lanes = 32;  ///< with maker::rows: of a whole warp so many make one each
    std::string why;           ///< something about it is not known before the program runs
    std::optional<std::uint32_t> row;
    std::string unhandled;  ///< why it does not reach a handler that wants it
    /// Where in a shard the counts of requests in order are, 32 / size_bytes of them [bytes].
    std::optional<std::uint32_t> in_order;
    std::uint32_t in_order_step = 8;  ///< from one of these counts to the next [bytes]
    matrix_tile tile;                 ///< of a matrix operation
  };
  struct site {
    std::optional<std::uint32_t> counter;
    std::optional<std::size_t> place;
    std::string opcode;
    std::vector<access> accesses;
    std::optional<access> event;  ///< what it is beside them: a copy, barrier, branch, matrix or call
  };
  /// A tool whose handlers get nothing of a function.
  struct left_out {
    std::string tool, why;
  };
  struct function {
    std::string name;  ///< as in the module
    bool is_entry = false;
    std::string why;  ///< it is not instrumented; empty: it is
    std::optional<std::uint32_t> row;
    std::vector<site> sites;
    std::vector<left_out> without;
  };
  /// Where a tool's rows are, in a shard or in what the module has once. Row n is at functions + n * function_bytes.
  struct area {
    std::uint32_t functions = 0, function_bytes = 0, sites = 0, site_bytes = 0;
  };
  struct tool_rows {
    std::string tool;
    std::uint32_t function_rows = 0, site_rows = 0;
    area shard, shared;
  };

  std::string id, target;
  std::vector<std::string> tools;
  std::uint32_t counters = 0;
  std::uint32_t shard_bytes = 0;   ///< that one shard needs
  std::uint32_t shared_bytes = 0;  ///< that the module needs once
  std::vector<tool_rows> rows;
  std::vector<place> places;
  std::vector<function> functions;

  /// The rows of a tool, or null if the module has none of it.
  tool_rows const* find_rows(std::string_view tool) const;
};

/// Largest text that is read [bytes].
inline constexpr std::uint64_t max_table_bytes = std::uint64_t{256} << 20;

/// @param text the JSON, without what stands behind it @throws table_error
read_table read_site_table(std::string_view text);

}  // namespace pasta::ptx

#include <pasta/session/ptx/detail/read_site_table.inl>
#endif
