// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Gives the PTX reader any bytes. It has to read them without loss or refuse them with a read_error of one line.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pasta/instrument/ptx/source_places.hpp>
#include <string>
#include <string_view>

#include "ptx/lossless.hpp"

namespace {

[[noreturn]] void stop(std::string const& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void check_places(pasta::ptx::module const& m) {
  pasta::ptx::source_places const places(m);
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    if (places[i].caller != pasta::ptx::no_place && places[i].caller >= i) stop("a caller comes behind its place");
  }
  for (std::size_t i = 0; i < m.statements.size(); ++i) {
    std::uint32_t const number = places.number_of(i);
    if (number != pasta::ptx::no_place && number >= places.size()) stop("a statement has a place that there is not");
  }
  if (!m.statements.empty() && places.chain(m.statements.size() - 1).size() > 256) stop("a chain is too long");
}

void check(std::string_view source) {
  try {
    if (std::string const fault = pasta_test::find_fault(source); !fault.empty()) stop(fault);
    check_places(pasta::ptx::read(source));
  } catch (pasta::ptx::read_error const& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) stop("the error has several lines");
    if (error.line < 1) stop("the error has no line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  // The fuzzer gives bytes of the very size: the sanitizer sees a read beyond them.
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  pasta::ptx::looks_like_ptx(text);
  check(text);
  // Few bytes begin as PTX does: the same as a module's body.
  check(".version 8.0\n.target sm_90\n" + std::string(text));
  check(".version 8.0\n.target sm_90\n.entry k(){" + std::string(text) + "\n}");
  // As one operand, and up to a semicolon as one instruction.
  auto const instruction = pasta::ptx::read_instruction(text.substr(0, text.find(';')));
  if (std::string const fault = pasta_test::find_loss(instruction); !fault.empty()) stop(fault);
  pasta::ptx::read_address(text);
  pasta::ptx::read_elements(text);
  return 0;
}
