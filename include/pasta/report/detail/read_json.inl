// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of report/read_json.hpp.
#ifndef PASTA_REPORT_DETAIL_READ_JSON_INL
#define PASTA_REPORT_DETAIL_READ_JSON_INL

#include <fmt/format.h>

#include <array>
#include <limits>

#include <pasta/report/detail/nlohmann_json.hpp>
#include <pasta/report/json.hpp>
#include <pasta/report/read_json.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/report/write_file.hpp>

namespace pasta::detail {

using json = nlohmann::ordered_json;

/// A JSON value and how it was reached, for error messages: "tools[0].kernels[2].grid".
struct json_place {
  json const& value;
  json_place const* parent = nullptr;
  char const* key = nullptr;  // null: an element of a list
  std::size_t index = 0;

  std::string path() const {
    if (parent == nullptr) return "";
    std::string const before = parent->path();
    if (key == nullptr) return fmt::format("{}[{}]", before, index);
    return before.empty() ? key : fmt::format("{}.{}", before, key);
  }
  [[noreturn]] void fail(char const* expected) const {
    std::string const name = path();
    throw report_error(fmt::format("{}: expected {}, found {}", name.empty() ? "report" : name, expected,
                                   value.is_number() ? "another number" : value.type_name()));
  }
  json_place field(char const* name) const {
    if (!value.is_object()) fail("an object");
    auto const found = value.find(name);
    if (found == value.end()) throw report_error(fmt::format("missing field {}", json_place{value, this, name}.path()));
    return {*found, this, name};
  }
};

inline unsigned hex_digit(char c, json_place const& where) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  where.fail("an even number of digits 0-9, a-f in bytes_hex");
}

inline void read(json_place const& from, std::string& text) {
  if (from.value.is_string()) {
    text = from.value.get_ref<std::string const&>();
    return;
  }
  if (!from.value.is_object() || !from.value.contains("bytes_hex")) from.fail("a string");
  auto const where = from.field("bytes_hex");
  if (!where.value.is_string()) where.fail("a string");
  auto const& hex = where.value.get_ref<std::string const&>();
  if (hex.size() % 2 != 0) where.fail("an even number of digits 0-9, a-f in bytes_hex");
  text.clear();
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    text += static_cast<char>(hex_digit(hex[i], where) << 4 | hex_digit(hex[i + 1], where));
  }
}

inline void read(json_place const& from, bool& value) {
  if (!from.value.is_boolean()) from.fail("true or false");
  value = from.value.get<bool>();
}

inline void read(json_place const& from, std::uint64_t& number) {
  if (!from.value.is_number_unsigned()) from.fail("an integer from 0 to 2^64 - 1");
  number = from.value.get<std::uint64_t>();
}

inline void read(json_place const& from, std::uint32_t& number) {
  std::uint64_t wide = 0;
  read(from, wide);
  if (wide > std::numeric_limits<std::uint32_t>::max()) from.fail("an integer from 0 to 2^32 - 1");
  number = static_cast<std::uint32_t>(wide);
}

inline void read(json_place const& from, std::optional<std::uint64_t>& number) {
  number.reset();
  if (!from.value.is_null()) read(from, number.emplace());
}

inline void read(json_place const& from, std::optional<double>& number) {
  number.reset();
  if (from.value.is_null()) return;
  if (!from.value.is_number()) from.fail("a number or null");
  number = from.value.get<double>();
}

inline void read(json_place const& from, cell& value) {
  if (from.value.is_null()) {
    value = std::monostate{};
  } else if (from.value.is_number_unsigned()) {
    value = from.value.get<std::uint64_t>();
  } else if (from.value.is_number_integer()) {
    value = from.value.get<std::int64_t>();
  } else if (from.value.is_number_float()) {
    value = from.value.get<double>();
  } else {
    std::string text;
    read(from, text);
    value = std::move(text);
  }
}

inline void read(json_place const& from, severity& level) {
  std::string name;
  read(from, name);
  for (auto const candidate : {severity::low, severity::medium, severity::high}) {
    if (name == name_of(candidate)) {
      level = candidate;
      return;
    }
  }
  from.fail("\"low\", \"medium\" or \"high\"");
}

inline void read(json_place const& from, column_role& role) {
  std::string name;
  read(from, name);
  if (name != "key" && name != "value") from.fail("\"key\" or \"value\"");
  role = name == "key" ? column_role::key : column_role::value;
}

template <class Value>
void read(json_place const& from, std::vector<Value>& values);

inline void read(json_place const& from, column& c) {
  read(from.field("name"), c.name);
  read(from.field("unit"), c.unit);
  read(from.field("role"), c.role);
}

inline void read(json_place const& from, table& t) {
  read(from.field("name"), t.name);
  read(from.field("columns"), t.columns);
  auto const rows = from.field("rows");
  read(rows, t.rows);
  for (std::size_t i = 0; i < t.rows.size(); ++i) {
    if (t.rows[i].size() != t.columns.size()) {
      throw report_error(fmt::format("{}[{}]: expected {} cells, one for each column, found {}", rows.path(), i,
                                     t.columns.size(), t.rows[i].size()));
    }
  }
}

inline void read(json_place const& from, source_place& place) {
  read(from.field("file"), place.file);
  read(from.field("function"), place.function);
  read(from.field("line"), place.line);
  read(from.field("column"), place.column);
}

inline void read(json_place const& from, finding& f) {
  read(from.field("severity"), f.level);
  read(from.field("place"), f.place);
  read(from.field("message"), f.message);
  read(from.field("advice"), f.advice);
  read(from.field("gain_at_most"), f.gain_at_most);
}

inline void read(json_place const& from, loss& l) {
  read(from.field("launches_seen"), l.launches_seen);
  read(from.field("launches_delivered"), l.launches_delivered);
  read(from.field("launches_sampled_out"), l.launches_sampled_out);
  read(from.field("launches_lost"), l.launches_lost);
  read(from.field("events_delivered"), l.events_delivered);
  read(from.field("events_dropped"), l.events_dropped);
  read(from.field("not_instrumentable"), l.not_instrumentable);
}

inline void read(json_place const& from, double& number) {
  if (!from.value.is_number()) from.fail("a number");
  number = from.value.get<double>();
}

inline void read(json_place const& from, sampling& s) {
  read(from.field("launches_offered"), s.launches_offered);
  read(from.field("launches_taken"), s.launches_taken);
  read(from.field("block_rate"), s.block_rate);
  read(from.field("blocks_offered"), s.blocks_offered);
  read(from.field("blocks_taken"), s.blocks_taken);
  read(from.field("scale"), s.scale);
  read(from.field("events"), s.events);
  read(from.field("events_error"), s.events_error);
}

inline void read(json_place const& from, kernel_section& k) {
  read(from.field("kernel"), k.kernel);
  read(from.field("range"), k.range);
  read(from.field("launch"), k.launch);
  k.route.clear();
  if (from.value.contains("route")) read(from.field("route"), k.route);
  read(from.field("grid"), k.grid);
  read(from.field("block"), k.block);
  read(from.field("shared_bytes"), k.shared_bytes);
  read(from.field("duration_ns"), k.duration_ns);
  read(from.field("losses"), k.losses);
  k.sampling.reset();
  if (from.value.contains("sampling")) read(from.field("sampling"), k.sampling.emplace());
  read(from.field("findings"), k.findings);
  read(from.field("tables"), k.tables);
}

inline void read(json_place const& from, std::pair<std::string, std::string>& option) {
  read(from.field("name"), option.first);
  read(from.field("value"), option.second);
}

inline void read(json_place const& from, tool_section& t) {
  read(from.field("tool"), t.tool);
  read(from.field("options"), t.options);
  read(from.field("findings"), t.findings);
  read(from.field("kernels"), t.kernels);
  read(from.field("tables"), t.tables);
}

inline void read(json_place const& from, report_header& h) {
  read(from.field("command"), h.command);
  read(from.field("pid"), h.pid);
  read(from.field("host_name"), h.host_name);
  read(from.field("route"), h.route);
  read(from.field("vendor"), h.vendor);
  read(from.field("device"), h.device);
  read(from.field("pasta_version"), h.pasta_version);
  read(from.field("os"), h.os);
  read(from.field("cpu"), h.cpu);
  read(from.field("compiler"), h.compiler);
  read(from.field("compiler_flags"), h.compiler_flags);
  read(from.field("date"), h.date);
  read(from.field("wall_ns"), h.wall_ns);
  read(from.field("gpu"), h.gpu);
  read(from.field("driver"), h.driver);
  read(from.field("cuda"), h.cuda);
  h.seen.clear();
  if (from.value.contains("seen")) read(from.field("seen"), h.seen);
  read(from.field("slowdown"), h.slowdown);
}

template <class Value>
void read(json_place const& from, std::vector<Value>& values) {
  if (!from.value.is_array()) from.fail("a list");
  values.clear();
  values.resize(from.value.size());
  for (std::size_t i = 0; i < values.size(); ++i) read(json_place{from.value[i], &from, nullptr, i}, values[i]);
}

/// Refuses input that is JSON but cannot be a report, before it costs memory: a few bytes of it would become kilobytes.
class json_size_check {
 public:
  bool operator()(int depth, json::parse_event_t event, json const& value) {
    if (depth >= depth_limit) throw report_error("not a report: nested too deeply");
    if (++event_count_ > event_limit) throw report_error("not a report: more values than any report has");
    auto& keys = key_count_[static_cast<std::size_t>(depth)];
    if (event == json::parse_event_t::object_start) key_count_[static_cast<std::size_t>(depth) + 1] = 0;
    if (event == json::parse_event_t::key && ++keys > key_limit) {
      throw report_error("not a report: an object with more fields than any report has");
    }
    static_cast<void>(value);
    return true;
  }

 private:
  static constexpr int depth_limit = 16;
  static constexpr std::size_t key_limit = 256;
  static constexpr std::size_t event_limit = 50'000'000;
  std::size_t event_count_ = 0;
  std::array<std::size_t, depth_limit + 2> key_count_{};
};

}  // namespace pasta::detail

namespace pasta {

inline report_model from_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) throw report_error("not a report: it is empty");
  if (text.size() > report_size_limit_bytes) {
    throw report_error(
        fmt::format("not a report: {} bytes, more than the limit of {}", text.size(), report_size_limit_bytes));
  }
  detail::json document;
  try {
    detail::json_size_check check;
    document = detail::json::parse(text, [&](int depth, detail::json::parse_event_t event, detail::json& value) {
      return check(depth, event, value);
    });
  } catch (detail::json::parse_error const& e) {
    if (e.byte > text.size())
      throw report_error(fmt::format("cut short: the JSON ends too early, at byte {}", text.size()));
    throw report_error(fmt::format("not JSON: wrong at byte {}", e.byte));
  } catch (detail::json::exception const&) {
    throw report_error("not JSON: a number is out of range");
  }
  detail::json_place const root{document};
  std::string schema;
  if (!document.is_object() || !document.contains("schema")) throw report_error("not a report: it has no field schema");
  detail::read(root.field("schema"), schema);
  if (schema != report_schema) {
    throw report_error(fmt::format("its schema is \"{}\"; this version reads \"{}\"", shorten_end(visible(schema), 60),
                                   report_schema));
  }
  report_model report;
  detail::read(root.field("header"), report.header);
  detail::read(root.field("is_complete"), report.is_complete);
  detail::read(root.field("incomplete_reason"), report.incomplete_reason);
  detail::read(root.field("notes"), report.notes);
  detail::read(root.field("tools"), report.tools);
  return report;
}

inline report_model read_json_file(std::string const& path) {
  detail::open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) detail::fail_on_file("read", path, errno);
  std::string text;
  for (;;) {
    constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
    std::size_t const size = text.size();
    text.resize(size + chunk_bytes);
    ssize_t const count = ::read(file.descriptor(), text.data() + size, chunk_bytes);
    int const error = errno;
    text.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0) break;
    if (count < 0 && error != EINTR) detail::fail_on_file("read", path, error);
    if (text.size() > report_size_limit_bytes) {
      throw report_error(fmt::format("{}: not a report: larger than {} bytes", visible(path), report_size_limit_bytes));
    }
  }
  try {
    return from_json(text);
  } catch (report_error const& e) {
    throw report_error(fmt::format("{}: {}", visible(path), e.what()));
  }
}

}  // namespace pasta
#endif
