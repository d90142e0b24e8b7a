// SPDX-FileCopyrightText: The PASTA authors
// SPDX-License-Identifier: Apache-2.0
// Lanes that part and meet, wait for each other, and give values to each other.
#include <bit>
#include <catch.hpp>

#include "run_kernel.hpp"

namespace {

using pasta_test::kernel_text;
using pasta_test::run_kernel;
using ptx_emulation::launch_options;
using words = std::vector<std::uint32_t>;

/// What each thread stores as its word, with some seeds: always the same.
words run(std::string const& body, std::uint32_t threads, std::string const& before = "", std::uint32_t blocks = 1) {
  std::string const text = kernel_text(body, before);
  words first;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    launch_options options;
    options.seed = seed;
    words const found = run_kernel(text, blocks, threads, std::size_t{blocks} * threads, threads, options);
    if (seed == 0) first = found;
    CHECK(found == first);
  }
  return first;
}

TEST_CASE("Lanes that a branch parted meet behind it") {
  words const found = run(R"(
  and.b32 %r5, %r3, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra $even;
  activemask.b32 %r6; bra $both;
$even:
  activemask.b32 %r7;
$both:
  activemask.b32 %r8;
  selp.b32 %r6, %r7, %r6, %p1; xor.b32 %r6, %r6, %r8; st.global.u32 [%rd2], %r6; ret;)",
                          40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    std::uint32_t const all = i < 32 ? 0xffffffff : 0xff, even = i < 32 ? 0x55555555 : 0x55;
    CHECK(found[i] == ((i % 2 == 0 ? even : all & ~even) ^ all));
  }
}

TEST_CASE("Lanes that leave a loop wait behind it, those that exit do not") {
  // Lane i goes round i + 1 times; the sum of the masks' sizes in the loop is that of the lanes that are left.
  words const found = run(R"(
  mov.u32 %r5, 0; mov.u32 %r6, 0;
$loop:
  activemask.b32 %r7; popc.b32 %r7, %r7; add.u32 %r6, %r6, %r7;
  add.u32 %r5, %r5, 1; setp.le.u32 %p1, %r5, %r3; @%p1 bra $loop;
  activemask.b32 %r7; setp.eq.u32 %p2, %r3, 5; @%p2 exit;
  activemask.b32 %r8; xor.b32 %r7, %r7, %r8; mad.lo.u32 %r6, %r7, 10000, %r6;
  st.global.u32 [%rd2], %r6; ret;)",
                          32);
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t turn = 0; turn <= i; ++turn) sum += 32 - turn;
    CHECK(found[i] == (i == 5 ? 0 : 32 * 10000 + sum));
  }
}

TEST_CASE("Lanes meet in loops within loops, and in what they call") {
  // Lane i calls f when i % 4 > the turn; f parts its lanes by i % 2 and returns from both sides.
  words const found = run(R"(
  and.b32 %r5, %r3, 3; mov.u32 %r6, 0; mov.u32 %r7, 0;
$loop:
  setp.le.u32 %p1, %r5, %r6; @%p1 bra $skip;
  {
    .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r3;
    call.uni (r), f, (a);
    ld.param.b32 %r8, [r];
  }
  activemask.b32 %r9; popc.b32 %r9, %r9; add.u32 %r7, %r7, %r8; mad.lo.u32 %r7, %r9, 1000, %r7;
$skip:
  activemask.b32 %r9; setp.ne.u32 %p2, %r9, -1; @%p2 trap;
  add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3; @%p1 bra $loop;
  st.global.u32 [%rd2], %r7; ret;)",
                          32, R"(.func (.param .b32 out) f(.param .b32 lane)
{
  .reg .b32 %r<4>; .reg .pred %p<2>;
  ld.param.b32 %r1, [lane]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra $even;
  activemask.b32 %r3; popc.b32 %r3, %r3; st.param.b32 [out], %r3; ret;
$even:
  activemask.b32 %r3; popc.b32 %r3, %r3; mul.lo.u32 %r3, %r3, 100; st.param.b32 [out], %r3; ret;
})");
  // Turn 0: the lanes 1, 2 and 3 of each four call: 24, 16 odd and 8 even. Turn 1: 2 and 3; turn 2: 3.
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t const of[] = {0, 24016, 24800 + 16800, 24016 + 16008 + 8008};
    CHECK(found[i] == of[i % 4]);
  }
}

TEST_CASE("An indexed jump parts lanes by their label") {
  words const found = run(R"(
  and.b32 %r5, %r3, 3; mov.u32 %r6, 0;
$list: .branchtargets $a, $b, $a, $c;
  brx.idx %r5, $list;
$a: activemask.b32 %r6; bra $end;
$b: add.u32 %r6, %r3, 100; bra $end;
$c: mov.u32 %r6, 3;
$end:
  st.global.u32 [%rd2], %r6; ret;)",
                          32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(found[i] == (i % 4 == 1 ? i + 100 : i % 4 == 3 ? 3 : 0x55555555));
}

TEST_CASE("A call through a register calls each lane's function") {
  words const found = run(R"(
  and.b32 %r5, %r3, 1; setp.eq.u32 %p1, %r5, 0; mov.u64 %rd3, f; mov.u64 %rd4, g; selp.b64 %rd3, %rd3, %rd4, %p1;
  {
    .param .b32 a; .param .b32 r;
    st.param.b32 [a], %r3;
$type: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %rd3, (a), $type;
    ld.param.b32 %r6, [r];
  }
  activemask.b32 %r7; setp.ne.u32 %p2, %r7, -1; @%p2 trap;
  st.global.u32 [%rd2], %r6; ret;)",
                          32, R"(
.func (.param .b32 r) f(.param .b32 a)
{
  .reg .b32 %r1; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret;
}
.func (.param .b32 r) g(.param .b32 a)
{
  .reg .b32 %r1; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 7; st.param.b32 [r], %r1; ret;
}
)");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(found[i] == i + (i % 2 == 0 ? 1 : 7));
}

TEST_CASE("Values are shuffled within segments and masks") {
  auto const shuffled = [](std::string const& instruction) {
    return run("mov.pred %p1, 0; mov.u32 %r6, 0;" + instruction +
                   "selp.u32 %r7, 1000, 0, %p1; add.u32 %r6, %r6, %r7; st.global.u32 [%rd2], %r6; ret;",
               32);
  };
  words const up = shuffled("shfl.sync.up.b32 %r6|%p1, %r3, 2, 0, -1;");
  words const down = shuffled("shfl.sync.down.b32 %r6|%p1, %r3, 3, 0x181f, -1;");  // segments of 8
  words const across = shuffled("shfl.sync.bfly.b32 %r6|%p1, %r3, 5, 31, -1;");
  words const indexed = shuffled("shfl.sync.idx.b32 %r6|%p1, %r3, 3, 0x1c1f, -1;");  // segments of 4
  for (std::uint32_t i = 0; i < 32; ++i) {
    CHECK(up[i] == (i < 2 ? i : i - 2 + 1000));
    CHECK(down[i] == (i % 8 > 4 ? i : i + 3 + 1000));
    CHECK(across[i] == (i ^ 5) + 1000);
    CHECK(indexed[i] == (i | 3) + 1000);
  }
  words const part = run(R"(
  setp.lt.u32 %p1, %r3, 9; @!%p1 bra $end;
  shfl.sync.idx.b32 %r6, %r3, 7, 31, 0x1ff; st.global.u32 [%rd2], %r6;
$end: ret;)",
                         32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(part[i] == (i < 9 ? 7U : 0U));
}

TEST_CASE("Votes, matches, sums and elections are of the mask's lanes") {
  auto const found = [](std::string const& instruction) {
    return run("setp.lt.u32 %p1, %r3, 5; and.b32 %r5, %r3, 3; cvt.u64.u32 %rd5, %r5;" + instruction +
                   "st.global.u32 [%rd2], %r6; ret;",
               32);
  };
  CHECK(found("vote.sync.ballot.b32 %r6, %p1, -1;") == words(32, 0x1f));
  CHECK(found("vote.sync.ballot.b32 %r6, !%p1, -1;") == words(32, ~0x1fU));
  CHECK(found("vote.sync.any.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;") == words(32, 1));
  CHECK(found("vote.sync.all.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;") == words(32, 0));
  CHECK(found("vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r6, 1, 0, %p2;") == words(32, 0));
  CHECK(found("redux.sync.add.u32 %r6, %r3, -1;") == words(32, 496));
  CHECK(found("redux.sync.max.s32 %r6, %r3, -1;") == words(32, 31));
  CHECK(found("redux.sync.or.b32 %r6, %r3, -1;") == words(32, 31));
  CHECK(found("elect.sync %r6|%p2, -1; selp.u32 %r7, 100, 0, %p2; redux.sync.add.u32 %r6, %r7, -1;") == words(32, 100));
  words const any = found("match.any.sync.b32 %r6, %r5, -1;"), wide = found("match.any.sync.b64 %r6, %rd5, -1;");
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(any[i] == 0x11111111U << (i % 4));
  CHECK(wide == any);
  CHECK(found("match.all.sync.b32 %r6|%p2, %r5, -1;") == words(32, 0));
  CHECK(found("mov.u32 %r7, 4; match.all.sync.b32 %r6|%p2, %r7, -1;") == words(32, 0xffffffff));
}

TEST_CASE("Lanes exchange from different places, and with those that are left") {
  // Both sides of a branch wait at a shuffle of their own for all lanes.
  words const found = run(R"(
  setp.lt.u32 %p1, %r3, 16; @%p1 bra $low;
  add.u32 %r5, %r3, 100; shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1; bra $end;
$low:
  shfl.sync.bfly.b32 %r6, %r3, 16, 31, -1;
$end:
  st.global.u32 [%rd2], %r6; ret;)",
                          32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(found[i] == (i < 16 ? i + 116 : i - 16));
  // The upper lanes have exited.
  words const left =
      run("setp.ge.u32 %p1, %r3, 7; @%p1 exit; redux.sync.add.u32 %r6, %r3, -1; st.global.u32 [%rd2], %r6; ret;", 32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(left[i] == (i < 7 ? 21U : 0U));
  // Lanes that are together name two masks.
  words const halves =
      run("setp.lt.u32 %p1, %r3, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p1;"
          "redux.sync.add.u32 %r6, %r3, %r5; activemask.b32 %r7; popc.b32 %r7, %r7;"
          "mad.lo.u32 %r6, %r7, 1000, %r6; st.global.u32 [%rd2], %r6; ret;",
          32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(halves[i] == 32000 + (i < 16 ? 120U : 376U));
}

TEST_CASE("A block waits at its barriers") {
  // Each thread writes its number, then reads that of the thread at the other end.
  words const found = run(R"(
  .shared .align 4 .b8 tile[1024];
  mov.u32 %r5, tile; mad.lo.u32 %r6, %r4, 4, %r5; st.shared.u32 [%r6], %r2;
  bar.sync 0;
  sub.u32 %r7, %r1, %r4; sub.u32 %r7, %r7, 1; mad.lo.u32 %r6, %r7, 4, %r5; ld.shared.u32 %r8, [%r6];
  st.global.u32 [%rd2], %r8; ret;)",
                          200, "", 5);
  for (std::uint32_t i = 0; i < 1000; ++i) CHECK(found[i] == i / 200 * 200 + 199 - i % 200);

  words const counted = run(R"(
  and.b32 %r5, %r4, 3; setp.eq.u32 %p1, %r5, 0; setp.ge.u32 %p2, %r4, 90; @%p2 exit;
  bar.red.popc.u32 %r6, 1, %p1; bar.red.and.pred %p3, 2, %p1; bar.red.or.pred %p4, 3, %p1;
  selp.u32 %r7, 1000, 0, %p3; selp.u32 %r8, 2000, 0, %p4; add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8;
  st.global.u32 [%rd2], %r6; ret;)",
                            100);
  for (std::uint32_t i = 0; i < 100; ++i) CHECK(counted[i] == (i < 90 ? 2023U : 0U));

  // The first warp waits for 64 threads, of which the second only arrives.
  words const half = run(R"(
  .shared .u32 word;
  setp.lt.u32 %p1, %r4, 32; @%p1 bra $wait;
  mov.u32 %r5, 77; st.shared.u32 [word], %r5; bar.arrive 4, 64; ret;
$wait:
  bar.sync 4, 64; ld.shared.u32 %r6, [word]; st.global.u32 [%rd2], %r6; ret;)",
                         64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(half[i] == (i < 32 ? 77U : 0U));
}

TEST_CASE("Lanes at a block's barrier wait for others that leave early, not these for them") {
  words const found = run(R"(
  .shared .u32 word;
  and.b32 %r5, %r3, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra $end;
  mov.u32 %r6, 9; st.shared.u32 [word], %r6; bar.sync 0; ld.shared.u32 %r7, [word]; st.global.u32 [%rd2], %r7;
$end:
  ret;)",
                          64);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(found[i] == (i % 2 == 0 ? 9U : 0U));
}

TEST_CASE("Lanes and warps take one lock, each in its own time") {
  // The lock is the first word, what it guards the second: its reads and writes are apart.
  std::string const text = kernel_text(R"(
$again:
  atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra $again;
  ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; nanosleep.u32 20; st.volatile.global.u32 [%rd1+4], %r6;
  membar.gl; atom.global.exch.b32 %r5, [%rd1], 0;
  ret;)");
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    launch_options options;
    options.seed = seed;
    options.patience = 2'000;
    CHECK(run_kernel(text, 3, 40, 2, 0, options) == words{0, 120});
  }
}

TEST_CASE("Blocks are dealt over the multiprocessors, each launch's options say how many") {
  std::string const text = kernel_text(
      "mov.u32 %r5, %smid; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3; red.global.add.u32 [%rd3], 1; ret;");
  launch_options options;
  options.multiprocessors = 3;
  words const found = run_kernel(text, 30, 32, 8, 0, options);
  CHECK(found[0] + found[1] + found[2] == 30 * 32);
  for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] >= 5 * 32);
}

}  // namespace
