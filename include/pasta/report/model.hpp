// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_MODEL_HPP
#define PASTA_REPORT_MODEL_HPP

#include <cstdint>
#include <optional>
#include <pasta/report/sampling.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pasta {

/// The version of the report's shape; readers refuse another major version. See docs/report.schema.json.
inline constexpr char report_schema[] = "pasta-report/1";

/// Whether a column names a row (two reports are compared row by row on these) or measures it.
enum class column_role : std::uint8_t { key, value };

/// One column of a table.
struct column {
  std::string name;  ///< snake_case, unique in its table
  std::string unit;  ///< "" for names and plain numbers; else "bytes", "ns", "1" for a ratio, ...
  column_role role = column_role::value;
};

/// One value. std::monostate means "not known" or "not defined" (a ratio of nothing): null in JSON, empty in CSV.
/// A double that is not finite is stored as std::monostate by report::table::add.
using cell = std::variant<std::monostate, std::string, std::uint64_t, std::int64_t, double>;

/// Rows of equal shape about one kernel or about the whole program.
struct table {
  std::string name;  ///< snake_case, unique in its section
  std::vector<column> columns;
  std::vector<std::vector<cell>> rows;  ///< shape [row_count][columns.size()]
};

/// A place in the analysed program's source. line 0: not known.
struct source_place {
  std::string file;
  std::string function;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// How much a finding can be worth: low below 1.3x, medium from 1.3x, high from 2x.
enum class severity : std::uint8_t { low, medium, high };

/// One thing that a reader should look at, with the reason and what would help.
struct finding {
  severity level = severity::low;
  source_place place;
  std::string message;                 ///< what is wrong, in one sentence
  std::string advice;                  ///< what would help, in one sentence; may be empty
  std::optional<double> gain_at_most;  ///< upper bound of the kernel's speedup [1]; empty: not bounded
};

/// What happened to a kernel's launches and events: nothing disappears without being counted here.
struct loss {
  std::uint64_t launches_seen = 0;         ///< all launches that reached PASTA
  std::uint64_t launches_delivered = 0;    ///< of those, analysed to their end
  std::uint64_t launches_sampled_out = 0;  ///< of those, left out by choice, the sampling rate or stop()
  std::uint64_t launches_lost = 0;         ///< of those, begun and not ended: exception, crash, kill
  std::uint64_t events_delivered = 0;      ///< device events handed to a handler or counted, one per lane
  std::uint64_t events_dropped = 0;  ///< device events that happened in a delivered launch and were not handed over
  std::vector<std::string> not_instrumentable;  ///< one sentence each: what could not be seen, and why
};

/// What one tool says about one kernel.
struct kernel_section {
  std::string kernel;                   ///< demangled name, any bytes (JSON export escapes what is not UTF-8)
  std::string range;                    ///< the annotated ranges it was launched in, joined by '/'; "" outside of any
  std::optional<std::uint64_t> launch;  ///< the launch's number from 0 with --per launch; empty: all launches merged
  std::string grid, block;              ///< "32x32x1"; "varies" where launches differ
  std::uint64_t shared_bytes = 0;       ///< dynamic shared memory of the largest launch [bytes]
  std::uint64_t duration_ns = 0;        ///< sum over delivered launches, with the tool in the kernel [ns]
  loss losses;
  std::vector<table> tables;
  std::vector<finding> findings;
  std::optional<pasta::sampling> sampling = std::nullopt;  ///< empty: all launches that were chosen were analysed whole
  std::string route = "";  ///< that saw its launches; "": that of the header, and where that is "auto" none
};

/// What one tool says.
struct tool_section {
  std::string tool;
  std::vector<std::pair<std::string, std::string>> options;  ///< name, value as it was in force
  std::vector<kernel_section> kernels;
  std::vector<table> tables;  ///< about the whole program
  std::vector<finding> findings;
};

/// Where the report comes from.
struct report_header {
  std::vector<std::string> command;
  std::uint64_t pid = 0;
  std::string host_name;
  std::string route;   ///< "probe", ...; "auto": sections have their own
  std::string vendor;  ///< "host", ...
  std::string device;  ///< "CPU engine, 2 threads, warp width 32"
  std::string pasta_version;
  std::string os, cpu, compiler, compiler_flags;
  std::string date;                ///< start of the program, ISO 8601, UTC
  std::uint64_t wall_ns = 0;       ///< from attach to report [ns]
  std::string gpu, driver, cuda;   ///< empty where there is none
  std::optional<double> slowdown;  ///< wall time with the tool over wall time without, where it was measured [1]
  std::string seen = "";           ///< with route "auto": how much each route saw, and why the rest was not
};

/// One report: one process, one or more tools. The JSON, text and CSV forms are made from this and from nothing else.
struct report_model {
  report_header header;
  bool is_complete = true;
  std::string incomplete_reason;   ///< "SIGSEGV", ...; empty when complete
  std::vector<std::string> notes;  ///< for the reader, one sentence each
  std::vector<tool_section> tools;
};

}  // namespace pasta
#endif
