// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the PASTA_ variables ask of a run. docs/architecture.md lists them.
#ifndef PASTA_SESSION_SETTINGS_HPP
#define PASTA_SESSION_SETTINGS_HPP

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <pasta/config.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/session/launch_selection.hpp>
#include <pasta/session/limits.hpp>
#include <pasta/session/usage_error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pasta {

enum class scope : std::uint8_t { kernel, launch };

/// Where times of launches on an NVIDIA GPU come from.
enum class time_source : std::uint8_t { events, cupti };

struct settings {
  std::string tools;                                              ///< empty: nothing is attached
  std::vector<std::pair<std::string, std::string>> tool_options;  ///< [tool.]name, value
  std::string output = "pasta-%t-%e-%p.json";
  std::string report_index;  ///< empty: nobody wants to know
  std::string command;       ///< words separated by 0x1f; empty: ask the system
  scope per = scope::kernel;
  time_source times = time_source::events;
  double sampling_rate = 1;
  double block_rate = 1;   ///< share of each launch's blocks that is analysed
  std::uint32_t seed = 0;  ///< which blocks
  launch_selection selection;
  bool is_quiet = false, is_debugging = false;
  bool is_route_named = false;     ///< PASTA_ROUTE names the route that reads them, and not just `auto`
  bool is_auto = false;            ///< PASTA_ROUTE is `auto`: each kernel by the route that can
  std::uint32_t warp_width = 32;   ///< of the host engine
  std::uint32_t host_threads = 0;  ///< of the host engine; 0: all cores
};

namespace detail {

template <class Number>
Number parse_number(std::string_view name, std::string_view text, Number minimum, Number maximum) {
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range ||
      (error == std::errc{} && end == text.data() + text.size() && !(value >= minimum && value <= maximum))) {
    throw usage_error(fmt::format("{}={} is out of range: from {} to {}", name, visible(text), minimum, maximum));
  }
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw usage_error(fmt::format("{}={} is not a number", name, visible(text)));
  }
  return value;
}

inline bool parse_switch(std::string_view name, std::string_view text) {
  if (text == "1" || text == "true" || text == "on") return true;
  if (text == "0" || text == "false" || text == "off" || text.empty()) return false;
  throw usage_error(fmt::format("{}={} is neither 0 nor 1", name, visible(text)));
}

/// @throws usage_error where blocks are to be sampled, on a route that cannot. @param where "the ptx route" and such
inline void refuse_block_rate(double rate, std::string_view where) {
  if (rate >= 1) return;
  throw usage_error(fmt::format(
      "PASTA_SAMPLE_BLOCKS={}: {} analyses whole launches; the patch route and the CPU engine sample blocks", rate,
      where));
}

inline std::vector<std::pair<std::string, std::string>> parse_tool_options(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> options;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view const line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    std::size_t const equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw usage_error(fmt::format("PASTA_TOOL_OPTIONS: '{}' is not name=value", visible(line)));
    }
    options.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return options;
}

}  // namespace detail

/// Reads the variables. @param own_route that of the caller: "probe", "ptx", "patch", "llvm". If PASTA_ROUTE
/// names another there are no tools for this one. @throw usage_error for a value that is not right
inline settings read_settings(std::string_view own_route = "probe") {
  settings read;
  auto const variable = [](char const* name) {
    char const* const text = std::getenv(name);
    return std::string_view(text != nullptr ? text : "");
  };
  read.is_debugging = detail::parse_switch("PASTA_DEBUG", variable("PASTA_DEBUG"));
  if (auto const text = variable("PASTA_WARP_WIDTH"); !text.empty()) {
    read.warp_width = detail::parse_number<std::uint32_t>("PASTA_WARP_WIDTH", text, 32, 64);
    if (read.warp_width != 32 && read.warp_width != 64) {
      throw usage_error(fmt::format("PASTA_WARP_WIDTH={} is neither 32 nor 64", visible(text)));
    }
  }
  if (auto const text = variable("PASTA_HOST_THREADS"); !text.empty()) {
    read.host_threads = detail::parse_number<std::uint32_t>("PASTA_HOST_THREADS", text, 1, limits::host_threads);
  }
  read.tools = variable("PASTA_TOOLS");
  if (read.tools.empty()) return read;  // the engine's settings hold without a tool too
  std::string_view const route = variable("PASTA_ROUTE");
  if (!route.empty() && route != "auto" && route != "probe" && route != "ptx" && route != "patch" && route != "llvm") {
    throw usage_error(fmt::format("PASTA_ROUTE={} is none of auto, probe, ptx, patch, llvm", visible(route)));
  }
  read.is_route_named = route == own_route;
  read.is_auto = route == "auto";
  if (!route.empty() && route != "auto" && route != own_route) {
    read.tools.clear();
    return read;
  }
  read.tool_options = detail::parse_tool_options(variable("PASTA_TOOL_OPTIONS"));
  if (auto const text = variable("PASTA_OUTPUT"); !text.empty()) read.output = text;
  read.report_index = variable("PASTA_REPORT_INDEX");
  read.command = variable("PASTA_COMMAND");
  if (auto const text = variable("PASTA_PER"); text == "launch") {
    read.per = scope::launch;
  } else if (!text.empty() && text != "kernel") {
    throw usage_error(fmt::format("PASTA_PER={} is neither kernel nor launch", visible(text)));
  }
  if (auto const text = variable("PASTA_TIMES"); text == "cupti") {
    read.times = time_source::cupti;
  } else if (!text.empty() && text != "events") {
    throw usage_error(fmt::format("PASTA_TIMES={} is neither events nor cupti", visible(text)));
  }
  if (auto const text = variable("PASTA_SAMPLING_RATE"); !text.empty()) {
    read.sampling_rate = detail::parse_number<double>("PASTA_SAMPLING_RATE", text, limits::sampling_rate, 1.0);
  }
  if (auto const text = variable("PASTA_SAMPLE_BLOCKS"); !text.empty())
    read.block_rate = detail::parse_number<double>("PASTA_SAMPLE_BLOCKS", text, limits::block_rate, 1.0);
  if (auto const text = variable("PASTA_SEED"); !text.empty())
    read.seed = detail::parse_number<std::uint32_t>("PASTA_SEED", text, 0, 0xffffffffu);
  if (auto const text = variable("PASTA_KERNELS"); !text.empty())
    read.selection.kernels = std::make_shared<name_pattern const>("PASTA_KERNELS", std::string(text));
  if (auto const text = variable("PASTA_EXCLUDE"); !text.empty())
    read.selection.exclude = std::make_shared<name_pattern const>("PASTA_EXCLUDE", std::string(text));
  if (auto const text = variable("PASTA_LAUNCHES"); !text.empty())
    read.selection.launches = parse_launch_range("PASTA_LAUNCHES", text);
  if (auto const text = variable("PASTA_SCHEDULE"); !text.empty())
    read.selection.schedule = parse_launch_schedule("PASTA_SCHEDULE", text);
  if (auto const text = variable("PASTA_DEVICES"); !text.empty())
    read.selection.devices = parse_device_list("PASTA_DEVICES", text);
  if (auto const text = variable("PASTA_SPACES"); !text.empty())
    read.selection.spaces = parse_space_set("PASTA_SPACES", text);
  read.is_quiet = detail::parse_switch("PASTA_QUIET", variable("PASTA_QUIET"));
  return read;
}

}  // namespace pasta
#endif
