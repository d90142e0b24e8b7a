// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of report/json.hpp.
#ifndef PASTA_REPORT_DETAIL_JSON_INL
#define PASTA_REPORT_DETAIL_JSON_INL

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>

#include <pasta/report/json.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>

namespace pasta {

/// The level's name in files: "low", "medium" or "high".
inline char const* name_of(severity level) {
  switch (level) {
    case severity::high:
      return "high";
    case severity::medium:
      return "medium";
    case severity::low:
      break;
  }
  return "low";
}

/// The role's name in files: "key" or "value".
inline char const* name_of(column_role role) { return role == column_role::key ? "key" : "value"; }

namespace detail {

/// Appends JSON to a text; the caller opens and closes brackets in pairs.
class json_writer {
 public:
  enum class layout : std::uint8_t { one_line, lines };

  template <class WriteContent>
  void bracket(std::string_view pair, layout form, WriteContent write_content) {
    text_ += pair[0];
    layout const outer = std::exchange(form_, form);
    ++depth_;
    is_first_ = true;
    write_content();
    --depth_;
    if (form == layout::lines && !is_first_) begin_line();
    form_ = outer;
    is_first_ = false;
    text_ += pair[1];
  }

  /// Separates the next element from the one before.
  void next() {
    if (!is_first_) text_ += form_ == layout::lines ? "," : ", ";
    if (form_ == layout::lines) begin_line();
    is_first_ = false;
  }

  template <class Value>
  void field(char const* name, Value const& value) {
    next();
    fmt::format_to(std::back_inserter(text_), "\"{}\": ", name);
    write(value);
  }

  void write(std::monostate) { text_ += "null"; }
  void write(std::uint32_t number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
  void write(std::uint64_t number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
  void write(std::int64_t number) { fmt::format_to(std::back_inserter(text_), "{}", number); }
  void write(bool value) { text_ += value ? "true" : "false"; }
  void write(char const* text) { write(std::string_view(text)); }
  void write(std::string const& text) { write(std::string_view(text)); }

  void write(double number) {
    if (!std::isfinite(number)) return write(std::monostate{});
    auto const start = text_.size();
    fmt::format_to(std::back_inserter(text_), "{}", number);  // the shortest text that is read back as the same number
    if (text_.find_first_of(".e", start) == std::string::npos) text_ += ".0";
  }

  void write(std::string_view text) {
    if (!is_utf8(text)) return write_bytes(text);
    text_ += '"';
    for (char const c : text) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (c == '\n') {
        text_ += "\\n";
      } else if (c == '\t') {
        text_ += "\\t";
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned>(c));
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  template <class Value>
  void write(std::optional<Value> const& value) {
    if (value) {
      write(*value);
    } else {
      write(std::monostate{});
    }
  }

  void write(cell const& value) {
    std::visit([this](auto const& alternative) { write(alternative); }, value);
  }

  void write(std::vector<std::string> const& texts) { write_list(texts, layout::one_line); }
  void write(std::vector<cell> const& row) { write_list(row, layout::one_line); }

  template <class Value>
  void write(std::vector<Value> const& values) {
    write_list(values, values.empty() ? layout::one_line : layout::lines);
  }

  void write(column const& c) {
    bracket("{}", layout::one_line, [&] {
      field("name", c.name);
      field("unit", c.unit);
      field("role", name_of(c.role));
    });
  }

  void write(table const& t) {
    bracket("{}", layout::lines, [&] {
      field("name", t.name);
      field("columns", t.columns);
      field("rows", t.rows);
    });
  }

  void write(source_place const& place) {
    bracket("{}", layout::one_line, [&] {
      field("file", place.file);
      field("function", place.function);
      field("line", place.line);
      field("column", place.column);
    });
  }

  void write(finding const& f) {
    bracket("{}", layout::lines, [&] {
      field("severity", name_of(f.level));
      field("place", f.place);
      field("message", f.message);
      field("advice", f.advice);
      field("gain_at_most", f.gain_at_most);
    });
  }

  void write(loss const& l) {
    bracket("{}", layout::lines, [&] {
      field("launches_seen", l.launches_seen);
      field("launches_delivered", l.launches_delivered);
      field("launches_sampled_out", l.launches_sampled_out);
      field("launches_lost", l.launches_lost);
      field("events_delivered", l.events_delivered);
      field("events_dropped", l.events_dropped);
      field("not_instrumentable", l.not_instrumentable);
    });
  }

  void write(kernel_section const& k) {
    bracket("{}", layout::lines, [&] {
      field("kernel", k.kernel);
      field("range", k.range);
      field("launch", k.launch);
      field("grid", k.grid);
      field("block", k.block);
      field("shared_bytes", k.shared_bytes);
      field("duration_ns", k.duration_ns);
      field("losses", k.losses);
      field("findings", k.findings);
      field("tables", k.tables);
    });
  }

  void write(std::pair<std::string, std::string> const& option) {
    bracket("{}", layout::one_line, [&] {
      field("name", option.first);
      field("value", option.second);
    });
  }

  void write(tool_section const& t) {
    bracket("{}", layout::lines, [&] {
      field("tool", t.tool);
      field("options", t.options);
      field("findings", t.findings);
      field("kernels", t.kernels);
      field("tables", t.tables);
    });
  }

  void write(report_header const& h) {
    bracket("{}", layout::lines, [&] {
      field("command", h.command);
      field("pid", h.pid);
      field("host_name", h.host_name);
      field("route", h.route);
      field("vendor", h.vendor);
      field("device", h.device);
      field("pasta_version", h.pasta_version);
      field("os", h.os);
      field("cpu", h.cpu);
      field("compiler", h.compiler);
      field("compiler_flags", h.compiler_flags);
      field("date", h.date);
      field("wall_ns", h.wall_ns);
      field("gpu", h.gpu);
      field("driver", h.driver);
      field("cuda", h.cuda);
      field("slowdown", h.slowdown);
    });
  }

  void write(report_model const& r) {
    bracket("{}", layout::lines, [&] {
      field("schema", report_schema);
      field("header", r.header);
      field("is_complete", r.is_complete);
      field("incomplete_reason", r.incomplete_reason);
      field("notes", r.notes);
      field("tools", r.tools);
    });
  }

  std::string take() { return std::move(text_); }

 private:
  void begin_line() {
    text_ += '\n';
    text_.append(depth_, ' ');
  }

  void write_bytes(std::string_view bytes) {
    text_ += "{\"bytes_hex\": \"";
    for (char const c : bytes) fmt::format_to(std::back_inserter(text_), "{:02x}", static_cast<unsigned char>(c));
    text_ += "\"}";
  }

  template <class Value>
  void write_list(std::vector<Value> const& values, layout form) {
    bracket("[]", form, [&] {
      for (auto const& value : values) {
        next();
        write(value);
      }
    });
  }

  std::string text_;
  std::size_t depth_ = 0;
  layout form_ = layout::one_line;
  bool is_first_ = true;
};

}  // namespace detail

inline std::string to_json(report_model const& report) {
  detail::json_writer writer;
  writer.write(report);
  return writer.take() + '\n';
}

inline void write_json_file(report_model const& report, std::string const& path) { write_file(to_json(report), path); }

}  // namespace pasta
#endif
