// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Where CUPTI may be: for the collector and for `pasta doctor`.
#ifndef PASTA_TOOLS_PTX_RUNTIME_FIND_CUPTI_HPP
#define PASTA_TOOLS_PTX_RUNTIME_FIND_CUPTI_HPP

#include <string>
#include <vector>

namespace pasta::ptx {

/// What dlopen is given, in order: the file that PASTA_CUPTI names and nothing else, or what CUDA_HOME, CUDA_PATH, the
/// loader's own folders and the usual toolkits may have.
std::vector<std::string> cupti_candidates();

/// What was opened, or why nothing was.
struct opened_cupti {
  void* library = nullptr;
  std::string path;
  std::string problem;  ///< half a line
};
opened_cupti open_cupti();

}  // namespace pasta::ptx
#endif
