// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <catch.hpp>

#include "hook_builder.hpp"

using namespace hook_builder;

TEST_CASE("A barrier is handled before lanes arrive, by those for which its guard holds") {
  made const result = instrument(module_of("bar.sync 0;\n@!%p1 bar.warp.sync 0xf;\nbarrier.cluster.arrive;\n"
                                           "mbarrier.arrive.shared.b64 %rd1, [%r1];\nret;"),
                                 one_hook({{hook_function::barrier}}));
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(result.site(i)["event"]["kind"] == "barrier");
    CHECK(result.site(i)["event"]["row"] == i);
  }
  using pasta::barrier_scope;
  auto const scope = [](barrier_scope of) { return fmt::format("mov.b32 \t%pasta_h_r0, {};", static_cast<int>(of)); };
  std::string const block = scope(barrier_scope::block);
  CHECK(is_in_order(result.text,
                    {block, "bar.warp.sync \t%pasta_group;", "bar.sync 0;", "@%p1 bra \t$pasta_past",
                     scope(barrier_scope::warp), "bar.warp.sync \t%pasta_together;", "@!%p1 bar.warp.sync 0xf;",
                     scope(barrier_scope::cluster), "barrier.cluster.arrive;", block, "mbarrier.arrive"}));
}

TEST_CASE("Where no lane arrives there is no barrier") {
  made const result = instrument(module_of("barrier.cluster.wait;\nmbarrier.init.shared.b64 [%r1], 4;\n"
                                           "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;\n"
                                           "cp.async.mbarrier.arrive.shared.b64 [%r1];\nret;"),
                                 one_hook({{hook_function::barrier}}));
  CHECK(result.table["functions"][0]["sites"].empty());
  CHECK_FALSE(has(result.text, "pasta_"));
}

TEST_CASE("All lanes decide a branch, and those for which the guard holds take it") {
  made const result = instrument(module_of("@%p1 bra $L;\n@!%p2 exit;\nbra $L;\n$L:\n@%p3 ret;\nret;"),
                                 one_hook({{hook_function::branch}}));
  CHECK(result.table["functions"][0]["sites"].size() == 3);
  CHECK(is_in_order(result.text, {"selp.u32 \t%pasta_value, 1, 0, %p1;", "mov.b32 \t%pasta_h_r0, %pasta_value;",
                                  "@%p1 bra $L;", "selp.u32 \t%pasta_value, 0, 1, %p2;", "@!%p2 exit;",
                                  "selp.u32 \t%pasta_value, 1, 0, %p3;", "@%p3 ret;"}));
  CHECK_FALSE(has(result.text, "@!%p1 bra"));
  CHECK_FALSE(has(result.text, "@%p2 bra"));
}

TEST_CASE("A branch with more than two ways reaches no handler") {
  made const result = instrument(module_of("$T: .branchtargets $A, $B;\nbrx.idx %r1, $T;\n$A:\n$B:\nret;"),
                                 one_hook({{hook_function::branch}}));
  CHECK(result.site(0)["event"]["unhandled"] == "more than two ways to go on");
  CHECK_FALSE(result.site(0)["event"].contains("row"));
}

TEST_CASE("A copy comes before its read and its write") {
  made const result = instrument(module_of("cp.async.ca.shared.global [%r1+8], [%rd1], 4, %r2;\nret;"),
                                 one_hook({{hook_function::async_copy, hook_function::memory_access}}));
  auto const& site = result.site(0);
  CHECK(site["event"]["kind"] == "copy");
  CHECK(site["event"]["space"] == "shared");
  CHECK(site["event"]["bytes"] == 4);
  CHECK(site["accesses"][0]["row"] == 0);
  CHECK(site["accesses"][1]["row"] == 1);
  CHECK(site["event"]["row"] == 2);
  // Source, destination, written, read, spaces, row; then the access of row 0.
  CHECK(is_in_order(result.text, {"mov.u64 \t%pasta_source, %rd1;", "add.s32 \t%pasta_low, %r1, 8;",
                                  "cvt.u64.u32 \t%pasta_address, %pasta_low;", "min.u32 \t%pasta_value, %r2, 4;",
                                  "cvt.u64.u32 \t%pasta_source_bytes, %pasta_value;",
                                  "mov.b64 \t%pasta_h_rd0, %pasta_source;", "mov.b64 \t%pasta_h_rd1, %pasta_address;",
                                  "mov.b64 \t%pasta_h_rd2, 4;", "mov.b64 \t%pasta_h_rd3, %pasta_source_bytes;",
                                  "mov.b32 \t%pasta_h_r4, 0;", "mov.b32 \t%pasta_h_r5, 1;", "mov.b32 \t%pasta_h_r6, 2;",
                                  "mov.b32 \t%pasta_h_r4, 0;", "mov.b32 \t%pasta_h_r4, 1;", "cp.async"}));
}

TEST_CASE("A copy whose source is ignored reads nothing") {
  std::string const text = instrument(module_of("cp.async.cg.shared.global [%r1], [%rd1], 16, %p2;\nret;"),
                                      one_hook({{hook_function::async_copy}}))
                               .text;
  CHECK(has(text, "selp.u64 \t%pasta_source_bytes, 0, 16, %p2;"));
}

TEST_CASE("Lanes with bulk copies of other sizes come in turn") {
  made const result = instrument(
      module_of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 0x20;\n"
                "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r2}], [%r3];\nret;"),
      one_hook({{hook_function::async_copy}}));
  CHECK(occurrences(result.text, "$pasta_turn") == 2);  // the label, and a jump to it
  // The hook stands within the loop: behind it lanes meet.
  CHECK(is_in_order(result.text, {"$pasta_turn", "@%pasta_waits bra \t$pasta_others", "%pasta_h_rd2, %pasta_bytes;",
                                  "$pasta_others", "@%pasta_waits bra \t$pasta_turn", "$pasta_past"}));
  CHECK(has(result.text, "cvt.u64.u32 \t%pasta_bytes, %pasta_size;"));
  CHECK(has(result.text, "mov.b64 \t%pasta_h_rd2, 32;"));
  CHECK(result.site(0)["event"]["bytes"].is_null());
  CHECK(result.site(1)["event"]["space"] == "global");
  CHECK(result.site(2)["event"]["unhandled"] == "address and size stand in a tensor map");
}

TEST_CASE("A handler of products gets shape and types") {
  made const result = instrument(
      module_of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
                "{%r1,%r2,%r3,%r4};\n"
                "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2}, "
                "{%r1,%r2}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};\n"
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1,%r2,%r3,%r4}, %rd1, %rd2, 1, 1, 1, 0, 0;\n"
                "mma.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {%r1,%r2,%r3,%r4}, "
                "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};\n"
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, "
                "{%r1,%r2,%r3,%r4};\n"
                "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;\nret;"),
      one_hook({{hook_function::matrix_operation}}));
  auto const product = [](int m, int n, int k, pasta::element_type input, pasta::element_type accumulator) {
    return fmt::format(
        "mov.b32 \t%pasta_h_r0, {};\n\tmov.b32 \t%pasta_h_r1, {};\n\tmov.b32 \t%pasta_h_r2, {};\n\tmov.b32 "
        "\t%pasta_h_r3, {};\n\tmov.b32 \t%pasta_h_r4, {};",
        m, n, k, static_cast<int>(input), static_cast<int>(accumulator));
  };
  using pasta::element_type;
  CHECK(is_in_order(result.text,
                    {product(16, 8, 16, element_type::bf16, element_type::f32), "mma.sync.aligned.m16n8k16",
                     "shr.u32 \t%pasta_value, %pasta_lane, 2;", "$pasta_turn",
                     product(8, 8, 4, element_type::f16, element_type::f32), "mma.sync.aligned.m8n8k4",
                     product(16, 8, 16, element_type::f16, element_type::f32), "wgmma"}));  // a warp's part of 64 rows
  CHECK(result.site(3)["event"]["unhandled"] == "events have no word for its element types");
  CHECK(result.site(4)["event"]["unhandled"] == "its two factors are of different types");
  CHECK(result.site(5)["event"]["unhandled"] == "the address stands in a matrix descriptor");
}

TEST_CASE("The table has what a product multiplies, also where no handler is told") {
  made const result = instrument(
      module_of(
          "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2}, "
          "{%r1,%r2}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};\n"
          "wgmma.mma_async.sp.sync.aligned.m64n104k32.f32.e4m3.e5m2 {%r1,%r2,%r3,%r4}, %rd1, %rd2, %r1, 1, 1, 1;\n"
          "mma.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 {%r1,%r2,%r3,%r4}, "
          "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};\n"
          "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;\n"
          "bar.sync 0;\nret;"),
      one_hook({{}, {hook_function::matrix_operation, hook_function::barrier}}));
  auto const tile = [&](std::size_t site) { return result.site(site)["event"]["product"]; };
  using json = nlohmann::json;
  CHECK(tile(0) ==
        json({{"m", 8}, {"n", 8}, {"k", 4}, {"products", 4}, {"lanes", 32}, {"a", "f16"}, {"b", "f16"}, {"d", "f32"}}));
  CHECK(tile(1) == json({{"m", 64},
                         {"n", 104},
                         {"k", 32},
                         {"products", 1},
                         {"lanes", 128},
                         {"a", "e4m3"},
                         {"b", "e5m2"},
                         {"d", "f32"}}));
  CHECK(tile(2) == json({{"m", 16},
                         {"n", 8},
                         {"k", 64},
                         {"products", 1},
                         {"lanes", 32},
                         {"a", "e2m1"},
                         {"b", "e3m2"},
                         {"d", "f32"}}));
  CHECK(tile(3) ==
        json({{"m", 0}, {"n", 0}, {"k", 0}, {"products", 1}, {"lanes", 1}, {"a", ""}, {"b", ""}, {"d", ""}}));
  for (std::size_t site = 0; site < 4; ++site) CHECK(result.site(site).contains("counter"));
  CHECK_FALSE(result.site(4)["event"].contains("product"));
}

namespace {
constexpr std::string_view functions =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n.func (.param .b32 r) f(.param .b32 a)\n"
    "{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [a];\nst.param.b32 [r], %r1;\nret;\n}\n";
}

TEST_CASE("A call is handled before its arguments are passed") {
  made const result = instrument(
      module_of(
          "mov.u32 %r1, 5;\n{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\n.param .b32 q;\n"
          "@%p1 call.uni (q), f, (p0);\n}\n"
          "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\n.param .b32 q;\n"
          "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (q), %rd4, (p0), proto;\n}\n"
          "{\n.param .b64 p0;\nst.param.b64 [p0], %rd1;\n.param .b32 q;\ncall.uni (q), vprintf, (p0, p0);\n}\nret;",
          functions),
      one_hook({{hook_function::call}}));
  CHECK(result.table["functions"][1]["sites"].size() == 3);
  CHECK(is_in_order(result.text, {"@!%p1 bra \t$pasta_past", "mov.u64 \t%pasta_word, f;",
                                  "mov.b64 \t%pasta_h_rd0, %pasta_word;", "st.param.b32 [p0], %r1;", "@%p1 call.uni",
                                  "mov.u64 \t%pasta_word, %rd4;", "st.param.b32 [p0], %r1;", "proto:", "call (q), %rd4",
                                  "mov.b64 \t%pasta_h_rd0, 0;", "st.param.b64 [p0], %rd1;"}));
}

TEST_CASE("Each event of a site is counted by the site's counter") {
  std::string const source =
      module_of("@%p1 bra $L;\nbar.sync 0;\nld.global.u32 %r1, [%rd1];\n@%p2 bar.warp.sync 0xf;\n$L:\nret;");
  made const branches = instrument(source, one_hook({{}, {hook_function::branch}}));
  CHECK(branches.table["counters"] == 1);
  CHECK(branches.table["functions"][0]["sites"].size() == 1);
  CHECK(branches.site(0)["event"] == nlohmann::json({{"kind", "branch"}, {"space", "global"}, {"bytes", 0}}));
  CHECK(branches.site(0)["counter"] == 0);
  CHECK(has(branches.text, "setp.ne.u64 \t%pasta_adds, %pasta_at, 0;"));  // without a guard: all lanes
  made const all = instrument(source, one_hook({{}, {hook_function::barrier, hook_function::memory_access}}));
  CHECK(all.table["counters"] == 2);
  CHECK(all.site(0)["counter"] == 0);
  CHECK(all.site(1)["counter"] == 0);
  CHECK_FALSE(all.site(1).contains("event"));
  CHECK(all.site(2)["counter"] == 1);
  CHECK(has(all.text, "setp.ne.and.u64 \t%pasta_adds, %pasta_at, 0, %p2;"));
}

TEST_CASE("A tool that only memory accesses concern has nothing of other events") {
  made const result =
      instrument(module_of("@%p1 bra $L;\nbar.sync 0;\ncp.async.ca.shared.global [%r1], [%rd1], 4;\n$L:\nret;"),
                 one_hook({{hook_function::memory_access}, {hook_function::memory_access}}));
  CHECK(result.table["functions"][0]["sites"].size() == 1);
  CHECK_FALSE(result.site(0).contains("event"));
  CHECK_FALSE(has(result.text, "%pasta_value"));
}

TEST_CASE("Tools get their events at one instruction in their order") {
  std::vector<ptx::hook> hooks;
  hooks.emplace_back("first", hook_text({{hook_function::barrier}}));
  hooks.emplace_back("second", hook_text({{hook_function::branch, hook_function::barrier}}));
  hooks.push_back(ptx::hook::counting("access_count"));
  made const result = instrument(module_of("bar.sync 0;\n@%p1 ret;\nst.shared.u32 [%r1], 0;\nret;"), hooks);
  CHECK(result.table["rows"].size() == 2);
  CHECK(result.table["counters"] == 1);
  CHECK(result.site(0)["event"]["row"] == 0);
  CHECK(result.site(1)["event"]["row"] == 1);
  CHECK_FALSE(result.site(1).contains("counter"));
  CHECK(result.site(2)["counter"] == 0);
  // Two hooks at the barrier, one at the branch.
  CHECK(occurrences(result.text, "add.s64 \t%pasta_row, %pasta_at") == 3);
}

TEST_CASE("Many events of a function call the hook") {
  std::string body;
  for (int i = 0; i < 9; ++i) body += "bar.sync 0;\n";
  std::string const text =
      instrument(module_of(body + "@%p1 ret;\nret;"), one_hook({{hook_function::barrier, hook_function::branch}})).text;
  CHECK(occurrences(text, ".func pasta_hook_watcher_") == 2);
  CHECK(occurrences(text, "_barrier, (pasta_q0, pasta_q1, pasta_q2, pasta_q3, pasta_q4, pasta_q5);") == 9);
  CHECK(occurrences(text, "_branch, (") == 1);
}

TEST_CASE("A hook lacks no function of an event that it handles") {
  std::string const text = hook_text({{hook_function::barrier, hook_function::branch}});
  std::string without = text;
  without.replace(without.find("pasta_hook_branch"), 17, "pasta_hook_twig");
  CHECK_THROWS_AS(ptx::hook("watcher", without), ptx::bad_hook);
  std::string other = text;
  other.replace(other.find("(.param .b32 p0, .param .b32 p1"), 31, "(.param .b64 p0, .param .b32 p1");
  CHECK_THROWS_AS(ptx::hook("watcher", other), ptx::bad_hook);
}
