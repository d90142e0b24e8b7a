// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// gpu_check flags: -Xptxas=-suppress-stack-size-warning -Xnvlink=-suppress-stack-size-warning
// Requests that are alike, counted and handled once, against the same handler called for each: the sums are the same.
#include <numeric>

#include "checks.hpp"
#include "same_place.hpp"

namespace {

/// What a handler can keep of a request that is the same when the request moves by 32 bytes.
template <bool IsAlike>
struct shapes : pasta::tool<shapes<IsAlike>> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::count requests, sectors, lanes;
    pasta::common_value<std::int32_t> stride;
    pasta::max<std::uint32_t> most_sectors;
    pasta::worst_request worst;
  };
  struct kernel_state {
    pasta::count requests;
  };
  PASTA_DEVICE static constexpr bool watches(pasta::site_key const& site) {
    return site.space() == pasta::memory_space::global;
  }
  static constexpr std::uint32_t address_period(pasta::tool<shapes>::options const&) { return IsAlike ? 32 : 0; }

  PASTA_DEVICE static void on_memory_access(pasta::context<shapes>& at, pasta::memory_access const& access) {
    pasta::request_shape const shape = pasta::coalesce(access, 32);
    if (shape.sectors > shape.sectors_needed) {
      pasta::observe_request(at, &site_state::worst, ~(shape.sectors - shape.sectors_needed), access, shape, 32);
    }
    at.site().lanes.add();
    if (!pasta::warp::is_leader(access)) return;
    at.site().requests.add();
    at.kernel().requests.add();
    at.site().sectors.add(shape.sectors);
    at.site().most_sectors.observe(shape.sectors);
    if (shape.is_regular) at.site().stride.observe(static_cast<std::int32_t>(shape.stride_bytes));
  }
  void report(pasta::results<shapes> const&, pasta::report&) const {}
};

/// The same with a field that is merged in memory, not in registers: no request is handled by few instructions.
template <bool IsAlike>
struct histograms : pasta::tool<histograms<IsAlike>> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::histogram<33> by_sectors, by_lane;
  };
  static constexpr std::uint32_t address_period(pasta::tool<histograms>::options const&) { return IsAlike ? 16 : 0; }

  PASTA_DEVICE static void on_memory_access(pasta::context<histograms>& at, pasta::memory_access const& access) {
    at.site().by_lane.add(pasta::warp::lane());
    pasta::request_shape const shape = pasta::coalesce(access, 16);
    if (pasta::warp::is_leader(access)) at.site().by_sectors.add(shape.sectors < 32 ? shape.sectors : 32);
  }
  void report(pasta::results<histograms> const&, pasta::report&) const {}
};

std::uint64_t first_difference_of(shapes<true>::site_state const& a, shapes<false>::site_state const& b) {
  if (a.requests.value() != b.requests.value()) return 1;
  if (a.sectors.value() != b.sectors.value()) return 2;
  if (a.lanes.value() != b.lanes.value()) return 3;
  if (a.stride.value() != b.stride.value() || a.stride.is_mixed() != b.stride.is_mixed()) return 4;
  if (a.most_sectors.value() != b.most_sectors.value()) return 5;
  auto const worst = a.worst.get().value(), other = b.worst.get().value();
  if (worst.has_value() != other.has_value()) return 6;
  if (worst && std::memcmp(&*worst, &*other, sizeof *worst) != 0) return 7;
  return 0;
}
std::uint64_t first_difference_of(histograms<true>::site_state const& a, histograms<false>::site_state const& b) {
  for (std::uint32_t bin = 0; bin < 33; ++bin) {
    if (a.by_sectors.value(bin) != b.by_sectors.value(bin)) return 100 + bin;
    if (a.by_lane.value(bin) != b.by_lane.value(bin)) return 200 + bin;
  }
  return 0;
}

std::uint64_t lanes_of(shapes<true>::site_state const& state) { return state.lanes.value(); }
std::uint64_t lanes_of(histograms<true>::site_state const& state) { return state.by_lane.total(); }

template <template <bool> class Tool, class Kernel, class... Arguments>
void compare(Kernel const& kernel, pasta::launch_config const& config, Arguments const&... arguments) {
  pasta::testing::fixture<Tool<true>> counted;
  pasta::testing::fixture<Tool<false>> handled;
  for (int launch = 0; launch < 2; ++launch) {
    counted.launch(kernel, config, arguments...);
    handled.launch(kernel, config, arguments...);
  }
  auto const a = counted.results().kernels;
  auto const b = handled.results().kernels;
  CHECK_EQUAL(a.size(), 1);
  CHECK_EQUAL(b.size(), 1);
  if (a.size() != 1 || b.size() != 1) return;
  CHECK_EQUAL(a[0].losses.events_dropped, 0);
  CHECK_EQUAL(a[0].sites.size(), b[0].sites.size());
  for (std::size_t i = 0; i < a[0].sites.size() && i < b[0].sites.size(); ++i) {
    CHECK((a[0].sites[i].site <=> b[0].sites[i].site) == 0);
    CHECK_EQUAL(a[0].sites[i].executions, b[0].sites[i].executions);
    CHECK_EQUAL(a[0].sites[i].executions, lanes_of(a[0].sites[i].state));
    if (!Kernel::comes_together) continue;
    CHECK_EQUAL(first_difference_of(a[0].sites[i].state, b[0].sites[i].state), 0);
  }
  if constexpr (Kernel::comes_together && requires { a[0].kernel.requests; }) {
    CHECK_EQUAL(a[0].kernel.requests.value(), b[0].kernel.requests.value());
  }
  CHECK(counted.notes().empty());
}
template <class Kernel, class... Arguments>
void compare_both(Kernel const& kernel, pasta::launch_config const& config, Arguments const&... arguments) {
  compare<shapes>(kernel, config, arguments...);
  compare<histograms>(kernel, config, arguments...);
}

struct in_a_loop : same_place::in_a_loop {
  static constexpr bool comes_together = true;
};

/// Loads at lane * stride + first + round * step elements, in each round.
struct walk {
  static constexpr bool comes_together = true;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned rounds, long first, long stride,
                               long step) const {
    int sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      sum += a[first + static_cast<long>(t.index()) * stride + static_cast<long>(round) * step];
    }
    out[t.index()] = sum;
  }
};

/// Two rows of 16 lanes, a loop in a loop, a store, a broadcast.
struct tiles {
  static constexpr bool comes_together = true;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned pitch, unsigned rounds) const {
    unsigned const x = t.thread_index().x, y = t.thread_index().y;
    int sum = 0;
    for (unsigned outer = 0; outer < 3; ++outer) {
      for (unsigned round = 0; round < rounds; ++round) {
        sum += a[y * pitch + outer + 16 * round + x];
      }
      sum += a[outer];
    }
    out[y * 16 + x] = sum;
  }
};

/// A site with two layouts in turn, or three times one and once the other.
struct alternating {
  static constexpr bool comes_together = true;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned rounds, unsigned turn, unsigned step) const {
    unsigned const i = static_cast<unsigned>(t.index());
    int sum = 0;
    for (unsigned round = 0; round < rounds; ++round) sum += a[(round % turn == 0 ? 8 * i : i) + round * step];
    out[i] = sum;
  }
};

/// Only some lanes of a warp access memory, in many warps at once: each of these is one request, whatever others do.
struct some_lanes {
  static constexpr bool comes_together = true;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned lanes, unsigned stride) const {
    unsigned const i = static_cast<unsigned>(t.index());
    if ((lanes >> i % 32 & 1) == 0) return;
    int sum = a[1 + stride * i];
    sum += a[i];
    sum += a[i + 2];
    sum += a[(i * 2654435761u) >> 16];
    out[i] = sum;
  }
};
void some(unsigned lanes, unsigned stride, pasta::buffer<int> const& a, pasta::buffer<int> const& out) {
  compare_both(some_lanes{}, {256, 256}, a, out, lanes, stride);
  pasta::testing::fixture<shapes<true>> test;
  test.launch(some_lanes{}, {256, 256}, a, out, lanes, stride);
  auto const found = test.results().kernels;
  CHECK_EQUAL(found.size(), 1);
  if (found.size() != 1) return;
  CHECK_EQUAL(found[0].sites.size(), 5);
  for (auto const& site : found[0].sites) CHECK_EQUAL(site.state.requests.value(), 256 * 256 / 32);
}

/// Sites that lie to the first one as constants say, and sites that seem to.
struct beside {
  static constexpr bool comes_together = true;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned how, unsigned turn) const {
    unsigned const i = 32 + static_cast<unsigned>(t.index());
    unsigned const first = how == 0 ? i : how == 1 ? 2 * i : i ^ (t.index() / 32 % 2);  // in order, apart, in turn
    int sum = a[first];
    sum += a[first + 1];
    sum += a[first - 1];
    sum += a[i ^ turn];  // one element after or before, as the lane has it
    auto const moved = a + static_cast<std::ptrdiff_t>(i % 2);
    sum += moved[i];
    sum += static_cast<int>(a.template as<short const>()[first]);
    out[first] = sum;
  }
};

/// Some lanes come first, or between requests that lie to each other as constants say.
struct some_before {
  static constexpr bool comes_together = false;  // lanes that wait for others go on where these enter something new
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned first, unsigned between, unsigned n) const {
    unsigned const i = n + static_cast<unsigned>(t.index());
    int sum = 0;
    if ((first >> i % 32 & 1) != 0) sum += a[i];
    sum += a[i];
    sum += a[i + 1];
    sum += a[i - n];
    if ((between >> i % 32 & 1) != 0) sum += a[i - n];
    sum += a[i + n];
    if ((between >> i % 32 & 1) != 0) sum += a[i - 1];
    sum += a[i];
    out[i] = sum;
  }
};

/// Keeps something at sites of other events, in registers where a kernel has them for it.
struct decisions : pasta::tool<decisions> {
  using events = pasta::events<pasta::branch, pasta::barrier>;
  struct site_state {
    pasta::count lanes, taken;
  };
  PASTA_DEVICE static void on_branch(pasta::context<decisions>& at, pasta::branch const& decision) {
    at.site().lanes.add();
    if (pasta::warp::is_leader(decision)) at.site().taken.add(pasta::warp::count(decision.taken));
  }
  PASTA_DEVICE static void on_barrier(pasta::context<decisions>& at, pasta::barrier const&) { at.site().lanes.add(); }
  void report(pasta::results<decisions> const&, pasta::report&) const {}
};
struct decides {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned rounds) const {
    int sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      if (t.branch(t.index() % 3 == round % 3)) sum += 2;
      sum += a[t.index() + 64 * round];
      t.sync_block();
    }
    out[t.index()] = sum;
  }
};
void pack() {
  auto const a = zeros<int>(4096), out = zeros<int>(256);
  pasta::testing::fixture<pasta::tool_pack<shapes<true>, decisions>> test;
  test.launch(decides{}, {2, 96}, a, out, 12u);
  auto const shaped = test.results<shapes<true>>();
  auto const decided = test.results<decisions>();
  CHECK_EQUAL(shaped.kernels.size(), 1);
  CHECK_EQUAL(decided.kernels.size(), 1);
  if (shaped.kernels.size() != 1 || decided.kernels.size() != 1) return;
  std::uint64_t requests = 0, lanes = 0, taken = 0;
  for (auto const& site : shaped.kernels[0].sites) requests += site.state.requests.value();
  for (auto const& site : decided.kernels[0].sites) {
    lanes += site.state.lanes.value();
    taken += site.state.taken.value();
  }
  CHECK_EQUAL(requests, 2 * 3 * (12 + 1));
  CHECK_EQUAL(lanes, 2 * 2 * 96 * 12);
  CHECK_EQUAL(taken, 2 * 96 / 3 * 12);
}

/// Breaks its promise so that it shows which requests it was called for: those that were counted come from 2^40.
struct asks_where : pasta::tool<asks_where> {
  using events = pasta::events<pasta::memory_access>;
  struct site_state {
    pasta::min<std::uint32_t> lowest;
    pasta::max<std::uint32_t> highest;  // of address / 2^36
  };
  static constexpr std::uint32_t address_period(options const&) { return 32; }
  PASTA_DEVICE static void on_memory_access(pasta::context<asks_where>& at, pasta::memory_access const& access) {
    at.site().lowest.observe(static_cast<std::uint32_t>(access.address >> 36));
    at.site().highest.observe(static_cast<std::uint32_t>(access.address >> 36));
  }
  void report(pasta::results<asks_where> const&, pasta::report&) const {}
};
void is_counted() {
  auto const a = zeros<int>(1 << 16), out = zeros<int>(1 << 12);
  pasta::testing::fixture<asks_where> test;
  test.launch(walk{}, {4, 256}, a, out, 20u, 0L, 1L, 1024L);
  auto const found = test.results().kernels;
  CHECK_EQUAL(found.size(), 1);
  if (found.size() != 1) return;
  CHECK_EQUAL(found[0].sites.size(), 2);
  for (auto const& site : found[0].sites) {
    CHECK_EQUAL(site.state.lowest.value_or(0), 16);
    CHECK_EQUAL(site.state.highest.value_or(0), 16);
  }
}

/// Everything at once: a gather, lanes that leave out some rounds, lanes that end early.
struct unlike {
  static constexpr bool comes_together = false;  // a GPU may leave lanes apart that were
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<unsigned const, Probe> index, pasta::traced<int, Probe> out,
                               unsigned rounds) const {
    std::size_t const i = t.index();
    int sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned const from = index[(i + 32 * round) % 4096];
      sum += a[from];
      if ((i + round) % 7 == 0) sum += a[i];
      if (round % 2 == 0) sum += a[2 * i];
      if (i % 32 == 0) sum += a[round];
      if (i % 5 == 4 && round == 3) return;
    }
    out[i] = sum;
  }
};

/// Lanes of a warp that meet another site with the same place than the rest does, and come together again.
struct apart_at_one_place {
  static constexpr bool comes_together = false;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, unsigned rounds) const {
    std::size_t const i = t.index();
    int sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
#line 2000
      sum += a[i + 32 * round];
      if (round % 4 == 1 && i % 2 == 0) {
#line 2064
        sum += 2 * a[i];
      }
      if (round % 8 == 3) {
#line 2128
        sum += 4 * a[i + round];
      }
    }
#line 2200
    out[i] = sum;
  }
};

}  // namespace

int main() {
  if (!checks::has_gpu()) {
    std::printf("skipped: there is no NVIDIA GPU\n");
    return 77;
  }
  std::vector<int> values(1 << 20);
  std::iota(values.begin(), values.end(), 0);
  auto const a = filled(values), out = zeros<int>(1 << 16);
  std::vector<unsigned> indices(4096);
  for (unsigned i = 0; i < indices.size(); ++i) indices[i] = (i * 2654435761u) >> 12;
  auto const index = filled(indices);

  checks::run("the handler is not called for what is counted", is_counted);
  checks::run("in order", [&] { compare_both(walk{}, {64, 256}, a, out, 1u, 0L, 1L, 0L); });
  checks::run("a loop, aligned", [&] { compare_both(walk{}, {8, 256}, a, out, 40u, 0L, 1L, 2048L); });
  checks::run("a loop, beside", [&] { compare_both(walk{}, {8, 256}, a, out, 40u, 3L, 1L, 2048L); });
  checks::run("another byte each time", [&] { compare_both(walk{}, {8, 256}, a, out, 41u, 0L, 1L, 1L); });
  checks::run("backwards", [&] { compare_both(walk{}, {8, 256}, a, out, 40u, 1000000L, 1L, -8L); });
  checks::run("lanes backwards", [&] { compare_both(walk{}, {8, 256}, a, out, 40u, 1000000L, -1L, 8L); });
  checks::run("the same again", [&] { compare_both(walk{}, {8, 256}, a, out, 40u, 5L, 1L, 0L); });
  checks::run("every second", [&] { compare_both(walk{}, {8, 256}, a, out, 40u, 0L, 2L, 16L); });
  checks::run("columns", [&] { compare_both(walk{}, {2, 256}, a, out, 40u, 0L, 1024L, 1L); });
  checks::run("a broadcast", [&] { compare_both(walk{}, {2, 256}, a, out, 40u, 0L, 0L, 1L); });
  checks::run("warps that are not whole", [&] { compare_both(walk{}, {3, 80}, a, out, 40u, 0L, 1L, 64L); });
  checks::run("very often", [&] { compare<shapes>(walk{}, {1, 32}, a, out, 1200000u, 0L, 1L, 0L); });
  for (unsigned const lanes : {0xfffffffeu, 0x7fffffffu, 0x00ff0000u, 0x00000001u, 0x80000000u, 0xa5a5a5a5u}) {
    for (unsigned const stride : {1u, 8u}) checks::run("some lanes", [&] { some(lanes, stride, a, out); });
  }
  for (unsigned how = 0; how < 3; ++how) {
    for (unsigned turn = 0; turn < 3; ++turn) {
      checks::run("one beside the other", [&] { compare_both(beside{}, {64, 128}, a, out, how, turn); });
    }
  }
  for (unsigned const lanes : {0u, 0x00000001u, 0x0000ffffu, 0x55555555u, 0xffffffffu}) {
    for (unsigned const n : {64u, 1000u}) {
      checks::run("some lanes first", [&] { compare_both(some_before{}, {64, 128}, a, out, lanes, 0u, n); });
      checks::run("some lanes between", [&] { compare_both(some_before{}, {64, 128}, a, out, 0u, lanes, n); });
    }
  }
  checks::run("tiles", [&] { compare_both(tiles{}, {4, {16, 16}}, a, out, 1024u, 20u); });
  checks::run("tiles with an odd pitch", [&] { compare_both(tiles{}, {4, {16, 16}}, a, out, 1021u, 20u); });
  for (unsigned turn = 1; turn < 5; ++turn) {
    checks::run("layouts in turn", [&] { compare_both(alternating{}, {4, 128}, a, out, 40u, turn, 32u); });
    checks::run("layouts in turn, beside", [&] { compare_both(alternating{}, {4, 128}, a, out, 40u, turn, 3u); });
  }
  checks::run("what is not alike", [&] { compare_both(unlike{}, {32, 256}, a, index, out, 20u); });
  checks::run("sites with one place", [&] { compare_both(in_a_loop{}, {4, 96}, a, out, 40u); });
  checks::run("apart at one place", [&] { compare_both(apart_at_one_place{}, {4, 96}, a, out, 40u); });
  checks::run("lanes 2 GiB apart", [&] {
    pasta::buffer<int> far(std::size_t{1} << 30);
    compare<shapes>(walk{}, {1, 32}, far, out, 40u, 0L, 17318417L, 8L);
  });
  checks::run("a pack with another event's handler", pack);
  return checks::finish();
}
