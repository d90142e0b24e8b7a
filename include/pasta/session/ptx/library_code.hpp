// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Which places of a source are in libraries that its author did not write, and where those were called.
#ifndef PASTA_SESSION_PTX_LIBRARY_CODE_HPP
#define PASTA_SESSION_PTX_LIBRARY_CODE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <pasta/session/ptx/read_site_table.hpp>
#include <span>
#include <string_view>

namespace pasta::ptx {

/// CUB, Thrust, libcu++ and the headers of the CUDA toolkit, wherever they are installed.
inline bool is_library_code(std::string_view file) {
  // Folders of the libraries, as their sources and their installations have them.
  constexpr std::array<std::string_view, 6> folders{"/cccl/",     "/cub/",        "/thrust/",
                                                    "/cuda/std/", "/libcudacxx/", "/cooperative_groups/"};
  auto const is_in = [&](std::string_view folder) { return file.find(folder) != std::string_view::npos; };
  if (std::any_of(folders.begin(), folders.end(), is_in)) return true;
  // The toolkit's own: .../cuda-13.0/include/sm_32_intrinsics.hpp, .../targets/x86_64-linux/include/cuda_fp16.hpp
  std::size_t const include = file.rfind("/include/");
  if (include == std::string_view::npos) return false;
  std::string_view const before = file.substr(0, include), name = file.substr(include + 9);
  bool const is_toolkit =
      before.find("/cuda") != std::string_view::npos || before.find("/targets/") != std::string_view::npos;
  constexpr std::array<std::string_view, 7> beginnings{"crt/", "cuda_",   "sm_",     "device_",
                                                       "mma.", "vector_", "texture_"};
  return is_toolkit && std::any_of(beginnings.begin(), beginnings.end(),
                                   [&](std::string_view begin) { return name.starts_with(begin); });
}

/// The place itself if it is the author's, else the innermost of those it was inlined at that is; the place itself if
/// there is none: a library's own kernel.
inline std::size_t place_outside_libraries(std::span<read_table::place const> places, std::size_t place) {
  for (std::size_t at = place;; at = *places[at].caller) {
    if (!is_library_code(places[at].file)) return at;
    if (!places[at].caller) return place;
  }
}

}  // namespace pasta::ptx
#endif
