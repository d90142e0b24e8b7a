// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The hook: a tool's handler as a device function that the ptx route splices into kernels. pasta_add_tool compiles it:
///
///     #define PASTA_DETAIL_HOOK
///     #include <pasta/instrument/cuda/hook.hpp>
///     #include "coalescing.hpp"
///     PASTA_HOOK(coalescing)
///
/// A hook runs in the lanes that execute an access together, just before it. It is made of one function: it calls none,
/// has no memory of its own, no barrier, and takes words by value. What a handler adds to its state is merged into
/// memory before the hook ends. docs/architecture.md has the ABI.
#ifndef PASTA_INSTRUMENT_CUDA_HOOK_HPP
#define PASTA_INSTRUMENT_CUDA_HOOK_HPP

#include <pasta/analysis/cuda/site_locator.hpp>
#include <pasta/instrument/check_tool.hpp>
#include <pasta/instrument/choices.hpp>
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
  static constexpr bool can_be = number <= max_kept_counts && row_merge<typename Tool::site_state>::is_repeatable &&
                                 row_merge<typename Tool::kernel_state>::is_repeatable &&
                                 row_merge<typename Tool::launch_state>::is_repeatable &&
                                 row_merge<typename Tool::program_state>::is_repeatable;

  PASTA_DEVICE PASTA_ALWAYS_INLINE kept_counts(typename Tool::site_state const& site,
                                               typename Tool::kernel_state const& kernel,
                                               typename Tool::launch_state const& launch,
                                               typename Tool::program_state const& program) {
    if constexpr (can_be) {
      add(site), add(kernel), add(launch), add(program);
    }
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool fits() const { return beyond_ == 0; }
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

template <class Tool>
struct hook {
  using layout = hook_layout<Tool>;
  using bytes = unsigned char*;

  /// @param site the site's number
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint64_t on_memory_access(hook_access const& what,
                                                                         hook_rows const& rows) {
    lane_mask const lanes = warp::detail::active();
    std::uint32_t const lane = warp::lane();
    auto const kind = static_cast<access_kind>(what.kind);
    auto const space = static_cast<memory_space>(what.space);
    if (!watches<Tool>(site_key::of({nullptr, 0, 0}, to_operation(kind), space, what.size_bytes))) return 0;
    memory_access const access{lanes,           what.address,
                               what.size_bytes, kind,
                               space,           (what.site & ((1u << site_lane_shift) - 1)) | lane << site_lane_shift,
                               nullptr};
    typename Tool::options const options{};
    typename Tool::site_state site{};
    typename Tool::thread_state none{};
    typename Tool::kernel_state kernel{};
    typename Tool::launch_state launch{};
    typename Tool::program_state program{};
    bytes const site_shard = at(rows.site_shard), site_shared = at(rows.site_shared);
    using site_layout = typename layout::site;
    site_locator const way{
        nullptr, site_shared + site_layout::rare, site_shared + site_layout::shared_lock, 0, 0, nullptr, 0};
    typename context<Tool>::parts const parts{&site, &none, &kernel, &launch, &program, &options, &way};
    context<Tool> to(parts);
    deliver(to, access);

    bytes const shard = at(rows.function_shard), shared = at(rows.function_shared);
    using merge_site = row_merge<typename Tool::site_state>;
    using merge_kernel = row_merge<typename Tool::kernel_state>;
    using merge_launch = row_merge<typename Tool::launch_state>;
    using merge_program = row_merge<typename Tool::program_state>;
    kept_counts<Tool> const kept(site, kernel, launch, program);
    bool const is_kept = kept_counts<Tool>::can_be && rows.keeps != 0 && !warp::any(lanes, !kept.fits());
    if (!is_kept) {
      merge_site::merge_counts(lanes, site_shard, site, warp::count(lanes));
      merge_kernel::merge_counts(lanes, shard, kernel, 0);
      merge_launch::merge_counts(lanes, shard + layout::launch_shard, launch, 0);
      merge_program::merge_counts(lanes, shard + layout::program_shard, program, 0);
    }
    merge_site::merge_others(lanes, site_shard, site_shared, site);
    merge_kernel::merge_others(lanes, shard, shared, kernel);
    merge_launch::merge_others(lanes, shard + layout::launch_shard, shared + layout::launch_shared, launch);
    merge_program::merge_others(lanes, shard + layout::program_shard, shared + layout::program_shared, program);
    return is_kept ? std::uint64_t{1} << 32 | kept.packed() : 0;
  }

 private:
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bytes at(std::uint64_t address) { return reinterpret_cast<bytes>(address); }
};

// Which sites a tool watches, as bits.
template <class Tool>
constexpr std::uint64_t watched_sites() {
  std::uint64_t bits = 0;
  for (std::uint32_t kind = 0; kind < 3; ++kind) {
    for (std::uint32_t space = 0; space < 3; ++space) {
      for (std::uint32_t size = 0; size < watched_sizes; ++size) {
        site_key const key = site_key::of({nullptr, 0, 0}, static_cast<operation>(kind),
                                          static_cast<memory_space>(space), std::uint64_t{1} << size);
        if (watches<Tool>(key)) bits |= std::uint64_t{1} << watched_bit(kind, space, size);
      }
    }
  }
  return bits;
}

// Device events that hooks do not deliver.
template <class Tool>
constexpr bool handles_others() {
  bool handles = false;
#define PASTA_DETAIL_ASK(event) \
  if (!std::is_same_v<event, memory_access> && (handles_v<Tool, event> || counts_v<Tool, event>)) handles = true;
  PASTA_DETAIL_FOR_EACH_DEVICE_EVENT(PASTA_DETAIL_ASK)
#undef PASTA_DETAIL_ASK
  return handles;
}

template <class Tool>
struct hook_words {
  static constexpr hook_obstacle obstacle = has_thread_state_v<Tool> ? hook_obstacle::thread_state
                                            : handles_others<Tool>() ? hook_obstacle::events
                                                                     : hook_obstacle::none;
  static constexpr bool handles = handles_v<Tool, memory_access> && obstacle == hook_obstacle::none;
  static constexpr std::uint32_t events = (handles ? 1 : 0) | (counts_v<Tool, memory_access> ? 2 : 0);
  static constexpr std::uint64_t watched = watched_sites<Tool>();
  static constexpr std::uint32_t kept = kept_counts<Tool>::can_be ? kept_counts<Tool>::number : never_kept;
  static constexpr auto kept_places = kept_counts<Tool>::find_places();
  static constexpr std::uint32_t address_period = [] {
    if constexpr (has_address_period<Tool> && !has_thread_state_v<Tool>) {
      return Tool::address_period(typename Tool::options{});
    } else {
      return 0;
    }
  }();
};

template <class Tool>
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint64_t run_hook([[maybe_unused]] hook_access const& what,
                                                        [[maybe_unused]] hook_rows const& rows) {
  if constexpr (hook_words<Tool>::handles) {
    return hook<Tool>::on_memory_access(what, rows);
  } else {
    return 0;
  }
}

}  // namespace pasta::detail

/// Stands once, after the tool's class.
#define PASTA_HOOK(name)                                                                                               \
  static_assert(PASTA_DETAIL_IS_HOOK, "a hook is compiled with PASTA_DETAIL_HOOK defined before any header of PASTA"); \
  static_assert(::pasta::check_tool<name>());                                                                          \
  extern "C" __device__ __constant__ extern ::std::uint32_t const pasta_hook_abi[::pasta::detail::hook_abi_words];     \
  __device__ __constant__ ::std::uint32_t const pasta_hook_abi[::pasta::detail::hook_abi_words] = {                    \
      ::pasta::detail::hook_abi_version,                                                                               \
      static_cast<::std::uint32_t>(::pasta::detail::hook_words<name>::obstacle),                                       \
      ::pasta::detail::hook_words<name>::events,                                                                       \
      ::pasta::detail::hook_layout<name>::site_shard_bytes,                                                            \
      ::pasta::detail::hook_layout<name>::site_shared_bytes,                                                           \
      ::pasta::detail::hook_layout<name>::function_shard_bytes,                                                        \
      ::pasta::detail::hook_layout<name>::function_shared_bytes,                                                       \
      static_cast<::std::uint32_t>(::pasta::detail::hook_words<name>::watched),                                        \
      static_cast<::std::uint32_t>(::pasta::detail::hook_words<name>::watched >> 32),                                  \
      ::pasta::detail::hook_words<name>::kept,                                                                         \
      ::pasta::detail::hook_words<name>::kept_places.words[0],                                                         \
      ::pasta::detail::hook_words<name>::kept_places.words[1],                                                         \
      ::pasta::detail::hook_words<name>::kept_places.words[2],                                                         \
      ::pasta::detail::hook_words<name>::kept_places.words[3],                                                         \
      ::pasta::detail::hook_words<name>::address_period};                                                              \
  extern "C" __device__ __noinline__ ::std::uint64_t pasta_hook_memory_access(                                         \
      ::std::uint64_t address, ::std::uint32_t size_bytes, ::std::uint32_t kind, ::std::uint32_t space,                \
      ::std::uint32_t site, ::std::uint64_t site_shard, ::std::uint64_t site_shared, ::std::uint64_t function_shard,   \
      ::std::uint64_t function_shared, ::std::uint32_t keeps) {                                                        \
    return ::pasta::detail::run_hook<name>({address, size_bytes, kind, space, site},                                   \
                                           {site_shard, site_shared, function_shard, function_shared, keeps});         \
  }
#endif
