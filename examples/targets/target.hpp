// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// What the programs in this folder share: their argument, and how they check their result.
#ifndef PASTA_EXAMPLES_TARGETS_TARGET_HPP
#define PASTA_EXAMPLES_TARGETS_TARGET_HPP

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <pasta/pasta.hpp>
#include <string_view>

namespace targets {

/// The sizes that a program takes as its argument; the name says what is counted.
struct size_range {
  char const* name;
  std::size_t usual, smallest, largest;
};

/// A buffer with these contents.
template <class T>
pasta::buffer<T> upload(std::vector<T> const& from) {
  return pasta::buffer<T>(std::span<T const>(from));
}

/// The contents of a buffer.
template <class T>
std::vector<T> download(pasta::buffer<T> const& from) {
  std::vector<T> to(from.size());
  from.copy_to(to);
  return to;
}

/// Where two results differ first, as one line; empty if they are equal. All programs compute with whole numbers that
/// float holds exactly, so equal means equal.
template <class T>
std::string first_difference(std::vector<T> const& actual, std::vector<T> const& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (actual[i] != expected[i]) return fmt::format("element {} is {}, expected {}", i, actual[i], expected[i]);
  }
  return {};
}

/// A number below `bound` that looks random and is the same in every run.
inline std::uint32_t scattered(std::uint64_t index, std::uint32_t bound) {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
  return static_cast<std::uint32_t>((x ^ x >> 32) % bound);
}

/// The rest of a program's main: `program [size]`. Prints OK and gives 0 if the result is right; else one line and 1,
/// or 2 for a wrong argument.
/// @tparam Problem made from a size; `run(launch)` launches its kernels; `check()` gives the first difference or ""
template <class Problem>
int run(int argc, char** argv, size_range const& sizes) {
  std::size_t size = sizes.usual;
  std::string_view const text = argc > 1 ? argv[1] : "";
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  bool const is_number = error == std::errc{} && end == text.data() + text.size();
  if (argc > 2 || (argc == 2 && (!is_number || size < sizes.smallest || size > sizes.largest))) {
    fmt::print(stderr, "usage: {} [{}]: a whole number from {} to {}, usually {}\n", argv[0], sizes.name,
               sizes.smallest, sizes.largest, sizes.usual);
    return 2;
  }
  try {
    Problem problem(size);
    problem.run([](auto const&... what) { pasta::launch(what...); });
    std::string const difference = problem.check();
    fmt::print("{}\n", difference.empty() ? "OK" : difference);
    return difference.empty() ? 0 : 1;
  } catch (std::exception const& failure) {
    fmt::print(stderr, "{}: {}\n", argv[0], failure.what());
    return 1;
  }
}

}  // namespace targets
#endif
