// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Shadow bits of handlers that are spliced into PTX, against closed forms. The hook of working_set is beside the
// program.
// gpu_check flags: -lcuda
// gpu_check hooks: working_set
#include <numeric>
#include <pasta/session/shadow_keeper.hpp>
#include <working_set.hpp>

#include "checks.hpp"
#include "ptx_kernel.hpp"
#include "ptx_module.hpp"

namespace {

using ptx_test::hook_text;
using ptx_test::kernel;
using ptx_test::require;

constexpr unsigned word_count = 1 << 16, blocks = 3, threads = 80;
constexpr std::uint64_t line = 128;

struct driver_memory {
  static void* allocate(std::size_t bytes) {
    CUdeviceptr memory = 0;
    require(cuMemAlloc(&memory, bytes), "shadow memory");
    clear(reinterpret_cast<void*>(memory), bytes);
    return reinterpret_cast<void*>(memory);
  }
  static CUdeviceptr at(void const* memory) { return reinterpret_cast<CUdeviceptr>(memory); }
  static void release(void* memory) { cuMemFree(at(memory)); }
  static bool read(void* to, void const* from, std::size_t bytes) {
    return cuMemcpyDtoH(to, at(from), bytes) == CUDA_SUCCESS;
  }
  static bool write(void* to, void const* from, std::size_t bytes) {
    return cuMemcpyHtoD(at(to), from, bytes) == CUDA_SUCCESS;
  }
  static bool clear(void* memory, std::size_t bytes) { return cuMemsetD8(at(memory), 0, bytes) == CUDA_SUCCESS; }
  static bool wait() { return cuCtxSynchronize() == CUDA_SUCCESS; }
};

struct range {
  std::uint64_t offset, bytes;  // from the data's begin
};

/// Runs a kernel natively, with the hook and nobody who collects, and collected: the same results in memory.
/// @param known what the keeper is told of the data
pasta::touched_memory watch(std::string const& source, std::vector<range> const& known, int launches = 1) {
  CUdeviceptr data = 0;
  require(cuMemAlloc(&data, word_count * 4), "data");
  std::vector<std::uint32_t> first(word_count), results[3];
  std::iota(first.begin(), first.end(), 0u);
  unsigned n = 40;
  auto const launch = [&](ptx_test::loaded_module const& module, std::vector<std::uint32_t>& into, int times) {
    require(cuMemcpyHtoD(data, first.data(), word_count * 4), "write");
    void* arguments[] = {&data, &n};
    for (int i = 0; i < times; ++i) {
      require(cuLaunchKernel(module.function("k"), blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
              "launch");
    }
    require(cuCtxSynchronize(), "the kernel");
    into.resize(word_count);
    require(cuMemcpyDtoH(into.data(), data, word_count * 4), "read");
  };
  std::vector<pasta::ptx::hook> hooks;
  hooks.emplace_back("working_set", hook_text("working_set"));
  pasta::ptx::instrumented const made = pasta::ptx::instrument(pasta::ptx::read(source), hooks);
  for (auto const& function : made.table.functions) CHECK(function.why.empty());
  ptx_test::loaded_module const native(source), hooked(made.text);
  launch(native, results[0], launches);
  launch(hooked, results[1], launches);
  ptx_test::collector const collector(hooked, made.table);
  launch(hooked, results[2], launches);  // no shadow memory
  CHECK(results[0] == results[2]);

  pasta::detail::shadow_keeper<driver_memory> keeper({7, 16, std::uint64_t{1} << 20});
  for (std::size_t i = 0; i < known.size(); ++i) keeper.allocated({i, data + known[i].offset, known[i].bytes, 0, 0});
  auto* const shadow = keeper.make_kernel();
  pasta::detail::shadow_view const view = keeper.prepare(*shadow, true);
  CUdeviceptr view_at = 0;
  require(cuMemAlloc(&view_at, sizeof view), "view");
  require(cuMemcpyHtoD(view_at, &view, sizeof view), "view");
  using layout = pasta::detail::hook_layout<working_set>;
  for (std::size_t i = 0; i < made.table.functions.size(); ++i)
    collector.write_function_word(0, i, layout::function_shared_bytes, layout::shadow_shared, view_at);
  launch(hooked, results[2], launches);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  CHECK(keeper.read(*shadow));
  pasta::touched_memory const touched = shadow->touched();
  keeper.release();
  cuMemFree(view_at);
  cuMemFree(data);
  return touched;
}

std::uint64_t lines_of(pasta::touched_allocation const& of) {
  std::uint64_t count = 0;
  of.for_each_line([&](std::uint64_t) { ++count; });
  return count;
}

void in_order() {
  auto const touched =
      watch(kernel("ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2+65536], %r5; ret;"),
            {{0, 65536}, {65536, 4096}}, 2);
  CHECK_EQUAL(touched.unknown_accesses, 0u);
  CHECK_EQUAL(touched.allocations.size(), 2u);
  for (auto const& each : touched.allocations) {
    CHECK_EQUAL(lines_of(each), (blocks * threads * 4 + line - 1) / line);
    CHECK_EQUAL(each.accesses(), 2u * blocks * threads);
  }
}

void strided_and_wide() {
  // 64 bytes from thread to thread, 16 bytes each.
  auto const touched =
      watch(kernel("mul.wide.u32 %rd3, %r2, 64; add.u64 %rd3, %rd1, %rd3; ld.global.v4.u32 {%r5, %r6, %r7, %r8}, "
                   "[%rd3]; st.global.u32 [%rd3], %r8; ret;"),
            {{0, word_count * 4}});
  CHECK_EQUAL(touched.allocations.size(), 1u);
  CHECK_EQUAL(lines_of(touched.allocations.at(0)), blocks * threads / 2);
  CHECK_EQUAL(touched.allocations.at(0).accesses(), 2u * blocks * threads);
}

void scattered_in_loop() {
  // Each thread adds to 5 words, thread * 7919 + 104729 * round of 2^16.
  auto const touched = watch(
      kernel("mov.u32 %r6, 0; mul.lo.u32 %r7, %r2, 7919;\nloop:\nand.b32 %r8, %r7, 65535; mul.wide.u32 %rd3, %r8, 4; "
             "add.u64 %rd3, %rd1, %rd3; red.global.add.u32 [%rd3], 1; add.u32 %r7, %r7, 104729; add.u32 %r6, %r6, 1; "
             "setp.lt.u32 %p1, %r6, 5; @%p1 bra loop;\nret;"),
      {{0, word_count * 4}});
  CHECK_EQUAL(touched.allocations.size(), 1u);
  std::set<std::uint64_t> lines;
  std::map<std::size_t, std::uint64_t> pages;
  std::uint64_t const begin = touched.allocations.at(0).allocation.address;
  for (std::uint32_t thread = 0; thread < blocks * threads; ++thread) {
    for (std::uint32_t round = 0; round < 5; ++round) {
      std::uint64_t const at = begin + std::uint64_t{(thread * 7919 + 104729 * round) % 65536} * 4;
      lines.insert(at / line);
      ++pages[at / 65536 - begin / 65536];
    }
  }
  CHECK_EQUAL(lines_of(touched.allocations[0]), lines.size());
  for (auto const& [page, count] : pages) CHECK_EQUAL(touched.allocations[0].page_accesses.at(page), count);
}

void bounds() {
  // Known: words 8 to 99 but for two bytes of the last, and words 128 to 159; threads write words 0 to 239.
  auto const touched = watch(kernel("st.global.u32 [%rd2], %r2; ret;"), {{32, 366}, {512, 128}});
  CHECK_EQUAL(touched.allocations.size(), 2u);
  CHECK_EQUAL(touched.allocations.at(0).accesses(), 92u);
  CHECK_EQUAL(touched.allocations[0].line_grain_bytes(), 366u);
  CHECK_EQUAL(touched.allocations.at(1).accesses(), 32u);
  CHECK_EQUAL(touched.allocations[1].line_grain_bytes(), 128u);
  CHECK_EQUAL(touched.unknown_accesses, 240u - 92 - 32 + 1);
}

void some_lanes() {
  auto const touched = watch(kernel("and.b32 %r5, %r3, 1; setp.ne.u32 %p1, %r5, 0; @%p1 ld.global.u32 %r6, [%rd2]; "
                                    "setp.lt.u32 %p2, %r2, %r1; @%p2 bra end; st.global.u32 [%rd2+4096], %r3;\nend:\n"
                                    "ld.shared.u32 %r7, [s]; ret;",
                                    ".shared .u32 s;"),
                             {{0, 4096}, {4096, 4096}});
  CHECK_EQUAL(touched.allocations.size(), 2u);
  CHECK_EQUAL(touched.allocations.at(0).accesses(), blocks * threads / 2);
  CHECK_EQUAL(touched.allocations.at(1).accesses(), blocks * threads - 40u);
  CHECK_EQUAL(lines_of(touched.allocations[1]), 7u);  // bytes 160 to 959
  CHECK_EQUAL(touched.unknown_accesses, 0u);
}

}  // namespace

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS) {
    std::printf("skipped: no GPU\n");
    return 77;
  }
  require(cuDevicePrimaryCtxRetain(&context, device), "context");
  require(cuCtxSetCurrent(context), "context");
  checks::run("requests in order", in_order);
  checks::run("strided and wide requests", strided_and_wide);
  checks::run("scattered requests in a loop", scattered_in_loop);
  checks::run("bounds of allocations", bounds);
  checks::run("some lanes", some_lanes);
  return checks::finish();
}
