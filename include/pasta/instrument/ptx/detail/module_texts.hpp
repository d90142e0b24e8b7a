// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What an instrumented module has of its own: its id, its state and its table.
#ifndef PASTA_INSTRUMENT_PTX_DETAIL_MODULE_TEXTS_HPP
#define PASTA_INSTRUMENT_PTX_DETAIL_MODULE_TEXTS_HPP

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <pasta/instrument/ptx/module.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/instrument/ptx/token.hpp>
#include <string>
#include <string_view>

namespace pasta::ptx::detail {

/// A hash of texts, FNV-1a of 128 bits, in 32 hexadecimal digits. A collision would have linkers mix two modules up.
class text_hash {
 public:
  void add(std::string_view text) {
    for (char const c : text) add(static_cast<unsigned char>(c));
    add(0x100);  // the end of a text is told from any of its bytes
  }
  std::string to_string() const {
    return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(value_ >> 64), static_cast<std::uint64_t>(value_));
  }

 private:
  __extension__ typedef unsigned __int128 word;
  void add(unsigned c) { value_ = (value_ ^ c) * ((word{1} << 88) + 0x13b); }
  word value_ = (word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
};

/// What a module begins with stands together: .version, .target, .address_size, and lines such as `# 1 "a.cu"`.
inline statement const& last_of_head(module const& from) {
  auto const behind = std::find_if(from.statements.begin(), from.statements.end(), [](statement const& each) {
    token const first = token_reader(each.text).next();
    return !first.is(".version") && !first.is(".target") && !first.is(".address_size") && !first.is('#');
  });
  return *(behind - 1);  // the first is .version, or a line
}

/// The table as words, and the state.
inline std::string declare_state(std::string_view id, std::string_view table) {
  std::string words;
  for (std::size_t i = 0; i < table.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i + k < table.size(); ++k) {
      word |= std::uint64_t{static_cast<unsigned char>(table[i + k])} << 8 * k;
    }
    fmt::format_to(std::back_inserter(words), "{}0x{:x}", i == 0 ? "" : i % 64 == 0 ? ",\n" : ",", word);
  }
  return fmt::format(
      "\n.weak .global .align 8 .u64 {0}{2}[{3}] = {{{4}}};\n"
      ".weak .global .align 16 .u64 {1}{2}[6] = {{0, 0, {5}, {0}{2}, 0, 0}};\n",
      sites_prefix, state_prefix, id, (table.size() + 7) / 8, words, table.size());
}

}  // namespace pasta::ptx::detail
#endif
