// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_HOOK_NUMBERS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_HOOK_NUMBERS_HPP

#include <charconv>
#include <cstdint>
#include <pasta/instrument/ptx/declarations.hpp>
#include <pasta/instrument/ptx/site_types.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <vector>

namespace pasta::ptx::detail {

/// The numbers between the braces of a variable.
inline std::vector<std::uint64_t> numbers_of(variable const& what) {
  std::vector<std::uint64_t> all;
  token_reader reader(what.text);
  token t = reader.next();
  while (t.kind != token_kind::end && !t.is('{')) t = reader.next();
  for (; t.kind != token_kind::end; t = reader.next()) {
    if (t.kind != token_kind::number) continue;
    bool const is_hexadecimal = t.text.starts_with("0x");
    std::uint64_t value = 0;
    std::from_chars(t.begin() + (is_hexadecimal ? 2 : 0), t.end(), value, is_hexadecimal ? 16 : 10);
    all.push_back(value);
  }
  return all;
}

/// Of each [bytes], 1, 2 or 4; 0 if it is another type.
inline std::uint32_t element_bytes(variable const& what) {
  token_reader reader(what.text);
  for (token t = reader.next(); t.kind != token_kind::end && !t.is('{'); t = reader.next()) {
    if (!t.is_directive()) continue;
    if (std::uint32_t const bits = bits_of(t.text.substr(1)); bits == 8 || bits == 16 || bits == 32) return bits / 8;
  }
  return 0;
}

}  // namespace pasta::ptx::detail
#endif
