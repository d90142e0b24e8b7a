// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// PTX that the driver assembles, as it is or with counters, and what the counters say.
#ifndef PASTA_TESTS_GPU_PTX_MODULE_HPP
#define PASTA_TESTS_GPU_PTX_MODULE_HPP

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <pasta/instrument/hook_layout.hpp>
#include <pasta/instrument/ptx/instrument.hpp>
#include <pasta/instrument/ptx/module_state.hpp>
#include <pasta/session/ptx/settle_in_order.hpp>
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
  /// @param registers most that a thread gets; 0: no limit
  explicit loaded_module(std::string const& ptx, std::size_t registers = 0) {
    std::vector<char> log(1 << 16);
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size()), reinterpret_cast<void*>(registers)};
    unsigned const count = registers == 0 ? 2 : 3;
    if (cuModuleLoadDataEx(&module_, ptx.c_str(), count, options, values) != CUDA_SUCCESS) {
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

/// What an instrumented module collects.
class collector {
 public:
  static constexpr std::uint32_t shard_count = 256;  // more than multiprocessors: none shares one

  collector(loaded_module const& module, pasta::ptx::site_table const& table)
      : table_(&table),
        state_(module.variable(std::string(pasta::ptx::state_prefix) + table.id)),
        shard_bytes_((table.shard_bytes + 127) / 128 * 128),
        bytes_(shard_count * shard_bytes_ + table.shared_bytes) {
    require(cuMemAlloc(&memory_, bytes_), "memory of the collector");
    clear();
    attach(memory_, memory_ + shard_count * shard_bytes_);
  }
  ~collector() {
    attach(0, 0);
    cuMemFree(memory_);
  }
  collector(collector const&) = delete;
  collector& operator=(collector const&) = delete;

  /// A word of 64 bits in a function's row, of what is once for all shards. @param tool the tool's place in the table
  void write_function_word(std::size_t tool, std::size_t function, std::uint32_t row_bytes, std::uint32_t offset,
                           std::uint64_t word) const {
    CUdeviceptr const rows = memory_ + shard_count * shard_bytes_ + table_->tool_rows.at(tool).begin.functions_shared;
    require(cuMemcpyHtoD(rows + function * row_bytes + offset, &word, sizeof word), "write");
  }

  void clear() { require(cuMemsetD8(memory_, 0, bytes_), "clear"); }
  /// By counter, summed over the shards. Waits for the GPU.
  std::vector<std::uint64_t> read() const {
    std::vector<std::byte> const all = read_memory();
    std::vector<std::uint64_t> sums(table_->counters);
    for (std::size_t shard = 0; shard < shard_count; ++shard) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, &all[shard * shard_bytes_ + i * pasta::ptx::counter_bytes], sizeof word);
        sums[i] += word;
      }
    }
    return sums;
  }

  template <class Tool>
  struct row {
    std::uint64_t executions = 0;
    typename Tool::site_state state{};
    typename Tool::kernel_state kernel{};
  };
  /// By site row, merged; by function in `kernel`. Waits for the GPU. @param tool the tool's place in the table
  template <class Tool>
  std::vector<row<Tool>> read_rows(std::size_t tool) const {
    using layout = pasta::detail::hook_layout<Tool>;
    std::vector<std::byte> const all = read_memory();
    pasta::ptx::row_places const& begin = table_->tool_rows.at(tool).begin;
    std::byte const* const shared = all.data() + shard_count * shard_bytes_;
    std::vector<row<Tool>> rows(std::max<std::size_t>(table_->rows, table_->functions.size()));
    for (std::size_t shard = 0; shard < shard_count; ++shard) {
      std::byte const* const mine = all.data() + shard * shard_bytes_;
      for (std::size_t i = 0; i < table_->rows; ++i) {
        std::byte const* const at = mine + begin.sites_shard + i * layout::site_shard_bytes;
        std::byte const* const once = shared + begin.sites_shared + i * layout::site_shared_bytes;
        rows[i].executions += pasta::detail::read_executions(at);
        pasta::merge_state(rows[i].state, pasta::detail::read_row<typename Tool::site_state>(
                                              at, shard == 0 && layout::site_shared_bytes > 0 ? once : nullptr));
      }
      for (std::size_t i = 0; i < table_->functions.size() && layout::function_shard_bytes > 0; ++i) {
        pasta::merge_state(rows[i].kernel, pasta::detail::read_row<typename Tool::kernel_state>(
                                               mine + begin.functions_shard + i * layout::function_shard_bytes,
                                               shard == 0 && layout::function_shared_bytes > 0
                                                   ? shared + begin.functions_shared + i * layout::function_shared_bytes
                                                   : nullptr));
      }
    }
    return rows;
  }

  /// Adds what was only counted of an access's requests. Waits for the GPU. @return their executions [lanes]
  template <class Tool>
  std::uint64_t settle(pasta::ptx::table_site const& site, std::size_t access, typename Tool::site_state& into) const {
    pasta::ptx::access const& what = site.what.all.at(access);
    if (site.rows.at(access).in_order == pasta::ptx::no_counts) return 0;
    std::vector<std::byte> const all = read_memory();
    std::uint64_t executions = 0;
    for (std::uint32_t first = 0; first < pasta::detail::in_order_period; first += what.size_bytes) {
      std::uint64_t times = 0;
      for (std::size_t shard = 0; shard < shard_count; ++shard) {
        std::uint64_t word = 0;
        std::size_t const at =
            table_->in_order + site.rows[access].in_order + first / what.size_bytes * site.rows[access].in_order_step;
        std::memcpy(&word, &all[shard * shard_bytes_ + at], sizeof word);
        times += word;
      }
      if (times == 0) continue;
      pasta::site_info where;
      where.what = pasta::to_operation(what.kind);
      where.space = *pasta::ptx::to_memory_space(what.space);
      where.size_bytes = what.size_bytes;
      auto const settled = pasta::ptx::settler_of<Tool>().settle(where, first, times);
      pasta::merge_state(into, settled.site);
      executions += settled.executions;
    }
    return executions;
  }

 private:
  std::vector<std::byte> read_memory() const {
    require(cuCtxSynchronize(), "the kernel");
    std::vector<std::byte> all(bytes_);
    require(cuMemcpyDtoH(all.data(), memory_, bytes_), "read");
    return all;
  }
  void attach(CUdeviceptr shards, CUdeviceptr shared) {
    struct {
      std::uint64_t shards;
      std::uint32_t shard_mask, shard_bytes;
    } const state{shards, shard_count - 1, static_cast<std::uint32_t>(shard_bytes_)};
    require(cuMemcpyHtoD(state_, &state, sizeof state), "attach");
    require(cuMemcpyHtoD(state_ + offsetof(pasta::ptx::module_state, shared), &shared, sizeof shared), "attach");
  }

  pasta::ptx::site_table const* table_;
  CUdeviceptr state_, memory_ = 0;
  std::size_t shard_bytes_, bytes_;
};

}  // namespace ptx_test
#endif
