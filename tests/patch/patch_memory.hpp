// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_PATCH_PATCH_MEMORY_HPP
#define PASTA_TESTS_PATCH_PATCH_MEMORY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <pasta/instrument/hook_layout.hpp>
#include <pasta/instrument/patch_abi.hpp>

#include "memory.hpp"

namespace pasta_test {

/// The memory of one kernel's patches on the interpreter's device: its state, the table of sites and their rows.
template <class Tool>
class patch_memory {
 public:
  using layout = pasta::detail::hook_layout<Tool>;

  patch_memory(ptx_emulation::device_memory& memory, std::uint32_t sites, std::uint32_t shards)
      : memory_(&memory), sites_(sites), shards_(shards) {
    stride_ = std::size_t{layout::site_shard_bytes} * sites + layout::function_shard_bytes;
    stride_ = (stride_ + 127) / 128 * 128;
    state_.sites = memory.allocate(sizeof(pasta::detail::patch_site) * sites);
    state_.site_shards = memory.allocate(stride_ * shards);
    state_.site_shared = memory.allocate(std::size_t{layout::site_shared_bytes} * sites + 8);
    state_.function_shards = state_.site_shards + std::size_t{layout::site_shard_bytes} * sites;
    state_.function_shared = memory.allocate(layout::function_shared_bytes + 8);
    state_.shard_stride = static_cast<std::uint32_t>(stride_);
    state_.shard_mask = shards - 1;
    state_.place_shift = static_cast<std::uint32_t>(std::countl_zero(sites)) + 1;
    state_.kernel = 3;
    address_ = memory.allocate(sizeof state_);
    std::memcpy(reinterpret_cast<void*>(address_), &state_, sizeof state_);
  }
  ~patch_memory() {
    for (std::uint64_t each :
         {state_.sites, state_.site_shards, state_.site_shared, state_.function_shared, address_}) {
      memory_->free(each);
    }
  }
  patch_memory(patch_memory const&) = delete;
  patch_memory& operator=(patch_memory const&) = delete;

  std::uint64_t user_data() const { return address_; }
  std::uint64_t dropped() const { return reinterpret_cast<pasta::detail::patch_state const*>(address_)->dropped; }

  /// What belongs to no site.
  typename Tool::kernel_state kernel() const {
    typename Tool::kernel_state sum{};
    if constexpr (!std::is_empty_v<typename Tool::kernel_state>) {
      for (std::uint32_t shard = 0; shard < shards_; ++shard) {
        pasta::merge_state(sum, pasta::detail::read_row<typename Tool::kernel_state>(
                                    reinterpret_cast<std::byte const*>(state_.function_shards) + shard * stride_,
                                    reinterpret_cast<std::byte const*>(shard == 0 ? state_.function_shared : 0)));
      }
    }
    return sum;
  }
  struct row {
    pasta::detail::patch_site site;
    std::uint64_t executions = 0;
    typename Tool::site_state state{};
  };
  void for_each_row(std::function<void(row const&)> const& f) const {
    auto const* const sites = reinterpret_cast<pasta::detail::patch_site const*>(state_.sites);
    for (std::uint32_t i = 0; i < sites_; ++i) {
      if (sites[i].about == 0) continue;
      row found{sites[i]};
      auto const* const shared =
          reinterpret_cast<std::byte const*>(state_.site_shared) + std::size_t{layout::site_shared_bytes} * i;
      for (std::uint32_t shard = 0; shard < shards_; ++shard) {
        auto const* const at = reinterpret_cast<std::byte const*>(state_.site_shards) + shard * stride_ +
                               std::size_t{layout::site_shard_bytes} * i;
        found.executions += pasta::detail::read_executions(at);
        if constexpr (!std::is_empty_v<typename Tool::site_state>) {
          pasta::merge_state(found.state, pasta::detail::read_row<typename Tool::site_state>(
                                              at, shard == 0 && layout::site_shared_bytes > 0 ? shared : nullptr));
        }
      }
      f(found);
    }
  }

 private:
  ptx_emulation::device_memory* memory_;
  std::uint32_t sites_, shards_;
  std::size_t stride_ = 0;
  pasta::detail::patch_state state_;
  std::uint64_t address_ = 0;
};

}  // namespace pasta_test
#endif
