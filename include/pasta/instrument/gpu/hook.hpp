// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The hook of the llvm route: a tool's handlers as functions that the pass plugin (tools/llvm) puts into the code of a
/// GPU whose lanes go in step. pasta_add_tool compiles it to bitcode:
///
///     #include "coalescing.hpp"
///     #include <pasta/instrument/gpu/hook.hpp>
///     PASTA_LLVM_HOOK(coalescing)
///
/// Its functions are those of instrument/hook_abi.hpp, and return nothing; `keeps` is not asked for. pasta_hook_block
/// gives the number of the thread's block, by which it takes a shard, pasta_hook_launch_set where its launch has memory
/// of its own. Rows are pointers to the GPU's memory. Behind them is a pointer to the thread_state, words of 32 bits of
/// the thread's own, which the compiler keeps in registers where the hook is inlined; null for a tool without one. What
/// a handler adds is merged before the function ends.
#ifndef PASTA_INSTRUMENT_GPU_HOOK_HPP
#define PASTA_INSTRUMENT_GPU_HOOK_HPP

#include <pasta/analysis/gpu/request_sample.hpp>
#include <pasta/analysis/gpu/uniform.hpp>
#include <pasta/analysis/shadow_bits.hpp>
#include <pasta/instrument/check_tool.hpp>
#include <pasta/instrument/hook_events.hpp>
#include <pasta/instrument/hook_layout.hpp>
#include <pasta/instrument/launch_sets.hpp>

// A GPU without machine code has other ways to ask (tests/emulation/hip).
#ifndef PASTA_DISPATCH_ID
// clang has no word for it, but for the intrinsic's name.
extern "C" __device__ std::uint64_t pasta_dispatch_id() __asm("llvm.amdgcn.dispatch.id");
#define PASTA_DISPATCH_ID() pasta_dispatch_id()
#define PASTA_QUEUE() reinterpret_cast<std::uint64_t>((void const*)__builtin_amdgcn_queue_ptr())
#endif

namespace pasta::detail {

/// To memory that all threads of a GPU share, and to a thread's own. Told apart, so that they become instructions for
/// such memory.
using device_bytes = __attribute__((address_space(1))) unsigned char*;
using thread_words = __attribute__((address_space(5))) std::uint32_t*;

/// Rows that a hook writes to: instrument/hook_layout.hpp.
struct device_rows {
  unsigned char *site_shard, *site_shared, *function_shard, *function_shared;
};

/// Merges what a handler added into a row.
template <class State>
PASTA_DEVICE PASTA_ALWAYS_INLINE void merge_row(lane_mask lanes, unsigned char* shard, unsigned char* shared,
                                                State const& added) {
  if constexpr (!std::is_empty_v<State>) {
    using layout = row_layout<State>;
    for_each_part<State>([&]<std::size_t Part>() {
      using field = part_t<Part, State>;
      if constexpr (placement_v<field> != placement::rare) {
        unsigned char* const into =
            (layout::template is_shared_v<Part> ? shared : shard) + layout::template offset_v<Part>;
        merge_shared(lanes, *reinterpret_cast<field*>(into), part<Part>(added),
                     *reinterpret_cast<std::uint32_t*>(shard + layout::shard_lock));
      }
    });
  }
}

template <class Tool>
struct device_hook {
  using layout = hook_layout<Tool>;
  using thread_state = typename Tool::thread_state;
  static constexpr std::uint32_t thread_state_words = has_thread_state_v<Tool> ? (sizeof(thread_state) + 3) / 4 : 0;

  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_memory_access(hook_access what, device_rows const& rows,
                                                                thread_state& thread) {
    auto const kind = static_cast<access_kind>(what.kind);
    auto space = static_cast<memory_space>(what.space);
    if (space == memory_space::generic) {
      space = simt::lane().space_of(reinterpret_cast<void const*>(what.address));
      if (space != memory_space::global) what.address &= 0xffffffff;  // in its space's window
    }
    if (!watches<Tool>(site_key::of({nullptr, 0, 0}, to_operation(kind), space, what.size_bytes))) return;
    memory_access const event{warp::detail::active(), what.address, what.size_bytes, kind, space, what.site};
    deliver_at_site(event, rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_async_copy(hook_copy const& what, std::uint32_t site,
                                                             device_rows const& rows, thread_state& thread) {
    deliver_at_site(async_copy{warp::detail::active(), what.source_address, what.destination_address, what.size_bytes,
                               what.source_size_bytes, static_cast<memory_space>(what.source_space),
                               static_cast<memory_space>(what.destination_space), site},
                    rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_barrier(std::uint32_t scope, std::uint32_t site,
                                                          device_rows const& rows, thread_state& thread) {
    deliver_at_site(barrier{warp::detail::active(), static_cast<barrier_scope>(scope), site}, rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_branch(std::uint32_t is_taken, std::uint32_t site,
                                                         device_rows const& rows, thread_state& thread) {
    lane_mask const lanes = warp::detail::active();
    deliver_at_site(branch{lanes, warp::ballot(lanes, is_taken != 0), site}, rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_matrix_operation(hook_product const& what, std::uint32_t site,
                                                                   device_rows const& rows, thread_state& thread) {
    deliver_at_site(
        matrix_operation{warp::detail::active(), static_cast<std::uint16_t>(what.m), static_cast<std::uint16_t>(what.n),
                         static_cast<std::uint16_t>(what.k), static_cast<element_type>(what.input),
                         static_cast<element_type>(what.accumulator), site},
        rows, thread);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_call(std::uint64_t callee_address, std::uint32_t site,
                                                       device_rows const& rows, thread_state& thread) {
    deliver_at_site(call{warp::detail::active(), callee_address, site}, rows, thread);
  }
  /// thread_enter, thread_exit
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void on_thread(device_rows const& rows, thread_state& thread) {
    Event const event{warp::detail::active()};
    run<no_site>(event.lanes, rows, thread, [&](context<Tool>& to) { deliver(to, event); });
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void fold(device_rows const& rows, thread_state& thread) {
    run<no_site>(warp::detail::active(), rows, thread, [&](context<Tool>& to) { Tool::fold(to.thread(), to); });
  }

 private:
  enum where : std::uint8_t { no_site, has_site };

  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void deliver_at_site(Event const& event, device_rows const& rows,
                                                               thread_state& thread) {
    if (warp::is_leader(event.lanes)) {
      simt::atomic_add(*reinterpret_cast<device_word*>(rows.site_shard), device_word{warp::count(event.lanes)});
    }
    run<has_site>(event.lanes, rows, thread, [&](context<Tool>& to) { deliver(to, event); });
  }

  // A handler writes to states of its own, all zeros before; what it adds is then merged to where it is kept.
  template <where Where, class Handler>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void run(lane_mask lanes, device_rows const& rows, thread_state& thread,
                                                   Handler&& handler) {
    typename Tool::options const options{};
    typename Tool::site_state site{};
    typename Tool::kernel_state kernel{};
    typename Tool::launch_state launch{};
    typename Tool::program_state program{};
    using site_layout = typename layout::site;
    site_locator way{nullptr, nullptr};
    if constexpr (Where == has_site) {
      way = {rows.site_shared + site_layout::rare,
             reinterpret_cast<std::uint32_t*>(rows.site_shared + site_layout::shared_lock)};
    }
    shadow_view const* shadow = nullptr;
    if constexpr (has_shadow_v<Tool>) {
      shadow =
          uniform_pointer(*reinterpret_cast<shadow_view const* const*>(rows.function_shared + layout::shadow_shared));
    }
    context<Tool> to(typename context<Tool>::parts{&site, &thread, &kernel, &launch, &program, &options, &way,
                                                   make_shadow<Tool>(shadow)});
    handler(to);
    if constexpr (Where == has_site) merge_row(lanes, rows.site_shard, rows.site_shared, site);
    unsigned char *const shard = rows.function_shard, *const shared = rows.function_shared;
    merge_row(lanes, shard, shared, kernel);
    merge_row(lanes, shard + layout::launch_shard, shared + layout::launch_shared, launch);
    merge_row(lanes, shard + layout::program_shard, shared + layout::program_shared, program);
  }
};

/// Writes to a word that is written once, unless it is written. @return what is there
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint64_t write_once(std::uint64_t& word, std::uint64_t value) {
  std::uint64_t seen = uniform_word(word);  // an old value can only be zero
  if (seen == 0) seen = uniform_word(simt::atomic_compare_exchange(word, 0, value));
  return seen == 0 ? value : seen;
}

/// The set of the launch that the wave is of. @param function of a kernel; 0: of a function that kernels call
/// @return its address, the same for all lanes; 0: launches are not kept apart, or there is none for it
PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint64_t find_launch_set(unsigned char* table, std::uint32_t function) {
  if (table == nullptr) return 0;
  auto const& sets = *reinterpret_cast<launch_sets const*>(table);
  auto* const entries = reinterpret_cast<launch_entry*>(table + sizeof(launch_sets));
  std::uint64_t const dispatch = PASTA_DISPATCH_ID() + 1, queue = PASTA_QUEUE();
  PASTA_NO_UNROLL
  for (std::uint32_t tries = 0; tries < launch_set_tries; ++tries) {
    auto const number = static_cast<std::uint32_t>((dispatch + tries) & uniform_word(sets.set_mask));
    launch_entry& entry = entries[number];
    if (write_once(entry.dispatch, dispatch) != dispatch || write_once(entry.queue, queue) != queue) continue;
    if (function != 0) entry.function = function;
    return uniform_word(sets.first) + std::uint64_t{number} * static_cast<std::uint32_t>(uniform_word(sets.set_bytes));
  }
  return 0;
}

/// One function of the hook.
/// @param handle called with the thread's state; not compiled where the tool has nothing to do
template <class Tool, hook_function Function, class Handle>
PASTA_DEVICE PASTA_ALWAYS_INLINE void run_device_hook([[maybe_unused]] thread_words words,
                                                      [[maybe_unused]] Handle&& handle) {
  if constexpr (has_function_v<Tool, Function>) {
    typename Tool::thread_state thread{};
    if constexpr (has_thread_state_v<Tool>) {
      std::uint32_t copy[device_hook<Tool>::thread_state_words];
      if constexpr (Function != hook_function::start) {
        PASTA_UNROLL
        for (std::uint32_t i = 0; i < device_hook<Tool>::thread_state_words; ++i) copy[i] = words[i];
        __builtin_memcpy(static_cast<void*>(&thread), copy, sizeof thread);
      }
      handle(thread);
      __builtin_memcpy(copy, static_cast<void const*>(&thread), sizeof thread);
      PASTA_UNROLL
      for (std::uint32_t i = 0; i < device_hook<Tool>::thread_state_words; ++i) words[i] = copy[i];
    } else {
      handle(thread);
    }
  }
}

}  // namespace pasta::detail

#define PASTA_DETAIL_FUNCTION_PARAMETERS \
  ::pasta::detail::device_bytes function_shard, ::pasta::detail::device_bytes function_shared
#define PASTA_DETAIL_SITE_PARAMETERS                                                                         \
  ::std::uint32_t site, ::pasta::detail::device_bytes site_shard, ::pasta::detail::device_bytes site_shared, \
      PASTA_DETAIL_FUNCTION_PARAMETERS
#define PASTA_DETAIL_BYTES(from) ((unsigned char*)(from))
#define PASTA_DETAIL_FUNCTION_ROWS \
  { nullptr, nullptr, PASTA_DETAIL_BYTES(function_shard), PASTA_DETAIL_BYTES(function_shared) }
#define PASTA_DETAIL_SITE_ROWS                                                                           \
  {                                                                                                      \
    PASTA_DETAIL_BYTES(site_shard), PASTA_DETAIL_BYTES(site_shared), PASTA_DETAIL_BYTES(function_shard), \
        PASTA_DETAIL_BYTES(function_shared)                                                              \
  }
#define PASTA_DETAIL_WITHOUT_PARENTHESES(...) __VA_ARGS__
// A function of the hook: `…` is what it calls of device_hook<name>.
#define PASTA_DETAIL_HOOK_FUNCTION(name, function, parameters, ...)                                                   \
  extern "C" __device__ __attribute__((used)) void pasta_hook_##function(PASTA_DETAIL_WITHOUT_PARENTHESES parameters, \
                                                                         ::pasta::detail::thread_words state) {       \
    ::pasta::detail::run_device_hook<name, ::pasta::detail::hook_function::function>(                                 \
        state, [&](auto& thread) { ::pasta::detail::device_hook<name>::__VA_ARGS__; });                               \
  }

/// Stands once, after the tool's class.
#define PASTA_LLVM_HOOK(name)                                                                                          \
  static_assert(::pasta::check_tool<name>());                                                                          \
  extern "C" __device__ __constant__                                                                                   \
      __attribute__((used)) ::std::uint32_t const pasta_hook_abi[::pasta::detail::hook_abi_words] = {                  \
          ::pasta::detail::hook_abi_version,                                                                           \
          static_cast<::std::uint32_t>(::pasta::detail::hook_events<name>::obstacle),                                  \
          ::pasta::detail::hook_events<name>::events,                                                                  \
          ::pasta::detail::hook_layout<name>::site_shard_bytes,                                                        \
          ::pasta::detail::hook_layout<name>::site_shared_bytes,                                                       \
          ::pasta::detail::hook_layout<name>::function_shard_bytes,                                                    \
          ::pasta::detail::hook_layout<name>::function_shared_bytes,                                                   \
          static_cast<::std::uint32_t>(::pasta::detail::hook_events<name>::watched),                                   \
          static_cast<::std::uint32_t>(::pasta::detail::hook_events<name>::watched >> 32),                             \
          ::pasta::detail::never_kept,                                                                                 \
          0,                                                                                                           \
          0,                                                                                                           \
          0,                                                                                                           \
          0,                                                                                                           \
          0,                                                                                                           \
          ::pasta::detail::device_hook<name>::thread_state_words};                                                     \
  PASTA_DETAIL_HOOK_FUNCTION(                                                                                          \
      name, memory_access,                                                                                             \
      (::std::uint64_t address, ::std::uint32_t size_bytes, ::std::uint32_t kind, ::std::uint32_t space,               \
       PASTA_DETAIL_SITE_PARAMETERS),                                                                                  \
      on_memory_access({address, size_bytes, kind, space, site}, PASTA_DETAIL_SITE_ROWS, thread))                      \
  PASTA_DETAIL_HOOK_FUNCTION(                                                                                          \
      name, async_copy,                                                                                                \
      (::std::uint64_t source_address, ::std::uint64_t destination_address, ::std::uint64_t size_bytes,                \
       ::std::uint64_t source_size_bytes, ::std::uint32_t source_space, ::std::uint32_t destination_space,             \
       PASTA_DETAIL_SITE_PARAMETERS),                                                                                  \
      on_async_copy(                                                                                                   \
          {source_address, destination_address, size_bytes, source_size_bytes, source_space, destination_space}, site, \
          PASTA_DETAIL_SITE_ROWS, thread))                                                                             \
  PASTA_DETAIL_HOOK_FUNCTION(name, barrier, (::std::uint32_t scope, PASTA_DETAIL_SITE_PARAMETERS),                     \
                             on_barrier(scope, site, PASTA_DETAIL_SITE_ROWS, thread))                                  \
  PASTA_DETAIL_HOOK_FUNCTION(name, branch, (::std::uint32_t is_taken, PASTA_DETAIL_SITE_PARAMETERS),                   \
                             on_branch(is_taken, site, PASTA_DETAIL_SITE_ROWS, thread))                                \
  PASTA_DETAIL_HOOK_FUNCTION(name, matrix_operation,                                                                   \
                             (::std::uint32_t m, ::std::uint32_t n, ::std::uint32_t k, ::std::uint32_t input,          \
                              ::std::uint32_t accumulator, PASTA_DETAIL_SITE_PARAMETERS),                              \
                             on_matrix_operation({m, n, k, input, accumulator}, site, PASTA_DETAIL_SITE_ROWS, thread)) \
  PASTA_DETAIL_HOOK_FUNCTION(name, call, (::std::uint64_t callee_address, PASTA_DETAIL_SITE_PARAMETERS),               \
                             on_call(callee_address, site, PASTA_DETAIL_SITE_ROWS, thread))                            \
  PASTA_DETAIL_HOOK_FUNCTION(name, thread_enter, (PASTA_DETAIL_FUNCTION_PARAMETERS),                                   \
                             template on_thread<::pasta::thread_enter>(PASTA_DETAIL_FUNCTION_ROWS, thread))            \
  PASTA_DETAIL_HOOK_FUNCTION(name, thread_exit, (PASTA_DETAIL_FUNCTION_PARAMETERS),                                    \
                             template on_thread<::pasta::thread_exit>(PASTA_DETAIL_FUNCTION_ROWS, thread))             \
  PASTA_DETAIL_HOOK_FUNCTION(name, fold, (PASTA_DETAIL_FUNCTION_PARAMETERS), fold(PASTA_DETAIL_FUNCTION_ROWS, thread)) \
  extern "C" __device__ __attribute__((used)) void pasta_hook_start(::pasta::detail::thread_words state) {             \
    ::pasta::detail::run_device_hook<name, ::pasta::detail::hook_function::start>(state, [](auto&) {});                \
  }                                                                                                                    \
  /* By its number blocks take a shard: known without a look at memory. */                                             \
  extern "C" __device__ __attribute__((used)) ::std::uint32_t pasta_hook_block() {                                     \
    return blockIdx.x + 31 * (blockIdx.y + 31 * blockIdx.z);                                                           \
  }                                                                                                                    \
  extern "C" __device__ __attribute__((used)) ::std::uint64_t pasta_hook_launch_set(                                   \
      ::pasta::detail::device_bytes table, ::std::uint32_t function) {                                                 \
    return ::pasta::detail::find_launch_set(PASTA_DETAIL_BYTES(table), function);                                      \
  }
#endif
