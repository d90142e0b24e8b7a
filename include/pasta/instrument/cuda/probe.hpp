// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The probe of a run with tools on an NVIDIA GPU. Device code.
///
/// Each thread has tables with a place for every site, indexed by numbers that are constants once the kernel is
/// inlined. The compiler therefore keeps them in registers, and only what the kernel uses of them: places without a
/// site vanish. `site_table` says which site a place belongs to. It is not initialised, so that a place that only one
/// site writes to is a constant, and becomes registers only where two sites share a place; it is read only where
/// `executions` is not zero.
#ifndef PASTA_INSTRUMENT_CUDA_PROBE_HPP
#define PASTA_INSTRUMENT_CUDA_PROBE_HPP

#include <pasta/analysis/bits.hpp>
#include <pasta/instrument/cuda/region.hpp>
#include <pasta/instrument/no_probe.hpp>

namespace pasta {

namespace detail {

template <class List>
class thread_probe;

template <class... Tools>
class thread_probe<type_list<Tools...>> {
 public:
  using tools = type_list<Tools...>;
  using region = region_of<tools>;
  using options_type = typename states_of<tools>::options;
  using thread_states = typename states_of<tools>::thread;

  static constexpr std::uint32_t group_size = 32, group_count = home_row_count / group_size;

  // What is collected in registers for one place of the table, by one lane: the one with the place's number in its
  // group. So the places of a group share the registers. What other lanes have to add is merged at once.
  struct site_parts {
    state_tuple<register_parts<typename Tools::site_state>...> of;
  };

  /// A thread's tables: arrays by place. Each is a variable of its own in the kernel, since the compiler gives up on
  /// variables with too many parts. What has no initialiser is set where a site has the place, and used only then.
  struct counter_table {
    std::uint64_t executions[home_row_count] = {};  // [lane's own]
    site_parts groups[group_count] = {};            // of the place that is the lane's own in each group
  };
  struct site_table {
    device_word packed[home_row_count];
    char const* file[home_row_count];
  };
  PASTA_DEVICE PASTA_ALWAYS_INLINE thread_probe(typename region::view const& view, options_type const& options,
                                                counter_table& counters, site_table& sites)
      : view_(&view), options_(&options), counters_(&counters), sites_(&sites) {}

  template <class Event>
  static constexpr bool is_handled_v = (handles_v<Tools, Event> || ...);
  template <class Event>
  static constexpr bool is_seen_v = is_handled_v<Event> || (counts_v<Tools, Event> || ...);

  /// An event with a site. `make(lanes, site)` gives the event.
  template <class Event, class Make>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void happen(site_key const& key, Make&& make) {
    std::uint32_t const slot = slot_of(key);
    // No short cut: where the site is the only one of its place, this is known to be false without a branch.
    if ((counters_->executions[slot] != 0) &
        ((sites_->packed[slot] != key.packed) | (sites_->file[slot] != key.file))) {
      commit_apart(slot);  // another site has this place
      counters_->executions[slot] = 0;
    }
    sites_->packed[slot] = key.packed;
    sites_->file[slot] = key.file;
    ++counters_->executions[slot];
    if constexpr (is_handled_v<Event>) {
      lane_mask const lanes = warp::detail::active();
      Event event = make(lanes, slot | warp::lane() << site_lane_shift);
      if (!deliver_here(slot, lanes, event)) {
        threads_ = cold<&thread_probe::template deliver_apart<Event>>(*view_, *options_, key.packed, key.file, event,
                                                                      threads_);
      }
      warp::detail::sync(lanes);  // lanes that came together go on together, as they do without a tool
    }
  }

  /// An event without a site.
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void happen(Event const& event) {
    threads_ = cold<&thread_probe::template deliver_apart<Event>>(*view_, *options_, 0, nullptr, event, threads_);
    warp::detail::sync(event.lanes);
  }

  /// The thread's last act.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void finish() {
    bool is_alike = false;
    if (warp::detail::active() == warp::full) {
      std::uint64_t hash = 0, file = 0;
      std::uint32_t large = 0;
      check_places<0>(hash, file, large);
      hash += file;
      std::uint64_t const hash_of_lane_0 = warp::shuffle(warp::full, hash, 0);
      is_alike = warp::all(warp::full, large == 0 && hash == hash_of_lane_0);
    }
    if (is_alike) {
      commit_group<0>(warp::lane());
    } else {
      commit_each<0>();
    }
    (fold_if<Tools>(), ...);
    (commit_block<Tools>(), ...);
  }

 private:
  template <class State>
  static constexpr std::size_t index_of = [] {
    std::size_t index = 0, found = 0;
    ((std::is_same_v<Tools, State> ? static_cast<void>(found = index) : static_cast<void>(0), ++index), ...);
    return found;
  }();

  // The lanes of a warp commit 32 places together, one each: neighbouring lines lie in one group.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static constexpr std::uint32_t slot_of(site_key const& key) {
    auto const line = static_cast<std::uint32_t>(key.packed >> 44), what = static_cast<std::uint32_t>(key.what());
    std::uint32_t const size = key.size_bytes();
    return (2 * line + (what == 0 ? 0 : 1) + (what > 1 ? 16 * what : 0) + 5 * (31 - __builtin_clz(size | 1))) %
           home_row_count;
  }

  // Whether all that the handlers of an event write to is added up in registers.
  template <class Tool>
  static constexpr bool is_light_v =
      has_registers_only<typename Tool::site_state>() && has_registers_only<typename Tool::kernel_state>() &&
      has_registers_only<typename Tool::launch_state>() && has_registers_only<typename Tool::program_state>();
  template <class Event>
  static constexpr bool are_handlers_light_v = ((!handles_v<Tools, Event> || is_light_v<Tools>)&&...);

  // What the kernel itself holds of the handlers: for whole warps, where all is added up in registers. Accesses to
  // global memory in order are compiled apart, with the tools' options as constants where nobody changed them: all is
  // then known but where the access begins. For all else a function is called.
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool deliver_here(std::uint32_t slot, lane_mask lanes, Event& event) {
    if constexpr (!are_handlers_light_v<Event>) return false;
    if (lanes != warp::full) return false;
    event.lanes = warp::full;
    site_key const key{sites_->file[slot], sites_->packed[slot]};
    if constexpr (std::is_same_v<Event, memory_access>) {
      if (event.space == memory_space::global) {
        std::uint64_t const first = event.address - std::uint64_t{lane_of(event) * event.size_bytes};
        event.is_in_order = warp::all(warp::full, first == warp::shuffle(warp::full, first, 0));
        if (event.is_in_order && view_->has_default_options) {
          event.is_in_order = true;
          deliver_at(slot, key, event, options_type{});
          return true;
        }
      }
    }
    deliver_at(slot, key, event, *options_);
    return true;
  }

  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_at(std::uint32_t slot, site_key const& key, Event const& event,
                                                   options_type const& options) {
    (deliver_if<Tools, Event>(slot, key, event, options), ...);
  }

  // A handler writes to states of its own, all zeros before; what it adds is then merged to where it is kept.
  template <class Tool, class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_if(std::uint32_t slot, site_key const& key, Event const& event,
                                                   options_type const& options) {
    if constexpr (handles_v<Tool, Event>) {
      std::uint32_t lane = 0;
      if constexpr (requires { event.site; }) lane = lane_of(event);
      with_context<Tool>(slot, lane, key, options, [&](context<Tool>& at) { deliver(at, event); });
    }
  }

  // All that handlers add is merged at once. Threads' states are passed, not pointed to: they are in registers.
 public:  // what pasta::detail::cold takes the address of
  template <class Event>
  PASTA_DEVICE PASTA_NEVER_INLINE static thread_states deliver_apart(typename region::view const& view,
                                                                     options_type const& options, device_word packed,
                                                                     char const* file, Event event,
                                                                     thread_states threads) {
    (deliver_apart_if<Tools>(view, options, site_key{file, packed}, event, threads), ...);
    return threads;
  }

 private:
  template <class Tool, class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void deliver_apart_if(typename region::view const& view,
                                                                options_type const& options, site_key const& key,
                                                                Event const& event, thread_states& threads) {
    if constexpr (handles_v<Tool, Event>) {
      constexpr std::size_t index = index_of<Tool>;
      typename Tool::site_state site{};
      typename Tool::kernel_state kernel{};
      typename Tool::launch_state launch{};
      typename Tool::program_state program{};
      typename context<Tool>::parts parts{&site,    &get_state<index>(threads), &kernel, &launch,
                                          &program, &get_state<index>(options)};
      auto& shard = shard_of(view);
      if constexpr (requires { event.site; }) {
        std::uint32_t const slot = event.site & ((1u << site_lane_shift) - 1);
        site_locator const way = locate<Tool>(view, slot, key);
        parts.locator = &way;
        context<Tool> at(parts);
        deliver(at, event);
        std::uint32_t const place = find_row(view.first->entries, slot, key.packed, key.file);
        if (place != no_row) {
          merge_all(get_state<index>(shard.rows[place].states), site, &shard.rows[place].lock);
        }
      } else {
        parts.site = nullptr;
        context<Tool> at(parts);
        deliver(at, event);
      }
      merge_all(get_state<index>(shard.kernel), kernel, &shard.lock);
      merge_all(get_state<index>(shard.launch), launch, &shard.lock);
      merge_all(get_state<index>(shard.program), program, &shard.lock);
    }
  }
  template <class State>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void merge_all(shared_parts<State>& into, State const& added,
                                                         unsigned* lock) {
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (shared_parts<State>::template has_v<Part>) {
        merge_shared(&into.template get<Part>(), part<Part>(added), lock);
      }
    });
  }

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static site_locator locate(typename region::view const& view, std::uint32_t slot,
                                                              site_key const& key) {
    return {view.first->entries,
            reinterpret_cast<unsigned char*>(&get_state<index_of<Tool>>(view.first->rare[0].states)),
            reinterpret_cast<unsigned char*>(&view.first->rare[0].lock),
            static_cast<std::uint32_t>(sizeof(typename region::rare_row)),
            slot,
            key.file,
            key.packed};
  }

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void fold_if() {
    if constexpr (has_thread_state_v<Tool>) {
      with_context<Tool>(no_row, 0, {}, *options_, [&](context<Tool>& at) { Tool::fold(at.thread(), at); });
    }
  }

  template <class Tool, class Function>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void with_context(std::uint32_t slot, std::uint32_t lane, site_key const& key,
                                                     options_type const& options, Function&& f) {
    constexpr std::size_t index = index_of<Tool>;
    typename Tool::site_state site{};
    typename Tool::kernel_state kernel{};
    typename Tool::launch_state launch{};
    typename Tool::program_state program{};
    site_locator way{};
    typename context<Tool>::parts parts;
    if (slot != no_row) {
      parts.site = &site;
      way = locate<Tool>(*view_, slot, key);
      parts.locator = &way;
    }
    parts.thread = &get_state<index>(threads_);
    parts.kernel = &kernel;
    parts.launch = &launch;
    parts.program = &program;
    parts.options = &get_state<index>(options);
    context<Tool> at(parts);
    f(at);
    if (slot != no_row) keep_site<Tool>(slot, lane, key, site);
    keep_block(get_state<index>(kernels_), kernel, [&] { return &get_state<index>(shard().kernel); });
    keep_block(get_state<index>(launches_), launch, [&] { return &get_state<index>(shard().launch); });
    keep_block(get_state<index>(programs_), program, [&] { return &get_state<index>(shard().program); });
  }

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void keep_site(std::uint32_t slot, std::uint32_t lane, site_key const& key,
                                                  typename Tool::site_state const& added) {
    using state = typename Tool::site_state;
    constexpr std::size_t index = index_of<Tool>;
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (shared_parts<state>::template has_v<Part> && !register_parts<state>::template has_v<Part>) {
        if (is_neutral(part<Part>(added))) return;
        std::uint32_t const place = find_row(view_->first->entries, slot, key.packed, key.file);
        if (place == no_row) return;
        auto& row = shard().rows[place];
        merge_shared(&get_state<index>(row.states).template get<Part>(), part<Part>(added), &row.lock);
      }
    });
    if (lane == slot % group_size) {
      for_each_part<state>([&]<std::size_t Part>() {
        if constexpr (register_parts<state>::template has_v<Part>) {
          get_state<index>(counters_->groups[slot / group_size].of).template get<Part>().merge(part<Part>(added));
        }
      });
    } else {
      // Where only the place's own lane adds, the compiler sees that there is nothing.
      std::uint32_t stray = 0;
      register_parts<state> mine{};
      for_each_part<state>([&]<std::size_t Part>() {
        if constexpr (register_parts<state>::template has_v<Part>) {
          mine.template get<Part>() = part<Part>(added);
          auto const words = simt::detail::bits_as<word_pair>(part<Part>(added));
          stray |= words.low | words.high;
        }
      });
      if (stray != 0) cold<&thread_probe::template keep_apart<Tool>>(*view_, slot, key.packed, key.file, mine);
    }
  }
  struct word_pair {
    std::uint32_t low, high;
  };

 public:
  // What a lane adds to a place that is not its own.
  template <class Tool>
  PASTA_DEVICE PASTA_NEVER_INLINE static void keep_apart(typename region::view const& view, std::uint32_t slot,
                                                         device_word packed, char const* file,
                                                         register_parts<typename Tool::site_state> added) {
    using state = typename Tool::site_state;
    std::uint32_t const place = find_row(view.first->entries, slot, packed, file);
    if (place == no_row) return;
    auto& row = shard_of(view).rows[place];
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (register_parts<state>::template has_v<Part>) {
        merge_shared(&get_state<index_of<Tool>>(row.states).template get<Part>(), added.template get<Part>(),
                     &row.lock);
      }
    });
  }

 private:
  template <class State, class Where>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void keep_block(register_parts<State>& mine, State const& added, Where&& where) {
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (register_parts<State>::template has_v<Part>) {
        mine.template get<Part>().merge(part<Part>(added));
      } else if constexpr (shared_parts<State>::template has_v<Part>) {
        if (is_neutral(part<Part>(added))) return;
        merge_shared(&where()->template get<Part>(), part<Part>(added), &shard().lock);
      }
    });
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE typename region::shard& shard() const { return shard_of(*view_); }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static typename region::shard& shard_of(typename region::view const& view) {
    std::uint32_t processor = 0;
#if !PASTA_IS_HOST_PASS
    asm("mov.u32 %0, %%smid;" : "=r"(processor));
#endif
    return view.shards[processor & view.shard_mask];
  }

  // A warp commits together if it is whole and all lanes have the same site in each place; told by 64 bits of hash,
  // most of which is known to the compiler. 32 sums of less than 2^27 fit in a word.
  template <std::uint32_t Slot>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void check_places(std::uint64_t& hash, std::uint64_t& file,
                                                     std::uint32_t& large) const {
    if constexpr (Slot < home_row_count) {
      std::uint64_t const here = reinterpret_cast<std::uintptr_t>(sites_->file[Slot]);
      bool const is_used = counters_->executions[Slot] != 0;
      file = is_used && file == 0 ? here : file;
      hash += is_used ? mix(sites_->packed[Slot] + Slot) + mix(Slot + 1) * (here - file) : 0;
      large |= is_used ? static_cast<std::uint32_t>(counters_->executions[Slot] >> 27) |
                             static_cast<std::uint32_t>(counters_->executions[Slot] >> 32)
                       : 0;
      check_places<Slot + 1>(hash, file, large);
    }
  }

  struct pending {
    std::uint64_t executions = 0;
    device_word packed;
    char const* file;
  };

  template <std::uint32_t Group>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_group(std::uint32_t lane) {
    if constexpr (Group < group_count) {
      pending mine;
      gather<Group * group_size, Group * group_size + group_size>(mine, lane);
      if (mine.executions != 0) {
        commit(*view_, Group * group_size + lane, mine.packed, mine.file, mine.executions, counters_->groups[Group]);
      }
      commit_group<Group + 1>(lane);
    }
  }
  template <std::uint32_t Begin, std::uint32_t End>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void gather(pending& mine, std::uint32_t lane) const {
    if constexpr (Begin < End) {
      std::uint32_t const sum = warp::detail::full_sum(static_cast<std::uint32_t>(counters_->executions[Begin]));
      bool const is_mine = counters_->executions[Begin] != 0 && lane == Begin % group_size;
      mine.executions = is_mine ? sum : mine.executions;
      mine.packed = is_mine ? sites_->packed[Begin] : mine.packed;
      mine.file = is_mine ? sites_->file[Begin] : mine.file;
      gather<Begin + 1, End>(mine, lane);
    }
  }

  template <std::uint32_t Slot>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_each() {
    if constexpr (Slot < home_row_count) {
      if (counters_->executions[Slot] != 0) commit_apart(Slot);
      commit_each<Slot + 1>();
    }
  }

  // Lanes that are here together and have the same site add up what they have; each merges its own state.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_apart(std::uint32_t slot) {
    site_parts site = {};
    if constexpr (region::known_count > 0) {
      if (warp::lane() == slot % group_size) {
        site = counters_->groups[slot / group_size];
        counters_->groups[slot / group_size] = {};
      }
    }
    // A tool that only counts has few registers of its own to save.
    if constexpr (region::known_count == 0) {
      commit_lanes(*view_, slot, sites_->packed[slot], sites_->file[slot], counters_->executions[slot], site);
    } else {
      cold<&thread_probe::commit_lanes>(*view_, slot, sites_->packed[slot], sites_->file[slot],
                                        counters_->executions[slot], site);
    }
  }

 public:
  PASTA_DEVICE PASTA_NEVER_INLINE static void commit_lanes(typename region::view const& view, std::uint32_t slot,
                                                           device_word packed, char const* file,
                                                           std::uint64_t executions, site_parts site) {
    lane_mask const lanes = warp::detail::active();
    std::uint32_t const first = warp::lowest(lanes);
    device_word const first_packed = warp::shuffle(lanes, packed, first);  // both by all lanes, whatever the first says
    char const* const first_file = warp::shuffle(lanes, file, first);
    bool const is_same = warp::all(lanes, packed == first_packed && file == first_file);
    if (is_same) {
      std::uint64_t const sum = warp::reduce_add(lanes, executions);
      executions = warp::lane() == first ? sum : 0;
    }
    commit(view, slot, packed, file, executions, site);
  }

 private:
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void commit(typename region::view const& view, std::uint32_t slot,
                                                      device_word packed, char const* file, std::uint64_t executions,
                                                      site_parts const& site) {
    std::uint32_t const place = find_row(view.first->entries, slot, packed, file);
    if (place == no_row) {
#if !PASTA_IS_HOST_PASS
      atomicAdd(&view.first->dropped, device_word{executions});
#endif
      return;
    }
    auto& shard = shard_of(view);
    if constexpr (region::known_count > 0) {
      if (is_known(view.first->known[place], shard, place, executions, site)) return;
    }
#if !PASTA_IS_HOST_PASS
    if (executions != 0) atomicAdd(&shard.executions[place], device_word{executions});
#endif
    (commit_parts<Tools>(shard.rows[place], site), ...);
  }
  // Counts what is added, if it was added before; else remembers it for the next time.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static bool is_known(typename region::known_sum* known,
                                                        typename region::shard& shard, std::uint32_t place,
                                                        std::uint64_t executions, site_parts const& site) {
#if !PASTA_IS_HOST_PASS
    device_word words[region::word_count];
    words[0] = executions + 1;
    std::size_t next = 1;
    (write_words<Tools>(words, next, site), ...);
#pragma unroll 1
    for (std::uint32_t i = 0; i < region::known_count; ++i) {
      bool is_same = true;
      for (std::size_t word = 0; word < region::word_count; ++word) {
        is_same = is_same & (known[i].words[word] == words[word]);
      }
      if (is_same) {
        atomicAdd(&shard.times[i][place], device_word{1});
        return true;
      }
      if (known[i].words[0] == 0 && atomicCAS(&known[i].words[0], device_word{0}, words[0]) == 0) {
        for (std::size_t word = 1; word < region::word_count; ++word) known[i].words[word] = words[word];
        return false;
      }
    }
#endif
    static_cast<void>(known), static_cast<void>(shard), static_cast<void>(place);
    static_cast<void>(executions), static_cast<void>(site);
    return false;
  }
  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void write_words(device_word* words, std::size_t& next,
                                                           site_parts const& site) {
    using state = typename Tool::site_state;
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (register_parts<state>::template has_v<Part>) {
        words[next++] = simt::detail::bits_as<device_word>(get_state<index_of<Tool>>(site.of).template get<Part>()) + 1;
      }
    });
  }
  template <class Tool, class Row>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void commit_parts(Row& row, site_parts const& site) {
    using state = typename Tool::site_state;
    constexpr std::size_t index = index_of<Tool>;
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (register_parts<state>::template has_v<Part>) {
        merge_shared(&get_state<index>(row.states).template get<Part>(), get_state<index>(site.of).template get<Part>(),
                     &row.lock);
      }
    });
  }

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_block() {
    constexpr std::size_t index = index_of<Tool>;
    commit_block_parts<typename Tool::kernel_state>(get_state<index>(kernels_),
                                                    [&] { return &get_state<index>(shard().kernel); });
    commit_block_parts<typename Tool::launch_state>(get_state<index>(launches_),
                                                    [&] { return &get_state<index>(shard().launch); });
    commit_block_parts<typename Tool::program_state>(get_state<index>(programs_),
                                                     [&] { return &get_state<index>(shard().program); });
  }
  template <class State, class Where>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_block_parts(register_parts<State> const& mine, Where&& where) {
    for_each_part<State>([&]<std::size_t Part>() {
      if constexpr (register_parts<State>::template has_v<Part>) {
        auto value = mine.template get<Part>();
        if (is_neutral(value)) return;
        if constexpr (std::is_same_v<decltype(value), count>) {  // one addition for all lanes
          lane_mask const lanes = warp::detail::active();
          std::uint64_t const sum = warp::reduce_add(lanes, value.value());
          value = {};
          if (warp::is_leader(lanes)) value.add(sum);
        }
        merge_shared(&where()->template get<Part>(), value, &shard().lock);
      }
    });
  }

  typename region::view const* view_;
  options_type const* options_;
  counter_table* counters_;
  site_table* sites_;
  thread_states threads_{};
  state_tuple<register_parts<typename Tools::kernel_state>...> kernels_{};
  state_tuple<register_parts<typename Tools::launch_state>...> launches_{};
  state_tuple<register_parts<typename Tools::program_state>...> programs_{};
};

}  // namespace detail

/// The probe of a run with tools (one, or a tool_pack). All members are called on a kernel's thread.
template <class ToolOrPack>
struct probe {
  static constexpr bool is_active = true;
  using tools = tools_of_t<ToolOrPack>;
  using handle = detail::thread_probe<tools>*;

  /// A lane is about to access memory.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void access(handle mine, place const& where, access_kind kind,
                                                      memory_space space, void const* address,
                                                      std::uint64_t size_bytes) {
    if constexpr (sees<memory_access>) {
      auto const first_byte = reinterpret_cast<std::uintptr_t>(address);
      auto const size = static_cast<std::uint32_t>(size_bytes);
      mine->template happen<memory_access>(
          site_key::of(where, to_operation(kind), space, size_bytes),
          [=](lane_mask lanes, site_id site) { return memory_access{lanes, first_byte, size, kind, space, site}; });
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(kind), static_cast<void>(space);
    static_cast<void>(address), static_cast<void>(size_bytes);
  }

  /// A lane starts a copy that runs beside the kernel: the copy, its read if it reads anything, its write.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void copy_async(handle mine, place const& where, void* destination,
                                                          memory_space destination_space, void const* source,
                                                          memory_space source_space, std::uint64_t size_bytes,
                                                          std::uint64_t source_size_bytes) {
    if constexpr (sees<pasta::async_copy>) {
      mine->template happen<pasta::async_copy>(site_key::of(where, operation::copy, destination_space, size_bytes),
                                               [=](lane_mask lanes, site_id site) {
                                                 return pasta::async_copy{lanes,
                                                                          reinterpret_cast<std::uintptr_t>(source),
                                                                          reinterpret_cast<std::uintptr_t>(destination),
                                                                          size_bytes,
                                                                          source_size_bytes,
                                                                          source_space,
                                                                          destination_space,
                                                                          site};
                                               });
    }
    if (source_size_bytes > 0) access(mine, where, access_kind::load, source_space, source, source_size_bytes);
    if (size_bytes > 0) access(mine, where, access_kind::store, destination_space, destination, size_bytes);
  }

  /// A lane arrives at a barrier.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void arrive(handle mine, place const& where, barrier_scope scope) {
    if constexpr (sees<barrier>) {
      mine->template happen<barrier>(site_key::of(where, operation::barrier, memory_space::global, 0),
                                     [=](lane_mask lanes, site_id site) {
                                       return barrier{lanes, scope, site};
                                     });
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(scope);
  }

  /// A lane decides a condition.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void decide(handle mine, place const& where, bool condition) {
    if constexpr (sees<branch>) {
      mine->template happen<branch>(site_key::of(where, operation::branch, memory_space::global, 0),
                                    [=](lane_mask lanes, site_id site) {
                                      return branch{lanes, warp::ballot(lanes, condition), site};
                                    });
    }
    static_cast<void>(mine), static_cast<void>(where), static_cast<void>(condition);
  }

  /// Before the kernel's first statement and after its last.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void begin_thread(handle mine) {
    if constexpr (any_handles_v<tools, block_enter> || any_handles_v<tools, block_exit>) {
      simt::lane const here;
      if (is_first_of_block(here)) {
        if constexpr (any_handles_v<tools, block_exit>) here.template shared_array<unsigned[1], ended_count>()[0] = 0;
        if constexpr (any_handles_v<tools, block_enter>) {
          mine->happen(block_enter{lane_mask{1} << warp::lane(), here.block_index()});
        }
      }
      here.sync_block();
    }
    if constexpr (any_handles_v<tools, thread_enter>) mine->happen(thread_enter{warp::detail::active()});
    static_cast<void>(mine);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void end_thread(handle mine) {
    if constexpr (any_handles_v<tools, thread_exit>) mine->happen(thread_exit{warp::detail::active()});
    if constexpr (any_handles_v<tools, block_exit>) {
      // The last thread to end. Not a barrier: threads that end early would wait while others wait at the kernel's own.
      simt::lane const here;
      unsigned& ended = here.template shared_array<unsigned[1], ended_count>()[0];
      if (simt::atomic_add(ended, 1u) + 1 == here.block_size().count()) {
        mine->happen(block_exit{lane_mask{1} << warp::lane(), here.block_index()});
      }
    }
    mine->finish();
  }

 private:
  static constexpr int ended_count = -1;  // the number of a shared array that no kernel has

  template <class Event>
  static constexpr bool sees = any_handles_v<tools, Event> || any_counts_v<tools, Event>;

  PASTA_DEVICE static bool is_first_of_block(simt::lane const& here) {
    dim3 const index = here.thread_index();
    return (index.x | index.y | index.z) == 0;
  }
};

}  // namespace pasta
#endif
