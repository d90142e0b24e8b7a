# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel with MFMA instructions under matrix_tiles, for both GPUs that have them: compiled, not run on AMD
hardware."""

import pathlib
import unittest

import compiler
import listing

HERE = pathlib.Path(__file__).resolve().parent


class MatrixTest(unittest.TestCase):
    def check(self, architecture):
        folder = compiler.start_in_folder(self)
        assembly = folder / "matrix.s"
        compiler.compile_file(compiler.ARCHITECTURES[architecture], *compiler.FLAGS, f"-I{HERE}",
                              '-DPASTA_PROBE_TOOLS_HEADER="matrix_tools.hpp"', f"--offload-arch={architecture}",
                              "--cuda-device-only", "-S", "-O2", HERE / "matrix.hip", "-o", assembly)
        kernels = listing.read_kernels(assembly.read_text(encoding="utf-8"))
        plain = kernels[listing.kernel_of(kernels, listing.plain_kernel("product"))]
        probed = kernels[listing.kernel_of(kernels, listing.probed_kernel("matrix_tiles", "product"))]
        for kernel, counters in ((plain, 0), (probed, 1)):
            names = [listing.mnemonic(one) for one in kernel["instructions"]]
            self.assertEqual(sum(name.startswith("v_mfma_f32_32x32x8") for name in names), 1, names)
            self.assertEqual(sum(name == "global_atomic_add_x2" for name in names), counters, names)
            for is_wrong in (listing.is_call, listing.is_scratch, listing.is_barrier):
                self.assertEqual([one for one in kernel["instructions"] if is_wrong(one)], [])
            self.assertEqual(kernel["scratch_bytes"], 0)
        # What counts knows all but the row when it is compiled.
        self.assertLess(probed["vgprs"] - plain["vgprs"], 16)

    def test_gfx90a(self):
        self.check("gfx90a")

    def test_gfx942(self):
        self.check("gfx942")


if __name__ == "__main__":
    compiler.main()
