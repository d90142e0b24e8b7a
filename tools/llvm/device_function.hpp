// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_LLVM_DEVICE_FUNCTION_HPP
#define PASTA_TOOLS_LLVM_DEVICE_FUNCTION_HPP

#include <llvm/IR/Function.h>

#include "device_state.hpp"

namespace pasta::plugin {

/// Puts a counter for each basic block that has something to count into a function of an AMD GPU; where the function
/// ends they are added to the module's, if someone collects.
/// @param counted bits of events, as in hook_table.hpp
void count_in_function(llvm::Function& function, std::uint32_t counted, device_state& state);

}  // namespace pasta::plugin
#endif
