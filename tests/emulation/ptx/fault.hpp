// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What goes wrong with a module or a kernel. what() is one line, but for a deadlock, which has one for each group of
/// lanes that waits.
#ifndef PASTA_TESTS_EMULATION_PTX_FAULT_HPP
#define PASTA_TESTS_EMULATION_PTX_FAULT_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

namespace ptx_emulation {

/// The text is not PTX, or has something that the interpreter does not know.
struct unknown_code : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class fault_kind : std::uint8_t {
  illegal_address,     // outside of every allocation
  misaligned_address,  // not a multiple of the access's size
  trap,
  illegal_instruction,  // what PTX leaves undefined: a shuffle without its own lane in the mask
  deadlock,             // nothing that could run
  endless               // more instructions than the launch may have
};

struct kernel_fault : std::runtime_error {
  kernel_fault(fault_kind what_kind, std::string const& text) : std::runtime_error(text), kind(what_kind) {}
  fault_kind kind;
};

}  // namespace ptx_emulation
#endif
