// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The `pasta` command: one subcommand a file.
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <pasta/config.hpp>
#include <pasta/report/report_error.hpp>
#include <pasta/report/visible.hpp>
#include "command.hpp"
#include "output.hpp"
#include "parse.hpp"
#include "process.hpp"
#include "suggest.hpp"

namespace {

using namespace pasta::cli;

struct subcommand {
  char const* name;
  char const* summary;
  int (*run)(arguments const&);
};

constexpr std::array<subcommand, 9> subcommands{{
    {"list", "show the installed tools, or the tools a program was built with", run_list},
    {"run", "run a program with a tool and report what the tool saw", run_run},
    {"nvcc", "build CUDA sources with tools in them, by NVIDIA's nvcc", run_nvcc},
    {"clang++", "build C++ sources with tools in their plain kernels, by clang", run_clang},
    {"hipcc", "build HIP sources with counters in the code of AMD GPUs", run_hipcc},
    {"show", "print reports: text, JSON or CSV", run_show},
    {"diff", "compare two reports row by row", run_diff},
    {"new", "make a new tool that builds and passes its own test", run_new},
    {"doctor", "say what was found here and what each route lacks", run_doctor},
}};

constexpr char examples[] =
    "Examples:\n"
    "  pasta list                                    the installed tools and their options\n"
    "  pasta list ./transpose                        what ./transpose was built with\n"
    "  pasta run coalescing -- ./transpose 1024      which source lines waste memory bandwidth, and why\n"
    "  pasta run access_count,coalescing -- ./app    two tools in one run\n"
    "  pasta nvcc --tools access_count -lineinfo -o app app.cu\n"
    "  pasta clang++ --tools access_count -O2 -g -o app app.cpp -lfmt -lboost_context\n"
    "  pasta show pasta-coalescing-transpose-42.json\n"
    "  pasta diff before.json after.json             did it help?\n"
    "  pasta new stride_check                        a tool of your own\n\n"
    "Each subcommand has --help. Exit codes: 0 done, 2 usage, 125 error of pasta itself; `pasta run`,\n"
    "`pasta nvcc`, `pasta clang++` and `pasta hipcc` keep the program's own status (126 not executable, 127 not "
    "found).";

int run_main(arguments const& words) {
  auto const app = make_app("pasta SUBCOMMAND [arguments]", "PASTA: tools that watch GPU programs, on the CPU too.");
  app->set_version_flag("--version", std::string("pasta " PASTA_VERSION), "show the version");
  app->footer(examples);
  std::vector<std::string> names;
  for (subcommand const& s : subcommands) {
    app->add_subcommand(s.name, s.summary);
    names.emplace_back(s.name);
  }
  if (words.empty()) throw usage_error("which subcommand? See pasta --help");
  std::string const& first = words.front();
  if (first == "help") {
    print(app->help());
    return exit_done;
  }
  if (first.front() == '-') {
    parse(*app, {first});
    return exit_done;
  }
  for (subcommand const& s : subcommands) {
    if (first != s.name) continue;
    set_subcommand(first);
    return s.run(arguments(words.begin() + 1, words.end()));
  }
  throw usage_error(fmt::format("unknown subcommand '{}'{}", pasta::visible(first), suggestion(first, names)));
}

}  // namespace

int main(int count, char** values) {
  remember_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is seen as EPIPE
  try {
    return run_main(arguments(values + (count > 0 ? 1 : 0), values + count));
  } catch (usage_error const& e) {
    complain(e.what());
    return exit_usage;
  } catch (command_error const& e) {
    complain(e.what());
    return e.exit_code;
  } catch (pasta::report_error const& e) {
    complain(e.what());
  } catch (std::bad_alloc const&) {
    complain("out of memory");
  } catch (std::exception const& e) {
    complain(pasta::visible(e.what()));
  }
  return exit_own_error;
}
