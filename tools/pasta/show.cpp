// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <pasta/report/csv.hpp>
#include <pasta/report/json.hpp>
#include <pasta/report/read_json.hpp>
#include <pasta/report/text.hpp>
#include <pasta/report/visible.hpp>
#include "command.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "run_options.hpp"
#include "suggest.hpp"

namespace pasta::cli {

namespace {

struct read_report {
  std::string path;
  report_model report;
};

/// Reads files one by one; one that cannot be read is one line and does not hide the others.
class report_reader {
 public:
  void add(std::string const& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      add_folder(path);
    } else {
      add_file(path);
    }
  }

  std::vector<read_report> const& reports() const { return reports_; }
  bool has_failed() const { return has_failed_; }

 private:
  void add_file(std::string const& path) {
    try {
      reports_.push_back({path, read_json_file(path)});
    } catch (report_error const& e) {
      fail(e.what());
    }
  }

  /// All reports of a folder by date. Another program's JSON file is passed over, a damaged report is not.
  void add_folder(std::string const& folder) {
    std::error_code error;
    std::vector<std::string> paths;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code no_file;
      if (entry->path().extension() == ".json" && entry->is_regular_file(no_file))
        paths.push_back(entry->path().string());
    }
    if (error) return fail(fmt::format("cannot read {}: {}", visible(folder), error.message()));
    std::sort(paths.begin(), paths.end());
    std::vector<read_report> found;
    bool failed_here = false;
    for (std::string const& path : paths) {
      try {
        found.push_back({path, read_json_file(path)});
      } catch (report_error const& e) {
        bool const is_named_as_report = path.compare(path.rfind('/') + 1, 6, "pasta-") == 0;
        bool const is_other_json = std::string_view(e.what()).find("not a report") != std::string_view::npos;
        if (is_other_json && !is_named_as_report) continue;
        fail(e.what());
        failed_here = true;
      }
    }
    if (found.empty() && !failed_here) fail(fmt::format("no reports in {}", visible(folder)));
    std::stable_sort(found.begin(), found.end(), [](read_report const& a, read_report const& b) {
      return a.report.header.date < b.report.header.date;
    });
    for (read_report& report : found) reports_.push_back(std::move(report));
  }

  void fail(std::string const& line) {
    complain(line);
    has_failed_ = true;
  }

  std::vector<read_report> reports_;
  bool has_failed_ = false;
};

std::string json_of(std::vector<read_report> const& reports) {
  if (reports.size() == 1) return to_json(reports.front().report);
  std::string text = "[";
  for (read_report const& r : reports) text += fmt::format("{}{}", text.size() == 1 ? "" : ",", to_json(r.report));
  return text + "]\n";
}

std::string csv_of(std::vector<read_report> const& reports, std::string const& name) {
  if (reports.size() != 1) throw usage_error(fmt::format("--csv takes one report, these are {}", reports.size()));
  report_model const& report = reports.front().report;
  auto const names = csv_names(report);
  auto const dot = name.find('.');
  if (dot == std::string::npos || std::find(names.begin(), names.end(), name) == names.end()) {
    throw usage_error(fmt::format("--csv: no table '{}'{} (this report has: {})", visible(name),
                                  suggestion(name, names), names.empty() ? "none" : visible(joined(names, ", "))));
  }
  return to_csv(report, name.substr(0, dot), name.substr(dot + 1));
}

std::string text_of(std::vector<read_report> const& reports, text_scope scope) {
  text_options options = text_options_for(STDOUT_FILENO);
  options.scope = scope;
  std::string text;
  for (read_report const& r : reports) {
    if (!text.empty()) text += '\n';
    if (reports.size() > 1) text += fmt::format("==> {} <==\n", visible(r.path));
    text += to_text(r.report, options);
  }
  return text;
}

}  // namespace

int run_show(arguments const& words) {
  std::vector<std::string> paths;
  std::string table;
  bool as_json = false, findings_only = false;
  auto const app = make_app("pasta show [--json | --csv TOOL.TABLE | --findings] FILE|FOLDER...",
                            "Prints reports for reading, or as JSON or CSV.");
  app->add_option("FILE", paths, "reports, or folders of reports (shown by date)");
  auto* const json_flag = app->add_flag("--json", as_json, "write JSON (several reports: a list)");
  auto* const csv_flag =
      app->add_option("--csv", table, "TOOL.TABLE: write this table, all kernels, as CSV")->excludes(json_flag);
  app->add_flag("--findings", findings_only, "only the findings")->excludes(json_flag)->excludes(csv_flag);
  app->footer(
      "In CSV a text that starts with = + - @ ' tab or CR has an apostrophe before it, so that no spreadsheet runs "
      "it.\n\n"
      "Examples:\n  pasta show pasta-coalescing-transpose-42.json\n  pasta show --csv coalescing.lines report.json > "
      "lines.csv\n"
      "  pasta show --findings results/");
  if (parse(*app, words) == parsed::help_was_shown) return exit_done;
  if (paths.empty()) throw usage_error("which report? pasta show FILE");
  report_reader reader;
  for (std::string const& path : paths) reader.add(path);
  if (!reader.reports().empty()) {
    if (as_json) {
      print(json_of(reader.reports()));
    } else if (csv_flag->count() != 0) {
      print(csv_of(reader.reports(), table));
    } else {
      print(text_of(reader.reports(), findings_only ? text_scope::findings : text_scope::everything));
    }
  }
  return reader.has_failed() ? exit_own_error : exit_done;
}

}  // namespace pasta::cli
