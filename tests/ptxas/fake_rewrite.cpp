// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Linked in the place of tools/ptxas/rewrite.cpp: what it does is told by the text, so that tests can see the program
// around it meet every outcome.
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "marker.hpp"
#include "rewrite.hpp"

namespace pasta::ptxas {

namespace {

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

}  // namespace

std::vector<std::string> known_tools() { return {"access_count", "other"}; }

rewritten rewrite(std::string_view source, rewrite_options const& options) {
  if (has(source, "test: crash")) std::abort();
  if (has(source, "test: no memory")) throw std::bad_alloc();
  if (has(source, "test: throw")) throw std::runtime_error("line 7: thrown\nin two lines");
  if (has(source, "test: nothing to do")) return {std::string(source), {}, false, {}};
  std::size_t const version = source.find(".version");
  if (version == std::string_view::npos) return {std::string(source), {}, false, "line 1: this is not PTX"};
  rewritten result{std::string(source), {}, true, {}};
  if (has(source, "test: warn")) result.warnings = {"first warning", "second warning"};
  // Something that fatbinary does not take for a comment.
  std::size_t const address_size = result.text.find(".address_size 64");
  if (address_size != std::string::npos) {
    result.text.insert(address_size + 16, "\n.weak .global .u64 pasta_test_state;\n");
  }
  if (has(source, "test: refused")) result.text += "\nthis is not PTX;\n";
  result.text = make_marker(options.tools) + '\n' + result.text;
  return result;
}

}  // namespace pasta::ptxas
