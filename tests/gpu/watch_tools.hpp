// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Tools that keep every kind of state, for tests of hooks.
#ifndef PASTA_TESTS_GPU_WATCH_TOOLS_HPP
#define PASTA_TESTS_GPU_WATCH_TOOLS_HPP

#include <pasta/pasta.hpp>

/// Every request reaches the handler.
struct request_watch : pasta::tool<request_watch> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::count lanes;  // added by each lane for itself
    pasta::histogram<4> spaces;
    pasta::count requests, bytes;
    pasta::max<std::uint32_t> most_lanes;
    pasta::common_value<std::uint32_t> size;
    pasta::max<std::uint64_t> highest;  // too long for one atomic operation
    pasta::count loads, stores, atomics;
  };
  struct kernel_state {
    pasta::count requests;
    pasta::min<std::uint32_t> fewest_lanes;
  };
  struct program_state {
    pasta::count lanes;
  };

  PASTA_DEVICE static void on_memory_access(pasta::context<request_watch>& at, pasta::memory_access const& access) {
    at.site().lanes.add();
    at.program().lanes.add();
    at.site().highest.observe(access.address);
    if (!pasta::warp::is_leader(access)) return;
    at.site().spaces.add(static_cast<std::uint64_t>(access.space));
    at.site().requests.add();
    at.site().bytes.add(std::uint64_t{access.size_bytes} * pasta::warp::count(access.lanes));
    at.site().most_lanes.observe(pasta::warp::count(access.lanes));
    at.site().size.observe(access.size_bytes);
    at.site().loads.add(access.kind == pasta::access_kind::load);
    at.site().stores.add(access.kind == pasta::access_kind::store);
    at.site().atomics.add(access.kind == pasta::access_kind::atomic);
    at.kernel().requests.add();
    at.kernel().fewest_lanes.observe(pasta::warp::count(access.lanes));
  }
  void report(pasta::results<request_watch> const&, pasta::report&) const {}
};

/// Requests that are alike need not reach the handler.
struct alike_watch : pasta::tool<alike_watch> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::count requests, sectors;
    pasta::common_value<std::int32_t> stride;
    pasta::worst_request worst;
  };
  struct kernel_state {
    pasta::count requests;
  };
  static constexpr std::uint32_t address_period(options const&) { return 32; }

  PASTA_DEVICE static void on_memory_access(pasta::context<alike_watch>& at, pasta::memory_access const& access) {
    pasta::request_shape const shape = pasta::coalesce(access, 32);
    pasta::observe_request(at, &site_state::worst, 64 - shape.sectors, access, shape, 32);
    if (!pasta::warp::is_leader(access)) return;
    at.site().requests.add();
    at.site().sectors.add(shape.sectors);
    at.kernel().requests.add();
    if (shape.is_regular) at.site().stride.observe(static_cast<std::int32_t>(shape.stride_bytes));
  }
  void report(pasta::results<alike_watch> const&, pasta::report&) const {}
};

#endif
