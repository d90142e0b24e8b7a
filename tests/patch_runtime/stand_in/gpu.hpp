// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// A stand-in for a GPU whose driver is one library and whose Compute Sanitizer is another: kernels are PTX and run on
/// the interpreter, patches are called from it. What was launched has run when the call returns.
#ifndef PASTA_TESTS_PATCH_RUNTIME_STAND_IN_GPU_HPP
#define PASTA_TESTS_PATCH_RUNTIME_STAND_IN_GPU_HPP

#include <sanitizer_callbacks.h>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <pasta/instrument/ptx/module.hpp>
#include <set>
#include <string>
#include <utility>

#include "memory.hpp"

namespace fake {

struct module;
struct function {
  fake::module* of = nullptr;
  std::string name;
  std::uint64_t begin = 0, size = 0;  // of its "machine code": 16 bytes for each line of its PTX
  std::uint32_t first_line = 0;
};
struct module {
  std::string text, image;  // PTX; an ELF file with its lines, or nothing
  pasta::ptx::module parsed;
  std::deque<fake::function> functions;   // as parsed.functions
  std::uint32_t wanted = 0, patched = 0;  // patches, by patch_bit()
  bool is_loaded = true;
};
struct launch {
  std::uint64_t user_data = 0;
};

struct gpu {
  std::recursive_mutex mutex;
  ptx_emulation::device_memory memory;
  std::deque<fake::module> modules;
  bool has_context = false;
  CUresult error = CUDA_SUCCESS;  // a kernel went wrong
  std::uint64_t launches = 0;
  bool is_launching = false;  // as the driver is, with its locks, when it tells that a launch begins
  std::string patches;        // PTX
  Sanitizer_CallbackFunc listener = nullptr;
  void* listener_data = nullptr;
  std::set<std::pair<int, std::uint32_t>> enabled;

  void tell(Sanitizer_CallbackDomain domain, std::uint32_t id, void const* data) {
    if (listener != nullptr && enabled.count({domain, id}) != 0) listener(listener_data, domain, id, data);
  }
};
/// The one; in the driver's library.
__attribute__((visibility("default"))) gpu& all();

inline CUcontext context() { return reinterpret_cast<CUcontext>(&all()); }

}  // namespace fake
#endif
