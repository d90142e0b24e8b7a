// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What a tool costs on the GPU: plain CUDA kernels and the same kernels through pasta::launch, in turn, in one process.
// The tool is the one that PASTA_TOOLS attaches; benchmarks/README.md says how the program is built and run.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gather.hpp"
#include "native_kernels.cuh"
#include "statistics.hpp"
#include "stencil.hpp"
#include "tiled_product.hpp"
#include "vector_add.hpp"

namespace {

constexpr std::size_t warm_up_pairs = 5;
constexpr double sample_ms = 1.5;  // of native launches: long enough for the events' resolution of 0.5 us

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

/// Two points on the default stream's time line.
class stopwatch {
 public:
  stopwatch() {
    require(cudaEventCreate(&begin_));
    require(cudaEventCreate(&end_));
  }
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;

  /// Time of one launch [ms], of `launch_count` behind each other; waits between them count.
  template <class Launch>
  double time(std::size_t launch_count, Launch const& launch) const {
    require(cudaDeviceSynchronize());
    require(cudaEventRecord(begin_));
    for (std::size_t i = 0; i < launch_count; ++i) launch();
    require(cudaEventRecord(end_));
    require(cudaEventSynchronize(end_));
    require(cudaGetLastError());
    float ms = 0;
    require(cudaEventElapsedTime(&ms, begin_, end_));
    // Whole nanoseconds: the row's figures can be had again from what is written.
    return std::round(static_cast<double>(ms) / static_cast<double>(launch_count) * 1e6) / 1e6;
  }

 private:
  cudaEvent_t begin_{}, end_{};
};

std::size_t used_device_bytes() {
  std::size_t free = 0, all = 0;
  require(cudaMemGetInfo(&free, &all));
  return all - free;
}

template <class T>
bool is_equal(pasta::buffer<T> const& a, pasta::buffer<T> const& b) {
  return std::memcmp(targets::download(a).data(), targets::download(b).data(), a.size_bytes()) == 0;
}

nlohmann::ordered_json make_row(std::vector<double> const& native, std::vector<double> const& tool) {
  std::vector<double> ratios(native.size());
  for (std::size_t i = 0; i < native.size(); ++i) ratios[i] = tool[i] / native[i];
  return {{"native_ms", quantile(native, 0.5)},
          {"tool_ms", quantile(tool, 0.5)},
          {"ratio", quantile(tool, 0.5) / quantile(native, 0.5)},
          {"ratio_min", quantile(ratios, 0)},
          {"ratio_max", quantile(ratios, 1)},
          {"ratio_q1", quantile(ratios, 0.25)},
          {"ratio_q3", quantile(ratios, 0.75)},
          {"samples_ms", {native, tool}},
          {"runs", native.size()}};
}

/// One row: a problem's kernel, natively and as it is launched by PASTA.
/// @param output where the problem's kernel writes
/// @param launch_native launches the plain kernel: (problem, its output, grid, block)
/// @throw std::runtime_error if a result is wrong
template <class Problem, class LaunchNative>
nlohmann::ordered_json measure(std::size_t size, pasta::buffer<float> Problem::*output,
                               LaunchNative const& launch_native, std::size_t pairs) {
  Problem problem(size);
  pasta::buffer<float> native_output((problem.*output).size());
  // The stencil leaves its border alone: both begin with the same, which check() knows.
  native_output.copy_from(targets::download(problem.*output));

  auto const run_native = [&] {
    problem.run([&](auto const&, pasta::launch_config const& config, auto const&...) {
      launch_native(problem, native_output.device_pointer(), ::dim3(config.grid.x, config.grid.y, config.grid.z),
                    ::dim3(config.block.x, config.block.y, config.block.z));
    });
  };
  auto const run_pasta = [&] { problem.run([](auto const&... what) { pasta::launch(what...); }); };
  auto const compare = [&] {
    pasta::synchronize();
    if (!is_equal(problem.*output, native_output)) throw std::runtime_error("native result and PASTA's differ");
  };

  run_native();
  require(cudaDeviceSynchronize());
  std::size_t const bytes_before = used_device_bytes();
  run_pasta();
  compare();
  std::string const difference = problem.check();
  if (!difference.empty()) throw std::runtime_error("wrong result: " + difference);

  stopwatch const watch;
  double const one_ms = watch.time(3, run_native);
  auto const launches = static_cast<std::size_t>(std::clamp(std::round(sample_ms / one_ms), 1.0, 100.0));
  std::vector<double> native, tool;
  for (std::size_t pair = 0; pair < warm_up_pairs + pairs; ++pair) {
    // Swapped every pair, so that neither profits from its place.
    double native_ms = 0, tool_ms = 0;
    if (pair % 2 == 0) native_ms = watch.time(launches, run_native);
    tool_ms = watch.time(launches, run_pasta);
    if (pair % 2 != 0) native_ms = watch.time(launches, run_native);
    if (pair < warm_up_pairs) continue;
    native.push_back(native_ms);
    tool.push_back(tool_ms);
  }
  compare();
  std::size_t const bytes_after = used_device_bytes();

  auto row = make_row(native, tool);
  row["size"] = size;
  row["launches_per_sample"] = launches;
  row["device_bytes"] = bytes_after > bytes_before ? bytes_after - bytes_before : 0;
  return row;
}

struct program {
  char const* name;
  nlohmann::ordered_json (*measure)(std::size_t pairs);
};

constexpr program programs[] = {
    {"vector_add",
     [](std::size_t pairs) {
       using problem = targets::vector_add_problem;
       auto const launch = [](problem const& p, float* out, ::dim3 grid, ::dim3 block) {
         native::vector_add<<<grid, block>>>(p.a.device_pointer(), p.b.device_pointer(), out, p.n);
       };
       return measure<problem>(std::size_t{1} << 26, &problem::c, launch, pairs);
     }},
    {"stencil",
     [](std::size_t pairs) {
       using problem = targets::stencil_problem;
       auto const launch = [](problem const& p, float* out, ::dim3 grid, ::dim3 block) {
         native::stencil<<<grid, block>>>(p.in.device_pointer(), out, p.n);
       };
       return measure<problem>(8192, &problem::out, launch, pairs);
     }},
    {"tiled_product",
     [](std::size_t pairs) {
       using problem = targets::tiled_product_problem;
       auto const launch = [](problem const& p, float* out, ::dim3 grid, ::dim3 block) {
         native::tiled_product<<<grid, block>>>(p.a.device_pointer(), p.b.device_pointer(), out, p.n);
       };
       return measure<problem>(2048, &problem::c, launch, pairs);
     }},
    {"gather",
     [](std::size_t pairs) {
       using problem = targets::gather_problem;
       auto const launch = [](problem const& p, float* out, ::dim3 grid, ::dim3 block) {
         native::gather<<<grid, block>>>(p.index.device_pointer(), p.in.device_pointer(), out, p.n);
       };
       return measure<problem>(std::size_t{1} << 26, &problem::out, launch, pairs);
     }},
};

std::string today() {
  std::time_t const now = std::time(nullptr);
  std::tm parts{};
  char text[16] = "";
  if (::gmtime_r(&now, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// As in tools.hpp. With another name PASTA says so and attaches nothing: the rows would be wrong.
constexpr std::string_view known_tools[] = {"none", "access_count", "coalescing"};

std::string attached_tool() {
  char const* const tools = std::getenv("PASTA_TOOLS");
  return tools == nullptr || *tools == '\0' ? "none" : tools;
}

std::string command_line(int argc, char** argv) {
  std::string line = attached_tool() == "none" ? "" : "PASTA_TOOLS=" + attached_tool() + " ";
  for (int i = 0; i < argc; ++i) line += (i > 0 ? " " : "") + std::string(argv[i]);
  return line;
}

std::string device_name() {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0));
  return fmt::format("{} (sm_{}{})", properties.name, properties.major, properties.minor);
}

std::string cuda_driver() {
  int version = 0;  // 13000 is 13.0
  require(cudaDriverGetVersion(&version));
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

void write(std::string const& path, nlohmann::ordered_json const& rows) {
  std::ofstream file(path, std::ios::binary);
  file << rows.dump() << '\n';
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures what the attached tool (PASTA_TOOLS) costs, against plain CUDA kernels, on GPU 0.");
  std::vector<std::string> names, chosen;
  for (program const& one : programs) names.push_back(one.name);
  std::size_t pairs = 31;
  std::string output, driver, source_sha256;
  app.add_option("--programs", chosen, "some of the programs; all of them if left out")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--pairs", pairs, "pairs of samples for each program")
      ->check(CLI::Range(std::size_t{30}, std::size_t{10000}))
      ->capture_default_str();
  app.add_option("--output", output, "file of the rows, JSON")->required();
  app.add_option("--driver", driver, "version of the driver for the rows; CUDA's version if left out");
  app.add_option("--source-sha256", source_sha256, "of source_hash.py, for the rows")->required();
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 2;
  }

  if (std::find(std::begin(known_tools), std::end(known_tools), attached_tool()) == std::end(known_tools)) {
    fmt::print(stderr, "{}: PASTA_TOOLS={}: this program has access_count and coalescing\n", argv[0], attached_tool());
    return 2;
  }

  try {
    auto rows = nlohmann::ordered_json::array();
    for (program const& one : programs) {
      if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), one.name) == chosen.end()) continue;
      nlohmann::ordered_json row = {{"program", one.name}, {"tool", attached_tool()}, {"route", "probe"}};
      row.update(one.measure(pairs));
      row["date"] = today();
      row["driver"] = driver.empty() ? cuda_driver() : driver;
      row["device"] = device_name();
      row["source_sha256"] = source_sha256;
      row["command"] = command_line(argc, argv);
      fmt::print("{:<14} {:<13} native {:8.4f} ms, with tool {:8.4f} ms, ratio {:.3f}\n", one.name, attached_tool(),
                 row["native_ms"].get<double>(), row["tool_ms"].get<double>(), row["ratio"].get<double>());
      rows.push_back(std::move(row));
    }
    write(output, rows);
  } catch (std::exception const& failure) {
    fmt::print(stderr, "{}: {}\n", argv[0], failure.what());
    return 1;
  }
}
