// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// pasta_ptx_rewrite INPUT OUTPUT SITES [registers=NATIVE] [TOOL=HOOK.ptx ...]: a rewriter for check_corpus.py that
// counts the accesses of a PTX file and has hooks handle them. Of several hooks of one tool the latest that the file's
// target can have is taken. With NATIVE, kernels are limited to registers as by the stand-in for ptxas:
//     {"relocatable": false, "kernels": {"_Z3addPf": 40}}
// SITES gets a line of JSON: {"sites": 12, "handled": 9, "ptx_instructions": [before, after], "table": {...}}
// Exit code: 0; 2 wrong arguments; 1 with one line on stderr if a file cannot be read or written, or is not PTX that
// can be instrumented.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <kernel_change.hpp>
#include <register_fit.hpp>

#include <pasta/instrument/ptx/detail/numbers.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module.hpp>

namespace {

namespace ptx = pasta::ptx;
namespace ptxas = pasta::ptxas;

std::string read_file(std::string const& path) {
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

/// What counts, and then the hooks of `TOOL=HOOK.ptx` words: of each tool the latest for the target.
std::vector<ptx::hook> read_hooks(std::span<std::string const> words, std::string_view target) {
  unsigned const architecture = ptx::detail::architecture(target);
  std::vector<ptx::hook> hooks{ptx::hook::counting("access_count")};
  for (std::string const& word : words) {
    std::size_t const equals = word.find('=');
    ptx::hook read(word.substr(0, equals), read_file(word.substr(equals + 1)));
    auto const same =
        std::find_if(hooks.begin(), hooks.end(), [&](ptx::hook const& each) { return each.tool() == read.tool(); });
    if (same == hooks.end()) {
      hooks.push_back(std::move(read));
    } else if (read.architecture() <= architecture &&
               (same->architecture() > architecture || same->architecture() < read.architecture())) {
      *same = std::move(read);
    }
  }
  return hooks;
}

/// With the limits that the stand-in gives to kernels that take too many registers, here to each kernel.
std::string limit_registers(std::string const& text, std::string_view target, nlohmann::json const& native) {
  std::vector<ptxas::kernel_figures> figures;
  for (auto const& [name, registers] : native.at("kernels").items()) {
    ptxas::kernel_figures& each = figures.emplace_back();
    each.name = name;
    each.target = target;
    each.registers = registers.get<std::uint32_t>();
  }
  std::vector<ptxas::kernel_change> changes = ptxas::list_changes(figures, ptxas::read_bounds(text));
  for (ptxas::kernel_change& each : changes) each.instrumented.registers = ptxas::most_registers + 1;
  auto const how = native.at("relocatable").get<bool>() ? ptxas::linking::relocatable : ptxas::linking::whole_program;
  return ptxas::with_register_limits(text, ptxas::choose_limits(changes, ptxas::register_policy::occupancy, how));
}

/// Kernels for which the stand-in keeps little in registers: what takes almost all natively.
std::vector<std::string> short_of_registers(nlohmann::json const& native) {
  std::vector<std::string> names;
  for (auto const& [name, registers] : native.at("kernels").items()) {
    if (registers.get<std::uint32_t>() > ptxas::most_registers_with_room) names.push_back(name);
  }
  return names;
}

std::ptrdiff_t count_instructions(ptx::module const& of) {
  return std::count_if(of.statements.begin(), of.statements.end(),
                       [](ptx::statement const& each) { return each.kind == ptx::statement_kind::instruction; });
}

void rewrite(char const* input, char const* output, char const* sites, std::span<std::string const> words) {
  constexpr std::string_view registers = "registers=";
  std::string const source = read_file(input);
  ptx::module const module = ptx::read(source);
  bool const has_limits = !words.empty() && words[0].starts_with(registers);
  std::vector<ptx::hook> const hooks = read_hooks(words.subspan(has_limits ? 1 : 0), module.target);
  nlohmann::json native;
  std::vector<std::string> spared;
  if (has_limits) {
    native = nlohmann::json::parse(read_file(words[0].substr(registers.size())));
    spared = short_of_registers(native);
  }
  ptx::instrumented const result = ptx::instrument(module, hooks, {.pack = nullptr, .short_of_registers = spared});
  std::string const text = has_limits ? limit_registers(result.text, module.target, native) : result.text;
  write_file(output, text);
  nlohmann::ordered_json told{{"sites", result.sites},
                              {"handled", result.table.rows},
                              {"ptx_instructions", {count_instructions(module), count_instructions(ptx::read(text))}},
                              {"table", nlohmann::ordered_json::parse(result.json)}};
  write_file(sites, told.dump() + "\n");
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> const words(arguments + std::min(count, 4), arguments + count);
  if (count < 4 || std::any_of(words.begin(), words.end(), [](std::string const& word) {
        return word.find('=') == std::string::npos || word.starts_with('=');
      })) {
    fmt::print(stderr, "usage: pasta_ptx_rewrite INPUT OUTPUT SITES [registers=NATIVE] [TOOL=HOOK.ptx ...]\n");
    return 2;
  }
  try {
    rewrite(arguments[1], arguments[2], arguments[3], words);
  } catch (std::exception const& error) {
    fmt::print(stderr, "pasta_ptx_rewrite: {}: {}\n", arguments[1], error.what());
    return 1;
  }
  return 0;
}
