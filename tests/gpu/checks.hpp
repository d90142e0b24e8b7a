// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// Checks of the programs in this folder: a line for each that fails, and at the end how many there were.
#ifndef PASTA_TESTS_GPU_CHECKS_HPP
#define PASTA_TESTS_GPU_CHECKS_HPP

#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>
#include <pasta/testing.hpp>
#include <sstream>

namespace checks {

inline int check_count = 0, failure_count = 0;
inline char const* current_case = "";

inline void fail(int line, std::string const& what) {
  ++failure_count;
  std::printf("FAILED: %s: line %d: %s\n", current_case, line, what.c_str());
  std::fflush(stdout);
}

inline void check(bool holds, int line, char const* what) {
  ++check_count;
  if (!holds) fail(line, what);
}

template <class Found, class Expected>
void check_equal(Found const& found, Expected const& expected, int line, char const* what) {
  ++check_count;
  if (found == static_cast<Found>(expected)) return;
  std::ostringstream text;
  text << what << " is " << found << ", not " << expected;
  fail(line, text.str());
}

/// One case; what it throws is a failed check.
template <class Function>
void run(char const* name, Function&& function) {
  current_case = name;
  std::printf("case: %s\n", name);
  std::fflush(stdout);
  try {
    function();
  } catch (std::exception const& error) {
    ++check_count;
    fail(0, error.what());
  }
}

inline bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

/// Prints the last line. @return the exit code, 0 or 1
inline int finish() {
  std::printf("%d checks, %d failed\n", check_count, failure_count);
  return failure_count == 0 ? 0 : 1;
}

}  // namespace checks

#define CHECK(...) ::checks::check((__VA_ARGS__), __LINE__, #__VA_ARGS__)
#define CHECK_EQUAL(found, expected) ::checks::check_equal(found, expected, __LINE__, #found)

/// A buffer's contents.
template <class T>
std::vector<T> contents(pasta::buffer<T> const& of) {
  std::vector<T> all(of.size());
  of.copy_to(all);
  return all;
}

/// A buffer whose bytes are all zero.
template <class T>
pasta::buffer<T> zeros(std::size_t element_count) {
  pasta::buffer<T> made(element_count);
  made.set_bytes(0);
  return made;
}

template <class T>
pasta::buffer<T> filled(std::vector<T> const& with) {
  return pasta::buffer<T>(std::span<T const>(with));
}

#endif
