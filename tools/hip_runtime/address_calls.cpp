// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions that give addresses of its functions (HIP 6 and newer), in front of the runtime's own: of
// those that this library has, a program gets this library's, else its calls would pass by.
#include <dlfcn.h>

#include <string>

#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include "next_call.hpp"

namespace {

/// A function that this library exports; null: it has none of that name.
void* find_own(std::string const& name) {
  Dl_info own{}, found{};
  static int const here = 0;
  if (::dladdr(&here, &own) == 0 || own.dli_fname == nullptr) return nullptr;
  void* const library = ::dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const function = ::dlsym(library, name.c_str());  // of the libraries that it needs, too
  ::dlclose(library);                                     // it stays
  bool const is_own = function != nullptr && ::dladdr(function, &found) != 0 && found.dli_fbase == own.dli_fbase;
  return is_own ? function : nullptr;
}

enum class streams { common, of_threads };  // which the default stream is

/// What the program gets in place of what the runtime gave it.
void put_own(hipError_t result, char const* name, void** function, streams which) {
  if (result != hipSuccess || name == nullptr || function == nullptr || *function == nullptr) return;
  void* own = which == streams::of_threads ? find_own(std::string(name) + "_spt") : nullptr;
  if (own == nullptr) own = find_own(name);
  if (own != nullptr) *function = own;
}

constexpr std::uint64_t default_stream_of_thread = 2;  // a flag
streams streams_of(std::uint64_t flags) {
  return (flags & default_stream_of_thread) != 0 ? streams::of_threads : streams::common;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

/// @param status an enumeration that older headers do not have
hipError_t hipGetProcAddress(char const* name, void** function, int version, std::uint64_t flags, void* status) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipGetProcAddress, name, function, version, flags, status);
  put_own(result, name, function, streams_of(flags));
  return result;
}
hipError_t hipGetDriverEntryPoint(char const* name, void** function, unsigned long long flags, void* status) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipGetDriverEntryPoint, name, function, flags, status);
  put_own(result, name, function, streams_of(flags));
  return result;
}
hipError_t hipGetDriverEntryPoint_spt(char const* name, void** function, unsigned long long flags, void* status) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipGetDriverEntryPoint_spt, name, function, flags, status);
  put_own(result, name, function, streams::of_threads);
  return result;
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
