// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// State of each thread: a thread adds up in private state, which on a GPU stays in registers, and PASTA folds it into
// shared state when the thread ends.
#include <cstdio>
#include <pasta/testing.hpp>

struct bytes_moved : pasta::tool<bytes_moved> {
  using events = pasta::events<pasta::memory_access>;

  // Of one thread, at most 128 bytes. It starts as {}.
  struct thread_state {
    std::uint64_t loaded = 0, stored = 0;
  };
  // Of the kernel, merged from all threads of all launches.
  struct kernel_state {
    pasta::count loaded, stored;
  };

  PASTA_DEVICE static void on_memory_access(pasta::context<bytes_moved>& at, pasta::memory_access const& access) {
    if (access.kind != pasta::access_kind::store) at.thread().loaded += access.size_bytes;
    if (access.kind != pasta::access_kind::load) at.thread().stored += access.size_bytes;  // an atomic does both
  }

  // Merges the private state and sets it back. PASTA may do so earlier than at the thread's end, and more than once:
  // so what is folded must be a part of a whole, like a sum, and not "the thread's total".
  PASTA_DEVICE static void fold(thread_state& state, pasta::context<bytes_moved>& at) {
    at.kernel().loaded.add(state.loaded);
    at.kernel().stored.add(state.stored);
    state = {};
  }

  void report(pasta::results<bytes_moved> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) {
      auto table = out.kernel(kernel).table("bytes", {{"loaded", "bytes"}, {"stored", "bytes"}});
      table.add(kernel.kernel.loaded.value(), kernel.kernel.stored.value());
    }
  }
};

// Thread i adds up i elements.
struct triangle {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> a,
                               pasta::traced<int, Probe> sums) const {
    int sum = 0;
    for (std::size_t j = 0; j < t.index(); ++j) sum += a[j];
    sums[t.index()] = sum;
  }
};

int main() {
  pasta::buffer<int> a(100), sums(100);
  a.set_bytes(0);
  pasta::testing::fixture<bytes_moved> test;
  test.launch(triangle{}, {1, 100}, a, sums);

  auto const found = test.results().kernels.at(0).kernel;
  std::printf("%llu bytes loaded, %llu stored\n", static_cast<unsigned long long>(found.loaded.value()),
              static_cast<unsigned long long>(found.stored.value()));
  // 0 + 1 + ... + 99 loads and 100 stores of 4 bytes each.
  return found.loaded.value() == 4 * 4950 && found.stored.value() == 4 * 100 ? 0 : 1;
}
