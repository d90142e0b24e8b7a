// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Which lanes go together where they part.
#include "conformance/observe.hpp"

using pasta::operation;

namespace {

std::uint64_t requests(observed_kernel const& kernel, operation what, std::size_t which = 0) {
  auto const sites = sites_of(kernel, what);
  REQUIRE(which < sites.size());
  return sites[which].state.requests.value();
}

struct two_branches {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    if (t.lane() < 5) {
      a[t.index()] = 1;
    } else {
      a[t.index()] = 2;
    }
    a[t.index() + 256] = 3;
  }
};

}  // namespace

TEST_CASE("two branches: each its own lanes, together again after them") {
  std::vector<int> a(512);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        std::uint64_t const warps = 256 / warp_width;
        auto const stores = sites_of(kernel, operation::store);
        REQUIRE(stores.size() == 3);
        CHECK(stores[0].state.lanes.value() == 5 * warps);
        CHECK(stores[1].state.lanes.value() == (warp_width - 5) * warps);
        CHECK(stores[2].state.lanes.value() == 256);
        for (auto const& store : stores) CHECK(store.state.requests.value() == warps);
      },
      two_branches{}, {1, 256}, a.data());
}

namespace {
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
}  // namespace

TEST_CASE("a loop whose trip counts differ: as many requests as the longest lane, together again after it") {
  std::vector<int> a(64, 1), out(128);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        std::uint64_t const warps = 128 / warp_width;
        CHECK(requests(kernel, operation::load) == warps * warp_width);
        CHECK(site_of(kernel, operation::load).state.lanes.value() == warps * warp_width * (warp_width + 1) / 2);
        CHECK(requests(kernel, operation::store) == warps);
        for (std::size_t i = 0; i < out.size(); ++i) REQUIRE(out[i] == static_cast<int>(i % warp_width) + 1);
      },
      triangle{}, {1, 128}, a.data(), out.data());
}

namespace {
struct nested {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
    for (unsigned row = 0; row < 4; ++row) {
      int sum = 0;
      for (unsigned i = 0; i <= (t.lane() + row) % 8; ++i) {
        sum += a[i];
      }
      out[t.index() * 4 + row] = sum;
    }
  }
};
}  // namespace

TEST_CASE("an inner loop of different length in each iteration of an outer loop") {
  std::vector<int> a(64, 1), out(64 * 4);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        std::uint64_t const warps = 64 / warp_width;
        CHECK(requests(kernel, operation::load) == warps * 4 * 8);
        CHECK(site_of(kernel, operation::load).state.lanes.value() == 64 * 4 * 36 / 8);
        CHECK(requests(kernel, operation::store) == warps * 4);
      },
      nested{}, {1, 64}, a.data(), out.data());
}

namespace {
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
}  // namespace

TEST_CASE("threads that return early: exactly one exit each, and a barrier does not wait for them") {
  std::vector<int> a(192);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t) {
        auto const stores = sites_of(kernel, operation::store);
        REQUIRE(stores.size() == 3);
        CHECK(stores[0].state.lanes.value() == 64);
        CHECK(stores[1].state.lanes.value() == 32);
        CHECK(stores[2].state.lanes.value() == 32);
        CHECK(site_of(kernel, operation::barrier).state.lanes.value() == 32);
        CHECK(kernel.kernel.most_accesses_of_a_thread.value() == 3u);
      },
      leaves_early{}, {1, 64}, a.data());
}

namespace {
struct skips {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> out) const {
    for (unsigned i = 0; i < 8; ++i) {
      int const value = a[i * 64 + t.lane()];
      if ((i + t.lane()) % 3 != 0) {
        out[t.index() * 8 + i] = value;
      }
      t.sync_warp();
    }
  }
};
}  // namespace

TEST_CASE("a loop whose body is skipped by some lanes stays together where its end is marked") {
  std::vector<int> a(8 * 64, 1), out(64 * 8);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        CHECK(requests(kernel, operation::load) == 8 * (64 / warp_width));
        CHECK(requests(kernel, operation::store) == 8 * (64 / warp_width));
      },
      skips{}, {1, 64}, a.data(), out.data());
}

namespace {
struct warp_operations {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<unsigned long long, Probe> out) const {
    std::size_t const row = t.index() * 8;
    out[row] = t.ballot(true);
    out[row + 1] = t.shuffle_xor(t.lane(), 1);
    out[row + 2] = t.shuffle_down(t.lane(), 3);
    out[row + 3] = t.shuffle_up(t.lane(), 2);
    out[row + 4] = t.shuffle(t.lane() * 10, 7);
    if (t.lane() % 2 == 0) {
      out[row + 5] = t.ballot(t.lane() >= 4);
    } else {
      out[row + 5] = t.active_lanes();
    }
    out[row + 6] = t.any(t.lane() == 9) ? 1 : 0;
    out[row + 7] = t.all(t.lane() < 63) ? 1 : 0;
  }
};
}  // namespace

TEST_CASE("ballots and shuffles, also among the lanes of one branch") {
  std::vector<unsigned long long> out(128 * 8);
  observe(
      [&](observed_kernel const&, std::uint32_t warp_width) {
        std::uint64_t const full = warp_width == 64 ? ~0ull : 0xffffffffull;
        CHECK(pasta::warp::count(out[0]) == warp_width);
        for (std::uint32_t thread = 0; thread < 128; ++thread) {
          std::uint32_t const lane = thread % warp_width;
          auto const* const row = &out[thread * 8];
          REQUIRE(row[0] == full);
          REQUIRE(row[1] == (lane ^ 1));
          REQUIRE(row[2] == (lane + 3 < warp_width ? lane + 3 : lane));
          REQUIRE(row[3] == (lane >= 2 ? lane - 2 : lane));
          REQUIRE(row[4] == 70);
          REQUIRE(row[5] ==
                  (lane % 2 == 0 ? (full & 0x5555555555555555ull & ~0xfull) : (full & 0xaaaaaaaaaaaaaaaaull)));
          REQUIRE(row[6] == 1);
          REQUIRE(row[7] == (warp_width == 64 ? 0u : 1u));
        }
      },
      warp_operations{}, {1, 128}, out.data());
}

namespace {
struct decisions {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    if (t.branch(t.lane() < 3)) {
      a[t.index()] = 1;
    }
  }
};
}  // namespace

TEST_CASE("a branch tells which lanes take it") {
  std::vector<int> a(128);
  observe(
      [&](observed_kernel const& kernel, std::uint32_t warp_width) {
        auto const branch = site_of(kernel, operation::branch);
        CHECK(branch.state.lanes.value() == 128);
        CHECK(branch.state.requests.value() == 128 / warp_width);
        CHECK(branch.state.taken.value() == 3 * (128 / warp_width));
      },
      decisions{}, {1, 128}, a.data());
}
