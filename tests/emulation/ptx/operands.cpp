// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Operands of a function's instructions, and what its scopes declare.
#include <fmt/format.h>

#include <charconv>
#include <pasta/instrument/ptx/control.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/token.hpp>

#include "compiler.hpp"
#include "fault.hpp"
#include "spaces.hpp"
#include "special_registers.hpp"

namespace ptx_emulation {

namespace {

using pasta::ptx::token;
using pasta::ptx::token_kind;
using pasta::ptx::token_reader;

[[noreturn]] void refuse_operand(std::string_view operand) {
  throw unknown_code(fmt::format("the operand {} is not known", operand));
}

}  // namespace

function_compiler::function_compiler(module_names const& names, code& into) : names_(names), into_(&into) {}

void function_compiler::begin_scope() {
  outer_.push_back(scopes_.back());
  scopes_.push_back(static_cast<std::uint32_t>(outer_.size() - 1));
  declared_.emplace_back();
}
void function_compiler::end_scope() {
  scopes_.pop_back();
  declared_.pop_back();
}

void function_compiler::declare_head(pasta::ptx::function const& head) {
  auto const add = [&](pasta::ptx::parameter const& each, call_argument const& where) {
    named made;
    made.bytes = where.bytes;
    made.type = read_scalar(each.type.substr(each.type.empty() ? 0 : 1));
    made.what = where.is_parameter ? named::sort::parameter : named::sort::registers;
    made.first = where.is_parameter ? where.offset : where.value.index;
    made.is_head = true;
    declared_.back()[each.name] = made;
  };
  for (std::size_t i = 0; i < head.parameters.size(); ++i) add(head.parameters[i], into_->parameters[i]);
  for (std::size_t i = 0; i < head.results.size(); ++i) add(head.results[i], into_->results[i]);
}

void function_compiler::declare(std::string_view directive) {
  token_reader reader(directive);
  token const first = reader.next();
  if (first.is(".reg")) return declare_registers(directive);
  if (first.is(".loc") || first.is(".pragma") || first.is(".file") || first.is(".callprototype")) return;
  if (first.is(".shared") || first.is(".local") || first.is(".param")) {
    for (declared const& each : read_variables(directive)) declare_memory(each);
    return;
  }
  throw unknown_code("the directive is not known");
}

void function_compiler::declare_memory(declared const& each) {
  auto const place_at = [&](std::uint32_t& end) {
    end = (end + each.alignment - 1) / each.alignment * each.alignment;
    std::uint32_t const at = end;
    end += static_cast<std::uint32_t>(each.bytes);
    return at;
  };
  named made;
  made.type = each.type;
  made.bytes = static_cast<std::uint32_t>(each.bytes);
  if (each.space == ".shared") {
    made.what = named::sort::shared;
    made.first = place_at(*names_.shared_end);
  } else if (each.space == ".param") {
    made.what = named::sort::parameter;
    made.first = place_at(into_->parameter_bytes);
  } else {
    made.what = named::sort::local;
    std::uint32_t const offset = place_at(into_->local_bytes);
    made.first = into_->rows++ * warp_lanes;
    into_->locals.push_back({made.first, offset});
  }
  declared_.back()[each.name] = made;
}

void function_compiler::declare_registers(std::string_view directive) {
  token_reader reader(directive);
  reader.next();
  token t = reader.next();
  scalar const type = t.is_directive() ? read_scalar(t.text.substr(1)) : scalar();
  if (!type) throw unknown_code("the type is not known");
  std::uint32_t const width = type.bits == 128 ? 2 : 1;
  for (t = reader.next();; t = reader.next()) {
    if (t.kind != token_kind::word) throw unknown_code("a register's name is missing");
    std::string_view const name = t.text;
    named made;
    made.type = type;
    made.first = into_->rows * warp_lanes;
    t = reader.next();
    if (t.is('<')) {
      made.count = static_cast<std::uint32_t>(read_number(reader.next().text, {}));
      reader.next();
      t = reader.next();
    }
    into_->rows += width * (made.count == 0 ? 1 : made.count);
    declared_.back()[name] = made;
    if (t.is(';')) return;
    if (!t.is(',')) throw unknown_code("the registers are not known");
  }
}

// The innermost declaration of a name; of `%r7` where %r<9> is declared also its number.
function_compiler::named const* function_compiler::find(std::string_view name, std::uint32_t& number) const {
  number = 0;
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  for (auto scope = declared_.rbegin(); scope != declared_.rend(); ++scope) {
    auto found = scope->find(name);
    if (found != scope->end() && found->second.count == 0) return &found->second;
    // %r12 may be of %r<20> and of %r1<9>.
    for (std::size_t split = digits; split < name.size(); ++split) {
      if (name[split] == '0' && split + 1 < name.size()) continue;
      found = scope->find(name.substr(0, split));
      if (found == scope->end() || found->second.count == 0) continue;
      std::from_chars(name.data() + split, name.data() + name.size(), number);
      if (number < found->second.count) return &found->second;
    }
  }
  return nullptr;
}

std::uint32_t function_compiler::register_bits(std::string_view name) const {
  std::uint32_t number = 0;
  named const* const found = find(name, number);
  return found == nullptr || found->what != named::sort::registers ? 0 : found->type.bits;
}

place function_compiler::constant(std::uint64_t value) {
  auto const [entry, is_new] = constants_.emplace(value, static_cast<std::uint32_t>(into_->constants.size()));
  if (is_new) into_->constants.insert(into_->constants.end(), warp_lanes, value);
  return {storage::constants, entry->second};
}

place function_compiler::destination(std::string_view operand) {
  if (operand == "_") return {storage::frame, sink_row * warp_lanes};
  std::uint32_t number = 0;
  named const* const found = find(operand, number);
  if (found == nullptr || found->what != named::sort::registers) refuse_operand(operand);
  return {storage::frame, found->first + number * warp_lanes * (found->type.bits == 128 ? 2 : 1)};
}

place function_compiler::source(std::string_view operand, scalar type) {
  if (operand.empty()) refuse_operand(operand);
  std::uint32_t number = 0;
  if (named const* const found = find(operand, number)) {
    switch (found->what) {
      case named::sort::registers:
        return destination(operand);
      case named::sort::local:
        return {storage::frame, found->first};
      default:
        return constant(found->first);
    }
  }
  if (operand.front() == '-' || (operand.front() >= '0' && operand.front() <= '9'))
    return constant(read_number(operand, type));
  if (operand == "WARP_SZ") return constant(warp_lanes);
  if (std::uint32_t const special = special_row(operand); special != warp_row_count)
    return {storage::warp, special * warp_lanes};
  // `symbol` or `symbol+8`
  std::size_t const plus = operand.find('+');
  std::string_view const name = pasta::ptx::trim(operand.substr(0, plus));
  std::uint64_t const offset =
      plus == std::string_view::npos ? 0 : read_number(pasta::ptx::trim(operand.substr(plus + 1)), {});
  if (named const* const found = find(name, number); found != nullptr && found->what == named::sort::shared)
    return constant(found->first + offset);
  auto const found = names_.variables->find(name);
  if (found == names_.variables->end()) refuse_operand(operand);
  if (found->second.space == space::shared && found->second.address == dynamic_shared) {
    if (offset != 0) refuse_operand(operand);
    return {storage::warp, dynamic_begin_row * warp_lanes};
  }
  return constant(found->second.address + offset);
}

place function_compiler::predicate(std::string_view operand, bool& is_inverted) {
  is_inverted = operand.starts_with('!');
  return source(is_inverted ? pasta::ptx::trim(operand.substr(1)) : operand, {kind::predicate, 1});
}

place function_compiler::address(std::string_view operand, std::int64_t& offset, space& where) {
  pasta::ptx::address const read = pasta::ptx::read_address(operand);
  if (read.base.empty() || !read.rest.empty()) refuse_operand(operand);
  offset = read.offset.empty() ? 0 : static_cast<std::int64_t>(read_number(read.offset, {}));
  std::uint32_t number = 0;
  if (where == space::parameter) {
    named const* const found = find(read.base, number);
    bool const is_of_kernel =
        into_->is_entry && (found == nullptr || found->what != named::sort::parameter || found->is_head);
    if (is_of_kernel) where = space::kernel_parameter;
  }
  return source(read.base, {kind::unsigned_integer, 64});
}

call_argument function_compiler::argument(std::string_view operand, std::uint32_t bytes) {
  call_argument made;
  made.bytes = bytes;
  std::uint32_t number = 0;
  named const* const found = find(operand, number);
  made.is_parameter = found != nullptr && found->what == named::sort::parameter;
  if (made.is_parameter) {
    made.offset = found->first;
    if (bytes == 0) made.bytes = found->bytes;
  } else if (operand == "_") {
    made.value = {storage::frame, sink_row * warp_lanes};
  } else {
    made.value = source(operand, {kind::untyped, bytes * 8});
  }
  return made;
}

call_plan function_compiler::plan_call(spelled const& text, place& callee) {
  std::size_t const at = pasta::ptx::callee_operand(text.what);
  auto const list = [&](std::string_view operand) {
    std::string_view const inside = operand.substr(1, operand.size() - 2);
    std::vector<std::string_view> all;
    pasta::ptx::detail::read_list(token_reader(inside), all);
    return all;
  };
  call_plan made;
  std::vector<std::string_view> results, arguments;
  if (at == 1) results = list(text.operand(0));
  if (text.what.operands.size() > at + 1 && text.operand(at + 1).starts_with('('))
    arguments = list(text.operand(at + 1));
  if (!pasta::ptx::is_indirect_call(text.what)) {
    auto const found = names_.functions->find(text.operand(at));
    if (found == names_.functions->end() || !found->second->is_defined)
      text.refuse(fmt::format("the function {} is not defined", text.operand(at)));
    made.callee = found->second.get();
    if (made.callee->parameters.size() != arguments.size() || made.callee->results.size() != results.size())
      text.refuse("the function has another number of parameters or results");
  } else {
    callee = source(text.operand(at), {kind::unsigned_integer, 64});
  }
  for (std::size_t i = 0; i < arguments.size(); ++i)
    made.arguments.push_back(argument(arguments[i], made.callee ? made.callee->parameters[i].bytes : 0));
  for (std::size_t i = 0; i < results.size(); ++i)
    made.results.push_back(argument(results[i], made.callee ? made.callee->results[i].bytes : 0));
  return made;
}

void function_compiler::name_list(std::string_view name, std::string_view directive) {
  std::vector<std::string_view> all;
  token_reader reader(directive);
  reader.next();
  pasta::ptx::detail::read_list(reader, all);
  lists_[name] = std::move(all);
}
std::vector<std::string_view> const& function_compiler::label_list(std::string_view name) const {
  auto const found = lists_.find(name);
  if (found == lists_.end()) refuse_operand(name);
  return found->second;
}

}  // namespace ptx_emulation
