// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include "driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace pasta::ptx {

// cuda.h gives functions that changed another name: cuMemAlloc is cuMemAlloc_v2.
#define PASTA_DETAIL_QUOTE(name) #name
#define PASTA_DETAIL_EXPORTED(name) PASTA_DETAIL_QUOTE(name)

std::string driver::load() {
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return "the driver (libcuda.so.1) is not loaded";
  std::string missing;
#define PASTA_DETAIL_FIND(name)                                                                 \
  name##_ = reinterpret_cast<decltype(&::name)>(::dlsym(library, PASTA_DETAIL_EXPORTED(name))); \
  if (name##_ == nullptr) missing = PASTA_DETAIL_EXPORTED(name);
  PASTA_DETAIL_DRIVER_FUNCTIONS(PASTA_DETAIL_FIND)
#undef PASTA_DETAIL_FIND
  get_function_name = reinterpret_cast<decltype(get_function_name)>(::dlsym(library, "cuFuncGetName"));
  return missing.empty() ? "" : fmt::format("the driver has no {}: it is older than CUDA 12.0", missing);
}

std::string driver::explain(CUresult error) const {
  char const* text = nullptr;
  if (cuGetErrorString_ != nullptr) cuGetErrorString_(error, &text);
  return fmt::format("{} (error {})", text == nullptr ? "unknown" : text, static_cast<int>(error));
}

}  // namespace pasta::ptx
