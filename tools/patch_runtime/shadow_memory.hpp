// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TOOLS_PATCH_RUNTIME_SHADOW_MEMORY_HPP
#define PASTA_TOOLS_PATCH_RUNTIME_SHADOW_MEMORY_HPP

#include <pasta/session/shadow_keeper.hpp>

#include "sanitizer.hpp"

namespace pasta::patch {

/// A context's memory, for a shadow_keeper, by the vendor's functions: they wait for the stream. Nothing that it gave
/// is taken back before the end, since the vendor has no way to wait for all kernels.
class shadow_memory {
 public:
  /// @param stream where it stands that is to be used; changed by its owner
  shadow_memory(sanitizer const& with, CUcontext context, Sanitizer_StreamHandle const& stream)
      : with_(&with), context_(context), stream_(&stream) {}

  void* allocate(std::size_t bytes) const {
    void* memory = nullptr;
    if (with_->sanitizerAlloc_(context_, &memory, bytes) != SANITIZER_SUCCESS) return nullptr;
    if (clear(memory, bytes)) return memory;
    release(memory);
    return nullptr;
  }
  void release(void* memory) const { static_cast<void>(with_->sanitizerFree_(context_, memory)); }
  bool read(void* to, void const* from, std::size_t bytes) const {
    return with_->sanitizerMemcpyDeviceToHost_(to, const_cast<void*>(from), bytes, *stream_) == SANITIZER_SUCCESS;
  }
  bool write(void* to, void const* from, std::size_t bytes) const {
    return is_done(with_->sanitizerMemcpyHostToDeviceAsync_(to, const_cast<void*>(from), bytes, *stream_));
  }
  bool clear(void* memory, std::size_t bytes) const {
    return is_done(with_->sanitizerMemset_(memory, 0, bytes, *stream_));
  }
  static bool wait() { return false; }
  static void detach() {}

 private:
  bool is_done(SanitizerResult result) const {
    return result == SANITIZER_SUCCESS && with_->sanitizerStreamSynchronize_(*stream_) == SANITIZER_SUCCESS;
  }

  sanitizer const* with_;
  CUcontext context_;
  Sanitizer_StreamHandle const* stream_;
};

using shadow_keeper = pasta::detail::shadow_keeper<shadow_memory>;

}  // namespace pasta::patch
#endif
