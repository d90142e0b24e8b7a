// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Part of ptx/declarations.hpp.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_DECLARATIONS_INL
#define PASTA_INSTRUMENT_PTX_DETAIL_DECLARATIONS_INL

#include <algorithm>
#include <pasta/instrument/ptx/declarations.hpp>
#include <pasta/instrument/ptx/token.hpp>

namespace pasta::ptx {

inline bool function::has(std::string_view directive) const {
  return std::any_of(tuning.begin(), tuning.end(),
                     [&](std::string_view text) { return token_reader(text).next().text == directive; });
}

}  // namespace pasta::ptx
#endif
