// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Memory that a module or function declares.
#ifndef PASTA_TESTS_EMULATION_PTX_VARIABLES_HPP
#define PASTA_TESTS_EMULATION_PTX_VARIABLES_HPP

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "code.hpp"

namespace ptx_emulation {

/// What a name stands for.
struct symbol {
  ptx_emulation::space space = ptx_emulation::space::global;
  std::uint64_t address = 0;  // in its space
  std::uint64_t bytes = 0;
};
using symbols = std::map<std::string_view, symbol>;

/// One name of `.global .align 8 .u64 a[2] = {1, generic(b)}, c;`
struct declared {
  std::string_view name, space;  // the space with its dot: `.global`
  scalar type;
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;  // 0: `[]`
  bool is_external = false;
  std::string_view initialiser;  // behind the equals sign
};
/// @throws unknown_code
std::vector<declared> read_variables(std::string_view directive);

/// The bytes of an initialiser. @throws unknown_code
std::vector<std::byte> initial_bytes(declared const& variable, symbols const& known);

/// A number as PTX spells it, with its sign: `-7`, `0x1FU`, `0b101`; `0f3F800000`, `0d…`, `1.5` as bits of the type.
/// @throws unknown_code
std::uint64_t read_number(std::string_view text, scalar type);

}  // namespace ptx_emulation
#endif
