// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The hook: a tool's handlers as device functions that the ptx route splices into kernels. pasta_add_tool compiles it:
///
///     #define PASTA_DETAIL_HOOK
///     #include <pasta/instrument/cuda/hook.hpp>
///     #include "coalescing.hpp"
///     PASTA_HOOK(coalescing)
///
/// A hook runs in the lanes that execute an instruction together, just before it. It is made of one function for each
/// event: it calls none, has no memory of its own, no barrier, and takes words by value. What a handler adds to its
/// state is merged into memory before the hook ends; a thread_state is taken and returned. docs/architecture.md has the
/// ABI.
#ifndef PASTA_INSTRUMENT_CUDA_HOOK_HPP
#define PASTA_INSTRUMENT_CUDA_HOOK_HPP

#include <pasta/analysis/cuda/site_locator.hpp>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/check_tool.hpp>
#include <pasta/instrument/cuda/hook_words.hpp>

namespace pasta::detail {

template <class Tool>
struct patch_events;

template <class Tool>
struct hook {
  using layout = hook_layout<Tool>;
  using thread_state = typename Tool::thread_state;
  using bytes = unsigned char*;

  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint64_t on_memory_access(hook_access const& what, hook_rows const& rows,
                                                                         thread_state& thread) {
    lane_mask const lanes = warp::detail::active();
    site_id const site = site_of(what.site);
    auto const kind = static_cast<access_kind>(what.kind);
    auto const space = static_cast<memory_space>(what.space);
    if (!watches<Tool>(site_key::of({nullptr, 0, 0}, to_operation(kind), space, what.size_bytes))) return 0;
    memory_access const access{lanes, what.address, what.size_bytes, kind, space, site, nullptr};
    return run<has_site>(lanes, rows, thread, [&](context<Tool>& to) { deliver(to, access); });
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_async_copy(hook_copy const& what, std::uint32_t site,
                                                             hook_rows const& rows, thread_state& thread) {
    lane_mask const lanes = warp::detail::active();
    auto const from = static_cast<memory_space>(what.source_space),
               to = static_cast<memory_space>(what.destination_space);
    if (!watches<Tool>(site_key::of({nullptr, 0, 0}, operation::copy, to, what.size_bytes))) return;
    deliver_at_site(async_copy{lanes, what.source_address, what.destination_address, what.size_bytes,
                               what.source_size_bytes, from, to, site_of(site)},
                    rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_barrier(std::uint32_t scope, std::uint32_t site,
                                                          hook_rows const& rows, thread_state& thread) {
    deliver_at_site(barrier{warp::detail::active(), static_cast<barrier_scope>(scope), site_of(site)}, rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_branch(std::uint32_t is_taken, std::uint32_t site,
                                                         hook_rows const& rows, thread_state& thread) {
    lane_mask const lanes = warp::detail::active();
    deliver_at_site(branch{lanes, warp::ballot(lanes, is_taken != 0), site_of(site)}, rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_matrix_operation(hook_product const& what, std::uint32_t site,
                                                                   hook_rows const& rows, thread_state& thread) {
    deliver_at_site(
        matrix_operation{warp::detail::active(), static_cast<std::uint16_t>(what.m), static_cast<std::uint16_t>(what.n),
                         static_cast<std::uint16_t>(what.k), static_cast<element_type>(what.input),
                         static_cast<element_type>(what.accumulator), site_of(site)},
        rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_call(std::uint64_t callee_address, std::uint32_t site,
                                                       hook_rows const& rows, thread_state& thread) {
    deliver_at_site(call{warp::detail::active(), callee_address, site_of(site)}, rows, thread);
  }
  /// thread_enter, thread_exit
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_thread(hook_rows const& rows, thread_state& thread) {
    Event const event{warp::detail::active()};
    run<no_site>(event.lanes, rows, thread, [&](context<Tool>& to) { deliver(to, event); });
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void fold(hook_rows const& rows, thread_state& thread) {
    run<no_site>(warp::detail::active(), rows, thread, [&](context<Tool>& to) { Tool::fold(to.thread(), to); });
  }

 private:
  friend patch_events<Tool>;
  enum where : std::uint8_t { no_site, has_site };

  PASTA_DEVICE PASTA_ALWAYS_INLINE static bytes at(std::uint64_t address) { return reinterpret_cast<bytes>(address); }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static site_id site_of(std::uint32_t number) {
    return (number & ((1u << site_lane_shift) - 1)) | warp::lane() << site_lane_shift;
  }

  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void deliver_at_site(Event const& event, hook_rows const& rows,
                                                               thread_state& thread) {
    run<has_site>(event.lanes, rows, thread, [&](context<Tool>& to) { deliver(to, event); });
  }

  /// Calls the handler with states of its own, and merges them. @return what on_memory_access returns
  template <where Where, class Handler>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint64_t run(lane_mask lanes, hook_rows const& rows,
                                                            thread_state& thread, Handler&& handler) {
    typename Tool::options const options{};
    typename Tool::site_state site{};
    typename Tool::kernel_state kernel{};
    typename Tool::launch_state launch{};
    typename Tool::program_state program{};
    bytes const site_shard = at(rows.site_shard), site_shared = at(rows.site_shared);
    shadow_view const* shadow = nullptr;
    if constexpr (has_shadow_v<Tool>) {
      shadow = *reinterpret_cast<shadow_view const* const*>(at(rows.function_shared) + layout::shadow_shared);
    }
    using site_layout = typename layout::site;
    site_locator const way{
        nullptr, site_shared + site_layout::rare, site_shared + site_layout::shared_lock, 0, 0, nullptr, 0};
    typename context<Tool>::parts const parts{&site,    &thread,  &kernel, &launch,
                                              &program, &options, &way,    make_shadow<Tool>(shadow)};
    context<Tool> to(parts);
    handler(to);

    bytes const shard = at(rows.function_shard), shared = at(rows.function_shared);
    using merge_site = row_merge<typename Tool::site_state>;
    using merge_kernel = row_merge<typename Tool::kernel_state>;
    using merge_launch = row_merge<typename Tool::launch_state>;
    using merge_program = row_merge<typename Tool::program_state>;
    kept_counts<Tool> const kept(site, kernel, launch, program);
    bool const is_kept = kept_counts<Tool>::can_be && rows.keeps != 0 && !warp::any(lanes, !kept.fits());
    if (!is_kept) {
      if constexpr (Where == has_site) merge_site::merge_counts(lanes, site_shard, site, warp::count(lanes));
      merge_kernel::merge_counts(lanes, shard, kernel, 0);
      merge_launch::merge_counts(lanes, shard + layout::launch_shard, launch, 0);
      merge_program::merge_counts(lanes, shard + layout::program_shard, program, 0);
    }
    if constexpr (Where == has_site) merge_site::merge_others(lanes, site_shard, site_shared, site);
    merge_kernel::merge_others(lanes, shard, shared, kernel);
    merge_launch::merge_others(lanes, shard + layout::launch_shard, shared + layout::launch_shared, launch);
    merge_program::merge_others(lanes, shard + layout::program_shard, shared + layout::program_shared, program);
    return is_kept ? std::uint64_t{1} << 32 | kept.packed() : 0;
  }
};

/// One function of the hook: takes the thread's state, and returns it, or without one what `handle` returns.
/// @param handle called with the state; not compiled where the tool has nothing to do
template <class Tool, hook_function Function, class Result, class Handle>
PASTA_DEVICE PASTA_ALWAYS_INLINE hook_result<Tool, Result> run_hook([[maybe_unused]] words_of<Tool> const& state,
                                                                    [[maybe_unused]] Handle&& handle) {
  if constexpr (!has_function_v<Tool, Function>) {
    return hook_result<Tool, Result>();
  } else if constexpr (has_thread_state_v<Tool>) {
    typename Tool::thread_state thread = to_thread_state<Tool>(state);
    static_cast<void>(handle(thread));
    return to_words<Tool>(thread);
  } else {
    typename Tool::thread_state none{};
    return handle(none);
  }
}

template <class Tool>
PASTA_DEVICE PASTA_ALWAYS_INLINE hook_result<Tool, void> start_hook() {
  if constexpr (has_thread_state_v<Tool>) return to_words<Tool>(typename Tool::thread_state{});
}

}  // namespace pasta::detail

// The parameters that all functions have.
#define PASTA_DETAIL_FUNCTION_PARAMETERS ::std::uint64_t function_shard, ::std::uint64_t function_shared
#define PASTA_DETAIL_SITE_PARAMETERS \
  ::std::uint32_t site, ::std::uint64_t site_shard, ::std::uint64_t site_shared, PASTA_DETAIL_FUNCTION_PARAMETERS
#define PASTA_DETAIL_FUNCTION_ROWS \
  { 0, 0, function_shard, function_shared, 0 }
#define PASTA_DETAIL_SITE_ROWS \
  { site_shard, site_shared, function_shard, function_shared, 0 }

#define PASTA_DETAIL_WITHOUT_PARENTHESES(...) __VA_ARGS__
// A function of the hook: `…` is what it calls of hook<name>.
#define PASTA_DETAIL_HOOK_FUNCTION(name, function, result, parameters, ...)                            \
  extern "C" __device__ __noinline__ ::pasta::detail::hook_result<name, result> pasta_hook_##function( \
      PASTA_DETAIL_WITHOUT_PARENTHESES parameters, ::pasta::detail::words_of<name> state) {            \
    return ::pasta::detail::run_hook<name, ::pasta::detail::hook_function::function, result>(          \
        state, [&](auto& thread) { return ::pasta::detail::hook<name>::__VA_ARGS__; });                \
  }

/// Stands once, after the tool's class.
#define PASTA_HOOK(name)                                                                                               \
  static_assert(PASTA_DETAIL_IS_HOOK, "a hook is compiled with PASTA_DETAIL_HOOK defined before any header of PASTA"); \
  static_assert(::pasta::check_tool<name>());                                                                          \
  PASTA_DETAIL_HOOK_ABI(name);                                                                                         \
  PASTA_DETAIL_HOOK_FUNCTION(                                                                                          \
      name, memory_access, ::std::uint64_t,                                                                            \
      (::std::uint64_t address, ::std::uint32_t size_bytes, ::std::uint32_t kind, ::std::uint32_t space,               \
       PASTA_DETAIL_SITE_PARAMETERS, ::std::uint32_t keeps),                                                           \
      on_memory_access({address, size_bytes, kind, space, site},                                                       \
                       {site_shard, site_shared, function_shard, function_shared, keeps}, thread))                     \
  PASTA_DETAIL_HOOK_FUNCTION(                                                                                          \
      name, async_copy, void,                                                                                          \
      (::std::uint64_t source_address, ::std::uint64_t destination_address, ::std::uint64_t size_bytes,                \
       ::std::uint64_t source_size_bytes, ::std::uint32_t source_space, ::std::uint32_t destination_space,             \
       PASTA_DETAIL_SITE_PARAMETERS),                                                                                  \
      on_async_copy(                                                                                                   \
          {source_address, destination_address, size_bytes, source_size_bytes, source_space, destination_space}, site, \
          PASTA_DETAIL_SITE_ROWS, thread))                                                                             \
  PASTA_DETAIL_HOOK_FUNCTION(name, barrier, void, (::std::uint32_t scope, PASTA_DETAIL_SITE_PARAMETERS),               \
                             on_barrier(scope, site, PASTA_DETAIL_SITE_ROWS, thread))                                  \
  PASTA_DETAIL_HOOK_FUNCTION(name, branch, void, (::std::uint32_t is_taken, PASTA_DETAIL_SITE_PARAMETERS),             \
                             on_branch(is_taken, site, PASTA_DETAIL_SITE_ROWS, thread))                                \
  PASTA_DETAIL_HOOK_FUNCTION(name, matrix_operation, void,                                                             \
                             (::std::uint32_t m, ::std::uint32_t n, ::std::uint32_t k, ::std::uint32_t input,          \
                              ::std::uint32_t accumulator, PASTA_DETAIL_SITE_PARAMETERS),                              \
                             on_matrix_operation({m, n, k, input, accumulator}, site, PASTA_DETAIL_SITE_ROWS, thread)) \
  PASTA_DETAIL_HOOK_FUNCTION(name, call, void, (::std::uint64_t callee_address, PASTA_DETAIL_SITE_PARAMETERS),         \
                             on_call(callee_address, site, PASTA_DETAIL_SITE_ROWS, thread))                            \
  PASTA_DETAIL_HOOK_FUNCTION(name, thread_enter, void, (PASTA_DETAIL_FUNCTION_PARAMETERS),                             \
                             template on_thread<::pasta::thread_enter>(PASTA_DETAIL_FUNCTION_ROWS, thread))            \
  PASTA_DETAIL_HOOK_FUNCTION(name, thread_exit, void, (PASTA_DETAIL_FUNCTION_PARAMETERS),                              \
                             template on_thread<::pasta::thread_exit>(PASTA_DETAIL_FUNCTION_ROWS, thread))             \
  PASTA_DETAIL_HOOK_FUNCTION(name, fold, void, (PASTA_DETAIL_FUNCTION_PARAMETERS),                                     \
                             fold(PASTA_DETAIL_FUNCTION_ROWS, thread))                                                 \
  extern "C" __device__ __noinline__ ::pasta::detail::hook_result<name, void> pasta_hook_start() {                     \
    return ::pasta::detail::start_hook<name>();                                                                        \
  }
#endif
