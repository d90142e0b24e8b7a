// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The host engine against a GPU's own counters, access by access: every case of tests/gpu/calibration_patterns.hpp as a
// kernel on a probe. The cases' paths through the caches are one to the engine: all must come to the same.
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <pasta/testing.hpp>
#include <set>
#include <utility>

#include "catch.hpp"
#include "conformance/request_counter.hpp"
#include "gpu/calibration_patterns.hpp"

namespace {

struct alignas(16) sixteen_bytes {
  std::uint32_t words[4];
};

// The pattern and the operation are arguments, so that one kernel for each size does.
template <class T>
struct access_once {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<T, Probe> data, calibration::walk where,
                  calibration::operation what) const {
    unsigned const thread = t.thread_index().x;
    if (!calibration::is_active(where, thread)) return;
    unsigned const i = calibration::index_of(where, thread);
    if (what == calibration::operation::load) {
      [[maybe_unused]] T const value = data[i];
    } else if (what == calibration::operation::store) {
      data[i] = T{};
    } else if constexpr (std::is_arithmetic_v<T>) {
      t.atomic_add(data[i], T{1});
    }
  }
};

struct measured {
  std::uint64_t requests = 0, sectors = 0;
  bool operator==(measured const&) const = default;
};
std::ostream& operator<<(std::ostream& out, measured const& m) {
  return out << m.requests << " requests, " << m.sectors << " sectors";
}

// The probe does not know whether an atomic operation's result is used.
pasta::operation on_probe(calibration::operation what) {
  if (what == calibration::operation::load) return pasta::operation::load;
  return what == calibration::operation::store ? pasta::operation::store : pasta::operation::atomic;
}

template <class T>
measured run(calibration::test_case const& one) {
  pasta::buffer<T> data(calibration::element_count);  // begins at a multiple of 256 bytes, as cudaMalloc's
  data.set_bytes(0);
  pasta::testing::fixture<request_counter> test;
  test.launch(access_once<T>{}, {1, calibration::thread_count}, data.device_pointer(), one.where, one.access.what);
  measured sum;
  for (auto const& site : test.results().kernels.at(0).sites) {
    if (site.state.requests.value() == 0) continue;
    CHECK(site.site.what == on_probe(one.access.what));
    sum.requests += site.state.requests.value();
    sum.sectors += site.state.sectors.value();
  }
  return sum;
}

measured on_host(calibration::test_case const& one) {
  switch (one.access.size_bytes) {
    case 1:
      return run<std::uint8_t>(one);
    case 2:
      return run<std::uint16_t>(one);
    case 4:
      return run<std::uint32_t>(one);
    case 8:
      return run<std::uint64_t>(one);
    default:
      return run<sixteen_bytes>(one);
  }
}

// Lanes of a warp that access the same element as a lower one of it.
std::uint64_t lanes_that_meet(calibration::walk const& where) {
  std::uint64_t lanes = 0;
  std::set<std::pair<unsigned, unsigned>> places;  // warp and element
  for (unsigned thread = 0; thread < calibration::thread_count; ++thread) {
    if (!calibration::is_active(where, thread)) continue;
    lanes += places.emplace(thread / calibration::warp_lanes, calibration::index_of(where, thread)).second ? 0 : 1;
  }
  return lanes;
}

}  // namespace

TEST_CASE("each access asks for the requests and sectors that an NVIDIA GPU counted") {
  std::string const path = PASTA_TEST_SOURCE_DIR "/tests/golden/calibration.json";
  std::ifstream file(path);
  INFO(path << " is what tests/gpu/calibrate.sh writes on a machine with a GPU");
  REQUIRE(file.is_open());
  nlohmann::json const cases = nlohmann::json::parse(file).at("cases");

  auto const all = calibration::all_cases();
  CHECK(cases.size() == all.size());
  for (auto const& one : all) {
    INFO(one.name);
    REQUIRE(cases.contains(one.name));
    auto const& counted = cases.at(one.name);
    measured const gpu{counted.at("requests"), counted.at("sectors")}, host = on_host(one);
    std::uint64_t const meeting =
        on_probe(one.access.what) == pasta::operation::atomic ? lanes_that_meet(one.where) : 0;
    if (meeting == 0) {
      CHECK(host == gpu);
    } else {
      // One after the other the GPU serves atomic operations on one element, and counts sectors each time. How it deals
      // the other lanes out over these turns, the counters do not say: ours are the sectors of the request.
      CHECK(host.requests == gpu.requests);
      CHECK(gpu.sectors >= host.sectors + meeting);
      CHECK(gpu.sectors <= calibration::thread_count);
    }
  }
}

TEST_CASE("the calibration's patterns are what their names say") {
  struct expectation {
    std::size_t lanes;       // that access, in each warp
    std::size_t elements;    // accessed by the block
    unsigned second, third;  // where the second and the third thread are that access, behind the first
  };
  std::map<std::string, expectation> const expected = {
      {"unit_stride", {32, 256, 1, 2}}, {"broadcast", {32, 1, 0, 0}},     {"stride_2", {32, 256, 2, 4}},
      {"stride_8", {32, 256, 8, 16}},   {"stride_32", {32, 256, 32, 64}}, {"first_20_lanes", {20, 160, 1, 2}},
      {"odd_lanes", {16, 128, 2, 4}},   {"misaligned", {32, 256, 1, 2}},
  };
  std::set<std::string> names;
  for (auto const& one : calibration::all_cases()) {
    INFO(one.name);
    CHECK(names.insert(one.name).second);
    std::vector<unsigned> indices;
    for (unsigned thread = 0; thread < calibration::thread_count; ++thread) {
      if (calibration::is_active(one.where, thread)) indices.push_back(calibration::index_of(one.where, thread));
    }
    std::set<unsigned> const distinct(indices.begin(), indices.end());
    CHECK(*distinct.rbegin() < calibration::element_count);
    std::string const pattern = one.name.substr(one.access.name.size() + 1);
    if (pattern == "permuted" || pattern == "gathered") {
      CHECK(indices.size() == 256);
      CHECK_FALSE(std::is_sorted(indices.begin(), indices.end()));
      // A permutation stays within what the warp accesses without it; of the gathered elements some meet.
      std::set<unsigned> const warp(indices.begin(), indices.begin() + 32);
      CHECK((pattern == "permuted") == (warp.size() == 32 && *warp.rbegin() == 31));
      CHECK((pattern == "permuted") == (distinct.size() == 256));
      continue;
    }
    expectation const& wanted = expected.at(pattern);
    CHECK(indices.size() == calibration::thread_count / calibration::warp_lanes * wanted.lanes);
    CHECK(distinct.size() == wanted.elements);
    CHECK(indices[1] - indices[0] == wanted.second);
    CHECK(indices[2] - indices[0] == wanted.third);
    CHECK(indices[0] == (pattern == "misaligned" || pattern == "odd_lanes" ? 1 : 0));
  }
  CHECK(names.size() == 340);  // 34 instructions, 10 patterns
}
