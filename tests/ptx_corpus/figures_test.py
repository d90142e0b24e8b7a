# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""How figures are read and compared. Needs no compiler."""

import unittest

import figures

LISTING = """
	.section	.text.a,"ax",@progbits
        /*0000*/                   FFMA R4, R2, R3, R4 ;
        /*0010*/              @!P0 BRA `(.L_x_7)  ;
        /*0020*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0030*/                   BSYNC B0 ;
        /*0040*/                   STL.64 [R1], R2 ;
        /*0050*/              @P1  LDL R2, [R1] ;
        /*0060*/                   CALL.REL.NOINC `($a$f) ;
.L_x_7:
        /*0070*/                   EXIT ;
        .type           $a$f,@function
$a$f:
        /*0080*/                   DFMA R4, R2, R6, R4 ;
        /*0090*/                   CALL.ABS.NOINC R20 ;
        /*00a0*/                   NOP;
	.section	.text.b,"ax",@progbits
        /*0000*/                   UCGABAR_ARV ;
        /*0010*/                   UCGABAR_WAIT ;
        /*0020*/                   EXIT ;
"""
SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 24 bytes cumulative stack size
ptxas /some/file.ptx, line 407; warning : Advisory: this is slow
ptxas info    : (C7510) Potential Performance Loss: wgmma is serialized in function 'a' at line 12
ptxas warning : Stack size for entry function 'a' cannot be statically determined
"""
LIMITS = {"calls": 0, "local_accesses": 0, "barriers": 0, "lost_multiply_adds": 0}


def file_of(warnings=(), **counts):
    kernel = {"instructions": 9, "calls": 1, "local_accesses": 2, "barriers": 3, "multiply_adds": 4, "registers": 30}
    return {"kernels": {"a": kernel | counts}, "warnings": list(warnings)}


class ReadTest(unittest.TestCase):
    def test_each_kernel_has_its_counts_with_those_of_functions_in_its_section(self):
        found = figures.read_figures(LISTING, SAID)
        self.assertEqual(found["a"], {"instructions": 10, "calls": 2, "helpers": {}, "helper_calls": 0, "hook_calls": 0,
                                      "local_accesses": 2, "barriers": 1, "multiply_adds": 2, "registers": 64,
                                      "spill_bytes": 32, "stack_bytes": 24})

    def test_what_ptxas_tells_nothing_of_has_counts_alone(self):
        found = figures.read_figures(LISTING, SAID)
        self.assertEqual(found["b"], {"instructions": 3, "calls": 0, "helpers": {}, "helper_calls": 0, "hook_calls": 0,
                                      "local_accesses": 0, "barriers": 2, "multiply_adds": 0})

    def test_warnings_are_alike_in_another_file_and_line(self):
        found = figures.read_warnings(SAID)
        self.assertEqual(len(found), 3, found)
        other = SAID.replace("/some/file.ptx, line 407", "other.ptx, line 500").replace("line 12", "line 15")
        self.assertNotEqual(other, SAID)
        self.assertEqual(figures.read_warnings(other), found)


APART = """
	.section	.text.k,"ax",@progbits
        /*0000*/                   BRA.DIV UR4, `(.L_x_1) ;
        /*0010*/                   REDUX.SUM UR5, R5 ;
.L_x_2:
        /*0020*/              @!P0 BRA `(.L_x_3) ;
        /*0030*/                   CALL.ABS.NOINC `(f) ;
.L_x_3:
        /*0040*/                   EXIT ;
.L_x_1:
        /*0050*/                   MOV R20, 32@lo((k + .L_x_4@srel)) ;
        /*0060*/                   CALL.REL.NOINC `($__internal_0_$__cuda_reduxsync_u32_add) ;
.L_x_4:
        /*0070*/                   CALL.ABS.NOINC `(__cuda_sm70_shflsync_bfly) ;
        /*0080*/                   CALL.ABS.NOINC `($__internal_1_$__cuda_sm20_sqrt_rn_f32_slowpath) ;
        /*0090*/                   BRA `(.L_x_2) ;
        /*00a0*/                   CALL.ABS.NOINC `(__cuda_sm70_votesync_any) ;
"""


class HelperTest(unittest.TestCase):
    def test_calls_that_only_lanes_apart_come_to_are_not_counted(self):
        # Left are f, the square root, and a helper's call that no BRA.DIV leads to.
        found = figures.read_figures(APART, "")["k"]
        self.assertEqual((found["calls"], found["helper_calls"]), (2, 1))
        found = figures.read_figures(APART.replace("BRA.DIV", "BRA"), "")["k"]
        self.assertEqual((found["calls"], found["helper_calls"]), (2, 3))

    def test_a_barrier_that_stands_once_more_for_lanes_apart_is_not_counted(self):
        twice = APART.replace("REDUX.SUM UR5, R5", "BAR.SYNC 0x0").replace("MOV R20, 32@lo((k + .L_x_4@srel))",
                                                                           "BAR.SYNC 0x0")
        self.assertEqual(figures.read_figures(twice, "")["k"]["barriers"], 1)
        self.assertEqual(figures.read_figures(twice.replace("BRA.DIV", "BRA"), "")["k"]["barriers"], 2)

    def test_calls_are_told_apart_by_their_names(self):
        for callee, kind in (("`($__internal_7_$__cuda_sm70_warpsync)", "helper_calls"),
                             ("`(__cuda_sm70_matchsync_any_b32)", "helper_calls"),
                             ("`($__internal_0_$__cuda_sm70_barrier_sync_0)", "helper_calls"),
                             ("`($__internal_1_$__cuda_sm20_sqrt_rn_f32_slowpath)", "calls"),
                             ("`($_Z1kPf$pasta_hook_coalescing_0f)", "hook_calls"),
                             ("`(pasta_hook_coalescing_0f)", "hook_calls"), ("`($_Z1kPf$my_pasta_hook_x)", "calls"),
                             ("R20", "calls")):
            self.assertEqual(figures.kind_of_call(f"CALL.REL.NOINC {callee}"), kind, callee)

    def test_calls_that_whole_warps_jump_past_are_not_counted(self):
        # `@!PT BRA` is never taken.
        found = figures.read_figures(APART.replace("     BRA.DIV UR4,", "@!PT BRA"), "")["k"]
        self.assertEqual((found["calls"], found["helper_calls"]), (2, 1))
        for jump in ("BRA.CONV UR4, `(.L_x_3)", "@!P1 BRA.CONV UR4, `(.L_x_3)"):
            past = APART.replace("@!P0 BRA `(.L_x_3)", jump).replace("(f)", "(__cuda_sm70_warpsync)")
            found = figures.read_figures(past, "")["k"]
            self.assertEqual((found["calls"], found["helper_calls"]), (1, 1))
            self.assertEqual(found["helpers"], {"__cuda_sm70_votesync_any": 1})
            found = figures.read_figures(past.replace("BRA.CONV", "BRA.ANY"), "")["k"]
            self.assertEqual((found["calls"], found["helper_calls"]), (1, 2))

    def test_a_jump_that_is_spelled_as_a_call_is_none(self):
        jump = APART.replace("CALL.ABS.NOINC `(f)", "CALL.REL.NOINC `(.L_x_3)")
        self.assertEqual(figures.read_figures(jump, "")["k"]["calls"], 1)

    def test_helpers_that_are_functions_are_no_new_kernels(self):
        empty, helpers = ({"kernels": dict.fromkeys(names, {}), "warnings": []}
                          for names in ((), ("__cuda_sm70_shflsync_bfly", "__cuda_reduxsync_b32_or",
                                             "pasta_hook_coalescing_0f")))
        self.assertEqual(figures.compare(empty, helpers, {}), [])
        other = {"kernels": {"my__cuda_reduxsync_b32_or": {}}, "warnings": []}
        self.assertEqual(len(figures.compare(empty, other, {})), 1)


class CompareTest(unittest.TestCase):
    def test_equal_files_have_no_violations(self):
        self.assertEqual(figures.compare(file_of(), file_of(), LIMITS), [])

    def test_what_grew_is_named_with_its_limit(self):
        for what in ("calls", "local_accesses", "barriers"):
            more = file_of(**{what: 7})
            grown = 7 - file_of()["kernels"]["a"][what]
            self.assertEqual(figures.compare(file_of(), more, LIMITS), [("a", f"{grown} new {what}, limit 0")])
            self.assertEqual(figures.compare(file_of(), more, LIMITS | {what: grown}), [])
            self.assertEqual(figures.compare(more, file_of(), LIMITS), [])

    def test_products_that_are_no_longer_fused_are_named(self):
        self.assertEqual(figures.compare(file_of(), file_of(multiply_adds=1), LIMITS),
                         [("a", "3 multiply_adds fewer, limit 0")])

    def test_what_has_no_limit_is_not_compared(self):
        self.assertEqual(figures.compare(file_of(), file_of(registers=99), LIMITS), [])
        self.assertEqual(figures.compare(file_of(), file_of(registers=99), LIMITS | {"registers": 8}),
                         [("a", "69 new registers, limit 8")])

    def test_a_kernel_that_one_file_lacks_is_named(self):
        empty = {"kernels": {}, "warnings": []}
        self.assertEqual(figures.compare(file_of(), empty, LIMITS), [("a", "only in the native file")])
        self.assertEqual(figures.compare(empty, file_of(), LIMITS), [("a", "only in the rewritten file")])

    def test_a_new_warning_is_named_and_an_old_one_is_not(self):
        self.assertEqual(figures.compare(file_of(), file_of(["slow"]), LIMITS), [("", "a new warning: slow")])
        self.assertEqual(figures.compare(file_of(["slow"]), file_of(["slow"]), LIMITS), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
