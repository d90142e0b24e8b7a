# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""How listings are read and compared. Needs no compiler."""

import unittest

import listing

LISTING = """
	.target	sm_90
//--------------------- .text.a --------------------------
	.section	.text.a,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=10"
a:
.text.a:
        /*0000*/                   S2R R2, SR_TID.X ;
        /*0010*/              @!P0 BRA `(.L_x_7)  ;
        /*0020*/                   CALL.REL.NOINC `($a$f) ;
.L_x_7:
        /*0030*/                   BRA `(.L_x_7);
        .type           $a$f,@function
$a$f:
        /*0040*/                   STL.64 [R1], R2 ;
        /*0050*/                   NOP;
.L_x_40:
	.section	.nv.info,"",@"SHT_CUDA_INFO"
        /*0000*/ 	.byte	0x04, 0x2f;
"""
PTXAS = """ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 24 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Function properties for f
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
"""


class ListingTest(unittest.TestCase):
    def test_a_stream_holds_instructions_and_the_labels_that_are_used(self):
        self.assertEqual(listing.read_streams(LISTING), {"a": [
            "S2R R2, SR_TID.X", "@!P0 BRA `(L0)", "CALL.REL.NOINC `($a$f)", "L0:", "BRA `(L0)", listing.FUNCTION,
            "STL.64 [R1], R2", "NOP"]})

    def test_other_numbers_of_labels_make_no_difference(self):
        self.assertEqual(listing.read_streams(LISTING.replace("_x_7", "_x_123")), listing.read_streams(LISTING))

    def test_another_target_register_or_place_of_a_label_makes_a_difference(self):
        for old, new in ((".L_x_7:\n", ""), ("R2, SR", "R3, SR"), ("@!P0", "@P0"),
                         ("SR_TID.X ;\n", "SR_TID.X ;\n.L_x_7:\n")):
            changed = LISTING.replace(old, new, 1)
            self.assertNotEqual(changed, LISTING)
            self.assertNotEqual(listing.read_streams(changed), listing.read_streams(LISTING), (old, new))

    def test_the_kernel_s_own_part_ends_where_a_function_begins(self):
        stream = listing.read_streams(LISTING)["a"]
        self.assertEqual(len(listing.instructions(stream)), 5)  # without the NOP at the end
        self.assertEqual(len(listing.instructions(listing.own_part(stream))), 4)

    def test_a_mnemonic_has_no_predicate_and_no_suffix(self):
        for line, name in (("@!P0 BRA `(L0)", "BRA"), ("@UP1 UMOV UR4, 0x1", "UMOV"), ("STL.64 [R1], R2", "STL"),
                           ("NOP", "NOP")):
            self.assertEqual(listing.mnemonic(line), name)

    def test_resources_are_a_kernel_s_with_the_functions_that_it_calls(self):
        found = listing.read_resources(PTXAS)
        self.assertEqual({name: found["a"][name] for name in ("registers", "stack_bytes", "spill_bytes")},
                         {"registers": 64, "stack_bytes": 24, "spill_bytes": 40})
        self.assertEqual(found["b"], {"registers": 12, "stack_bytes": 0, "spill_bytes": 0,
                                      "used": "Used 12 registers, used 0 barriers"})

    def test_a_kernel_that_is_missing_or_there_twice_is_an_error(self):
        for names in (["_ZN6native6gatherEPf", "_ZN6native6gatherEPd"], ["_ZN6native7stencilEPf"]):
            with self.assertRaises(AssertionError):
                listing.kernel_of(names, listing.native_kernel("gather"))

    def test_the_kernel_under_a_tool_is_the_one_that_the_header_chooses(self):
        with_handlers, counting = listing.read_register_limits(
            "if constexpr (x::has_handlers) {\n if (own <= 12) return &run_probed_within<32, true, A>;\n"
            " if (own <= 20) return &run_probed_within<40, true, A>;\n } else {\n"
            " if (own <= 30) return &run_probed_within<24, false, A>;\n }")
        self.assertEqual(with_handlers, [(12, 32, "true"), (20, 40, "true")])
        self.assertEqual(counting, [(30, 24, "false")])
        self.assertTrue(all(listing.read_register_limits(listing.PROBED_KERNEL.read_text(encoding="utf-8"))))
        self.assertIn("10run_probedI10coalescing", listing.probed_kernel("coalescing", "gather", 255))
        self.assertIn("17run_probed_withinILi", listing.probed_kernel("coalescing", "gather", 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
