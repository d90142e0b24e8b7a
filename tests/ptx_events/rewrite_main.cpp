// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Puts hooks into a file of PTX: rewrite INPUT OUTPUT TABLE TOOL=HOOK…
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <pasta/instrument/ptx/instrument.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::string text_of(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** words) try {
  if (count < 5) throw std::runtime_error("usage: rewrite INPUT OUTPUT TABLE TOOL=HOOK...");
  std::vector<pasta::ptx::hook> hooks;
  hooks.reserve(static_cast<std::size_t>(count));
  for (int i = 4; i < count; ++i) {
    std::string const word = words[i];
    std::size_t const end = word.find('=');
    hooks.emplace_back(word.substr(0, end), text_of(word.substr(end + 1)));
  }
  std::string const source = text_of(words[1]);
  pasta::ptx::module const read = pasta::ptx::read(source);
  pasta::ptx::instrumented const made = pasta::ptx::instrument(read, hooks);
  std::ofstream(words[2], std::ios::binary) << made.text;
  std::ofstream(words[3], std::ios::binary) << made.json;
  return 0;
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
