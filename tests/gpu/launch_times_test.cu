// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Times of launches from events and from CUPTI: of kernels that spin for a known time, by themselves, behind each other
// and in two streams; and what each way costs a launch. Where CUPTI is not found the program says so and checks events.
#include <algorithm>

#include "checks.hpp"

namespace {

struct span {
  std::uint64_t begin_ns, end_ns;
  std::uint64_t stream;
};
std::vector<span> spans;

/// When each launch was.
struct time_watch : pasta::tool<time_watch> {
  using events = pasta::events<pasta::kernel_end>;
  using counts = pasta::counted<pasta::memory_access>;
  static void on_kernel_end(pasta::context<time_watch>&, pasta::kernel_end const& what) {
    spans.push_back({what.begin_ns, what.end_ns, what.stream});
  }
  void report(pasta::results<time_watch> const&, pasta::report&) const {}
};

/// Spins for so long on the GPU's own clock, which ticks once in a microsecond or more often.
struct spin {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, unsigned long long for_ns) const {
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < for_ns);
    a[t.index()] = 1;
  }
};
struct nothing {
  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a) const {
    a[t.index()] = 1;
  }
};

using fixture = pasta::testing::fixture<time_watch>;
using pasta::time_source;

constexpr std::uint64_t spin_ns = 400'000;
std::uint64_t now_ns() { return pasta::get_nanoseconds<pasta::vendor::host>{}(); }

char const* name_of(time_source from) { return from == time_source::cupti ? "CUPTI" : "events"; }

// What the times may be longer than the kernel spins: of CUPTI its begin and end and the clock's tick, of events also
// what the GPU, and in an idle stream the host, does between them.
std::uint64_t most_ns(time_source from) { return spin_ns + (from == time_source::cupti ? 15'000 : 100'000); }

void check_lengths(time_source from) {
  std::uint64_t shortest = ~std::uint64_t{0}, longest = 0;
  for (span const& each : spans) {
    std::uint64_t const length = each.end_ns - each.begin_ns;
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    CHECK(length + 1500 > spin_ns);
    CHECK(length < most_ns(from));
  }
  std::printf("%s: a spin of %.1f us took %.1f to %.1f us\n", name_of(from), spin_ns / 1e3,
              static_cast<double>(shortest) / 1e3, static_cast<double>(longest) / 1e3);
}

void warm_up(fixture& test, pasta::buffer<int> const& a) {
  test.launch(spin{}, {1, 32}, a, 1000ull);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test.results();
  spans.clear();
}

// Each launch alone: between the host's times before the launch and after its end.
void one_by_one(time_source from) {
  fixture test({.times = from});
  auto const a = zeros<int>(32);
  warm_up(test, a);
  std::vector<span> host;
  for (int i = 0; i < 10; ++i) {
    std::uint64_t const before = now_ns();
    test.launch(spin{}, {1, 32}, a, static_cast<unsigned long long>(spin_ns));
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    host.push_back({before, now_ns(), 0});
  }
  test.results();
  CHECK_EQUAL(spans.size(), host.size());
  check_lengths(from);
  constexpr std::uint64_t error_ns = 50'000;
  std::int64_t earliest = INT64_MAX;
  for (std::size_t i = 0; i < spans.size() && i < host.size(); ++i) {
    CHECK(spans[i].begin_ns + error_ns > host[i].begin_ns);
    CHECK(spans[i].end_ns < host[i].end_ns + error_ns);
    earliest = std::min(earliest, static_cast<std::int64_t>(spans[i].begin_ns - host[i].begin_ns));
  }
  std::printf("%s: a kernel begins %.1f us or more after the host calls\n", name_of(from),
              static_cast<double>(earliest) / 1e3);
}

// Behind each other in one stream: they do not overlap.
void in_order(time_source from) {
  fixture test({.times = from});
  auto const a = zeros<int>(32);
  warm_up(test, a);
  for (int i = 0; i < 10; ++i) test.launch(spin{}, {1, 32}, a, static_cast<unsigned long long>(spin_ns));
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  test.results();
  CHECK_EQUAL(spans.size(), 10);
  check_lengths(from);
  std::sort(spans.begin(), spans.end(), [](span const& x, span const& y) { return x.begin_ns < y.begin_ns; });
  for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].begin_ns + 1500 > spans[i - 1].end_ns);
}

// In two streams: pairs of them run at once, and the tool does not part them.
void side_by_side(time_source from) {
  fixture test({.times = from});
  auto const a = zeros<int>(32);
  warm_up(test, a);
  cudaStream_t streams[2] = {};
  for (auto& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  std::uint64_t const before = now_ns();
  for (int i = 0; i < 10; ++i) {
    test.launch(spin{}, {1, 32, 0, reinterpret_cast<std::uint64_t>(streams[i % 2])}, a,
                static_cast<unsigned long long>(spin_ns));
  }
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  std::uint64_t const all_ns = now_ns() - before;
  test.results();
  CHECK_EQUAL(spans.size(), 10);
  check_lengths(from);
  CHECK(all_ns < 8 * spin_ns);  // one after the other would take 10
  std::uint64_t overlap_ns = 0;
  for (span const& x : spans) {
    for (span const& y : spans) {
      if (x.stream >= y.stream) continue;
      std::uint64_t const begin = std::max(x.begin_ns, y.begin_ns), end = std::min(x.end_ns, y.end_ns);
      if (end > begin) overlap_ns += end - begin;
    }
  }
  std::printf("%s: two streams of 5 x %.1f us overlap for %.1f us, all in %.1f us\n", name_of(from), spin_ns / 1e3,
              static_cast<double>(overlap_ns) / 1e3, static_cast<double>(all_ns) / 1e3);
  CHECK(overlap_ns > 4 * spin_ns);
  for (cudaStream_t const stream : streams) CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

// What a launch costs the host, and one behind the other the GPU: the median of some rounds.
double cost_us(fixture& test, pasta::buffer<int> const& a) {
  constexpr int launches = 2000, rounds = 9;
  std::vector<double> each;
  for (int round = 0; round < rounds; ++round) {
    std::uint64_t const begin = now_ns();
    for (int i = 0; i < launches; ++i) test.launch(nothing{}, {1, 32}, a);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    each.push_back(static_cast<double>(now_ns() - begin) / 1e3 / launches);
  }
  std::sort(each.begin(), each.end());
  return each[rounds / 2];
}

void costs(bool has_cupti) {
  auto const a = zeros<int>(32);
  double events = 0;
  {
    fixture test;
    events = cost_us(test, a);
    CHECK(events > 0);
  }
  std::printf("a launch with times from events: %.2f us%s\n", events, has_cupti ? " (CUPTI watches too)" : "");
  if (!has_cupti) return;
  fixture test({.times = time_source::cupti});
  std::printf("a launch with times from CUPTI: %.2f us\n", cost_us(test, a));
}

}  // namespace

int main() {
  if (!checks::has_gpu()) {
    std::printf("skipped: there is no NVIDIA GPU\n");
    return 77;
  }
  for (auto const from : {time_source::events, time_source::cupti}) {
    if (from == time_source::cupti) {
      checks::run("cost before CUPTI watches", [] { costs(false); });
      auto& cupti = pasta::detail::kernel_activity::instance();
      if (!cupti.start()) {
        std::printf("CUPTI is not checked: %s\n", cupti.problem().c_str());
        break;
      }
      std::printf("CUPTI's clock is the host's within %.1f us\n", static_cast<double>(cupti.error_ns()) / 1e3);
      CHECK(cupti.error_ns() < 50'000);
      checks::run("cost", [] { costs(true); });
    }
    checks::run("one by one", [from] { one_by_one(from); });
    checks::run("in order", [from] { in_order(from); });
    checks::run("side by side", [from] { side_by_side(from); });
  }
  return checks::finish();
}
