// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "variables.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <pasta/instrument/ptx/token.hpp>
#include <string>

#include "fault.hpp"
#include "spaces.hpp"

namespace ptx_emulation {

namespace {

using pasta::ptx::token;
using pasta::ptx::token_kind;
using pasta::ptx::token_reader;

[[noreturn]] void refuse(std::string_view text) {
  throw unknown_code(fmt::format("the declaration is not known: {}", text.substr(0, 200)));
}

std::uint32_t small_number(std::string_view text) {
  return static_cast<std::uint32_t>(read_number(text, {kind::unsigned_integer, 32}));
}

std::uint64_t generic_address(symbol const& of) {
  if (of.space == space::shared) return shared_window + of.address;
  if (of.space == space::local) return local_window + of.address;
  return of.address;
}

}  // namespace

std::uint64_t read_number(std::string_view text, scalar type) {
  bool const is_negative = text.starts_with('-');
  std::string_view digits = is_negative ? text.substr(1) : text;
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  auto const parse = [&](std::string_view of, int base) {
    std::uint64_t value = 0;
    auto const read = std::from_chars(of.data(), of.data() + of.size(), value, base);
    if (read.ec != std::errc() || read.ptr != of.data() + of.size() || of.empty())
      throw unknown_code(fmt::format("{} is no number", text));
    return value;
  };
  if (digits.size() > 2 && digits[0] == '0' && std::strchr("fFdD", digits[1]) != nullptr && type.is_floating()) {
    bool const is_double = digits[1] == 'd' || digits[1] == 'D';
    std::uint64_t const bits = parse(digits.substr(2), 16);
    double const value =
        is_double ? std::bit_cast<double>(bits) : double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))};
    if (is_double == (type.bits == 64) && !is_negative) return bits;
    double const signed_value = is_negative ? -value : value;
    return type.bits == 64 ? bits_of(signed_value) : bits_of(static_cast<float>(signed_value));
  }
  if (digits.size() > 2 && digits[0] == '0' && std::strchr("fFdD", digits[1]) != nullptr)
    return parse(digits.substr(2), 16);
  bool const is_decimal = digits.find_first_of("xX") == std::string_view::npos;
  if (is_decimal && digits.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (is_negative) value = -value;
    return type.bits == 32 ? bits_of(static_cast<float>(value)) : bits_of(value);
  }
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) digits.remove_suffix(1);
  std::uint64_t value = 0;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    value = parse(digits.substr(2), 16);
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    value = parse(digits.substr(2), 2);
  } else {
    value = parse(digits, digits.size() > 1 && digits.front() == '0' ? 8 : 10);
  }
  if (is_negative) value = 0 - value;
  if (type.is_floating()) {
    auto const number = static_cast<double>(static_cast<std::int64_t>(value));
    return type.bits == 32 ? bits_of(static_cast<float>(number)) : bits_of(number);
  }
  return type.bits >= 64 || type.bits == 0 ? value : value & ((std::uint64_t{1} << type.bits) - 1);
}

std::vector<declared> read_variables(std::string_view directive) {
  std::vector<declared> all;
  declared common;
  std::uint64_t vector = 1;
  token_reader reader(directive);
  token t = reader.next();
  for (; t.is_directive(); t = reader.next()) {
    if (t.is(".align")) {
      common.alignment = small_number(reader.next().text);
    } else if (t.is(".extern")) {
      common.is_external = true;
    } else if (t.is(".global") || t.is(".const") || t.is(".shared") || t.is(".local") || t.is(".param")) {
      common.space = t.text;
    } else if (t.is(".v2") || t.is(".v4")) {
      vector = static_cast<std::uint64_t>(t.text[2] - '0');
    } else if (scalar const type = read_scalar(t.text.substr(1))) {
      common.type = type;
    } else if (t.is(".attribute")) {
      while (!t.is(')')) t = reader.next();
    } else if (!t.is(".visible") && !t.is(".weak") && !t.is(".common")) {
      refuse(directive);
    }
  }
  if (!common.type || common.space.empty()) refuse(directive);
  for (;; t = reader.next()) {
    if (t.kind != token_kind::word) refuse(directive);
    declared one = common;
    one.name = t.text;
    std::uint64_t elements = vector;
    for (t = reader.next(); t.is('['); t = reader.next()) {
      token const bound = reader.next();
      elements *= bound.is(']') ? 0 : read_number(bound.text, {});
      if (!bound.is(']')) reader.next();
    }
    one.bytes = elements * one.type.bytes();
    std::uint32_t const natural = static_cast<std::uint32_t>(vector) * one.type.bytes();
    if (one.alignment < natural) one.alignment = natural;
    if (t.is('=')) {
      char const* const begin = reader.position();
      std::size_t depth = 0;
      for (t = reader.next(); depth > 0 || (!t.is(',') && !t.is(';')); t = reader.next()) {
        if (t.is('{') || t.is('(')) ++depth;
        if (t.is('}') || t.is(')')) --depth;
        if (t.kind == token_kind::end) refuse(directive);
      }
      one.initialiser = pasta::ptx::text_between(begin, t.begin());
    }
    all.push_back(one);
    if (t.is(';')) return all;
    if (!t.is(',')) refuse(directive);
  }
}

std::vector<std::byte> initial_bytes(declared const& variable, symbols const& known) {
  std::vector<std::byte> bytes(variable.bytes);
  std::size_t at = 0;
  token_reader reader(variable.initialiser);
  auto const put = [&](std::uint64_t value) {
    std::size_t const size = variable.type.bytes();
    if (size > sizeof value || at + size > bytes.size()) refuse(variable.initialiser);
    std::memcpy(&bytes[at], &value, size);
    at += size;
  };
  for (token t = reader.next(); t.kind != token_kind::end; t = reader.next()) {
    if (t.is('{') || t.is('}') || t.is(',')) continue;
    std::string number;
    if (t.is('-')) number = "-", t = reader.next();
    if (t.kind == token_kind::number) {
      number += t.text;
      put(read_number(number, variable.type));
      continue;
    }
    bool const is_generic = t.is("generic");
    if (is_generic) reader.next(), t = reader.next();
    auto const found = known.find(t.text);
    if (found == known.end()) refuse(variable.initialiser);
    std::uint64_t value = is_generic ? generic_address(found->second) : found->second.address;
    if (is_generic) reader.next();
    if (reader.peek().is('+')) reader.next(), value += read_number(reader.next().text, {});
    put(value);
  }
  return bytes;
}

}  // namespace ptx_emulation
