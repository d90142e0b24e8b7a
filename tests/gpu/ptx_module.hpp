// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// PTX that the driver assembles, as it is or with counters, and what the counters say.
#ifndef PASTA_TESTS_GPU_PTX_MODULE_HPP
#define PASTA_TESTS_GPU_PTX_MODULE_HPP

#include <cuda.h>

#include <cstdint>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx_test {

inline void require(CUresult status, char const* what) {
  if (status == CUDA_SUCCESS) return;
  char const* text = nullptr;
  cuGetErrorString(status, &text);
  throw std::runtime_error(std::string(what) + ": " + (text == nullptr ? "?" : text));
}

/// A module in the current context.
class loaded_module {
 public:
  explicit loaded_module(std::string const& ptx) {
    std::vector<char> log(1 << 16);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    if (cuModuleLoadDataEx(&module_, ptx.c_str(), 2, options, values) != CUDA_SUCCESS) {
      throw std::runtime_error(std::string("the driver refuses the PTX: ") + log.data());
    }
  }
  ~loaded_module() { cuModuleUnload(module_); }
  loaded_module(loaded_module const&) = delete;
  loaded_module& operator=(loaded_module const&) = delete;

  CUfunction function(char const* name) const {
    CUfunction found = nullptr;
    require(cuModuleGetFunction(&found, module_, name), name);
    return found;
  }
  CUdeviceptr variable(std::string const& name) const {
    CUdeviceptr at = 0;
    std::size_t size = 0;
    require(cuModuleGetGlobal(&at, &size, module_, name.c_str()), name.c_str());
    return at;
  }

 private:
  CUmodule module_ = nullptr;
};

/// Counters of an instrumented module.
class collector {
 public:
  static constexpr std::uint32_t shard_count = 256;  // more than multiprocessors: none shares one

  collector(loaded_module const& module, pasta::ptx::site_table const& table)
      : state_(module.variable(std::string(pasta::ptx::state_prefix) + table.id)),
        shard_bytes_((table.counters * pasta::ptx::counter_bytes + 127) / 128 * 128) {
    require(cuMemAlloc(&counters_, shard_count * shard_bytes_), "counters");
    clear();
    attach(counters_);
  }
  ~collector() {
    attach(0);
    cuMemFree(counters_);
  }
  collector(collector const&) = delete;
  collector& operator=(collector const&) = delete;

  void clear() { require(cuMemsetD8(counters_, 0, shard_count * shard_bytes_), "clear"); }
  /// By counter, summed over the shards. Waits for the GPU.
  std::vector<std::uint64_t> read() const {
    require(cuCtxSynchronize(), "the kernel");
    std::vector<std::uint64_t> words(shard_count * shard_bytes_ / 8), sums(shard_bytes_ / 8);
    require(cuMemcpyDtoH(words.data(), counters_, words.size() * 8), "read");
    for (std::size_t i = 0; i < words.size(); ++i) sums[i % sums.size()] += words[i];
    return sums;
  }

 private:
  void attach(CUdeviceptr counters) {
    struct {
      std::uint64_t counters;
      std::uint32_t shard_mask, shard_bytes;
    } const state{counters, shard_count - 1, static_cast<std::uint32_t>(shard_bytes_)};
    require(cuMemcpyHtoD(state_, &state, sizeof state), "attach");
  }

  CUdeviceptr state_, counters_ = 0;
  std::size_t shard_bytes_;
};

}  // namespace ptx_test
#endif
