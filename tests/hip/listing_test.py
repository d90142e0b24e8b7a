# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of AMD assembly: instructions and resources are each kernel's own."""

import unittest

import listing

TEXT = """\t.text
first:                                  ; @first
; %bb.0:
\ts_load_dwordx2 s[0:1], s[4:5], 0x0   ; a comment
.LBB0_1:
\tglobal_atomic_add_x2 v2, v[0:1], s[0:1]
\ts_endpgm
\t.section\t.rodata
\t.amdhsa_kernel first
\t\t.amdhsa_next_free_vgpr 3
\t.end_amdhsa_kernel
\t.text
.Lfunc_end0:
second:
\ts_swappc_b64 s[30:31], s[4:5]
\tbuffer_store_dword v0, off, s[0:3], s32
\ts_barrier
\ts_endpgm
\t.section\t.rodata
\t.amdhsa_kernel second
\t.end_amdhsa_kernel
\t.text
.Lfunc_end1:
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .name:           of_an_argument
        .size:           8
    .name:           first
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .sgpr_spill_count: 0
    .vgpr_count:     3
    .vgpr_spill_count: 0
  - .args:           []
    .name:           second
    .private_segment_fixed_size: 16
    .sgpr_count:     40
    .sgpr_spill_count: 1
    .vgpr_count:     32
    .vgpr_spill_count: 2
amdhsa.target:   amdgcn-amd-amdhsa--gfx90a
\t.end_amdgpu_metadata
"""


class ListingTest(unittest.TestCase):
    def setUp(self):
        self.kernels = listing.read_kernels(TEXT)

    def test_instructions_are_the_kernel_s(self):
        self.assertEqual(self.kernels["first"]["instructions"],
                         ["s_load_dwordx2 s[0:1], s[4:5], 0x0", "global_atomic_add_x2 v2, v[0:1], s[0:1]", "s_endpgm"])

    def test_resources_are_the_kernel_s(self):
        first, second = (dict(self.kernels[name]) for name in ("first", "second"))
        del first["instructions"], second["instructions"]
        self.assertEqual(first, {"vgprs": 3, "sgprs": 8, "vgpr_spills": 0, "sgpr_spills": 0, "scratch_bytes": 0})
        self.assertEqual(second, {"vgprs": 32, "sgprs": 40, "vgpr_spills": 2, "sgpr_spills": 1, "scratch_bytes": 16})

    def test_kinds_of_instructions(self):
        first, second = (self.kernels[name]["instructions"] for name in ("first", "second"))
        for kind, expected in ((listing.is_atomic, [1, 0]), (listing.is_call, [0, 1]), (listing.is_scratch, [0, 1]),
                               (listing.is_barrier, [0, 1])):
            self.assertEqual([sum(map(kind, first)), sum(map(kind, second))], expected, kind.__name__)

    def test_one_kernel_is_found_by_its_pattern(self):
        self.assertEqual(listing.kernel_of(self.kernels, "fir"), "first")
        self.assertRaises(AssertionError, listing.kernel_of, self.kernels, "third")


if __name__ == "__main__":
    unittest.main(verbosity=2)
