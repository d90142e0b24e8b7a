# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""HIP programs as they are, compiled by hip-emulation-c++, compute on the CPU what they would on a GPU, with waves of
32 and of 64 lanes. PASTA_HIP_EMULATION names the library."""

import os
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = [os.environ["PASTA_HIP_EMULATION"], "-lboost_context", "-lpthread"]


class ProgramsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pasta hip ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)

    def build(self, source, *options):
        program = self.folder / source.stem
        done = subprocess.run([HERE / "hip-emulation-c++", "-Wall", "-Wextra", "-Werror", *options, source, *LIBRARIES,
                               "-o", program], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def run_program(self, program, width):
        environment = dict(os.environ, PASTA_WARP_WIDTH=str(width), PASTA_HOST_THREADS="2")
        return subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=100)

    def test_programs_compute_what_they_would_on_a_gpu(self):
        sources = sorted((HERE / "programs").glob("*.hip"))
        self.assertGreater(len(sources), 0)
        for source in sources:
            program = self.build(source)
            for width in (32, 64):
                with self.subTest(program=source.stem, width=width):
                    done = self.run_program(program, width)
                    self.assertEqual((done.returncode, done.stdout, done.stderr),
                                     (0, f"OK, waves of {width} lanes\n", ""))

    def test_another_width_is_refused_with_one_line(self):
        done = self.run_program(self.build(HERE / "programs/reduce.hip"), 48)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "emulated HIP: PASTA_WARP_WIDTH is neither 32 nor 64\n")

    def test_code_without_frame_pointers_is_refused_with_one_line(self):
        # A leaf in between keeps none, and what it calls finds no chain.
        source = self.folder / "chain.hip"
        source.write_text("""
#include <hip/hip_runtime.h>
__attribute__((noinline, optimize("O2", "omit-frame-pointer"))) unsigned long long between(int a) {
  asm volatile("mov $1, %%rbp" ::: "rbp");
  return __ballot(a);
}
__global__ void vote(unsigned long long* out) { *out = between(1); }
int main() {
  unsigned long long* out;
  if (hipMalloc(&out, 8) != hipSuccess) return 1;
  vote<<<1, 32>>>(out);
}
""", encoding="utf-8")
        if os.path.basename(os.environ.get("CXX", "c++")).startswith("clang"):
            self.skipTest("clang has no attribute for it")
        done = self.run_program(self.build(source), 32)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("compile it with -fno-omit-frame-pointer", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
