// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Which accesses happen, and as what: small kernels with their exact events in closed form.
#include "conformance/observe.hpp"

using pasta::memory_space;
using pasta::operation;

namespace {

struct read_own {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a, pasta::traced<int, Probe> b,
                               std::size_t n) const {
    if (t.index() < n) b[t.index()] = a[t.index()];
  }
};

}  // namespace

TEST_CASE("a block of 80 threads: 80 lane accesses, and the last warp has 16 lanes") {
  std::vector<int> a(80, 7), b(80);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        auto const load = site_of(kernel, operation::load);
        CHECK(load.state.lanes.value() == 80);
        CHECK(load.state.requests.value() == (warp_width == 32 ? 3 : 2));
        for (std::uint32_t lane = 0; lane < 64; ++lane) {
          std::uint64_t const expected = warp_width == 32 ? (lane < 16   ? 3u
                                                             : lane < 32 ? 2u
                                                                         : 0u)
                                                          : (lane < 16 ? 2u : 1u);
          CHECK(load.state.by_lane.value(lane) == expected);
        }
        CHECK(b == a);
      },
      read_own{}, {1, 80}, a.data(), b.data(), std::size_t{80});
}

TEST_CASE("a guard of 1000 among 1024 threads: 1000 events") {
  std::vector<int> a(1024, 1), b(1024);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        for (auto const what : {operation::load, operation::store}) {
          auto const site = site_of(kernel, what);
          CHECK(site.state.lanes.value() == 1000);
          CHECK(site.state.requests.value() == (warp_width == 32 ? 32 : 16));
        }
      },
      read_own{}, {4, 256}, a.data(), b.data(), std::size_t{1000});
}

TEST_CASE("no thread passes the guard: no event at all") {
  std::vector<int> a(1), b(1);
  observe([](observed_kernel const& kernel, std::uint32_t) { CHECK(kernel.sites.empty()); }, read_own{}, {2, 64},
          a.data(), b.data(), std::size_t{0});
}

TEST_CASE("addresses are the ones that the kernel computed, each once") {
  std::vector<int> a(4096, 1), b(4096);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        auto const load = site_of(kernel, operation::load);
        std::uint64_t sum = 0, squares = 0;
        for (int const& element : a) {
          std::uint64_t const word = reinterpret_cast<std::uintptr_t>(&element) / 4;
          sum += word, squares += word * word;
        }
        CHECK(load.state.address_sum.value() == sum);
        CHECK(load.state.address_squares.value() == squares);
      },
      read_own{}, {16, 256}, a.data(), b.data(), std::size_t{4096});
}

namespace {
struct all_kinds {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<unsigned, Probe> a) const {
    unsigned const value = a[t.index()];
    a[t.index() + 256] = value;
    unsigned const before = t.atomic_add(a[512], 1u);
    t.atomic_max(a[513], before);
    a[t.index() + 1024]++;
    t.atomic_compare_exchange(a[514], 0u, 1u);
  }
};
}  // namespace

TEST_CASE("loads, stores and atomics do not leak into each other; ++ is a load and a store") {
  std::vector<unsigned> a(2048);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        CHECK(sites_of(kernel, operation::load).size() == 2);
        CHECK(sites_of(kernel, operation::store).size() == 2);
        CHECK(sites_of(kernel, operation::atomic).size() == 3);
        for (auto const& site : kernel.sites) {
          CHECK(site.state.lanes.value() == 256);
          CHECK(site.site.size_bytes == 4);
        }
        CHECK(a[512] == 256);
        CHECK(a[513] == 255);
        CHECK(a[514] == 1);
        std::fill(a.begin(), a.end(), 0u);
      },
      all_kinds{}, {2, 128}, a.data());
}

namespace {
struct any_space {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> global) const {
    auto shared = pasta::shared<int[64]>(t);
    int local[4] = {1, 2, 3, 4};
    int* const generic[3] = {global.raw() + t.index(), shared.raw() + t.thread_index().x, local};
    for (int which = 0; which < 3; ++which) {
      auto const pointer = t.trace(generic[which]);
      pointer[0] = which;
    }
  }
};
}  // namespace

TEST_CASE("one generic pointer aimed at global, shared and local memory: three accesses, three spaces") {
  std::vector<int> a(64);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        CHECK(kernel.sites.size() == 3);
        for (auto const space : {memory_space::global, memory_space::shared, memory_space::local}) {
          CHECK(site_of(kernel, operation::store, space).state.lanes.value() == 64);
        }
      },
      any_space{}, {1, 64}, a.data());
}

namespace {
struct copies {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out, std::size_t given) const {
    auto tile = pasta::shared<float[256]>(t);
    std::size_t const first = 4 * t.index();
    t.copy_async(tile + static_cast<std::ptrdiff_t>(first), in + static_cast<std::ptrdiff_t>(first), 4, given);
    t.wait_copies();
    t.sync_block();
    for (unsigned i = 0; i < 4; ++i) out[first + i] = tile[first + i];
  }
};
}  // namespace

TEST_CASE("a 16-byte asynchronous copy is one global read of 16 bytes and one shared write of 16") {
  std::vector<float> in(256, 2.0f), out(256);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        auto const copy = site_of(kernel, operation::copy, memory_space::shared);
        CHECK(copy.state.lanes.value() == 64);
        CHECK(copy.state.source_bytes.value() == 64 * 16);
        auto const read = site_of(kernel, operation::load, memory_space::global);
        CHECK(read.state.lanes.value() == 64);
        CHECK(read.site.size_bytes == 16);
        auto const writes = sites_of(kernel, operation::store, memory_space::shared);
        REQUIRE(writes.size() == 1);
        CHECK(writes[0].state.lanes.value() == 64);
        CHECK(writes[0].site.size_bytes == 16);
        CHECK(out == in);
      },
      copies{}, {1, 64}, in.data(), out.data(), std::size_t{4});
}

namespace {
struct empty_copy {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> in,
                               pasta::traced<float, Probe> out) const {
    t.copy_async(out + 1, in, 0, 0);
  }
};
}  // namespace

TEST_CASE("an asynchronous copy of nothing accesses nothing") {
  std::vector<float> in(4), out(4);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        CHECK(kernel.sites.size() == 1);
        CHECK(site_of(kernel, operation::copy).state.lanes.value() == 32);
      },
      empty_copy{}, {1, 32}, in.data(), out.data());
}

TEST_CASE("a zero-filling asynchronous copy reads nothing") {
  std::vector<float> in(256, 2.0f), out(256, 1.0f);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        CHECK(sites_of(kernel, operation::load, memory_space::global).empty());
        CHECK(site_of(kernel, operation::copy, memory_space::shared).state.source_bytes.value() == 0);
        CHECK(sites_of(kernel, operation::store, memory_space::shared).size() == 1);
        CHECK(out == std::vector<float>(256, 0.0f));
      },
      copies{}, {1, 64}, in.data(), out.data(), std::size_t{0});
}

namespace {
template <std::size_t Bytes>
struct bytes_of {
  std::uint8_t byte[Bytes];
};
struct vectors {
  template <class Probe, class T>
  PASTA_DEVICE static void move(pasta::thread<Probe>& t, pasta::traced<std::uint8_t, Probe> a) {
    auto const elements = a.template as<T>();
    T const value = elements[t.index()];
    elements[t.index()] = value;
  }
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<std::uint8_t, Probe> a) const {
    move<Probe, bytes_of<1>>(t, a);
    move<Probe, bytes_of<2>>(t, a);
    move<Probe, bytes_of<4>>(t, a);
    move<Probe, bytes_of<8>>(t, a);
    move<Probe, bytes_of<16>>(t, a);
    move<Probe, bytes_of<32>>(t, a);
  }
};
}  // namespace

TEST_CASE("a vector access is one event of its whole size") {
  std::vector<std::uint8_t> a(32 * 64);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        CHECK(kernel.sites.size() == 12);
        for (std::uint32_t const size : {1u, 2u, 4u, 8u, 16u, 32u}) {
          std::size_t found = 0;
          for (auto const& site : kernel.sites) {
            if (site.site.size_bytes != size) continue;
            ++found;
            CHECK(site.state.lanes.value() == 64);
          }
          CHECK(found == 2);
        }
      },
      vectors{}, {1, 64}, a.data());
}

namespace {
struct offsets {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> middle,
                               pasta::traced<int, Probe> out) const {
    out[t.index()] = middle[4] + middle[-1] + (middle + 2)[0];
  }
};
}  // namespace

TEST_CASE("the offset counts, upwards and downwards") {
  std::vector<int> a = {10, 20, 30, 40, 50, 60, 70, 80}, out(32);
  int const* const middle = a.data() + 2;
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        auto const loads = sites_of(kernel, operation::load);
        REQUIRE(loads.size() == 3);
        std::set<std::uint64_t> sums, expected;
        for (auto const& load : loads) sums.insert(load.state.address_sum.value());
        for (std::ptrdiff_t const offset : {4, -1, 2})
          expected.insert(32 * (reinterpret_cast<std::uintptr_t>(middle + offset) / 4));
        CHECK(sums == expected);
        CHECK(out == std::vector<int>(32, 70 + 20 + 50));
      },
      offsets{}, {1, 32}, middle, out.data());
}

namespace {
struct helper_functions {
  template <class Probe>
  PASTA_DEVICE PASTA_NEVER_INLINE static int sum_down(pasta::traced<int const, Probe> a, int i) {
    if (i < 0) return 0;
    return a[i] + sum_down(a, i - 1);
  }
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
    int (*const function)(pasta::traced<int const, Probe>, int) = &sum_down<Probe>;
    out[t.index()] = sum_down(a, 3) + function(a, 1);
  }
};
}  // namespace

TEST_CASE("accesses in a function that is not inlined, recursive or called through a pointer count once") {
  std::vector<int> a = {1, 2, 3, 4}, out(64);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        CHECK(site_of(kernel, operation::load).state.lanes.value() == 64 * (4 + 2));
        CHECK(out == std::vector<int>(64, 10 + 3));
      },
      helper_functions{}, {2, 32}, a.data(), out.data());
}

TEST_CASE("totals are exact in 64 bits") {
  pasta::count total;
  for (int i = 0; i < 1024; ++i) total.add(std::uint64_t{1} << 24);
  CHECK(total.value() == std::uint64_t{1} << 34);
  CHECK(pasta::dim3(1u << 24).count() * pasta::dim3(1024).count() == std::uint64_t{1} << 34);
}
