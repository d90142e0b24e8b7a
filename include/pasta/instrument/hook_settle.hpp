// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Hands requests that a GPU only counted (instrument/hook_abi.hpp, in_order_period) to a tool's handler, on the host.
#ifndef PASTA_INSTRUMENT_HOOK_SETTLE_HPP
#define PASTA_INSTRUMENT_HOOK_SETTLE_HPP

#include <pasta/analysis/repeat.hpp>
#include <pasta/testing.hpp>

namespace pasta::detail {

/// What a tool makes of requests of whole warps, lane after lane.
template <class Tool>
struct settled {
  std::uint64_t executions = 0;  ///< [lanes]
  typename Tool::site_state site{};
  typename Tool::kernel_state kernel{};
  typename Tool::launch_state launch{};
  typename Tool::program_state program{};
};

/// @param first_byte where the requests begin in a sector [bytes] @param times how many there were
/// @throws what the handler throws
template <class Tool>
settled<Tool> settle_in_order(access_kind kind, memory_space space, std::uint32_t size_bytes, std::uint32_t first_byte,
                              std::uint64_t times) {
  constexpr std::uint32_t warp_width = 32;
  constexpr std::uint64_t anywhere = std::uint64_t{1} << 40;
  testing::fixture<Tool> run;
  run.feed(static_cast<lane_mask>(0xffffffffu), [=](std::uint32_t lane) {
    memory_access access{};
    access.address = anywhere + first_byte + std::uint64_t{lane} * size_bytes;
    access.size_bytes = size_bytes;
    access.kind = kind;
    access.space = space;
    return access;
  });
  results<Tool> const one = run.results();
  settled<Tool> all;
  all.executions = warp_width * times;
  auto const add = [&](auto& into, auto state) {
    if constexpr (!std::is_empty_v<std::remove_cvref_t<decltype(state)>>) {
      repeat(state, times);
      merge_state(into, state);
    }
  };
  for (auto const& kernel : one.kernels) {
    for (auto const& site : kernel.sites) add(all.site, site.state);
    add(all.kernel, kernel.kernel);
    add(all.launch, kernel.launch_state);
  }
  add(all.program, one.program);
  return all;
}

}  // namespace pasta::detail
#endif
