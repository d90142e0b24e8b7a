// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What counters in PTX cost on a GPU: the kernels of native_kernels.cuh, as nvcc made them and with counters, assembled
// by the driver and run in turn. benchmarks/README.md says how the program is built and run.
#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ptx_module.hpp"
#include "statistics.hpp"

namespace {

using ptx_test::require;

struct problem {
  char const* name;
  CUdeviceptr arguments[3];
  std::size_t n;
  unsigned grid[2], block[2];
  bool has_third;              // a third array
  std::uint64_t accesses;      // lanes: loads and stores of all spaces
  std::size_t launches;        // in one sample
  CUfunction kernels[2] = {};  // native, counted
  std::vector<double> samples_ms[2] = {};
};

CUfunction find(ptx_test::loaded_module const& module, pasta::ptx::module const& text, char const* name) {
  for (auto const& each : text.functions) {
    if (each.is_entry && each.name.find(name) != std::string_view::npos)
      return module.function(std::string(each.name).c_str());
  }
  throw std::runtime_error(std::string("the PTX has no kernel ") + name);
}

std::uint64_t total_of(pasta::ptx::site_table const& table, std::vector<std::uint64_t> const& counts,
                       char const* name) {
  std::uint64_t total = 0;
  for (auto const& function : table.functions) {
    if (function.name.find(name) == std::string_view::npos) continue;
    for (auto const& site : function.sites) total += counts.at(site.counter);
  }
  return total;
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

int measure(std::string const& path, std::size_t pairs, std::string const& output) {
  std::stringstream file;
  file << std::ifstream(path).rdbuf();
  std::string const source = file.str();
  pasta::ptx::module const text = pasta::ptx::read(source);
  std::vector<std::string> const tools{"access_count"};
  pasta::ptx::instrumented const made = pasta::ptx::count_accesses(text, tools);

  CUcontext context = nullptr;
  CUdevice device = 0;
  require(cuInit(0), "the driver");
  require(cuDeviceGet(&device, 0), "device 0");
  require(cuDevicePrimaryCtxRetain(&context, device), "context");
  require(cuCtxSetCurrent(context), "context");
  constexpr std::size_t words = std::size_t{1} << 26;
  CUdeviceptr arrays[3];
  for (CUdeviceptr& each : arrays) {
    require(cuMemAlloc(&each, words * 4), "arrays");
    require(cuMemsetD32(each, 0, words), "arrays");
  }
  ptx_test::loaded_module const native(source), counted(made.text);
  ptx_test::collector collector(counted, made.table);

  constexpr std::uint64_t side = 8192, inner = (side - 2) * (side - 2), edge = 2048;
  problem problems[] = {
      {"vector_add", {arrays[0], arrays[1], arrays[2]}, words, {words / 256, 1}, {256, 1}, true, 3 * words, 8},
      {"stencil", {arrays[0], arrays[1], 0}, side, {side / 32, side / 8}, {32, 8}, false, 6 * inner, 8},
      // Each thread: two loads, two stores and 32 loads of shared memory for each of 128 tiles, a store.
      {"tiled_product",
       {arrays[0], arrays[1], arrays[2]},
       edge,
       {edge / 16, edge / 16},
       {16, 16},
       true,
       edge * edge * (edge / 16 * 36 + 1),
       1},
      {"gather", {arrays[0], arrays[1], arrays[2]}, words, {words / 256, 1}, {256, 1}, true, 3 * words, 8}};
  CUevent begin = nullptr, end = nullptr;
  require(cuEventCreate(&begin, 0), "event");
  require(cuEventCreate(&end, 0), "event");
  int status = 0;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (problem& p : problems) {
    p.kernels[0] = find(native, text, p.name);
    p.kernels[1] = find(counted, text, p.name);
    for (CUfunction const kernel : p.kernels) time_ms(p, kernel, begin, end);
    collector.clear();
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      for (int k = 0; k < 2; ++k) {
        std::size_t const which = static_cast<std::size_t>(pair % 2 == 0 ? k : 1 - k);
        p.samples_ms[which].push_back(time_ms(p, p.kernels[which], begin, end));
      }
    }
    std::uint64_t const found = total_of(made.table, collector.read(), p.name),
                        expected = p.accesses * pairs * p.launches;
    if (found != expected) status = 1;
    double const native_ms = quantile(p.samples_ms[0], 0.5), tool_ms = quantile(p.samples_ms[1], 0.5);
    std::printf("%s access_count (ptx) native %.4f ms, with tool %.4f ms, ratio %.3f, accesses %llu%s\n", p.name,
                native_ms, tool_ms, tool_ms / native_ms, static_cast<unsigned long long>(found),
                found == expected ? "" : " WRONG");
    rows.push_back({{"program", p.name},
                    {"tool", "access_count"},
                    {"route", "ptx"},
                    {"native_ms", native_ms},
                    {"tool_ms", tool_ms},
                    {"ratio", tool_ms / native_ms},
                    {"samples_ms", p.samples_ms}});
  }
  if (!output.empty()) std::ofstream(output) << rows.dump(1) << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what counters in PTX cost. Exit code: 0; 1 a count is wrong or something failed."};
  std::string path, output;
  std::size_t pairs = 31;
  app.add_option("ptx", path, "native_kernels.cuh as PTX")->required();
  app.add_option("--pairs", pairs, "samples of each, in turn")->check(CLI::Range(1, 1000));
  app.add_option("--output", output, "a JSON file for the rows");
  CLI11_PARSE(app, argc, argv);
  try {
    return measure(path, pairs, output);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ptx_counting: %s\n", e.what());
    return 1;
  }
}
