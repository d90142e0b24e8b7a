// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What handlers that are spliced into PTX collect, against closed forms: small kernels in PTX. The hooks of the tools
// in watch_tools.hpp are NAME.ptx beside the program.
// gpu_check flags: -lcuda
// gpu_check hooks: request_watch alike_watch
#include <fmt/format.h>

#include <map>
#include <numeric>
#include <tuple>

#include "checks.hpp"
#include "ptx_kernel.hpp"
#include "ptx_module.hpp"
#include "watch_tools.hpp"

namespace {

using ptx_test::hook_text;
using ptx_test::kernel;
using ptx_test::require;

constexpr unsigned word_count = 1 << 20;

/// What a tool has of an access, in the order of the text.
template <class Tool>
struct found {
  std::uint64_t lanes = 0;
  typename Tool::site_state state{};
};
template <class Tool>
struct outcome {
  std::vector<found<Tool>> sites;
  typename Tool::kernel_state kernel{};  // of all functions
  bool calls = false;                    // the hook is a function
};

/// Runs a kernel natively, with hooks and nobody who collects, and collected: the same results in memory.
template <class Tool>
outcome<Tool> watch(char const* name, std::string const& source, unsigned blocks, unsigned threads, unsigned n) {
  CUdeviceptr data = 0;
  require(cuMemAlloc(&data, word_count * 4), "data");
  std::vector<std::uint32_t> first(word_count), results[3];
  std::iota(first.begin(), first.end(), 0u);
  auto const launch = [&](ptx_test::loaded_module const& module, std::vector<std::uint32_t>& into) {
    require(cuMemcpyHtoD(data, first.data(), word_count * 4), "write");
    void* arguments[] = {&data, &n};
    require(cuLaunchKernel(module.function("k"), blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
            "launch");
    require(cuCtxSynchronize(), "the kernel");
    into.resize(word_count);
    require(cuMemcpyDtoH(into.data(), data, word_count * 4), "read");
  };
  std::vector<pasta::ptx::hook> hooks;
  hooks.emplace_back(name, hook_text(name));
  pasta::ptx::module const read = pasta::ptx::read(source);
  pasta::ptx::instrumented const made = pasta::ptx::instrument(read, hooks);
  outcome<Tool> all;
  {
    ptx_test::loaded_module const native(source), hooked(made.text);
    launch(native, results[0]);
    launch(hooked, results[1]);
    ptx_test::collector const collector(hooked, made.table);
    launch(hooked, results[2]);
    auto const rows = collector.read_rows<Tool>(0);
    for (std::size_t i = 0; i < made.table.functions.size(); ++i) {
      CHECK(made.table.functions[i].why.empty());
      pasta::merge_state(all.kernel, rows.at(i).kernel);
      for (auto const& site : made.table.functions[i].sites) {
        for (std::size_t access = 0; access < site.what.access_count; ++access) {
          if (site.rows[access].row == pasta::ptx::no_row) continue;
          found<Tool> one{rows.at(site.rows[access].row).executions, rows.at(site.rows[access].row).state};
          one.lanes += collector.settle<Tool>(site, access, one.state);
          all.sites.push_back(one);
        }
      }
    }
    all.calls = made.text.find("call \t(pasta_result)") != std::string::npos;
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  cuMemFree(data);
  return all;
}

struct expected {
  std::uint64_t lanes, requests;
  /// Where an access by some lanes of the warp stands before, and its hook had to wait for a lock: lanes that came
  /// apart may make the next access apart (docs/routes.md).
  std::uint64_t most_requests = requests;
};
std::uint64_t most_requests(expected const& of) {
  return ptx_test::lanes_stay_together ? of.requests : of.most_requests;
}
/// With both tools: lanes and requests of each access.
void check(std::string const& source, unsigned blocks, unsigned threads, unsigned n,
           std::vector<expected> const& sites) {
  auto const each = watch<request_watch>("request_watch", source, blocks, threads, n);
  auto const alike = watch<alike_watch>("alike_watch", source, blocks, threads, n);
  CHECK_EQUAL(each.sites.size(), sites.size());
  CHECK_EQUAL(alike.sites.size(), sites.size());
  if (each.sites.size() != sites.size() || alike.sites.size() != sites.size()) return;
  std::uint64_t requests = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    CHECK_EQUAL(each.sites[i].lanes, sites[i].lanes);
    CHECK_EQUAL(each.sites[i].state.lanes.value(), sites[i].lanes);
    std::uint64_t const found = each.sites[i].state.requests.value();
    CHECK(found >= sites[i].requests && found <= most_requests(sites[i]));
    CHECK_EQUAL(each.sites[i].state.spaces.total(), found);
    CHECK_EQUAL(alike.sites[i].lanes, sites[i].lanes);
    std::uint64_t const found_alike = alike.sites[i].state.requests.value();
    CHECK(found_alike >= sites[i].requests && found_alike <= most_requests(sites[i]));
    requests += found;
  }
  CHECK_EQUAL(each.kernel.requests.value(), requests);
}

std::uint64_t warps(std::uint64_t threads) { return (threads + 31) / 32; }

void run_all() {
  checks::run("a block of 80 threads, and a guarded part of the threads", [] {
    std::string const source = kernel(R"(
  setp.ge.u32 %p1, %r2, %r1; @%p1 bra $end;
  ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;
$end:
  ret;)");
    check(source, 1, 80, 80, {{80, 3}, {80, 3}});
    check(source, 8, 128, 1000, {{1000, 32}, {1000, 32}});
    check(source, 3, 17, 40, {{40, 3}, {40, 3}});
    check(source, 3, 17, 0, {{0, 0}, {0, 0}});
  });
  checks::run("predicates", [] {
    std::string const source = kernel(R"(
  and.b32 %r5, %r2, 3; setp.eq.u32 %p1, %r5, 0; setp.lt.u32 %p2, %r2, %r1;
  @%p1 ld.global.u32 %r6, [%rd2];
  @!%p1 st.global.u32 [%rd2], 7;
  @%p1 atom.global.add.u32 %r6, [%rd2], 1;
  @%p2 ld.global.v2.u32 {%r6, %r7}, [%rd1];
  ret;)");
    check(source, 4, 96, 100, {{96, 12}, {288, 12}, {96, 12}, {100, 4, 8}});
  });
  checks::run("sizes, kinds and spaces", [] {
    std::string const source = kernel(R"(
  .shared .align 16 .b8 s[4096];
  mul.wide.u32 %rd3, %r4, 16; mov.u64 %rd4, s; add.u64 %rd4, %rd4, %rd3; and.b64 %rd5, %rd2, -16;
  st.shared.v4.u32 [%rd4], {%r2, %r2, %r2, %r2};
  ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd5];
  red.global.add.u32 [%rd2], 1;
  ld.global.u8 %r5, [%rd2+1];
  cvta.shared.u64 %rd6, %rd4;
  ld.u64 %rd7, [%rd6+8];
  ld.u16 %r6, [%rd2];
  ret;)");
    auto const all = watch<request_watch>("request_watch", source, 2, 64, 0);
    CHECK_EQUAL(all.sites.size(), 6u);
    std::uint32_t const sizes[] = {16, 16, 4, 1, 8, 2};
    std::uint64_t const spaces[] = {1, 0, 0, 0, 1, 0}, kinds[] = {1, 0, 2, 0, 0, 0};
    for (std::size_t i = 0; i < all.sites.size(); ++i) {
      auto const& state = all.sites[i].state;
      CHECK_EQUAL(state.size.value_or(0), sizes[i]);
      CHECK_EQUAL(state.bytes.value(), 128u * sizes[i]);
      CHECK_EQUAL(state.spaces.value(spaces[i]), 4u);
      std::uint64_t const of_kind[] = {state.loads.value(), state.stores.value(), state.atomics.value()};
      CHECK_EQUAL(of_kind[kinds[i]], 4u);
      CHECK_EQUAL(of_kind[0] + of_kind[1] + of_kind[2], 4u);
      CHECK_EQUAL(state.most_lanes.value_or(0), 32u);
    }
    CHECK_EQUAL(all.kernel.fewest_lanes.value_or(0), 32u);
  });
  checks::run("lanes of one instruction in several spaces, and with several sizes", [] {
    std::string const source = kernel(R"(
  .shared .align 16 .b8 s[4096];
  mul.wide.u32 %rd3, %r4, 4; mov.u64 %rd4, s; add.u64 %rd4, %rd4, %rd3; cvta.shared.u64 %rd5, %rd4;
  mov.b32 %r6, 7; st.shared.u32 [%rd4], %r6;
  setp.lt.u32 %p1, %r3, 11; selp.b64 %rd6, %rd2, %rd5, %p1;
  ld.volatile.u32 %r5, [%rd6];
  and.b32 %r7, %r3, 3; mov.u32 %r6, s; mad.lo.u32 %r6, %r4, 4, %r6;
  cp.async.ca.shared.global [%r6], [%rd2], 4, %r7;
  cp.async.wait_all;
  ret;)");
    // Each warp: a request in global memory by 11 lanes and one in shared memory by 21; a copy that reads 1, 2 or 3
    // bytes of eight lanes each, nothing of the others, and writes 4 of each lane.
    check(source, 3, 64, 0, {{192, 6}, {192, 12}, {144, 18, 36}, {192, 6, 48}});
    auto const all = watch<request_watch>("request_watch", source, 3, 64, 0);
    CHECK_EQUAL(all.sites.size(), 4u);
    CHECK_EQUAL(all.sites.at(1).state.spaces.value(0), 6u);
    CHECK_EQUAL(all.sites.at(1).state.spaces.value(1), 6u);
    CHECK_EQUAL(all.sites.at(1).state.most_lanes.value_or(0), 21u);
    CHECK_EQUAL(all.sites.at(2).state.bytes.value(), 6u * 8 * (1 + 2 + 3));
    CHECK_EQUAL(all.sites.at(2).state.most_lanes.value_or(0), 8u);
  });
  checks::run("the highest address, under a lock", [] {
    std::string const source = kernel(R"(
  ld.global.u32 %r5, [%rd2];
  xor.b32 %r5, %r2, 5; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3; ld.global.u32 %r6, [%rd3];
  ret;)");
    auto const all = watch<request_watch>("request_watch", source, 300, 256, 0);
    CHECK_EQUAL(all.sites.size(), 2u);
    std::uint64_t const highest = all.sites.at(0).state.highest.value_or(0);
    CHECK_EQUAL(all.sites.at(1).state.highest.value_or(0), highest);
    CHECK_EQUAL(highest % 4, 0u);
  });
  checks::run("a loop that goes on by a step", [] {
    std::string const source = kernel(R"(
  mov.u32 %r6, 0; mov.u64 %rd3, %rd2;
$loop:
  ld.global.u32 %r7, [%rd3];
  add.u64 %rd3, %rd3, 128;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r1; @%p2 bra $loop;
  st.global.u32 [%rd2], %r7;
  ret;)");
    check(source, 4, 128, 1000, {{512'000, 16'000}, {512, 16}});
    check(source, 2, 80, 50, {{8'000, 300}, {160, 6}});
    check(source, 1, 64, 1, {{64, 2}, {64, 2}});
    auto const alike = watch<alike_watch>("alike_watch", source, 4, 128, 1000);
    CHECK_EQUAL(alike.sites.at(0).state.sectors.value(), 64'000u);
    CHECK_EQUAL(alike.sites.at(0).state.stride.value_or(0), 4);
    CHECK_EQUAL(alike.sites.at(0).state.worst.get().value()->lanes, 0xffffffffu);
  });
  checks::run("a loop whose requests change their shape, their step and their place in a sector", [] {
    // Turn i: every third one at a stride of 8, every fifth one 12 bytes further, steps of 0, 32, -64 in between.
    std::string const source = kernel(R"(
  mov.u32 %r6, 0; add.u64 %rd3, %rd1, 65536;
$loop:
  rem.u32 %r5, %r6, 3; setp.eq.u32 %p1, %r5, 0; selp.u32 %r5, 8, 4, %p1; mul.wide.u32 %rd4, %r3, %r5;
  rem.u32 %r5, %r6, 5; setp.eq.u32 %p1, %r5, 0; selp.u32 %r5, 12, 0, %p1; cvt.u64.u32 %rd5, %r5;
  and.b32 %r5, %r6, 16; setp.eq.u32 %p1, %r5, 0; selp.s64 %rd6, 32, -64, %p1;
  add.u64 %rd4, %rd4, %rd3; add.u64 %rd4, %rd4, %rd5;
  ld.global.u32 %r7, [%rd4];
  add.s64 %rd3, %rd3, %rd6;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r1; @%p2 bra $loop;
  ret;)");
    check(source, 3, 64, 300, {{192 * 300, 6 * 300}});
    auto const alike = watch<alike_watch>("alike_watch", source, 3, 64, 300);
    std::uint64_t sectors = 0;
    for (unsigned i = 0; i < 300; ++i) sectors += (i % 3 == 0 ? 8 : 4) + (i % 5 == 0 ? 1 : 0);
    CHECK_EQUAL(alike.sites.at(0).state.sectors.value(), 6 * sectors);
    CHECK(alike.sites.at(0).state.stride.is_mixed());
  });
  checks::run("a loop with several accesses and guards of their own", [] {
    // In turns of four the third has no access by odd lanes, and only one by the others; of the last turns none.
    std::string const source = kernel(R"(
  mov.u32 %r6, 0; mov.u64 %rd3, %rd2; and.b32 %r8, %r3, 1; setp.eq.u32 %p3, %r8, 0; sub.u32 %r8, %r1, 2;
$loop:
  and.b32 %r5, %r6, 3; setp.ne.u32 %p1, %r5, 2; setp.lt.and.u32 %p1, %r6, %r8, %p1;
  setp.lt.and.u32 %p4, %r6, %r8, %p3; or.pred %p4, %p4, %p1;
  @%p1 ld.global.u32 %r7, [%rd3];
  add.u64 %rd4, %rd3, 64;
  @%p4 ld.global.u32 %r7, [%rd4];
  @%p1 ld.global.u32 %r7, [%rd3+256];
  add.u64 %rd3, %rd3, 128;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r1; @%p2 bra $loop;
  ret;)");
    // 38 turns with accesses, in 9 of them there is one by half of the lanes.
    std::uint64_t const all = 29 * 128, half = 9 * 64;
    check(source, 2, 64, 40, {{all, 29 * 4}, {all + half, 38 * 4}, {all, 29 * 4}});
    auto const alike = watch<alike_watch>("alike_watch", source, 2, 64, 40);
    CHECK_EQUAL(alike.sites.at(0).state.sectors.value(), 29u * 4 * 4);
    CHECK_EQUAL(alike.sites.at(1).state.sectors.value(), 29u * 4 * 4 + 9 * 4 * 4);
  });
  checks::run("copies in a loop, whose sizes are in registers", [] {
    // The last two turns copy nothing, the third one half of each.
    std::string const source = kernel(R"(
  .shared .align 16 .b8 s[4096];
  mul.lo.u32 %r5, %r4, 16; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;
  and.b32 %r7, %r2, 31; mul.wide.u32 %rd4, %r7, 16; add.u64 %rd3, %rd1, %rd4; mov.u32 %r7, 0; sub.u32 %r9, %r1, 2;
$loop:
  setp.lt.u32 %p1, %r7, %r9; selp.b32 %r8, 16, 0, %p1; setp.eq.u32 %p2, %r7, 2; selp.b32 %r8, 8, %r8, %p2;
  cp.async.cg.shared.global [%r6], [%rd3], 16, %r8;
  add.u64 %rd4, %rd3, 32768;
  cp.async.cg.shared.global [%r6], [%rd4], 16, %r8;
  cp.async.wait_all;
  add.u64 %rd3, %rd3, 512;
  add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, %r1; @%p2 bra $loop;
  ret;)");
    auto const all = watch<alike_watch>("alike_watch", source, 2, 64, 20);
    CHECK_EQUAL(all.sites.size(), 4u);
    for (std::size_t i = 0; i < all.sites.size(); ++i) {
      // What is read, then what is written: always.
      unsigned const turns = i % 2 == 0 ? 18 : 20;
      CHECK_EQUAL(all.sites[i].lanes, turns * 128);
      CHECK_EQUAL(all.sites[i].state.requests.value(), turns * 4);
      CHECK_EQUAL(all.sites[i].state.sectors.value(), turns * 4 * 16);
    }
  });
  checks::run("an index of 32 bits that goes beyond them", [] {
    // 2^32 elements before the table it has no access any more.
    for (auto const& [type, first, distance] :
         {std::tuple("u32", "4294967292", "17179869168"), std::tuple("s32", "2147483644", "8589934576")}) {
      std::string const source = kernel(fmt::format(R"(
  mov.u32 %r6, {1}; mov.u32 %r8, 0; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3;
  mov.u64 %rd7, {2}; sub.u64 %rd5, %rd3, %rd7;
$loop:
  mul.wide.{0} %rd4, %r6, 4; add.u64 %rd6, %rd5, %rd4;
  sub.u64 %rd7, %rd6, %rd1; setp.lt.u64 %p1, %rd7, 1048576;
  @%p1 ld.global.u32 %r5, [%rd6];
  add.u32 %r6, %r6, 8; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra $loop;
  ret;)",
                                                    type, first, distance));
      check(source, 2, 64, 10, {{128, 4}});
    }
    std::string const source = kernel(R"(
  mov.u32 %r6, -64; mov.u32 %r8, 0; mul.wide.u32 %rd3, %r3, 4; add.u64 %rd3, %rd1, %rd3; add.u64 %rd3, %rd3, 256;
$loop:
  add.u32 %r7, %r6, %r8; mul.wide.s32 %rd4, %r6, 4; add.u64 %rd6, %rd3, %rd4;
  ld.global.u32 %r5, [%rd6];
  add.s32 %r6, %r6, %r1; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, %r1; @%p2 bra $loop;
  ret;)");
    check(source, 2, 64, 16, {{128 * 16, 4 * 16}});
    check(source, 2, 64, 5, {{128 * 5, 4 * 5}});
  });
  checks::run("lanes leave a loop one after the other, by ret and by exit", [] {
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
    std::uint64_t const turns = 32 * 33 / 2;
    check(source, 4, 64, 0, {{8 * turns, 8 * 32}, {8 * (turns - 32), 8 * 31}});
  });
  checks::run("half of a warp leaves a loop, the others go on", [] {
    std::string const source = kernel(R"(
  mov.u32 %r6, 0; setp.ge.u32 %p3, %r3, 16;
$loop:
  ld.global.u32 %r7, [%rd2];
  add.u32 %r6, %r6, 1;
  setp.eq.u32 %p1, %r6, 40; and.pred %p1, %p1, %p3;
  @%p1 exit;
  setp.lt.u32 %p2, %r6, 100; @%p2 bra $loop;
  ret;)");
    check(source, 5, 64, 0, {{5 * 64 * 40 + 5 * 32 * 60, 10 * 100}});
  });
  checks::run("many accesses of a block, and more than stand before them", [] {
    // The last are each in a block of its own: none is tested together with another, and the hook's function tests.
    for (unsigned const count : {2u, 3u, 8u, 9u, 20u, 30u, 40u}) {
      std::string body;
      for (unsigned i = 0; i < count; ++i) {
        body += fmt::format("{}  ld.global.u32 %r5, [%rd2+{}];\n", count == 40 ? fmt::format("$a{}:", i) : "",
                            4 * (i % 11));
      }
      std::string const source = kernel(body + "  ret;");
      check(source, 3, 100, 0, std::vector<expected>(count, {300, 12}));
      auto const alike = watch<alike_watch>("alike_watch", source, 3, 100, 0);
      CHECK(alike.calls == (count > 4));
      for (unsigned i = 0; i < count; ++i) {
        // Per block three whole warps and one of four lanes.
        std::uint64_t sectors = 0;
        for (unsigned block = 0; block < 3; ++block) {
          for (unsigned warp = 0; warp < 4; ++warp) {
            unsigned const begin = 400 * block + 128 * warp + 4 * (i % 11), bytes = warp < 3 ? 128 : 16;
            sectors += (begin + bytes + 31) / 32 - begin / 32;
          }
        }
        CHECK_EQUAL(alike.sites.at(i).state.sectors.value(), sectors);
      }
    }
  });
  checks::run("lanes here and there", [] {
    // Lanes with an odd number of bits; a gather whose lanes lie in sectors of their own; all lanes on one word.
    std::string const source = kernel(R"(
  popc.b32 %r5, %r3; and.b32 %r5, %r5, 1; setp.eq.u32 %p1, %r5, 1;
  @%p1 ld.global.u32 %r6, [%rd2];
  mul.lo.u32 %r5, %r3, 7; and.b32 %r5, %r5, 31; mul.wide.u32 %rd3, %r5, 64; add.u64 %rd3, %rd3, %rd1;
  ld.global.u32 %r6, [%rd3];
  ld.global.u32 %r6, [%rd1];
  ret;)");
    check(source, 2, 64, 0, {{64, 4}, {128, 4}, {128, 4}});
    auto const alike = watch<alike_watch>("alike_watch", source, 2, 64, 0);
    std::uint64_t const sectors[] = {4 * 4, 4 * 32, 4 * 1};
    for (std::size_t i = 0; i < 3; ++i) CHECK_EQUAL(alike.sites.at(i).state.sectors.value(), sectors[i]);
    CHECK_EQUAL(alike.sites.at(2).state.stride.value_or(1), 0);
  });
  checks::run("a function that is called by some lanes", [] {
    std::string const source = kernel(R"(
  and.b32 %r5, %r2, 7; mov.u32 %r6, 0;
$loop:
  setp.gt.u32 %p1, %r6, %r5; @%p1 bra $end;
  {
    .param .b64 p0;
    st.param.b64 [p0], %rd2;
    call.uni f, (p0);
  }
  add.u32 %r6, %r6, 1; bra $loop;
$end:
  ret;)",
                                      R"(
.func f(.param .b64 a)
{
  .reg .b64 %rd<3>; .reg .b32 %r<5>;
  ld.param.u64 %rd1, [a];
  ld.global.u32 %r3, [%rd1];
  red.global.add.u32 [%rd1], 1;
  ret;
}
)");
    std::uint64_t const of_eight = 8 * 9 / 2, threads = 4 * 64;
    check(source, 4, 64, 0,
          {{threads / 8 * of_eight, warps(threads) * 8}, {threads / 8 * of_eight, warps(threads) * 8}});
  });
  checks::run("copies", [] {
    std::string const source = kernel(R"(
  .shared .align 16 .b8 s[4096];
  mul.lo.u32 %r5, %r4, 4; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;
  and.b32 %r7, %r3, 1; mul.lo.u32 %r7, %r7, 4;
  cp.async.ca.shared.global [%r6], [%rd2], 4, %r7;
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.u32 %r8, [%r6];
  st.global.u32 [%rd2], %r8;
  ret;)");
    auto const all = watch<request_watch>("request_watch", source, 2, 64, 0);
    CHECK_EQUAL(all.sites.size(), 4u);
    CHECK_EQUAL(all.sites.at(0).lanes, 64u);  // read: of half of the lanes
    CHECK_EQUAL(all.sites.at(1).lanes, 128u);
    CHECK_EQUAL(all.sites.at(0).state.loads.value(), 4u);
    std::uint64_t const stores = all.sites.at(1).state.stores.value();
    CHECK(stores >= 4 && stores <= most_requests({128, 4, 8}));
    CHECK_EQUAL(all.sites.at(1).state.spaces.value(1), stores);
  });
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
  run_all();
  return checks::finish();
}
