// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The runtime's functions by which libraries of kernels come and go (HIP 7 and newer), in front of the runtime's own.
#pragma GCC visibility push(default)
#include <hip/hip_runtime_api.h>
#pragma GCC visibility pop

#include "follow_launch.hpp"
#include "follow_module.hpp"
#include "newer_calls.hpp"
#include "next_call.hpp"

namespace {

using namespace pasta::hip_runtime;
constexpr auto from_library = module_record::origin::library;

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
#pragma GCC visibility push(default)
extern "C" {

hipError_t hipLibraryLoadData(newer::library* library, void const* image, hipJitOption* options, void** values,
                              unsigned count, void* library_options, void** library_values, unsigned library_count) {
  followed_call const own;
  hipError_t const result = PASTA_DETAIL_NEXT(hipLibraryLoadData, library, image, options, values, count,
                                              library_options, library_values, library_count);
  if (result == hipSuccess && image != nullptr && own.is_outermost())
    remember([&](module_list& all) { all.add_loaded(from_library, *library, image); });
  return result;
}
hipError_t hipLibraryLoadFromFile(newer::library* library, char const* path, hipJitOption* options, void** values,
                                  unsigned count, void* library_options, void** library_values,
                                  unsigned library_count) {
  followed_call const own;
  hipError_t const result = PASTA_DETAIL_NEXT(hipLibraryLoadFromFile, library, path, options, values, count,
                                              library_options, library_values, library_count);
  if (result == hipSuccess && path != nullptr && own.is_outermost()) add_file(from_library, *library, path);
  return result;
}
hipError_t hipLibraryUnload(newer::library library) {
  remember([&](module_list& all) { let_go(all.loaded_gone(from_library, library)); });
  return PASTA_DETAIL_NEXT(hipLibraryUnload, library);
}
hipError_t hipLibraryGetKernel(newer::library_kernel* kernel, newer::library library, char const* name) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipLibraryGetKernel, kernel, library, name);
  if (result == hipSuccess && name != nullptr)
    remember([&](module_list& all) { all.add_loaded_kernel(from_library, library, *kernel, name); });
  return result;
}
hipError_t hipLibraryEnumerateKernels(newer::library_kernel* kernels, unsigned count, newer::library library) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipLibraryEnumerateKernels, kernels, count, library);
  for (unsigned i = 0; result == hipSuccess && kernels != nullptr && i < count; ++i) {
    char const* name = nullptr;  // there may be fewer than were asked for
    if (kernels[i] == nullptr || PASTA_DETAIL_NEXT(hipKernelGetName, &name, kernels[i]) != hipSuccess) break;
    remember([&](module_list& all) { all.add_loaded_kernel(from_library, library, kernels[i], name); });
  }
  return result;
}
hipError_t hipKernelGetFunction(hipFunction_t* function, newer::library_kernel kernel) {
  hipError_t const result = PASTA_DETAIL_NEXT(hipKernelGetFunction, function, kernel);
  if (result == hipSuccess) remember([&](module_list& all) { all.add_other_handle(*function, kernel); });
  return result;
}
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)
