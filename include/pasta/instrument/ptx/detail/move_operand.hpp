// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_MOVE_OPERAND_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_MOVE_OPERAND_HPP

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <pasta/instrument/ptx/hook_operand.hpp>
#include <pasta/instrument/ptx/site_types.hpp>
#include <string>
#include <string_view>

namespace pasta::ptx::detail {

/// A parameter's value in a register of the hook. @param type of the register's own instruction: `u8` takes the lowest
/// byte @param bits of the register, which may be wider
inline std::string move_operand(hook_operand const& from, std::uint32_t bytes, std::string_view type,
                                std::string_view into, std::uint32_t bits) {
  std::uint32_t const wanted = bits_of(type);
  if (wanted == 8 * bytes && bits == wanted) return fmt::format("\tmov.b{} \t{}, {};\n", bits, into, from.text);
  if (from.is_number) {
    std::uint64_t value = 0;
    std::from_chars(from.text.data(), from.text.data() + from.text.size(), value);
    if (wanted < 64) value &= (std::uint64_t{1} << wanted) - 1;
    return fmt::format("\tmov.b{} \t{}, {};\n", bits, into, value);
  }
  if (bits == 16) return fmt::format("\tcvt.u{}.u{} \t{}, {};\n", wanted, 8 * bytes, into, from.text);
  std::string code;
  std::string_view source = from.text;
  if (bits != 8 * bytes) {
    code = fmt::format("\tcvt.u{}.u{} \t{}, {};\n", bits, 8 * bytes, into, source);
    source = into;
  }
  if (wanted < bits && wanted < 8 * bytes)
    code += fmt::format("\tbfe.u{} \t{}, {}, 0, {};\n", bits, into, source, wanted);
  return code;
}

}  // namespace pasta::ptx::detail
#endif
