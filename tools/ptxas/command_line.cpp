// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include <pasta/report/visible.hpp>

namespace pasta::ptxas {

namespace {

// ptxas's own limit for options files within options files is higher; a file that names itself ends at this one.
constexpr unsigned max_options_file_depth = 8;

/// An option as it stands on the command line.
struct spelled_option {
  option const* known = nullptr;
  bool takes_next_word = false;
  bool has_joined_value = false;
  std::string_view joined_value = {};
};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// @return without `known` if it is none of the table's, or has a value where it takes none
spelled_option find_option(std::string_view word, std::span<option const> all) {
  std::size_t const equals = word.find('=');
  std::string_view const name = word.substr(0, equals);
  for (option const& known : all) {
    if (name != known.long_name && name != known.short_name) continue;
    takes const form = name == known.long_name ? known.long_form : known.short_form;
    bool const takes_next = form == takes::value || form == takes::value_or_joined || form == takes::text_or_joined;
    if (equals == std::string_view::npos) return {&known, takes_next};
    if (form == takes::nothing) return {};
    return {&known, false, true, word.substr(equals + 1)};
  }
  for (option const& known : all) {
    if (!word.starts_with(known.short_name)) continue;
    std::string_view const rest = word.substr(known.short_name.size());
    bool const is_numbered = known.short_form == takes::value_or_joined || known.short_form == takes::only_joined;
    if ((is_numbered && is_number(rest)) || known.short_form == takes::text_or_joined)
      return {&known, false, true, rest};
  }
  return {};
}

}  // namespace

std::string input::name() const {
  if (!shown.empty()) return shown;
  if (kind == input_kind::standard_input) return "<stdin>";
  return kind == input_kind::string ? "application ptx input" : text;
}

std::optional<std::vector<std::string>> split_options_file(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_in_word = false, is_in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '\0') return std::nullopt;
    bool const is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (is_blank && !is_in_quotes) {
      if (is_in_word) words.push_back(std::exchange(word, {}));
      is_in_word = false;
      continue;
    }
    is_in_word = true;
    if (c == '"') {
      is_in_quotes = !is_in_quotes;
    } else if (c == '\\') {
      // Within quotes, and before a quote, ptxas does other things than these.
      if (is_in_quotes || i + 1 == text.size() || text[i + 1] == '"') return std::nullopt;
      word += text[++i];
    } else {
      word += c;
    }
  }
  if (is_in_quotes) return std::nullopt;
  if (is_in_word) words.push_back(std::move(word));
  return words;
}

command_line::command_line(std::vector<std::string> const& words, std::span<option const> known) : known_(known) {
  words_ = read(words, 0, expansion::inputs_only);
  if (reason_not_understood_.empty()) expanded_ = read(words, 0, expansion::all);
  std::vector<input> strings;
  for (word const& w : words_) {
    switch (w.is) {
      case part::file:
        inputs_.push_back({input_kind::file, w.text, {}});
        break;
      case part::standard_input:
        inputs_.push_back({input_kind::standard_input, w.text, {}});
        break;
      case part::string_value:
        strings.push_back({input_kind::string, w.text, {}});
        break;
      case part::whole_string:
        strings.push_back({input_kind::string, w.text.substr(w.text.find('=') + 1), {}});
        break;
      case part::string_option:
      case part::value:
      case part::other:
        break;
    }
  }
  std::move(strings.begin(), strings.end(), std::back_inserter(inputs_));
}

std::vector<command_line::word> command_line::read(std::vector<std::string> const& words, unsigned depth,
                                                   expansion how) {
  std::vector<word> parts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string const& text = words[i];
    if (text.empty() || text.front() != '-') {
      parts.push_back({text, part::file});
      continue;
    }
    if (text == "-") {
      parts.push_back({text, part::standard_input});
      continue;
    }
    spelled_option const spelled = find_option(text, known_);
    // One that is not in ptxas's help, or of a later ptxas: with its value in the word it takes no other.
    std::size_t const equals = text.find('=');
    if (spelled.known == nullptr && text.rfind("--", 0) == 0 && equals != std::string::npos &&
        find_option(text.substr(0, equals), known_).known == nullptr) {
      parts.push_back({text, part::other});
      continue;
    }
    if (spelled.known == nullptr) {
      give_up(fmt::format("the option {} is not known", visible(text)));
      return parts;
    }
    if (spelled.takes_next_word && i + 1 == words.size()) {
      give_up(fmt::format("the option {} has no value", visible(text)));
      return parts;
    }
    meaning const means = spelled.known->means;
    only_informs_ = only_informs_ || means == meaning::informs;
    if (means == meaning::options_file) {
      std::string_view const names = spelled.takes_next_word ? std::string_view(words[i + 1]) : spelled.joined_value;
      std::vector<word> more = read_options_files(names, depth + 1, how);
      bool const has_inputs = std::any_of(more.begin(), more.end(),
                                          [](word const& w) { return w.is != part::other && w.is != part::value; });
      if (has_inputs || how == expansion::all) {
        std::move(more.begin(), more.end(), std::back_inserter(parts));
        if (spelled.takes_next_word) ++i;
        continue;
      }
    }
    bool const is_string = means == meaning::input_string;
    if (!spelled.takes_next_word) {
      parts.push_back({text, is_string ? part::whole_string : part::other, spelled.known});
      continue;
    }
    parts.push_back({text, is_string ? part::string_option : part::other, spelled.known});
    parts.push_back({words[++i], is_string ? part::string_value : part::value, spelled.known});
  }
  return parts;
}

std::vector<command_line::word> command_line::read_options_files(std::string_view names, unsigned depth,
                                                                 expansion how) {
  std::vector<word> parts;
  if (depth > max_options_file_depth) {
    give_up("options files are nested too deep");
    return parts;
  }
  for (std::size_t begin = 0; begin < names.size();) {
    std::size_t const end = std::min(names.find(',', begin), names.size());
    std::string const name(names.substr(begin, end - begin));
    begin = end + 1;
    if (name.empty()) continue;
    // Only what can be read twice: ptxas reads it too.
    struct stat status {};
    std::ifstream file;
    if (::stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode)) file.open(name, std::ios::binary);
    std::string const text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open() || file.bad()) {
      give_up(fmt::format("the options file {} cannot be read", visible(name)));
      return parts;
    }
    auto const words = split_options_file(text);
    if (!words) {
      give_up(fmt::format("the options file {} has quotes or backslashes of unsure meaning", visible(name)));
      return parts;
    }
    std::vector<word> more = read(*words, depth, how);
    std::move(more.begin(), more.end(), std::back_inserter(parts));
  }
  return parts;
}

void command_line::give_up(std::string reason) {
  if (reason_not_understood_.empty()) reason_not_understood_ = std::move(reason);
}

std::vector<std::string> command_line::words_with(std::vector<std::optional<std::string>> const& files) const {
  return join(words_, files);
}

std::vector<std::string> command_line::words_with(std::vector<std::optional<std::string>> const& files,
                                                  std::string const& output) const {
  std::vector<word> others;
  others.reserve(expanded_.size());
  std::copy_if(expanded_.begin(), expanded_.end(), std::back_inserter(others),
               [](word const& w) { return w.of == nullptr || w.of->long_name != "--output-file"; });
  std::vector<std::string> words = join(others, files);
  words.insert(words.end(), {"-o", output});
  return words;
}

bool command_line::has(std::string_view long_name) const {
  return std::any_of(expanded_.begin(), expanded_.end(),
                     [&](word const& w) { return w.of != nullptr && w.of->long_name == long_name; });
}

std::vector<argument> command_line::arguments() const {
  std::vector<argument> all;
  for (word const& w : expanded_) {
    if (w.is == part::value || w.is == part::string_value) {
      all.back().value = w.text;
      all.back().spelled.push_back(w.text);
    } else if (w.of == nullptr) {
      all.push_back({nullptr, w.text, {w.text}});
    } else {
      std::string_view const joined = find_option(w.text, known_).joined_value;
      all.push_back({w.of, std::string(joined), {w.text}});
    }
  }
  return all;
}

std::string command_line::value(std::string_view long_name) const {
  std::string last;
  for (argument& each : arguments()) {
    if (each.of != nullptr && each.of->long_name == long_name) last = std::move(each.value);
  }
  return last;
}

std::vector<std::string> command_line::join(std::vector<word> const& from,
                                            std::vector<std::optional<std::string>> const& files) const {
  std::size_t const first_string = static_cast<std::size_t>(
      std::find_if(inputs_.begin(), inputs_.end(), [](input const& i) { return i.kind == input_kind::string; }) -
      inputs_.begin());
  bool const are_strings_replaced = first_string < files.size() && files[first_string].has_value();
  std::vector<std::string> words;
  std::size_t number = 0;
  for (word const& w : from) {
    if (w.is == part::file || w.is == part::standard_input) {
      words.push_back(files[number].value_or(w.text));
      ++number;
    } else if (w.is == part::other || w.is == part::value || !are_strings_replaced) {
      words.push_back(w.text);
    }
  }
  if (are_strings_replaced) {
    for (std::size_t i = first_string; i < files.size(); ++i) words.push_back(files[i].value());
  }
  return words;
}

}  // namespace pasta::ptxas
