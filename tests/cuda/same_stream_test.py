# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that is launched without a tool is the plain CUDA kernel: the same instructions with the same registers, in
a program that has tools compiled in."""

import concurrent.futures
import pathlib
import re
import unittest

import compiler
import listing

KERNELS = pathlib.Path(__file__).with_name("kernels.cu")


class SameStreamTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = compiler.start_in_folder(cls)

        def make_ptx(architecture):
            ptx = cls.folder / f"{architecture}.ptx"
            compiler.compile_file(*compiler.FLAGS, *compiler.WITH_TOOLS, f"-arch=compute_{architecture}", "-ptx",
                                  KERNELS, "-o", ptx)
            return ptx

        # Most of the time is nvcc's from C++ to PTX. A GPU's newest features are used only by tools.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            cls.oldest_ptx, cls.ptx_90 = pool.map(make_ptx, (75, 90))

    def read(self, ptx, architecture):
        """Streams and resources of the native and the plain kernels alone, as ptxas makes them of PTX."""
        text = ptx.read_text(encoding="utf-8")
        for tool in ("access_count", "coalescing"):
            listing.kernel_of(re.findall(r"\.entry (\w+)", text), listing.probed_kernel(tool, "stencil", 16))  # compiled in
        entries = re.findall(r"\.entry (_ZN(?:6native|5pasta6detail9run_plain)\w+)", text)
        self.assertEqual(len(entries), 2 * len(compiler.PROGRAMS), entries)
        cubin = self.folder / f"{architecture}.cubin"
        options = [f"-Xptxas=--entry={entry}" for entry in entries]
        said = compiler.compile_file(f"-arch=sm_{architecture}", "-cubin", ptx, "-Xptxas=-v", *options, "-o", cubin)
        return listing.read_streams(compiler.disassemble(cubin)), listing.read_resources(said)

    def compare(self, ptx, architecture):
        if architecture not in compiler.supported_architectures():
            self.skipTest(f"this nvcc makes no code for sm_{architecture}")
        streams, resources = self.read(ptx, architecture)
        for program in compiler.PROGRAMS:
            with self.subTest(program=program):
                native = listing.kernel_of(streams, listing.native_kernel(program))
                plain = listing.kernel_of(streams, listing.plain_kernel(program))
                stored = [line for line in streams[native] if listing.mnemonic(line) == "STG"]
                self.assertTrue(stored, f"the listing of {native} lacks the kernel's result")
                for at, (a, b) in enumerate(zip(streams[native], streams[plain])):
                    self.assertEqual(a, b, f"sm_{architecture}, line {at}: plain CUDA's and pasta::launch's differ")
                self.assertEqual(len(streams[native]), len(streams[plain]))  # zip ends with the shorter
                self.assertEqual(resources[native], resources[plain])

    def test_of_sm_75(self):
        self.compare(self.oldest_ptx, 75)

    def test_of_sm_80(self):
        self.compare(self.oldest_ptx, 80)

    def test_of_sm_90(self):
        self.compare(self.ptx_90, 90)

    def test_of_sm_100(self):
        self.compare(self.ptx_90, 100)


if __name__ == "__main__":
    compiler.main()
