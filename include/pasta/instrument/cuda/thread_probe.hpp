// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The probe of a run with tools on an NVIDIA GPU. Device code.
///
/// Each thread has tables with a place for every site, indexed by numbers that are constants once the kernel is
/// inlined. The compiler therefore keeps them in registers, and only what the kernel uses of them: places without a
/// site vanish. `site_table` says which site a place belongs to. It is not initialised, so that a place that only one
/// site writes to is a constant, and becomes registers only where two sites share a place; it is read only where
/// something was counted.
///
/// Where the tools say which requests are alike (tool::address_period), a request of a whole warp is not handled in the
/// kernel but counted, if its lanes lie element after element, or as those of the site's request before; settle.hpp
/// handles it. A warp that did what others did is counted as a whole (patterns.hpp).
#ifndef PASTA_INSTRUMENT_CUDA_THREAD_PROBE_HPP
#define PASTA_INSTRUMENT_CUDA_THREAD_PROBE_HPP

#include <pasta/instrument/cuda/delivery.hpp>
#include <pasta/instrument/cuda/request_anchor.hpp>
#include <pasta/instrument/cuda/running_hash.hpp>
#include <pasta/instrument/cuda/site_requests.hpp>

namespace pasta {

namespace detail {

template <class List>
class thread_probe;

template <class... Tools>
class thread_probe<type_list<Tools...>> {
 public:
  using tools = type_list<Tools...>;
  using region = region_of<tools>;
  using view_type = typename region::view;
  using setup = typename region::setup;
  using thread_states = typename states_of<tools>::thread;
  using choice = site_choice<tools>;
  using by_call = delivery<tools>;

  /// Whether any handler runs in a kernel, or anything in its place.
  static constexpr bool has_handlers =
      (any_handles_v<tools, memory_access> || any_handles_v<tools, async_copy> || any_handles_v<tools, barrier> ||
       any_handles_v<tools, branch> || any_handles_v<tools, matrix_operation>);
  // Whether a lane can be counted as one that does what most do when it first writes, while memory is asked for what
  // the kernel wants to have, and not at its end, where its warp would keep a place that another could have.
  static constexpr bool can_count_early = region::has_patterns && !has_handlers;
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
  using request_table = site_requests::request_table;
  using expectation_table = site_requests::expectation_table;
  struct site_table {
    device_word packed[home_row_count];
    char const* file[home_row_count];
    char const* last_file;
  };
  /// @param is_small whether the kernel has registers to spare: a constant
  PASTA_DEVICE PASTA_ALWAYS_INLINE thread_probe(setup const& given, bool is_small, counter_table& counters,
                                                request_table& requests, expectation_table& expected, site_table& sites)
      : given_(&given),
        is_small_(is_small),
        anchor_(is_small),
        counters_(&counters),
        requests_(requests, expected),
        sites_(&sites),
        lane_(region::has_patterns && has_handlers ? warp::lane() : 0) {}

  /// A lane is about to access memory.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void access(site_key const& key, std::uint64_t first_byte,
                                               array_position const& position) {
    if constexpr (region::has_alike_requests) {
      if (choice::template handles<memory_access>(key)) {
        request(key, first_byte, position);
        return;
      }
      if (choice::template sees<memory_access>(key)) {
        note(enter(key), key);
      }
    } else {
      happen<memory_access>(key, [&](lane_mask lanes, site_id site) {
        return memory_access{lanes,       first_byte, key.size_of_access(), static_cast<access_kind>(key.what()),
                             key.space(), site};
      });
    }
  }

  /// An event with a site. `make(lanes, site)` gives the event.
  template <class Event, class Make>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void happen(site_key const& key, Make&& make) {
    if (!choice::template sees<Event>(key)) return;
    std::uint32_t const slot = enter(key);
    note(slot, key);
    if constexpr ((handles_v<Tools, Event> || ...)) {
      if (!choice::template handles<Event>(key)) return;
      lane_mask const lanes = warp::detail::active();
      Event event = make(lanes, slot | warp::lane() << site_lane_shift);
      if (!deliver_here(slot, lanes, event) && warp::detail::is_among(lanes)) {
        threads_ = cold<&by_call::template deliver_apart<Event>>()(*given_, key.packed, key.file, event, threads_);
      }
      warp::detail::sync(lanes);  // lanes that came together go on together, as they do without a tool
    }
  }

  /// An event without a site.
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void happen(Event const& event) {
    if (warp::detail::is_among(event.lanes)) {
      threads_ = cold<&by_call::template deliver_apart<Event>>()(*given_, 0, nullptr, event, threads_);
    }
    warp::detail::sync(event.lanes);
  }

  /// The thread's last act.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void finish() {
    if (!is_committed_as_pattern()) {
      if constexpr (counts_lanes) {
        if (has_places_alike()) {
          commit_group<0>(warp::lane());
        } else {
          commit_each<0>();
        }
      }
      if constexpr (region::has_alike_requests) commit_requests<0>();
    }
    (fold_if<Tools>(), ...);
    (commit_block<Tools>(), ...);
  }

 private:
  // Whether each lane counts for itself what happens at a site.
  template <class... Events>
  static constexpr bool is_any_handled_v = (any_handles_v<tools, Events> || ...);
  template <class... Events>
  static constexpr bool is_any_counted_v = (any_counts_v<tools, Events> || ...);
  static constexpr bool counts_lanes = !region::has_alike_requests ||
                                       is_any_counted_v<memory_access, async_copy, barrier, branch, matrix_operation> ||
                                       is_any_handled_v<async_copy, barrier, branch, matrix_operation>;

  // The place of a site, which it has from now on.
  PASTA_DEVICE PASTA_ALWAYS_INLINE std::uint32_t enter(site_key const& key) {
    std::uint32_t const slot = slot_of(key);
    // No short cut: where the site is the only one of its place, this is known to be false without a branch.
    if (((counters_->executions[slot] != 0) | (requests_.uncommitted(slot) != 0)) &
        ((sites_->packed[slot] != key.packed) | (sites_->file[slot] != key.file))) {  // another site has this place
      commit_apart(slot);
      if constexpr (region::has_alike_requests) is_torn_ |= warp::detail::active() != warp::full;
    }
    sites_->packed[slot] = key.packed;
    sites_->file[slot] = key.file;
    sites_->last_file = key.file;
    return slot;
  }

  // Counts a request of the site's layout. @return false: it has none, and the request was not counted
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool count_alike(std::uint32_t slot, site_key const& key, std::uint32_t first_byte,
                                                    std::uint64_t address) {
    std::uint32_t& word = requests_.word(slot);
    if (requests_.has_none(slot)) {
      requests_.set_first(slot, first_request::in_order | first_byte);
    } else {
      requests_.take_first(slot);
      if (!request_word::differs(word, first_byte)) {
        word += request_word::one;
      } else {
        word = cold<&thread_probe::begin_requests>()(*given_, slot, key.packed, key.file, word,
                                                     requests_.displacement(slot), address);
      }
      if (word == request_word::first_seen) return false;
    }
    requests_.expect_next(slot, address);
    return true;
  }

  // A request of a whole warp is counted here if its layout is the one of the site's request before.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void request(site_key const& key, std::uint64_t address,
                                                array_position const& position) {
    std::uint32_t const slot = enter(key);
    if (requests_.is_expected(slot, address)) return;
    std::uint32_t& word = requests_.word(slot);
    std::int32_t& displacement = requests_.displacement(slot);
    std::uint64_t const first =
        address - lane_ * key.size_of_access() - static_cast<std::uint64_t>(std::int64_t{displacement});
    auto const first_byte = static_cast<std::uint32_t>(first) % alike_period;
    request_anchor::relation to_anchor;
    if (anchor_.tell(key.size_of_access(), position, displacement == 0 && !is_torn_, to_anchor)) {
      count_alike(slot, key, first_byte, address);
      return;
    }
    lane_mask const lanes = warp::detail::active();
    if (lanes != given_->where.counted_lanes) {
      if (warp::detail::is_among(lanes)) {
        if (!cold<&by_call::try_run>()(*given_, slot, key.packed, key.file, lanes, address)) {
          cold<&by_call::deliver_some>()(*given_, slot, key.packed, key.file, lanes, address);
        }
      }
      warp::detail::sync(lanes);  // lanes that came together go on together, as they do without a tool
      return;
    }
    // Where lanes lost their words alone, words may differ: no more is counted.
    if (warp::all(warp::full, !is_torn_ & (first == warp::shuffle(warp::full, first, 0)))) {
      anchor_.confirm(to_anchor);
      if (count_alike(slot, key, first_byte, address)) return;
    }
    if (warp::detail::is_among(lanes)) {
      if (!cold<&by_call::try_request>()(*given_, slot, key.packed, key.file, address)) {
        cold<&by_call::deliver_some>()(*given_, slot, key.packed, key.file, warp::full, address);
      }
    }
    if (requests_.has_none(slot)) {
      requests_.set_first(slot, first_request::apart);
    } else {
      requests_.take_first(slot);
      if (request_word::count(word) != 0) {
        cold<&thread_probe::commit_requests_of>()(*given_, slot, key.packed, key.file, word);
      }
      word = request_word::first_seen;
    }
    auto const from_first = static_cast<std::int64_t>(address - warp::shuffle(warp::full, address, 0));
    std::int64_t const seen = from_first - std::int64_t{lane_ * key.size_of_access()};
    bool const fits = static_cast<std::int32_t>(from_first) == from_first && static_cast<std::int32_t>(seen) == seen;
    if (warp::all(warp::full, fits)) displacement = static_cast<std::int32_t>(seen);
    requests_.expect_nothing(slot);
    warp::detail::sync(warp::full);
  }

 public:
  // A request of its site's layout that cannot be added to the word.
  // @return the word with this request, or request_word::first_seen: it has not been counted
  PASTA_DEVICE PASTA_NEVER_INLINE static std::uint32_t begin_requests(setup const& given, std::uint32_t slot,
                                                                      device_word packed, char const* file,
                                                                      std::uint32_t word, std::int32_t displacement,
                                                                      std::uint64_t address) {
    std::uint32_t const row = find_row(given.where.first->entries, slot, packed, file);
    count_word(given.where, slot, row, word);
    auto const offset =
        static_cast<std::int32_t>(warp::lane() * site_key{file, packed}.size_of_access()) + displacement;
    auto const first_byte =
        static_cast<std::uint32_t>(address - static_cast<std::uint64_t>(std::int64_t{offset})) % alike_period;
    std::uint32_t layout = 0;
    if (!warp::all(warp::full, displacement == 0)) {
      layout = row == no_row ? request_word::unnamed
                             : find_layout(&given.where.first->layouts, row, warp::full, first_byte, offset);
    }
    if (layout == request_word::unnamed) return request_word::first_seen;
    return first_byte | layout << request_word::layout_shift | request_word::one;
  }
  // What a place had before it has another request or site.
  PASTA_DEVICE PASTA_NEVER_INLINE static void commit_requests_of(setup const& given, std::uint32_t slot,
                                                                 device_word packed, char const* file,
                                                                 std::uint32_t word) {
    count_word(given.where, slot, find_row(given.where.first->entries, slot, packed, file), word);
  }

 private:
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void count_word(view_type const& view, std::uint32_t slot, std::uint32_t row,
                                                          std::uint32_t word) {
    if (warp::lane() == slot % group_size) {
      by_call::count_requests(view, view.requests[by_call::shard_number(view)], row, word, request_word::count(word));
    }
  }

  // The lanes of a warp commit 32 places together, one each: neighbouring lines lie in one group.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static constexpr std::uint32_t slot_of(site_key const& key) {
    auto const line = static_cast<std::uint32_t>(key.packed >> 44), what = static_cast<std::uint32_t>(key.what());
    std::uint32_t const size = key.size_bytes();
    return (2 * line + (what == 0 ? 0 : 1) + (what > 1 ? 16 * what : 0) + 5 * (31 - __builtin_clz(size | 1))) %
           home_row_count;
  }

  // Whether all that the handlers of an event write to is added up in registers, and registers are kept for it.
  template <class Event>
  static constexpr bool are_handlers_light_v = ((!handles_v<Tools, Event> || by_call::template is_light_v<Tools>)&&...);
  template <class Event>
  static constexpr bool have_registers_v =
      region::has_site_parts ||
      ((!handles_v<Tools, Event> || !has_register_parts<typename Tools::site_state>()) && ...);

  // What the kernel itself holds of the handlers: for whole warps, where all is added up in registers. For all else a
  // function is called.
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool deliver_here(std::uint32_t slot, lane_mask lanes, Event& event) {
    if constexpr (!are_handlers_light_v<Event> || !have_registers_v<Event>) return false;
    if (lanes != warp::full || event.lanes != lanes) return false;
    event.lanes = warp::full;
    (deliver_if<Tools, Event>(slot, site_key{sites_->file[slot], sites_->packed[slot]}, event), ...);
    return true;
  }

  // A handler writes to states of its own, all zeros before; what it adds is then merged to where it is kept.
  template <class Tool, class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_if(std::uint32_t slot, site_key const& key, Event const& event) {
    if constexpr (handles_v<Tool, Event>) {
      if (!watches<Tool>(key)) return;
      with_context<Tool>(slot, lane_of(event), key, [&](context<Tool>& at) { deliver(at, event); });
    }
  }

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void fold_if() {
    if constexpr (has_thread_state_v<Tool>) {
      with_context<Tool>(no_row, 0, {}, [&](context<Tool>& at) { Tool::fold(at.thread(), at); });
    }
  }

  template <class Tool, class Function>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void with_context(std::uint32_t slot, std::uint32_t lane, site_key const& key,
                                                     Function&& f) {
    constexpr std::size_t index = by_call::template index_of<Tool>;
    typename Tool::site_state site{};
    typename Tool::kernel_state kernel{};
    typename Tool::launch_state launch{};
    typename Tool::program_state program{};
    site_locator way{};
    typename context<Tool>::parts parts;
    if (slot != no_row) {
      parts.site = &site;
      way = by_call::template locate<Tool>(given_->where, slot, key);
      parts.locator = &way;
    }
    parts.thread = &get_state<index>(threads_);
    parts.kernel = &kernel;
    parts.launch = &launch;
    parts.program = &program;
    parts.options = &get_state<index>(given_->options);
    parts.shadow = make_shadow<Tool>(given_->shadow.view());
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
    constexpr std::size_t index = by_call::template index_of<Tool>;
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (shared_parts<state>::template has_v<Part> && !register_parts<state>::template has_v<Part>) {
        if (is_neutral(part<Part>(added))) return;
        std::uint32_t const place = find_row(given_->where.first->entries, slot, key.packed, key.file);
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
      if (stray != 0) cold<&thread_probe::template keep_apart<Tool>>()(given_->where, slot, key.packed, key.file, mine);
    }
  }
  struct word_pair {
    std::uint32_t low, high;
  };

 public:
  // What a lane adds to a place that is not its own.
  template <class Tool>
  PASTA_DEVICE PASTA_NEVER_INLINE static void keep_apart(view_type const& view, std::uint32_t slot, device_word packed,
                                                         char const* file,
                                                         register_parts<typename Tool::site_state> added) {
    using state = typename Tool::site_state;
    std::uint32_t const place = find_row(view.first->entries, slot, packed, file);
    if (place == no_row) return;
    auto& row = by_call::shard_of(view).rows[place];
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (register_parts<state>::template has_v<Part>) {
        merge_shared(&get_state<by_call::template index_of<Tool>>(row.states).template get<Part>(),
                     added.template get<Part>(), &row.lock);
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

  PASTA_DEVICE PASTA_ALWAYS_INLINE typename region::shard& shard() const { return by_call::shard_of(given_->where); }

  struct pending {
    std::uint64_t executions = 0;
    std::uint32_t requests = 0;
    device_word packed;
    char const* file;
  };

  // What a thread did, as a number: the same for threads that executed the same sites as often. A sum of products with
  // numbers that the compiler knows where a place has one site and all sites are of one file.
  struct hash_sum {
    std::uint64_t value = 0;
    PASTA_DEVICE PASTA_ALWAYS_INLINE void add(std::uint32_t what, std::uint64_t factor) { value += what * factor; }
  };
  template <std::uint32_t Slot>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void hash_from(hash_sum& sum) const {
    if constexpr (Slot < home_row_count) {
      std::uint64_t const site = sites_->packed[Slot] + Slot, done = counters_->executions[Slot];
      auto const of_file = static_cast<std::uint64_t>(sites_->file[Slot] - sites_->last_file) * mix(Slot + 1);
      sum.add(static_cast<std::uint32_t>(done), mix(site) + of_file);
      sum.add(static_cast<std::uint32_t>(done >> 32), mix(site + (std::uint64_t{1} << 62)) + of_file);
      sum.add(requests_.word(Slot), mix(~site) + of_file);
      sum.add(requests_.first_of(Slot), mix(~site - (std::uint64_t{1} << 62)) + of_file);
      hash_from<Slot + 1>(sum);
    }
  }
  // What was never set may be another value at each use, unless the compiler cannot see where it comes from.
  PASTA_DEVICE PASTA_ALWAYS_INLINE static std::uint64_t opaque(std::uint64_t hash) {
#if !PASTA_IS_HOST_PASS
    asm("" : "+l"(hash));
#endif
    return hash;
  }

  // Counts an event of a site.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void note(std::uint32_t slot, site_key const& key) {
    ++counters_->executions[slot];
    if constexpr (can_count_early) {
      if (!is_small_) return;
      did_.note(slot, key.packed, key.file);
      if (is_counted_early_ || (key.what() != operation::store && key.what() != operation::atomic)) return;
      is_counted_early_ = true;
      usual_ = read_usual();
      count_lanes(0, 1);
    }
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE device_word read_usual() const {
    return read_now(&given_->where.first->patterns.hashes[0]);
  }
  PASTA_DEVICE PASTA_ALWAYS_INLINE void count_lanes(std::uint32_t number, device_word lanes) const {
    add_word(&by_call::shard_of(given_->where).pattern_lanes[number], lanes);
  }
  // By one lane, for all.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void count_warp(std::uint32_t number, std::uint32_t shard,
                                                   std::uint32_t lane) const {
    add_word_unless(lane, &given_->where.shards[shard].pattern_lanes[number], warp::width());
  }

  PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_committed_as_pattern() {
    if constexpr (!region::has_patterns) {
      return false;
    } else if constexpr (can_count_early) {
      return is_small_ ? is_committed_early() : is_warp_committed();
    } else {
      return is_warp_committed();
    }
  }
  // Each lane for itself: what it did is its pattern's, or nothing.
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_committed_early() {
    std::uint64_t const hash = opaque(did_.value());
    if (hash == usual_) return true;
    if (is_counted_early_) count_lanes(0, ~device_word{0});  // one less
    if (warp::detail::active() != warp::full) return false;
    if (!warp::all(warp::full, hash == warp::shuffle(warp::full, hash, 0))) return false;
    return hash == 0 || commit_warp(hash, read_usual(), by_call::shard_number(given_->where), warp::lane());
  }
  // What is known at the end is asked for first.
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool is_warp_committed() {
    device_word const usual = read_usual();
    std::uint32_t const shard = by_call::shard_number(given_->where), lane = has_handlers ? lane_ : warp::lane();
    hash_sum sum;
    hash_from<0>(sum);
    std::uint64_t const done = opaque(sum.value);
    device_word const hash = done + opaque(reinterpret_cast<std::uintptr_t>(sites_->last_file));
    // A warp that did nothing has any hash, also that of no pattern.
    if (warp::detail::active_with((hash == usual) & (done != 0)) == warp::full) {
      count_warp(0, shard, lane);
      return true;
    }
    if (warp::detail::active() != warp::full) return false;
    if (!warp::all(warp::full, hash == warp::shuffle(warp::full, hash, 0))) return false;
    return done == 0 || commit_warp(hash, usual, shard, lane);
  }
  // Finds or makes the pattern of a whole warp.
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool commit_warp(device_word hash, device_word usual, std::uint32_t shard,
                                                    std::uint32_t lane) {
    pattern_table* const table = &given_->where.first->patterns;
    std::uint32_t number = hash == usual ? 0 : home_of(hash, pattern_count);
    if (table->hashes[number] != hash) {
      found_entry found{};
      if constexpr (region::has_alike_requests) {
        if (lane == 0) found = cold<&find_by_hash>()(table->hashes, pattern_count, hash);
      } else {  // a tool that only counts has few registers of its own to save
        if (lane == 0) found = find_by_hash(table->hashes, pattern_count, hash);
      }
      number = warp::shuffle(warp::full, found.number, 0);
      if (number == no_entry) return false;
      if (warp::shuffle(warp::full, found.is_new, 0) != 0) record_group<0>(table, number, lane);
    }
    count_warp(number, shard, lane);
    return true;
  }
  template <std::uint32_t Group>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void record_group(pattern_table* table, std::uint32_t number,
                                                     std::uint32_t lane) const {
    if constexpr (Group < group_count) {
      pending mine;
      gather_own<Group * group_size, Group * group_size + group_size>(mine, lane);
      if ((mine.executions | mine.requests) != 0) {
        std::uint32_t const slot = Group * group_size + lane;
        record_site(table, number, find_row(given_->where.first->entries, slot, mine.packed, mine.file),
                    mine.executions, mine.requests);
      }
      record_group<Group + 1>(table, number, lane);
    }
  }
  template <std::uint32_t Begin, std::uint32_t End>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void gather_own(pending& mine, std::uint32_t lane) const {
    if constexpr (Begin < End) {
      bool const is_mine =
          ((counters_->executions[Begin] != 0) | (requests_.uncommitted(Begin) != 0)) && lane == Begin % group_size;
      mine.executions = is_mine ? counters_->executions[Begin] : mine.executions;
      mine.requests = is_mine ? requests_.uncommitted(Begin) : mine.requests;
      mine.packed = is_mine ? sites_->packed[Begin] : mine.packed;
      mine.file = is_mine ? sites_->file[Begin] : mine.file;
      gather_own<Begin + 1, End>(mine, lane);
    }
  }

  // A warp commits together if it is whole and all lanes have the same site in each place; told by 64 bits of hash. 32
  // sums of less than 2^27 fit in a word.
  PASTA_DEVICE PASTA_ALWAYS_INLINE bool has_places_alike() const {
    if (warp::detail::active() != warp::full) return false;
    std::uint64_t hash = 0;
    std::uint32_t large = 0;
    check_places<0>(hash, large);
    hash = opaque(hash);
    return warp::all(warp::full, (large == 0) & (hash == warp::shuffle(warp::full, hash, 0)));
  }
  template <std::uint32_t Slot>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void check_places(std::uint64_t& hash, std::uint32_t& large) const {
    if constexpr (Slot < home_row_count) {
      bool const is_used = counters_->executions[Slot] != 0;
      std::uint64_t const site = sites_->packed[Slot] + Slot,
                          file = reinterpret_cast<std::uintptr_t>(sites_->file[Slot]);
      hash += is_used ? mix(site) + mix(Slot + 1) * file : 0;
      large |= is_used ? static_cast<std::uint32_t>(counters_->executions[Slot] >> 27) |
                             static_cast<std::uint32_t>(counters_->executions[Slot] >> 32)
                       : 0;
      check_places<Slot + 1>(hash, large);
    }
  }

  template <std::uint32_t Group>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_requests() {
    if constexpr (Group < group_count) {
      pending mine;
      gather_own<Group * group_size, Group * group_size + group_size>(mine, lane_);
      if (request_word::count(mine.requests) != 0) {
        std::uint32_t const slot = Group * group_size + lane_;
        std::uint32_t const row = find_row(given_->where.first->entries, slot, mine.packed, mine.file);
        by_call::count_requests(given_->where, given_->where.requests[by_call::shard_number(given_->where)], row,
                                mine.requests, request_word::count(mine.requests));
      }
      commit_requests<Group + 1>();
    }
  }

  template <std::uint32_t Group>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_group(std::uint32_t lane) {
    if constexpr (Group < group_count) {
      pending mine;
      gather<Group * group_size, Group * group_size + group_size>(mine, lane);
      if (mine.executions != 0) {
        commit(given_->where, Group * group_size + lane, mine.packed, mine.file, mine.executions,
               counters_->groups[Group]);
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
    if constexpr (region::has_alike_requests) {
      if (requests_.uncommitted(slot) != 0) {
        cold<&thread_probe::commit_requests_of>()(*given_, slot, sites_->packed[slot], sites_->file[slot],
                                                  requests_.uncommitted(slot));
      }
      requests_.forget(slot);
    }
    if constexpr (can_count_early) {
      if (is_small_) did_.forget(slot, sites_->packed[slot], sites_->file[slot], counters_->executions[slot]);
    }
    site_parts site = {};
    if constexpr (!counts_lanes) {
      return;
    } else if constexpr (region::has_site_parts) {
      if (warp::lane() == slot % group_size) {
        site = counters_->groups[slot / group_size];
        counters_->groups[slot / group_size] = {};
      }
      cold<&thread_probe::commit_lanes>()(given_->where, slot, sites_->packed[slot], sites_->file[slot],
                                          counters_->executions[slot], site);
    } else {  // a tool that only counts has few registers of its own to save
      commit_lanes(given_->where, slot, sites_->packed[slot], sites_->file[slot], counters_->executions[slot], site);
    }
    counters_->executions[slot] = 0;
  }

 public:
  PASTA_DEVICE PASTA_NEVER_INLINE static void commit_lanes(view_type const& view, std::uint32_t slot,
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
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void commit(view_type const& view, std::uint32_t slot, device_word packed,
                                                      char const* file, std::uint64_t executions,
                                                      site_parts const& site) {
    std::uint32_t const row = find_row(view.first->entries, slot, packed, file);
    auto& shard = by_call::shard_of(view);
    if (executions != 0) by_call::count_executions(view, shard, row, executions);
    if (row != no_row) (commit_parts<Tools>(shard.rows[row], site), ...);
  }
  template <class Tool, class Row>
  PASTA_DEVICE PASTA_ALWAYS_INLINE static void commit_parts(Row& row, site_parts const& site) {
    using state = typename Tool::site_state;
    constexpr std::size_t index = by_call::template index_of<Tool>;
    for_each_part<state>([&]<std::size_t Part>() {
      if constexpr (register_parts<state>::template has_v<Part>) {
        merge_shared(&get_state<index>(row.states).template get<Part>(), get_state<index>(site.of).template get<Part>(),
                     &row.lock);
      }
    });
  }

  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void commit_block() {
    constexpr std::size_t index = by_call::template index_of<Tool>;
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

  setup const* given_;
  bool is_small_;
  request_anchor anchor_;
  counter_table* counters_;
  site_requests requests_;
  site_table* sites_;
  std::uint32_t lane_;
  bool is_torn_ = false;
  running_hash did_;
  std::uint64_t usual_ = 0;  // what most do, which the lane was counted for
  bool is_counted_early_ = false;
  thread_states threads_{};
  state_tuple<register_parts<typename Tools::kernel_state>...> kernels_{};
  state_tuple<register_parts<typename Tools::launch_state>...> launches_{};
  state_tuple<register_parts<typename Tools::program_state>...> programs_{};
};

}  // namespace detail

}  // namespace pasta
#endif
