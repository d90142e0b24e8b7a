// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// gpu_check flags: -Xptxas=-suppress-stack-size-warning -Xnvlink=-suppress-stack-size-warning
// The conformance suite on a GPU: small kernels under tools, with their exact events in closed form.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "checks.hpp"
#include "observer.hpp"
#include "same_place.hpp"

using pasta::memory_space;
using pasta::operation;

namespace {

template <class Tool>
using sites_t = std::vector<pasta::site_result<Tool>>;

/// The sites that do this, in order of the source.
template <class Tool>
sites_t<Tool> sites_of(pasta::kernel_result<Tool> const& kernel, operation what,
                       memory_space space = memory_space::global) {
  sites_t<Tool> found;
  for (auto const& site : kernel.sites) {
    if (site.site.what == what && site.site.space == space) found.push_back(site);
  }
  return found;
}

/// The only such site; an empty one, and a failed check, if there is not exactly one.
template <class Tool>
pasta::site_result<Tool> site_of(pasta::kernel_result<Tool> const& kernel, operation what,
                                 memory_space space = memory_space::global) {
  auto const found = sites_of(kernel, what, space);
  CHECK_EQUAL(found.size(), 1);
  return found.size() == 1 ? found.front() : pasta::site_result<Tool>{};
}

/// The only kernel of a run.
template <class Tool>
pasta::kernel_result<Tool> kernel_of(pasta::results<Tool> const& found) {
  CHECK_EQUAL(found.kernels.size(), 1);
  return found.kernels.size() == 1 ? found.kernels.front() : pasta::kernel_result<Tool>{};
}

template <class Tool>
void check_nothing_lost(pasta::kernel_result<Tool> const& kernel, std::uint64_t launches) {
  CHECK_EQUAL(kernel.losses.launches_seen, launches);
  CHECK_EQUAL(kernel.losses.launches_delivered, launches);
  CHECK_EQUAL(kernel.losses.launches_lost, 0);
  CHECK_EQUAL(kernel.losses.events_dropped, 0);
}

void print_notes(std::vector<std::string> const& notes) {
  for (auto const& note : notes) std::printf("note: %s: %s\n", checks::current_case, note.c_str());
}

/// What holds for every kernel, launched so often in the same shape.
void check_observed(pasta::kernel_result<observer> const& observed, pasta::dim3 grid, pasta::dim3 block,
                    std::uint64_t launches) {
  std::uint64_t const blocks = launches * grid.count(), threads = blocks * block.count();
  std::uint64_t accesses = 0;
  for (auto const& site : observed.sites) {
    if (site.site.what <= operation::atomic) {
      accesses += site.state.lanes.value();
      CHECK_EQUAL(site.executions, site.state.lanes.value());
    }
    std::uint64_t by_lane = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) by_lane += site.state.by_lane.value(lane);
    CHECK_EQUAL(by_lane, site.state.lanes.value());
  }
  CHECK_EQUAL(observed.kernel.blocks_entered.value(), blocks);
  CHECK_EQUAL(observed.kernel.blocks_left.value(), blocks);
  CHECK_EQUAL(observed.kernel.threads_entered.value(), threads);
  CHECK_EQUAL(observed.kernel.threads_left.value(), threads);
  CHECK_EQUAL(observed.kernel.accesses_folded.value(), accesses);
  CHECK_EQUAL(observed.kernel.begins.value(), launches);
  CHECK_EQUAL(observed.kernel.ends.value(), launches);
  check_nothing_lost(observed, launches);
}

/// Runs a kernel under a tool, with what holds for every kernel.
template <class Tool, class Kernel, class... Arguments>
pasta::kernel_result<Tool> observe_with(Kernel const& kernel, pasta::launch_config const& config,
                                        Arguments const&... arguments) {
  pasta::testing::fixture<Tool> test;
  test.launch(kernel, config, arguments...);
  auto const observed = kernel_of(test.results());
  check_nothing_lost(observed, 1);
  test.report();
  CHECK(test.notes().empty());
  print_notes(test.notes());
  return observed;
}

/// Runs a kernel under the observer.
template <class Kernel, class... Arguments>
pasta::kernel_result<observer> observe(Kernel const& kernel, pasta::launch_config const& config,
                                       Arguments const&... arguments) {
  auto const observed = observe_with<observer>(kernel, config, arguments...);
  check_observed(observed, config.grid, config.block, 1);
  return observed;
}

// ---- Guards, lanes, addresses

struct copy_own {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a, pasta::traced<int, Probe> b,
                               std::size_t n) const {
    if (t.index() < n) b[t.index()] = a[t.index()];
  }
};

void block_of_80() {
  auto const a = filled(std::vector<int>(80, 7)), b = zeros<int>(80);
  auto const kernel = observe(copy_own{}, {1, 80}, a, b, std::size_t{80});
  CHECK_EQUAL(kernel.sites.size(), 2);
  for (auto const what : {operation::load, operation::store}) {
    auto const site = site_of(kernel, what);
    CHECK_EQUAL(site.state.lanes.value(), 80);
    CHECK_EQUAL(site.state.requests.value(), 3);
    for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK_EQUAL(site.state.by_lane.value(lane), lane < 16 ? 3 : 2);
  }
  CHECK_EQUAL(kernel.kernel.most_accesses_of_a_thread.value_or(0), 2);
  CHECK(contents(b) == std::vector<int>(80, 7));
}

void guard_of_1000() {
  auto const a = filled(std::vector<int>(1024, 1)), b = zeros<int>(1024);
  auto const kernel = observe(copy_own{}, {4, 256}, a, b, std::size_t{1000});
  for (auto const what : {operation::load, operation::store}) {
    auto const site = site_of(kernel, what);
    CHECK_EQUAL(site.state.lanes.value(), 1000);
    CHECK_EQUAL(site.state.requests.value(), 32);
  }
}

void no_thread_passes() {
  auto const a = zeros<int>(1), b = zeros<int>(1);
  auto const kernel = observe(copy_own{}, {2, 64}, a, b, std::size_t{0});
  CHECK(kernel.sites.empty());
  CHECK_EQUAL(kernel.kernel.most_accesses_of_a_thread.value_or(1), 0);
}

void addresses() {
  auto const a = zeros<int>(4096), b = zeros<int>(4096);
  auto const kernel = observe(copy_own{}, {16, 256}, a, b, std::size_t{4096});
  auto const check = [&](operation what, int const* first) {
    std::uint64_t sum = 0, squares = 0;
    for (std::size_t i = 0; i < 4096; ++i) {
      std::uint64_t const word = reinterpret_cast<std::uintptr_t>(first + i) / 4;
      sum += word, squares += word * word;
    }
    auto const site = site_of(kernel, what);
    CHECK_EQUAL(site.state.address_sum.value(), sum);
    CHECK_EQUAL(site.state.address_squares.value(), squares);
  };
  check(operation::load, a.device_pointer());
  check(operation::store, b.device_pointer());
}

// ---- Kinds, spaces, sizes

struct all_kinds {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<unsigned, Probe> a) const {
    unsigned const value = a[t.index()];
    a[t.index() + 256] = value;
    unsigned const before = t.atomic_add(a[512], 1u);
    t.atomic_max(a[513], before);
    a[t.index() + 1024]++;
    t.atomic_compare_exchange(a[514], 0u, 1u);
    t.atomic_add(a[515], 3u);
    t.atomic_or(a[516], 1u << t.lane());
    a[t.index() + 1280] += 2;
  }
};

void kinds() {
  auto const a = zeros<unsigned>(2048);
  auto const kernel = observe_with<kind_observer>(all_kinds{}, {2, 128}, a);
  CHECK_EQUAL(sites_of(kernel, operation::load).size(), 3);
  CHECK_EQUAL(sites_of(kernel, operation::store).size(), 3);
  CHECK_EQUAL(sites_of(kernel, operation::atomic).size(), 5);
  CHECK_EQUAL(kernel.sites.size(), 11);
  for (auto const& site : kernel.sites) {
    CHECK_EQUAL(site.executions, 256);
    CHECK_EQUAL(site.state.loads.value(), site.site.what == operation::load ? 256 : 0);
    CHECK_EQUAL(site.state.stores.value(), site.site.what == operation::store ? 256 : 0);
    CHECK_EQUAL(site.state.atomics.value(), site.site.what == operation::atomic ? 256 : 0);
    CHECK_EQUAL(site.state.bytes.value(), 4 * 256);
  }
  auto const found = contents(a);
  CHECK_EQUAL(found[512], 256);
  CHECK_EQUAL(found[513], 255);
  CHECK_EQUAL(found[514], 1);
  CHECK_EQUAL(found[515], 3 * 256);
  CHECK_EQUAL(found[516], 0xffffffffu);
  for (std::size_t i = 1024; i < 1280; ++i) CHECK_EQUAL(found[i], 1);
  for (std::size_t i = 1280; i < 1536; ++i) CHECK_EQUAL(found[i], 2);
}

struct any_space {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> global, int pointers) const {
    auto shared = pasta::shared<int[64]>(t);
    int local[4] = {1, 2, 3, 4};
    int* const generic[3] = {global.raw() + t.index(), shared.raw() + t.thread_index().x, local};
    for (int which = 0; which < pointers; ++which) {
      auto const pointer = t.trace(generic[which]);
      pointer[0] = which + 5;
    }
    global[t.index() + 64] = local[0] + shared[t.thread_index().x];
  }
};

void generic_pointer() {
  auto const a = zeros<int>(128);
  auto const kernel = observe(any_space{}, {1, 64}, a, 3);
  CHECK_EQUAL(site_of(kernel, operation::store, memory_space::shared).state.lanes.value(), 64);
  CHECK_EQUAL(site_of(kernel, operation::store, memory_space::local).state.lanes.value(), 64);
  CHECK_EQUAL(site_of(kernel, operation::load, memory_space::shared).state.lanes.value(), 64);
  auto const global = sites_of(kernel, operation::store, memory_space::global);
  CHECK_EQUAL(global.size(), 2);
  for (auto const& site : global) CHECK_EQUAL(site.state.lanes.value(), 64);
  auto const found = contents(a);
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK_EQUAL(found[i], 5);
    CHECK_EQUAL(found[i + 64], 7 + 6);
  }
}

struct copies {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t given) const {
    auto tile = pasta::shared<float[256]>(t);
    std::size_t const first = 4 * t.index();
    t.copy_async(tile + static_cast<std::ptrdiff_t>(first), in + static_cast<std::ptrdiff_t>(first), 4, given);
    t.wait_copies();
    t.sync_block();
#pragma unroll 1  // for the compiler's time
    for (unsigned i = 0; i < 4; ++i) out[first + i] = tile[first + i];
  }
};

void async_copies() {
  auto const in = filled(std::vector<float>(256, 2.0f)), out = zeros<float>(256);
  std::uint64_t first_words = 0;  // of all threads' sources
  for (std::size_t i = 0; i < 256; i += 4) {
    first_words += reinterpret_cast<std::uintptr_t>(in.device_pointer() + i) / 4;
  }
  for (std::size_t const given : {4, 0, 3}) {
    auto const kernel = observe_with<kind_observer>(copies{}, {1, 64}, in, out, given);
    auto const copy = site_of(kernel, operation::copy, memory_space::shared);
    CHECK_EQUAL(copy.site.size_bytes, 16);
    CHECK_EQUAL(copy.state.copies.value(), 64);
    CHECK_EQUAL(copy.state.bytes.value(), 64 * 16);
    CHECK_EQUAL(copy.state.source_bytes.value(), 64 * 4 * given);
    CHECK_EQUAL(copy.state.address_sum.value(), first_words);
    auto const writes = site_of(kernel, operation::store, memory_space::shared);
    CHECK_EQUAL(writes.executions, 64);
    CHECK_EQUAL(writes.state.stores.value(), 64);
    CHECK_EQUAL(writes.site.size_bytes, 16);
    if (given == 0) {  // all of it is filled with zeros: nothing is read
      CHECK(sites_of(kernel, operation::load, memory_space::global).empty());
    } else {
      auto const read = site_of(kernel, operation::load, memory_space::global);
      CHECK_EQUAL(read.executions, 64);
      CHECK_EQUAL(read.state.loads.value(), 64);
      CHECK_EQUAL(read.state.address_sum.value(), first_words);
      CHECK_EQUAL(read.site.size_bytes, 4 * given);
    }
    CHECK_EQUAL(site_of(kernel, operation::load, memory_space::shared).executions, 256);
    CHECK_EQUAL(site_of(kernel, operation::store, memory_space::global).executions, 256);
    std::vector<float> expected(256);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = i % 4 < given ? 2.0f : 0.0f;
    CHECK(contents(out) == expected);
  }
}

struct empty_copy {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out) const {
    t.copy_async(out + 1, in, 0, 0);
  }
};

void copy_of_nothing() {
  auto const in = zeros<float>(4), out = zeros<float>(4);
  auto const kernel = observe(empty_copy{}, {1, 32}, in, out);
  CHECK_EQUAL(kernel.sites.size(), 1);
  CHECK_EQUAL(site_of(kernel, operation::copy).state.lanes.value(), 32);
}

template <std::size_t Bytes>
struct alignas(Bytes) bytes_of {
  std::uint8_t byte[Bytes];
};
struct vectors {
  template <class T, class Probe>
  PASTA_DEVICE static void move(pasta::thread<Probe>& t, pasta::traced<std::uint8_t, Probe> a) {
    auto const elements = a.template as<T>();
    T const value = elements[t.index()];
    elements[t.index() + 64] = value;
  }
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint8_t, Probe> a) const {
    move<bytes_of<1>>(t, a);
    move<bytes_of<2>>(t, a + 1024);
    move<bytes_of<4>>(t, a + 2048);
    move<bytes_of<8>>(t, a + 4096);
    move<bytes_of<16>>(t, a + 8192);
    move<bytes_of<32>>(t, a + 16384);
  }
};

void vector_accesses() {
  std::vector<std::uint8_t> bytes(16384 + 128 * 32);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 % 251);
  auto const a = filled(bytes);
  auto const kernel = observe_with<kind_observer>(vectors{}, {1, 64}, a);
  CHECK_EQUAL(kernel.sites.size(), 12);
  auto const found = contents(a);
  std::size_t const begins[] = {0, 1024, 2048, 4096, 8192, 16384};
  for (std::size_t which = 0; which < 6; ++which) {
    std::size_t const size = std::size_t{1} << which, begin = begins[which];
    for (auto const what : {operation::load, operation::store}) {
      std::uint64_t lanes = 0, moved_bytes = 0;
      for (auto const& site : sites_of(kernel, what)) {
        if (site.site.size_bytes != size) continue;
        lanes += site.state.loads.value() + site.state.stores.value();
        moved_bytes += site.state.bytes.value();
      }
      CHECK_EQUAL(lanes, 64);
      CHECK_EQUAL(moved_bytes, 64 * size);
    }
    CHECK(std::equal(&bytes[begin], &bytes[begin] + 64 * size, &found[begin + 64 * size]));
  }
}

struct offsets {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> middle,
                               pasta::traced<int, Probe> out) const {
    int sum = middle[4];
    sum += middle[-1];
    sum += (middle + 2)[0];
    out[t.index()] = sum;
  }
};

void offsets_both_ways() {
  auto const a = filled(std::vector<int>{10, 20, 30, 40, 50, 60, 70, 80}), out = zeros<int>(32);
  int const* const middle = a.device_pointer() + 2;
  auto const kernel = observe_with<kind_observer>(offsets{}, {1, 32}, middle, out);
  auto const loads = sites_of(kernel, operation::load);
  CHECK_EQUAL(loads.size(), 3);
  std::ptrdiff_t const by_line[] = {4, -1, 2};
  for (std::size_t i = 0; i < 3 && i < loads.size(); ++i) {
    CHECK_EQUAL(loads[i].state.address_sum.value(), 32 * (reinterpret_cast<std::uintptr_t>(middle + by_line[i]) / 4));
  }
  CHECK(contents(out) == std::vector<int>(32, 70 + 20 + 50));
}

// ---- Functions, branches, barriers

struct calls {
  template <class Probe>
  PASTA_DEVICE PASTA_NEVER_INLINE static int sum_down(pasta::traced<int const, Probe> a, int i) {
    if (i < 0) return 0;
    return a[i] + sum_down(a, i - 1);
  }
  template <class Probe>
  PASTA_DEVICE PASTA_NEVER_INLINE static int twice(pasta::traced<int const, Probe> a, int i) {
    return 2 * a[i];
  }
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
    using function = int (*)(pasta::traced<int const, Probe>, int);
    int const chosen = out[t.index()];  // so that the compiler cannot know the function
    function const call = chosen == 0 ? function{&sum_down<Probe>} : function{&twice<Probe>};
    out[t.index()] = sum_down(a, 3) + call(a, 1);
  }
};

// Recursion needs a stack whose size the compiler cannot know; a probe makes its frames larger.
class larger_stack {
 public:
  larger_stack() {
    CHECK(cudaDeviceGetLimit(&before_, cudaLimitStackSize) == cudaSuccess);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{32} << 10) == cudaSuccess);
  }
  ~larger_stack() { static_cast<void>(cudaDeviceSetLimit(cudaLimitStackSize, before_)); }
  larger_stack(larger_stack const&) = delete;
  larger_stack& operator=(larger_stack const&) = delete;

 private:
  std::size_t before_ = 0;
};

void callees() {
  larger_stack const enough;
  std::vector<int> chosen(64), expected(64);
  for (std::size_t i = 0; i < 64; ++i) {
    chosen[i] = i % 4 == 3 ? 1 : 0;
    expected[i] = 10 + (chosen[i] == 0 ? 3 : 4);
  }
  auto const a = filled(std::vector<int>{1, 2, 3, 4}), out = filled(chosen);
  pasta::testing::fixture<counter> test;
  test.launch(calls{}, {2, 32}, a, out);
  auto const kernel = kernel_of(test.results());
  check_nothing_lost(kernel, 1);
  auto const loads = sites_of(kernel, operation::load);  // in sum_down, in twice, of the choice
  CHECK_EQUAL(loads.size(), 3);
  if (loads.size() == 3) {
    CHECK_EQUAL(loads[0].executions, 64 * 4 + 48 * 2);
    CHECK_EQUAL(loads[1].executions, 16);
    CHECK_EQUAL(loads[2].executions, 64);
  }
  CHECK_EQUAL(site_of(kernel, operation::store).executions, 64);
  CHECK(contents(out) == expected);
}

struct branches {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    if (t.branch(t.lane() < 3)) {
      a[t.index()] = 1;
    } else {
      a[t.index()] = 2;
    }
    t.sync_warp();
    a[t.index() + 256] = 3;
    t.sync_block();
    static_cast<void>(t.branch(t.thread_index().x >= 100));
  }
};

void branches_and_barriers() {
  auto const a = zeros<int>(512);
  auto const kernel = observe(branches{}, {2, 128}, a);
  auto const decisions = sites_of(kernel, operation::branch);
  CHECK_EQUAL(decisions.size(), 2);
  if (decisions.size() == 2) {
    CHECK_EQUAL(decisions[0].state.lanes.value(), 256);
    CHECK_EQUAL(decisions[0].state.requests.value(), 8);
    CHECK_EQUAL(decisions[0].state.taken.value(), 3 * 8);
    CHECK_EQUAL(decisions[1].state.lanes.value(), 256);
    CHECK_EQUAL(decisions[1].state.taken.value(), 2 * 28);
  }
  auto const stores = sites_of(kernel, operation::store);
  CHECK_EQUAL(stores.size(), 3);
  if (stores.size() == 3) {
    CHECK_EQUAL(stores[0].state.lanes.value(), 3 * 8);
    CHECK_EQUAL(stores[1].state.lanes.value(), 29 * 8);
    CHECK_EQUAL(stores[2].state.lanes.value(), 256);
    CHECK_EQUAL(stores[2].state.requests.value(), 8);
  }
  auto const barriers = sites_of(kernel, operation::barrier);
  CHECK_EQUAL(barriers.size(), 2);
  for (auto const& barrier : barriers) CHECK_EQUAL(barrier.state.lanes.value(), 256);
}

struct leaves_early {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] = 1;
    if (t.lane() % 2 == 1) return;
    a[t.index() + 64] = 2;
    t.sync_block();
    a[t.index() + 128] = 3;
  }
};

void early_return() {
  auto const a = zeros<int>(192);
  auto const kernel = observe(leaves_early{}, {1, 64}, a);
  auto const stores = sites_of(kernel, operation::store);
  CHECK_EQUAL(stores.size(), 3);
  std::uint64_t const lanes[] = {64, 32, 32};
  for (std::size_t i = 0; i < 3 && i < stores.size(); ++i) {
    CHECK_EQUAL(stores[i].state.lanes.value(), lanes[i]);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      CHECK_EQUAL(stores[i].state.by_lane.value(lane), i == 0 || lane % 2 == 0 ? 2 : 0);
    }
  }
  CHECK_EQUAL(site_of(kernel, operation::barrier).state.lanes.value(), 32);
  CHECK_EQUAL(kernel.kernel.most_accesses_of_a_thread.value_or(0), 3);
}

struct triangle {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
    int sum = 0;
    for (unsigned i = 0; i <= t.lane(); ++i) {
      sum += a[i];
    }
    out[t.index()] = sum;
  }
};

void different_trip_counts() {
  auto const a = filled(std::vector<int>(32, 1)), out = zeros<int>(128);
  auto const kernel = observe(triangle{}, {1, 128}, a, out);
  auto const load = site_of(kernel, operation::load);
  CHECK_EQUAL(load.state.lanes.value(), 4 * 32 * 33 / 2);
  for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK_EQUAL(load.state.by_lane.value(lane), 4 * (lane + 1));
  std::uint64_t sum = 0;  // element i is loaded by the lanes from i on
  for (std::uint64_t i = 0; i < 32; ++i) {
    sum += 4 * (32 - i) * (reinterpret_cast<std::uintptr_t>(a.device_pointer() + i) / 4);
  }
  CHECK_EQUAL(load.state.address_sum.value(), sum);
  CHECK_EQUAL(site_of(kernel, operation::store).state.lanes.value(), 128);
  CHECK_EQUAL(kernel.kernel.most_accesses_of_a_thread.value_or(0), 33);
  auto const found = contents(out);
  for (std::size_t i = 0; i < found.size(); ++i) CHECK_EQUAL(found[i], static_cast<int>(i % 32) + 1);
}

// ---- Sites that share registers

// Executions of each line's loads.
template <class Tool>
std::map<std::uint32_t, std::uint64_t> loads_by_line(pasta::kernel_result<Tool> const& kernel) {
  std::map<std::uint32_t, std::uint64_t> found;
  for (auto const& site : sites_of(kernel, operation::load)) found[site.site.line] += site.executions;
  return found;
}

template <class Tool>
void sites_with_one_place() {
  using by_line = std::map<std::uint32_t, std::uint64_t>;
  auto const a = filled(std::vector<int>(256, 1)), out = zeros<int>(256);
  {
    pasta::testing::fixture<Tool> test;
    test.launch(same_place::in_a_loop{}, {2, 128}, a, out, 30u);
    auto const kernel = kernel_of(test.results());
    check_nothing_lost(kernel, 1);
    CHECK((loads_by_line(kernel) == by_line{{1000, 256 * 30}, {1064, 256 * 10}, {1128, 256 * 6}}));
    CHECK_EQUAL(site_of(kernel, operation::store).executions, 256);
    CHECK(contents(out) == std::vector<int>(256, 30 + 2 * 10 + 4 * 6));
  }
  {
    pasta::testing::fixture<Tool> test;
    test.launch(same_place::in_branches{}, {2, 128}, a, out);
    auto const kernel = kernel_of(test.results());
    by_line expected;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      expected[lane < 5 ? 2000 : lane % 2 == 0 ? 2064 : 2128] += 8 * (lane + 1);
    }
    check_nothing_lost(kernel, 1);
    CHECK(loads_by_line(kernel) == expected);
  }
  {
    pasta::testing::fixture<Tool> test;
    test.launch(same_place::one_after_the_other{}, {2, 128}, a, out);
    auto const kernel = kernel_of(test.results());
    check_nothing_lost(kernel, 1);
    CHECK((loads_by_line(kernel) == by_line{{3000, 256}, {3064, 256}, {3128, 256}}));
    CHECK(contents(out) == std::vector<int>(256, 7));
  }
}

void observed_sites_with_one_place() {
  sites_with_one_place<kind_observer>();
  // What a handler adds to each.
  auto const a = filled(std::vector<int>(256, 1)), out = zeros<int>(256);
  auto const kernel = observe(same_place::in_branches{}, {2, 128}, a, out);
  for (auto const& site : sites_of(kernel, operation::load)) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 256; ++i) {
      std::uint64_t const lane = i % 32;
      std::uint32_t const line = lane < 5 ? 2000 : lane % 2 == 0 ? 2064 : 2128;
      bool const is_here = line == site.site.line;
      if (is_here) sum += (lane + 1) * (reinterpret_cast<std::uintptr_t>(a.device_pointer() + i) / 4);
      if (i < 32) CHECK_EQUAL(site.state.by_lane.value(lane), is_here ? 8 * (lane + 1) : 0);
    }
    CHECK_EQUAL(site.state.address_sum.value(), sum);
  }
}

// ---- Many launches

class cuda_stream {
 public:
  cuda_stream() { CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess); }
  ~cuda_stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
  cuda_stream(cuda_stream const&) = delete;
  cuda_stream& operator=(cuda_stream const&) = delete;
  cudaStream_t get() const { return stream_; }
  std::uint64_t number() const { return reinterpret_cast<std::uintptr_t>(stream_); }

 private:
  cudaStream_t stream_ = nullptr;
};

void two_streams() {
  auto const a = zeros<int>(1024), b = zeros<int>(1024);
  cuda_stream const one, other;
  pasta::testing::fixture<observer> test;
  for (int i = 0; i < 10; ++i) {
    test.launch(copy_own{}, {4, 256, 0, i % 2 == 0 ? one.number() : other.number()}, a, b, std::size_t{1000});
  }
  auto const kernel = kernel_of(test.results());
  check_observed(kernel, 4, 256, 10);
  CHECK_EQUAL(site_of(kernel, operation::load).state.lanes.value(), 10 * 1000);
  CHECK_EQUAL(site_of(kernel, operation::store).state.requests.value(), 10 * 32);
  // Nothing counts twice, and later launches are added.
  test.launch(copy_own{}, {4, 256, 0, one.number()}, a, b, std::size_t{1024});
  auto const later = kernel_of(test.results());
  check_observed(later, 4, 256, 11);
  CHECK_EQUAL(site_of(later, operation::load).state.lanes.value(), 10 * 1000 + 1024);
}

// Launch i has `guard_of(i)` threads that pass the guard.
template <class Tool>
void launches_apart(std::uint64_t launch_count) {
  auto const a = zeros<int>(1024), b = zeros<int>(1024);
  cuda_stream const one, other;
  pasta::testing::fixture<Tool> test({.per = pasta::scope::launch});
  auto const guard_of = [](std::uint64_t launch) { return static_cast<std::size_t>((launch * 37 + 11) % 1025); };
  for (std::uint64_t i = 0; i < launch_count; ++i) {
    std::uint64_t const stream = i % 3 == 0 ? 0 : i % 3 == 1 ? one.number() : other.number();
    test.launch(copy_own{}, {4, 256, 0, stream}, a, b, guard_of(i));
  }
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.size(), launch_count);
  std::uint64_t expected_number = 0;
  for (auto const& kernel : found.kernels) {
    CHECK(kernel.launch.has_value());
    std::uint64_t const number = kernel.launch.value_or(0);
    CHECK_EQUAL(number, expected_number);
    ++expected_number;
    check_nothing_lost(kernel, 1);
    for (auto const what : {operation::load, operation::store}) {
      std::uint64_t executions = 0;
      for (auto const& site : sites_of(kernel, what)) executions += site.executions;
      CHECK_EQUAL(executions, guard_of(number));
    }
    if constexpr (std::is_same_v<Tool, observer>) check_observed(kernel, 4, 256, 1);
  }
  test.report();
  CHECK(test.notes().empty());
  print_notes(test.notes());
}

template <int Number>
struct numbered {
  char const* name;
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, unsigned n) const {
    for (unsigned i = 0; i < n; ++i) a[t.index()] = Number;
  }
};

// 40 kernels: 8 functions with 5 names each. Memory for results is limited to 16 MiB: later kernels get less of it.
void many_kernels() {
  constexpr unsigned kernel_count = 40;
  auto const a = zeros<int>(256);
  std::vector<std::string> names;
  for (unsigned i = 0; i < kernel_count; ++i) names.push_back("kernel " + std::to_string(i));
  pasta::testing::fixture<counter> test;
  for (unsigned i = 0; i < kernel_count; i += 8) {
    [&]<int... Number>(std::integer_sequence<int, Number...>) {
      (test.launch(numbered<Number>{names[i + Number].c_str()}, {2, 128}, a, i + Number + 1), ...);
    }
    (std::make_integer_sequence<int, 8>{});
  }
  auto const found = test.results();
  CHECK_EQUAL(found.kernels.size(), kernel_count);
  unsigned number = 0;
  for (auto const& kernel : found.kernels) {
    CHECK(kernel.name == names[number]);
    check_nothing_lost(kernel, 1);
    CHECK_EQUAL(site_of(kernel, operation::store).executions, 256 * (number + 1));
    ++number;
  }
  test.report();
  CHECK(test.notes().empty());
  print_notes(test.notes());
}

void graph() {
  auto const a = zeros<int>(1024), b = zeros<int>(1024);
  cuda_stream const stream;
  pasta::testing::fixture<observer> test;
  cudaGraph_t recorded = nullptr;
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  test.launch(copy_own{}, {4, 256, 0, stream.number()}, a, b, std::size_t{1000});
  CHECK(cudaStreamEndCapture(stream.get(), &recorded) == cudaSuccess);
  CHECK(cudaGraphInstantiate(&ready, recorded, 0) == cudaSuccess);
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(ready, stream.get()) == cudaSuccess);
  auto const kernel = kernel_of(test.results());
  for (auto const what : {operation::load, operation::store}) {
    auto const site = site_of(kernel, what);
    CHECK_EQUAL(site.state.lanes.value(), 5 * 1000);
    CHECK_EQUAL(site.executions, 5 * 1000);
    CHECK_EQUAL(site.state.requests.value(), 5 * 32);
  }
  CHECK_EQUAL(kernel.kernel.threads_entered.value(), 5 * 1024);
  CHECK_EQUAL(kernel.kernel.blocks_left.value(), 5 * 4);
  CHECK_EQUAL(kernel.losses.events_dropped, 0);
  if (ready != nullptr) CHECK(cudaGraphExecDestroy(ready) == cudaSuccess);
  if (recorded != nullptr) CHECK(cudaGraphDestroy(recorded) == cudaSuccess);
}

struct store_one {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index() % 1024] = 1;
  }
};

void large_grid() {
  auto const a = zeros<int>(1024);
  pasta::testing::fixture<counter> test;
  constexpr std::uint64_t launches = 5, threads_each = std::uint64_t{1} << 30;
  for (std::uint64_t i = 0; i < launches; ++i) test.launch(store_one{}, {1u << 24, 64}, a);
  auto const kernel = kernel_of(test.results());
  check_nothing_lost(kernel, launches);
  CHECK_EQUAL(site_of(kernel, operation::store).executions, launches * threads_each);
  CHECK(contents(a) == std::vector<int>(1024, 1));
}

// ---- Every kind of state

struct keeps_all : pasta::tool<keeps_all> {
  using events = pasta::events<pasta::memory_access>;
  struct options {
    std::uint64_t base = 0;
    static constexpr auto describe() {
      return std::tuple{pasta::option("base", &options::base, "first byte's address")};
    }
  };
  struct site_state {
    pasta::histogram<16> low;
    pasta::log2_histogram<> width;
    pasta::top_k<4, std::uint32_t> remainders;
    pasta::earliest<std::uint64_t> last, first;
    pasta::common_value<std::uint32_t> size, index;
    pasta::max<std::uint32_t> most;
    pasta::min<std::uint32_t> least;
    pasta::max<std::uint64_t> most_8;
    pasta::min<std::int32_t> least_signed;
    pasta::max<float> most_float;
    pasta::bitmap<200> seen;
    pasta::count parts[3];
  };
  struct kernel_state {
    pasta::count sum;
    pasta::histogram<8> low;
    pasta::max<std::uint64_t> most;
    pasta::bitmap<64> seen;
  };
  struct launch_state {
    pasta::count events;
    pasta::common_value<std::uint32_t> size;
  };
  struct program_state {
    pasta::count events;
    pasta::min<std::uint32_t> least;
    pasta::earliest<std::uint32_t> last;
  };

  PASTA_DEVICE static void on_memory_access(pasta::context<keeps_all>& at, pasta::memory_access const& access) {
    auto const i = static_cast<std::uint32_t>((access.address - at.options().base) / access.size_bytes);
    site_state& site = at.site();
    site.low.add(i % 20);
    site.width.add(i);
    site.remainders.add(i % 4, 1 + i % 2);
    site.last.observe(~std::uint64_t{i}, i);
    site.first.observe(i / 8, i);
    site.size.observe(access.size_bytes);
    site.index.observe(i);
    site.most.observe(i);
    site.least.observe(i + 3);
    site.most_8.observe((std::uint64_t{i} << 40) + 1);
    site.least_signed.observe(-static_cast<std::int32_t>(i));
    site.most_float.observe(static_cast<float>(i) * 0.5f);
    site.seen.set(i % 256);
    site.parts[i % 3].add(i);
    at.kernel().sum.add(i);
    at.kernel().low.add(i % 8);
    at.kernel().most.observe(i);
    at.kernel().seen.set(i % 32);
    at.launch().events.add();
    at.launch().size.observe(access.size_bytes);
    at.program().events.add(2);
    at.program().least.observe(i + 7);
    at.program().last.observe(~std::uint64_t{i}, i * 2);
  }
  void report(pasta::results<keeps_all> const&, pasta::report&) const {}
};

struct load_only {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out, std::uint32_t n) const {
    if (t.index() < n && a[t.index()] != 0) out.raw()[t.index()] = 1;  // not seen
  }
};

// n threads load their own element, of which `launches` times.
void check_kept(pasta::results<keeps_all> const& found, std::uint32_t n, std::uint64_t launches) {
  auto const kernel = kernel_of(found);
  auto const site = site_of(kernel, operation::load).state;
  std::array<std::uint64_t, 20> low{};
  std::array<std::uint64_t, 33> width{};
  std::array<std::uint64_t, 4> remainders{};
  std::array<std::uint64_t, 3> parts{};
  std::array<std::uint64_t, 8> kernel_low{};
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    low[i % 20] += launches;
    width[pasta::log2_histogram<>::bin_of(i)] += launches;
    remainders[i % 4] += launches * (1 + i % 2);
    parts[i % 3] += launches * i;
    kernel_low[i % 8] += launches;
    sum += launches * i;
  }
  for (std::size_t bin = 0; bin < 16; ++bin) CHECK_EQUAL(site.low.value(bin), low[bin]);
  CHECK_EQUAL(site.low.overflow(), low[16] + low[17] + low[18] + low[19]);
  for (std::size_t bin = 0; bin < width.size(); ++bin) CHECK_EQUAL(site.width.value(bin), width[bin]);
  for (std::uint32_t key = 0; key < 4; ++key) CHECK_EQUAL(site.remainders.value(key), remainders[key]);
  CHECK_EQUAL(site.remainders.error_bound(), 0);
  CHECK_EQUAL(site.remainders.total(), remainders[0] + remainders[1] + remainders[2] + remainders[3]);
  CHECK_EQUAL(site.last.value().value_or(0), n - 1);
  CHECK_EQUAL(site.last.key(), ~std::uint64_t{n - 1});
  CHECK_EQUAL(site.first.value().value_or(1), 0);  // of 8 equal keys, the smallest bytes
  CHECK_EQUAL(site.first.key(), 0);
  CHECK_EQUAL(site.size.value_or(0), 4);
  CHECK(site.index.is_mixed());
  CHECK_EQUAL(site.most.value_or(0), n - 1);
  CHECK_EQUAL(site.least.value_or(0), 3);
  CHECK_EQUAL(site.most_8.value_or(0), (std::uint64_t{n - 1} << 40) + 1);
  CHECK_EQUAL(site.least_signed.value_or(0), -static_cast<std::int32_t>(n - 1));
  CHECK_EQUAL(site.most_float.value_or(0), static_cast<float>(n - 1) * 0.5f);
  CHECK_EQUAL(site.seen.count(), 200);
  CHECK(site.seen.has_outside());
  for (std::size_t i = 0; i < 3; ++i) CHECK_EQUAL(site.parts[i].value(), parts[i]);
  CHECK_EQUAL(kernel.kernel.sum.value(), sum);
  for (std::size_t bin = 0; bin < 8; ++bin) CHECK_EQUAL(kernel.kernel.low.value(bin), kernel_low[bin]);
  CHECK_EQUAL(kernel.kernel.most.value_or(0), n - 1);
  CHECK_EQUAL(kernel.kernel.seen.count(), 32);
  CHECK(!kernel.kernel.seen.has_outside());
  CHECK_EQUAL(kernel.launch_state.events.value(), launches * n);
  CHECK_EQUAL(kernel.launch_state.size.value_or(0), 4);
  CHECK_EQUAL(found.program.events.value(), 2 * launches * n);
  CHECK_EQUAL(found.program.least.value_or(0), 7);
  CHECK_EQUAL(found.program.last.value().value_or(0), 2 * (n - 1));
}

void every_state() {
  constexpr std::uint32_t n = 1000;  // the last warp of the guard is not whole
  auto const a = zeros<int>(1024);
  pasta::testing::fixture<keeps_all> test(
      {.options = {{"base", std::to_string(reinterpret_cast<std::uintptr_t>(a.device_pointer()))}}});
  test.launch(load_only{}, {4, 256}, a, a, n);
  check_kept(test.results(), n, 1);
  // Results that were read count once; what comes after them is merged.
  test.launch(load_only{}, {4, 256}, a, a, n);
  test.launch(load_only{}, {4, 256}, a, a, n);
  check_kept(test.results(), n, 3);
}

void pack() {
  auto const a = zeros<int>(1024), b = zeros<int>(1024);
  pasta::testing::fixture<pasta::tool_pack<counter, kind_observer>> test;
  test.launch(leaves_early{}, {1, 64}, a);
  test.launch(copy_own{}, {4, 256}, a, b, std::size_t{1000});
  auto const counted = test.results<counter>();
  auto const observed = test.results<kind_observer>();
  CHECK_EQUAL(counted.kernels.size(), 2);
  CHECK_EQUAL(observed.kernels.size(), 2);
  if (counted.kernels.size() != 2 || observed.kernels.size() != 2) return;
  std::uint64_t barriers = 0;
  for (std::size_t which = 0; which < 2; ++which) {
    check_nothing_lost(counted.kernels[which], 1);
    check_nothing_lost(observed.kernels[which], 1);
    // One tool's sites are not the other's: only the first one counts barriers.
    sites_t<counter> by_counter;
    for (auto const& site : counted.kernels[which].sites) {
      if (site.site.what == operation::barrier) {
        barriers += site.executions;
      } else {
        by_counter.push_back(site);
      }
    }
    auto const& by_observer = observed.kernels[which].sites;
    CHECK_EQUAL(by_counter.size(), by_observer.size());
    for (std::size_t i = 0; i < by_counter.size() && i < by_observer.size(); ++i) {
      auto const& state = by_observer[i].state;
      CHECK((by_counter[i].site <=> by_observer[i].site) == 0);
      CHECK_EQUAL(state.loads.value() + state.stores.value(), by_counter[i].executions);
      CHECK_EQUAL(state.bytes.value(), 4 * by_counter[i].executions);
    }
  }
  CHECK_EQUAL(barriers, 32);
  CHECK_EQUAL(site_of(counted.kernels[1], operation::load).executions, 1000);
}

}  // namespace

// With any argument the case is left out that would take an interpreter hours.
int main(int argument_count, char**) {
  if (!checks::has_gpu()) {
    std::printf("skipped: there is no NVIDIA GPU\n");
    return 77;
  }
  checks::run("a block of 80 threads", block_of_80);
  checks::run("a guard of 1000 in 1024", guard_of_1000);
  checks::run("no thread passes", no_thread_passes);
  checks::run("addresses", addresses);
  checks::run("kinds of access", kinds);
  checks::run("one generic pointer, three spaces", generic_pointer);
  checks::run("asynchronous copies", async_copies);
  checks::run("a copy of nothing", copy_of_nothing);
  checks::run("vector accesses", vector_accesses);
  checks::run("offsets", offsets_both_ways);
  checks::run("branches and barriers", branches_and_barriers);
  checks::run("an early return", early_return);
  checks::run("different trip counts", different_trip_counts);
  checks::run("sites with one place, counted", sites_with_one_place<counter>);
  checks::run("sites with one place, observed", observed_sites_with_one_place);
  checks::run("two streams", two_streams);
  checks::run("5 launches apart", [] { launches_apart<observer>(5); });
  checks::run("300 launches apart", [] { launches_apart<counter>(300); });
  checks::run("40 kernels", many_kernels);
  checks::run("a graph", graph);
  if (argument_count == 1) checks::run("a grid of 2^24 blocks", large_grid);
  checks::run("every kind of state", every_state);
  checks::run("a pack of two tools", pack);
  checks::run("callees", callees);  // last: it changes the size of the stack
  return checks::finish();
}
