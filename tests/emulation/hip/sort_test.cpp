// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// HIP's back end of pasta::sort and its like, on a stand-in of rocPRIM, against the host's: the same input gives the
// same bytes.
#include <cstring>
#include <limits>
#include <numeric>
#include <pasta/analysis/hip/sort.hpp>
#include <random>
#include <vector>

#include "catch.hpp"

namespace {

/// Ordered by the first field alone: the second shows whether the order is stable.
struct wide_key {
  std::uint64_t high, low;
  PASTA_DEVICE friend bool operator<(wide_key const& a, wide_key const& b) { return a.high < b.high; }
  PASTA_DEVICE friend bool operator==(wide_key const& a, wide_key const& b) { return a.high == b.high; }
};

template <class T>
T make_key(std::uint64_t bits, std::uint64_t place) {
  if constexpr (std::is_same_v<T, wide_key>) {
    return {bits, place};
  } else if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    T const special[] = {
        T(0), -T(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), -limits::quiet_NaN()};
    return bits % 8 < std::size(special) ? special[bits % 8] : (static_cast<T>(bits % 2001) - 1000) / 8;
  } else {
    return static_cast<T>(bits * 0x9e3779b97f4a7c15u);
  }
}

/// Keys of which about `distinct` differ, of both signs.
template <class T>
std::vector<T> make_keys(std::size_t count, std::uint64_t distinct) {
  std::mt19937_64 random(count + distinct);
  std::vector<T> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = make_key<T>(random() % distinct, i);
  return keys;
}

template <class T>
std::vector<unsigned char> bytes_of(std::vector<T> const& values) {
  std::vector<unsigned char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Memory of the device, with a copy of the values.
template <class T>
class on_device {
 public:
  explicit on_device(std::vector<T> const& values)
      : first_(static_cast<T*>(pasta::simt::allocate(values.size() * sizeof(T) + 1))), count_(values.size()) {
    if (count_ > 0) pasta::simt::copy(first_, values.data(), count_ * sizeof(T));
  }
  ~on_device() { pasta::simt::release(first_); }
  std::span<T> span() const { return {first_, count_}; }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    if (count_ > 0) pasta::simt::copy(values.data(), first_, count_ * sizeof(T));
    return values;
  }

 private:
  T* first_;
  std::size_t count_;
};

using hip = pasta::vendor::hip;

template <class T>
void check(std::size_t count, std::uint64_t distinct) {
  auto const keys = make_keys<T>(count, distinct);
  std::vector<std::uint32_t> places(count);
  std::iota(places.begin(), places.end(), 0u);

  auto sorted = keys;
  on_device<T> const sorted_on_device(keys);
  pasta::sort(sorted);
  pasta::sort<hip>(sorted_on_device.span());
  REQUIRE(bytes_of(sorted_on_device.download()) == bytes_of(sorted));

  auto by_key = keys;
  auto moved = places;
  on_device<T> const keys_on_device(keys);
  on_device<std::uint32_t> const places_on_device(places);
  pasta::sort_by_key(by_key, moved);
  pasta::sort_by_key<hip>(keys_on_device.span(), places_on_device.span());
  REQUIRE(bytes_of(keys_on_device.download()) == bytes_of(by_key));
  REQUIRE(places_on_device.download() == moved);

  auto const expected = pasta::reduce_by_key(by_key, moved);
  auto const sums = pasta::reduce_by_key<hip>(keys_on_device.span(), places_on_device.span());
  REQUIRE(bytes_of(sums.keys) == bytes_of(expected.keys));
  REQUIRE(sums.values == expected.values);

  auto distinct_keys = by_key;
  distinct_keys.resize(pasta::unique(distinct_keys));
  std::size_t const kept = pasta::unique<hip>(keys_on_device.span());
  auto found = keys_on_device.download();
  found.resize(kept);
  REQUIRE(bytes_of(found) == bytes_of(distinct_keys));
}

template <class T>
void check_all() {
  for (std::size_t const count : {0, 1, 2, 33, 1000}) {
    for (std::uint64_t const distinct : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1} << 40}) {
      INFO(count << " keys, " << distinct << " distinct");
      check<T>(count, distinct);
    }
  }
}

}  // namespace

TEST_CASE("sorting on the device gives the bytes of the host's: integers") {
  check_all<std::uint8_t>();
  check_all<std::int16_t>();
  check_all<std::uint32_t>();
  check_all<std::int64_t>();
}
TEST_CASE("sorting on the device gives the bytes of the host's: floating point, with zeros of both signs and NaN") {
  check_all<float>();
  check_all<double>();
}
TEST_CASE("sorting on the device gives the bytes of the host's: keys with an order of their own") {
  check_all<wide_key>();
}
TEST_CASE("sorting on the device refuses lengths that differ") {
  on_device<int> const keys({3, 1, 2}), values({1, 2});
  CHECK_THROWS_WITH(pasta::sort_by_key<hip>(keys.span(), values.span()), "pasta::sort_by_key: 3 keys but 2 values");
}
