// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_INSTRUMENT_CUDA_KEPT_COUNTS_HPP
#define PASTA_INSTRUMENT_CUDA_KEPT_COUNTS_HPP

#include <pasta/instrument/cuda/hook_merge.hpp>
#include <pasta/instrument/hook_abi.hpp>

namespace pasta::detail {

/// The counts that a handler added to, a byte each.
template <class Tool>
class kept_counts {
 public:
  using layout = hook_layout<Tool>;
  static constexpr std::uint32_t number = layout::site::count_fields + layout::kernel::count_fields +
                                          layout::launch::count_fields + layout::program::count_fields;
  static constexpr bool can_be =
      number <= max_kept_counts && !has_thread_state_v<Tool> && row_merge<typename Tool::site_state>::is_repeatable &&
      row_merge<typename Tool::kernel_state>::is_repeatable && row_merge<typename Tool::launch_state>::is_repeatable &&
      row_merge<typename Tool::program_state>::is_repeatable;

  PASTA_DEVICE PASTA_ALWAYS_INLINE kept_counts(typename Tool::site_state const& site,
                                               typename Tool::kernel_state const& kernel,
                                               typename Tool::launch_state const& launch,
                                               typename Tool::program_state const& program) {
    if constexpr (can_be) {
      add(site), add(kernel), add(launch), add(program);
    }
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool fits() const { return beyond_ == 0 && packed_ != kept_in_order; }
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t packed() const { return packed_; }

  /// Where the counts lie, in their order: words of the ABI.
  struct places {
    std::uint32_t words[max_kept_counts] = {};
  };
  static constexpr places find_places() {
    places found;
    std::uint32_t next = 0;
    auto const add_row = [&](std::uint32_t fields, std::uint32_t row) {
      for (std::uint32_t i = 1; i <= fields && next < max_kept_counts; ++i) found.words[next++] = row + 8 * i;
    };
    add_row(layout::site::count_fields, 0);
    add_row(layout::kernel::count_fields, kept_function);
    add_row(layout::launch::count_fields, kept_function + layout::launch_shard);
    add_row(layout::program::count_fields, kept_function + layout::program_shard);
    return found;
  }

 private:
  template <class State>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void add(State const& state) {
    if constexpr (!std::is_empty_v<State>) {
      for_each_part<State>([&]<std::size_t Part>() {
        if constexpr (std::is_same_v<part_t<Part, State>, count>) {
          std::uint64_t const value = part<Part>(state).value();
          beyond_ |= static_cast<std::uint32_t>(value >> 8) | static_cast<std::uint32_t>(value >> 32);
          packed_ |= static_cast<std::uint32_t>(value) << shift_;
          shift_ += 8;
        }
      });
    }
  }
  std::uint32_t packed_ = 0, beyond_ = 0, shift_ = 0;
};

}  // namespace pasta::detail
#endif
