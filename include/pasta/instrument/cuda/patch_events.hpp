// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What a patch does with what the vendor says: makes events of it, and delivers them to the tool. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_PATCH_EVENTS_HPP
#define PASTA_INSTRUMENT_CUDA_PATCH_EVENTS_HPP

#include <pasta/instrument/cuda/hook.hpp>
#include <pasta/instrument/cuda/patch_sites.hpp>
#include <pasta/instrument/patch_needs.hpp>

namespace pasta::detail {

/// One instruction, as the lanes see it that execute it together.
template <class Tool>
struct patch_events {
  using hooked = hook<Tool>;
  using layout = hook_layout<Tool>;
  using none = typename Tool::thread_state;

  PASTA_DEVICE PASTA_ALWAYS_INLINE patch_events(void* user_data, std::uint64_t address)
      : where_{reinterpret_cast<std::uint64_t>(user_data)},
        state_(reinterpret_cast<patch_state*>(where_.address())),
        address_(address),
        lanes_(here()) {}

  /// Whether the caller's block is in the sample, if there is one. Kernels with code_rows have none.
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_wanted() const {
    if (patch_counts_alone_v<Tool> && where_.exist()) return true;
    return !state_->is_sampling_blocks() || state_->blocks.has(hash_of_block(state_->blocks));
  }

  // The vendor's flags of an access.
  enum access_flag : std::uint32_t { reads = 1, writes = 2, atomic_of_system = 4, prefetches = 8 };
  PASTA_DEVICE PASTA_ALWAYS_INLINE static access_kind kind_of(std::uint32_t flags) {
    // A digit for each combination of the lowest three flags.
    constexpr std::uint32_t load = static_cast<std::uint32_t>(access_kind::load),
                            store = static_cast<std::uint32_t>(access_kind::store),
                            atomic = static_cast<std::uint32_t>(access_kind::atomic),
                            kinds = load | load << 4 | store << 8 | atomic * 0x11111000u;
    return static_cast<access_kind>(kinds >> (flags & (reads | writes | atomic_of_system)) * 4 & 15);
  }

  /// An instruction that names no space is told of with the others of global memory.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void global_access(void const* at, std::uint32_t size_bytes, std::uint32_t flags) {
    if ((flags & prefetches) != 0) return;
    memory_space space = memory_space::global;
#if !PASTA_IS_HOST_PASS
    if (__isShared(at)) space = memory_space::shared;
    if (__isLocal(at)) space = memory_space::local;
#endif
    if constexpr (handles_v<Tool, memory_access>) {
      deliver_by_space(space, at, size_bytes, flags);
    } else {
      // Sums are the same however lanes come together: they need not wait for each other.
      lane_mask const lanes = of_space(space, here());
      if (space != memory_space::global || !count_at_instruction(lanes, size_bytes, flags, space))
        deliver_access(lanes, 0, size_bytes, kind_of(flags), space);
    }
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void access(memory_space space, void const* at, std::uint32_t size_bytes,
                                               std::uint32_t flags) {
    if ((flags & prefetches) != 0) return;
    if (count_at_instruction(lanes_, size_bytes, flags, space)) return;
    deliver_access(lanes_, reinterpret_cast<std::uint64_t>(at), size_bytes, kind_of(flags), space);
  }
  /// The first eight lanes have the addresses of the first matrix's rows, and so on.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void matrix_access(std::uint32_t at, std::uint32_t size_bytes, std::uint32_t flags,
                                                      std::uint32_t matrices) {
    lane_mask const rows = matrices >= 4 ? lanes_ : lanes_ & ((1u << 8 * matrices) - 1);
    if (warp::detail::is_among(rows)) deliver_access(rows, at, size_bytes, kind_of(flags), memory_space::shared);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void shared_access(std::uint32_t at, std::uint32_t size_bytes, access_kind kind) {
    deliver_access(lanes_, at, size_bytes, kind, memory_space::shared);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void copy_async(void const* source, std::uint32_t destination,
                                                   std::uint32_t size_bytes) {
    auto const from = reinterpret_cast<std::uint64_t>(source);
    std::uint32_t const source_bytes = from == 0 ? 0 : size_bytes;  // what is not read is filled with zeros
    deliver_copy(lanes_, {from, destination, size_bytes, source_bytes, number_of(memory_space::global),
                          number_of(memory_space::shared)});
    lane_mask const readers = warp::ballot(lanes_, source_bytes != 0);
    if (warp::detail::is_among(readers))
      deliver_access(readers, from, size_bytes, access_kind::load, memory_space::global);
    deliver_access(lanes_, destination, size_bytes, access_kind::store, memory_space::shared);
  }
  /// One copy of the whole warp: all lanes that are here are told the same.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void bulk_copy(std::uint64_t from, memory_space source_space, std::uint64_t to,
                                                  memory_space destination_space, std::uint32_t blocks,
                                                  access_kind write) {
    if (!warp::is_leader(lanes_)) return;
    lane_mask const one = lanes_ & (0 - lanes_);
    std::uint32_t const bytes = blocks * 16;
    deliver_copy(one, {from, to, bytes, bytes, number_of(source_space), number_of(destination_space)});
    deliver_access(one, from, bytes, access_kind::load, source_space);
    deliver_access(one, to, bytes, write, destination_space);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void shared_set(std::uint32_t at, std::uint32_t blocks) {
    if (warp::is_leader(lanes_))
      deliver_access(lanes_ & (0 - lanes_), at, blocks * 8, access_kind::store, memory_space::shared);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void barrier(barrier_scope scope) {
    at_site<pasta::barrier>(lanes_, operation::barrier, static_cast<std::uint32_t>(scope), 0, [&](site_id site) {
      return pasta::barrier{lanes_, scope, site};
    });
  }
  // The vendor's kinds of what is done to a barrier in memory: arrivals, with and without leaving it.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void cuda_barrier(std::uint32_t kind) {
    if (kind >= 2 && kind <= 5) barrier(barrier_scope::block);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void call(std::uint64_t callee) {
    at_site<pasta::call>(lanes_, operation::call, 0, 0, [&](site_id site) {
      return pasta::call{lanes_, callee, site};
    });
  }
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void thread_event() {
    none thread{};
    Event const event{lanes_};
    hooked::template run<hooked::no_site>(lanes_, rows(0), thread, [&](context<Tool>& to) { deliver(to, event); });
  }

 private:
  /// Counts in the instruction's own row (code_rows). Of one instruction it gets accesses of one kind, space and size.
  /// @return whether the kernel has such rows, and they can say of that size
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool count_at_instruction(lane_mask lanes, std::uint32_t size_bytes,
                                                             std::uint32_t flags, memory_space space) {
    if constexpr (patch_counts_alone_v<Tool>) {
      // An address that is an offset in the kernel would be another row's.
      bool const is_offset = (address_ >> 32) == 0;
      if (!where_.exist() || is_offset || (size_bytes & (size_bytes - 1)) != 0 || size_bytes > 128) return false;
      if (!is_first(lanes)) return true;
      std::uint32_t const row = where_.row(address_, multiprocessor());
      add_word(reinterpret_cast<device_word*>(where_.counts()) + row, warp::count(lanes));
      // What all that come by write.
      reinterpret_cast<std::uint8_t*>(where_.kinds())[row] =
          code_rows::kind(static_cast<std::uint32_t>(kind_of(flags)), number_of(space), 31 - leading_zeros(size_bytes));
      return true;
    }
    return false;
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint32_t leading_zeros(std::uint32_t word) {
#if PASTA_IS_HOST_PASS
    return word == 0 ? 32 : 0;
#else
    return static_cast<std::uint32_t>(__clz(static_cast<int>(word)));
#endif
  }

  /// Lanes of one instruction may access different spaces. In its window an address has 32 bits.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_by_space(memory_space space, void const* at, std::uint32_t size_bytes,
                                                         std::uint32_t flags) {
    auto address = reinterpret_cast<std::uint64_t>(at);
    lane_mask const lanes = of_space(space, lanes_);
    if (space != memory_space::global) address &= 0xffffffffu;
    deliver_access(lanes, address, size_bytes, kind_of(flags), space);
  }
  /// Those of the lanes whose space is the caller's. All of them call it.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static lane_mask of_space(memory_space space, lane_mask lanes) {
    return warp::any(lanes, space != memory_space::global) ? warp::detail::match(lanes, number_of(space)) : lanes;
  }

  /// The lanes that have come here together.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static lane_mask here() {
#if PASTA_IS_HOST_PASS
    return 1;
#else
    return __activemask();
#endif
  }
  /// As warp::is_leader, in two instructions. @param lanes one of them is the caller
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bool is_first(lane_mask lanes) {
    lane_mask before = 0;
#if !PASTA_IS_HOST_PASS
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
#endif
    return (lanes & before) == 0;
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint32_t number_of(memory_space space) {
    return static_cast<std::uint32_t>(space);
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_access(lane_mask lanes, std::uint64_t at, std::uint32_t size_bytes,
                                                       access_kind kind, memory_space space) {
    site_key const key = site_key::of({nullptr, 0, 0}, to_operation(kind), space, size_bytes);
    if (!counts_v<Tool, memory_access> && !(handles_v<Tool, memory_access> && watches<Tool>(key))) return;
    at_site<memory_access>(
        lanes, to_operation(kind), number_of(space), size_bytes,
        [&](site_id site) { return memory_access{lanes, at, size_bytes, kind, space, site, nullptr}; }, key);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_copy(lane_mask lanes, hook_copy const& copy) {
    auto const from = static_cast<memory_space>(copy.source_space),
               to = static_cast<memory_space>(copy.destination_space);
    at_site<async_copy>(
        lanes, operation::copy, copy.destination_space, copy.size_bytes,
        [&](site_id site) {
          return async_copy{
              lanes, copy.source_address, copy.destination_address, copy.size_bytes, copy.source_size_bytes, from, to,
              site};
        },
        site_key::of({nullptr, 0, 0}, operation::copy, to, copy.size_bytes));
  }

  /// Finds the site's row, and delivers the event or counts it. All of `lanes` call it.
  /// @param make called with the site's number; not compiled where the tool does not handle the event
  template <class Event, class Make>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void at_site(lane_mask lanes, operation what, std::uint32_t space,
                                                std::uint64_t size_bytes, [[maybe_unused]] Make&& make,
                                                [[maybe_unused]] site_key const& key = {}) {
    if constexpr (handles_v<Tool, Event>) {
      // Where an event is counted at all sites, some of them may reach no handler.
      if (!counts_v<Tool, Event> || watches<Tool>(key)) {
        std::uint32_t const row = find_row(lanes, what, space, size_bytes);
        if (row == no_patch_row) return;
        hook_rows const to = rows(row);
        none thread{};
        Event const event = make(hooked::site_of(row));
        hooked::template run<hooked::has_site>(lanes, to, thread, [&](context<Tool>& at) { deliver(at, event); });
        return;
      }
    }
    if constexpr (counts_v<Tool, Event>) {
      // One lane counts for all, and looks for the row alone.
      if (!is_first(lanes)) return;
      std::uint32_t const row = find_row(lanes, what, space, size_bytes);
      if (row != no_patch_row) add_word(reinterpret_cast<device_word*>(rows(row).site_shard), warp::count(lanes));
    }
  }

  /// What found no place is counted. @param lanes of the event; those that call it look for the same
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t find_row(lane_mask lanes, operation what, std::uint32_t space,
                                                          std::uint64_t size_bytes) {
    std::uint32_t const row = find_patch_row(
        *state_, address_, [&](std::uint32_t kernel) { return patch_about(kernel, what, space, size_bytes); });
    if (row == no_patch_row && warp::is_leader(lanes))
      add_word(reinterpret_cast<device_word*>(&state_->dropped), warp::count(lanes));
    return row;
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE hook_rows rows(std::uint32_t site) const {
    // Asked again, since a register that lived until here would be one too many.
    std::uint32_t which = multiprocessor();
    if (state_->is_sampling_blocks()) which = hash_of_block(state_->blocks) & ~patch_state::sampled_blocks;
    std::uint64_t const shard = std::uint64_t{which & state_->shard_mask} * state_->shard_stride;
    return {state_->site_shards + shard + std::uint64_t{site} * layout::site_shard_bytes,
            state_->site_shared + std::uint64_t{site} * layout::site_shared_bytes, state_->function_shards + shard,
            state_->function_shared, 0};
  }

  code_rows where_;
  patch_state* state_;
  std::uint64_t address_;
  lane_mask lanes_;
};

/// One patch function. @param handle called with the events; not compiled where the tool needs nothing of it
template <class Tool, patch_function Function, class Handle>
PASTA_DEVICE PASTA_ALWAYS_INLINE void run_patch([[maybe_unused]] void* user_data,
                                                [[maybe_unused]] std::uint64_t address,
                                                [[maybe_unused]] Handle&& handle) {
  if constexpr (patch_needs<Tool>::template needs_v<Function>) {
    // A kernel that is not to be analysed, in a module that others made patched.
    if (user_data == nullptr) return;
    patch_events<Tool> events(user_data, address);
    if (events.is_wanted()) handle(events);
  }
}

}  // namespace pasta::detail
#endif
