// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// What handlers of other events than memory accesses collect, and what is kept in threads' states, against closed
// forms: small kernels in PTX, with all tools of event_tools.hpp at once. Their hooks are NAME.ptx beside the program.
// gpu_check flags: -lcuda
// gpu_check hooks: event_watch thread_sum event_counts
#include <fmt/format.h>

#include <numeric>

#include "checks.hpp"
#include "event_tools.hpp"
#include "ptx_kernel.hpp"
#include "ptx_module.hpp"

namespace {

using pasta::ptx::hook_function;
using ptx_test::hook_text;
using ptx_test::kernel;
using ptx_test::require;

constexpr unsigned word_count = 1 << 20;

struct seen {
  hook_function event = hook_function::barrier;
  std::uint64_t counted = 0, lanes = 0;
  event_watch::site_state state{};
};
struct outcome {
  std::vector<seen> sites;            // in the order of the text
  event_watch::kernel_state threads;  // of all functions
  thread_sum::kernel_state sums;      // likewise
  CUdeviceptr data = 0;               // where the words were
  bool calls = false;                 // some hook is a function
};

void read_rows(outcome& all, pasta::ptx::site_table const& table, ptx_test::collector const& collector) {
  auto const counters = collector.read();
  for (std::size_t tool = 0; tool < table.tool_rows.size(); ++tool) {
    std::string const& name = table.tool_rows[tool].tool;
    for (std::size_t i = 0; i < table.functions.size(); ++i) {
      if (name == "event_watch") pasta::merge_state(all.threads, collector.read_rows<event_watch>(tool).at(i).kernel);
      if (name == "thread_sum") pasta::merge_state(all.sums, collector.read_rows<thread_sum>(tool).at(i).kernel);
    }
  }
  auto const is_watched = !table.tool_rows.empty() && table.tool_rows[0].tool == "event_watch";
  auto const rows =
      is_watched ? collector.read_rows<event_watch>(0) : std::vector<ptx_test::collector::row<event_watch>>();
  for (auto const& function : table.functions) {
    CHECK(function.why.empty() && function.without.empty());
    for (auto const& site : function.sites) {
      if (!site.event.which) continue;
      seen& one = all.sites.emplace_back();
      one.event = *site.event.which;
      if (site.counter != pasta::ptx::no_counter) one.counted = counters.at(site.counter);
      if (!is_watched || site.event.row == pasta::ptx::no_row) continue;
      one.lanes = rows.at(site.event.row).executions;
      one.state = rows.at(site.event.row).state;
    }
  }
}

/// Runs a kernel natively, with hooks and nobody who collects, and collected: the same results in memory.
outcome watch(std::string const& source, unsigned blocks, unsigned threads, unsigned n,
              std::vector<std::string> const& tools) {
  outcome all;
  require(cuMemAlloc(&all.data, word_count * 4), "data");
  std::vector<std::uint32_t> first(word_count), results[3];
  std::iota(first.begin(), first.end(), 0u);
  auto const launch = [&](ptx_test::loaded_module const& module, std::vector<std::uint32_t>& into) {
    require(cuMemcpyHtoD(all.data, first.data(), word_count * 4), "write");
    void* arguments[] = {&all.data, &n};
    require(cuLaunchKernel(module.function("k"), blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr),
            "launch");
    require(cuCtxSynchronize(), "the kernel");
    into.resize(word_count);
    require(cuMemcpyDtoH(into.data(), all.data, word_count * 4), "read");
  };
  std::vector<pasta::ptx::hook> hooks;
  for (std::string const& name : tools) hooks.emplace_back(name, hook_text(name.c_str()));
  pasta::ptx::module const read = pasta::ptx::read(source);
  pasta::ptx::instrumented const made = pasta::ptx::instrument(read, hooks);
  if (made.is_changed) {
    ptx_test::loaded_module const native(source), hooked(made.text);
    launch(native, results[0]);
    launch(hooked, results[1]);
    ptx_test::collector const collector(hooked, made.table);
    launch(hooked, results[2]);
    read_rows(all, made.table, collector);
    all.calls = made.text.find("call \t") != std::string::npos;
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
  cuMemFree(all.data);
  return all;
}

struct expected {
  hook_function event;
  std::uint64_t lanes, groups, sum, other = 0;
  // Where it is for the assembler whether lanes come together, or some of them waited for a lock before.
  std::uint64_t most_groups = groups;
};
/// Tools that are alone collect the same.
void check_alone(std::string const& source, unsigned blocks, unsigned threads, unsigned n, outcome const& all) {
  outcome const events = watch(source, blocks, threads, n, {"event_watch"});
  CHECK_EQUAL(events.threads.entered.value(), all.threads.entered.value());
  CHECK_EQUAL(events.threads.ended.value(), all.threads.ended.value());
  for (std::size_t i = 0; i < std::min(events.sites.size(), all.sites.size()); ++i) {
    CHECK_EQUAL(events.sites[i].state.lanes.value(), all.sites[i].state.lanes.value());
    CHECK_EQUAL(events.sites[i].state.sum.value(), all.sites[i].state.sum.value());
  }
  outcome const sums = watch(source, blocks, threads, n, {"thread_sum"});
  CHECK_EQUAL(sums.sums.bytes.value(), all.sums.bytes.value());
  CHECK_EQUAL(sums.sums.begun.value(), all.sums.begun.value());
  CHECK_EQUAL(sums.sums.barriers.value(), all.sums.barriers.value());
  CHECK_EQUAL(sums.sums.taken.value(), all.sums.taken.value());
  CHECK_EQUAL(sums.sums.have_stored.value(), all.sums.have_stored.value());
  outcome const counts = watch(source, blocks, threads, n, {"event_counts"});
  CHECK_EQUAL(counts.sites.size(), all.sites.size());
  for (std::size_t i = 0; i < std::min(counts.sites.size(), all.sites.size()); ++i)
    CHECK_EQUAL(counts.sites[i].counted, all.sites[i].counted);
}

outcome check(std::string const& source, unsigned blocks, unsigned threads, unsigned n,
              std::vector<expected> const& sites) {
  outcome const all = watch(source, blocks, threads, n, {"event_watch", "thread_sum", "event_counts"});
  CHECK_EQUAL(all.sites.size(), sites.size());
  for (std::size_t i = 0; i < std::min(sites.size(), all.sites.size()); ++i) {
    CHECK(all.sites[i].event == sites[i].event);
    CHECK_EQUAL(all.sites[i].counted, sites[i].lanes);
    CHECK_EQUAL(all.sites[i].lanes, sites[i].lanes);
    CHECK_EQUAL(all.sites[i].state.lanes.value(), sites[i].lanes);
    std::uint64_t const groups = all.sites[i].state.groups.value();
    CHECK(groups >= sites[i].groups && groups <= sites[i].most_groups);
    CHECK_EQUAL(all.sites[i].state.sum.value(), sites[i].sum);
    CHECK_EQUAL(all.sites[i].state.other.value(), sites[i].other);
  }
  std::uint64_t const warps = std::uint64_t{blocks} * ((threads + 31) / 32);
  CHECK_EQUAL(all.threads.entered.value(), std::uint64_t{blocks} * threads);
  CHECK_EQUAL(all.threads.groups_entered.value(), warps);
  CHECK_EQUAL(all.threads.ended.value(), std::uint64_t{blocks} * threads);
  check_alone(source, blocks, threads, n, all);
  return all;
}

void run_events() {
  checks::run("barriers of blocks and of parts of warps", [] {
    std::string const source = kernel(R"(
  setp.lt.u32 %p1, %r3, 8;
  bar.sync 0;
  @%p1 bar.warp.sync 0xff;
  ld.global.u32 %r5, [%rd2];
  barrier.sync 0;
  ret;)");
    constexpr auto barrier = hook_function::barrier;
    auto const all = check(source, 3, 80, 0, {{barrier, 240, 9, 240}, {barrier, 72, 9, 0}, {barrier, 240, 9, 240}});
    CHECK_EQUAL(all.sums.barriers.value(), 240u + 72u + 240u);
    CHECK_EQUAL(all.sums.begun.value(), 240u * thread_sum::first);
    CHECK_EQUAL(all.sums.bytes.value(), 240u * 4);
    CHECK_EQUAL(all.threads.groups_ended.value(), 9u);
  });
  checks::run("branches with guards of both kinds, in loops", [] {
    // Lane l goes round l % 4 + 1 times.
    std::string const source = kernel(R"(
  and.b32 %r5, %r3, 3; mov.u32 %r6, 0; setp.lt.u32 %p2, %r3, 20;
$loop:
  setp.lt.u32 %p1, %r6, %r5; add.u32 %r6, %r6, 1;
  @%p1 bra $loop;
  st.global.u32 [%rd2], %r6;
  @!%p2 exit;
  setp.lt.u32 %p3, %r3, 4;
  @!%p3 bra $end;
  red.global.add.u32 [%rd2], 5;
$end:
  @%p3 ret;
  ret;)");
    constexpr auto branch = hook_function::branch;
    std::uint64_t const warps = 4;
    auto const all = check(source, 2, 64, 0,
                           {{branch, warps * 8 * (1 + 2 + 3 + 4), warps * 4, warps * 8 * (0 + 1 + 2 + 3)},
                            {branch, warps * 32, warps, warps * 12},
                            {branch, warps * 20, warps, warps * 16},
                            {branch, warps * 20, warps, warps * 4}});
    CHECK_EQUAL(all.sums.taken.value(), warps * (48 + 12 + 16 + 4));
    CHECK_EQUAL(all.sums.have_stored.value(), warps * 32);
    CHECK_EQUAL(all.sums.bytes.value(), warps * (32 * 4 + 4 * 4));
    CHECK_EQUAL(all.threads.groups_ended.value(), warps * 3);
  });
  checks::run("copies, of which some read nothing", [] {
    std::string const source = kernel(R"(
  .shared .align 16 .b8 s[4096];
  mul.lo.u32 %r5, %r4, 4; mov.u32 %r6, s; add.u32 %r6, %r6, %r5;
  and.b32 %r7, %r3, 1; mul.lo.u32 %r7, %r7, 4; setp.lt.u32 %p1, %r4, %r1;
  cp.async.ca.shared.global [%r6], [%rd2], 4, %r7;
  @%p1 cp.async.ca.shared.global [%r6+1024], [%rd2+4], 4;
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.u32 %r8, [%r6];
  st.global.u32 [%rd2], %r8;
  ret;)");
    constexpr auto copy = hook_function::async_copy;
    auto const all = check(source, 2, 64, 40,
                           {{copy, 128, 4, 4 * 128, 4 * 64 + 100 * 128},
                            {copy, 80, 4, 4 * 80, 104 * 80},
                            {hook_function::barrier, 128, 4, 128}});
    CHECK_EQUAL(all.sites.at(0).state.highest.value().value_or(0), all.data + 4 * 127);
    CHECK_EQUAL(all.sites.at(1).state.highest.value().value_or(0), all.data + 4 * (64 + 39) + 4);
    // Reads and writes of the copies, a load and a store.
    CHECK_EQUAL(all.sums.bytes.value(), 4u * (64 + 128 + 80 + 80 + 128 + 128));
  });
}

constexpr char const* functions = R"(
.func (.param .b32 r) twice(.param .b32 a)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [a]; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) store(.param .b32 a, .param .b64 at)
{
  .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<3>;
  ld.param.b32 %r1, [a]; ld.param.b64 %rd1, [at];
  st.global.u32 [%rd1], %r1;
  setp.gt.u32 %p1, %r1, 40;
  @%p1 exit;
  add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret;
}
)";

void run_functions() {
  checks::run("calls of functions, direct and through a register", [] {
    std::string const source = kernel(R"(
  mov.u64 %rd3, twice; setp.lt.u32 %p1, %r3, 10;
  @!%p1 bra $past;
  {
    .param .b32 p0; .param .b32 q;
    st.param.b32 [p0], %r2;
    call.uni (q), twice, (p0);
    ld.param.b32 %r5, [q];
  }
  st.global.u32 [%rd2], %r5;
$past:
  {
    .param .b32 p0; .param .b32 q;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    st.param.b32 [p0], %r2;
    call (q), %rd3, (p0), proto;
    ld.param.b32 %r5, [q];
  }
  red.global.add.u32 [%rd2], %r5;
  ret;)",
                                      functions);
    constexpr auto call = hook_function::call;
    auto const all = check(source, 2, 96, 0,
                           {{hook_function::branch, 0, 0, 0},  // of the function that nobody calls
                            {hook_function::branch, 192, 6, 6 * 22},
                            {call, 60, 6, 60},
                            {call, 192, 6, 192, 0, ptx_test::lanes_stay_together ? 6 : 12}});
    auto const direct = all.sites.at(2).state.highest.value(), indirect = all.sites.at(3).state.highest.value();
    CHECK(direct && indirect && *direct == *indirect);
    CHECK_EQUAL(all.sums.begun.value(), 192u * thread_sum::first);  // `twice` has nothing to handle
  });
  checks::run("a function has a state of its own, and may end the thread", [] {
    std::string const source = kernel(R"(
  mov.u32 %r6, 0;
$loop:
  ld.global.u32 %r8, [%rd1];
  add.u32 %r7, %r3, %r6;
  {
    .param .b32 p0; .param .b64 p1; .param .b32 q;
    st.param.b32 [p0], %r7;
    st.param.b64 [p1], %rd2;
    call.uni (q), store, (p0, p1);
    ld.param.b32 %r5, [q];
  }
  bar.warp.sync 0xffffffff;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3;
  @%p1 bra $loop;
  ret;)",
                                      functions);
    // No lane has more than 33: none leaves.
    constexpr auto branch = hook_function::branch;
    std::uint64_t const warps = 4, threads = 32 * warps;
    auto const all = check(source, 2, 64, 0,
                           {{branch, 3 * threads, 3 * warps, 0},
                            {hook_function::call, 3 * threads, 3 * warps, 3 * threads},
                            {hook_function::barrier, 3 * threads, 3 * warps, 0},
                            {branch, 3 * threads, 3 * warps, 2 * threads}});
    CHECK_EQUAL(all.sums.bytes.value(), threads * 3 * 8);
    CHECK_EQUAL(all.sums.begun.value(), threads * (1 + 3) * thread_sum::first);
    CHECK_EQUAL(all.sums.have_stored.value(), 3 * threads);
    CHECK_EQUAL(all.sums.taken.value(), 2 * threads);
  });
  checks::run("threads end within a function", [] {
    std::string const source = kernel(R"(
  ld.global.u32 %r8, [%rd1];
  {
    .param .b32 p0; .param .b64 p1; .param .b32 q;
    st.param.b32 [p0], %r4;
    st.param.b64 [p1], %rd2;
    call.uni (q), store, (p0, p1);
    ld.param.b32 %r5, [q];
  }
  st.global.u32 [%rd2], %r5;
  ret;)",
                                      functions);
    // Threads 0 to 40 of each block of 64 come back.
    auto const all =
        check(source, 3, 64, 0, {{hook_function::branch, 192, 6, 3 * 23}, {hook_function::call, 192, 6, 192}});
    CHECK_EQUAL(all.sums.bytes.value(), 4u * (192 + 192 + 3 * 41));
    CHECK_EQUAL(all.sums.begun.value(), 2u * 192 * thread_sum::first);
  });
}

void run_threads() {
  checks::run("threads end in a loop, by `ret` and by `exit`", [] {
    std::string const source = kernel(R"(
  and.b32 %r5, %r2, 31; and.b32 %r8, %r2, 1; setp.eq.u32 %p3, %r8, 0; mov.u32 %r6, 0;
$loop:
  ld.global.u32 %r7, [%rd2];
  setp.ne.u32 %p1, %r6, %r5; @%p1 bra $on;
  @%p3 ret;
  exit;
$on:
  add.u32 %r6, %r6, 1; bra $loop;)");
    constexpr auto branch = hook_function::branch;
    std::uint64_t const turns = 32 * 33 / 2, warps = 8;
    auto const all = check(source, 4, 64, 0,
                           {{branch, warps * turns, warps * 32, warps * (turns - 32)},
                            {branch, warps * 32, warps, warps * 16, 0, warps * 32}});
    CHECK_EQUAL(all.sums.bytes.value(), warps * turns * 4);
    CHECK_EQUAL(all.sums.begun.value(), warps * 32 * thread_sum::first);
  });
  checks::run("a kernel that ends behind its last instruction, and one without any", [] {
    std::string const source = kernel("  setp.lt.u32 %p1, %r2, 50; @%p1 exit;\n  st.global.u32 [%rd2], 9;\n");
    auto const all = check(source, 2, 40, 0, {{hook_function::branch, 80, 4, 50}});
    CHECK_EQUAL(all.sums.bytes.value(), 30u * 4);
    check(kernel("  ret;"), 3, 33, 0, {});
  });
  checks::run("many events of a function call the hooks", [] {
    std::string body;
    std::vector<expected> sites;
    for (unsigned i = 0; i < 12; ++i) {
      body += fmt::format(
          "  setp.ge.u32 %p1, %r3, {0}; @%p1 bra $L{1};\n  ld.global.u32 %r5, [%rd2+{0}];\n$L{1}:\n  bar.warp.sync "
          "0xffffffff;\n",
          4 * i % 32, i);
      std::uint64_t const limit = 4 * i % 32;
      sites.push_back({hook_function::branch, 128, 4, 4 * (32 - limit)});
      sites.push_back({hook_function::barrier, 128, 4, 0});
    }
    auto const all = check(kernel(body + "  ret;"), 2, 64, 0, sites);
    CHECK(all.calls);
    std::uint64_t lanes = 0;
    for (unsigned i = 0; i < 12; ++i) lanes += 4 * (4 * i % 32);
    CHECK_EQUAL(all.sums.bytes.value(), 4 * lanes);
    CHECK_EQUAL(all.sums.barriers.value(), 12u * 128);
    CHECK_EQUAL(all.sums.begun.value(), 128u * thread_sum::first);
  });
}

/// Products of matrices, where the driver knows them: a GPU before sm_80 has no bf16.
void run_products() {
  std::string const source = kernel(R"(
  mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0; mov.b32 %r13, 0; mov.f32 %f1, 0f00000000;
  mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1;
  mov.f32 %f8, %f1;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r10, %r11},
    {%f1, %f2, %f3, %f4};
  mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r10, %r11},
    {%r12, %r13}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};
  st.global.f32 [%rd2], %f1;
  ret;)");
  try {
    ptx_test::loaded_module const native(source);
  } catch (std::exception const& error) {
    std::printf("left out: products of matrices: %s\n", error.what());
    return;
  }
  checks::run("products of matrices", [&] {
    constexpr auto product = hook_function::matrix_operation;
    using pasta::element_type;
    auto const types = [](element_type input) {
      return 16 * static_cast<std::uint64_t>(input) + static_cast<std::uint64_t>(element_type::f32);
    };
    check(source, 3, 64, 0,
          {{product, 192, 6, 6 * 16 * 8 * 16, 6 * types(element_type::bf16)},
           {product, 192, 24, 24 * 8 * 8 * 4, 24 * types(element_type::f16)}});  // four of each warp
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
  run_events();
  run_functions();
  run_threads();
  run_products();
  return checks::finish();
}
