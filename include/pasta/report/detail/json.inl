// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of report/json.hpp.
#ifndef PASTA_REPORT_DETAIL_JSON_INL
#define PASTA_REPORT_DETAIL_JSON_INL

#include <cmath>
#include <string_view>

#include <pasta/report/detail/nlohmann_json.hpp>
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

using ordered_json = nlohmann::ordered_json;

inline ordered_json json_of(std::string const& text) {
  if (is_utf8(text)) return text;
  std::string digits;
  for (char const byte : text) fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(byte));
  ordered_json bytes;
  bytes["bytes_hex"] = std::move(digits);
  return bytes;
}
inline ordered_json json_of(std::monostate) { return nullptr; }
inline ordered_json json_of(std::uint64_t number) { return number; }
inline ordered_json json_of(std::int64_t number) { return number; }
inline ordered_json json_of(double number) {
  return std::isfinite(number) ? ordered_json(number) : ordered_json(nullptr);
}
inline ordered_json json_of(cell const& value) {
  return std::visit([](auto const& alternative) { return json_of(alternative); }, value);
}
template <class Value>
ordered_json json_of(std::optional<Value> const& value) {
  return value ? json_of(*value) : ordered_json(nullptr);
}

ordered_json json_of(column const& from);
ordered_json json_of(table const& from);
ordered_json json_of(finding const& from);
ordered_json json_of(kernel_section const& from);
ordered_json json_of(tool_section const& from);
inline ordered_json json_of(std::pair<std::string, std::string> const& option) {
  ordered_json to;
  to["name"] = json_of(option.first);
  to["value"] = json_of(option.second);
  return to;
}

template <class Value>
ordered_json json_of(std::vector<Value> const& values) {
  ordered_json list = ordered_json::array();
  for (Value const& value : values) list.push_back(json_of(value));
  return list;
}

inline ordered_json json_of(column const& from) {
  ordered_json to;
  to["name"] = json_of(from.name);
  to["unit"] = json_of(from.unit);
  to["role"] = name_of(from.role);
  return to;
}

inline ordered_json json_of(table const& from) {
  ordered_json to;
  to["name"] = json_of(from.name);
  to["columns"] = json_of(from.columns);
  to["rows"] = json_of(from.rows);
  return to;
}

inline ordered_json json_of(source_place const& from) {
  ordered_json to;
  to["file"] = json_of(from.file);
  to["function"] = json_of(from.function);
  to["line"] = from.line;
  to["column"] = from.column;
  return to;
}

inline ordered_json json_of(finding const& from) {
  ordered_json to;
  to["severity"] = name_of(from.level);
  to["place"] = json_of(from.place);
  to["message"] = json_of(from.message);
  to["advice"] = json_of(from.advice);
  to["gain_at_most"] = json_of(from.gain_at_most);
  return to;
}

inline ordered_json json_of(loss const& from) {
  ordered_json to;
  to["launches_seen"] = from.launches_seen;
  to["launches_delivered"] = from.launches_delivered;
  to["launches_sampled_out"] = from.launches_sampled_out;
  to["launches_lost"] = from.launches_lost;
  to["events_delivered"] = from.events_delivered;
  to["events_dropped"] = from.events_dropped;
  to["not_instrumentable"] = json_of(from.not_instrumentable);
  return to;
}

inline ordered_json json_of(sampling const& from) {
  ordered_json to;
  to["launches_offered"] = from.launches_offered;
  to["launches_taken"] = from.launches_taken;
  to["block_rate"] = from.block_rate;
  to["blocks_offered"] = from.blocks_offered;
  to["blocks_taken"] = from.blocks_taken;
  to["scale"] = from.scale;
  to["events"] = from.events;
  to["events_error"] = json_of(from.events_error);
  return to;
}

inline ordered_json json_of(kernel_section const& from) {
  ordered_json to;
  to["kernel"] = json_of(from.kernel);
  to["range"] = json_of(from.range);
  to["launch"] = json_of(from.launch);
  if (!from.route.empty()) to["route"] = json_of(from.route);
  to["grid"] = json_of(from.grid);
  to["block"] = json_of(from.block);
  to["shared_bytes"] = from.shared_bytes;
  to["duration_ns"] = from.duration_ns;
  to["losses"] = json_of(from.losses);
  if (from.sampling) to["sampling"] = json_of(*from.sampling);
  to["findings"] = json_of(from.findings);
  to["tables"] = json_of(from.tables);
  return to;
}

inline ordered_json json_of(tool_section const& from) {
  ordered_json to;
  to["tool"] = json_of(from.tool);
  to["options"] = json_of(from.options);
  to["findings"] = json_of(from.findings);
  to["kernels"] = json_of(from.kernels);
  to["tables"] = json_of(from.tables);
  return to;
}

inline ordered_json json_of(report_header const& from) {
  ordered_json to;
  to["command"] = json_of(from.command);
  to["pid"] = from.pid;
  to["host_name"] = json_of(from.host_name);
  to["route"] = json_of(from.route);
  to["vendor"] = json_of(from.vendor);
  to["device"] = json_of(from.device);
  to["pasta_version"] = json_of(from.pasta_version);
  to["os"] = json_of(from.os);
  to["cpu"] = json_of(from.cpu);
  to["compiler"] = json_of(from.compiler);
  to["compiler_flags"] = json_of(from.compiler_flags);
  to["date"] = json_of(from.date);
  to["wall_ns"] = from.wall_ns;
  to["gpu"] = json_of(from.gpu);
  to["driver"] = json_of(from.driver);
  to["cuda"] = json_of(from.cuda);
  if (!from.seen.empty()) to["seen"] = json_of(from.seen);
  to["slowdown"] = json_of(from.slowdown);
  return to;
}

}  // namespace detail

inline std::string to_json(report_model const& report) {
  detail::ordered_json to;
  to["schema"] = report_schema;
  to["header"] = detail::json_of(report.header);
  to["is_complete"] = report.is_complete;
  to["incomplete_reason"] = detail::json_of(report.incomplete_reason);
  to["notes"] = detail::json_of(report.notes);
  to["tools"] = detail::json_of(report.tools);
  return to.dump(1) + '\n';
}

inline void write_json_file(report_model const& report, std::string const& path) { write_file(to_json(report), path); }

}  // namespace pasta
#endif
