// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// matrix_tiles by the ptx route: kernels as nvcc makes them, with the tool's own hook, and the report of what they do.
#include <catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <matrix_tiles.hpp>
#include <pasta/report/text.hpp>
#include <pasta/session/ptx/read_site_table.hpp>
#include <pasta/session/ptx/tool_rows.hpp>

#include "../../../gpu/ptx_module.hpp"

namespace {

namespace ptx = pasta::ptx;
using ptx_test::require;

struct problem {
  unsigned m, n, k;
};

std::string read_file(char const* path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

void make_current() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  require(cuInit(0), "driver");
  require(cuDeviceGet(&device, 0), "device");
  require(cuDevicePrimaryCtxRetain(&context, device), "context");
  require(cuCtxSetCurrent(context), "context");
}

int value(unsigned i, unsigned seed) { return static_cast<int>((i * 2654435761U + seed) >> 16 & 15) - 8; }
std::uint16_t bfloat(int number) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(number)) >> 16);
}

template <class T>
CUdeviceptr upload(std::vector<T> const& from) {
  CUdeviceptr at = 0;
  require(cuMemAlloc(&at, from.size() * sizeof(T)), "memory");
  require(cuMemcpyHtoD(at, from.data(), from.size() * sizeof(T)), "upload");
  return at;
}

struct shape {
  pasta::dim3 grid, block;
};
shape shape_of(std::string_view kernel, problem const& of) {
  bool const is_group = kernel == "product_by_wgmma";
  unsigned const rows = is_group ? 64 : 32, columns = is_group ? 8 : 24;
  return {{(of.n + columns - 1) / columns, (of.m + rows - 1) / rows}, {is_group ? 128U : 32U}};
}

/// Launches a kernel of products.cu, and compares the product.
void multiply(ptx_test::loaded_module const& module, char const* kernel, problem const& of) {
  std::vector<std::uint16_t> a(of.m * of.k), b(of.n * of.k);
  for (unsigned i = 0; i < a.size(); ++i) a[i] = bfloat(value(i, 1));
  for (unsigned i = 0; i < b.size(); ++i) b[i] = bfloat(value(i, 2));
  std::vector<float> c(of.m * of.n, -1);
  CUdeviceptr at_a = upload(a), at_b = upload(b), at_c = upload(c);
  problem sizes = of;
  void* arguments[] = {&at_a, &at_b, &at_c, &sizes.m, &sizes.n, &sizes.k};
  shape const with = shape_of(kernel, of);
  require(cuLaunchKernel(module.function(kernel), with.grid.x, with.grid.y, 1, with.block.x, 1, 1, 0, nullptr,
                         arguments, nullptr),
          "launch");
  require(cuCtxSynchronize(), "the kernel");
  require(cuMemcpyDtoH(c.data(), at_c, c.size() * sizeof(float)), "download");
  bool is_equal = true;
  for (unsigned row = 0; row < of.m; ++row) {
    for (unsigned column = 0; column < of.n; ++column) {
      int sum = 0;
      for (unsigned i = 0; i < of.k; ++i) sum += value(row * of.k + i, 1) * value(column * of.k + i, 2);
      is_equal = is_equal && c[row * of.n + column] == static_cast<float>(sum);
    }
  }
  CHECK(is_equal);
  for (CUdeviceptr const each : {at_a, at_b, at_c}) cuMemFree(each);
}

/// What the route's collector hands to the tool, of counters alone.
ptx::collected collected_of(ptx::read_table const& table, std::vector<std::uint64_t> const& counters,
                            std::uint64_t launches, problem const& of) {
  ptx::collected all;
  for (auto const& function : table.functions) {
    ptx::collected_kernel& kernel = all.kernels.emplace_back();
    kernel.name = function.name;
    kernel.grid = shape_of(function.name, of).grid;
    kernel.block = shape_of(function.name, of).block;
    kernel.losses.launches_seen = kernel.losses.launches_delivered = launches;
    for (auto const& site : function.sites) {
      if (!site.event) continue;
      ptx::collected_site& made = kernel.sites.emplace_back();
      made.where.what = site.event->kind;
      made.where.tile = site.event->tile;
      auto const& place = table.places.at(site.place.value());
      made.where.file = std::filesystem::path(place.file).filename();
      made.where.line = place.line;
      made.opcode = site.opcode;
      made.executions = counters.at(site.counter.value());
    }
  }
  return all;
}

/// Runs both kernels twice with the tool's hook. @return the tool's part of the report
pasta::tool_section report_of(problem const& of, matrix_tiles::options const& options) {
  make_current();
  std::string const source = read_file(PASTA_PRODUCTS_PTX);
  std::vector<ptx::hook> hooks;
  hooks.emplace_back("matrix_tiles", read_file(PASTA_MATRIX_TILES_HOOK));
  ptx::module const read = ptx::read(source);
  ptx::instrumented const made = ptx::instrument(read, hooks);
  REQUIRE(made.is_changed);
  ptx_test::loaded_module const native(source), hooked(made.text);
  for (char const* kernel : {"product_by_mma", "product_by_wgmma"}) {
    multiply(native, kernel, of);
    multiply(hooked, kernel, of);  // nobody collects
  }
  ptx_test::collector const collector(hooked, made.table);
  for (int i = 0; i < 2; ++i) {
    for (char const* kernel : {"product_by_mma", "product_by_wgmma"}) multiply(hooked, kernel, of);
  }
  ptx::source_places const places(read);
  ptx::read_table const table = ptx::read_site_table(ptx::to_json(made.table, read, places));
  std::vector<std::string> notes;
  pasta::tool_section section = pasta::detail::make_section(
      ptx::results_of<matrix_tiles>(collected_of(table, collector.read(), 2, of), options), notes);
  CHECK(notes.empty());
  return section;
}

pasta::table const& table_of(pasta::kernel_section const& kernel, std::string const& name) {
  for (auto const& table : kernel.tables) {
    if (table.name == name) return table;
  }
  throw std::runtime_error("no table " + name);
}
std::uint64_t number(pasta::cell const& from) { return std::get<std::uint64_t>(from); }

}  // namespace

TEST_CASE("Instructions of kernels as nvcc makes them are counted exactly, and multiply what the tiles cover") {
  problem const of = GENERATE(problem{100, 50, 40}, problem{64, 24, 16}, problem{1, 1, 1}, problem{65, 25, 33});
  pasta::tool_section const section = report_of(of, {});
  REQUIRE(section.kernels.size() == 2);
  auto const up = [](std::uint64_t extent, std::uint64_t tile) { return (extent + tile - 1) / tile * tile; };
  std::uint64_t const by_mma = 2 * up(of.m, 32) * up(of.n, 24) * up(of.k, 16);
  std::uint64_t const by_wgmma = 2 * up(of.m, 64) * up(of.n, 8) * up(of.k, 16);
  auto const& mma = table_of(section.kernels[0], "totals").rows.at(0);
  CHECK(mma ==
        std::vector<pasta::cell>{std::string("16x8x16"), std::string("bf16*bf16+f32"), by_mma / (16 * 8 * 16), by_mma});
  CHECK(table_of(section.kernels[0], "sites").rows.size() == 1);  // one line, six instructions
  auto const& wgmma = table_of(section.kernels[1], "totals").rows.at(0);
  CHECK(wgmma == std::vector<pasta::cell>{std::string("64x8x16"), std::string("bf16*bf16+f32"),
                                          by_wgmma / (64 * 8 * 16), by_wgmma});
  CHECK(number(table_of(section.kernels[0], "fill").rows.at(0)[2]) == by_mma);
}

TEST_CASE("The report of products whose tiles hang over is as the golden file has it") {
  matrix_tiles::options options;
  options.problem = pasta::short_text("100x50x40");
  pasta::report_model model;
  model.header.pasta_version = "0";
  model.header.date = "2026-11-30T12:00:00Z";
  model.tools.push_back(report_of({100, 50, 40}, options));
  std::string const text = pasta::to_text(model, {});
  // To take over what changed: PASTA_UPDATE_GOLDEN=1 test_ptx_matrix_tiles "The report*", and look at the difference.
  if (char const* update = std::getenv("PASTA_UPDATE_GOLDEN"); update != nullptr && std::string_view(update) == "1")
    std::ofstream(PASTA_TEST_SOURCE_DIR "/tests/golden/matrix_tiles.txt", std::ios::binary) << text;
  std::string const golden = read_file(PASTA_TEST_SOURCE_DIR "/tests/golden/matrix_tiles.txt");
  CHECK(text == golden);
}
