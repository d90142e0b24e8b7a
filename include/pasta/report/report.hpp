// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a tool's report function gets, and what it writes to.
#ifndef PASTA_REPORT_REPORT_HPP
#define PASTA_REPORT_REPORT_HPP

#include <cmath>
#include <concepts>
#include <map>
#include <pasta/analysis/touched_memory.hpp>
#include <pasta/instrument/site.hpp>
#include <pasta/report/model.hpp>
#include <pasta/tool.hpp>

namespace pasta {

/// What was collected at one site.
template <class Tool>
struct site_result {
  site_info site;
  std::uint64_t executions = 0;  ///< lanes that executed it; counted for every tool
  typename Tool::site_state state{};
};

/// What was collected about one kernel, or with `--per launch` about one launch.
template <class Tool>
struct kernel_result {
  std::string name;
  std::string range;                    ///< the annotated ranges it was launched in, joined by '/'
  std::optional<std::uint64_t> launch;  ///< empty: all launches
  dim3 grid, block;                     ///< of the first launch
  bool has_one_shape = true;            ///< whether all launches had it
  std::uint64_t shared_bytes = 0, duration_ns = 0;
  loss losses;
  std::optional<pasta::sampling> sampling;  ///< empty: all that was offered was analysed
  std::vector<site_result<Tool>> sites;     ///< sorted by file, line, column
  typename Tool::kernel_state kernel{};
  typename Tool::launch_state launch_state{};
  touched_memory touched;  ///< of a tool with shadow bits
  std::string route;       ///< that saw it, where the report has several
};

/// Everything that a tool collected in a run.
template <class Tool>
struct results {
  std::vector<kernel_result<Tool>> kernels;  ///< in order of first launch
  typename Tool::program_state program{};
  typename Tool::options options{};
};

/// The key columns of a table with one row per site; a row begins with the site_info.
inline std::vector<column> site_columns() {
  return {{"file", "", column_role::key},   {"line", "", column_role::key},  {"column", "", column_role::key},
          {"access", "", column_role::key}, {"space", "", column_role::key}, {"size", "bytes", column_role::key}};
}

/// Adds rows to a table.
class table_writer {
 public:
  explicit table_writer(table& into) : table_(&into) {}

  /// One row: a site_info fills the six columns of site_columns(); every other argument one. Numbers that are not
  /// finite, and empty optionals, become "not known".
  /// @throw std::logic_error if the number of cells is not the number of columns
  template <class... Values>
  void add(Values const&... values) {
    std::vector<cell> row;
    (append(row, values), ...);
    if (row.size() != table_->columns.size()) {
      throw std::logic_error("table " + table_->name + ": a row has " + std::to_string(row.size()) +
                             " cells, the table " + std::to_string(table_->columns.size()) + " columns");
    }
    table_->rows.push_back(std::move(row));
  }

 private:
  static void append(std::vector<cell>& row, site_info const& site) {
    append(row, site.file), append(row, site.line), append(row, site.column);
    append(row, to_string(site.what)), append(row, to_string(site.space)), append(row, site.size_bytes);
  }
  template <std::convertible_to<std::string_view> Text>
  static void append(std::vector<cell>& row, Text const& text) {
    row.emplace_back(std::string(std::string_view(text)));
  }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  static void append(std::vector<cell>& row, Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      std::isfinite(number) ? row.emplace_back(static_cast<double>(number)) : row.emplace_back();
    } else if constexpr (std::is_signed_v<Number>) {
      row.emplace_back(std::int64_t{number});
    } else {
      row.emplace_back(std::uint64_t{number});
    }
  }
  template <class Value>
  static void append(std::vector<cell>& row, std::optional<Value> const& value) {
    value ? append(row, *value) : static_cast<void>(row.emplace_back());
  }
  static void append(std::vector<cell>& row, std::nullopt_t) { row.emplace_back(); }

  table* table_;
};

/// A part of a report: about one kernel or about the program.
template <class Section>
class section_writer {
 public:
  explicit section_writer(Section& into) : section_(&into) {}

  /// Starts a table. @param columns in order; names are unique @return writes its rows; valid until the next table()
  /// call
  table_writer table(std::string name, std::vector<column> columns) {
    section_->tables.push_back({std::move(name), std::move(columns), {}});
    return table_writer(section_->tables.back());
  }
  void finding(pasta::finding found) {
    if (found.gain_at_most && !std::isfinite(*found.gain_at_most)) found.gain_at_most.reset();
    section_->findings.push_back(std::move(found));
  }

 private:
  Section* section_;
};

/// Where a tool writes its report. Everything else about the run (header, kernels, losses) is written by PASTA.
class report {
 public:
  explicit report(tool_section& into) : section_(&into) {}

  /// The part about one kernel of the results. Valid until kernel() is called for another.
  template <class Tool>
  section_writer<kernel_section> kernel(kernel_result<Tool> const& of) {
    auto const text = [](dim3 const& size) {
      return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
    };
    auto const [known, is_new] = known_.try_emplace({of.name, of.range, of.launch, of.route}, section_->kernels.size());
    if (is_new) {
      section_->kernels.push_back({of.name,
                                   of.range,
                                   of.launch,
                                   of.has_one_shape ? text(of.grid) : "varies",
                                   of.has_one_shape ? text(of.block) : "varies",
                                   of.shared_bytes,
                                   of.duration_ns,
                                   of.losses,
                                   {},
                                   {},
                                   of.sampling,
                                   of.route});
    }
    return section_writer(section_->kernels[known->second]);
  }
  /// The part about the whole program.
  section_writer<tool_section> program() { return section_writer(*section_); }

 private:
  tool_section* section_;
  std::map<std::tuple<std::string, std::string, std::optional<std::uint64_t>, std::string>, std::size_t> known_;
};

/// How much a finding is worth: high from 2x, medium from 1.3x.
constexpr severity severity_of(double gain_at_most) {
  return gain_at_most >= 2 ? severity::high : gain_at_most >= 1.3 ? severity::medium : severity::low;
}

/// A site's place, for a finding.
inline source_place place_of(site_info const& site) { return {site.file, "", site.line, site.column}; }

}  // namespace pasta
#endif
