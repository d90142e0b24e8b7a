// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
/// The accesses by which requests and sectors are calibrated, once for both sides: tests/gpu/calibration.cu makes them
/// on a GPU under the hardware's counters, tests/conformance/calibration_test.cpp makes them on the host engine.
/// Plain C++, so that neither side needs the other's headers.
#ifndef PASTA_TESTS_GPU_CALIBRATION_PATTERNS_HPP
#define PASTA_TESTS_GPU_CALIBRATION_PATTERNS_HPP

#include <cstdint>
#include <string>
#include <vector>

#ifdef __CUDACC__
#define CALIBRATION_BOTH __host__ __device__
#else
#define CALIBRATION_BOTH
#endif

namespace calibration {

constexpr unsigned thread_count = 256;  ///< one block, whose threads make one access each, or none
constexpr unsigned warp_lanes = 32;
constexpr unsigned all_lanes = 0xffffffff;
constexpr unsigned gather_range = 1024;   ///< [elements]
constexpr unsigned element_count = 8192;  ///< what all patterns stay within [elements]

/// Where a thread stands before its stride is applied.
enum class order {
  ascending,  ///< at its own number
  permuted,   ///< at another number of its warp, each taken once
  gathered,   ///< anywhere in gather_range; some meet
};

/// Which element each thread accesses.
struct walk {
  order places;
  unsigned stride;  ///< [elements]
  unsigned first;   ///< [elements]
  unsigned lanes;   ///< one bit for each lane of a warp: those that access
};

CALIBRATION_BOTH constexpr bool is_active(walk const& where, unsigned thread) {
  return (where.lanes >> thread % warp_lanes & 1) != 0;
}

/// Spreads a number over 32 bits: each of its bits changes about half of the result's.
CALIBRATION_BOTH constexpr std::uint32_t scattered(std::uint32_t number) {
  number = (number ^ number >> 16) * 0x7feb352du;
  number = (number ^ number >> 15) * 0x846ca68bu;
  return number ^ number >> 16;
}

/// The element that a thread accesses, below element_count.
CALIBRATION_BOTH constexpr unsigned index_of(walk const& where, unsigned thread) {
  unsigned place = thread;
  if (where.places == order::permuted) {
    place = thread / warp_lanes * warp_lanes + (thread * 13 + 5) % warp_lanes;
  } else if (where.places == order::gathered) {
    place = scattered(thread + 1) % gather_range;
  }
  return place * where.stride + where.first;
}

enum class operation {
  load,
  store,
  atom,  ///< atomic add whose result is used
  red,   ///< atomic add whose result is not used: another instruction, with counters of its own
};

/// What one thread executes. Its name is its kernel's: load_nc_16.
struct instruction {
  operation what;
  unsigned size_bytes;
  std::string name;
};

/// One launch. Its name is the instruction's and the pattern's: load_nc_16_stride_8.
struct test_case {
  instruction access;
  walk where;
  std::string name;
};

/// Loads and stores of every size along every path through the caches, and atomic adds.
inline std::vector<instruction> all_instructions() {
  std::vector<instruction> all;
  auto const add = [&all](operation what, std::string const& path, std::vector<unsigned> const& sizes) {
    for (unsigned const size : sizes) all.push_back({what, size, path + "_" + std::to_string(size)});
  };
  for (char const* const path : {"load_default", "load_ca", "load_cg", "load_nc"})
    add(operation::load, path, {1, 2, 4, 8, 16});
  for (char const* const path : {"store_default", "store_cg"}) add(operation::store, path, {1, 2, 4, 8, 16});
  add(operation::atom, "atom", {4, 8});
  add(operation::red, "red", {4, 8});
  return all;
}

/// Every instruction with every pattern, in the order of their launches.
inline std::vector<test_case> all_cases() {
  struct {
    char const* name;
    walk where;
  } const patterns[] = {
      {"unit_stride", {order::ascending, 1, 0, all_lanes}},
      {"broadcast", {order::ascending, 0, 0, all_lanes}},
      {"stride_2", {order::ascending, 2, 0, all_lanes}},
      {"stride_8", {order::ascending, 8, 0, all_lanes}},
      {"stride_32", {order::ascending, 32, 0, all_lanes}},
      {"permuted", {order::permuted, 1, 0, all_lanes}},
      {"gathered", {order::gathered, 1, 0, all_lanes}},
      {"first_20_lanes", {order::ascending, 1, 0, 0x000fffff}},
      {"odd_lanes", {order::ascending, 1, 0, 0xaaaaaaaa}},
      {"misaligned", {order::ascending, 1, 1, all_lanes}},  // one element behind a sector's begin
  };
  std::vector<test_case> all;
  for (instruction const& access : all_instructions()) {
    for (auto const& pattern : patterns) all.push_back({access, pattern.where, access.name + "_" + pattern.name});
  }
  return all;
}

}  // namespace calibration
#endif
