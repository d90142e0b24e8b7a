// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the plugin says, as the compiler's own diagnostics: `warning: pasta: file.cpp: …`.
#ifndef PASTA_TOOLS_LLVM_MESSAGE_HPP
#define PASTA_TOOLS_LLVM_MESSAGE_HPP

#include <llvm/ADT/Twine.h>
#include <llvm/IR/Module.h>

namespace pasta::plugin {

/// One line; the build goes on.
void warn(llvm::Module const& module, llvm::Twine const& sentence);

/// One line, then the compiler ends with exit code 1.
void fail(llvm::Module const& module, llvm::Twine const& sentence);

}  // namespace pasta::plugin
#endif
