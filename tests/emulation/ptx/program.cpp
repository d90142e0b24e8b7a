// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <pasta/instrument/ptx/module.hpp>

#include "compiler.hpp"
#include "fault.hpp"
#include "spaces.hpp"

namespace ptx_emulation {

namespace {

constexpr std::uint32_t function_step = 16;  // from one function's address to the next

pasta::ptx::module read(std::string_view text) {
  try {
    return pasta::ptx::read(text);
  } catch (pasta::ptx::read_error const& error) {
    throw unknown_code(error.what());
  }
}

}  // namespace

program::program(std::string_view text, device_memory& memory)
    : text_(text), memory_(&memory), shared_end_(first_shared) {
  pasta::ptx::module const from = read(text_);
  std::size_t last = SIZE_MAX;  // a directive may declare several
  for (pasta::ptx::variable const& each : from.variables) {
    if (each.statement != last) declare_variables(each.text);
    last = each.statement;
  }
  for (pasta::ptx::function const& each : from.functions) {
    std::unique_ptr<code>& made = functions_[each.name];
    if (made && (made->is_defined || each.is_declaration)) continue;
    if (!made) {
      made = std::make_unique<code>();
      symbols_.emplace(each.name, symbol{space::generic, function_window + by_address_.size() * function_step, 0});
      by_address_.push_back(made.get());
    }
    made->name = each.name;
    made->is_entry = each.is_entry;
    made->is_defined = !each.is_declaration;
  }
  for (declared const& each : initialised_) {
    std::vector<std::byte> const bytes = initial_bytes(each, symbols_);
    if (!bytes.empty())
      std::memcpy(reinterpret_cast<void*>(symbols_.at(each.name).address), bytes.data(), bytes.size());
  }
  for (pasta::ptx::function const& each : from.functions) declare_parameters(each, *functions_.at(each.name));
  for (pasta::ptx::function const& each : from.functions) {
    if (each.is_declaration) continue;
    compile_function(from, each, {&symbols_, &functions_, &shared_end_}, *functions_.at(each.name));
  }
}

program::~program() {
  for (std::uint64_t const each : allocations_) memory_->free(each);
}

void program::declare_variables(std::string_view directive) {
  for (declared const& each : read_variables(directive)) {
    symbol made{space::global, 0, each.bytes};
    if (each.space == ".shared") {
      made.space = space::shared;
      if (each.bytes > 0) {
        shared_end_ = (shared_end_ + each.alignment - 1) / each.alignment * each.alignment;
        made.address = shared_end_;
        shared_end_ += static_cast<std::uint32_t>(each.bytes);
      } else {
        made.address = dynamic_shared;
      }
    } else if (each.space == ".global" || each.space == ".const") {
      if (each.is_external) throw unknown_code(fmt::format("the variable {} is not defined", each.name));
      if (each.space == ".const") made.space = space::constant;
      made.address = memory_->allocate(std::max<std::size_t>(each.bytes, 1));
      allocations_.push_back(made.address);
      if (!each.initialiser.empty()) initialised_.push_back(each);
    } else {
      throw unknown_code(fmt::format("{} cannot stand outside of a function", each.space));
    }
    symbols_[each.name] = made;
  }
}

code const* program::find_kernel(std::string_view name) const {
  auto const found = functions_.find(name);
  return found == functions_.end() || !found->second->is_entry || !found->second->is_defined ? nullptr
                                                                                             : found->second.get();
}

symbol const* program::find_variable(std::string_view name) const {
  auto const found = symbols_.find(name);
  if (found == symbols_.end()) return nullptr;
  bool const is_variable = found->second.space == space::global || found->second.space == space::constant;
  return is_variable ? &found->second : nullptr;
}

code const* program::function_at(std::uint64_t address) const {
  std::uint64_t const number = (address - function_window) / function_step;
  bool const is_one = is_in(function_window, address) && number < by_address_.size() && address % function_step == 0;
  return is_one ? by_address_[number] : nullptr;
}

}  // namespace ptx_emulation
