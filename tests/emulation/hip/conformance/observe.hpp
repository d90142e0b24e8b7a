// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// In place of tests/conformance/observe.hpp: the same kernels and checks, by the HIP vendor on the emulated GPU.
#ifndef PASTA_TESTS_EMULATION_HIP_CONFORMANCE_OBSERVE_HPP
#define PASTA_TESTS_EMULATION_HIP_CONFORMANCE_OBSERVE_HPP

#include <pasta/testing.hpp>

#include "catch.hpp"
#include "conformance/observer.hpp"

static_assert(std::is_same_v<pasta::vendor::current, pasta::vendor::hip>);

using observed_kernel = pasta::kernel_result<observer>;
using observed_site = pasta::site_result<observer>;

/// The sites that do this, in order of the source.
inline std::vector<observed_site> sites_of(observed_kernel const& kernel, pasta::operation what,
                                           pasta::memory_space space = pasta::memory_space::global) {
  std::vector<observed_site> found;
  for (observed_site const& site : kernel.sites) {
    if (site.site.what == what && site.site.space == space) found.push_back(site);
  }
  return found;
}
/// The only such site.
inline observed_site site_of(observed_kernel const& kernel, pasta::operation what,
                             pasta::memory_space space = pasta::memory_space::global) {
  auto const found = sites_of(kernel, what, space);
  REQUIRE(found.size() == 1);
  return found.front();
}

/// `check(kernel, warp_width)` for warps of 32 and 64 lanes, with one worker and with two.
template <class Check, class Kernel, class... Arguments>
void observe(Check&& check, Kernel const& kernel, pasta::launch_config const& config, Arguments const&... arguments) {
  for (std::uint32_t const warp_width : {32u, 64u}) {
    for (std::uint32_t const threads : {1u, 2u}) {
      INFO("warp width " << warp_width << ", " << threads << " worker threads");
      hip_emulation::set_device(warp_width, threads);
      pasta::testing::fixture<observer> test;
      test.launch(kernel, config, arguments...);
      auto const found = test.results();
      REQUIRE(found.kernels.size() == 1);
      observed_kernel const& observed = found.kernels.front();
      // What holds for every kernel.
      std::uint64_t const blocks = config.grid.count(), thread_count = blocks * config.block.count();
      std::uint64_t accesses = 0;
      for (observed_site const& site : observed.sites) {
        bool const is_access = site.site.what <= pasta::operation::atomic;
        if (is_access) accesses += site.state.lanes.value();
        CHECK(site.executions == site.state.lanes.value());
      }
      CHECK(observed.kernel.blocks_entered.value() == blocks);
      CHECK(observed.kernel.blocks_left.value() == blocks);
      CHECK(observed.kernel.threads_entered.value() == thread_count);
      CHECK(observed.kernel.threads_left.value() == thread_count);
      CHECK(observed.kernel.accesses_folded.value() == accesses);
      CHECK(observed.kernel.begins.value() == 1);
      CHECK(observed.kernel.ends.value() == 1);
      CHECK(observed.losses.launches_seen == 1);
      CHECK(observed.losses.launches_delivered == 1);
      CHECK(observed.losses.launches_lost == 0);
      CHECK(observed.losses.events_dropped == 0);
      check(observed, warp_width);
      test.report();
      CHECK(test.notes().empty());
    }
  }
}

#endif
