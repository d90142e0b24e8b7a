// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <pasta/report/visible.hpp>
#include "output.hpp"
#include "suggest.hpp"

namespace pasta::cli {

namespace {

std::string first_line(std::string const& text) { return visible(text.substr(0, text.find('\n'))); }

class formatter_with_usage : public CLI::Formatter {
 public:
  explicit formatter_with_usage(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(CLI::App const*, std::string) const override { return fmt::format("Usage: {}\n", usage_); }

 private:
  std::string usage_;
};

[[noreturn]] void refuse(CLI::App const& app, std::string const& word) {
  if (word.size() < 2 || word.front() != '-') throw usage_error(fmt::format("unexpected argument '{}'", visible(word)));
  std::vector<std::string> names;
  for (CLI::Option const* option : app.get_options()) {
    for (std::string const& name : option->get_lnames()) names.push_back(name);
  }
  std::string const bare =
      word.substr(word.find_first_not_of('-') == std::string::npos ? 0 : word.find_first_not_of('-'));
  throw usage_error(
      fmt::format("unknown flag {}{}", visible(word), suggestion(bare.substr(0, bare.find('=')), names, "--")));
}

}  // namespace

std::unique_ptr<CLI::App> make_app(std::string const& usage, std::string const& summary) {
  auto app = std::make_unique<CLI::App>(summary, "pasta");
  app->formatter(std::make_shared<formatter_with_usage>(usage));
  app->allow_extras();
  app->get_formatter()->column_width(38);
  app->get_formatter()->label("REQUIRED", "");
  return app;
}

parsed parse(CLI::App& app, arguments const& words) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (CLI::CallForHelp const&) {
    print(app.help());
    return parsed::help_was_shown;
  } catch (CLI::CallForVersion const& version) {
    print(fmt::format("{}\n", version.what()));
    return parsed::help_was_shown;
  } catch (CLI::ParseError const& e) {
    throw usage_error(first_line(e.what()));
  }
  auto const rest = app.remaining();
  if (!rest.empty()) refuse(app, rest.front());
  return parsed::go_on;
}

}  // namespace pasta::cli
