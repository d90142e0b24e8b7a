// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that stands in for NVIDIA's ptxas: it instruments the PTX and has the real ptxas assemble it.
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include <command.hpp>
#include <output.hpp>

#include <pasta/report/visible.hpp>
#include <pasta/session/settings.hpp>
#include "assemble.hpp"
#include "find_ptxas.hpp"
#include "run_real.hpp"
#include "settings.hpp"

namespace {

using namespace pasta;

std::string find_real(ptxas::settings const& wanted) {
  std::vector<std::string> refused;
  auto const tell = [&](std::string const& line) {
    if (wanted.is_debugging) cli::complain("debug: " + line);
  };
  auto const tell_refused = [&] {
    for (std::string const& line : refused) tell(fmt::format("not {}", line));
  };
  try {
    ptxas::found_ptxas const found = ptxas::find_ptxas(refused);
    tell_refused();
    tell(fmt::format("ptxas is {} ({})", visible(found.path), found.reason));
    return found.path;
  } catch (cli::command_error const&) {
    tell_refused();
    throw;
  }
}

int run_main(std::vector<std::string> const& words) {
  ptxas::settings const wanted = ptxas::read_settings();
  ptxas::enter_chain();
  std::string const real = find_real(wanted);
  if (wanted.tools.empty()) ptxas::become({real, words, {}, -1});
  ptxas::fill_standard_streams();
  return ptxas::assemble(real, words, wanted);
}

}  // namespace

int main(int count, char** values) {
  try {
    return run_main(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
  } catch (usage_error const& e) {
    cli::complain(e.what());
    return cli::exit_usage;
  } catch (cli::command_error const& e) {
    cli::complain(e.what());
    return e.exit_code;
  } catch (std::bad_alloc const&) {
    cli::complain("out of memory");
  } catch (std::exception const& e) {
    cli::complain(visible(e.what()));
  }
  return cli::exit_own_error;
}
