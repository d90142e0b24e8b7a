// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// How many registers a function has for what PASTA keeps in them.
#ifndef PASTA_INSTRUMENT_PTX_REGISTER_ROOM_HPP
#define PASTA_INSTRUMENT_PTX_REGISTER_ROOM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/module.hpp>
#include <string_view>

namespace pasta::ptx {

enum class register_room : std::uint8_t {
  enough,
  /// For 16 bytes of what tools keep: the program deals its registers out (`setmaxnreg`), or takes almost all itself.
  little
};

inline bool has_setmaxnreg(module const& from, function const& body) {
  auto const first = from.statements.begin();
  return std::any_of(first + static_cast<std::ptrdiff_t>(body.begin), first + static_cast<std::ptrdiff_t>(body.end),
                     [](statement const& each) {
                       return each.kind == statement_kind::instruction &&
                              each.text.find("setmaxnreg") != std::string_view::npos &&
                              read_instruction(each.text).name == "setmaxnreg";
                     });
}

}  // namespace pasta::ptx
#endif
