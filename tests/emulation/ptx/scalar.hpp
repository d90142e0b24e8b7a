// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Types of PTX.
#ifndef PASTA_TESTS_EMULATION_PTX_SCALAR_HPP
#define PASTA_TESTS_EMULATION_PTX_SCALAR_HPP

#include <cstdint>
#include <string_view>

namespace ptx_emulation {

enum class kind : std::uint8_t { none, untyped, unsigned_integer, signed_integer, floating, predicate };

struct scalar {
  ptx_emulation::kind kind = ptx_emulation::kind::none;
  std::uint32_t bits = 0;  // 1 for a predicate

  bool is_signed() const { return kind == ptx_emulation::kind::signed_integer; }
  bool is_floating() const { return kind == ptx_emulation::kind::floating; }
  bool is_predicate() const { return kind == ptx_emulation::kind::predicate; }
  bool is_integer() const { return kind != ptx_emulation::kind::none && !is_floating() && !is_predicate(); }
  std::uint32_t bytes() const { return bits / 8; }
  explicit operator bool() const { return kind != ptx_emulation::kind::none; }
};

/// `u32`, `b64`, `f32`, `pred`, without a dot; of another word nothing.
inline scalar read_scalar(std::string_view word) {
  if (word == "pred") return {kind::predicate, 1};
  if (word.size() < 2) return {};
  kind of = kind::none;
  switch (word.front()) {
    case 'b':
      of = kind::untyped;
      break;
    case 'u':
      of = kind::unsigned_integer;
      break;
    case 's':
      of = kind::signed_integer;
      break;
    case 'f':
      of = kind::floating;
      break;
    default:
      return {};
  }
  std::string_view const size = word.substr(1);
  for (std::uint32_t const bits : {8U, 16U, 32U, 64U, 128U}) {
    bool const is_so = size == (bits == 8 ? "8" : bits == 16 ? "16" : bits == 32 ? "32" : bits == 64 ? "64" : "128");
    if (is_so && (bits < 128 || of == kind::untyped)) return {of, bits};
  }
  return {};
}

}  // namespace ptx_emulation
#endif
