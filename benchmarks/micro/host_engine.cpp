// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What the host engine costs: lane accesses per second of CPU time, so per core, without a tool and with each.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <access_count.hpp>
#include <algorithm>
#include <coalescing.hpp>
#include <fstream>
#include <pasta/testing.hpp>

namespace {

/// No operation between lanes: with a tool that only counts, lanes run one after the other as a plain loop.
struct vector_add {
  static constexpr std::uint64_t accesses_per_thread = 3;

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float const, Probe> b, pasta::traced<float, Probe> c) const {
    std::size_t const i = t.index();
    c[i] = a[i] + b[i];
  }
};

/// Waits in every step: the sum of each block, by shuffles and through shared memory, of elements that a ballot picks.
struct block_sum {
  static constexpr std::uint64_t accesses_per_thread = 4;  // one global load, three shared accesses

  template <class Probe>
  PASTA_DEVICE void operator()(pasta::thread<Probe>& t, pasta::traced<float const, Probe> a,
                               pasta::traced<float const, Probe>, pasta::traced<float, Probe> c) const {
    auto values = pasta::shared<float[256]>(t);
    std::uint32_t const own = t.thread_index().x;
    float value = a[t.index()];
    if (__builtin_popcountll(t.ballot(value > 0)) % 2 != 0) value = -value;
    for (std::uint32_t distance = t.warp_width() / 2; distance > 0; distance /= 2)
      value += t.shuffle_down(value, distance);
    values[own] = value;
    t.sync_block();
    float const other = values[255 - own];
    t.sync_block();
    values[own] = other;
    if (own == 0) c.raw()[t.block_index().x] = other;
  }
};

constexpr std::uint32_t block_threads = 256, blocks = 4096;

void finish(benchmark::State& state, std::uint64_t accesses_per_thread) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(accesses_per_thread * blocks * block_threads));
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  // Of the process so far: the greatest of all benchmarks up to this one.
  state.counters["peak_rss_mib"] = static_cast<double>(used.ru_maxrss) / 1024;
}

pasta::buffer<float> values() {
  std::vector<float> all(blocks * block_threads);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i % 5) - 2;
  return pasta::buffer<float>(std::span<float const>(all));
}

template <class Kernel>
void without_tool(benchmark::State& state) {
  pasta::buffer<float> const a = values(), b = values(), c = values();
  pasta::simt::engine engine({.threads = 1});
  Kernel const kernel;
  for (auto _ : state) {
    pasta::detail::kernel_call<pasta::no_probe, Kernel, pasta::buffer<float>, pasta::buffer<float>,
                               pasta::buffer<float>>(kernel, a, b, c)
        .run(engine, {blocks, block_threads});
    benchmark::ClobberMemory();
  }
  finish(state, Kernel::accesses_per_thread);
}

/// The argument is the number of workers, 0 for all cores.
template <class Kernel, class Tool>
void with_tool(benchmark::State& state) {
  pasta::buffer<float> const a = values(), b = values(), c = values();
  pasta::testing::fixture<Tool> test({.threads = static_cast<std::uint32_t>(state.range(0))});
  for (auto _ : state) test.launch(Kernel{}, {blocks, block_threads}, a, b, c);
  finish(state, Kernel::accesses_per_thread);
}

void set_up(benchmark::internal::Benchmark* one) { one->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond); }

BENCHMARK_TEMPLATE(without_tool, vector_add)->Apply(set_up);
BENCHMARK_TEMPLATE(with_tool, vector_add, access_count)->Apply(set_up)->Arg(1)->Arg(0);
BENCHMARK_TEMPLATE(with_tool, vector_add, coalescing)->Apply(set_up)->Arg(1)->Arg(0);
BENCHMARK_TEMPLATE(without_tool, block_sum)->Apply(set_up);
BENCHMARK_TEMPLATE(with_tool, block_sum, access_count)->Apply(set_up)->Arg(1)->Arg(0);
BENCHMARK_TEMPLATE(with_tool, block_sum, coalescing)->Apply(set_up)->Arg(1)->Arg(0);

// What else a result needs to be compared with another.
[[maybe_unused]] bool const is_described = [] {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name")) {
      benchmark::AddCustomContext("cpu", line.substr(line.find(':') + 2));
      break;
    }
  }
  benchmark::AddCustomContext("compiler", PASTA_COMPILER);
  benchmark::AddCustomContext("pasta_version", PASTA_VERSION);
  std::ifstream cmdline("/proc/self/cmdline");
  std::string command(std::istreambuf_iterator<char>(cmdline), {});
  std::replace(command.begin(), command.end(), '\0', ' ');
  benchmark::AddCustomContext("command", command);
  return true;
}();

}  // namespace
