// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <pasta/report/source_lines.hpp>
#include <pasta/report/text_table.hpp>
#include <pasta/report/visible.hpp>

namespace pasta::cli {

namespace {

std::optional<double> number_of(cell const& value) {
  if (auto const* number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
  if (auto const* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (auto const* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

/// B/A, where it is defined: both numbers positive.
std::optional<double> ratio_of(cell const& a, cell const& b) {
  auto const x = number_of(a), y = number_of(b);
  if (!x || !y || !(*x > 0) || !(*y > 0)) return std::nullopt;
  double const ratio = *y / *x;
  return std::isfinite(ratio) && ratio > 0 ? std::optional<double>(ratio) : std::nullopt;
}

std::string shown_cell(cell const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) return shorten_middle(visible(*text), 40);
  if (auto const* number = std::get_if<double>(&value)) return with_separators(fmt::format("{:.6g}", *number));
  if (auto const* number = std::get_if<std::uint64_t>(&value)) return with_separators(fmt::format("{}", *number));
  if (auto const* number = std::get_if<std::int64_t>(&value)) return with_separators(fmt::format("{}", *number));
  return "-";
}

/// A number is the same whether it was written as 1 or 1.0.
bool are_equal(cell const& a, cell const& b) {
  if (a == b) return true;
  auto const x = number_of(a), y = number_of(b);
  return x && y && *x == *y && (std::holds_alternative<double>(a) || std::holds_alternative<double>(b));
}

/// Pairs the elements of two lists by a key. Elements with the same key are paired in order.
template <class Value, class Key>
class pairing {
 public:
  struct pair {
    Value const* a = nullptr;
    Value const* b = nullptr;
  };

  pairing(std::vector<Value> const& as, std::vector<Value> const& bs, Key key_a, Key key_b) {
    std::map<decltype(key_a(std::declval<Value const&>())), std::vector<std::size_t>> waiting;
    for (Value const& a : as) {
      waiting[key_a(a)].push_back(pairs_.size());
      pairs_.push_back({&a, nullptr});
    }
    for (auto& [key, places] : waiting) std::reverse(places.begin(), places.end());
    for (Value const& b : bs) {
      auto const found = waiting.find(key_b(b));
      if (found == waiting.end() || found->second.empty()) {
        pairs_.push_back({nullptr, &b});
      } else {
        pairs_[found->second.back()].b = &b;
        found->second.pop_back();
      }
    }
  }

  std::vector<pair> const& pairs() const { return pairs_; }

 private:
  std::vector<pair> pairs_;
};

template <class Value, class Key>
std::vector<typename pairing<Value, Key>::pair> pair_up(std::vector<Value> const& as, std::vector<Value> const& bs,
                                                        Key key_a, Key key_b) {
  return pairing<Value, Key>(as, bs, std::move(key_a), std::move(key_b)).pairs();
}

class report_comparison {
 public:
  report_comparison(report_model const& a, report_model const& b, compare_options const& options)
      : options_(options), names_a_(a, ""), names_b_(b, "") {
    if (a.is_complete != b.is_complete) {
      auto const state = [](report_model const& r) {
        return r.is_complete ? std::string("complete") : fmt::format("INCOMPLETE ({})", visible(r.incomplete_reason));
      };
      differ(fmt::format("A is {}, B is {}", state(a), state(b)));
    }
    auto const key = [](tool_section const& t) { return t.tool; };
    for (auto const& [x, y] : pair_up(a.tools, b.tools, +key, +key)) compare(x, y);
  }

  compare_result result() && { return {outcome_, std::move(text_)}; }

 private:
  void differ(std::string const& line) {
    outcome_ = comparison::different;
    text_ += line + '\n';
  }

  /// Writes a heading before the first difference below it.
  void differ_in(std::string const& heading, std::string const& text) {
    if (heading != heading_) {
      if (!text_.empty()) text_ += '\n';
      text_ += heading + '\n';
      heading_ = heading;
    }
    outcome_ = comparison::different;
    text_ += text;
  }

  void compare(tool_section const* a, tool_section const* b) {
    if (a == nullptr || b == nullptr) {
      differ(fmt::format("{} tool {}", a == nullptr ? "new:" : "gone:", visible((a == nullptr ? b : a)->tool)));
      return;
    }
    std::string const tool = visible(a->tool);
    using option = std::pair<std::string, std::string>;
    auto const name = [](option const& o) { return o.first; };
    for (auto const& [x, y] : pair_up(a->options, b->options, +name, +name)) {
      std::string const before = x == nullptr ? "-" : visible(x->second);
      std::string const after = y == nullptr ? "-" : visible(y->second);
      if (before != after) {
        differ_in(tool, fmt::format("  option {}: {} -> {}\n", visible((x == nullptr ? y : x)->first), before, after));
      }
    }
    compare_tables(tool, a->tables, b->tables);
    compare_findings(tool, a->findings, b->findings);
    auto const key = [](kernel_section const& k) { return std::tuple(k.kernel, k.range, k.launch); };
    for (auto const& [x, y] : pair_up(a->kernels, b->kernels, +key, +key)) {
      kernel_section const& any = x == nullptr ? *y : *x;
      std::string const kernel = fmt::format("{}  {}{}", tool, shorten_middle(visible(any.kernel), 70),
                                             any.launch ? fmt::format(", launch {}", *any.launch) : "");
      if (x == nullptr || y == nullptr) {
        differ_in(kernel, fmt::format("  {} kernel\n", x == nullptr ? "new" : "gone"));
        continue;
      }
      compare_kernels(kernel, *x, *y);
    }
  }

  void compare_kernels(std::string const& heading, kernel_section const& a, kernel_section const& b) {
    auto const fact = [&](char const* name, std::string const& x, std::string const& y) {
      if (x != y) differ_in(heading, fmt::format("  {}: {} -> {}\n", name, visible(x), visible(y)));
    };
    auto const count = [&](char const* name, std::uint64_t x, std::uint64_t y) {
      if (differs(x, y))
        differ_in(heading, fmt::format("  {}: {} -> {}{}\n", name, shown_cell(x), shown_cell(y), times(x, y)));
    };
    fact("grid", a.grid, b.grid);
    fact("block", a.block, b.block);
    count("dynamic shared memory [bytes]", a.shared_bytes, b.shared_bytes);
    count("launches seen", a.losses.launches_seen, b.losses.launches_seen);
    count("launches delivered", a.losses.launches_delivered, b.losses.launches_delivered);
    count("launches sampled out", a.losses.launches_sampled_out, b.losses.launches_sampled_out);
    auto const scale = [](kernel_section const& of) { return of.sampling ? of.sampling->scale : 1.0; };
    if (scale(a) != scale(b)) {
      differ_in(heading, fmt::format("  sampled: counts estimate all times {:.4g} -> {:.4g}\n", scale(a), scale(b)));
    }
    count("launches lost", a.losses.launches_lost, b.losses.launches_lost);
    count("events dropped", a.losses.events_dropped, b.losses.events_dropped);
    compare_tables(heading, a.tables, b.tables);
    compare_findings(heading, a.findings, b.findings);
    if (heading == heading_ && a.duration_ns != b.duration_ns) {
      text_ += fmt::format("  (time {} -> {}{})\n", readable_time(a.duration_ns), readable_time(b.duration_ns),
                           times(a.duration_ns, b.duration_ns));
    }
  }

  bool differs(cell const& a, cell const& b) const {
    if (are_equal(a, b)) return false;
    auto const ratio = ratio_of(a, b);
    return !ratio || std::max(*ratio, 1 / *ratio) >= options_.threshold;
  }

  static std::string times(cell const& a, cell const& b) {
    auto const ratio = ratio_of(a, b);
    return ratio ? fmt::format(", {:.3g}x", *ratio) : "";
  }

  void compare_tables(std::string const& heading, std::vector<table> const& as, std::vector<table> const& bs) {
    auto const key = [](table const& t) { return t.name; };
    for (auto const& [a, b] : pair_up(as, bs, +key, +key)) {
      if (a == nullptr || b == nullptr) {
        differ_in(heading,
                  fmt::format("  {} table {}\n", a == nullptr ? "new" : "gone", visible((a == nullptr ? b : a)->name)));
      } else {
        compare_rows(heading, *a, *b);
      }
    }
  }

  using row = std::vector<cell>;

  /// The key columns of a row as texts, source files by their short names. A table without key columns is matched by
  /// row number.
  static std::vector<std::string> key_of(table const& t, row const& cells, file_names const& names) {
    std::vector<std::string> key;
    for (std::size_t c = 0; c < t.columns.size(); ++c) {
      if (t.columns[c].role != column_role::key) continue;
      auto const* path = std::get_if<std::string>(&cells[c]);
      key.push_back(path != nullptr && t.columns[c].name == "file" ? names(*path) : shown_key(cells[c]));
    }
    return key;
  }

  static std::string shown_key(cell const& value) {
    if (auto const* text = std::get_if<std::string>(&value)) return *text;
    if (auto const* number = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *number);
    if (auto const* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
    if (auto const* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    return "-";
  }

  struct keyed_rows {
    table const* owner;
    file_names const* names;
    std::vector<std::string> operator()(row const& cells) const { return key_of(*owner, cells, *names); }
  };

  static std::string row_name(table const& t, std::vector<std::string> const& key) {
    std::string name;
    std::size_t k = 0;
    for (column const& c : t.columns) {
      if (c.role != column_role::key) continue;
      bool const joins = c.name == "line" && !name.empty();
      name += fmt::format("{}{}", name.empty() ? "" : joins ? ":" : " ", visible(key[k++]));
    }
    return name;
  }

  void compare_rows(std::string const& heading, table const& a, table const& b) {
    std::vector<std::string> text_rows;
    text_table layout;
    layout.add_column(visible(a.name), "", text_table::align::left);
    layout.add_column("value", "", text_table::align::left);
    layout.add_column("A", "", text_table::align::right);
    layout.add_column("B", "", text_table::align::right);
    layout.add_column("B/A", "", text_table::align::right);
    bool is_different = false;
    auto const add = [&](std::string name, std::string value, std::string x, std::string y, std::string ratio) {
      layout.add_row({std::move(name), std::move(value), std::move(x), std::move(y), std::move(ratio)}, "");
      is_different = true;
    };
    for (auto const& [x, y] : pair_up(a.rows, b.rows, keyed_rows{&a, &names_a_}, keyed_rows{&b, &names_b_})) {
      if (x == nullptr || y == nullptr) {
        table const& t = x == nullptr ? b : a;
        add(row_name(t, key_of(t, x == nullptr ? *y : *x, x == nullptr ? names_b_ : names_a_)),
            x == nullptr ? "new row" : "gone row", "", "", "");
        continue;
      }
      std::string name = row_name(a, key_of(a, *x, names_a_));
      for (std::size_t c = 0; c < a.columns.size(); ++c) {
        if (a.columns[c].role == column_role::key) continue;
        int const other = column_index(b, a.columns[c].name);
        cell const& before = (*x)[c];
        cell const after = other < 0 ? cell() : (*y)[static_cast<std::size_t>(other)];
        if (!differs(before, after)) continue;
        auto const ratio = ratio_of(before, after);
        add(std::exchange(name, ""), visible(a.columns[c].name), shown_cell(before), shown_cell(after),
            ratio ? fmt::format("{:.3g}x", *ratio) : "-");
      }
      for (std::size_t c = 0; c < b.columns.size(); ++c) {
        bool const is_new = b.columns[c].role == column_role::value && column_index(a, b.columns[c].name) < 0;
        if (is_new && !std::holds_alternative<std::monostate>((*y)[c])) {
          add(std::exchange(name, ""), visible(b.columns[c].name), "-", shown_cell((*y)[c]), "-");
        }
      }
    }
    if (is_different) differ_in(heading, layout.render(2, options_.width, "", ""));
  }

  struct keyed_findings {
    file_names const* names;
    auto operator()(finding const& f) const {
      return std::tuple((*names)(f.place.file), f.place.line, f.place.column, f.message);
    }
  };

  void compare_findings(std::string const& heading, std::vector<finding> const& as, std::vector<finding> const& bs) {
    for (auto const& [a, b] : pair_up(as, bs, keyed_findings{&names_a_}, keyed_findings{&names_b_})) {
      finding const& any = a == nullptr ? *b : *a;
      std::string const place =
          fmt::format("{}:{}", visible((a == nullptr ? names_b_ : names_a_)(any.place.file)), any.place.line);
      if (a == nullptr || b == nullptr) {
        differ_in(heading,
                  fmt::format("  {} finding  {}  {}\n", a == nullptr ? "new" : "gone", place, visible(any.message)));
        continue;
      }
      cell const before = a->gain_at_most ? cell(*a->gain_at_most) : cell();
      cell const after = b->gain_at_most ? cell(*b->gain_at_most) : cell();
      if (a->level == b->level && !differs(before, after)) continue;
      auto const shown = [](finding const& f, cell const& gain) {
        char const* const level = f.level == severity::high ? "high" : f.level == severity::medium ? "medium" : "low";
        return f.gain_at_most ? fmt::format("{} (at most {}x)", level, shown_cell(gain)) : std::string(level);
      };
      differ_in(heading, fmt::format("  finding  {}  {} -> {}\n", place, shown(*a, before), shown(*b, after)));
    }
  }

  compare_options options_;
  file_names names_a_, names_b_;
  comparison outcome_ = comparison::equal;
  std::string text_;
  std::string heading_;
};

}  // namespace

compare_result compare_reports(report_model const& a, report_model const& b, compare_options const& options) {
  return report_comparison(a, b, options).result();
}

}  // namespace pasta::cli
