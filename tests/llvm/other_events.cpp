// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Kernels with what no probe tells, and how often each of it happens. Prints OK, or a line for each number that is
// wrong.
#include <map>
#include <pasta/cuda_names.hpp>
#include <pasta/testing.hpp>

namespace {

constexpr unsigned threads = 4;

struct record {
  int words[16];
};

// A function of its own, whose parameter may point anywhere: 3 loads.
__attribute__((noinline)) __device__ int add_up(int const* values) {
  int volatile const* const all = values;
  return all[0] + all[1] + all[2];
}

// Per thread: 1 load of 4 bytes of `in`, 3 stores to and 3 loads from local memory, 3 loads each from global and shared
// memory, 2 stores to shared memory, a load and a store through pointers that lie in memory (2 loads of 8 bytes), a
// copy of 64 bytes, a store of 4 bytes; 3 calls.
__global__ void spaces(int const* in, int* out, record const* from, record* to, int** pointers) {
  __shared__ int tile[2 * threads];
  unsigned const i = threadIdx.x;
  int volatile local[4];
  int const which = in[i] & 1;
  local[which] = 1;
  local[which + 1] = 2;
  local[2] = 3;
  tile[i] = 5;
  tile[i + threads] = 6;
  __syncthreads();
  int const sum = add_up(const_cast<int const*>(local)) + add_up(in) + add_up(tile);
  *pointers[i] = *pointers[i + threads] + sum;
  to[i] = from[i];
  out[i] = sum;
}

// Per thread: the loop's condition is decided `rounds` + 1 times, and is true `rounds` times; a store in each round.
__global__ void loop(int volatile* out, int rounds) {
  for (int k = 0; k < rounds; ++k) out[k] = k;
}

// A kernel on a probe says itself what it does, also in a build with the plugin.
template <class Probe>
__global__ void on_probe(pasta::traced<int, Probe> out) {
  out[threadIdx.x] = 1;
}

int failures = 0;

void check(std::string const& what, std::uint64_t actual, std::uint64_t expected) {
  if (actual == expected) return;
  ++failures;
  fmt::print("{}: {}, expected {}\n", what, actual, expected);
}

using counts = std::map<std::string, std::uint64_t>;

template <class Tool>
counts sum(pasta::testing::fixture<Tool>& test) {
  counts found;
  for (auto const& site : test.results().kernels.at(0).sites) {
    std::string const what =
        fmt::format("{} {} {}", to_string(site.site.what), to_string(site.site.space), site.site.size_bytes);
    if constexpr (std::is_same_v<Tool, all_events>) {
      check("lanes at " + what, site.state.lanes.value(), site.executions);
      if (site.site.what == pasta::operation::call)
        check("callee", site.state.callee.value().value_or(0), reinterpret_cast<std::uintptr_t>(&add_up));
    }
    found[what] += site.executions;
  }
  return found;
}

template <class Tool>
void check_spaces() {
  std::vector<int> in{0, 1, 2, 3}, out(threads), targets(2 * threads);
  std::vector<record> from(threads), to(threads);
  std::vector<int*> pointers;
  pointers.reserve(targets.size());
  for (int& target : targets) pointers.push_back(&target);
  from[3].words[15] = 7;
  pasta::testing::fixture<Tool> test;
  test.launch(spaces, {1, threads}, in.data(), out.data(), from.data(), to.data(), pointers.data());
  check("copied", static_cast<std::uint64_t>(to[3].words[15]), 7);
  check("stored", static_cast<std::uint64_t>(targets[2]), static_cast<std::uint64_t>(out[2]));
  counts found = sum(test);
  counts const expected{{"load global 4", 4 + 12 + 4}, {"load local 4", 12},  {"load shared 4", 12},
                        {"load global 8", 8},          {"load global 64", 4}, {"store global 64", 4},
                        {"store local 4", 12},         {"store shared 4", 8}, {"store global 4", 8},
                        {"call global 0", 12}};
  for (auto const& [what, count] : expected) check(what, found[what], count);
  check("kinds of events", found.size(), expected.size());
}

template <class Tool>
void check_loop() {
  std::vector<int> out(5);
  pasta::testing::fixture<Tool> test;
  test.launch(loop, {1, threads}, out.data(), 5);
  check("last round", static_cast<std::uint64_t>(out[4]), 4);
  counts found = sum(test);
  check("stores", found["store global 4"], 5 * threads);
  check("decisions", found["branch global 0"], 6 * threads);
}

void check_on_probe() {
  std::vector<int> out(threads);
  pasta::testing::fixture<all_counts> test;
  test.launch(PASTA_KERNEL(on_probe), {1, threads}, out.data());
  counts const found = sum(test);
  check("kinds of events on a probe", found.size(), 1);
  check("stores on a probe", found.at("store global 4"), threads);
}

}  // namespace

int main() {
  check_on_probe();
  check_spaces<all_events>();
  check_spaces<all_counts>();
  check_loop<all_events>();
  check_loop<all_counts>();
  if (failures == 0) fmt::print("OK\n");
  return failures == 0 ? 0 : 1;
}
