// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// expect no error
#include <pasta/testing.hpp>

/// A right tool that has everything a tool can have, and its use in a program: the flags of these tests are right.
struct right : pasta::tool<right> {
  static constexpr std::string_view summary = "counts accesses";
  using events = pasta::events<pasta::memory_access, pasta::kernel_end>;
  using counts = pasta::counted<pasta::barrier>;
  struct options {
    unsigned line_bytes = 128;
    bool skip_atomics = false;
    static constexpr auto describe() {
      return std::tuple{pasta::option("line-bytes", &options::line_bytes, "size of a line [bytes]", 1u, 4096u),
                        pasta::option("skip-atomics", &options::skip_atomics, "leave atomics out")};
    }
  };
  struct site_state {
    pasta::count accesses, by_kind[3];
  };
  struct thread_state {
    unsigned accesses = 0;
  };
  struct kernel_state {
    pasta::max<std::uint64_t> most;
  };
  struct program_state {
    pasta::count kernels;
  };

  PASTA_DEVICE static void on_memory_access(pasta::context<right>& at, pasta::memory_access const& event) {
    if (at.options().skip_atomics && event.kind == pasta::access_kind::atomic) return;
    at.site().by_kind[static_cast<std::size_t>(event.kind)].add(1);
    ++at.thread().accesses;
  }
  static void on_kernel_end(pasta::context<right>& at, pasta::kernel_end const&) { at.program().kernels.add(1); }
  PASTA_DEVICE static void fold(thread_state& state, pasta::context<right>& at) {
    at.kernel().most.observe(state.accesses);
    state = {};
  }
  void report(pasta::results<right> const& found, pasta::report& out) const {
    for (auto const& kernel : found.kernels) out.kernel(kernel).table("sites", pasta::site_columns());
  }
};
PASTA_TOOL(right);

struct fill {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float, Probe> array, std::size_t count) const {
    auto tile = pasta::shared<float[64]>(t);
    if (t.index() >= count) return;
    tile[t.lane()] = t.shuffle_down(1.0f, 1);
    array[t.index()] = tile[t.lane()];
  }
};

void run(float* array) {
  pasta::launch(fill{}, {4, 64}, array, std::size_t{200});
  pasta::testing::fixture<right> test;
  test.launch(fill{}, {4, 64}, array, std::size_t{200});
}
