// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The probe of a run with tools on a GPU whose lanes go in step: hands each event to the tools at once, inlined, and
/// merges what their handlers add. Uses the vendor's neutral headers alone. Device code.
#ifndef PASTA_INSTRUMENT_GPU_THREAD_PROBE_HPP
#define PASTA_INSTRUMENT_GPU_THREAD_PROBE_HPP

#include <pasta/analysis/gpu/request_sample.hpp>
#include <pasta/instrument/gpu/region.hpp>

namespace pasta::detail {

template <class List>
class thread_probe;

template <class... Tools>
class thread_probe<type_list<Tools...>> {
 public:
  using tools = type_list<Tools...>;
  using region = region_of<tools>;
  using setup = typename region::setup;
  using choice = site_choice<tools>;

  PASTA_DEVICE PASTA_ALWAYS_INLINE explicit thread_probe(setup const& given) : given_(given) {}

  /// A lane is about to access memory.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void access(site_key const& key, std::uint64_t first_byte, array_position const&) {
    happen<memory_access>(key, [&](lane_mask lanes, site_id site) {
      return memory_access{lanes,       first_byte, key.size_of_access(), static_cast<access_kind>(key.what()),
                           key.space(), site};
    });
  }

  /// An event with a site. `make(lanes, site)` gives the event.
  template <class Event, class Make>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void happen(site_key const& key, Make&& make) {
    if (!choice::template sees<Event>(key)) return;
    lane_mask const lanes = warp::detail::active();
    std::uint32_t const row = find_row(given_.first->entries, key);
    device_word& counted = row == no_row ? given_.first->dropped : shard().executions[row];
    if (warp::is_leader(lanes)) simt::atomic_add(counted, device_word{warp::count(lanes)});
    if constexpr ((handles_v<Tools, Event> || ...)) {
      if (choice::template handles<Event>(key)) (deliver_to<Tools>(key, row, make(lanes, row)), ...);
    }
  }
  /// An event without a site.
  template <class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void happen(Event const& event) {
    (deliver_to<Tools>(site_key{}, no_row, event), ...);
  }

  /// The thread's last act.
  PASTA_DEVICE PASTA_ALWAYS_INLINE void finish() {
    lane_mask const lanes = warp::detail::active();
    (fold_if<Tools>(lanes), ...);
  }

 private:
  template <class Tool>
  static constexpr std::size_t index_of = [] {
    std::size_t index = 0, found = 0;
    ((std::is_same_v<Tools, Tool> ? static_cast<void>(found = index) : static_cast<void>(0), ++index), ...);
    return found;
  }();

  // By block, so that it is known without a look at the hardware, and the same for all lanes.
  PASTA_DEVICE PASTA_ALWAYS_INLINE typename region::shard& shard() const {
    simt::lane const here;
    dim3 const block = here.block_index(), grid = here.grid_size();
    return given_.shards[(block.x + grid.x * (block.y + grid.y * block.z)) & given_.shard_mask];
  }

  template <class Tool, class Event>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void deliver_to(site_key const& key, std::uint32_t row, Event const& event) {
    if constexpr (handles_v<Tool, Event>) {
      if constexpr (requires { event.site; }) {
        if (!watches<Tool>(key)) return;
      }
      with_context<Tool>(event.lanes, row, [&](context<Tool>& at) { deliver(at, event); });
    }
  }
  template <class Tool>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void fold_if(lane_mask lanes) {
    if constexpr (has_thread_state_v<Tool>) {
      with_context<Tool>(lanes, no_row, [&](context<Tool>& at) { Tool::fold(at.thread(), at); });
    }
  }

  // A handler writes to states of its own, all zeros before; what it adds is then merged to where it is kept.
  template <class Tool, class Function>
  PASTA_DEVICE PASTA_ALWAYS_INLINE void with_context(lane_mask lanes, std::uint32_t row, Function&& f) {
    constexpr std::size_t index = index_of<Tool>;
    typename Tool::site_state site{};
    typename Tool::kernel_state kernel{};
    typename Tool::launch_state launch{};
    typename Tool::program_state program{};
    auto& rare = given_.first->rare[row == no_row ? 0 : row];
    site_locator const way{row == no_row ? nullptr : reinterpret_cast<unsigned char*>(&get_state<index>(rare.states)),
                           &rare.lock};
    context<Tool> at(typename context<Tool>::parts{&site, &get_state<index>(threads_), &kernel, &launch, &program,
                                                   &get_state<index>(given_.options), &way,
                                                   make_shadow<Tool>(given_.shadow.view())});
    f(at);
    auto& into = shard();
    if (row != no_row) merge_all(lanes, get_state<index>(into.rows[row].states), site, into.rows[row].lock);
    merge_all(lanes, get_state<index>(into.kernel), kernel, into.lock);
    merge_all(lanes, get_state<index>(into.launch), launch, into.lock);
    merge_all(lanes, get_state<index>(into.program), program, into.lock);
  }

  setup given_;
  typename states_of<tools>::thread threads_{};
};

}  // namespace pasta::detail
#endif
