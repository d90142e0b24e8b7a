// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A site table's text as it is kept in a module: packed by zlib, to about a fifteenth.
#ifndef PASTA_TOOLS_PTXAS_PACKED_TABLE_HPP
#define PASTA_TOOLS_PTXAS_PACKED_TABLE_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pasta::ptx {

/// What was packed is damaged. what() is half a line.
struct packed_table_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// @throws std::bad_alloc
std::string pack_table(std::string_view text);

/// Text that is not packed (its first byte is a brace) comes back as it is.
/// @param most bytes of the text [bytes]: what claims more is refused
/// @throws packed_table_error; std::bad_alloc
std::string unpack_table(std::string_view bytes, std::uint64_t most);

}  // namespace pasta::ptx
#endif
