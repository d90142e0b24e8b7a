// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#ifndef PASTA_TESTS_CATCH_HPP
#define PASTA_TESTS_CATCH_HPP

// Catch2, whichever version the system has: Debian 12 brings 2, Ubuntu 24.04 brings 3. Tests include this file alone.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

namespace pasta_test {

/// Matches a string that has the text in it: REQUIRE_THAT(line, contains_text("line 12")).
inline auto contains_text(std::string const& text) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(text);
#else
  return Catch::Matchers::Contains(text);
#endif
}

/// Compares doubles with a relative error of 1e-9, unless .epsilon(e) says more.
#if __has_include(<catch2/catch_all.hpp>)
using approx = Catch::Approx;
#else
using approx = Catch::Detail::Approx;
#endif

}  // namespace pasta_test
#endif
