// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PTX_RUNTIME_IMAGE_HPP
#define PASTA_TOOLS_PTX_RUNTIME_IMAGE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace pasta::ptx {

/// What the symbols of a module's machine code say.
struct image_names {
  std::vector<std::string> ids;        ///< of the pasta_state_<id> in it: one for each object that it was linked from
  std::vector<std::string> functions;  ///< all, where there are ids
};

/// Any thread; keeps nothing of the image. @param image an ELF file in memory; anything else has no names
image_names read_image(std::string_view image);

}  // namespace pasta::ptx
#endif
