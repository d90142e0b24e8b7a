// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_NUMBER_OF_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_NUMBER_OF_HPP

#include <cstdint>
#include <optional>
#include <pasta/instrument/ptx/detail/parse_declaration.hpp>
#include <string_view>

namespace pasta::ptx::detail {

/// A number as PTX spells it; none of other text.
inline std::optional<std::int64_t> number_of(std::string_view text) {
  bool const is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.find_first_not_of("0123456789abcdefABCDEFxXU") != std::string_view::npos) return std::nullopt;
  auto const value = static_cast<std::int64_t>(integer_of(text));
  if (value == 0 && text.find_first_not_of("0xXU") != std::string_view::npos) return std::nullopt;
  return is_negative ? -value : value;
}

}  // namespace pasta::ptx::detail
#endif
