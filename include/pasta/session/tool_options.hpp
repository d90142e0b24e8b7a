// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A tool's options as text: set from name=value, listed for the report.
#ifndef PASTA_SESSION_TOOL_OPTIONS_HPP
#define PASTA_SESSION_TOOL_OPTIONS_HPP

#include <fmt/format.h>

#include <pasta/instrument/check_tool.hpp>
#include <pasta/session/settings.hpp>

namespace pasta {

namespace detail {

template <class Options, class Function>
void for_each_option(Function&& f) {
  if constexpr (described<Options>) std::apply([&](auto const&... all) { (f(all), ...); }, Options::describe());
}

template <class Value>
std::string option_text(Value value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "1" : "0";
  } else if constexpr (std::is_same_v<Value, short_text>) {
    return std::string(value.view());
  } else {
    return fmt::format("{}", value);
  }
}

template <class Options, class Value>
void set_option(Options& options, option_description<Options, Value> const& known, std::string_view text) {
  std::string const name = fmt::format("--{}", known.name);
  if constexpr (std::is_same_v<Value, bool>) {
    options.*known.member = parse_switch(name, text);
  } else if constexpr (std::is_same_v<Value, short_text>) {
    if (text.size() > short_text::max_bytes)
      throw usage_error(
          fmt::format("{}: a text of {} bytes, at most {} are read", name, text.size(), short_text::max_bytes));
    if (known.find_mistake != nullptr) {
      std::string const mistake = known.find_mistake(text);
      if (!mistake.empty()) throw usage_error(fmt::format("{}: {}", name, visible(mistake)));
    }
    options.*known.member = short_text(text);
  } else {
    options.*known.member = parse_number<Value>(name, text, known.minimum, known.maximum);
  }
}

// Gives each option to the tool or tools that have it.
template <class... Tools>
void set_options(type_list<Tools...>, state_tuple<typename Tools::options...>& options,
                 std::vector<std::pair<std::string, std::string>> const& wanted) {
  for (auto const& each : wanted) {
    std::string const &name = each.first, &text = each.second;
    std::size_t found = 0;
    std::string known_names;
    for_each_tool(type_list<Tools...>{}, [&]<std::size_t Index, class Tool>() {
      for_each_option<typename Tool::options>([&](auto const& known) {
        if (name == known.name || name == fmt::format("{}.{}", tool_name<Tool>(), known.name)) {
          set_option(get_state<Index>(options), known, text);
          ++found;
        }
        known_names += fmt::format("{}--{}", known_names.empty() ? "" : ", ", known.name);
      });
    });
    if (found == 0) {
      throw usage_error(fmt::format("no tool of this run has an option --{}; there is: {}", visible(name),
                                    known_names.empty() ? "none" : known_names));
    }
  }
}

template <class Options>
std::vector<std::pair<std::string, std::string>> list_options(Options const& options) {
  std::vector<std::pair<std::string, std::string>> list;
  for_each_option<Options>(
      [&](auto const& known) { list.emplace_back(known.name, option_text(options.*known.member)); });
  return list;
}

}  // namespace detail

}  // namespace pasta
#endif
