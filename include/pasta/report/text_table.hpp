// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_REPORT_TEXT_TABLE_HPP
#define PASTA_REPORT_TEXT_TABLE_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <pasta/report/model.hpp>
#include <pasta/report/visible.hpp>

namespace pasta {

/// "1234567" as "1,234,567".
inline std::string with_separators(std::string digits) {
  std::size_t const start = !digits.empty() && digits.front() == '-' ? 1 : 0;
  std::size_t const end = std::min(digits.find_first_of(".e"), digits.size());
  for (std::size_t i = end; i > start + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

/// A time for reading: "812 ns", "4.21 ms", "1.30 s"; the exact number is in the JSON file.
inline std::string readable_time(std::uint64_t time_ns) {
  double const t = static_cast<double>(time_ns);
  if (time_ns < 1000) return fmt::format("{} ns", time_ns);
  if (t < 999.5e3) return fmt::format("{:.3g} us", t / 1e3);
  if (t < 999.5e6) return fmt::format("{:.3g} ms", t / 1e6);
  return fmt::format("{} s",
                     with_separators(t < 10e9 ? fmt::format("{:.2f}", t / 1e9) : fmt::format("{:.1f}", t / 1e9)));
}

/// How the numbers of one column are written: alike from row to row.
class number_format {
 public:
  number_format(table const& t, std::size_t column) : unit_(t.columns[column].unit) {
    bool is_multiple_of_kib = unit_ == "bytes", is_multiple_of_mib = unit_ == "bytes", has_bytes = false;
    for (auto const& row : t.rows) {
      if (auto const* number = std::get_if<double>(&row[column])) {
        largest_ = std::max(largest_, std::fabs(*number));
        is_integral_ = is_integral_ && *number == std::floor(*number);
        is_multiple_of_kib = is_multiple_of_mib = false;
      } else if (auto const* count = std::get_if<std::uint64_t>(&row[column])) {
        has_bytes = has_bytes || *count != 0;
        is_multiple_of_kib = is_multiple_of_kib && *count % 1024 == 0;
        is_multiple_of_mib = is_multiple_of_mib && *count % (1024 * 1024) == 0;
      }
    }
    // Bytes are scaled only where nothing is lost in any row.
    if (has_bytes && is_multiple_of_mib) {
      divisor_ = 1024 * 1024;
      unit_ = "MiB";
    } else if (has_bytes && is_multiple_of_kib) {
      divisor_ = 1024;
      unit_ = "KiB";
    }
  }

  std::string const& unit() const { return unit_; }

  std::string operator()(cell const& value) const {
    if (auto const* count = std::get_if<std::uint64_t>(&value))
      return with_separators(fmt::format("{}", *count / divisor_));
    if (auto const* number = std::get_if<std::int64_t>(&value)) return with_separators(fmt::format("{}", *number));
    if (auto const* number = std::get_if<double>(&value)) return real(*number);
    if (auto const* text = std::get_if<std::string>(&value)) return visible(*text);
    return "-";
  }

 private:
  std::string real(double number) const {
    if (!std::isfinite(number)) return "-";
    if (largest_ >= 1e15) return fmt::format("{:.4g}", number);
    if (unit_ != "1" && is_integral_) return with_separators(fmt::format("{:.0f}", number));
    if (number != 0 && std::fabs(number) < 5e-4) return fmt::format("{:.1e}", number);
    return with_separators(fmt::format("{:.{}f}", number, largest_ < 10 ? 3 : 2));
  }

  std::string unit_;
  double largest_ = 0;
  bool is_integral_ = true;
  std::uint64_t divisor_ = 1;
};

/// Lays out texts in aligned columns. A heading like "sectors_needed" is broken at its underscores, so that it does not
/// make the column wider than its numbers.
class text_table {
 public:
  enum class align : std::uint8_t { left, right };

  void add_column(std::string_view name, std::string_view unit, align side) {
    columns_.push_back({std::string(name), std::string(unit), side});
  }

  /// @param cells visible() texts, one for each column
  /// @param remark a visible() text that stands at the end of the line, or below it if the table leaves too little
  ///     room; may be empty
  void add_row(std::vector<std::string> cells, std::string remark) {
    rows_.push_back({std::move(cells), std::move(remark)});
  }

  /// Columns of the terminal that it takes where nothing is shortened, without remarks.
  std::size_t full_width(std::size_t indent) const { return width_of(text_widths(), indent); }

  /// @param width of the terminal, with the indent; rows that cannot fit are longer
  /// @param dim, plain: escape sequences around headings and remarks, or ""
  std::string render(std::size_t indent, std::size_t width, std::string_view dim, std::string_view plain) const {
    std::vector<std::size_t> widths = text_widths();
    std::size_t total = width_of(widths, indent);
    shrink(widths, total, width);

    auto const headings = heading_lines(widths);
    std::string result;
    for (auto const& heading : headings) {
      std::string line(indent, ' ');
      append_cells(line, heading, widths);
      result += fmt::format("{}{}{}\n", dim, trimmed(line), plain);
    }
    std::size_t const remark_width = width > total + gap + 2 ? width - total - gap - 2 : 0;
    bool const fits_beside = std::all_of(rows_.begin(), rows_.end(), [&](text_row const& row) {
      return remark_width >= smallest_remark || remark_width >= display_width(row.remark);
    });
    std::string last_remark;
    for (auto const& row : rows_) {
      std::string line(indent, ' ');
      append_cells(line, row.cells, widths);
      if (row.remark.empty() || row.remark == last_remark) {
        result += fmt::format("{}\n", trimmed(line));
      } else if (fits_beside) {
        result += fmt::format("{}{:{}}{}| {}{}\n", line, "", gap, dim, shorten_end(row.remark, remark_width), plain);
      } else {
        std::size_t const deep = indent + 4;
        result += fmt::format("{}\n{:{}}{}| {}{}\n", trimmed(line), "", deep, dim,
                              shorten_end(row.remark, width > deep + 10 ? width - deep - 2 : 8), plain);
      }
      last_remark = row.remark;
    }
    return result;
  }

 private:
  static constexpr std::size_t gap = 2;
  static constexpr std::size_t smallest_remark = 48;
  static constexpr std::size_t smallest_text = 12;

  struct text_column {
    std::string name, unit;
    align side;
  };
  struct text_row {
    std::vector<std::string> cells;
    std::string remark;
  };

  static std::string_view trimmed(std::string_view line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

  static std::size_t width_of(std::vector<std::size_t> const& widths, std::size_t indent) {
    std::size_t total = indent;
    for (std::size_t const w : widths) total += w + gap;
    return total - (widths.empty() ? 0 : gap);
  }

  std::vector<std::size_t> text_widths() const {
    std::vector<std::size_t> widths(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (std::string_view rest = columns_[c].name; !rest.empty();) {
        auto const end = std::min(rest.find('_'), rest.size());
        widths[c] = std::max(widths[c], display_width(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      if (!columns_[c].unit.empty()) widths[c] = std::max(widths[c], display_width(columns_[c].unit) + 2);
      for (auto const& row : rows_) widths[c] = std::max(widths[c], display_width(row.cells[c]));
    }
    return widths;
  }

  /// Takes width from the widest texts, never from numbers.
  void shrink(std::vector<std::size_t>& widths, std::size_t& total, std::size_t width) const {
    while (total > width) {
      std::size_t widest = columns_.size();
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].side == align::left && (widest == columns_.size() || widths[c] > widths[widest])) widest = c;
      }
      if (widest == columns_.size() || widths[widest] <= smallest_text) return;
      --widths[widest];
      --total;
    }
  }

  /// @return shape [line_count][column_count], filled from the bottom
  std::vector<std::vector<std::string>> heading_lines(std::vector<std::size_t> const& widths) const {
    std::vector<std::vector<std::string>> parts(columns_.size());
    std::size_t line_count = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (std::string_view rest = columns_[c].name; !rest.empty();) {
        auto const end = std::min(rest.find('_'), rest.size());
        std::string const word(rest.substr(0, end));
        if (!parts[c].empty() && display_width(parts[c].back()) + 1 + display_width(word) <= widths[c]) {
          parts[c].back() += ' ' + word;
        } else {
          parts[c].push_back(word);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      if (!columns_[c].unit.empty()) parts[c].push_back('[' + columns_[c].unit + ']');
      line_count = std::max(line_count, parts[c].size());
    }
    std::vector<std::vector<std::string>> lines(line_count, std::vector<std::string>(columns_.size()));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (std::size_t i = 0; i < parts[c].size(); ++i) lines[line_count - parts[c].size() + i][c] = parts[c][i];
    }
    return lines;
  }

  void append_cells(std::string& line, std::vector<std::string> const& cells,
                    std::vector<std::size_t> const& widths) const {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::string const text = shorten_middle(cells[c], widths[c]);
      std::size_t const space = widths[c] - std::min(widths[c], display_width(text));
      if (c != 0) line.append(gap, ' ');
      if (columns_[c].side == align::right) line.append(space, ' ');
      line += text;
      if (columns_[c].side == align::left) line.append(space, ' ');
    }
  }

  std::vector<text_column> columns_;
  std::vector<text_row> rows_;
};

}  // namespace pasta
#endif
