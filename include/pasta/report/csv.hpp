// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_CSV_HPP
#define PASTA_REPORT_CSV_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <pasta/report/model.hpp>
#include <pasta/report/report_error.hpp>
#include <pasta/report/visible.hpp>

namespace pasta {

namespace detail {

inline std::string csv_cell(std::string_view text) {
  // A spreadsheet takes a text with one of these first for a formula. An apostrophe before it (and before an
  // apostrophe, so that it can be taken away again without doubt) keeps it a text.
  std::string result;
  if (!text.empty() && std::string_view("=+-@\t\r'").find(text.front()) != std::string_view::npos) result = "'";
  result += text;
  if (result.find_first_of("\",\r\n") == std::string::npos) return result;
  for (auto quote = result.find('"'); quote != std::string::npos; quote = result.find('"', quote + 2))
    result.insert(quote, "\"");
  return fmt::format("\"{}\"", result);
}

inline std::string csv_cell(cell const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) return csv_cell(std::string_view(*text));
  if (auto const* number = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *number);
  if (auto const* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  if (auto const* number = std::get_if<double>(&value)) return std::isfinite(*number) ? fmt::format("{}", *number) : "";
  return "";
}

}  // namespace detail

/// The names "tool.table" of the tables in a report, each once, in order.
inline std::vector<std::string> csv_names(report_model const& report) {
  std::vector<std::string> names;
  auto const add = [&](std::string const& tool, std::vector<table> const& tables) {
    for (table const& t : tables) {
      std::string name = fmt::format("{}.{}", tool, t.name);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  };
  for (tool_section const& tool : report.tools) {
    for (kernel_section const& kernel : tool.kernels) add(tool.tool, kernel.tables);
    add(tool.tool, tool.tables);
  }
  return names;
}

/// One table of one tool, the rows of all kernels, as CSV (RFC 4180, lines end in CR LF, first line names the columns).
/// Columns tool, kernel, launch and range come first; the last three are empty in tables about the whole program. Where
/// several routes saw kernels, route follows. In a
/// report of a sample sampling_scale follows: what a row's counts are multiplied by to estimate all. Texts
/// keep their bytes; one that starts with = + - @ ' tab or CR gets an apostrophe before it. A cell that is not known is
/// empty.
/// @throws report_error if the report has no such table
inline std::string to_csv(report_model const& report, std::string_view tool_name, std::string_view table_name) {
  std::vector<std::string> columns;
  auto const each = [&](auto&& visit) {
    for (tool_section const& tool : report.tools) {
      if (tool.tool != tool_name) continue;
      for (kernel_section const& kernel : tool.kernels) {
        for (table const& t : kernel.tables) {
          if (t.name == table_name) visit(tool, &kernel, t);
        }
      }
      for (table const& t : tool.tables) {
        if (t.name == table_name) visit(tool, static_cast<kernel_section const*>(nullptr), t);
      }
    }
  };
  bool is_found = false;
  each([&](tool_section const&, kernel_section const*, table const& t) {
    is_found = true;
    for (column const& c : t.columns) {
      if (std::find(columns.begin(), columns.end(), c.name) == columns.end()) columns.push_back(c.name);
    }
  });
  if (!is_found)
    throw report_error(fmt::format("no table {}.{} in this report", visible(tool_name), visible(table_name)));

  bool is_sampled = false, has_routes = false;
  each([&](tool_section const&, kernel_section const* kernel, table const&) {
    is_sampled = is_sampled || (kernel != nullptr && kernel->sampling);
    has_routes = has_routes || (kernel != nullptr && !kernel->route.empty());
  });
  std::string text = "tool,kernel,launch,range";
  if (has_routes) text += ",route";
  if (is_sampled) text += ",sampling_scale";
  for (std::string const& name : columns) text += ',' + detail::csv_cell(std::string_view(name));
  text += "\r\n";
  each([&](tool_section const& tool, kernel_section const* kernel, table const& t) {
    std::vector<std::size_t> places(columns.size(), t.columns.size());  // index in columns -> index in t
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
      auto const found = std::find(columns.begin(), columns.end(), t.columns[i].name);
      places[static_cast<std::size_t>(found - columns.begin())] = i;
    }
    for (auto const& row : t.rows) {
      text += detail::csv_cell(std::string_view(tool.tool)) + ',';
      if (kernel != nullptr) text += detail::csv_cell(std::string_view(kernel->kernel));
      text += ',';
      if (kernel != nullptr && kernel->launch) text += fmt::format("{}", *kernel->launch);
      text += ',';
      if (kernel != nullptr) text += detail::csv_cell(std::string_view(kernel->range));
      if (has_routes) text += ',' + detail::csv_cell(std::string_view(kernel != nullptr ? kernel->route : ""));
      if (is_sampled) text += kernel != nullptr && kernel->sampling ? fmt::format(",{}", kernel->sampling->scale) : ",";
      for (std::size_t const place : places) {
        text += ',';
        if (place < row.size()) text += detail::csv_cell(row[place]);
      }
      text += "\r\n";
    }
  });
  return text;
}

}  // namespace pasta
#endif
