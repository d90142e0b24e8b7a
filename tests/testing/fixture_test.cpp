// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <pasta/testing.hpp>

#include "catch.hpp"

using pasta_test::contains_text;

namespace {

struct fill {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] = 1;
  }
};

/// Counts what it is fed.
struct watcher : pasta::tool<watcher> {
  using events = pasta::events<pasta::memory_access, pasta::matrix_operation, pasta::call, pasta::allocation,
                               pasta::deallocation, pasta::memory_copy, pasta::memory_set, pasta::synchronization,
                               pasta::annotation, pasta::kernel_end>;
  struct site_state {
    pasta::count lanes, requests, flops;
  };
  struct program_state {
    pasta::count allocations, deallocations, copied_bytes, set_bytes, synchronizations, annotations;
    pasta::max<std::uint64_t> deepest;
  };
  struct kernel_state {
    pasta::count ends;
  };
  struct launch_state {
    pasta::count ends;
  };
  static void on_memory_access(pasta::context<watcher>& at, pasta::memory_access const& access) {
    at.site().lanes.add();
    if (pasta::warp::is_leader(access.lanes)) at.site().requests.add();
  }
  static void on_matrix_operation(pasta::context<watcher>& at, pasta::matrix_operation const& tile) {
    if (pasta::warp::is_leader(tile.lanes)) at.site().flops.add(std::uint64_t{2} * tile.m * tile.n * tile.k);
  }
  static void on_call(pasta::context<watcher>& at, pasta::call const&) { at.site().lanes.add(); }
  static void on_allocation(pasta::context<watcher>& at, pasta::allocation const&) { at.program().allocations.add(); }
  static void on_deallocation(pasta::context<watcher>& at, pasta::deallocation const&) {
    at.program().deallocations.add();
  }
  static void on_memory_copy(pasta::context<watcher>& at, pasta::memory_copy const& copy) {
    at.program().copied_bytes.add(copy.size_bytes);
  }
  static void on_memory_set(pasta::context<watcher>& at, pasta::memory_set const& set) {
    at.program().set_bytes.add(set.size_bytes);
  }
  static void on_synchronization(pasta::context<watcher>& at, pasta::synchronization const&) {
    at.program().synchronizations.add();
  }
  static void on_annotation(pasta::context<watcher>& at, pasta::annotation const& note) {
    at.program().annotations.add();
    at.program().deepest.observe(note.depth);
  }
  static void on_kernel_end(pasta::context<watcher>& at, pasta::kernel_end const& end) {
    if (end.end_ns < end.begin_ns) throw std::logic_error("time runs backwards");
    at.kernel().ends.add();
    at.launch().ends.add();
  }
  void report(pasta::results<watcher> const&, pasta::report&) const {}
};

}  // namespace

// The probe route has no calls; events of all kinds can be fed all the same.
template <>
inline constexpr bool pasta::probe_delivers_v<pasta::call> = true;

TEST_CASE("events can be fed without a kernel") {
  pasta::testing::fixture<watcher> test;
  test.feed(0xff, [](std::uint32_t lane) {
    return pasta::memory_access{0, 0x1000 + 4 * lane, 4, pasta::access_kind::load, pasta::memory_space::global, 0};
  });
  test.feed(~pasta::lane_mask{0} >> 32, [](std::uint32_t) {
    return pasta::matrix_operation{0, 16, 8, 16, pasta::element_type::f16, pasta::element_type::f32, 0};
  });
  test.feed(1u << 31, [](std::uint32_t) { return pasta::call{0, 0xabc, 0}; });
  auto const found = test.results();
  REQUIRE(found.kernels.size() == 1);
  auto const& kernel = found.kernels[0];
  CHECK(kernel.name == "events");
  REQUIRE(kernel.sites.size() == 3);
  CHECK(kernel.sites[0].state.lanes.value() == 8);
  CHECK(kernel.sites[0].state.requests.value() == 1);
  CHECK(kernel.sites[1].state.flops.value() == 2 * 16 * 8 * 16);
  CHECK(kernel.sites[2].state.lanes.value() == 1);
  CHECK(kernel.kernel.ends.value() == 3);
}

TEST_CASE("host events reach program_state") {
  pasta::testing::fixture<watcher> test;
  test.happened(pasta::allocation{0x1000, 64, 0, 1});
  test.happened(pasta::deallocation{0x1000, 64, 0, 2});
  test.happened(pasta::memory_copy{1, 2, 100, pasta::copy_direction::host_to_device, 0, 1, 2});
  test.happened(pasta::memory_set{1, 50, 0, 0, 1, 2});
  test.happened(pasta::synchronization{0, 0, 1, 2});
  test.happened(pasta::annotation{"a", pasta::annotation_kind::push, 1, 1});
  test.happened(pasta::annotation{"b", pasta::annotation_kind::push, 2, 1});
  auto const found = test.results();
  CHECK(found.program.allocations.value() == 1);
  CHECK(found.program.deallocations.value() == 1);
  CHECK(found.program.copied_bytes.value() == 100);
  CHECK(found.program.set_bytes.value() == 50);
  CHECK(found.program.synchronizations.value() == 1);
  CHECK(found.program.annotations.value() == 2);
  CHECK(found.program.deepest.value() == 2u);
}

TEST_CASE("launches are merged by kernel, or kept apart") {
  std::vector<int> a(64);
  for (auto const per : {pasta::scope::kernel, pasta::scope::launch}) {
    pasta::testing::fixture<watcher> test({.per = per});
    for (int i = 0; i < 5; ++i) test.launch(fill{}, {1, 64}, a.data());
    auto const found = test.results();
    REQUIRE(found.kernels.size() == (per == pasta::scope::kernel ? 1 : 5));
    std::uint64_t sum = 0;
    for (auto const& kernel : found.kernels) {
      sum += kernel.sites.at(0).state.lanes.value();
      CHECK(kernel.launch_state.ends.value() == (per == pasta::scope::kernel ? 5 : 1));
      CHECK(kernel.launch.has_value() == (per == pasta::scope::launch));
    }
    CHECK(sum == 5 * 64);
  }
}

TEST_CASE("launches beyond the number that can be kept apart are merged and counted") {
  pasta::testing::fixture<watcher> test({.per = pasta::scope::launch});
  int a = 0;
  for (std::size_t i = 0; i < pasta::max_kernel_records + 3; ++i) test.launch(fill{}, {1, 1}, &a);
  auto const found = test.results();
  REQUIRE(found.kernels.size() == pasta::max_kernel_records + 1);
  CHECK(!found.kernels.back().launch.has_value());
  CHECK(found.kernels.back().losses.launches_seen == 3);
  CHECK(test.report().at(0).kernels.size() == pasta::max_kernel_records + 1);
  REQUIRE(test.notes().size() == 1);
  CHECK_THAT(test.notes()[0], contains_text("3 launches were merged by kernel: 8192"));
}

TEST_CASE("shapes that differ between launches are said to vary") {
  pasta::testing::fixture<watcher> test;
  std::vector<int> a(64);
  test.launch(fill{}, {1, 64}, a.data());
  test.launch(fill{}, {2, 32}, a.data());
  auto const section = test.report().at(0);
  CHECK(section.kernels.at(0).grid == "varies");
  CHECK(section.kernels.at(0).block == "varies");
}

namespace {
/// Its handlers and its report do what they must not.
struct faulty : pasta::tool<faulty> {
  using events = pasta::events<pasta::memory_access, pasta::synchronization>;
  struct site_state {
    pasta::count wrong;
  };
  static void on_memory_access(pasta::context<faulty>& at, pasta::memory_access const& access) {
    // Only the leader comes to an exchange of all lanes.
    if (pasta::warp::is_leader(access.lanes) && pasta::warp::ballot(access.lanes, true) != access.lanes)
      at.site().wrong.add();
  }
  static void on_synchronization(pasta::context<faulty>& at, pasta::synchronization const&) { at.site().wrong.add(); }
  void report(pasta::results<faulty> const& found, pasta::report& out) const {
    auto table = out.kernel(found.kernels.at(0)).table("one", {{"a", ""}, {"b", ""}});
    table.add(1);
  }
};
}  // namespace

TEST_CASE("a tool's mistakes at run time are said in the report and harm nothing") {
  pasta::testing::fixture<faulty> test;
  std::vector<int> a(128);
  test.launch(fill{}, {2, 64}, a.data());
  CHECK(a == std::vector<int>(128, 1));
  test.happened(pasta::synchronization{});
  CHECK(test.results().kernels.at(0).sites.at(0).state.wrong.value() == 4);
  auto const sections = test.report();
  CHECK(sections.at(0).kernels.size() == 1);
  auto const said = [&](std::string const& text) {
    return std::any_of(test.notes().begin(), test.notes().end(),
                       [&](std::string const& note) { return note.find(text) != std::string::npos; });
  };
  CHECK(test.notes().size() == 3);
  CHECK(said("in 2 blocks a handler's warp operation was not reached by all lanes of its mask"));
  CHECK(said("faulty: a handler of a host event failed: a handler asked for state that its event does not have"));
  CHECK(said("faulty: its report failed: table one: a row has 1 cells, the table 2 columns"));
}

namespace {
/// Asks for state that the event has not, inside a kernel.
struct careless : pasta::tool<careless> {
  using events = pasta::events<pasta::thread_exit>;
  struct site_state {
    pasta::count threads;
  };
  static void on_thread_exit(pasta::context<careless>& at, pasta::thread_exit const&) { at.site().threads.add(); }
  void report(pasta::results<careless> const&, pasta::report&) const { throw 5; }
};
}  // namespace

TEST_CASE("a handler that throws inside a kernel does not end the program") {
  pasta::testing::fixture<careless> test({.threads = 2});
  std::vector<int> a(128);
  test.launch(fill{}, {2, 64}, a.data());
  CHECK(a == std::vector<int>(128, 1));
  test.report();
  REQUIRE(test.notes().size() == 2);
  CHECK_THAT(test.notes()[0], contains_text("careless: its report failed"));
  CHECK_THAT(test.notes()[1], contains_text("a handler in a kernel failed: careless: a handler asked for state"));
}

namespace {
/// Checks the operations between lanes against each other, inside a handler.
struct warp_checker : pasta::tool<warp_checker> {
  using events = pasta::events<pasta::memory_access>;
  struct kernel_state {
    pasta::count wrong, checked;
  };
  static void on_memory_access(pasta::context<warp_checker>& at, pasta::memory_access const& access) {
    namespace warp = pasta::warp;
    auto const lanes = access.lanes;
    std::uint64_t const number = warp::lane();
    std::uint64_t sum = 0, lowest = 64, highest = 0, first_lane = 0;
    for (std::uint64_t lane = 64; lane-- > 0;) {
      if (((lanes >> lane) & 1) == 0) continue;
      sum += lane, lowest = lane, highest = std::max(highest, lane);
    }
    first_lane = lowest;
    auto const expect = [&](bool holds) {
      at.kernel().checked.add();
      if (!holds) at.kernel().wrong.add();
    };
    expect(warp::reduce_add(lanes, number) == sum);
    expect(warp::reduce_min(lanes, static_cast<int>(number) - 40) == static_cast<int>(lowest) - 40);
    expect(warp::reduce_max(lanes, static_cast<int>(number) - 40) == static_cast<int>(highest) - 40);
    expect(warp::ballot(lanes, number % 3 == 0) == (lanes & 0x9249249249249249ull));
    expect(warp::any(lanes, number == highest));
    expect(warp::all(lanes, number <= highest));
    expect(!warp::all(lanes, number < highest));
    expect(warp::shuffle(lanes, static_cast<double>(number) * 2.5, static_cast<std::uint32_t>(highest)) ==
           static_cast<double>(highest) * 2.5);
    expect(warp::shuffle(lanes, number, 1000) == number);
    expect(warp::is_leader(lanes) == (number == first_lane));
    expect(warp::count_distinct(lanes, number / 4) == warp::count_distinct(lanes, 15 - number / 4));
    expect(warp::count_distinct(lanes, 7) == 1);
    // Two halves of the group exchange at the same time, each among itself.
    pasta::lane_mask const even = lanes & 0x5555555555555555ull, odd = lanes & ~0x5555555555555555ull;
    pasta::lane_mask const mine = number % 2 == 0 ? even : odd;
    expect(warp::ballot(mine, true) == mine);
    expect(warp::reduce_add(mine, 1u) == warp::count(mine));
  }
  void report(pasta::results<warp_checker> const&, pasta::report&) const {}
};
struct diverging_fill {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    if (t.lane() % 5 != 0) a[t.index()] = 1;
    if (t.lane() > 9) a[t.index()] = 1;
    if (t.lane() == 17) a[t.index()] = 1;
    a[t.index()] = 1;
  }
};
}  // namespace

TEST_CASE("operations between lanes in handlers, for full, partial and single-lane groups") {
  for (std::uint32_t const width : {32u, 64u}) {
    pasta::testing::fixture<warp_checker> test({.warp_width = width, .threads = 2});
    std::vector<int> a(4 * 100);
    test.launch(diverging_fill{}, {4, 100}, a.data());
    auto const& kernel = test.results().kernels.at(0);
    CHECK(kernel.kernel.wrong.value() == 0);
    CHECK(kernel.kernel.checked.value() > 4 * 100 * 14);
    test.report();
    CHECK(test.notes().empty());
  }
}

TEST_CASE("the result does not depend on the number of workers") {
  std::vector<int> a(64 * 256);
  pasta::testing::fixture<watcher> one({.threads = 1}), many({.threads = 8});
  for (auto* test : {&one, &many}) test->launch(fill{}, {64, 256}, a.data());
  auto const expected = one.results().kernels.at(0), found = many.results().kernels.at(0);
  REQUIRE(found.sites.size() == expected.sites.size());
  CHECK(found.sites[0].state.lanes.value() == expected.sites[0].state.lanes.value());
  CHECK(found.sites[0].state.requests.value() == expected.sites[0].state.requests.value());
}
