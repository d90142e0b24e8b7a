// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which functions of a module are kernels, what they call, and copies of both.
#ifndef PASTA_TOOLS_LLVM_KERNELS_HPP
#define PASTA_TOOLS_LLVM_KERNELS_HPP

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <string>

namespace pasta::plugin {

/// Functions by what their source says of them: __attribute__((annotate(…))).
struct annotated_functions {
  llvm::SmallVector<llvm::Function*, 8> kernels;     ///< "pasta.kernel"
  llvm::SmallPtrSet<llvm::Function*, 16> own_calls;  ///< "pasta.runtime": what kernels call of PASTA
  llvm::SmallPtrSet<llvm::Function*, 2> barriers;    ///< "pasta.barrier": of a block
  llvm::SmallPtrSet<llvm::Function*, 16> atomics;    ///< "pasta.atomic": on their first argument, with their second
};

annotated_functions find_annotated(llvm::Module& module);

/// Whether a function of a GPU's code is launched by the host.
bool is_kernel(llvm::Function const& function, annotated_functions const& annotated);

/// The kernels, and all that they call in this module, but for PASTA's own functions.
llvm::SmallVector<llvm::Function*, 16> find_reached(annotated_functions const& annotated);

/// Whether it is code of PASTA's for a kernel on a probe, whose accesses the probe tells.
bool is_of_probe(llvm::Function const& function);

/// Whether it is PASTA's: what it does is not the kernel's doing.
bool is_own(llvm::Function const& function, annotated_functions const& annotated);

/// [original]: its copy. Kernels first, then what they call in this module.
using function_copies = llvm::MapVector<llvm::Function*, llvm::Function*>;

/// Copies the kernels and all that they call, but for PASTA's own functions; calls between copies are of copies.
/// @param suffix behind the copies' names
function_copies copy_kernels(annotated_functions const& annotated, std::string const& suffix);

}  // namespace pasta::plugin
#endif
