// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which memory spaces a run looks at: `--spaces`.
#ifndef PASTA_SESSION_SPACE_SET_HPP
#define PASTA_SESSION_SPACE_SET_HPP

#include <fmt/format.h>

#include <cstdint>
#include <pasta/instrument/site.hpp>
#include <pasta/report/visible.hpp>
#include <pasta/session/comma_list.hpp>
#include <pasta/session/usage_error.hpp>
#include <string>
#include <string_view>

namespace pasta {

struct space_set {
  std::uint32_t bits = 0;  ///< by the spaces' numbers; 0: all

  bool has(memory_space space) const { return bits == 0 || (bits >> static_cast<std::uint32_t>(space) & 1) != 0; }
  bool is_everything() const { return bits == 0; }
};

/// `global,shared`. @param flag whose value it is, for the message @throws usage_error
inline space_set parse_space_set(std::string_view flag, std::string_view text) {
  space_set read;
  for_each_word(text, [&](std::string_view word) {
    bool is_known = false;
    for (memory_space const space : {memory_space::global, memory_space::shared, memory_space::local}) {
      if (word != to_string(space)) continue;
      read.bits |= std::uint32_t{1} << static_cast<std::uint32_t>(space);
      is_known = true;
    }
    if (!is_known) {
      throw usage_error(
          fmt::format("{}: '{}' is no list of memory spaces: of global, shared and local, such as global,shared", flag,
                      visible(std::string(text))));
    }
  });
  return read;
}

}  // namespace pasta
#endif
