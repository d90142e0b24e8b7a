# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Which instructions are sites, and how those that a rewriter did not reach are told. Needs no compiler."""

import unittest

import tally

PTX = """.version 9.0
.target sm_90
.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<3>; .reg .pred %p;
	ld.param.u64 %rd1, [a]; // ld.global.u32 %r1, [%rd1];
	/* st.global.u32 [%rd1], %r1;
	*/ @!%p ld.global.v2.f32 {%f1, %f2}, [%rd1+8];  st.shared.u32 [%r1], %r2;
$L__BB0_1: atom.global.add.u32 %r1, [%rd1], 1;
	.loc 1 7 3
	{ cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 16, [%r2]; }
	cp.async.commit_group;
	mbarrier.init.shared.b64 [%r1], 1;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
	  {%f1, %f2}, %rd1, %rd2, 1, 1, 1;
	tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];
	ld.const.u32 %r1, [c];
	mov.u32 %r1, 4;
	new.thing.b32 %r1, [%rd1];
	ret;
}
"""
SITES = [(8, "ld.global.v2.f32"), (8, "st.shared.u32"), (9, "atom.global.add.u32"),
         (11, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"),
         (14, "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"), (16, "tex.2d.v4.f32.f32"), (17, "ld.const.u32"),
         (19, "new.thing.b32")]


def access(space, **more):
    return {"kind": "load", "space": space, "bytes": 4} | more


def table_of(accesses, why="", counter=True):
    """A table that has the first sites, with these accesses."""
    sites = [{"line": line, "opcode": opcode, "accesses": row} | ({"counter": 0} if counter else {})
             for (line, opcode), row in zip(SITES, accesses)]
    return {"functions": [{"name": "k", "why": why, "sites": sites}]}


ALL = [[access("global", row=0)], [access("shared")], [access("global", row=1)],
       [access("global", bytes=None, row=2), access("shared::cluster", bytes=None)],
       [access("shared", share="warp_group", why="x", unhandled="the warp makes it")],
       [access("texture", unhandled="no such memory")], [access("constant", unhandled="no such memory")]]


class ReadTest(unittest.TestCase):
    def test_sites_are_found_wherever_they_stand(self):
        self.assertEqual(tally.read_sites(PTX), SITES)

    def test_what_names_memory_without_an_access_is_no_site(self):
        for text in ("prefetch.global.L2 [%rd1];", "cp.async.bulk.prefetch.L2.global [%rd1], 16;", "bar.sync 0;",
                     "cp.async.wait_all;", "mbarrier.try_wait.parity.shared.b64 %p, [%r1], 0;",
                     "st.param.b32 [param0+0], %r1;", "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%r1];"):
            self.assertEqual(tally.read_sites(text), [], text)

    def test_kinds_are_short(self):
        for opcode, kind in (("ld.global.v2.f32", "ld.global"), ("tex.2d.v4.f32.f32", "tex"),
                             ("cp.async.bulk.tensor.2d.shared::cluster", "cp.async.bulk.tensor"),
                             ("tcgen05.mma.cta_group::1.kind::f16", "tcgen05.mma"), ("wmma.load.a.sync", "wmma.load")):
            self.assertEqual(tally.kind_of(opcode), kind)


class TallyTest(unittest.TestCase):
    def test_products_are_sites_where_a_tool_counts_them(self):
        text = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1;\nwgmma.fence.sync.aligned;\n" \
               "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1}, {%r1}, {%r2}, {%f1};\nmad.lo.s32 %r1, 1, 2, 3;\n"
        places = tally.read_sites(text, True)
        self.assertEqual([line for line, _ in places], [1, 3])
        self.assertEqual(tally.read_sites(text), places[:1])
        sites = [{"line": line, "opcode": opcode, "accesses": [], "counter": 0, "event": {"kind": "matrix"}}
                 for line, opcode in places]
        table = {"functions": [{"name": "k", "why": "", "sites": sites}]}
        found = tally.tally(text, table, [])
        self.assertEqual((found.sites, found.counted), (2, 2))
        del sites[1]
        self.assertEqual(dict(tally.tally(text, table, []).left_out), {("counter", "mma", ""): 1})
    def test_counting_alone(self):
        found = tally.tally(PTX, table_of(ALL), [])
        self.assertEqual((found.sites, found.counted, found.accesses), (8, 7, 0))
        self.assertEqual(dict(found.left_out), {("counter", "new", ""): 1})
        self.assertEqual(found.shares(), {"counting": 12.5})

    def test_accesses_that_the_tool_watches_are_handled_or_told(self):
        found = tally.tally(PTX, table_of(ALL), ["global", "generic"])
        self.assertEqual((found.accesses, found.handled), (4, 3))
        self.assertEqual(dict(found.not_promised), {("handler", "wgmma.mma_async", "the warp makes it"): 1,
                                                    ("handler", "tex", "no such memory"): 1,
                                                    ("handler", "ld.const", "no such memory"): 1})

    def test_a_watched_access_without_a_row_is_left_out(self):
        found = tally.tally(PTX, table_of([[access("global", unhandled="a reason")], *ALL[1:]]), ["global"])
        self.assertEqual((found.accesses, found.handled), (4, 2))
        self.assertEqual(found.left_out["handler", "ld.global", "a reason"], 1)
        found = tally.tally(PTX, table_of([[access("global")], *ALL[1:]]), ["global"])
        self.assertEqual(found.left_out["handler", "ld.global", ""], 1)

    def test_a_size_that_this_version_does_not_know_is_left_out(self):
        for why, is_promised in (("the shape or type is unknown to this version", True),
                                 ("address and size stand in a tensor map", False)):
            row = access("global", bytes=None, why=why, unhandled=why)
            self.assertEqual(tally.is_promised(row), is_promised)

    def test_sites_without_counters_are_left_out(self):
        found = tally.tally(PTX, table_of(ALL, counter=False), [])
        self.assertEqual((found.sites, found.counted), (8, 0))

    def test_sites_of_a_function_that_is_not_instrumented_have_its_reason(self):
        found = tally.tally(PTX, table_of([], why="a label is unknown"), ["global"])
        self.assertEqual(found.counted, 0)
        self.assertEqual(found.left_out["counter", "ld.global", "a label is unknown"], 1)
        self.assertEqual(found.left_out["handler", "ld.global", "a label is unknown"], 1)

    def test_a_table_of_another_text_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "line 8, ld.global.v2.f32"):
            tally.tally(PTX.replace("ld.global.v2.f32", "ld.global.v4.f32"), table_of(ALL), [])


class JudgeTest(unittest.TestCase):
    def test_what_is_left_out_is_judged_over_all_files(self):
        whole = tally.Tally()
        for left_out in (0, 3):
            whole.add(tally.Tally(sites=100, counted=100, accesses=100, handled=100 - left_out,
                                  left_out=tally.collections.Counter({("handler", "ld", "x"): left_out})))
        self.assertEqual(whole.shares(), {"counting": 0, "handlers": 1.5})
        self.assertEqual(whole.violations(1.5), [])
        self.assertEqual(whole.violations(1), ["1.50 % of what is for handlers are left out, limit 1 %"])
        self.assertIn("  no handler: 3 ld: x", whole.lines())

    def test_what_has_no_reason_is_never_right(self):
        one = tally.Tally(sites=1000, counted=999, left_out=tally.collections.Counter({("counter", "ld", ""): 1}))
        self.assertEqual(one.violations(1), ["1 ld without a counter, and no reason is given"])

    def test_nothing_is_nothing(self):
        self.assertEqual((tally.Tally().violations(0), tally.Tally().lines()), ([], []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
