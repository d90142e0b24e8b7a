// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of report/text.hpp.
#ifndef PASTA_REPORT_DETAIL_TEXT_INL
#define PASTA_REPORT_DETAIL_TEXT_INL

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include <pasta/report/source_lines.hpp>
#include <pasta/report/text.hpp>
#include <pasta/report/text_table.hpp>
#include <pasta/report/visible.hpp>

namespace pasta {

namespace detail {

/// One report's text, built line by line.
class text_writer {
 public:
  text_writer(report_model const& report, text_options const& options)
      : report_(report),
        options_(options),
        names_(report, options.folder),
        width_(std::max<std::size_t>(options.width, 60)) {}

  std::string write() {
    write_title();
    write_state();
    if (options_.scope == text_scope::everything) write_header();
    write_findings();
    if (options_.scope == text_scope::everything) {
      for (tool_section const& tool : report_.tools) write_tool(tool);
    }
    return std::move(text_);
  }

 private:
  struct placed_finding {
    finding const* content;
    std::string kernel;
  };

  std::string_view style(std::string_view sequence) const {
    return options_.color == text_color::always ? sequence : std::string_view();
  }
  std::string_view bold() const { return style("\x1b[1m"); }
  std::string_view dim() const { return style("\x1b[2m"); }
  std::string_view plain() const { return style("\x1b[0m"); }
  std::string_view color_of(severity level) const {
    if (level == severity::high) return style("\x1b[1;31m");
    return level == severity::medium ? style("\x1b[1;33m") : style("\x1b[1;36m");
  }

  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }

  /// Breaks a sentence at spaces.
  void paragraph(std::size_t indent, std::string_view sentence) {
    std::string const shown = visible(sentence);
    std::string_view rest = shown;
    while (!rest.empty()) {
      std::string_view part = first_columns(rest, width_ - indent);
      if (part.size() < rest.size()) {
        auto const space = rest.substr(0, part.size() + 1).rfind(' ');
        if (space != std::string_view::npos && space > 0) part = rest.substr(0, space);
      }
      line("{:{}}{}", "", indent, part);
      rest.remove_prefix(part.size());
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
  }

  static std::string joined(std::initializer_list<std::string_view> parts, std::string_view separator) {
    std::string result;
    for (std::string_view const part : parts) {
      if (part.empty()) continue;
      if (!result.empty()) result += separator;
      result += part;
    }
    return result;
  }

  /// "2026-01-31T12:00:00Z" as "2026-01-31 12:00:00 UTC".
  static std::string readable_date(std::string date) {
    if (date.size() == 20 && date[10] == 'T' && date[19] == 'Z') {
      date[10] = ' ';
      date.replace(19, 1, " UTC");
    }
    return visible(date);
  }

  void write_title() {
    std::string tools;
    for (tool_section const& tool : report_.tools) {
      if (!tools.empty()) tools += " + ";
      tools += visible(tool.tool);
    }
    std::string const left = fmt::format("PASTA {}  {}", visible(report_.header.pasta_version), tools);
    std::string const date = readable_date(report_.header.date);
    std::size_t const used = display_width(left) + display_width(date);
    line("{}{}{}{:{}}{}", bold(), left, plain(), "", used + 2 < width_ ? width_ - used : 2, date);
  }

  void write_state() {
    if (!report_.is_complete) {
      line("{}INCOMPLETE{}: {}; numbers cover what had happened until then", style("\x1b[1;31m"), plain(),
           report_.incomplete_reason.empty() ? "reason not known" : visible(report_.incomplete_reason));
    }
  }

  void write_fact(char const* name, std::string const& value) {
    if (value.empty()) return;
    constexpr std::size_t indent = 12;
    std::size_t const start = text_.size();
    paragraph(indent, value);
    text_.replace(start, indent, fmt::format("  {:<10}", name));
  }

  void write_header() {
    report_header const& h = report_.header;
    std::string command;
    for (std::string const& word : h.command) {
      if (!command.empty()) command += ' ';
      bool const is_plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?`") == std::string::npos;
      command += is_plain ? word : fmt::format("'{}'", word);
    }
    write_fact("command", command);
    for (tool_section const& tool : report_.tools) {
      std::string options;
      for (auto const& [name, value] : tool.options) {
        options += fmt::format("{}{}={}", options.empty() ? "" : ", ", visible(name), visible(value));
      }
      if (!options.empty())
        write_fact("options", report_.tools.size() == 1 ? options : fmt::format("{}: {}", tool.tool, options));
    }
    write_fact("route", joined({h.route, joined({h.vendor, h.device}, ": ")}, " on "));
    write_fact("seen", h.seen);
    write_fact(
        "gpu",
        joined({h.gpu, h.driver.empty() ? "" : "driver " + h.driver, h.cuda.empty() ? "" : "CUDA " + h.cuda}, ", "));
    write_fact("machine", joined({h.host_name, h.os, h.cpu}, ", "));
    write_fact("compiler", joined({h.compiler, h.compiler_flags}, "  "));
    std::string const slowdown =
        h.slowdown ? fmt::format("{:.2f} times the run without a tool (whole program)", *h.slowdown) : std::string();
    write_fact("time", joined({h.wall_ns == 0 ? "" : readable_time(h.wall_ns), slowdown}, ", "));
    for (std::string const& note : report_.notes) write_fact("note", note);
  }

  std::string place_name(source_place const& place) const {
    if (place.file.empty()) return visible(place.function);
    std::string const file = visible(names_(place.file));
    return place.line == 0 ? file : fmt::format("{}:{}", file, place.line);
  }

  void write_findings() {
    std::vector<placed_finding> findings;
    for (tool_section const& tool : report_.tools) {
      for (finding const& f : tool.findings) findings.push_back({&f, ""});
      for (kernel_section const& kernel : tool.kernels) {
        for (finding const& f : kernel.findings) findings.push_back({&f, kernel_name(kernel)});
      }
    }
    if (findings.empty() && !report_.is_complete) return;
    text_ += '\n';
    if (findings.empty()) {
      line("{}No findings{}", bold(), plain());
      return;
    }
    std::stable_sort(findings.begin(), findings.end(), [](placed_finding const& a, placed_finding const& b) {
      if (a.content->level != b.content->level) return a.content->level > b.content->level;
      return a.content->gain_at_most.value_or(0) > b.content->gain_at_most.value_or(0);
    });
    line("{}{} finding{}{}", bold(), findings.size(), findings.size() == 1 ? "" : "s", plain());
    for (placed_finding const& f : findings) write_finding(f);
  }

  void write_finding(placed_finding const& placed) {
    constexpr std::size_t indent = 10;
    finding const& f = *placed.content;
    char const* const level = f.level == severity::high ? "HIGH" : f.level == severity::medium ? "MEDIUM" : "LOW";
    std::string const gain = f.gain_at_most ? fmt::format("at most {:.2f}x faster", *f.gain_at_most) : std::string();
    std::string place = place_name(f.place);
    if (place.empty() && placed.kernel.empty()) place = "whole program";
    std::size_t const free = width_ - indent - gain.size() - 2;
    place = shorten_middle(place, free);
    std::size_t used = display_width(place);
    std::string kernel;
    if (!placed.kernel.empty()) {
      kernel = used + 14 < free ? shorten_middle(placed.kernel, free - used - 5) : std::string();
      if (!kernel.empty()) kernel = (place.empty() ? "in " : "  in ") + kernel;
      used += display_width(kernel);
    }
    line("  {}{:<6}{}  {}{}{}{}{}{:{}}{}{}{}", color_of(f.level), level, plain(), bold(), place, plain(), kernel, "",
         "", gain.empty() ? 0 : free - used + 2, bold(), gain, plain());
    std::string const& source = lines_(f.place.file, f.place.line);
    if (!source.empty()) line("{:{}}{}| {}{}", "", indent, dim(), shorten_end(source, width_ - indent - 2), plain());
    paragraph(indent, f.message);
    if (!f.advice.empty()) paragraph(indent, f.advice);
  }

  static std::string kernel_name(kernel_section const& kernel) {
    std::string name = visible(kernel.kernel);
    if (!kernel.range.empty()) name += fmt::format(" [{}]", visible(kernel.range));
    return kernel.launch ? fmt::format("{}, launch {}", name, *kernel.launch) : name;
  }

  void write_tool(tool_section const& tool) {
    for (kernel_section const& kernel : tool.kernels) write_kernel(tool, kernel);
    if (!tool.tables.empty()) {
      line("\n{}{}{}  whole program", bold(), visible(tool.tool), plain());
      bool const is_sampled = std::any_of(tool.kernels.begin(), tool.kernels.end(), [](kernel_section const& each) {
        return each.sampling && each.sampling->scale != 1;
      });
      if (is_sampled) paragraph(4, "sample: what follows is of what was analysed of each kernel, and not scaled");
      for (table const& t : tool.tables) write_table(t);
    }
    if (tool.kernels.empty() && report_.is_complete)
      line("\n{}{}{}  no kernel was launched", bold(), visible(tool.tool), plain());
  }

  void write_kernel(tool_section const& tool, kernel_section const& kernel) {
    std::string facts;
    auto const add = [&](std::string const& fact) { facts += (facts.empty() ? "" : "  ") + fact; };
    if (!kernel.launch) {
      std::uint64_t const count = kernel.losses.launches_delivered;
      add(fmt::format("{} launch{}", with_separators(fmt::format("{}", count)), count == 1 ? "" : "es"));
    }
    if (!kernel.grid.empty()) add("grid " + visible(kernel.grid));
    if (!kernel.block.empty()) add("block " + visible(kernel.block));
    if (kernel.shared_bytes != 0) add(with_separators(fmt::format("{}", kernel.shared_bytes)) + " bytes shared");
    if (kernel.duration_ns != 0) add(readable_time(kernel.duration_ns));
    if (!kernel.route.empty()) add("route " + visible(kernel.route));

    std::string const tool_name = visible(tool.tool);
    std::string const name = kernel_name(kernel);
    text_ += '\n';
    if (display_width(tool_name) + display_width(name) + display_width(facts) + 4 <= width_) {
      line("{}{}  {}{}  {}", bold(), tool_name, name, plain(), facts);
    } else {
      std::size_t const used = display_width(tool_name) + 2;
      line("{}{}  {}{}", bold(), tool_name, shorten_middle(name, width_ > used + 40 ? width_ - used : 40), plain());
      line("  {}", facts);
    }
    write_loss(kernel.losses);
    if (kernel.sampling) write_sampling(*kernel.sampling);
    for (table const& t : kernel.tables) write_table(t);
  }

  void write_loss(loss const& l) {
    auto const count = [](std::uint64_t n) { return with_separators(fmt::format("{}", n)); };
    auto const warn = [&](std::string const& sentence) {
      std::size_t const start = text_.size();
      paragraph(4, "loss: " + sentence);
      if (options_.color == text_color::always) text_.insert(start, style("\x1b[33m")) += plain();
    };
    if (l.launches_sampled_out != 0) {
      warn(fmt::format("{} of {} launches left out by choice, sampling or stop()", count(l.launches_sampled_out),
                       count(l.launches_seen)));
    }
    if (l.launches_lost != 0)
      warn(fmt::format("{} of {} launches did not end", count(l.launches_lost), count(l.launches_seen)));
    if (l.events_dropped != 0) {
      warn(fmt::format("{} events dropped, {} delivered", count(l.events_dropped), count(l.events_delivered)));
    }
    for (std::string const& reason : l.not_instrumentable) warn("not seen: " + reason);
  }

  void write_sampling(sampling const& s) {
    auto const count = [](std::uint64_t n) { return with_separators(fmt::format("{}", n)); };
    auto const rounded = [](double n) { return with_separators(fmt::format("{:.0f}", n)); };
    auto const percent = [](std::uint64_t taken, std::uint64_t offered) {
      return offered == 0 ? 0 : 100 * static_cast<double>(taken) / static_cast<double>(offered);
    };
    std::string what;
    if (s.launches_taken != s.launches_offered) {
      what = fmt::format("{} of {} launches ({:.3g} %)", count(s.launches_taken), count(s.launches_offered),
                         percent(s.launches_taken, s.launches_offered));
    }
    if (s.blocks_offered != 0) {
      what += fmt::format("{}{} of {} blocks ({:.3g} %)", what.empty() ? "" : ", in them ", count(s.blocks_taken),
                          count(s.blocks_offered), percent(s.blocks_taken, s.blocks_offered));
    }
    if (what.empty()) return;
    std::string text =
        s.scale == 0
            ? fmt::format("sample: {}: nothing is known of it", what)
            : fmt::format("sample: {}; what follows is of these alone, times {:.4g} estimates all", what, s.scale);
    if (s.events > 0) {
      text += fmt::format("; events of all: {}{}", rounded(s.events),
                          s.events_error ? fmt::format(" +- {} (standard error)", rounded(*s.events_error))
                                         : ", its error is not known");
    }
    std::size_t const start = text_.size();
    paragraph(4, text);
    if (options_.color == text_color::always) text_.insert(start, style("\x1b[33m")) += plain();
  }

  /// Which columns of a table together name a place in the source; -1: there is none.
  struct place_columns {
    int file, line, column;
    bool is_part(std::size_t c) const {
      return line >= 0 && (static_cast<int>(c) == line || static_cast<int>(c) == column);
    }
    bool is_place(std::size_t c) const { return line >= 0 && static_cast<int>(c) == file; }
  };

  template <class Value>
  static Value const* value_at(std::vector<cell> const& row, int column) {
    return column < 0 ? nullptr : std::get_if<Value>(&row[static_cast<std::size_t>(column)]);
  }

  static place_columns find_places(table const& t) {
    place_columns places{column_index(t, "file"), column_index(t, "line"), column_index(t, "column")};
    if (places.file < 0 || places.line < 0) return {-1, -1, -1};
    return places;
  }

  /// "transpose.cpp:21", or with the column "transpose.cpp:21:9" where the line alone would not tell two rows apart.
  std::string shown_place(std::vector<cell> const& row, place_columns const& places, bool with_column) const {
    auto const* file = value_at<std::string>(row, places.file);
    if (file == nullptr) return "-";
    std::string place = visible(names_(*file));
    auto const* line = value_at<std::uint64_t>(row, places.line);
    if (line == nullptr || *line == 0) return place;
    place += fmt::format(":{}", *line);
    auto const* column = value_at<std::uint64_t>(row, places.column);
    if (with_column && column != nullptr && *column != 0) place += fmt::format(":{}", *column);
    return place;
  }

  static bool needs_column(table const& t, place_columns const& places) {
    if (places.column < 0) return false;
    std::map<std::pair<cell, cell>, cell> columns;
    for (auto const& row : t.rows) {
      auto const at = [&](int c) { return row[static_cast<std::size_t>(c)]; };
      auto const [known, is_new] = columns.try_emplace({at(places.file), at(places.line)}, at(places.column));
      if (!is_new && known->second != at(places.column)) return true;
    }
    return false;
  }

  /// @param is_hidden shape [columns]
  text_table lay_out(table const& t, std::vector<number_format> const& formats, std::vector<bool> const& is_hidden) {
    place_columns const places = find_places(t);
    bool const with_column = needs_column(t, places);
    text_table layout;
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      if (is_hidden[c] || places.is_part(c)) continue;
      bool const is_text = std::any_of(t.rows.begin(), t.rows.end(),
                                       [c](auto const& row) { return std::holds_alternative<std::string>(row[c]); });
      std::string const& unit = formats[c].unit();
      layout.add_column(places.is_place(c) ? "place" : visible(t.columns[c].name), unit == "1" ? "" : visible(unit),
                        is_text ? text_table::align::left : text_table::align::right);
    }
    for (std::size_t r = 0; r < std::min(t.rows.size(), options_.row_limit); ++r) {
      auto const& row = t.rows[r];
      std::vector<std::string> cells;
      for (std::size_t c = 0; c < t.columns.size(); ++c) {
        if (is_hidden[c] || places.is_part(c)) continue;
        cells.push_back(places.is_place(c) ? shown_place(row, places, with_column) : formats[c](row[c]));
      }
      auto const* file = value_at<std::string>(row, places.file);
      auto const* number = value_at<std::uint64_t>(row, places.line);
      layout.add_row(std::move(cells), file != nullptr && number != nullptr ? lines_(*file, *number) : std::string());
    }
    return layout;
  }

  void write_table(table const& t) {
    constexpr std::size_t indent = 4;
    std::vector<number_format> formats;
    for (std::size_t c = 0; c < t.columns.size(); ++c) formats.emplace_back(t, c);
    std::vector<bool> is_hidden(t.columns.size(), false);
    text_table layout = lay_out(t, formats, is_hidden);
    std::string caption = visible(t.name);
    if (t.rows.size() > 1 && layout.full_width(indent) > width_) {
      // What is the same in all rows is said once: better than to shorten the places.
      place_columns const places = find_places(t);
      std::string shared;
      for (std::size_t c = 0; c < t.columns.size(); ++c) {
        bool const is_same =
            std::all_of(t.rows.begin(), t.rows.end(), [&](auto const& row) { return row[c] == t.rows[0][c]; });
        if (!is_same || t.columns[c].role != column_role::key || places.is_place(c) || places.is_part(c)) continue;
        is_hidden[c] = true;
        shared +=
            fmt::format("{}{} {}{}{}", shared.empty() ? "" : ", ", visible(t.columns[c].name), formats[c](t.rows[0][c]),
                        formats[c].unit().empty() ? "" : " ", visible(formats[c].unit()));
      }
      if (!shared.empty()) caption += fmt::format("  (all rows: {})", shared);
      layout = lay_out(t, formats, is_hidden);
    }
    line("  {}{}{}", dim(), shorten_end(caption, width_ - 2), plain());
    if (t.rows.empty()) return line("    no rows");
    text_ += layout.render(indent, width_, dim(), plain());
    if (options_.row_limit < t.rows.size()) {
      line("    {} more rows in the JSON file", with_separators(fmt::format("{}", t.rows.size() - options_.row_limit)));
    }
  }

  report_model const& report_;
  text_options const& options_;
  file_names names_;
  source_lines lines_;
  std::size_t width_;
  std::string text_;
};

}  // namespace detail

inline text_options text_options_for(int descriptor) {
  text_options options;
  bool const is_terminal = ::isatty(descriptor) == 1;
  char const* const no_color = std::getenv("NO_COLOR");
  if (is_terminal && (no_color == nullptr || *no_color == '\0')) options.color = text_color::always;
  winsize size{};
  if (is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    options.width = std::clamp<std::size_t>(size.ws_col, 60, 200);
  }
  if (char* const folder = ::getcwd(nullptr, 0); folder != nullptr) {
    options.folder = folder;
    std::free(folder);
  }
  return options;
}

inline std::string to_text(report_model const& report, text_options const& options) {
  return detail::text_writer(report, options).write();
}

}  // namespace pasta
#endif
