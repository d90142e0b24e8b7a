// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_COLLECTING_IMAGE_HPP
#define PASTA_TOOLS_COLLECTING_IMAGE_HPP

#include <string>
#include <string_view>
#include <vector>

namespace pasta::collecting {

/// What the symbols of a module's machine code say.
struct image_names {
  std::vector<std::string> ids;        ///< of the pasta_state_<id> in it: one for each object that it was linked from
  std::vector<std::string> functions;  ///< all, where there are ids
};

/// Any thread; keeps nothing of the image. @param image an ELF file in memory; anything else has no names
image_names read_image(std::string_view image);

/// The bytes that a variable of the image begins with. Any thread; a part of the image.
/// @return empty if there is no such variable, or no bytes of it
std::string_view read_variable(std::string_view image, std::string_view name);

}  // namespace pasta::collecting
#endif
