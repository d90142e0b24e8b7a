// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <string>

#include <pasta/report/read_json.hpp>
#include <pasta/report/text.hpp>
#include <pasta/report/visible.hpp>
#include "command.hpp"
#include "compare.hpp"
#include "output.hpp"
#include "parse.hpp"

namespace pasta::cli {

int run_diff(arguments const& words) {
  std::string first, second;
  compare_options options;
  auto const app = make_app("pasta diff [--threshold FACTOR] A.json B.json", "Compares two reports row by row.");
  app->add_option("A", first, "the report before");
  app->add_option("B", second, "the report after");
  app->add_option("--threshold", options.threshold, "hide numbers that differ by less than this factor, as 1.05");
  app->footer(
      "Exit code: 0 if nothing differs, 1 if something does. Times of kernels never make reports different.\n\n"
      "Example:\n  pasta diff before.json after.json --threshold 1.05");
  if (parse(*app, words) == parsed::help_was_shown) return exit_done;
  if (second.empty()) throw usage_error("which two reports? pasta diff A.json B.json");
  if (!std::isfinite(options.threshold) || options.threshold < 1)
    throw usage_error("--threshold: a factor of at least 1");
  report_model const a = read_json_file(first);
  report_model const b = read_json_file(second);
  options.width = text_options_for(STDOUT_FILENO).width;
  compare_result const result = compare_reports(a, b, options);
  if (result.outcome == comparison::equal) return exit_done;
  print(fmt::format("A  {}\nB  {}\n\n{}", visible(first), visible(second), result.text));
  return exit_different;
}

}  // namespace pasta::cli
