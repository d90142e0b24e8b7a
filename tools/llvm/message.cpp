// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

namespace pasta::plugin {

namespace {

void say(llvm::Module const& module, llvm::StringRef kind, llvm::Twine const& sentence) {
  llvm::errs() << "pasta: " << kind << llvm::sys::path::filename(module.getSourceFileName()) << ": " << sentence
               << '\n';
}

}  // namespace

void warn(llvm::Module const& module, llvm::Twine const& sentence) { say(module, "warning: ", sentence); }

void fail(llvm::Module const& module, llvm::Twine const& sentence) {
  say(module, "error: ", sentence);
  module.getContext().emitError("not instrumented");
}

}  // namespace pasta::plugin
