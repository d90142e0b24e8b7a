// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "nvcc_words.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace pasta::cli {

namespace {

using names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view word, names const& known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool may_be_command(std::string const& word) {
  if (word.empty() || word.front() == '-' || word.front() == '@') return false;
  std::string const extension = std::filesystem::path(word).extension();
  return !is_one_of(extension, {".cu", ".c", ".cc", ".cxx", ".cpp", ".ptx", ".cubin", ".fatbin", ".o", ".obj", ".a",
                                ".lib", ".so", ".res", ".ltoir", ".gpu", ".i", ".ii"});
}

/// The words of a text as nvcc parts them: at blanks, unless these stand in double quotes.
arguments split_text(std::string_view text) {
  arguments words;
  std::string word;
  bool has_word = false, is_quoted = false;
  for (char const c : text) {
    bool const is_blank = std::string_view(" \t\r\n").find(c) != std::string_view::npos;
    if (is_blank && !is_quoted) {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
      continue;
    }
    has_word = true;
    if (c == '"') {
      is_quoted = !is_quoted;
    } else {
      word += c;
    }
  }
  if (has_word) words.push_back(std::move(word));
  return words;
}

arguments words_of_variable(char const* name) {
  char const* const text = std::getenv(name);
  return split_text(text != nullptr ? text : "");
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class examiner {
 public:
  nvcc_request request;
  bool has_source = false;
  bool compiles = true;

  void read(arguments const& words, int depth = 0);

 private:
  void read_option(std::string_view name, std::string const& value, int depth);
};

/// Options whose value may look like another option or an input.
bool has_value_to_skip(std::string_view name) {
  return is_one_of(name, {"o",
                          "output-file",
                          "I",
                          "include-path",
                          "include",
                          "pre-include",
                          "D",
                          "define-macro",
                          "MF",
                          "dependency-output",
                          "MT",
                          "dependency-target-name",
                          "Xcompiler",
                          "compiler-options",
                          "Xlinker",
                          "linker-options",
                          "Xptxas",
                          "ptxas-options",
                          "Xnvlink",
                          "nvlink-options",
                          "Xarchive",
                          "archive-options",
                          "Xcudafe",
                          "ccbin",
                          "compiler-bindir"});
}

bool has_value_to_read(std::string_view name) {
  return is_one_of(
      name, {"arch", "gpu-architecture", "gencode", "generate-code", "code", "gpu-code", "x", "optf", "options-file"});
}

void examiner::read(arguments const& words, int depth) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string const& word = words[i];
    if (word.size() < 2 || word.front() != '-') {
      std::string const extension = std::filesystem::path(word).extension();
      has_source = has_source || extension == ".cu";
      request.has_ptx_input = request.has_ptx_input || extension == ".ptx";
      continue;
    }
    std::string_view name = std::string_view(word).substr(word.starts_with("--") ? 2 : 1);
    auto const equals = name.find('=');
    bool const is_alone = equals == std::string_view::npos;
    std::string value = is_alone ? "" : std::string(name.substr(equals + 1));
    name = name.substr(0, equals);
    if (is_alone && (has_value_to_skip(name) || has_value_to_read(name)) && i + 1 < words.size()) value = words[++i];
    read_option(name, value, depth);
  }
}

void examiner::read_option(std::string_view name, std::string const& value, int depth) {
  if (is_one_of(name, {"arch", "gpu-architecture", "gencode", "generate-code", "code", "gpu-code"})) {
    request.names_architecture = true;
    request.real_architectures += count(value, "sm_");
  } else if (is_one_of(name, {"lineinfo", "generate-line-info", "G", "device-debug"})) {
    request.has_line_info = true;
  } else if (name == "x") {
    has_source = has_source || value == "cu";
  } else if (is_one_of(name, {"E", "preprocess", "M", "generate-dependencies", "MM", "generate-nonsystem-dependencies",
                              "cuda", "dryrun", "help", "h", "version", "V"})) {
    compiles = false;
  } else if (is_one_of(name, {"optf", "options-file"}) && depth < 8) {
    // Several files are parted by commas; one with a comma in its name is nvcc's to refuse.
    for (std::size_t begin = 0; begin < value.size();) {
      std::size_t const end = std::min(value.find(',', begin), value.size());
      std::ifstream file(value.substr(begin, end - begin), std::ios::binary);
      read(split_text(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>())), depth + 1);
      begin = end + 1;
    }
  }
}

}  // namespace

nvcc_command split_command(arguments const& words) {
  for (std::size_t i = 0; i < words.size() && may_be_command(words[i]); ++i) {
    if (file_name(words[i]) != "nvcc") continue;
    auto const compiler = words.begin() + static_cast<std::ptrdiff_t>(i);
    return {arguments(words.begin(), compiler), *compiler, arguments(compiler + 1, words.end())};
  }
  return {{}, {}, words};
}

nvcc_request examine(arguments const& words) {
  examiner found;
  found.read(words_of_variable("NVCC_PREPEND_FLAGS"));
  found.read(words);
  found.read(words_of_variable("NVCC_APPEND_FLAGS"));
  found.request.compiles_device_code = found.has_source && found.compiles;
  return found.request;
}

}  // namespace pasta::cli
