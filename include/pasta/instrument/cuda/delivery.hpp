// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hands an event to the tools of a run and merges at once what their handlers add: for what the kernel itself does not
/// hold in registers. Device code.
#ifndef PASTA_INSTRUMENT_CUDA_DELIVERY_HPP
#define PASTA_INSTRUMENT_CUDA_DELIVERY_HPP

#include <pasta/analysis/bits.hpp>
#include <pasta/analysis/repeat.hpp>
#include <pasta/instrument/cuda/region.hpp>

namespace pasta::detail {

template <class List>
struct delivery;
template <class... Tools>
struct delivery<type_list<Tools...>> {
  using region = region_of<type_list<Tools...>>;
  using view_type = typename region::view;
  using setup = typename region::setup;
  using thread_states = typename states_of<type_list<Tools...>>::thread;

  template <class Tool>
  static constexpr std::size_t index_of = [] {
    std::size_t index = 0, found = 0;
    ((std::is_same_v<Tools, Tool> ? static_cast<void>(found = index) : static_cast<void>(0), ++index), ...);
    return found;
  }();

  /// Whether all that a tool's handlers write to can be added up in registers.
  template <class Tool>
  static constexpr bool is_light_v =
      has_registers_only<typename Tool::site_state>() && has_registers_only<typename Tool::kernel_state>() &&
      has_registers_only<typename Tool::launch_state>() && has_registers_only<typename Tool::program_state>() &&
      !has_shadow_v<Tool>;

  /// Where a multiprocessor collects.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint32_t shard_number(view_type const& view) {
    std::uint32_t processor = 0;
#if !PASTA_IS_HOST_PASS
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
#endif
    return processor & view.shard_mask;
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static typename region::shard& shard_of(view_type const& view) {
    return view.shards[shard_number(view)];
  }

  /// @param key packed is 0 where the slot is the row
  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static site_locator locate(view_type const& view, std::uint32_t slot,
                                                              site_key const& key) {
    return {view.first->entries,
            reinterpret_cast<unsigned char*>(&get_state<index_of<Tool>>(view.first->rare[0].states)),
            reinterpret_cast<unsigned char*>(&view.first->rare[0].lock),
            static_cast<std::uint32_t>(sizeof(typename region::rare_row)),
            slot,
            key.file,
            key.packed};
  }

  /// Any event. Threads' states are passed, not pointed to: they are in registers.
  template <class Event>
  PASTA_DEVICE PASTA_NEVER_INLINE static thread_states deliver_apart(setup const& given, device_word packed,
                                                                     char const* file, Event event,
                                                                     thread_states threads) {
    std::uint32_t row = no_row;
    if constexpr (requires { event.site; }) {
      std::uint32_t const slot = event.site & ((1u << site_lane_shift) - 1);
      row = find_row(given.where.first->entries, slot, packed, file);
    }
    (deliver_to<Tools>(given, shard_of(given.where), site_key{file, packed}, row, event, threads, 1), ...);
    return threads;
  }

  /// A request that has no like, and its lanes. Few parameters: what else the event says is in its site's key.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void deliver_request(setup const& given, std::uint32_t row,
                                                               device_word packed, lane_mask lanes,
                                                               std::uint64_t address, std::uint64_t times = 1) {
    site_key const key{nullptr, packed};
    std::uint32_t const lane = warp::lane();
    auto& shard = shard_of(given.where);
    if (lane == warp::lowest(lanes)) count_executions(given.where, shard, row, warp::count(lanes) * times);
    memory_access const access = access_of(key, lanes, address, row == no_row ? 0 : row, lane, nullptr);
    thread_states none{};
    (deliver_to<Tools>(given, shard, key, row, access, none, times), ...);
  }

  /// The requests of some lanes, or that were refused.
  PASTA_DEVICE PASTA_NEVER_INLINE static void deliver_some(setup const& given, std::uint32_t slot, device_word packed,
                                                           char const* file, lane_mask lanes, std::uint64_t address) {
    std::uint32_t const row = find_row(given.where.first->entries, slot, packed, file);
    if (row != no_row && is_run(lanes) && given.where.counted_lanes != 0) {
      std::uint64_t const first = warp::shuffle(lanes, address, warp::lowest(lanes));
      auto const distance = static_cast<std::int64_t>(address - first);
      auto const first_byte = static_cast<std::uint32_t>(first % alike_period);
      if (warp::all(lanes, static_cast<std::int32_t>(distance) == distance)) {
        std::uint32_t const layout =
            find_layout(&given.where.first->layouts, row, lanes, first_byte, static_cast<std::int32_t>(distance));
        if (layout != request_word::unnamed) {
          count_layout(given.where, layout, lanes);
          return;
        }
      }
    }
    deliver_request(given, row, packed, lanes, address);
  }

  /// Counts a request of neighbouring lanes, element after element, as at an array's edge. Few instructions.
  /// @return false: it is another request, or there is no room for its layout
  PASTA_DEVICE PASTA_NEVER_INLINE static bool try_run(setup const& given, std::uint32_t slot, device_word packed,
                                                      char const* file, lane_mask lanes, std::uint64_t address) {
    if (!is_run(lanes) || given.where.counted_lanes == 0) return false;
    if (!warp::all(lanes, is_home(given.where.first->entries[slot], packed, file))) return false;
    std::uint32_t const lowest = warp::lowest(lanes);
    std::uint64_t const first = warp::shuffle(lanes, address, lowest);
    std::uint32_t const offset = (warp::lane() - lowest) * site_key{nullptr, packed}.size_of_access();
    if (!warp::all(lanes, address - first == offset)) return false;
    std::uint32_t const layout =
        find_run(&given.where.first->layouts, slot, lanes, static_cast<std::uint32_t>(first) % alike_period,
                 static_cast<std::int32_t>(offset));
    if (layout == request_word::unnamed) return false;
    count_layout(given.where, layout, lanes);
    return true;
  }

  /// The same for a whole warp, where no more than a few additions to memory are needed: few instructions and
  /// registers, and no function is called. @return false: nothing was done
  PASTA_DEVICE PASTA_NEVER_INLINE static bool try_request(setup const& given, std::uint32_t slot, device_word packed,
                                                          char const* file, std::uint64_t address) {
    if constexpr (!are_light) {
      return false;
    } else {
      if (!warp::all(warp::full, is_home(given.where.first->entries[slot], packed, file))) return false;
      site_key const key{nullptr, packed};
      std::uint32_t const lane = warp::lane();
      request_trial trial;
      memory_access const access = access_of(key, warp::full, address, slot, lane, &trial);
      tool_states added{};
      auto& shard = shard_of(given.where);
      (try_tool<Tools>(given, shard, key, slot, access, added), ...);
      if (warp::any(warp::full, trial.is_refused)) return false;
      if (lane == slot % warp::width()) add_word(&shard.executions[slot], warp::width());
      (add_states<Tools>(shard, slot, added), ...);
      return true;
    }
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE static void count_executions(view_type const& view, typename region::shard& shard,
                                                                std::uint32_t row, std::uint64_t lanes) {
    add_word(row == no_row ? &view.first->dropped : &shard.executions[row], lanes);
  }

  /// @param word of the requests; @param times how many
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void count_requests(view_type const& view,
                                                              typename region::request_counts& counted,
                                                              std::uint32_t row, std::uint32_t word,
                                                              std::uint64_t times) {
    if (times == 0) return;
    if (row >= row_count) {
      add_word(&view.first->dropped, warp::width() * times);
    } else if (request_word::layout(word) == 0) {
      add_word(&counted.in_order[request_word::first_byte(word)][row], times);
    } else {
      add_word(&counted.others[request_word::layout(word) - 1], times);
    }
  }

 private:
  // Lanes here and there have too many layouts.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bool is_run(lane_mask lanes) {
    lane_mask const run = lanes >> warp::lowest(lanes);
    return lanes != warp::full && (run & (run + 1)) == 0;
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void count_layout(view_type const& view, std::uint32_t layout,
                                                            lane_mask lanes) {
    if (warp::is_leader(lanes)) add_word(&view.requests[shard_number(view)].others[layout - 1], 1);
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE static memory_access access_of(site_key const& key, lane_mask lanes,
                                                                  std::uint64_t address, std::uint32_t row,
                                                                  std::uint32_t lane, request_trial* trial) {
    return {lanes,
            address,
            key.size_of_access(),
            static_cast<access_kind>(key.what()),
            key.space(),
            row | lane << site_lane_shift,
            trial};
  }

  struct tool_states {
    state_tuple<typename Tools::site_state...> site;
    state_tuple<typename Tools::kernel_state...> kernel;
    state_tuple<typename Tools::launch_state...> launch;
    state_tuple<typename Tools::program_state...> program;
  };
  static constexpr bool are_light = ((!handles_v<Tools, memory_access> || is_light_v<Tools>)&&...);

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void try_tool(setup const& given, typename region::shard const& shard,
                                                        site_key const& key, std::uint32_t row,
                                                        memory_access const& access, tool_states& added) {
    if constexpr (handles_v<Tool, memory_access>) {
      if (!watches<Tool>(key)) return;
      constexpr std::size_t index = index_of<Tool>;
      site_locator const way = locate<Tool>(given.where, row, {});
      typename Tool::thread_state none{};
      typename context<Tool>::parts const parts{&get_state<index>(added.site),
                                                &none,
                                                &get_state<index>(added.kernel),
                                                &get_state<index>(added.launch),
                                                &get_state<index>(added.program),
                                                &get_state<index>(given.options),
                                                &way};
      context<Tool> at(parts);
      deliver(at, access);
      auto const& kept = given.where.shards[0];
      bool const is_all = are_added(get_state<index>(kept.rows[row].states), get_state<index>(added.site)) &
                          are_added(get_state<index>(kept.kernel), get_state<index>(added.kernel)) &
                          are_added(get_state<index>(kept.launch), get_state<index>(added.launch)) &
                          are_added(get_state<index>(kept.program), get_state<index>(added.program));
      access.trial->is_refused |= !is_all;
    }
  }
  template <class State>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bool are_added(shared_parts<State> const& into, State const& added) {
    bool is_all = true;
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (shared_parts<State>::template has_v<Part>) {
        is_all &= is_added(&into.template get<Part>(), part<Part>(added));
      }
    });
    return is_all;
  }
  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void add_states(typename region::shard& shard, std::uint32_t row,
                                                          tool_states const& added) {
    constexpr std::size_t index = index_of<Tool>;
    add_counts(get_state<index>(shard.rows[row].states), get_state<index>(added.site));
    add_counts(get_state<index>(shard.kernel), get_state<index>(added.kernel));
    add_counts(get_state<index>(shard.launch), get_state<index>(added.launch));
    add_counts(get_state<index>(shard.program), get_state<index>(added.program));
  }
  template <class State>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void add_counts(shared_parts<State>& into, State const& added) {
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (std::is_same_v<part_t<Part, State>, count>) {
        merge_shared(&into.template get<Part>(), part<Part>(added), nullptr);
      }
    });
  }

  // A handler writes to states of its own, all zeros before.
  template <class Tool, class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void deliver_to(setup const& given, typename region::shard& shard,
                                                          site_key const& key, std::uint32_t row, Event const& event,
                                                          thread_states& threads, std::uint64_t times) {
    if constexpr (handles_v<Tool, Event>) {
      constexpr std::size_t index = index_of<Tool>;
      typename Tool::site_state site{};
      typename Tool::kernel_state kernel{};
      typename Tool::launch_state launch{};
      typename Tool::program_state program{};
      typename context<Tool>::parts parts{&site,    &get_state<index>(threads),      &kernel, &launch,
                                          &program, &get_state<index>(given.options)};
      parts.shadow = make_shadow<Tool>(given.shadow.view());
      auto& kept = given.where.shards[0];
      if constexpr (requires { event.site; }) {
        if (!watches<Tool>(key)) return;
        site_locator const way = locate<Tool>(given.where, row, {});
        parts.locator = &way;
        context<Tool> at(parts);
        deliver(at, event);
        if (row != no_row) {
          merge_all(event.lanes, get_state<index>(shard.rows[row].states), get_state<index>(kept.rows[row].states),
                    site, times, &shard.rows[row].lock);
        }
      } else {
        parts.site = nullptr;
        context<Tool> at(parts);
        deliver(at, event);
      }
      merge_all(event.lanes, get_state<index>(shard.kernel), get_state<index>(kept.kernel), kernel, times, &shard.lock);
      merge_all(event.lanes, get_state<index>(shard.launch), get_state<index>(kept.launch), launch, times, &shard.lock);
      merge_all(event.lanes, get_state<index>(shard.program), get_state<index>(kept.program), program, times,
                &shard.lock);
    }
  }
  // What seldom changes has one place for all multiprocessors, which their first-level caches keep: what a
  // multiprocessor adds to leaves its cache.
  template <class State>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void merge_all(lane_mask lanes, shared_parts<State>& into,
                                                         shared_parts<State>& kept, State& added, std::uint64_t times,
                                                         unsigned* lock) {
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (shared_parts<State>::template has_v<Part>) {
        if (times != 1 && !is_neutral(part<Part>(added))) repeat(part<Part>(added), times);
        auto& to = is_exchanged_v<part_t<Part, State>> ? kept : into;
        merge_together(lanes, &to.template get<Part>(), part<Part>(added), lock);
      }
    });
  }
};

}  // namespace pasta::detail
#endif
