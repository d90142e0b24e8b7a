// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_OFFLOAD_BUNDLE_HPP
#define PASTA_TOOLS_HIP_RUNTIME_OFFLOAD_BUNDLE_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pasta::hip_runtime {

/// Machine code for one kind of GPU.
struct code_object {
  std::string target;      ///< "gfx90a", "gfx90a:sramecc+:xnack-"; "" for code that does not say
  std::string_view image;  ///< an ELF file in memory: the program's, or `uncompressed`
  std::shared_ptr<std::string const> uncompressed;  ///< the bundle that it lies in; null: the program's own
};

inline constexpr std::size_t unlimited = std::size_t{1} << 62;

/// The code that hipcc put into a program, or that a program loads: clang's bundle of one file for each kind of GPU, or
/// one ELF file. A bundle may be compressed.
/// @param image not null; as __hipRegisterFatBinary and hipModuleLoadData get it
/// @param bytes that may be read; unlimited where the image only says itself how long it is
/// @param why_not gets half a line where nothing can be read
std::vector<code_object> read_code_objects(void const* image, std::string& why_not, std::size_t bytes = unlimited);

/// Whether code for `target` runs on a GPU that calls itself `device`: of the same processor, and each feature that the
/// code names is the GPU's. "" is any.
bool can_run(std::string_view target, std::string_view device);

}  // namespace pasta::hip_runtime
#endif
