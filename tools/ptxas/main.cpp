// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program that stands in for NVIDIA's ptxas: it instruments the PTX and has the real ptxas assemble it. Called by the
// name nvlink it stands in for that.
#include <fmt/format.h>
#include <sys/auxv.h>

#include <filesystem>
#include <string>
#include <vector>

#include <command.hpp>
#include <output.hpp>

#include <pasta/report/visible.hpp>
#include "assemble.hpp"
#include "find_ptxas.hpp"
#include "guard.hpp"
#include "link.hpp"
#include "run_real.hpp"
#include "settings.hpp"

namespace {

using namespace pasta;

/// By the name of the file that was started; what a caller gives as argument 0 is what it likes.
ptxas::vendor_program stands_for() {
  auto const started = ::getauxval(AT_EXECFN);
  std::filesystem::path const path = started != 0 ? reinterpret_cast<char const*>(started) : "";
  return path.filename() == "nvlink" ? ptxas::vendor_program::nvlink : ptxas::vendor_program::ptxas;
}

std::string find_real(ptxas::vendor_program which, ptxas::settings const& wanted) {
  std::vector<std::string> refused;
  auto const tell = [&](std::string const& line) {
    if (wanted.is_debugging) cli::complain("debug: " + line);
  };
  auto const tell_refused = [&] {
    for (std::string const& line : refused) tell(fmt::format("not {}", line));
  };
  try {
    ptxas::found_program const found = ptxas::find_program(which, refused);
    tell_refused();
    tell(fmt::format("{} is {} ({})", which == ptxas::vendor_program::ptxas ? "ptxas" : "nvlink", visible(found.path),
                     found.reason));
    return found.path;
  } catch (cli::command_error const&) {
    tell_refused();
    throw;
  }
}

int run_main(std::vector<std::string> const& words) {
  ptxas::settings const wanted = ptxas::read_settings();
  ptxas::vendor_program const which = stands_for();
  ptxas::enter_chain(which == ptxas::vendor_program::ptxas ? "ptxas" : "nvlink");
  std::string const real = find_real(which, wanted);
  if (wanted.tools.empty()) ptxas::become({real, words, {}, -1});
  ptxas::fill_standard_streams();
  if (which == ptxas::vendor_program::ptxas) return ptxas::assemble(real, words, wanted);
  return ptxas::link(real, words, wanted, [&] { return find_real(ptxas::vendor_program::ptxas, wanted); });
}

}  // namespace

int main(int count, char** values) {
  return ptxas::guard([&] { return run_main(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count)); });
}
