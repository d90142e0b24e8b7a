// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// pasta_ptx_count INPUT OUTPUT SITES: a rewriter for check_corpus.py that counts the accesses of a PTX file.
// Exit code: 0; 2 wrong arguments; 1 with one line on stderr if a file cannot be read or written, or is not PTX that
// can be instrumented.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <stdexcept>
#include <string>

namespace {

std::string read_file(char const* path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) throw std::runtime_error(fmt::format("{} cannot be read", path));
  return text;
}

void write_file(char const* path, std::string const& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{} cannot be written", path));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    fmt::print(stderr, "usage: pasta_ptx_count INPUT OUTPUT SITES\n");
    return 2;
  }
  try {
    std::string const source = read_file(arguments[1]), tools[] = {"access_count"};
    pasta::ptx::instrumented const result = pasta::ptx::count_accesses(pasta::ptx::read(source), tools);
    for (pasta::ptx::table_function const& function : result.table.functions) {
      if (!function.why.empty()) throw std::runtime_error(fmt::format("{}: {}", function.name, function.why));
    }
    write_file(arguments[2], result.text);
    write_file(arguments[3], fmt::format("{{\"sites\": {}}}\n", result.sites));
  } catch (std::exception const& error) {
    fmt::print(stderr, "pasta_ptx_count: {}: {}\n", arguments[1], error.what());
    return 1;
  }
  return 0;
}
