// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/session/settings.hpp>
#include "capture.hpp"
#include "command.hpp"
#include "nvcc_cache_key.hpp"
#include "nvcc_toolkit.hpp"
#include "nvcc_words.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "process.hpp"
#include "suggest.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

struct nvcc_options {
  std::string tools;
  std::string nvcc;
  std::string tool_path;
  bool is_strict = false;
  bool lists_tools = false;
  bool is_debugging = false;
  bool is_asked = false;  ///< by another `pasta nvcc`, where nvcc is
  arguments rest;         ///< from the first word that is not pasta's
};

std::string variable(char const* name) {
  char const* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

bool is_on(char const* name) {
  try {
    return detail::parse_switch(name, variable(name));
  } catch (pasta::usage_error const& e) {
    throw usage_error(e.what());
  }
}

/// How many of the words are pasta's own.
std::size_t count_own(arguments const& words) {
  std::size_t i = 0;
  while (i < words.size()) {
    std::string_view const word = words[i];
    if (word == "--tools" || word == "--nvcc" || word == "--tool-path") {
      i += 2;
    } else if (word == "--strict" || word == "--list-tools" || word == "--help" || word == "-h" ||
               word.starts_with("--tools=") || word.starts_with("--nvcc=") || word.starts_with("--tool-path=")) {
      ++i;
    } else {
      break;
    }
  }
  return std::min(i, words.size());
}

constexpr char footer[] =
    "pasta's own flags come first; from the first other word on all is nvcc's: outputs, messages, exit code. Where no\n"
    "architecture is given, that of this machine's GPU is added. Without --tools it is nvcc itself. In front of a\n"
    "compiler (pasta nvcc --tools access_count [ccache] /usr/local/cuda/bin/nvcc ...) it is a launcher for CMake or "
    "make.\n\n"
    "Examples:\n"
    "  pasta nvcc --tools access_count -lineinfo -o app app.cu\n"
    "  cmake -B build -DCMAKE_CUDA_COMPILER_LAUNCHER='pasta;nvcc;--tools;access_count'\n\n"
    "Exit codes: nvcc's; 2 wrong usage, 125 error of pasta itself or --strict, 126 nvcc is not executable, 127 not "
    "found.";

parsed read_options(arguments const& words, nvcc_options& options) {
  auto const own = words.begin() + static_cast<std::ptrdiff_t>(count_own(words));
  options.rest.assign(own, words.end());
  auto const app = make_app("pasta nvcc [--tools TOOL[,TOOL]] [flags] nvcc's words...",
                            "Builds CUDA sources by NVIDIA's nvcc, with tools put into the device code.");
  app->add_option("--tools", options.tools, "tools, parted by commas")->envname("PASTA_PTX_TOOLS");
  app->add_option("--nvcc", options.nvcc, "path of nvcc")->envname("PASTA_NVCC");
  app->add_option("--tool-path", options.tool_path, "folders of tools, before those of PASTA_TOOL_PATH");
  app->add_flag("--strict", options.is_strict, "what cannot be instrumented is an error (PASTA_PTX_STRICT)");
  app->add_flag("--list-tools", options.lists_tools, "print the tools that can be built in, one a line");
  app->footer(footer);
  if (parse(*app, arguments(words.begin(), own)) == parsed::help_was_shown) return parsed::help_was_shown;
  if (!options.tool_path.empty()) {  // for the stand-in, and whoever else looks for tools
    std::string const others = variable("PASTA_TOOL_PATH");
    ::setenv("PASTA_TOOL_PATH", (options.tool_path + (others.empty() ? "" : ":") + others).c_str(), 1);
  }
  options.is_strict = options.is_strict || is_on("PASTA_PTX_STRICT");
  options.is_debugging = is_on("PASTA_DEBUG");
  options.is_asked = variable(nvcc_chain_variable) == nvcc_is_asked;
  return parsed::go_on;
}

arguments split(std::string_view text, std::string_view separators) {
  arguments parts;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Asks the stand-in, which alone knows: what it says to a tool that cannot be is
/// `pasta: PASTA_PTX_TOOLS: unknown tool '?' (known: access_count, coalescing)`.
arguments known_tools(fs::path const& stand_in) {
  auto const text = capture({"/bin/sh", "-c", "PASTA_PTX_TOOLS='?' \"$0\" 2>&1 || :", stand_in.native()}, "");
  constexpr std::string_view mark = "(known: ";
  auto const place = text ? text->find(mark) : std::string::npos;
  auto const end = place != std::string::npos ? text->find(')', place) : std::string::npos;
  if (end == std::string::npos) throw command_error(fmt::format("cannot run {}", visible(stand_in.native())));
  return split(std::string_view(*text).substr(place + mark.size(), end - place - mark.size()), ", ");
}

/// The tools in alphabetical order, each known and named once.
arguments check_tools(std::string const& text, arguments const& known) {
  arguments tools = split(text, ",+");
  std::sort(tools.begin(), tools.end());
  for (std::string const& tool : tools) {
    if (std::find(known.begin(), known.end(), tool) != known.end()) continue;
    throw usage_error(
        fmt::format("unknown tool '{}'{} (known: {})", visible(tool), suggestion(tool, known), fmt::join(known, ", ")));
  }
  auto const twice = std::adjacent_find(tools.begin(), tools.end());
  if (twice != tools.end()) throw usage_error(fmt::format("--tools names {} twice", *twice));
  if (tools.empty()) throw usage_error("--tools names no tool");
  return tools;
}

/// A folder in TMPDIR that is taken away again.
class folder_of_this_call {
 public:
  folder_of_this_call() : path_((variable("TMPDIR").empty() ? "/tmp" : variable("TMPDIR")) + "/pasta-nvcc-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      throw command_error(fmt::format("cannot make {}: {}", visible(path_), std::generic_category().message(errno)));
    }
  }
  ~folder_of_this_call() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  folder_of_this_call(folder_of_this_call const&) = delete;
  folder_of_this_call& operator=(folder_of_this_call const&) = delete;
  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

class nvcc_call {
 public:
  nvcc_call(nvcc_options const& options, arguments const& tools)
      : options_(options), tools_(tools), command_(split_command(options.rest)), nvcc_(find()) {}

  int run_uninstrumented();
  int run_instrumented(build_files const& files);

 private:
  found_nvcc find() const;
  void debug(std::string const& line) const;
  arguments line(std::string const& compiler, arguments const& added) const;

  nvcc_options const& options_;
  arguments const& tools_;
  nvcc_command command_;
  found_nvcc nvcc_;
};

found_nvcc nvcc_call::find() const {
  if (!command_.compiler.empty()) {
    if (!options_.nvcc.empty()) {
      throw usage_error(
          fmt::format("--nvcc {} and the compiler {}: name one", visible(options_.nvcc), visible(command_.compiler)));
    }
    return find_nvcc(command_.compiler, "named in the command");
  }
  return find_nvcc(options_.nvcc, "--nvcc");
}

void nvcc_call::debug(std::string const& line) const {
  if (options_.is_debugging) complain("debug: " + line);
}

arguments nvcc_call::line(std::string const& compiler, arguments const& added) const {
  arguments words = command_.launcher;
  words.push_back(compiler);
  words.insert(words.end(), added.begin(), added.end());
  words.insert(words.end(), command_.words.begin(), command_.words.end());
  return words;
}

int nvcc_call::run_uninstrumented() {
  if (!options_.is_asked) complain("no --tools: nothing is instrumented");
  debug(fmt::format("nvcc is {} ({})", visible(nvcc_.path), nvcc_.reason));
  environment_changes environment{{"PASTA_PTX_TOOLS", std::nullopt}};
  if (is_script(nvcc_.path)) environment.emplace_back(nvcc_chain_variable, "1");
  become_program(line(nvcc_.path, {}), environment);
}

int nvcc_call::run_instrumented(build_files const& files) {
  debug(fmt::format("nvcc is {} ({})", visible(nvcc_.path), nvcc_.reason));
  fs::path const toolkit = toolkit_of(nvcc_);
  std::string const nvcc = instrumenting_nvcc(toolkit, files.stand_in);
  debug(fmt::format("the toolkit {} is called as {}", visible(toolkit.native()), visible(nvcc)));

  nvcc_request const request = examine(command_.words);
  arguments added{"-include", includable(files.built_with), fmt::format("-DPASTA_PTX_PACK={}", fmt::join(tools_, "+"))};
  if (!request.names_architecture) {
    std::string const own = own_architecture(toolkit / "bin" / "nvcc");
    if (!own.empty()) added.push_back("-arch=" + own);
    debug(own.empty() ? "no architecture is given and no GPU is here: nvcc takes its default"
                      : fmt::format("-arch={}, of this machine's GPU, is added", own));
  }
  // A launcher belongs to a build of many calls, whose flags are not written anew each time.
  if (request.compiles_device_code && !request.has_line_info && command_.compiler.empty()) {
    complain("without -lineinfo reports will have no source lines");
  }
  if (request.has_ptx_input) {
    complain("a .ptx file is given: in this call PTX that is embedded for other GPUs is not instrumented");
  }

  std::string const tools = fmt::format("{}", fmt::join(tools_, ","));
  environment_changes environment = cache_key(tools_, files.stand_in);
  environment.emplace_back("PASTA_PTX_TOOLS", tools);
  environment.emplace_back("PASTA_PTX_STRICT", options_.is_strict ? "1" : "0");
  // In place is for files that nvcc made, not for the user's.
  environment.emplace_back("PASTA_PTX_IN_PLACE", request.has_ptx_input ? "0" : "1");
  environment.emplace_back("PASTA_PTX_ORIGINALS", std::nullopt);
  arguments const words = line(nvcc, added);
  if (request.real_architectures < 2 || request.has_ptx_input) become_program(words, environment);
  // One PTX may serve several calls of ptxas, and a later one may refuse what the first took.
  int status = 0;
  {
    folder_of_this_call const originals;
    environment.back().second = originals.path();
    status = run_program(words, environment, standard_streams::inherited).wait_status;
  }
  return end_as(status);
}

}  // namespace

int run_nvcc(arguments const& words) {
  nvcc_options options;
  if (read_options(words, options) == parsed::help_was_shown) return exit_done;
  arguments tools;
  if (options.lists_tools) {
    for (std::string const& tool : known_tools(find_build_files().stand_in)) print(tool + "\n");
    return exit_done;
  }
  if (options.tools.empty() || options.is_asked) return nvcc_call(options, tools).run_uninstrumented();
  build_files const files = find_build_files();
  tools = check_tools(options.tools, known_tools(files.stand_in));
  return nvcc_call(options, tools).run_instrumented(files);
}

}  // namespace pasta::cli
