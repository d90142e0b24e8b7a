// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What counters in PTX count, against closed forms: small kernels in PTX, each with its accesses' exact numbers.
// gpu_check flags: -lcuda
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "checks.hpp"
#include "ptx_kernel.hpp"
#include "ptx_module.hpp"

namespace {

using ptx_test::kernel;

std::vector<std::string> const tools{"access_count"};

constexpr unsigned word_count = 1 << 20;

/// Runs a kernel natively and with counters: the same results, and by site, in the order of the text, the count.
std::vector<std::uint64_t> count(std::string const& source, unsigned blocks, unsigned threads, unsigned n) {
  CUdeviceptr data = 0;
  ptx_test::require(cuMemAlloc(&data, word_count * 4), "data");
  std::vector<std::uint32_t> first(word_count), results[3];
  std::iota(first.begin(), first.end(), 0u);
  auto const launch = [&](ptx_test::loaded_module const& module, std::vector<std::uint32_t>& into) {
    ptx_test::require(cuMemcpyHtoD(data, first.data(), word_count * 4), "write");
    void* arguments[] = {&data, &n};
    ptx_test::require(cuLaunchKernel(module.function("k"), blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
                      "launch");
    ptx_test::require(cuCtxSynchronize(), "the kernel");
    into.resize(word_count);
    ptx_test::require(cuMemcpyDtoH(into.data(), data, word_count * 4), "read");
  };
  pasta::ptx::module const read = pasta::ptx::read(source);
  pasta::ptx::instrumented const made = pasta::ptx::count_accesses(read, tools);
  std::vector<std::uint64_t> by_site;
  {
    ptx_test::loaded_module const native(source), counted(made.text);
    launch(native, results[0]);
    launch(counted, results[1]);  // nobody collects
    ptx_test::collector collector(counted, made.table);
    launch(counted, results[2]);
    std::vector<std::uint64_t> const sums = collector.read();
    for (auto const& function : made.table.functions) {
      CHECK(function.why.empty());
      for (auto const& site : function.sites) by_site.push_back(sums.at(site.counter));
    }
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  cuMemFree(data);
  return by_site;
}

using counts = std::vector<std::uint64_t>;

void check(counts const& found, counts const& expected) {
  CHECK_EQUAL(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i) CHECK_EQUAL(found[i], expected[i]);
}

void run_all() {
  checks::run("a guarded part of the threads", [] {
    std::string const source = kernel(R"(
  setp.ge.u32 %p1, %r2, %r1; @%p1 bra $end;
  ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;
$end:
  ret;)");
    check(count(source, 8, 128, 1000), {1000, 1000});
    check(count(source, 1, 80, 80), {80, 80});
    check(count(source, 3, 17, 40), {40, 40});
    check(count(source, 3, 17, 0), {0, 0});
  });
  checks::run("predicates", [] {
    std::string const source = kernel(R"(
  and.b32 %r5, %r2, 3; setp.eq.u32 %p1, %r5, 0; setp.lt.u32 %p2, %r2, %r1;
  @%p1 ld.global.u32 %r6, [%rd2];
  @!%p1 st.global.u32 [%rd2], 7;
  @%p1 atom.global.add.u32 %r6, [%rd2], 1;
  setp.lt.u32 %p1, %r2, 10;
  @%p1 red.global.add.u32 [%rd2], 1;
  @%p2 ld.global.v2.u32 {%r6, %r7}, [%rd1];
  ret;)");
    check(count(source, 4, 96, 100), {96, 288, 96, 10, 100});
  });
  checks::run("loops with different trip counts", [] {
    // Thread i goes round i % 7 times; the inner loop twice each.
    std::string const source = kernel(R"(
  rem.u32 %r5, %r2, 7; mov.u32 %r6, 0;
$outer:
  setp.ge.u32 %p1, %r6, %r5; @%p1 bra $end;
  ld.global.u32 %r7, [%rd2];
  mov.u32 %r8, 0;
$inner:
  red.global.add.u32 [%rd2], 1;
  setp.gt.u32 %p3, %r8, 0;
  @%p3 ld.global.u32 %r7, [%rd1];
  add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 2; @%p2 bra $inner;
  add.u32 %r6, %r6, 1; bra $outer;
$end:
  st.global.u32 [%rd2], %r5;
  ret;)");
    std::uint64_t turns = 0;
    for (unsigned i = 0; i < 5 * 80; ++i) turns += i % 7;
    check(count(source, 5, 80, 0), {turns, 2 * turns, turns, 5 * 80});
  });
  checks::run("more than a warp's sum holds", [] {
    // Each lane 2^27 + 3 times, and by the threads of a part of a warp.
    std::string const source = kernel(R"(
  mov.u32 %r6, 0;
$loop:
  ld.volatile.global.u32 %r7, [%rd2];
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r1; @%p2 bra $loop;
  st.global.u32 [%rd2], %r7;
  ret;)");
    std::uint64_t const turns = (1u << 24) + 3;
    check(count(source, 1, 40, static_cast<unsigned>(turns)), {40 * turns, 40});
    std::uint64_t const many = (1u << 27) + 3;
    check(count(source, 1, 32, static_cast<unsigned>(many)), {32 * many, 32});
  });
  checks::run("many loops, more than have registers", [] {
    std::string body;
    for (unsigned i = 0; i < 24; ++i) {
      body += fmt::format(R"(
  mov.u32 %r6, 0;
$loop{0}:
  ld.global.u32 %r7, [%rd2];
  add.u32 %r6, %r6, 1; setp.le.u32 %p2, %r6, {0}; @%p2 bra $loop{0};)",
                          i);
    }
    counts expected;
    for (unsigned i = 0; i < 24; ++i) expected.push_back(300 * (i + 1));
    check(count(kernel(body + "\n  ret;"), 3, 100, 0), expected);
  });
  checks::run("early ways out of a loop", [] {
    // Thread i leaves at turn i % 32, by ret or by exit.
    std::string const source = kernel(R"(
  and.b32 %r5, %r2, 31; and.b32 %r8, %r2, 1; setp.eq.u32 %p3, %r8, 0; mov.u32 %r6, 0;
$loop:
  ld.global.u32 %r7, [%rd2];
  setp.ne.u32 %p1, %r6, %r5; @%p1 bra $on;
  @%p3 ret;
  exit;
$on:
  red.global.add.u32 [%rd2], 1;
  add.u32 %r6, %r6, 1; bra $loop;)");
    std::uint64_t const threads = 4 * 64;
    check(count(source, 4, 64, 0), {threads / 32 * (32 * 33 / 2), threads / 32 * (31 * 32 / 2)});
  });
  checks::run("exit in a callee, and a callee called in a loop", [] {
    // Thread i calls up to i % 8 + 1 times; the callee loads, and ends the thread at the call i % 8.
    std::string const source = kernel(R"(
  and.b32 %r5, %r2, 7; mov.u32 %r6, 0;
$loop:
  ld.global.u32 %r7, [%rd2];
  {
    .param .b64 p0; .param .b32 p1; .param .b32 p2;
    st.param.b64 [p0], %rd2; st.param.b32 [p1], %r6; st.param.b32 [p2], %r5;
    call.uni f, (p0, p1, p2);
  }
  st.global.u32 [%rd2], %r6;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 100; @%p1 bra $loop;
  ret;)",
                                      R"(
.func f(.param .b64 a, .param .b32 turn, .param .b32 last)
{
  .reg .b64 %rd<3>; .reg .b32 %r<5>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [turn]; ld.param.u32 %r2, [last];
  ld.global.u32 %r3, [%rd1];
  setp.eq.u32 %p1, %r1, %r2;
  @%p1 exit;
  red.global.add.u32 [%rd1], 1;
  ret;
}
)");
    std::uint64_t const of_eight = 8 * 9 / 2, threads = 4 * 64;
    // f's load, f's red, the loop's load, its store
    check(count(source, 4, 64, 0),
          {threads / 8 * of_eight, threads / 8 * (of_eight - 8), threads / 8 * of_eight, threads / 8 * (of_eight - 8)});
  });
  checks::run("shared, local and generic memory", [] {
    std::string const source = kernel(R"(
  .shared .align 4 .b8 tile[4096]; .local .align 4 .b8 own[64];
  mov.u32 %r5, tile; and.b32 %r6, %r2, 127; mad.lo.u32 %r5, %r6, 4, %r5;
  st.shared.u32 [%r5], %r2; bar.sync 0;
  ld.shared.u32 %r7, [%r5];
  st.local.u32 [own], %r7; ld.local.u32 %r7, [own];
  ld.u32 %r8, [%rd2];
  st.u32 [%rd2], %r7;
  cp.async.ca.shared.global [%r5], [%rd2], 4; cp.async.wait_all;
  ret;)");
    check(count(source, 2, 128, 0), {256, 256, 256, 256, 256, 256, 256});
  });
}

}  // namespace

int main() {
  if (!checks::has_gpu()) {
    std::printf("skipped: there is no NVIDIA GPU\n");
    return 77;
  }
  cudaFree(nullptr);  // makes the context
  run_all();
  return checks::finish();
}
