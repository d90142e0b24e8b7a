// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>

#include <pasta/report/visible.hpp>
#include "command.hpp"
#include "elf_table.hpp"
#include "installed_tools.hpp"
#include "output.hpp"
#include "process.hpp"
#include "run_options.hpp"
#include "run_python.hpp"
#include "run_reports.hpp"
#include "run_route.hpp"

namespace pasta::cli {

namespace {

/// The report's path as the program gets it: absolute, since the program may change its folder.
/// @throws usage_error, command_error for what can be known to fail before the program starts
std::string checked_output(std::string const& given) {
  std::string const pattern = given.empty() ? "pasta-%t-%e-%p.json" : given;
  bool folder_varies = false;
  auto const slash = pattern.rfind('/');
  for (std::size_t i = pattern.find('%'); i != std::string::npos; i = pattern.find('%', i + 2)) {
    if (i + 1 == pattern.size() || std::string("phte%").find(pattern[i + 1]) == std::string::npos) {
      throw usage_error(fmt::format("--output: '%{}' in '{}' means nothing; known are %p %h %t %e %%",
                                    visible(pattern.substr(i + 1, 1)), visible(pattern)));
    }
    folder_varies = folder_varies || (slash != std::string::npos && i < slash && pattern[i + 1] != '%');
  }
  std::string absolute = pattern;
  if (pattern.front() != '/') {
    std::error_code error;
    std::string folder = std::filesystem::current_path(error).string();
    if (error) throw command_error(fmt::format("--output: the current folder: {}", error.message()));
    for (auto i = folder.find('%'); i != std::string::npos; i = folder.find('%', i + 2)) folder.insert(i, "%");
    absolute = fmt::format("{}/{}", folder == "/" ? "" : folder, pattern);
  }
  if (folder_varies) return absolute;

  std::string path = absolute;  // with %% as %; other conversions do not matter for the folder
  for (auto i = path.find("%%"); i != std::string::npos; i = path.find("%%", i + 1)) path.erase(i, 1);
  auto const fail = [&](int error) {
    throw command_error(fmt::format("--output: cannot write {}: {}", visible(given.empty() ? pattern : given),
                                    std::generic_category().message(error)));
  };
  struct stat status {};
  bool const is_fixed = pattern.find('%') == std::string::npos || path != absolute;
  if (is_fixed && ::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(EISDIR);
    if (::access(path.c_str(), W_OK) != 0) fail(errno);
    if (!S_ISREG(status.st_mode)) return absolute;
  }
  if (path.back() == '/') fail(EISDIR);
  std::string const folder = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  if (::stat(folder.c_str(), &status) != 0) fail(errno);
  if (!S_ISDIR(status.st_mode)) fail(ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(errno);
  return absolute;
}

std::string tool_options_text(run_options const& options) {
  std::string text;
  if (char const* const inherited = std::getenv("PASTA_TOOL_OPTIONS"); inherited != nullptr) text = inherited;
  for (auto const& [name, value] : options.tool_options) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += fmt::format("{}={}", name, value);
  }
  return text;
}

environment_changes environment_for(run_options const& options, run_route const& route, std::string const& output,
                                    std::string const& index) {
  environment_changes changes{
      {"PASTA_TOOLS", route.pack}, {"PASTA_OUTPUT", output}, {"PASTA_REPORT_INDEX", index}, {"PASTA_QUIET", "1"}};
  auto const set = [&](char const* name, std::string const& value) {
    if (!value.empty()) changes.emplace_back(name, value);
  };
  set("PASTA_ROUTE", route.name);
  for (auto const& [name, value] : injection_variables(route)) changes.emplace_back(name, value);
  for (auto const& [name, value] : preload_variables(route.preload)) changes.emplace_back(name, value);
  if (!route.library.empty() && route.library != patch_library()) {  // machine code needs no other assembler
    for (auto const& change : python_variables(options.tools)) changes.push_back(change);
  }
  set("PASTA_PER", options.per);
  set("PASTA_TIMES", options.times);
  set("PASTA_SAMPLING_RATE", options.sampling_rate);
  set("PASTA_SAMPLE_BLOCKS", options.sample_blocks);
  set("PASTA_SEED", options.seed);
  set("PASTA_KERNELS", options.kernels);
  set("PASTA_EXCLUDE", options.exclude);
  set("PASTA_LAUNCHES", options.launches);
  set("PASTA_SCHEDULE", options.schedule);
  set("PASTA_DEVICES", options.devices);
  set("PASTA_SPACES", options.spaces);
  set("PASTA_WARP_WIDTH", options.warp_width);
  set("PASTA_HOST_THREADS", options.threads);
  set("PASTA_TOOL_OPTIONS", tool_options_text(options));
  // Where a word has the separator in it the program reads its own command line instead.
  bool const can_be_joined = std::none_of(options.command.begin(), options.command.end(), [](std::string const& word) {
    return word.find('\x1f') != std::string::npos;
  });
  changes.emplace_back("PASTA_COMMAND", can_be_joined ? std::optional(joined(options.command, "\x1f")) : std::nullopt);
  return changes;
}

// The engine's settings hold in both runs, so that only the tool makes the difference.
environment_changes environment_without_tool(run_options const& options) {
  environment_changes changes;
  if (!options.warp_width.empty()) changes.emplace_back("PASTA_WARP_WIDTH", options.warp_width);
  if (!options.threads.empty()) changes.emplace_back("PASTA_HOST_THREADS", options.threads);
  for (char const* name : {"PASTA_TOOLS", "PASTA_OUTPUT", "PASTA_REPORT_INDEX", "PASTA_TOOL_OPTIONS"}) {
    changes.emplace_back(name, std::nullopt);
  }
  return changes;
}

/// The run without a tool. @return its wall time [ns]
program_end run_baseline(run_options const& options) {
  program_end const end = run_program(options.command, environment_without_tool(options), standard_streams::null);
  if (WIFSIGNALED(end.wait_status)) {
    int const signal = WTERMSIG(end.wait_status);
    bool const is_wish = signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
    if (is_wish) end_as(end.wait_status);
  }
  return end;
}

std::optional<double> slowdown(program_end const& with, program_end const& without) {
  if (with.wait_status != without.wait_status) {
    complain(fmt::format("slowdown not known: without a tool, {}", describe_end(without.wait_status)));
    return std::nullopt;
  }
  if (without.wall_ns == 0) return std::nullopt;
  return static_cast<double>(with.wall_ns) / static_cast<double>(without.wall_ns);
}

std::string why_nothing_attached(std::string const& program, run_route const& route, program_table const& table,
                                 program_end const& end) {
  std::string const shown = visible(program);
  bool const is_for_gpu = !route.library.empty() && !table.tools.empty();
  if (route.name == "ptx" || route.name == "patch" || is_for_gpu) {
    return fmt::format(
        "no report: {} launched no kernel through a driver that loaded PASTA's library; "
        "pasta doctor says what is missing, PASTA_DEBUG=1 what was loaded",
        shown);
  }
  if (!table.amd_code.empty()) {
    return fmt::format("no report: {} launched no kernel through a HIP runtime; PASTA_DEBUG=1 says what was followed",
                       shown);
  }
  // A program that is not built for PASTA needs a GPU.
  char const* const other_way =
      route.library.empty() ? "" : ", and no kernel came through a driver that loaded PASTA's library (pasta doctor)";
  if (table.kind == file_kind::elf && table.tools.empty()) {
    return fmt::format("no report: {} was not built with pasta_instrument(), nor is anything that it started{}", shown,
                       other_way);
  }
  if (table.kind == file_kind::other)
    return fmt::format("no report: nothing that {} started was built with pasta_instrument(){}", shown, other_way);
  if (WIFSIGNALED(end.wait_status))
    return fmt::format("no report: {} before it could attach", describe_end(end.wait_status));
  if (WEXITSTATUS(end.wait_status) == exit_usage)
    return fmt::format("no report: {} ended with status 2 before it could attach", shown);
  return fmt::format("no report: {} has the tool but did not attach it; PASTA_DEBUG=1 says why", shown);
}

std::string now_in_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

struct observed_run {
  int wait_status = 0;
  reports_state reports = reports_state::failed;
};

/// The run with the tool. When it returns nothing is left to clean up: pasta may then die of the program's signal.
observed_run observe(run_options const& options, run_route const& route, std::string const& output,
                     std::string const& program, program_table const& table,
                     std::optional<program_end> const& baseline) {
  report_index const index;
  run_outcome outcome;
  outcome.date = now_in_utc();
  outcome.end =
      run_program(options.command, environment_for(options, route, output, index.path()), standard_streams::inherited);
  if (baseline) outcome.slowdown = slowdown(outcome.end, *baseline);
  if (!index.read().empty()) return {outcome.end.wait_status, finish_reports(index, options, outcome)};
  complain(why_nothing_attached(program, route, table, outcome.end));
  return {outcome.end.wait_status, reports_state::failed};
}

}  // namespace

int run_run(arguments const& words) {
  installed_tools const installed = find_installed_tools();
  auto const parsed_options = parse_run_options(words, installed);
  if (!parsed_options) return exit_done;
  run_options const& options = *parsed_options;

  std::string const program = find_program(options.command.front());
  program_table table;
  try {
    table = read_program_table(program);
  } catch (command_error const& e) {
    // May be executed but not read: then it cannot be asked, and it judges the tool itself.
    if (::access(program.c_str(), R_OK) == 0) throw;
  }
  run_route const route = choose_route(options, program, table, installed);
  std::string const output = checked_output(options.output);
  std::optional<program_end> baseline;
  if (options.measures_baseline) baseline = run_baseline(options);
  observed_run const run = observe(options, route, output, program, table, baseline);
  if (options.is_strict && run.reports == reports_state::failed) return exit_own_error;
  return end_as(run.wait_status);
}

}  // namespace pasta::cli
