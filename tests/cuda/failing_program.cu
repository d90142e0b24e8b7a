// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// A program as users write it, for failures_test.py: its own output is on stdout, its exit code says how it ended.
//
//   failing_program WHAT
//     run      some launches; ends with 0 and prints "OK", or with 3 and what PASTA threw
//     falls    as run, but with work for the host where the GPU does not serve; ends with 0 in either case
//     fills    takes all memory of the GPU after some launches, and goes on with more kernels
//     faults   its last kernel writes where nothing is; the program waits, ends with 3 and what PASTA threw
//     unseen   the same, and the program does not wait; ends with 5
#include <pasta/annotate.h>

#include <cstdio>
#include <cstring>
#include <pasta/pasta.hpp>

struct add_one {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] += 1;
  }
};

namespace {

constexpr int launch_count = 3;

int check(pasta::buffer<int> const& a, int expected) {
  std::vector<int> values(a.size());
  a.copy_to(values);
  bool const is_right = std::count(values.begin(), values.end(), expected) == 64;
  std::puts(is_right ? "OK" : "wrong result");
  return is_right ? 0 : 1;
}

int run() {
  pasta::buffer<int> a(64);
  a.set_bytes(0);
  for (int i = 0; i < launch_count; ++i) pasta::launch(add_one{}, {1, 64}, a);
  return check(a, launch_count);
}

int fall_back() {
  try {
    return run();
  } catch (pasta::vendor_error const&) {
    std::puts("OK without a GPU");
    return 0;
  }
}

// Each range is reported apart, and so takes memory of its own.
int fill() {
  constexpr int range_count = 200;
  pasta::buffer<int> a(64);
  a.set_bytes(0);
  for (int i = 0; i < range_count; ++i) {
    pasta_annotate_push(std::to_string(i).c_str());
    pasta::launch(add_one{}, {1, 64}, a);
    pasta_annotate_pop();
    for (std::size_t bytes = i == 4 ? std::size_t{1} << 30 : 0; bytes >= 256;) {
      void* memory = nullptr;
      if (cudaMalloc(&memory, bytes) != cudaSuccess) bytes /= 2;
    }
    static_cast<void>(cudaGetLastError());
  }
  return check(a, range_count);
}

int fault(bool is_waited_for) {
  pasta::buffer<int> a(64);
  a.set_bytes(0);
  pasta::launch(add_one{}, {1, 64}, a);
  pasta::launch(add_one{}, {1, 64}, reinterpret_cast<int*>(std::uintptr_t{0x10}));
  if (is_waited_for) pasta::synchronize();
  return 5;
}

}  // namespace

int main(int argument_count, char** arguments) {
  char const* const what = argument_count > 1 ? arguments[1] : "run";
  try {
    if (std::strcmp(what, "falls") == 0) return fall_back();
    if (std::strcmp(what, "fills") == 0) return fill();
    if (std::strcmp(what, "faults") == 0) return fault(true);
    if (std::strcmp(what, "unseen") == 0) return fault(false);
    return run();
  } catch (pasta::vendor_error const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
