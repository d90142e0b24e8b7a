// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The functions of NVIDIA's Compute Sanitizer API, found when the program runs.
#ifndef PASTA_TOOLS_PATCH_RUNTIME_SANITIZER_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_SANITIZER_HPP

// Not sanitizer.h: it defines types of old versions of cuda.h that other headers of NVIDIA define too.
#include <sanitizer_callbacks.h>
#include <sanitizer_memory.h>
#include <sanitizer_patching.h>
#include <sanitizer_result.h>
#include <sanitizer_stream.h>

#include <string>

namespace pasta::patch {

#define PASTA_DETAIL_SANITIZER_FUNCTIONS(X) \
  X(sanitizerAddPatchesFromFile)            \
  X(sanitizerAlloc)                         \
  X(sanitizerEnableCallback)                \
  X(sanitizerFree)                          \
  X(sanitizerGetFunctionPcAndSize)          \
  X(sanitizerGetResultString)               \
  X(sanitizerGetStreamHandle)               \
  X(sanitizerMemcpyDeviceToHost)            \
  X(sanitizerMemcpyHostToDeviceAsync)       \
  X(sanitizerMemset)                        \
  X(sanitizerPatchInstructions)             \
  X(sanitizerPatchModule)                   \
  X(sanitizerSetLaunchCallbackData)         \
  X(sanitizerStreamSynchronize)             \
  X(sanitizerSubscribe)

struct sanitizer {
#define PASTA_DETAIL_DECLARE(name) decltype(&::name) name##_ = nullptr;
  PASTA_DETAIL_SANITIZER_FUNCTIONS(PASTA_DETAIL_DECLARE)
#undef PASTA_DETAIL_DECLARE

  /// Opens the library and finds its functions. @return "" or half a line: what is missing
  std::string load();
  /// Has the callback told of what the collector follows. @return "" or half a line: who has it, what is refused
  std::string subscribe(Sanitizer_CallbackFunc callback, void* user_data) const;
  /// "the device is not valid (error 2)"
  std::string explain(SanitizerResult error) const;
};

}  // namespace pasta::patch
#endif
