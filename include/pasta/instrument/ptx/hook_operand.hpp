// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_PTX_HOOK_OPERAND_HPP
#define PASTA_INSTRUMENT_PTX_HOOK_OPERAND_HPP

#include <string>

namespace pasta::ptx {

/// What is known of a parameter where a hook is spliced.
struct hook_operand {
  std::string text;  ///< a register of the parameter's size, or a decimal number
  bool is_number = false;
};

}  // namespace pasta::ptx
#endif
