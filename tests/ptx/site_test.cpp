// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include <catch.hpp>
#include <pasta/instrument/ptx/classify.hpp>
#include <pasta/instrument/ptx/instruction.hpp>
#include <pasta/instrument/ptx/site.hpp>

namespace {

namespace ptx = pasta::ptx;

std::string_view name_of(pasta::access_kind kind) {
  constexpr std::string_view names[] = {"load", "store", "atomic"};
  return names[static_cast<std::size_t>(kind)];
}

/// `load global 16 @1`: 16 bytes, the address in operand 1. Instead of 16 `[2]`, operand 2 holds them, or `?`, unknown.
std::string describe(ptx::access const& what) {
  std::string text = fmt::format("{} {}", name_of(what.kind), ptx::to_string(what.space));
  switch (what.size) {
    case ptx::size_source::text:
      text += fmt::format(" {}", what.size_bytes);
      break;
    case ptx::size_source::operand:
      text += fmt::format(" [{}]", what.size_operand);
      break;
    case ptx::size_source::unknown:
      text += " ?";
      break;
  }
  if (what.address_operand != ptx::no_operand) text += fmt::format(" @{}", what.address_operand);
  if (what.share == ptx::share::rows) text += fmt::format(" rows {}", what.lanes);
  if (what.share == ptx::share::warp) text += " warp";
  if (what.share == ptx::share::warp_group) text += " group";
  if (what.limit == ptx::limit::bytes) text += fmt::format(" at most @{}", what.limit_operand);
  if (what.limit == ptx::limit::predicate) text += fmt::format(" unless @{}", what.limit_operand);
  if (what.limit == ptx::limit::bytes_or_predicate) text += fmt::format(" limit @{}", what.limit_operand);
  if (what.limit == ptx::limit::mask) text += " masked";
  if (what.is_multicast) text += " several";
  if (what.why != ptx::obstacle::none) text += fmt::format(" ({})", ptx::explain(what.why));
  return text;
}

std::string describe(ptx::matrix_product const& what) {
  if (what.m == 0) return what.is_sparse ? " sparse" : "";
  return fmt::format(" {}x{}x{} {}*{}+{}{}{}", what.m, what.n, what.k, what.a, what.b, what.d,
                     what.is_sparse ? " sparse" : "", what.count == 1 ? "" : fmt::format(" times {}", what.count));
}

std::string describe(ptx::site const& what) {
  constexpr std::string_view kinds[] = {"none", "",       "copy",      "barrier", "branch",
                                        "call", "matrix", "parameter", "mention", "unknown"};
  constexpr std::string_view scopes[] = {" warp", " block", " cluster", " grid"};
  constexpr std::string_view roles[] = {" synchronize", " arrive", " arrive later", " wait", " maintain"};
  std::string text(kinds[static_cast<std::size_t>(what.kind)]);
  if (what.kind == ptx::site_kind::barrier) {
    text += scopes[static_cast<std::size_t>(what.scope)];
    text += roles[static_cast<std::size_t>(what.role)];
  }
  if (what.kind == ptx::site_kind::matrix) text += describe(what.product);
  if (what.operand != ptx::no_operand) text += fmt::format(" @{}", what.operand);
  if (what.is_indirect) text += " indirect";
  if (what.why != ptx::obstacle::none) text += fmt::format(" ({})", ptx::explain(what.why));
  for (ptx::access const& each : what.accesses()) text += (text.empty() ? "" : "; ") + describe(each);
  return text;
}

struct row {
  char const* instruction;
  char const* expected;
};
void check(std::initializer_list<row> rows) {
  for (row const& each : rows) {
    CAPTURE(each.instruction);
    CHECK(describe(ptx::classify(ptx::read_instruction(each.instruction))) == each.expected);
  }
}

TEST_CASE("Loads of all types have their size") {
  check({
      {"ld.global.b8 %h1, [%rd1];", "load global 1 @1"},
      {"ld.global.u8 %h1, [%rd1];", "load global 1 @1"},
      {"ld.global.s8 %r1, [%rd1];", "load global 1 @1"},
      {"ld.global.b16 %h1, [%rd1];", "load global 2 @1"},
      {"ld.global.u16 %h1, [%rd1];", "load global 2 @1"},
      {"ld.global.s16 %h1, [%rd1];", "load global 2 @1"},
      {"ld.global.b32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.s32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.f32 %f1, [%rd1];", "load global 4 @1"},
      {"ld.global.b64 %rd2, [%rd1];", "load global 8 @1"},
      {"ld.global.u64 %rd2, [%rd1];", "load global 8 @1"},
      {"ld.global.s64 %rd2, [%rd1];", "load global 8 @1"},
      {"ld.global.f64 %d1, [%rd1];", "load global 8 @1"},
      {"ld.global.b128 %q1, [%rd1];", "load global 16 @1"},
  });
}

TEST_CASE("A vector is one access of its whole size") {
  check({
      {"ld.global.v2.u8 {%h1, %h2}, [%rd1];", "load global 2 @1"},
      {"ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd1];", "load global 4 @1"},
      {"ld.global.v2.u16 {%h1, %h2}, [%rd1];", "load global 4 @1"},
      {"ld.global.v4.b16 {%h1, %h2, %h3, %h4}, [%rd1];", "load global 8 @1"},
      {"ld.global.v2.f32 {%f1, %f2}, [%rd1];", "load global 8 @1"},
      {"ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];", "load global 16 @1"},
      {"ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];", "load global 32 @1"},
      {"ld.global.v2.b64 {%rd2, %rd3}, [%rd1];", "load global 16 @1"},
      {"ld.global.v2.f64 {%d1, %d2}, [%rd1];", "load global 16 @1"},
      {"ld.global.v4.u64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];", "load global 32 @1"},
      {"ld.global.v4.f64 {%d1, %d2, %d3, %d4}, [%rd1];", "load global 32 @1"},
      {"st.global.v2.b64 [%rd1], {%rd2, %rd3};", "store global 16 @0"},
      {"st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};", "store global 16 @0"},
      {"st.global.v8.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};", "store global 32 @0"},
      {"st.global.b128 [%rd1], %q1;", "store global 16 @0"},
      {"st.shared.v4.u8 [%r1], {%h1, %h2, %h3, %h4};", "store shared 4 @0"},
      // `_` leaves an element as it is.
      {"st.global.v8.f32 [%rd1], {%f1, _, %f3, %f4, %f5, %f6, %f7, %f8};", "store global 32 @0 masked"},
      {"st.global.v8.f32 [%rd1], {_,%f2,%f3,%f4,%f5,%f6,%f7,_};", "store global 32 @0 masked"},
      {"st.global.v2.f32 [%rd1], {%f_1, %f2_};", "store global 8 @0"},
      {"ld.global.v8.f32 {%f1, _, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];", "load global 32 @1"},
  });
}

TEST_CASE("The space is what the opcode says, else generic") {
  check({
      {"ld.u32 %r1, [%rd1];", "load generic 4 @1"},
      {"ld.f64 %d1, [%rd1];", "load generic 8 @1"},
      {"ld.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "load generic 16 @1"},
      {"st.u32 [%rd1], %r1;", "store generic 4 @0"},
      {"atom.add.u32 %r1, [%rd1], 1;", "atomic generic 4 @1"},
      {"red.add.u32 [%rd1], 1;", "atomic generic 4 @0"},
      {"ld.shared.u32 %r1, [%r2];", "load shared 4 @1"},
      {"ld.shared::cta.u32 %r1, [%r2];", "load shared 4 @1"},
      {"ld.shared::cluster.u32 %r1, [%r2];", "load shared::cluster 4 @1"},
      {"st.shared::cluster.u32 [%r2], %r1;", "store shared::cluster 4 @0"},
      {"st.shared::cta.v2.f32 [%r2], {%f1, %f2};", "store shared 8 @0"},
      {"ld.local.u64 %rd1, [%rd2];", "load local 8 @1"},
      {"st.local.v2.u32 [%rd2+8], {%r1, %r2};", "store local 8 @0"},
      {"ld.const.f32 %f1, [numbers+4];", "load constant 4 @1"},
      {"ld.const.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", "load constant 16 @1"},
      {"ld.global.u32 %r1, [variable];", "load global 4 @1"},
      {"ld.global.u32 %r1, [variable+8];", "load global 4 @1"},
      {"ld.global.u32 %r1, [%rd4+16];", "load global 4 @1"},
      {"ld.global.u32 %r1, [%rd4+-4];", "load global 4 @1"},
      {"ld.local.u32 %r1, [100];", "load local 4 @1"},
  });
}

TEST_CASE("Parameters are no accesses") {
  check({
      {"ld.param.u64 %rd1, [kernel_param_0];", "parameter"},
      {"ld.param.v2.u32 {%r1, %r2}, [kernel_param_1+8];", "parameter"},
      {"ld.param::entry.u32 %r1, [kernel_param_1];", "parameter"},
      {"ld.param::func.b32 %r1, [retval0];", "parameter"},
      {"st.param.b64 [param0], %rd1;", "parameter"},
      {"st.param.v2.b8 [param0+2], {%h1, %h2};", "parameter"},
      {"st.param::func.b32 [param0], %r1;", "parameter"},
      {"ld.param.b32 %r1, [%rd1];", "parameter"},
  });
}

TEST_CASE("Each way to write a load is a load") {
  check({
      {"ld.volatile.global.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.volatile.shared.u32 %r1, [%r2];", "load shared 4 @1"},
      {"ld.volatile.v2.u32 {%r1, %r2}, [%rd1];", "load generic 8 @1"},
      {"ld.volatile.u64 %rd2, [%rd1];", "load generic 8 @1"},
      {"ld.weak.global.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.weak.global.ca.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.relaxed.gpu.global.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.relaxed.cluster.shared::cluster.u32 %r1, [%r2];", "load shared::cluster 4 @1"},
      {"ld.relaxed.cta.shared.u32 %r1, [%r2];", "load shared 4 @1"},
      {"ld.relaxed.gpu.global.L1::no_allocate.L2::128B.f32 %f1, [%rd1];", "load global 4 @1"},
      {"ld.acquire.gpu.u32 %r1, [%rd1];", "load generic 4 @1"},
      {"ld.acquire.sys.global.u64 %rd2, [%rd1];", "load global 8 @1"},
      {"ld.acquire.sys.global.b128 %q1, [%rd1];", "load global 16 @1"},
      {"ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.mmio.relaxed.sys.u32 %r1, [%rd1];", "load generic 4 @1"},
      {"ld.global.ca.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.cg.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", "load global 16 @1"},
      {"ld.global.cs.f64 %d1, [%rd1];", "load global 8 @1"},
      {"ld.global.lu.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.cv.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.cg.u64 %rd2, [%rd1];", "load generic 8 @1"},
      {"ld.global.L1::evict_last.f32 %f1, [%rd1];", "load global 4 @1"},
      {"ld.global.L1::no_allocate.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.L2::64B.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ld.global.L1::evict_first.L2::evict_last.L2::256B.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];",
       "load global 32 @1"},
      {"ld.global.L2::cache_hint.v2.b64 {%rd2, %rd3}, [%rd1], %rd4;", "load global 16 @1"},
      {"ld.global.L1::evict_normal.L2::cache_hint.L2::256B.b32 %r1, [%rd1], %rd4;", "load global 4 @1"},
      {"ld.global.nc.f32 %f1, [%rd1];", "load global 4 @1"},
      {"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "load global 16 @1"},
      {"ld.global.nc.u8 %h1, [%rd1];", "load global 1 @1"},
      {"ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1], %rd4;", "load global 16 @1"},
      {"ld.global.nc.L1::evict_last.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];", "load global 32 @1"},
      {"ld.global.nc.b128 %q1, [%rd1];", "load global 16 @1"},
      {"ld.global.ca.nc.u32 %r1, [%rd1];", "load global 4 @1"},
      {"ldu.global.f32 %f1, [%rd1];", "load global 4 @1"},
      {"ldu.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "load global 16 @1"},
      {"ldu.u32 %r1, [%rd1];", "load generic 4 @1"},
      {"@%p1 ld.global.u32 %r1, [%rd1];", "load global 4 @1"},
      {"@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+-8];", "load global 8 @1"},
  });
}

TEST_CASE("Each way to write a store is a store") {
  check({
      {"st.global.u8 [%rd1], %h1;", "store global 1 @0"},
      {"st.global.f64 [%rd1], %d1;", "store global 8 @0"},
      {"st.global.wb.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.global.wt.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.global.cg.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.global.cs.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};", "store global 16 @0"},
      {"st.weak.global.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.volatile.global.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.volatile.shared.u64 [%r1], %rd1;", "store shared 8 @0"},
      {"st.relaxed.gpu.v2.u64 [%rd1], {%rd2, %rd3};", "store generic 16 @0"},
      {"st.relaxed.sys.global.L1::no_allocate.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.release.gpu.u32 [%rd1], %r1;", "store generic 4 @0"},
      {"st.release.cta.shared.u32 [%r2], %r1;", "store shared 4 @0"},
      {"st.release.cluster.shared::cluster.u32 [%r2], %r1;", "store shared::cluster 4 @0"},
      {"st.mmio.relaxed.sys.global.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.global.L1::no_allocate.f32 [%rd1], %f1;", "store global 4 @0"},
      {"st.global.L2::cache_hint.b32 [%rd1], %r1, %rd2;", "store global 4 @0"},
      {"st.global.L1::evict_last.L2::cache_hint.v2.b32 [%rd1], {%r1, %r2}, %rd2;", "store global 8 @0"},
      {"st.global.L2::evict_last.v8.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};", "store global 32 @0"},
      {"@%p1 st.global.u32 [%rd1], %r1;", "store global 4 @0"},
      {"st.bulk.weak.shared::cta [%r1], %rd1, 0;", "store shared [1] @0"},
      {"st.bulk [%rd1], 4096, 0;", "store generic [1] @0"},
      {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];",
       "store shared::cluster 4 @0"},
      {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1], {%r2, %r3, %r4, %r5}, [%r6];",
       "store shared::cluster 16 @0"},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.s64 [%r1], {%rd2, %rd3}, [%r6];",
       "store shared::cluster 16 @0"},
      {"st.async.mbarrier::complete_tx::bytes.b128 [%rd1], %q1, [%rd2];", "store generic 16 @0"},
      {"st.async.release.gpu.global.u8 [%rd1], %b1;", "store global 1 @0"},
      {"st.async.mmio.release.sys.global.u32 [%rd1], %r1;", "store global 4 @0"},
  });
}

TEST_CASE("An atomic operation is one access, whether its result is used or not") {
  check({
      {"atom.global.add.u32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.add.s32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.add.u64 %rd2, [%rd1], %rd3;", "atomic global 8 @1"},
      {"atom.global.add.f32 %f1, [%rd1], %f2;", "atomic global 4 @1"},
      {"atom.global.add.f64 %d1, [%rd1], %d2;", "atomic global 8 @1"},
      {"atom.shared.add.u32 %r1, [%r2], 1;", "atomic shared 4 @1"},
      {"atom.shared::cta.max.u32 %r1, [%r2+4], 0;", "atomic shared 4 @1"},
      {"atom.shared::cluster.add.u32 %r1, [%r2], 1;", "atomic shared::cluster 4 @1"},
      {"atom.global.and.b32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.or.b64 %rd2, [%rd1], %rd3;", "atomic global 8 @1"},
      {"atom.global.xor.b32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.inc.u32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.dec.u32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.min.s64 %rd2, [%rd1], %rd3;", "atomic global 8 @1"},
      {"atom.global.exch.b32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.exch.b64 %rd2, [%rd1], %rd3;", "atomic global 8 @1"},
      {"atom.global.exch.b128 %q1, [%rd1], %q2;", "atomic global 16 @1"},
      {"atom.global.cas.b16 %h1, [%rd1], %h2, %h3;", "atomic global 2 @1"},
      {"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "atomic global 4 @1"},
      {"atom.global.cas.b64 %rd2, [%rd1], %rd3, %rd4;", "atomic global 8 @1"},
      {"atom.global.cas.b128 %q1, [%rd1], %q2, %q3;", "atomic global 16 @1"},
      {"atom.shared.cas.b128 %q1, [%r1], %q2, %q3;", "atomic shared 16 @1"},
      {"atom.relaxed.gpu.global.cas.b64 %rd2, [%rd1], %rd3, %rd4;", "atomic global 8 @1"},
      {"atom.global.gpu.relaxed.cas.b64 %rd2, [%rd1], %rd3, %rd4;", "atomic global 8 @1"},
      {"atom.acq_rel.sys.global.exch.b32 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.acquire.cta.shared.add.u32 %r1, [%r2], 1;", "atomic shared 4 @1"},
      {"atom.release.cluster.shared::cluster.add.u32 %r1, [%r2], 1;", "atomic shared::cluster 4 @1"},
      {"atom.add.noftz.f16 %h1, [%rd1], %h2;", "atomic generic 2 @1"},
      {"atom.add.noftz.f16x2 %r1, [%rd1], %r2;", "atomic generic 4 @1"},
      {"atom.global.add.noftz.bf16 %h1, [%rd1], %h2;", "atomic global 2 @1"},
      {"atom.global.add.noftz.bf16x2 %r1, [%rd1], %r2;", "atomic global 4 @1"},
      {"atom.global.add.L2::cache_hint.s32 %r1, [%rd1], 1, %rd2;", "atomic global 4 @1"},
      {"atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f4};", "atomic global 8 @1"},
      {"atom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%rd1], {%f5, %f6, %f7, %f8};", "atomic global 16 @1"},
      {"atom.global.v8.f16.max.noftz {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8}, [%rd1], {%h1, %h2, %h3, %h4, %h5, "
       "%h6, %h7, %h8};",
       "atomic global 16 @1"},
      {"atom.global.add.noftz.v2.bf16 {%h1, %h2}, [%rd1], {%h3, %h4};", "atomic global 4 @1"},
      {"atom.global.min.noftz.v4.f16x2 {%r1, %r2, %r3, %r4}, [%rd1], {%r5, %r6, %r7, %r8};", "atomic global 16 @1"},
      {"@%p1 atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "atomic global 4 @1"},
      {"red.global.add.u32 [%rd1], %r1;", "atomic global 4 @0"},
      {"red.global.add.f32 [%rd1], %f1;", "atomic global 4 @0"},
      {"red.global.add.f64 [%rd1], %d1;", "atomic global 8 @0"},
      {"red.shared.add.u32 [%r2], 1;", "atomic shared 4 @0"},
      {"red.global.and.b64 [%rd1], %rd2;", "atomic global 8 @0"},
      {"red.relaxed.gpu.global.add.u64 [%rd1], %rd2;", "atomic global 8 @0"},
      {"red.release.sys.global.add.u32 [%rd1], %r1;", "atomic global 4 @0"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, [%r3];",
       "atomic shared::cluster 4 @0"},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r1], %rd2, [%r3];",
       "atomic shared::cluster 8 @0"},
      {"red.async.release.gpu.global.add.u32 [%rd1], %r2;", "atomic global 4 @0"},
      {"red.global.add.noftz.f16 [%rd1], %h1;", "atomic global 2 @0"},
      {"red.add.noftz.f16x2 [%rd1], %r1;", "atomic generic 4 @0"},
      {"red.global.add.noftz.bf16x2 [%rd1], %r1;", "atomic global 4 @0"},
      {"red.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};", "atomic global 16 @0"},
      {"red.relaxed.gpu.global.add.noftz.v8.bf16 [%rd1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};",
       "atomic global 16 @0"},
      {"red.global.v8.bf16.add.noftz [%rd1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};", "atomic global 16 @0"},
      {"red.global.max.noftz.v4.bf16x2 [%rd1], {%r1, %r2, %r3, %r4};", "atomic global 16 @0"},
      {"red.global.add.L2::cache_hint.v2.f32 [%rd1], {%f1, %f2}, %rd2;", "atomic global 8 @0"},
  });
}

TEST_CASE("Accesses to multimem addresses happen in several places") {
  check({
      {"multimem.ld_reduce.weak.global.and.b32 %r1, [%rd1];", "load global 4 @1 several"},
      {"multimem.ld_reduce.acquire.gpu.global.add.u32 %r1, [%rd1];", "load global 4 @1 several"},
      {"multimem.ld_reduce.add.acc::f32.v2.f16x2 {%r1, %r2}, [%rd1];", "load generic 8 @1 several"},
      {"multimem.ld_reduce.relaxed.gpu.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "load global 16 @1 several"},
      {"multimem.ld_reduce.relaxed.cta.global.min.v8.e4m3 {%b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8}, [%rd1];",
       "load global 8 @1 several"},
      {"multimem.st.relaxed.gpu.b32 [%rd1], %r1;", "store generic 4 @0 several"},
      {"multimem.st.weak.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};", "store global 16 @0 several"},
      {"multimem.st.async.release.gpu.global.u32 [%rd1], %r1;", "store global 4 @0 several"},
      {"multimem.red.release.sys.global.add.u64 [%rd1], %rd2;", "atomic global 8 @0 several"},
      {"multimem.red.relaxed.gpu.global.add.v4.bf16x2 [%rd1], {%r1, %r2, %r3, %r4};", "atomic global 16 @0 several"},
      {"multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
       "copy; load shared [2] @1; store global [2] @0 several"},
      {"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], %r2;",
       "copy; load shared [2] @1; atomic global [2] @0 several"},
  });
}

TEST_CASE("What only names memory is no access") {
  check({
      {"prefetch.global.L1 [%rd1];", "mention"},
      {"prefetch.local.L2 [%rd1];", "mention"},
      {"prefetch.L2 [%rd1];", "mention"},
      {"prefetch.global.L2::evict_last [%rd1];", "mention"},
      {"prefetch.tensormap [%rd1];", "mention"},
      {"prefetch.const.tensormap [%rd1];", "mention"},
      {"prefetch.param.tensormap [kernel_param_0];", "mention"},
      {"prefetchu.L1 [%rd1];", "mention"},
      {"applypriority.global.L2::evict_normal [%rd1], 128;", "mention"},
      {"discard.global.L2 [%rd1], 128;", "mention"},
      {"createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd2, [%rd1], 0x1000, 0x2000;", "mention"},
      {"createpolicy.fractional.L2::evict_last.b64 %rd2, 0.25;", "none"},
      {"createpolicy.cvt.L2.b64 %rd2, %rd3;", "none"},
      {"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;", "mention"},
      {"fence.proxy.tensormap::generic.release.gpu;", "none"},
      {"cp.async.bulk.prefetch.L2.global [%rd1], %r1;", "mention"},
      {"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %r2}];", "mention"},
      {"txq.width.b32 %r1, [image];", "mention"},
      {"suq.height.b32 %r1, [surface];", "mention"},
  });
}

TEST_CASE("An asynchronous copy of a lane reads and writes") {
  check({
      {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "copy; load global 4 @1; store shared 4 @0"},
      {"cp.async.ca.shared.global [%r1+8], [%rd1+-16], 8;", "copy; load global 8 @1; store shared 8 @0"},
      {"cp.async.ca.shared::cta.global [%r1], [%rd1], 16;", "copy; load global 16 @1; store shared 16 @0"},
      {"cp.async.cg.shared.global [%r1], [%rd1], 16;", "copy; load global 16 @1; store shared 16 @0"},
      {"cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16;", "copy; load global 16 @1; store shared 16 @0"},
      {"cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;",
       "copy; load global 16 @1; store shared 16 @0"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 16, 0;", "copy; load global 16 @1 at most @3; store shared 16 @0"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 16, 4;", "copy; load global 16 @1 at most @3; store shared 16 @0"},
      {"cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;", "copy; load global 16 @1 limit @3; store shared 16 @0"},
      {"cp.async.cg.shared.global [%r1], [%rd1], 16, %p1;", "copy; load global 16 @1 limit @3; store shared 16 @0"},
      {"cp.async.cg.shared.global.L2::cache_hint [%r1], [%rd1], 16, %r2, %rd2;",
       "copy; load global 16 @1 limit @3; store shared 16 @0"},
      {"cp.async.ca.shared.global.L2::cache_hint.L2::256B [%r1], [%rd1], 4, %p1, %rd2;",
       "copy; load global 4 @1 limit @3; store shared 4 @0"},
      {"@%p1 cp.async.ca.shared.global [tile], [variable+4], 4;", "copy; load global 4 @1; store shared 4 @0"},
      // As Triton writes it.
      {"@%p1 cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, %r2;",
       "copy; load global 16 @1 limit @3; store shared 16 @0"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 0b1000;", "copy; load global 8 @1; store shared 8 @0"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 020, 0x0;", "copy; load global 16 @1 at most @3; store shared 16 @0"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 4U;", "copy; load global 4 @1; store shared 4 @0"},
      {"cp.async.commit_group;", "none"},
      {"cp.async.wait_group 2;", "none"},
      {"cp.async.wait_all;", "none"},
      {"cp.async.mbarrier.arrive.b64 [%rd1];", "barrier block arrive later @0"},
      {"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r1];", "barrier block arrive later @0"},
  });
}

TEST_CASE("A register says how much a bulk copy copies") {
  check({
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];",
       "copy; load global [2] @1; store shared::cluster [2] @0"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 1024, [%r3];",
       "copy; load global [2] @1; store shared [2] @0"},
      {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], %r3, [%r4];",
       "copy; load shared [2] @1; store shared::cluster [2] @0"},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
       "copy; load shared [2] @1; store global [2] @0"},
      {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r1], %r2, %rd2;",
       "copy; load shared [2] @1; store global [2] @0"},
      {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], %r2, %h1;",
       "copy; load shared [2] @1; store global [2] @0 masked"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1], %r2, "
       "[%r3], %h1;",
       "copy; load global [2] @1; store shared::cluster [2] @0 several"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r1], [%rd1], %r2, %r4, %r5, [%r3];",
       "copy; load global [2] @1 masked; store shared [2] @0"},
      {"cp.async.bulk.commit_group;", "none"},
      {"cp.async.bulk.wait_group 0;", "none"},
      {"cp.async.bulk.wait_group.read 1;", "none"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], %r2;",
       "copy; load shared [2] @1; atomic global [2] @0"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r1], 256;",
       "copy; load shared [2] @1; atomic global [2] @0"},
      {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 [%r1], [%r2], %r3, "
       "[%r4];",
       "copy; load shared [2] @1; atomic shared::cluster [2] @0"},
  });
}

TEST_CASE("A tensor map says what a tensor copy copies") {
  constexpr auto load =
      "copy (address and size stand in a tensor map); load global ? @1 (address and size stand in a tensor map); "
      "store shared::cluster ? @0 (address and size stand in a tensor map)";
  constexpr auto store =
      "copy (address and size stand in a tensor map); load shared ? @1 (address and size stand in a tensor map); "
      "store global ? @0 (address and size stand in a tensor map)";
  constexpr auto reduce =
      "copy (address and size stand in a tensor map); load shared ? @1 (address and size stand in a tensor map); "
      "atomic global ? @0 (address and size stand in a tensor map)";
  check({
      {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2}], [%r3];",
       load},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
       load},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3, "
       "%r4}], [%r5], {%h1};",
       load},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], [%rd1, "
       "{%r2, %r3}], [%r4], %rd2;",
       load},
      {"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3, "
       "%r4, %r5, %r6}], [%r7];",
       "copy (address and size stand in a tensor map); load global ? @1 (address and size stand in a tensor map); "
       "store shared ? @0 (address and size stand in a tensor map)"},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
       "[%rd1, {%r2, %r3}], [%r4], %h1;",
       "copy (address and size stand in a tensor map); load global ? @1 (address and size stand in a tensor map); "
       "store shared::cluster ? @0 several (address and size stand in a tensor map)"},
      {"cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {%r2}], [%r1];", store},
      {"cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%rd1, {%r2, %r3, %r4, %r5, %r6}], [%r1];", store},
      {"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {%r2, %r3, %r4, %r5, %r6}], [%r1];",
       store},
      {"cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%rd1, {%r2, %r3, %r4}], [%r1];", store},
      {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r2, %r3}], [%r1];", reduce},
      {"cp.reduce.async.bulk.tensor.3d.global.shared::cta.max.im2col_no_offs.bulk_group [%rd1, {%r2, %r3, %r4}], "
       "[%r1];",
       reduce},
      {"tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
       "store global ? @0 (part of an object whose layout is the driver's)"},
      {"tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r1], %r2;",
       "store shared ? @0 (part of an object whose layout is the driver's)"},
      {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;",
       "load shared 128 @1 warp; store global 128 @0 warp"},
  });
}

TEST_CASE("Lanes hold the addresses of a matrix's rows") {
  check({
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r9];", "load shared 16 @1 rows 8"},
      {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [%r9];", "load shared 16 @1 rows 16"},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r9];", "load shared 16 @1 rows 32"},
      {"ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%r1, %r2, %r3, %r4}, [%r9+64];",
       "load shared 16 @1 rows 32"},
      {"ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%r1, %r2}, [%rd1];", "load generic 16 @1 rows 16"},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r9];", "load shared 16 @1 rows 16"},
      {"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r1, %r2, %r3, %r4}, [%r9];", "load shared 16 @1 rows 32"},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%r1, %r2}, [%r9];", "load shared 16 @1 rows 16"},
      {"ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%r1}, [%r9];", "load shared 16 @1 rows 8"},
      {"ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%r1, %r2, %r3, %r4}, [%r9];",
       "load shared 16 @1 rows 32"},
      {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], {%r1};", "store shared 16 @0 rows 8"},
      {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r9], {%r1, %r2, %r3, %r4};", "store shared 16 @0 rows 32"},
      {"stmatrix.sync.aligned.m8n8.x2.trans.b16 [%rd1], {%r1, %r2};", "store generic 16 @0 rows 16"},
      {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r9], {%r1};", "store shared 16 @0 rows 8"},
      {"stmatrix.sync.aligned.m16n8.x4.trans.shared::cta.b8 [%r9], {%r1, %r2, %r3, %r4};",
       "store shared 16 @0 rows 32"},
      {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "none"},
      {"ldmatrix.sync.aligned.m64n64.x9.shared.b16 {%r1}, [%r9];",
       "load shared 16 @1 rows 0 (the shape or type is unknown to this version)"},
  });
}

TEST_CASE("A warp loads and stores a fragment's tile") {
  check({
      // A[16][16] f16, B[16][16] f16, C[16][16] f32
      {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1], %r9;",
       "load global 512 @1 warp (a tile of rows that lie a stride apart)"},
      {"wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%r10], %r9;",
       "load shared 512 @1 warp (a tile of rows that lie a stride apart)"},
      {"wmma.load.c.sync.aligned.row.m16n16k16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1];",
       "load generic 1024 @1 warp (a tile of rows that lie a stride apart)"},
      // A[32][16], B[16][8] s8
      {"wmma.load.a.sync.aligned.row.m32n8k16.global.s8 {%r1, %r2, %r3, %r4}, [%rd1], %r9;",
       "load global 512 @1 warp (a tile of rows that lie a stride apart)"},
      {"wmma.load.b.sync.aligned.col.m32n8k16.global.u8 {%r1}, [%rd1], %r9;",
       "load global 128 @1 warp (a tile of rows that lie a stride apart)"},
      // A[8][32] s4, B[128][8] b1
      {"wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r1}, [%rd1], %r9;",
       "load global 128 @1 warp (a tile of rows that lie a stride apart)"},
      {"wmma.load.b.sync.aligned.col.m8n8k128.shared::cta.b1 {%r1}, [%r10], %r9;",
       "load shared 128 @1 warp (a tile of rows that lie a stride apart)"},
      // A[16][8] tf32, A[8][4] f64
      {"wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 {%r1, %r2, %r3, %r4}, [%rd1], %r9;",
       "load global 512 @1 warp (a tile of rows that lie a stride apart)"},
      {"wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%d1}, [%rd1], %r9;",
       "load global 256 @1 warp (a tile of rows that lie a stride apart)"},
      {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %r9;",
       "store global 1024 @0 warp (a tile of rows that lie a stride apart)"},
      {"wmma.store.d.sync.aligned.col.m8n32k16.shared.f16 [%r10], {%r1, %r2, %r3, %r4};",
       "store shared 512 @0 warp (a tile of rows that lie a stride apart)"},
  });
}

TEST_CASE("A product of matrices has its shape and types") {
  check({
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
       "{%f1, "
       "%f2, %f3, %f4};",
       "matrix 16x8x16 f16*f16+f32"},
      {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7, %r8};",
       "matrix 16x8x16 f16*f16+f16"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, "
       "%f4};",
       "matrix 16x8x8 bf16*bf16+f32"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
       "{%f1, %f2, %f3, %f4};",
       "matrix 16x8x8 tf32*tf32+f32"},
      {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6};",
       "matrix 8x8x4 f64*f64+f64"},
      {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3, "
       "%r4}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
       "matrix 8x8x4 f16*f16+f32 times 4"},
      {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, "
       "%r6}, {%r1, %r2, %r3, %r4};",
       "matrix 16x8x32 u8*s8+s32"},
      {"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, "
       "%r2, %r3, %r4};",
       "matrix 16x8x64 s4*u4+s32"},
      {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, "
       "%r6}, {%r1, %r2, %r3, %r4};",
       "matrix 16x8x256 b1*b1+s32"},
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
       "{%f1, %f2, %f3, %f4};",
       "matrix 16x8x32 e4m3*e5m2+f32"},
      {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, "
       "{%r5, %r6}, {%f1, %f2, %f3, %f4};",
       "matrix 16x8x32 e3m2*e2m1+f32"},
      {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%f1, %f2, %f3, "
       "%f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r7, {%h1, %h2}, %r8, {%h3, %h4};",
       "matrix 16x8x64 e2m1*e2m1+f32"},
      {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, "
       "%r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0x0;",
       "matrix 16x8x32 f16*f16+f32 sparse"},
      {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
       "{%r5, %r6}, {%f1, %f2, %f3, %f4}, %r9, 0x0;",
       "matrix 16x8x16 bf16*bf16+f32 sparse"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4, "
       "%r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
       "matrix 16x16x16 f16*f16+f32"},
      {"wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, "
       "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r1, %r2, %r3, %r4};",
       "matrix 32x8x16 f16*f16+f16"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, "
       "%r3, %r4}, {%r1, %r2, %r3, %r4}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
       "matrix 16x16x16 bf16*bf16+f32"},
      {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32.satfinite {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, "
       "{%r1, "
       "%r2}, {%r1, %r2}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};",
       "matrix 16x16x16 s8*s8+s32"},
      {"wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64 {%d1, %d2}, {%d3}, {%d4}, {%d5, %d6};",
       "matrix 8x8x4 f64*f64+f64"},
      {"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
       "matrix 8x8x128 b1*b1+s32"},
      {"mma.sync.aligned.m16n8k16.row.col.f99 {%f1}, {%r1}, {%r2}, {%f1};",
       "matrix (the shape or type is unknown to this version)"},
  });
}

TEST_CASE("Warp groups multiply what descriptors name") {
  check({
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
       "matrix 64x8x16 f16*f16+f32; load shared ? @1 group (the address stands in a matrix descriptor); "
       "load shared ? @2 group (the address stands in a matrix descriptor)"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, %rd2, %p1, 1, "
       "1, 0;",
       "matrix 64x8x16 bf16*bf16+f32; load shared ? @2 group (the address stands in a matrix descriptor)"},
      {"wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %p1;",
       "matrix 64x8x32 u8*s8+s32; load shared ? @1 group (the address stands in a matrix descriptor); "
       "load shared ? @2 group (the address stands in a matrix descriptor)"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %r1, 0, %p1, 1, 1, 0, "
       "0;",
       "matrix 64x8x32 f16*f16+f32 sparse; load shared ? @1 group (the address stands in a matrix descriptor); "
       "load shared ? @2 group (the address stands in a matrix descriptor)"},
      {"wgmma.fence.sync.aligned;", "none"},
      {"wgmma.commit_group.sync.aligned;", "none"},
      {"wgmma.wait_group.sync.aligned 0;", "none"},
  });
}

TEST_CASE("Tensor memory has rows, and no addresses") {
  check({
      {"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r9];",
       "load tensor memory 128 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r1, %r2, %r3, %r4}, [%r9];",
       "load tensor memory 512 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.sync.aligned.16x64b.x2.b32 {%r1, %r2}, [%r9];",
       "load tensor memory 256 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.sync.aligned.16x128b.x1.b32 {%r1, %r2}, [%r9];",
       "load tensor memory 256 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.sync.aligned.16x256b.x1.b32 {%r1, %r2, %r3, %r4}, [%r9];",
       "load tensor memory 512 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%r1, %r2}, [%r9], 16;",
       "load tensor memory 256 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%r1}, [%r9];",
       "load tensor memory 128 @1 warp (tensor memory has no addresses)"},
      {"tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {%r1, %r2}, %r3, [%r9];",
       "load tensor memory 256 @2 warp (tensor memory has no addresses)"},
      {"tcgen05.st.sync.aligned.32x32b.x2.b32 [%r9], {%r1, %r2};",
       "store tensor memory 256 @0 warp (tensor memory has no addresses)"},
      {"tcgen05.st.sync.aligned.16x32bx2.x1.unpack::16b.b32 [%r9], 8, {%r1};",
       "store tensor memory 128 @0 warp (tensor memory has no addresses)"},
      {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;", "store shared 4 @0 warp"},
      {"tcgen05.alloc.cta_group::2.sync.aligned.b32 [%rd1], %r2;", "store generic 4 @0 warp"},
      {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;", "none"},
      {"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", "none"},
      {"tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;",
       "copy (the address stands in a matrix descriptor); load shared 4096 @1 (the address stands in a matrix "
       "descriptor); store tensor memory 4096 @0 (tensor memory has no addresses)"},
      {"tcgen05.cp.cta_group::1.4x256b.b8x16.b6x16_p32 [%r1], %rd1;",
       "copy (the address stands in a matrix descriptor); load shared 128 @1 (the address stands in a matrix "
       "descriptor); store tensor memory 128 @0 (tensor memory has no addresses)"},
      {"tcgen05.cp.cta_group::2.32x128b.warpx4 [%r1], %rd1;",
       "copy (the address stands in a matrix descriptor); load shared 512 @1 (the address stands in a matrix "
       "descriptor); store tensor memory 512 @0 several (tensor memory has no addresses)"},
      {"tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r1], %rd1;",
       "copy (the address stands in a matrix descriptor); load shared 1024 @1 (the address stands in a matrix "
       "descriptor); store tensor memory 1024 @0 several (tensor memory has no addresses)"},
      {"tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;",
       "matrix (the address stands in a matrix descriptor); store tensor memory ? @0 (tensor memory has no addresses); "
       "load shared ? @1 (the address stands in a matrix descriptor); load shared ? @2 (the address stands in a matrix "
       "descriptor)"},
      {"tcgen05.mma.ws.cta_group::1.kind::tf32 [%r1], [%r3], %rd2, %r2, %p1;",
       "matrix (the address stands in a matrix descriptor); store tensor memory ? @0 (tensor memory has no addresses); "
       "load tensor memory ? @1 (tensor memory has no addresses); load shared ? @2 (the address stands in a matrix "
       "descriptor)"},
      {"tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [%r1], [%r3], %rd2, [%r4], %r2, [%r5], [%r6], %p1;",
       "matrix sparse (the address stands in a matrix descriptor); store tensor memory ? @0 (tensor memory has no "
       "addresses); load tensor memory ? @1 (tensor memory has no addresses); load shared ? @2 (the address stands in "
       "a matrix descriptor); load tensor memory ? @3 (tensor memory has no addresses); load tensor memory ? @5 "
       "(tensor "
       "memory has no addresses); load tensor memory ? @6 (tensor memory has no addresses)"},
      {"tcgen05.shift.cta_group::1.down [%r1];",
       "load tensor memory ? @0 (tensor memory has no addresses); store tensor memory ? @0 (tensor memory has no "
       "addresses)"},
      {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];", "barrier block arrive later @0"},
      {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %h1;",
       "barrier cluster arrive later @0"},
      {"tcgen05.wait::ld.sync.aligned;", "none"},
      {"tcgen05.wait::st.sync.aligned;", "none"},
      {"tcgen05.fence::after_thread_sync;", "none"},
  });
}

TEST_CASE("Textures and surfaces are read by coordinates") {
  constexpr auto texture = "load texture ? @1 (a texture or surface is named by coordinates, not by an address)";
  check({
      {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}];", texture},
      {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];", texture},
      {"tex.3d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%f1, %f2, %f3, %f4}];", texture},
      {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;", texture},
      {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p1, [image, {%f5, %f6}];", texture},
      {"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f6}];", texture},
      {"suld.b.1d.b32.trap %r1, [surface, {%r2}];",
       "load surface 4 @1 (a texture or surface is named by coordinates, not by an address)"},
      {"suld.b.2d.v4.b32.clamp {%r1, %r2, %r3, %r4}, [surface, {%r5, %r6}];",
       "load surface 16 @1 (a texture or surface is named by coordinates, not by an address)"},
      {"suld.b.3d.v2.b64.zero {%rd1, %rd2}, [surface, {%r5, %r6, %r7, %r8}];",
       "load surface 16 @1 (a texture or surface is named by coordinates, not by an address)"},
      {"sust.b.2d.v2.b16.trap [surface, {%r1, %r2}], {%h1, %h2};",
       "store surface 4 @0 (a texture or surface is named by coordinates, not by an address)"},
      {"sust.p.1d.v4.b32.trap [surface, {%r1}], {%r2, %r3, %r4, %r5};",
       "store surface ? @0 (a texture or surface is named by coordinates, not by an address)"},
      {"sured.b.add.2d.u32.trap [surface, {%r1, %r2}], %r3;",
       "atomic surface 4 @0 (a texture or surface is named by coordinates, not by an address)"},
      {"sured.b.min.1d.s64.clamp [surface, {%r1}], %rd1;",
       "atomic surface 8 @0 (a texture or surface is named by coordinates, not by an address)"},
  });
}

TEST_CASE("Barriers have a scope and a role") {
  check({
      {"bar.sync 0;", "barrier block synchronize"},
      {"bar.sync 1, 64;", "barrier block synchronize"},
      {"bar.cta.sync %r1;", "barrier block synchronize"},
      {"bar.arrive 2, 128;", "barrier block arrive"},
      {"bar.cta.arrive 2, 128;", "barrier block arrive"},
      {"bar.red.popc.u32 %r1, 0, %p1;", "barrier block synchronize"},
      {"bar.red.or.pred %p2, 0, %p1;", "barrier block synchronize"},
      {"bar.cta.red.and.pred %p2, 0, %p1;", "barrier block synchronize"},
      {"barrier.sync 0;", "barrier block synchronize"},
      {"barrier.sync.aligned 0;", "barrier block synchronize"},
      {"barrier.cta.sync.aligned 1, 128;", "barrier block synchronize"},
      {"barrier.arrive 1, 64;", "barrier block arrive"},
      {"barrier.red.popc.aligned.u32 %r1, 0, %p1;", "barrier block synchronize"},
      {"bar.warp.sync 0xffffffff;", "barrier warp synchronize"},
      {"barrier.cluster.arrive;", "barrier cluster arrive"},
      {"barrier.cluster.arrive.release.aligned;", "barrier cluster arrive"},
      {"barrier.cluster.wait.acquire;", "barrier cluster wait"},
      {"mbarrier.init.shared::cta.b64 [%r1], 32;", "barrier block maintain @0"},
      {"mbarrier.init.b64 [%rd1], %r2;", "barrier block maintain @0"},
      {"mbarrier.inval.shared.b64 [%r1];", "barrier block maintain @0"},
      {"mbarrier.arrive.shared.b64 %rd1, [%r1];", "barrier block arrive @1"},
      {"mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2;", "barrier block arrive @1"},
      {"mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1];", "barrier block arrive @1"},
      {"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], 1;", "barrier cluster arrive @1"},
      {"mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1], %r2;", "barrier block arrive @1"},
      {"mbarrier.arrive_drop.shared.b64 %rd1, [%r1];", "barrier block arrive @1"},
      {"mbarrier.arrive_drop.expect_tx.shared::cluster.b64 _, [%r1], %r2;", "barrier cluster arrive @1"},
      {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;", "barrier block maintain @0"},
      {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;", "barrier block maintain @0"},
      {"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;", "barrier block wait @1"},
      {"mbarrier.test_wait.parity.shared::cta.b64 %p1, [%r1], %r2;", "barrier block wait @1"},
      {"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r1], %r2, %r3;", "barrier block wait @1"},
      {"mbarrier.pending_count.b64 %r1, %rd1;", "none"},
  });
}

TEST_CASE("Only what arrives is the event barrier") {
  auto const arrives = [](char const* text) { return ptx::is_arrival(ptx::classify(ptx::read_instruction(text))); };
  CHECK(arrives("bar.sync 0;"));
  CHECK(arrives("barrier.cluster.arrive;"));
  CHECK(arrives("mbarrier.arrive.shared.b64 %rd1, [%r1];"));
  CHECK_FALSE(arrives("barrier.cluster.wait;"));
  CHECK_FALSE(arrives("mbarrier.init.shared.b64 [%r1], 32;"));
  CHECK_FALSE(arrives("mbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;"));
  CHECK_FALSE(arrives("cp.async.mbarrier.arrive.b64 [%rd1];"));
  CHECK_FALSE(arrives("ld.global.u32 %r1, [%rd1];"));
}

TEST_CASE("Only a guarded jump is a branch") {
  check({
      {"@%p1 bra $L_1;", "branch"},
      {"@!%p1 bra $L_1;", "branch"},
      {"@%p1 bra.uni $L_1;", "branch"},
      {"bra $L_1;", "none"},
      {"bra.uni $L_1;", "none"},
      {"brx.idx %r1, targets;", "branch (more than two ways to go on)"},
      {"brx.idx.uni %r1, targets;", "branch (more than two ways to go on)"},
      {"@%p1 ret;", "branch"},
      {"@%p1 exit;", "branch"},
      {"ret;", "none"},
      {"ret.uni;", "none"},
      {"exit;", "none"},
      {"trap;", "none"},
      {"@%p1 trap;", "none"},
      {"brkpt;", "none"},
  });
}

TEST_CASE("A call names what it calls") {
  check({
      {"call helper;", "call @0"},
      {"call.uni helper, (param0);", "call @0"},
      {"call.uni (retval0), helper, (param0, param1);", "call @1"},
      {"call (retval0), vprintf, (param0, param1);", "call @1"},
      {"@%p1 call.uni helper;", "call @0"},
      {"call (retval0), %rd1, (param0), prototype;", "call @1 indirect"},
      {"call %rd1, (param0), prototype;", "call @0 indirect"},
      {"call %rd1, list;", "call @0 indirect"},
  });
}

TEST_CASE("Other instructions are no sites") {
  check({
      {"add.s32 %r1, %r2, %r3;", "none"},
      {"fma.rn.f32 %f1, %f2, %f3, %f4;", "none"},
      {"mov.b64 {%r1, %r2}, %rd1;", "none"},
      {"mov.u64 %rd1, variable;", "none"},
      {"setp.lt.s32 %p1|%p2, %r1, %r2;", "none"},
      {"cvta.to.global.u64 %rd1, %rd2;", "none"},
      {"cvta.param.u64 %rd1, kernel_param_0;", "none"},
      {"isspacep.shared %p1, %rd1;", "none"},
      {"mapa.shared::cluster.u32 %r1, %r2, %r3;", "none"},
      {"getctarank.shared::cluster.u32 %r1, %r2;", "none"},
      {"vote.sync.ballot.b32 %r1, %p1, -1;", "none"},
      {"match.any.sync.b32 %r1, %r2, -1;", "none"},
      {"shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 0x1f, -1;", "none"},
      {"redux.sync.add.u32 %r1, %r2, -1;", "none"},
      {"activemask.b32 %r1;", "none"},
      {"elect.sync _|%p1, -1;", "none"},
      {"nanosleep.u32 100;", "none"},
      {"setmaxnreg.inc.sync.aligned.u32 240;", "none"},
      {"griddepcontrol.wait;", "none"},
      {"griddepcontrol.launch_dependents;", "none"},
      {"alloca.u64 %rd1, %rd2, 16;", "none"},
      {"stacksave.u64 %rd1;", "none"},
      {"stackrestore.u64 %rd1;", "none"},
      {"fence.sc.gpu;", "none"},
      {"fence.proxy.async.shared::cta;", "none"},
      {"fence.mbarrier_init.release.cluster;", "none"},
      {"membar.gl;", "none"},
      {"membar.proxy.alias;", "none"},
      {"pmevent 1;", "none"},
      {"istypep.texref %p1, %rd1;", "none"},
      {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;", "none"},
      {"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];",
       "store shared 16 @0"},
      {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%rd1], "
       "[%rd2];",
       "store generic 16 @0 several"},
  });
}

TEST_CASE("What is unknown is marked if it has an address") {
  check({
      {"invent.global.u32 %r1, [%rd1];", "unknown"},
      {"invent.u32 %r1, %r2;", "none"},
      {"tcgen05.invent.b32 [%r1];", "unknown"},
      {"cp.async.invent [%r1], [%rd1];", "unknown"},
      {"cp.sync [%r1], [%rd1];", "unknown"},
      {"mbarrier.invent.b64 [%r1];", "unknown"},
      {"multimem.invent.b64 [%rd1];", "unknown"},
      {"tensormap.invent [%rd1];", "unknown"},
      {"wmma.invent.f16 {%r1}, [%rd1];", "unknown"},
      {"bar.invent 0;", "none"},
      {"ld.global.q32 %r1, [%rd1];", "load global ? @1 (the shape or type is unknown to this version)"},
      {"atom.global.add.x32 %r1, [%rd1], 1;", "atomic global ? @1 (the shape or type is unknown to this version)"},
      {"ld.global.u32 %r1, %rd1;", "load global 4 (no operand in brackets)"},
      {"st;", "store generic ? (no operand in brackets)"},
      {"cp.async.ca.shared.global [%r1], [%rd1];",
       "copy (the shape or type is unknown to this version); load global ? @1 (the shape or type is unknown to this "
       "version); store shared ? @0 (the shape or type is unknown to this version)"},
      {"call;", "call"},
      {"wgmma.mma_async;", "matrix (the shape or type is unknown to this version)"},
  });
}

TEST_CASE("A register's type decides what limits a copy") {
  ptx::site where = ptx::classify(ptx::read_instruction("cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;"));
  ptx::site other = where;
  ptx::decide_limit(where, ".b32");
  CHECK(describe(where) == "copy; load global 16 @1 at most @3; store shared 16 @0");
  ptx::decide_limit(other, ".pred");
  CHECK(describe(other) == "copy; load global 16 @1 unless @3; store shared 16 @0");
}

TEST_CASE("Spaces and types have the events' words where there are any") {
  CHECK(ptx::to_memory_space(ptx::state_space::global) == pasta::memory_space::global);
  CHECK(ptx::to_memory_space(ptx::state_space::shared_cluster) == pasta::memory_space::shared);
  CHECK(ptx::to_memory_space(ptx::state_space::local) == pasta::memory_space::local);
  CHECK_FALSE(ptx::to_memory_space(ptx::state_space::generic));
  CHECK_FALSE(ptx::to_memory_space(ptx::state_space::constant));
  CHECK_FALSE(ptx::to_memory_space(ptx::state_space::tensor_memory));
  CHECK(ptx::to_element_type("bf16") == pasta::element_type::bf16);
  CHECK(ptx::to_element_type("e5m2") == pasta::element_type::f8);
  CHECK(ptx::to_element_type("u4") == pasta::element_type::s4);
  CHECK_FALSE(ptx::to_element_type("e2m1"));
  CHECK_FALSE(ptx::to_element_type(""));
}

TEST_CASE("Each type has its bits in memory") {
  struct type {
    char const* name;
    std::uint32_t bits;
  };
  constexpr type types[] = {
      {"b1", 1},      {"s4", 4},      {"u4", 4},      {"e2m1", 4},     {"e2m3", 6},    {"e3m2", 6},    {"b8", 8},
      {"s8", 8},      {"u8", 8},      {"e4m3", 8},    {"e5m2", 8},     {"ue8m0", 8},   {"ue4m3", 8},   {"e2m1x2", 8},
      {"b16", 16},    {"s16", 16},    {"u16", 16},    {"f16", 16},     {"bf16", 16},   {"e4m3x2", 16}, {"e5m2x2", 16},
      {"e2m3x2", 16}, {"e3m2x2", 16}, {"e2m1x4", 16}, {"ue8m0x2", 16}, {"s2f6x2", 16}, {"b32", 32},    {"s32", 32},
      {"u32", 32},    {"f32", 32},    {"tf32", 32},   {"f16x2", 32},   {"bf16x2", 32}, {"b16x2", 32},  {"s16x2", 32},
      {"u16x2", 32},  {"s8x4", 32},   {"u8x4", 32},   {"e4m3x4", 32},  {"e5m2x4", 32}, {"e2m3x4", 32}, {"e3m2x4", 32},
      {"b64", 64},    {"s64", 64},    {"u64", 64},    {"f64", 64},     {"f32x2", 64},  {"b128", 128}};
  for (type const& each : types) {
    CAPTURE(each.name);
    CHECK(ptx::bits_of(each.name) == each.bits);
  }
  for (char const* other : {"", "pred", "b", "b7", "v4", "b32x", "f31", "global", "b1024", "acc::f32"}) {
    CAPTURE(other);
    CHECK(ptx::bits_of(other) == 0);
  }
}

TEST_CASE("Counts that no instruction has are not taken") {
  check({
      {"ld.global.v4294967295.b32 {%r1}, [%rd1];", "load global ? @1 (the shape or type is unknown to this version)"},
      {"ldmatrix.sync.aligned.m8n8.x536870913.shared.b16 {%r1}, [%r9];",
       "load shared 16 @1 rows 0 (the shape or type is unknown to this version)"},
      {"cp.async.ca.shared.global [%r1], [%rd1], 99999999999;",
       "copy (the shape or type is unknown to this version); load global ? @1 (the shape or type is unknown to this "
       "version); store shared ? @0 (the shape or type is unknown to this version)"},
      {"mma.sync.aligned.m65552n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};",
       "matrix (the shape or type is unknown to this version)"},
  });
}

}  // namespace
