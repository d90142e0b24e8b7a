// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_NUMBERS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_NUMBERS_HPP

#include <charconv>
#include <string_view>

namespace pasta::ptx::detail {

/// 90 of `sm_90a`; 0 if it is something else.
inline unsigned architecture(std::string_view target) {
  unsigned number = 0;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

/// 602 of `6.2`.
inline unsigned version_number(std::string_view version) {
  unsigned major = 0, minor = 0;
  char const* const end = version.data() + version.size();
  auto const read = std::from_chars(version.data(), end, major);
  if (read.ptr != end) std::from_chars(read.ptr + 1, end, minor);
  return major * 100 + minor;
}

}  // namespace pasta::ptx::detail
#endif
