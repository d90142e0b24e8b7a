// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <pasta/instrument/ptx/edits.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include "lines.hpp"

namespace pasta::ptxas {

namespace {

constexpr std::uint32_t most_threads_in_block = 1024, lanes = 32;

/// 256 of `.maxntid 128, 2, 1`; 0 if it is something else.
std::uint32_t product(std::string_view directive) {
  std::uint64_t value = 1;
  ptx::token_reader reader(directive);
  reader.next();
  for (ptx::token each = reader.next(); each.kind != ptx::token_kind::end; each = reader.next()) {
    if (each.is(',')) continue;
    std::string_view text = each.text;
    std::uint32_t factor = 0;
    if (each.kind != ptx::token_kind::number || !take_number(text, factor) || !text.empty()) return 0;
    value *= factor;
    if (value > most_threads_in_block) return 0;
  }
  return static_cast<std::uint32_t>(value);
}

/// The directive's text in a function's head; empty if it is not there.
std::string_view find_directive(ptx::function const& kernel, std::string_view name) {
  auto const found = std::find_if(kernel.tuning.begin(), kernel.tuning.end(),
                                  [&](std::string_view text) { return ptx::token_reader(text).next().text == name; });
  return found == kernel.tuning.end() ? std::string_view() : *found;
}

/// Registers [32 bits] that PASTA declares in `.reg .b64 %pasta_at, %pasta_word<3>;`; 0 for any other directive.
std::uint32_t added_by(std::string_view directive) {
  ptx::token_reader reader(directive);
  if (!reader.next().is(".reg")) return 0;
  ptx::token const type = reader.next();
  std::uint32_t const each = type.text.ends_with("64") ? 2 : type.is(".pred") ? 0 : 1;
  std::uint32_t added = 0;
  for (ptx::token name = reader.next(); name.kind != ptx::token_kind::end; name = reader.next()) {
    if (!name.text.starts_with("%pasta_")) continue;
    std::uint32_t count = 1;
    if (reader.peek().is('<')) {
      reader.next();
      std::string_view number = reader.next().text;
      if (!take_number(number, count)) count = 1;
    }
    added += each * std::min(count, most_registers);
  }
  return added;
}

kernel_bounds read_kernel(ptx::module const& from, ptx::function const& kernel) {
  kernel_bounds read;
  read.name = kernel.name;
  if (auto const exact = find_directive(kernel, ".reqntid"); !exact.empty()) {
    read.threads = product(exact);
    read.are_threads_exact = read.threads != 0;
  } else if (auto const most = find_directive(kernel, ".maxntid"); !most.empty()) {
    read.threads = product(most);
  }
  std::size_t depth = 0;
  for (std::size_t i = kernel.begin; i < kernel.end; ++i) {
    ptx::statement const& each = from.statements[i];
    if (each.kind == ptx::statement_kind::scope_begin) ++depth;
    if (each.kind == ptx::statement_kind::scope_end) --depth;
    if (each.kind == ptx::statement_kind::directive && depth == 1) read.added_registers += added_by(each.text);
    if (each.kind != ptx::statement_kind::instruction) continue;
    // Most instructions are neither; a look at the text is quicker than reading each.
    bool const may_be_either =
        each.text.find("call") != std::string_view::npos || each.text.find("setmaxnreg") != std::string_view::npos;
    if (!may_be_either) continue;
    std::string_view const name = ptx::read_instruction(each.text).name;
    read.calls_functions = read.calls_functions || name == "call";
    read.changes_registers = read.changes_registers || name == "setmaxnreg";
  }
  return read;
}

}  // namespace

block_sizes kernel_bounds::sizes() const {
  if (threads == 0) return {};
  std::uint32_t const warps = (threads + lanes - 1) / lanes;
  return {are_threads_exact ? warps : 1, warps};
}

std::vector<kernel_bounds> read_bounds(std::string_view ptx) {
  std::vector<kernel_bounds> all;
  ptx::module const module = ptx::read(ptx);
  for (ptx::function const& each : module.functions) {
    if (each.is_entry && !each.is_declaration) all.push_back(read_kernel(module, each));
  }
  return all;
}

std::string with_register_limits(std::string_view ptx, std::map<std::string, std::uint32_t> const& limits) {
  ptx::module const module = ptx::read(ptx);
  ptx::edits changes(ptx);
  for (ptx::function const& each : module.functions) {
    auto const limit = limits.find(std::string(each.name));
    if (!each.is_entry || each.is_declaration || limit == limits.end()) continue;
    std::string const directive = fmt::format(".maxnreg {}", limit->second);
    if (std::string_view const there = find_directive(each, ".maxnreg"); !there.empty()) {
      changes.replace(there, directive);
    } else {
      // A line of its own, so that lines of the text can be told from those that were put in.
      changes.insert_after(module.statements[each.head].text, fmt::format("\n{}\n", directive));
    }
  }
  return changes.apply();
}

}  // namespace pasta::ptxas
