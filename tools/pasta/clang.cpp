// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <system_error>

#include <pasta/report/visible.hpp>
#include <pasta/session/pack_name.hpp>
#include "clang_compiler.hpp"
#include "command.hpp"
#include "installed_tools.hpp"
#include "nvcc_toolkit.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "process.hpp"
#include "suggest.hpp"

namespace pasta::cli {

namespace {

namespace fs = std::filesystem;

struct clang_options {
  std::string tools, clang, tool_path;
  bool lists_tools = false;
  arguments rest;  ///< from the first word that is not pasta's
};

/// How many of the words are pasta's own.
std::size_t count_own(arguments const& words) {
  std::size_t i = 0;
  while (i < words.size()) {
    std::string_view const word = words[i];
    if (word == "--tools" || word == "--clang" || word == "--tool-path") {
      i += 2;
    } else if (word == "--list-tools" || word == "--help" || word == "-h" || word.starts_with("--tools=") ||
               word.starts_with("--clang=") || word.starts_with("--tool-path=")) {
      ++i;
    } else {
      break;
    }
  }
  return std::min(i, words.size());
}

constexpr char footer[] =
    "pasta's own flags come first; from the first other word on all is the compiler's: outputs, messages, exit code.\n"
    "The kernels are functions marked __global__ (pasta/cuda_names.hpp) or PASTA_PLAIN_KERNEL that pasta::launch runs "
    "on\n"
    "the CPU engine. A pack a+b is two tools in one run. In front of a compiler (pasta clang++ --tools access_count\n"
    "[ccache] clang++-19 ...) it is a launcher for CMake or make; in CMake there is pasta_instrument(... ROUTE "
    "llvm).\n\n"
    "Examples:\n"
    "  pasta clang++ --tools access_count,coalescing -O2 -g -o app app.cpp -lfmt -lboost_context\n"
    "  cmake -B build -DCMAKE_CXX_COMPILER=clang++-19 \\\n"
    "        -DCMAKE_CXX_COMPILER_LAUNCHER='pasta;clang++;--tools;access_count'\n\n"
    "Exit codes: the compiler's; 2 wrong usage, 125 error of pasta itself, 126 it is not executable, 127 not found.";

parsed read_options(arguments const& words, clang_options& options) {
  auto const own = words.begin() + static_cast<std::ptrdiff_t>(count_own(words));
  options.rest.assign(own, words.end());
  auto const app =
      make_app("pasta clang++ [--tools PACK[,PACK]] [flags] clang's words...",
               "Builds C++ sources by clang (LLVM 15, 16 or 19), with tools put into their plain kernels.");
  app->add_option("--tools", options.tools, "tools and packs (a+b), parted by commas")->envname("PASTA_LLVM_TOOLS");
  app->add_option("--clang", options.clang, "path of clang++")->envname("PASTA_CLANG");
  app->add_option("--tool-path", options.tool_path, "folders of tools, before those of PASTA_TOOL_PATH");
  app->add_flag("--list-tools", options.lists_tools, "print the tools that can be built in, one a line");
  app->footer(footer);
  if (parse(*app, arguments(words.begin(), own)) == parsed::help_was_shown) return parsed::help_was_shown;
  if (!options.tool_path.empty()) {
    char const* const others = std::getenv("PASTA_TOOL_PATH");
    std::string const after = others != nullptr && *others != '\0' ? fmt::format(":{}", others) : "";
    ::setenv("PASTA_TOOL_PATH", (options.tool_path + after).c_str(), 1);
  }
  return parsed::go_on;
}

/// The tool's header, which pasta_add_tool puts beside its library, or "".
std::string header_of(tool_description const& tool) {
  fs::path const header = fs::path(tool.path).replace_extension(".hpp");
  std::error_code error;
  return fs::exists(header, error) ? header.string() : "";
}

bool has_route(tool_description const& tool) {
  return std::count(tool.routes.begin(), tool.routes.end(), "llvm") != 0 && !header_of(tool).empty();
}

arguments known_tools(installed_tools const& installed) {
  arguments names;
  for (tool_description const& tool : installed.tools) {
    if (has_route(tool)) names.push_back(tool.tool);
  }
  std::sort(names.begin(), names.end());
  return names;
}

arguments split_packs(std::string_view text) {
  arguments packs;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(','), text.size());
    if (end > 0) packs.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (packs.empty()) throw usage_error("--tools names no tool");
  arguments sorted = packs;
  std::sort(sorted.begin(), sorted.end());
  auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw usage_error(fmt::format("--tools names {} twice", visible(*twice)));
  return packs;
}

/// What the compiler is told of the tools.
class tool_words {
 public:
  tool_words(arguments const& packs, installed_tools const& installed) {
    arguments const known = known_tools(installed);
    for (std::string const& pack : packs) {
      arguments const members = tools_of_pack(pack);
      for (std::string const& member : members) {
        if (std::find(known.begin(), known.end(), member) == known.end())
          throw usage_error(fmt::format("unknown tool '{}'{} (known: {})", visible(member), suggestion(member, known),
                                        fmt::join(known, ", ")));
        tools_.insert(member);
      }
      if (std::set<std::string>(members.begin(), members.end()).size() != members.size())
        throw usage_error(fmt::format("the pack {} names a tool twice", visible(pack)));
      std::string const type = fmt::format("{}", fmt::join(members, ","));
      types_.push_back(members.size() == 1 ? type : fmt::format("pasta::tool_pack<{}>", type));
      table_ += fmt::format("{}PASTA_DETAIL_LLVM_ENTRY(\"{}\")", table_.empty() ? "" : " \"\\0\" ", pack);
    }
    for (std::string const& tool : tools_) {
      declarations_ += fmt::format("struct {};", tool);
      headers_.push_back(header_of(*installed.find(tool)));
    }
  }

  arguments words(std::string const& plugin, std::string const& tools_header) const {
    // Of a call that only links nothing of this is used, which is no reason to warn.
    arguments all{"--start-no-unused-arguments",
                  "-fpass-plugin=" + plugin,
                  "-DPASTA_LLVM_ROUTE=1",
                  "-DPASTA_LLVM_DECLARATIONS=" + declarations_,
                  fmt::format("-DPASTA_LLVM_PACKS={}", fmt::join(types_, ",")),
                  "-DPASTA_LLVM_TABLE=" + table_,
                  fmt::format("-DPASTA_PROBE_TOOLS_HEADER=\"{}\"", tools_header)};
    arguments included{"pasta/pasta.hpp"};
    included.insert(included.end(), headers_.begin(), headers_.end());
    included.emplace_back("pasta/llvm_hooks.hpp");
    for (std::string const& header : included) all.insert(all.end(), {"-include", header});
    all.emplace_back("--end-no-unused-arguments");
    return all;
  }

 private:
  std::set<std::string> tools_;
  arguments types_, headers_;
  std::string declarations_, table_;
};

int build(clang_options const& options, installed_tools const& installed, std::string const& usual) {
  clang_command const command = split_clang_command(options.rest);
  if (!command.compiler.empty() && !options.clang.empty())
    throw usage_error(
        fmt::format("--clang {} and the compiler {}: name one", visible(options.clang), visible(command.compiler)));
  std::string const compiler = find_clang(command.compiler.empty() ? options.clang : command.compiler, usual);
  arguments line = command.launcher;
  line.push_back(compiler);
  if (options.tools.empty()) {
    complain("no --tools: nothing is instrumented");
  } else {
    tool_words const tools(split_packs(options.tools), installed);
    std::string const plugin = plugin_for(llvm_version_of(compiler));
    fs::path const header = find_build_files().built_with.parent_path() / "llvm_tools.hpp";
    arguments const added = tools.words(plugin, header.string());
    line.insert(line.end(), added.begin(), added.end());
  }
  line.insert(line.end(), command.words.begin(), command.words.end());
  become_program(line, {});
}

}  // namespace

int run_clang(arguments const& words) {
  clang_options options;
  if (read_options(words, options) == parsed::help_was_shown) return exit_done;
  installed_tools const installed = find_installed_tools();
  if (options.lists_tools) {
    for (std::string const& tool : known_tools(installed)) print(tool + "\n");
    return exit_done;
  }
  return build(options, installed, "clang++");
}

}  // namespace pasta::cli
