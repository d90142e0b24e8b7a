// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Matrix instructions of AMD GPUs.
#ifndef PASTA_TOOLS_LLVM_MATRIX_HPP
#define PASTA_TOOLS_LLVM_MATRIX_HPP

#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <optional>
#include <string>

namespace pasta::plugin {

/// What one instruction of a wave multiplies, as pasta::matrix_tile has it: D[m][n] = A[m][k] * B[k][n] + C[m][n].
struct matrix_product {
  std::uint32_t m = 0, n = 0, k = 0;  ///< of one product; k counts what a sparse factor leaves out
  std::uint32_t products = 1;         ///< that the instruction makes: the blocks of an MFMA
  std::string a, b, d;                ///< element types in PTX's words: f16, s8, tf32 (xf32), e4m3 (fp8), e5m2 (bf8)
  bool is_sparse = false;
};

/// The product that an intrinsic for MFMA, SMFMAC, WMMA or SWMMAC makes; none for all else, and for inline assembly.
std::optional<matrix_product> product_of(llvm::Instruction const& instruction);

}  // namespace pasta::plugin
#endif
