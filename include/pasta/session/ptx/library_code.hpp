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

/// CUB, Thrust, libcu++, rocPRIM, hipCUB, what HIP and clang have headers of their own for, and the headers of a CUDA
/// toolkit: all of its own folder `include`, and of a distribution's by their names.
inline bool is_library_code(std::string_view file) {
  // Folders of the libraries, as their sources and their installations have them.
  constexpr std::array<std::string_view, 11> folders{
      "/cccl/",         "/include/cub/",        "/include/thrust/",  "/cuda/std/",       "/libcudacxx/",
      "/include/cuda/", "/cooperative_groups/", "/include/rocprim/", "/include/hipcub/", "/include/hip/amd_detail/",
      "/lib/clang/"};
  auto const is_in = [&](std::string_view folder) { return file.find(folder) != std::string_view::npos; };
  if (std::any_of(folders.begin(), folders.end(), is_in)) return true;
  std::size_t const include = file.find("/include/");
  if (include == std::string_view::npos) return false;
  std::string_view const before = file.substr(0, include), name = file.substr(include + 9);
  // /usr/local/cuda-13.0, /opt/cuda, …/targets/x86_64-linux, …/nvidia/cuda_runtime (a package of Python's)
  std::size_t const slash = before.rfind('/');
  std::string_view const last = slash == std::string_view::npos ? before : before.substr(slash + 1);
  std::string_view const parent = slash == std::string_view::npos ? "" : before.substr(0, slash);
  bool const is_versioned =
      last.starts_with("cuda-") && last.find_first_not_of("0123456789.", 5) == std::string_view::npos;
  if (last == "cuda" || is_versioned || parent.ends_with("/targets") || parent.ends_with("/nvidia")) return true;
  constexpr std::array<std::string_view, 4> beginnings{"cuda_", "cooperative_groups", "curand_", "crt/"};
  return before == "/usr" && std::any_of(beginnings.begin(), beginnings.end(),
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
