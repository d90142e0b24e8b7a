// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hands requests that a GPU only counted (instrument/hook_abi.hpp, in_order_period) to a tool's handler, on the host.
#ifndef PASTA_SESSION_PTX_SETTLE_IN_ORDER_HPP
#define PASTA_SESSION_PTX_SETTLE_IN_ORDER_HPP

#include <map>
#include <pasta/analysis/repeat.hpp>
#include <pasta/instrument/thread.hpp>
#include <pasta/session/tool_run.hpp>
#include <tuple>

namespace pasta::ptx {

/// What a tool makes of requests of whole warps, lane after lane.
template <class Tool>
struct settled {
  std::uint64_t executions = 0;  ///< [lanes]
  typename Tool::site_state site{};
  typename Tool::kernel_state kernel{};
  typename Tool::launch_state launch{};
  typename Tool::program_state program{};
};

/// Runs the handler once for each kind of request, and merges what it adds as often as there were such.
template <class Tool>
class settler_of {
 public:
  /// @param first_byte where the requests begin in 32 bytes
  /// @throws what the handler throws
  settled<Tool> settle(site_info const& where, std::uint32_t first_byte, std::uint64_t times) {
    auto const [known, is_new] = one_.try_emplace({where.what, where.space, where.size_bytes, first_byte});
    if (is_new) known->second = run_one(where, first_byte);
    settled<Tool> all = known->second;
    all.executions *= times;
    repeat(all.site, times);
    repeat(all.kernel, times);
    repeat(all.launch, times);
    repeat(all.program, times);
    return all;
  }

 private:
  static constexpr std::uint32_t warp_width = 32;

  // One warp whose lanes access element after element.
  struct request {
    memory_access access;
    template <class Probe>
    void operator()(thread<Probe>& t) const {
      if constexpr (Probe::is_active) {
        memory_access mine = access;
        mine.address += std::uint64_t{t.lane()} * access.size_bytes;
        Probe::feed(t.probe_handle(), place{"", 0, 0}, mine);
      }
    }
  };

  static settled<Tool> run_one(site_info const& where, std::uint32_t first_byte) {
    constexpr std::uint64_t anywhere = std::uint64_t{1} << 40;
    request one{};
    one.access.address = anywhere + first_byte;
    one.access.size_bytes = where.size_bytes;
    one.access.kind = static_cast<access_kind>(where.what);
    one.access.space = where.space;
    settings set;
    set.warp_width = warp_width;
    set.host_threads = 1;
    executor runs(set);
    tool_run<Tool> run(runs, settings{});
    run.launch("request", "", one, {dim3(1), dim3(warp_width)}, 0, false);
    results<Tool> const found = run.template collected<Tool>();
    settled<Tool> made;
    made.executions = warp_width;
    for (auto const& kernel : found.kernels) {
      for (auto const& site : kernel.sites) merge(made.site, site.state);
      merge(made.kernel, kernel.kernel);
      merge(made.launch, kernel.launch_state);
    }
    merge(made.program, found.program);
    return made;
  }
  template <class State>
  static void merge(State& into, State const& from) {
    if constexpr (!std::is_empty_v<State>) merge_state(into, from);
  }
  template <class State>
  static void repeat(State& state, std::uint64_t times) {
    if constexpr (!std::is_empty_v<State>) pasta::detail::repeat(state, times);
  }

  std::map<std::tuple<operation, memory_space, std::uint32_t, std::uint32_t>, settled<Tool>> one_;
};

}  // namespace pasta::ptx
#endif
