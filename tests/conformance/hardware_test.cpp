// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// The host engine against a GPU's own counters: the kernels of tests/gpu/request_patterns.cu, written on a probe.
#include <fstream>
#include <nlohmann/json.hpp>
#include <pasta/testing.hpp>

#include "catch.hpp"
#include "conformance/request_counter.hpp"

namespace {

constexpr unsigned threads = 256;

#define KERNEL(name)       \
  struct name {            \
    template <class Probe> \
    void operator()(pasta::thread<Probe>& t, pasta::traced<int, Probe> a, pasta::traced<int, Probe> out) const
#define END_KERNEL \
  }                \
  ;

KERNEL(two_branches) {
  static_cast<void>(out);
  unsigned const i = t.thread_index().x;
  if (t.lane() < 5) {
    a[i] = 1;
  } else {
    a[i + 256] = 2;
  }
  a[i + 512] = 3;
}
END_KERNEL

KERNEL(triangle) {
  int sum = 0;
  for (unsigned i = 0; i <= t.lane(); ++i) {
    sum += a[i];
  }
  out[t.thread_index().x] = sum;
}
END_KERNEL

KERNEL(nested) {
  for (unsigned row = 0; row < 4; ++row) {
    int sum = 0;
    for (unsigned i = 0; i <= (t.lane() + row) % 8; ++i) {
      sum += a[i];
    }
    out[t.thread_index().x * 4 + row] = sum;
  }
}
END_KERNEL

KERNEL(skips) {
  for (unsigned i = 0; i < 8; ++i) {
    int const value = a[i * 64 + t.lane()];
    if ((i + t.lane()) % 3 != 0) {
      out[t.thread_index().x * 8 + i] = value;
    }
    t.sync_warp();
  }
}
END_KERNEL

// The GPU's compiler reconverges here by itself; the host engine must be told.
KERNEL(skips_unmarked) {
  for (unsigned i = 0; i < 8; ++i) {
    int const value = a[i * 64 + t.lane()];
    if ((i + t.lane()) % 3 != 0) {
      out[t.thread_index().x * 8 + i] = value;
    }
    t.reconverge();
  }
}
END_KERNEL

KERNEL(alternates) {
  static_cast<void>(out);
  for (unsigned i = 0; i < 8; ++i) {
    if ((i + t.lane()) % 2 == 0) {
      a[t.thread_index().x * 8 + i] = 1;
    }
    t.reconverge();
  }
}
END_KERNEL

KERNEL(leaves_early) {
  static_cast<void>(out);
  unsigned const i = t.thread_index().x;
  a[i] = 1;
  if (t.lane() % 2 == 1) return;
  a[i + 256] = 2;
  t.sync_block();
  a[i + 512] = 3;
}
END_KERNEL

KERNEL(binary_search) {
  int low = 0, high = 1000;
  while (low < high) {
    int const middle = (low + high) / 2;
    if (a[middle] < static_cast<int>(t.thread_index().x * 7)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[t.thread_index().x] = low;
}
END_KERNEL

KERNEL(counts_bins) {
  for (unsigned i = t.thread_index().x; i < 1000; i += 256) {
    t.atomic_add(out[static_cast<int>(a[i])], 1);
  }
}
END_KERNEL

template <class Probe>
PASTA_NEVER_INLINE int helper(pasta::traced<int, Probe> a, unsigned i) {
  return a[i] + a[i + 1];
}
KERNEL(calls_in_branches) {
  int value;
  if (t.lane() < 16) {
    value = helper(a, t.thread_index().x);
  } else {
    value = helper(a, 1000 - t.thread_index().x) * 2;
  }
  out[t.thread_index().x] = value;
}
END_KERNEL

struct rows {
  template <class Probe>
  void operator()(pasta::thread<Probe>& t, pasta::traced<int const, Probe> begin,
                  pasta::traced<int const, Probe> column, pasta::traced<float const, Probe> x,
                  pasta::traced<float, Probe> y) const {
    float sum = 0;
    unsigned const row = t.thread_index().x;
    int const last = begin[row + 1];
    for (int k = begin[row]; k < last; ++k) {
      int const at = column[k];
      sum += x[at];
    }
    y[row] = sum;
  }
};

struct measured {
  std::uint64_t requests = 0, sectors = 0;
  bool operator==(measured const&) const = default;
};
std::ostream& operator<<(std::ostream& out, measured const& m) {
  return out << m.requests << " requests, " << m.sectors << " sectors";
}

nlohmann::json const& golden() {
  static nlohmann::json const all = [] {
    std::ifstream file(PASTA_TEST_SOURCE_DIR "/tests/golden/request_patterns.json");
    return nlohmann::json::parse(file);
  }();
  return all;
}

measured on_hardware(std::string const& kernel, std::string const& operation) {
  auto const& one = golden().at("kernels").at(kernel).at(operation);
  return {one.at("requests"), one.at("sectors")};
}

template <class Kernel, class... Arguments>
std::map<std::string, measured> on_host(Kernel const& kernel, Arguments const&... arguments) {
  pasta::testing::fixture<request_counter> test;
  test.launch(kernel, {1, threads}, arguments...);
  std::map<std::string, measured> found;
  for (auto const& site : test.results().kernels.at(0).sites) {
    if (site.site.what > pasta::operation::atomic) continue;
    measured& sum = found[std::string(to_string(site.site.what))];
    sum.requests += site.state.requests.value();
    sum.sectors += site.state.sectors.value();
  }
  return found;
}

// Aligned as cudaMalloc's.
template <class T>
struct aligned_array {
  explicit aligned_array(std::vector<T> const& from) : data(from.size()) { data.copy_from(from); }
  pasta::buffer<T> data;
  T* pointer() const { return data.device_pointer(); }
};

template <class Kernel>
void compare(std::string const& name, Kernel const& kernel, std::vector<int> const& input) {
  aligned_array<int> const a(input), out(std::vector<int>(4096, 0));
  auto found = on_host(kernel, a.pointer(), out.pointer());
  for (auto const* const operation : {"load", "store", "atomic"}) {
    INFO(name << " " << operation);
    CHECK(found[operation] == on_hardware(name, operation));
  }
}

}  // namespace

TEST_CASE("requests and sectors are those that an NVIDIA H200 counted") {
  std::vector<int> const ones(4096, 1);
  std::vector<int> bins(1024);
  for (int i = 0; i < 1024; ++i) bins[static_cast<std::size_t>(i)] = (i * 7 + i / 32) % 64;
  compare("two_branches", two_branches{}, ones);
  compare("triangle", triangle{}, ones);
  compare("nested", nested{}, ones);
  compare("skips", skips{}, ones);
  compare("skips_unmarked", skips_unmarked{}, ones);
  compare("alternates", alternates{}, ones);
  compare("leaves_early", leaves_early{}, ones);
  compare("counts_bins", counts_bins{}, bins);
  compare("calls_in_branches", calls_in_branches{}, ones);
}

TEST_CASE("after a loop whose trip counts differ the engine always reconverges; a GPU's compiler may not") {
  // Loads inside the loops agree. For the store behind them nvcc left the lanes apart: the H200 made one request for
  // each group of lanes that left the loop together.
  std::vector<int> begin, column;
  for (int row = 0; row <= static_cast<int>(threads); ++row) {
    begin.push_back(static_cast<int>(column.size()));
    for (int k = 0; row < static_cast<int>(threads) && k < row % 7; ++k) column.push_back((row * 37 + k * 11) % 512);
  }
  aligned_array<int> const begins(begin), columns(column);
  aligned_array<float> const x(std::vector<float>(512, 1.0f)), y(std::vector<float>(threads, 0.0f));
  auto sparse = on_host(rows{}, begins.pointer(), columns.pointer(), x.pointer(), y.pointer());
  CHECK(sparse["load"] == on_hardware("rows", "load"));
  CHECK(sparse["store"] == measured{8, 32});
  CHECK(on_hardware("rows", "store") == measured{56, 224});

  std::vector<int> sorted(1024);
  for (int i = 0; i < 1024; ++i) sorted[static_cast<std::size_t>(i)] = 2 * i;
  aligned_array<int> const in(sorted), out(std::vector<int>(threads, 0));
  auto search = on_host(binary_search{}, in.pointer(), out.pointer());
  CHECK(search["load"] == on_hardware("binary_search", "load"));
  CHECK(search["store"] == measured{8, 32});
  CHECK(on_hardware("binary_search", "store") == measured{11, 37});
}
