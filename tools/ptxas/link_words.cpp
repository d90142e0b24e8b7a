// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "link_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lines.hpp"

namespace pasta::ptxas {

namespace {

using names = std::span<std::string_view const>;

// Options by which nvlink writes or prints something else than its output.
constexpr std::array<std::string_view, 7> of_other_outputs{
    "--output-file", "--register-link-binaries", "--gen-host-linker-script",    "--time",
    "--verbose",     "--dump-callgraph",         "--dump-callgraph-no-demangle"};

// What nvlink 13.0 hands on to ptxas beside -Xptxas.
constexpr std::array<std::string_view, 3> for_ptxas{"--Ofast-compile", "--split-compile", "--device-stack-protector"};

// What is done when code is machine code. What the host refers to is not known where its objects are left out.
constexpr std::array<std::string_view, 11> of_optimisation{
    "--dlto",          "--link-time-opt", "--nvvmpath",      "--Xptxas",
    "--Xnvvm",         "--maxrregcount",  "--split-compile", "--split-compile-extended",
    "--Ofast-compile", "--use-host-info", "--kernels-used"};

bool is_one_of(argument const& what, names all) {
  return what.of != nullptr && std::find(all.begin(), all.end(), what.of->long_name) != all.end();
}

void append(std::vector<std::string>& words, argument const& what) {
  words.insert(words.end(), what.spelled.begin(), what.spelled.end());
}

/// The words in the values of -Xptxas: parted by blanks and commas.
void append_split(std::vector<std::string>& words, std::string_view text) {
  constexpr std::string_view separators = " \t,";
  while (true) {
    std::size_t const begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin);
    std::size_t const end = std::min(text.find_first_of(separators), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Whether an input, or a library by its short name, is one of those, or has members that are.
bool is_named(argument const& what, std::span<std::string const> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [&](std::string const& input) {
    if (what.of == nullptr) return input == what.value || input.starts_with(what.value + ":");
    std::string const file = "/lib" + what.value + ".a:";
    return ("/" + input).find(file) != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> words_to_ptx(command_line const& line, std::string const& ptx) {
  std::vector<std::string> words;
  for (argument const& each : line.arguments()) {
    bool const is_left_out = is_one_of(each, of_other_outputs) ||
                             (each.of != nullptr && each.of->long_name == "--disable-infos");  // which name inputs
    if (!is_left_out) append(words, each);
  }
  words.insert(words.end(), {"-emit-ptx", "-o", ptx});
  return words;
}

std::vector<std::string> words_to_assemble(command_line const& line, linking how, std::string const& ptx,
                                           std::string const& output) {
  std::vector<std::string> words{"-arch", line.value("--arch"), "-m", "64"};
  std::string const registers = line.value("--maxrregcount");
  for (argument const& each : line.arguments()) {
    if (is_one_of(each, for_ptxas)) append(words, each);
    if (each.of == nullptr || each.of->long_name != "--Xptxas") continue;
    std::vector<std::string> more;
    append_split(more, each.value);
    // nvlink's own -maxrregcount wins.
    for (argument const& option : command_line(more).arguments()) {
      bool const is_overruled = option.of != nullptr && option.of->long_name == "--maxrregcount" && !registers.empty();
      if (!is_overruled) append(words, option);
    }
  }
  if (!registers.empty()) words.insert(words.end(), {"-maxrregcount", registers});
  if (line.has("--debug")) words.emplace_back("-g");
  if (how == linking::relocatable) words.emplace_back("-c");
  words.insert(words.end(), {ptx, "-o", output});
  return words;
}

std::vector<std::string> read_other_inputs(std::string_view messages) {
  constexpr std::string_view before = "requested LTO but '", behind = "' not built for LTO";
  std::vector<std::string> inputs;
  while (!messages.empty()) {
    std::string_view const line = take_line(messages);
    std::size_t const begin = line.find(before), end = line.rfind(behind);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + before.size()) continue;
    inputs.emplace_back(line.substr(begin + before.size(), end - begin - before.size()));
  }
  return inputs;
}

std::vector<std::string> words_to_join(command_line const& line, std::span<std::string const> other_inputs,
                                       std::string const& object, std::string const& output) {
  std::vector<std::string> words;
  bool is_object_there = false;
  for (argument const& each : line.arguments()) {
    bool const is_library = each.of != nullptr && each.of->long_name == "--library";
    if (each.of == nullptr && !std::exchange(is_object_there, true)) words.push_back(object);
    if (each.of == nullptr || is_library) {
      // nvlink never names the members of this one.
      bool const is_system_library = is_library && each.value == "cudadevrt";
      if (is_system_library || is_named(each, other_inputs)) append(words, each);
    } else if (!is_one_of(each, of_other_outputs) && !is_one_of(each, of_optimisation)) {
      append(words, each);
    }
  }
  words.insert(words.end(), {"-ignore-host-info", "-o", output});
  return words;
}

}  // namespace pasta::ptxas
