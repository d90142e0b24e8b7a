// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_ANALYSIS_LAWS_HPP
#define PASTA_TESTS_ANALYSIS_LAWS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <pasta/analysis/mergeable.hpp>
#include <random>
#include <type_traits>
#include <vector>

#include "catch.hpp"

namespace pasta_test {

using random_engine = std::mt19937_64;

/// Merges `from` into a copy of `into`.
template <class T>
T merged(T into, T const& from) {
  into.merge(from);
  return into;
}

/// A T whose bytes are all zero, as a new arena holds it.
template <class T>
T zeroed() {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memset(static_cast<void*>(&value), 0, sizeof value);
  return value;
}

/// Is T a commutative monoid under merge, with T{} and zero bytes as its neutral element, and do shards add up?
/// @param apply apply(T&, random_engine&) makes one random observation; the same engine state, the same observation.
/// @param view  view(T const&) is what is compared, by ==.
template <class T, class Apply, class View>
void check_laws(Apply apply, View view) {
  static_assert(pasta::mergeable<T>);
  static_assert(pasta::check_state<T>());
  CHECK(view(T{}) == view(zeroed<T>()));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    random_engine random(seed);
    // Few observations in some of them, so that empty and nearly empty states meet full ones.
    T a{}, b{}, c{};
    for (T* state : {&a, &b, &c}) {
      std::uint64_t const count = random() % (1 + (seed % 4) * 60);
      for (std::uint64_t i = 0; i < count; ++i) apply(*state, random);
    }
    CHECK(view(merged(a, T{})) == view(a));
    CHECK(view(merged(T{}, a)) == view(a));
    CHECK(view(merged(a, zeroed<T>())) == view(a));
    CHECK(view(merged(zeroed<T>(), a)) == view(a));
    CHECK(view(merged(a, b)) == view(merged(b, a)));
    CHECK(view(merged(merged(a, b), c)) == view(merged(a, merged(b, c))));

    // The same observations, all in one and spread over shards.
    T whole{};
    std::vector<T> shards(7);
    for (std::size_t i = 0; i < 500; ++i) {
      random_engine again = random;
      apply(whole, random);
      apply(shards[i * 2654435761U % shards.size()], again);
    }
    T sum{};
    for (T const& shard : shards) sum.merge(shard);
    CHECK(view(sum) == view(whole));
    T reversed = zeroed<T>();
    for (std::size_t i = shards.size(); i-- > 0;) reversed.merge(shards[i]);
    CHECK(view(reversed) == view(whole));
  }
}

/// The same, compared by the type's own ==.
template <class T, class Apply>
void check_laws(Apply apply) {
  check_laws<T>(apply, [](T const& state) -> T const& { return state; });
}

}  // namespace pasta_test
#endif
