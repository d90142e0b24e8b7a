// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_HIP_RUNTIME_COMPRESSED_BUNDLE_HPP
#define PASTA_TOOLS_HIP_RUNTIME_COMPRESSED_BUNDLE_HPP

#include <string>
#include <string_view>

namespace pasta::hip_runtime {

/// What a bundle begins with that clang compressed (--offload-compress).
inline constexpr std::string_view compressed_bundle_magic = "CCOB";

/// The bundle that was compressed: by zlib, or by zstd where PASTA was built with it. Any thread.
/// @param image begins with the magic; its end may lie far behind the bundle's, of which only what is its is read
/// @param why_not gets half a line where it cannot be read, and "" is returned
std::string uncompress_bundle(std::string_view image, std::string& why_not);

}  // namespace pasta::hip_runtime
#endif
