// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What tools cost in PTX on a GPU: the kernels of native_kernels.cuh, as nvcc made them and instrumented, assembled by
// the driver and run in turn. benchmarks/README.md says how the program is built and run.
#include <coalescing.hpp>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ptx_module.hpp"
#include "statistics.hpp"
#include "target.hpp"

namespace {

using ptx_test::require;

constexpr std::size_t words = std::size_t{1} << 26;

/// One module: native, or with a tool.
struct variant {
  std::string tool;  // empty: native
  pasta::ptx::instrumented made;
  std::unique_ptr<ptx_test::loaded_module> module;
  std::unique_ptr<ptx_test::collector> collects;
};

struct problem {
  char const* name;
  CUdeviceptr arguments[3];
  std::size_t n;
  unsigned grid[2], block[2];
  bool has_third;          // a third array
  std::uint64_t accesses;  // lanes: loads and stores of all spaces
  std::uint64_t requests;  // of global memory
  std::uint64_t sectors;   // 0: not known
  std::size_t launches;    // in one sample
  std::vector<CUfunction> kernels = {};
  std::vector<std::vector<double>> samples_ms = {};
};

std::string file_text(std::string const& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

CUfunction find(ptx_test::loaded_module const& module, pasta::ptx::module const& text, char const* name) {
  for (auto const& each : text.functions) {
    if (each.is_entry && each.name.find(name) != std::string_view::npos)
      return module.function(std::string(each.name).c_str());
  }
  throw std::runtime_error(std::string("the PTX has no kernel ") + name);
}

// What the tool says of a kernel, beside what it should.
struct answer {
  std::uint64_t found, expected;
  char const* unit;
};

std::vector<answer> ask(variant const& with, problem const& p, std::uint64_t launches) {
  std::uint64_t total = 0, requests = 0, sectors = 0;
  std::vector<std::uint64_t> const counts = with.collects->read();
  std::vector<ptx_test::collector::row<coalescing>> rows;
  if (with.made.table.rows > 0) rows = with.collects->read_rows<coalescing>(0);
  for (auto const& function : with.made.table.functions) {
    if (function.name.find(p.name) == std::string_view::npos) continue;
    for (auto const& site : function.sites) {
      if (site.counter != pasta::ptx::no_counter) total += counts.at(site.counter);
      if (site.rows[0].row == pasta::ptx::no_row) continue;
      coalescing::site_state state = rows.at(site.rows[0].row).state;
      with.collects->settle<coalescing>(site, 0, state);
      requests += state.requests.value();
      sectors += state.sectors.value();
    }
  }
  if (with.made.table.rows == 0) return {{total, p.accesses * launches, "accesses"}};
  std::vector<answer> all{{requests, p.requests * launches, "requests"}};
  if (p.sectors != 0) all.push_back({sectors, p.sectors * launches, "sectors"});
  return all;
}

double time_ms(problem& p, CUfunction kernel, CUevent begin, CUevent end) {
  void* with_third[] = {&p.arguments[0], &p.arguments[1], &p.arguments[2], &p.n};
  void* without[] = {&p.arguments[0], &p.arguments[1], &p.n};
  require(cuEventRecord(begin, nullptr), "event");
  for (std::size_t i = 0; i < p.launches; ++i) {
    require(cuLaunchKernel(kernel, p.grid[0], p.grid[1], 1, p.block[0], p.block[1], 1, 0, nullptr,
                           p.has_third ? with_third : without, nullptr),
            "launch");
  }
  require(cuEventRecord(end, nullptr), "event");
  require(cuEventSynchronize(end), "the kernel");
  float ms = 0;
  require(cuEventElapsedTime(&ms, begin, end), "time");
  return static_cast<double>(ms) / static_cast<double>(p.launches);
}

std::vector<problem> make_problems() {
  CUdeviceptr arrays[3];
  for (CUdeviceptr& each : arrays) {
    require(cuMemAlloc(&each, words * 4), "arrays");
    require(cuMemsetD32(each, 0, words), "arrays");
  }
  CUdeviceptr indices = 0;
  std::vector<std::uint32_t> random(words);
  for (std::size_t i = 0; i < words; ++i) random[i] = targets::scattered(i, static_cast<std::uint32_t>(words));
  require(cuMemAlloc(&indices, words * 4), "indices");
  require(cuMemcpyHtoD(indices, random.data(), words * 4), "indices");
  constexpr std::uint64_t side = 8192, inner = (side - 2) * (side - 2), edge = 2048;
  constexpr std::uint64_t tiles = edge / 16, warps = edge * edge / 32;
  return {{"vector_add",
           {arrays[0], arrays[1], arrays[2]},
           words,
           {words / 256, 1},
           {256, 1},
           true,
           3 * words,
           3 * words / 32,
           3 * words / 8,
           8},
          // Sectors as the hardware counts them: tests/golden.
          {"stencil",
           {arrays[0], arrays[1], 0},
           side,
           {side / 32, side / 8},
           {32, 8},
           false,
           6 * inner,
           10'483'200 + 2'096'640,
           46'109'700 + 8'386'560,
           8},
          // Each thread: two loads, two stores and 32 loads of shared memory for each of 128 tiles, a store. A warp's
          // request has two rows of 64 bytes.
          {"tiled_product",
           {arrays[0], arrays[1], arrays[2]},
           edge,
           {edge / 16, edge / 16},
           {16, 16},
           true,
           edge * edge * (tiles * 36 + 1),
           warps * (2 * tiles + 1),
           warps * (2 * tiles + 1) * 4,
           1},
          {"gather",
           {indices, arrays[1], arrays[2]},
           words,
           {words / 256, 1},
           {256, 1},
           true,
           3 * words,
           3 * words / 32,
           0,
           2}};
}

int measure(std::string const& path, std::vector<std::string> const& hooks, std::size_t registers, std::size_t pairs,
            std::string const& output) {
  std::string const source = file_text(path);
  pasta::ptx::module const text = pasta::ptx::read(source);
  CUcontext context = nullptr;
  CUdevice device = 0;
  require(cuInit(0), "the driver");
  require(cuDeviceGet(&device, 0), "device 0");
  require(cuDevicePrimaryCtxRetain(&context, device), "context");
  require(cuCtxSetCurrent(context), "context");

  std::vector<variant> variants(2);
  variants[1].tool = "access_count";
  variants[1].made = pasta::ptx::count_accesses(text, std::vector<std::string>{"access_count"});
  for (std::string const& hook : hooks) {
    std::vector<pasta::ptx::hook> const tools{{"coalescing", file_text(hook)}};
    variants.push_back({"coalescing", pasta::ptx::instrument(text, tools), nullptr, nullptr});
  }
  for (variant& each : variants) {
    each.module = std::make_unique<ptx_test::loaded_module>(each.tool.empty() ? source : each.made.text,
                                                            each.tool.empty() ? 0 : registers);
    if (!each.tool.empty()) each.collects = std::make_unique<ptx_test::collector>(*each.module, each.made.table);
  }

  CUevent begin = nullptr, end = nullptr;
  require(cuEventCreate(&begin, 0), "event");
  require(cuEventCreate(&end, 0), "event");
  int status = 0;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (problem& p : make_problems()) {
    p.samples_ms.resize(variants.size());
    for (variant const& each : variants) p.kernels.push_back(find(*each.module, text, p.name));
    for (CUfunction const kernel : p.kernels) time_ms(p, kernel, begin, end);
    for (variant const& each : variants) {
      if (each.collects) each.collects->clear();
    }
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      for (std::size_t k = 0; k < variants.size(); ++k) {
        std::size_t const which = pair % 2 == 0 ? k : variants.size() - 1 - k;
        p.samples_ms[which].push_back(time_ms(p, p.kernels[which], begin, end));
      }
    }
    double const native_ms = quantile(p.samples_ms[0], 0.5);
    for (std::size_t k = 1; k < variants.size(); ++k) {
      double const tool_ms = quantile(p.samples_ms[k], 0.5);
      std::printf("%s %s (ptx) native %.4f ms, with tool %.4f ms, ratio %.3f", p.name, variants[k].tool.c_str(),
                  native_ms, tool_ms, tool_ms / native_ms);
      for (answer const& each : ask(variants[k], p, pairs * p.launches)) {
        if (each.found != each.expected) status = 1;
        std::printf(", %s %llu%s", each.unit, static_cast<unsigned long long>(each.found),
                    each.found == each.expected ? "" : " WRONG");
      }
      std::printf("\n");
      rows.push_back({{"program", p.name},
                      {"tool", variants[k].tool},
                      {"route", "ptx"},
                      {"native_ms", native_ms},
                      {"tool_ms", tool_ms},
                      {"ratio", tool_ms / native_ms},
                      {"samples_ms", {p.samples_ms[0], p.samples_ms[k]}}});
    }
  }
  if (!output.empty()) std::ofstream(output) << rows.dump(1) << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what tools cost in PTX. Exit code: 0; 1 a result is wrong or something failed."};
  std::string path, output;
  std::vector<std::string> hooks;
  std::size_t pairs = 31, registers = 0;
  app.add_option("ptx", path, "native_kernels.cuh as PTX")->required();
  app.add_option("--coalescing", hooks, "PTX of coalescing's hook; several are compared");
  app.add_option("--registers", registers, "most that a thread of an instrumented kernel gets; 0: no limit");
  app.add_option("--pairs", pairs, "samples of each, in turn")->check(CLI::Range(1, 1000));
  app.add_option("--output", output, "a JSON file for the rows");
  CLI11_PARSE(app, argc, argv);
  try {
    return measure(path, hooks, registers, pairs, output);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ptx_route: %s\n", e.what());
    return 1;
  }
}
