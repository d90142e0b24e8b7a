// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What an instruction does that tools can watch, and where it stands in the source.
#ifndef PASTA_TOOLS_LLVM_SITES_HPP
#define PASTA_TOOLS_LLVM_SITES_HPP

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pasta::plugin {

// As pasta::operation and pasta::memory_space.
enum class operation : std::uint32_t { load = 0, store = 1, atomic = 2, branch = 5, call = 7 };
enum class memory_space : std::uint32_t { global = 0, shared = 1, local = 2, generic = 3, constant = 4, unknown = 255 };

/// One access of an instruction. A copy is a load and a store.
struct access {
  operation what = operation::load;
  llvm::Value* address = nullptr;
  llvm::Value* size_bytes = nullptr;  ///< of 64 bits; often a constant
};

/// The accesses of an instruction, in the order in which they happen; none for most.
llvm::SmallVector<access, 2> accesses_of(llvm::Instruction& instruction);

/// A place in the source. Without debug information: the function's name as file, and line 0.
struct source_place {
  std::string file;
  std::uint32_t line = 0, column = 0;
};

/// The innermost place that is not in a library's header, unless all of them are.
source_place place_of(llvm::Instruction const& instruction);

/// Where a kernel of the host engine finds what it accesses, as far as the code tells.
/// @param is_kernel whether it is the kernel itself, whose parameters the host made
memory_space host_space_of(llvm::Value const* address, bool is_kernel);

/// The space of an address of an AMD GPU. @return unknown for what the launch is described by, which no kernel accesses
memory_space amd_space_of(llvm::Value const* address);

/// The space of an address of the CPU's stand-in for a GPU (tests/emulation/hip). @return generic: the address tells
memory_space emulated_space_of(llvm::Value const* address, bool is_kernel);

/// Whether a module is for an AMD GPU.
bool is_amd(llvm::Module const& module);

/// A place and those that it was inlined at, innermost first.
struct inlined_place {
  source_place at;
  std::string function;  ///< that was inlined, as its symbol; empty for the last
};
std::vector<inlined_place> places_of(llvm::Instruction const& instruction);

}  // namespace pasta::plugin
#endif
