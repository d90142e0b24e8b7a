// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "run_reports.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include <pasta/config.hpp>
#include <pasta/report/json.hpp>
#include <pasta/report/read_json.hpp>
#include <pasta/report/text.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/session/index_path.hpp>
#include "command.hpp"
#include "output.hpp"

namespace pasta::cli {

namespace {

/// Splits at tabs, at most count parts; the last has the rest.
std::vector<std::string> split_at_tabs(std::string_view line, std::size_t count) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < count) {
    auto const tab = line.find('\t');
    if (tab == std::string_view::npos) break;
    parts.emplace_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  parts.emplace_back(line);
  return parts;
}

std::string read_text(std::string const& path) {
  std::string text;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "re"), std::fclose);
  if (!file) return text;
  std::array<char, 65536> chunk;
  while (std::size_t const count = std::fread(chunk.data(), 1, chunk.size(), file.get()))
    text.append(chunk.data(), count);
  return text;
}

bool is_regular(std::string const& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Relative to the current folder if below it.
std::string short_path(std::string const& path) {
  std::error_code error;
  std::string folder = std::filesystem::current_path(error).string();
  if (error || folder == "/") return visible(path);
  folder += '/';
  return visible(path.compare(0, folder.size(), folder) == 0 ? path.substr(folder.size()) : path);
}

/// The report of a process that attached and ended without writing one.
report_model unfinished_report(report_index::entry const& entry, run_options const& options,
                               run_outcome const& outcome) {
  report_model report;
  report_header& header = report.header;
  utsname system{};
  if (::uname(&system) == 0) {
    header.host_name = system.nodename;
    header.os = fmt::format("{} {}", system.sysname, system.release);
  }
  header.pid = static_cast<std::uint64_t>(entry.pid);
  header.command = options.command;
  header.route = options.route == "auto" ? "" : options.route;
  header.pasta_version = PASTA_VERSION;
  header.date = outcome.date;
  header.wall_ns = outcome.end.wall_ns;
  report.is_complete = false;
  if (entry.pid != outcome.end.pid) {
    report.incomplete_reason = "the process ended without finishing its report";
  } else if (WIFSIGNALED(outcome.end.wait_status)) {
    report.incomplete_reason = describe_end(outcome.end.wait_status);
  } else {
    report.incomplete_reason =
        fmt::format("{} by _exit, without finishing its report", describe_end(outcome.end.wait_status));
  }
  report.notes.push_back("Written by pasta run after the process had ended: what the tool had counted is lost.");
  for (std::string const& tool : options.tools) {
    tool_section section;
    section.tool = tool;
    for (auto const& [name, value] : options.tool_options) {
      bool const is_for_all = name.find('.') == std::string::npos;
      if (is_for_all || name.compare(0, tool.size() + 1, tool + ".") == 0) {
        section.options.emplace_back(is_for_all ? name : name.substr(tool.size() + 1), value);
      }
    }
    report.tools.push_back(std::move(section));
  }
  return report;
}

}  // namespace

report_index::report_index() {
  char const* const folder = std::getenv("TMPDIR");
  path_ = fmt::format("{}/pasta-index-XXXXXX", folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  int const descriptor = ::mkostemp(path_.data(), O_CLOEXEC);
  if (descriptor < 0) {
    int const error = errno;
    throw command_error(fmt::format("cannot make {}: {}", visible(path_), std::generic_category().message(error)));
  }
  ::close(descriptor);
}

report_index::~report_index() { ::unlink(path_.c_str()); }

std::vector<report_index::entry> report_index::read() const {
  std::vector<entry> entries;
  std::string const text = read_text(path_);
  for (std::string_view rest = text; !rest.empty();) {
    auto const end = std::min(rest.find('\n'), rest.size());
    std::string_view const line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    auto const parts = split_at_tabs(line, 4);
    if (parts.size() < 3 || parts[2].empty()) continue;
    constexpr std::array<std::string_view, 4> states{"attach", "complete", "incomplete", "failed"};
    if (std::find(states.begin(), states.end(), parts[0]) == states.end()) continue;
    entry next{parts[0], static_cast<pid_t>(std::strtol(parts[1].c_str(), nullptr, 10)), from_index_path(parts[2]),
               parts.size() > 3 ? parts[3] : ""};
    auto const same = std::find_if(entries.begin(), entries.end(),
                                   [&](entry const& e) { return e.pid == next.pid && e.path == next.path; });
    if (same == entries.end()) {
      entries.push_back(std::move(next));
    } else {
      *same = std::move(next);
    }
  }
  return entries;
}

reports_state finish_reports(report_index const& index, run_options const& options, run_outcome const& outcome) {
  reports_state state = reports_state::good;
  std::vector<std::string> paths;
  auto const fail = [&](std::string const& line) {
    complain(line);
    state = reports_state::failed;
  };
  for (report_index::entry const& entry : index.read()) {
    std::string const shown = short_path(entry.path);
    if (entry.state == "failed") {
      fail(fmt::format("no report of process {}: {}: {}", entry.pid, shown,
                       entry.reason.empty() ? "it could not be written" : visible(entry.reason)));
      continue;
    }
    bool const is_repeated = std::find(paths.begin(), paths.end(), entry.path) != paths.end();
    if (is_repeated) {
      complain(fmt::format("several processes wrote {}; %p in --output keeps their reports apart", shown));
      continue;
    }
    if (entry.state == "attach" && entry.pid != outcome.end.pid && ::kill(entry.pid, 0) == 0) {
      complain(fmt::format("process {} still runs; its report will be {}", entry.pid, shown));
      continue;
    }
    try {
      report_model report;
      if (entry.state == "attach") {
        report = unfinished_report(entry, options, outcome);
        report.header.slowdown = outcome.slowdown;
        write_json_file(report, entry.path);
      } else if (!is_regular(entry.path) && ::access(entry.path.c_str(), F_OK) == 0) {
        paths.push_back(entry.path);  // a pipe or a device: it has the report, and it cannot be read again
        continue;
      } else {
        report = read_json_file(entry.path);
        if (outcome.slowdown) {
          report.header.slowdown = outcome.slowdown;
          write_json_file(report, entry.path);
        }
      }
      paths.push_back(entry.path);
      if (!options.is_quiet) print_error_stream("\n" + to_text(report, text_options_for(STDERR_FILENO)));
    } catch (report_error const& e) {
      fail(fmt::format("no report of process {}: {}", entry.pid, e.what()));
    }
  }
  if (!options.is_quiet && !paths.empty()) print_error_stream("\n");
  for (std::string const& path : paths) print_error_stream(fmt::format("report: {}\n", short_path(path)));
  return state;
}

}  // namespace pasta::cli
