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

constexpr char hipcc_footer[] =
    "pasta's own flags come first; from the first other word on all is the compiler's: outputs, messages, exit code.\n"
    "Without --tools it is hipcc itself. The tools' handlers and counters are put into the code of AMD GPUs, with the\n"
    "table of its sites; code of the host stays as it is. Compiled and emulated, not run on AMD hardware.\n\n"
    "Examples:\n"
    "  pasta hipcc --tools coalescing --offload-arch=gfx90a -O2 -g -o app app.hip\n"
    "  pasta hipcc --tools access_count clang++-19 -x hip --offload-arch=gfx942 -O2 -g -c app.hip\n\n"
    "Exit codes: the compiler's; 2 wrong usage, 125 error of pasta itself, 126 it is not executable, 127 not found.";

/// What the two commands have apart.
struct compiler_kind {
  bool is_hip;
  char const *usual, *usage, *summary, *tools, *footer, *variable;
};
constexpr compiler_kind clang_kind{
    false,
    "clang++",
    "pasta clang++ [--tools PACK[,PACK]] [flags] clang's words...",
    "Builds C++ sources by clang (LLVM 15, 16 or 19), with tools put into their plain kernels.",
    "tools and packs (a+b), parted by commas",
    footer,
    "PASTA_CLANG"};
constexpr compiler_kind hipcc_kind{
    true,
    "hipcc",
    "pasta hipcc [--tools TOOL[,TOOL]] [flags] hipcc's words...",
    "Builds HIP sources by hipcc or clang (LLVM 15, 16 or 19), with tools put into the code of AMD GPUs.",
    "tools, parted by commas",
    hipcc_footer,
    "PASTA_HIPCC"};

parsed read_options(compiler_kind const& kind, arguments const& words, clang_options& options) {
  auto const own = words.begin() + static_cast<std::ptrdiff_t>(count_own(words));
  options.rest.assign(own, words.end());
  auto const app = make_app(kind.usage, kind.summary);
  app->add_option("--tools", options.tools, kind.tools)->envname("PASTA_LLVM_TOOLS");
  app->add_option("--clang", options.clang, "path of the compiler")->envname(kind.variable);
  app->add_option("--tool-path", options.tool_path, "folders of tools, before those of PASTA_TOOL_PATH");
  app->add_flag("--list-tools", options.lists_tools, "print the tools that can be built in, one a line");
  app->footer(kind.footer);
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

/// A file of this PASTA's that sources include.
std::string own_header(char const* name) { return (find_build_files().built_with.parent_path() / name).string(); }

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

/// The tool's library without its extension: its hooks are beside it.
std::string stem_of(tool_description const& tool) { return fs::path(tool.path).replace_extension().string(); }

/// Whether the tool's handlers can be put into the code of AMD GPUs.
bool has_device_hook(tool_description const& tool) {
  std::error_code error;
  return fs::exists(stem_of(tool) + ".wave64.bc", error);
}

arguments device_tools(installed_tools const& installed) {
  arguments names;
  for (tool_description const& tool : installed.tools) {
    if (has_device_hook(tool)) names.push_back(tool.tool);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A text as it stands in a string literal.
std::string string_literal(std::string_view text) {
  std::string made = "\"";
  for (char const letter : text) {
    if (letter == '"' || letter == '\\') made += '\\';
    made += letter == '\n' ? "\\n" : std::string(1, letter);
  }
  return made + '"';
}

/// What the compiler is told of the tools in device code.
arguments device_words(std::string const& text, installed_tools const& installed, std::string const& plugin,
                       std::string const& header) {
  arguments tools = split_packs(text);
  std::sort(tools.begin(), tools.end());
  std::string list;
  for (std::string const& tool : tools) {
    tool_description const* const known = installed.find(tool);
    arguments const names = device_tools(installed);
    if (known == nullptr)
      throw usage_error(fmt::format("unknown tool '{}'{} (known: {})", visible(tool), suggestion(tool, names),
                                    fmt::join(names, ", ")));
    if (!has_device_hook(*known))
      throw usage_error(
          fmt::format("{} has no hook for AMD GPUs: there is no {}.wave64.bc, which PASTA makes where it "
                      "is built with hipcc",
                      tool, visible(stem_of(*known))));
    list += fmt::format("{} {}\n", tool, stem_of(*known));
  }
  return {"--start-no-unused-arguments",
          "-Xarch_device",
          "-fpass-plugin=" + plugin,
          "-DPASTA_LLVM_DEVICE_TOOLS=" + string_literal(list),
          "-include",
          header,
          "--end-no-unused-arguments"};
}

int build(compiler_kind const& kind, clang_options const& options, installed_tools const& installed) {
  clang_command const command = split_clang_command(options.rest);
  if (!command.compiler.empty() && !options.clang.empty())
    throw usage_error(
        fmt::format("--clang {} and the compiler {}: name one", visible(options.clang), visible(command.compiler)));
  std::string const compiler = find_clang(command.compiler.empty() ? options.clang : command.compiler, kind.usual);
  arguments line = command.launcher;
  line.push_back(compiler);
  if (options.tools.empty()) {
    complain("no --tools: nothing is instrumented");
  } else if (!kind.is_hip) {
    tool_words const tools(split_packs(options.tools), installed);
    std::string const plugin = plugin_for(llvm_version_of(compiler));
    arguments const added = tools.words(plugin, own_header("llvm_tools.hpp"));
    line.insert(line.end(), added.begin(), added.end());
  } else {
    arguments const added =
        device_words(options.tools, installed, plugin_for(llvm_version_of(compiler)), own_header("llvm_device.h"));
    line.insert(line.end(), added.begin(), added.end());
  }
  line.insert(line.end(), command.words.begin(), command.words.end());
  become_program(line, {});
}

int run(compiler_kind const& kind, arguments const& words) {
  clang_options options;
  if (read_options(kind, words, options) == parsed::help_was_shown) return exit_done;
  installed_tools const installed = find_installed_tools();
  if (options.lists_tools) {
    arguments const names = kind.is_hip ? device_tools(installed) : known_tools(installed);
    for (std::string const& tool : names) print(tool + "\n");
    return exit_done;
  }
  return build(kind, options, installed);
}

}  // namespace

int run_clang(arguments const& words) { return run(clang_kind, words); }
int run_hipcc(arguments const& words) { return run(hipcc_kind, words); }

}  // namespace pasta::cli
