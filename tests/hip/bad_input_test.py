# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What `pasta hipcc` and `pasta clang++` say to what is not as it should be: one clear line each, and to what is well,
nothing. Nothing runs on a GPU."""

import os
import re
import stat
import subprocess
import unittest

import compiler

PASTA = os.environ.get("PASTA_CLI") or compiler.SOURCE_DIR / "build/check/bin/pasta"
CLANG = os.environ.get("PASTA_PLAIN_CLANG") or "clang++-15"
os.environ.pop("PASTA_HIPCC", None)  # which `pasta hipcc` would take for --clang
KERNEL = "__global__ void scale(float* a) { a[threadIdx.x] *= 2; }\n"


class BadInputTest(unittest.TestCase):
    def setUp(self):
        self.folder = compiler.start_in_folder(self)
        (self.folder / "k.hip").write_text("#include <hip/hip_runtime.h>\n" + KERNEL, encoding="utf-8")
        (self.folder / "k.cpp").write_text("#include <pasta/cuda_names.hpp>\n" + KERNEL, encoding="utf-8")

    def run_pasta(self, *words):
        return subprocess.run([PASTA, *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=300, env=os.environ | {"XDG_CACHE_HOME": str(self.folder / "cache")})

    def hipcc(self, *flags, gpus=("gfx90a",), program=None):
        return self.run_pasta("hipcc", "--tools", "access_count", program or compiler.PROGRAMS["hipcc"],
                              *(f"--offload-arch={gpu}" for gpu in gpus), *flags, "-c", "k.hip", "-o", "k.o")

    def clang(self, *flags, program=CLANG):
        return self.run_pasta("clang++", "--tools", "access_count", program, "-std=c++20",
                              f"-I{compiler.SOURCE_DIR / 'include'}", *flags, "-c", "k.cpp", "-o", "k.o")

    def check(self, done, status, says):
        """Exactly one line, which matches; with status 0 there is an object."""
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, says)
        self.assertEqual((self.folder / "k.o").exists(), status == 0)

    def test_what_is_well_is_silent(self):
        for done in (self.hipcc("-O2", "-g"), self.clang("-O2", "-g")):
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_without_debug_information(self):
        says = "no debug information: reports name functions, not lines; compile with -g or -gline-tables-only"
        self.check(self.hipcc("-O2"), 0, f"^pasta: warning: k.hip: for gfx90a: {says}$")
        self.check(self.clang("-O2"), 0, f"^pasta: warning: k.cpp: {says}$")

    def test_without_optimization(self):
        says = "compiled with -O0: an optimized program makes fewer accesses"
        self.check(self.hipcc("-O0", "-g"), 0, f"^pasta: warning: k.hip: for gfx90a: {says}$")
        self.check(self.clang("-O0", "-g"), 0, f"^pasta: warning: k.cpp: {says}$")

    def test_a_gpu_that_the_compiler_does_not_know(self):
        self.check(self.hipcc("-O2", "-g", gpus=["gfx9999"]), 1, "error: invalid target ID 'gfx9999'")

    def test_several_gpus_at_once(self):
        done = self.hipcc("-O2", gpus=["gfx90a", "gfx1030"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall("for (gfx[0-9a-f]+): no debug information", done.stderr)),
                         ["gfx1030", "gfx90a"])
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        (self.folder / "k.o").unlink()
        done = self.hipcc("-O2", "-g", gpus=["gfx90a", "gfx1030"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Each GPU's code counts for itself.
        states = set(re.findall(rb"pasta_state_[0-9a-f]{32}", (self.folder / "k.o").read_bytes()))
        self.assertEqual(len(states), 2, states)

    def test_relocatable_device_code(self):
        done = self.hipcc("-fgpu-rdc", "-O2", "-g")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check(self.hipcc("-fgpu-rdc", "-O2"), 0, "for gfx90a: no debug information")
        self.assertRegex((self.folder / "k.o").read_bytes(), rb"pasta_state_[0-9a-f]{32}")

    def test_a_compiler_of_another_llvm(self):
        for name, first in (("hipcc", "HIP version: 7.9\nAMD clang version 29.0.0"),
                            ("clang++", "clang version 29.0.0")):
            program = self.folder / name
            program.write_text(f"#!/bin/sh\necho '{first}'\n", encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            done = self.hipcc(program=program) if name == "hipcc" else self.clang(program=program)
            self.check(done, 125, f"^pasta {re.escape(name)}: the compiler is of LLVM 29, and PASTA's pass plugins are "
                       r"for LLVM [0-9, ]+: use clang\+\+-\d+$")

    def test_a_script_is_asked_for_its_version_once_until_it_changes(self):
        script, log = self.folder / "hipcc", self.folder / "asked"

        def ask(version):
            script.write_text(f"#!/bin/sh\necho >> '{log}'\necho 'clang version {version}.0.0'\n", encoding="utf-8")
            script.chmod(0o755)
            for _ in range(2):
                self.check(self.hipcc(program=script), 125, f"the compiler is of LLVM {version}, ")

        ask(29)
        self.assertEqual(log.read_text(encoding="utf-8"), "\n")
        ask(31)
        self.assertEqual(log.read_text(encoding="utf-8"), "\n\n")
        # Where nothing can be kept it is asked each time.
        (self.folder / "cache/pasta/llvm_version").unlink()
        (self.folder / "cache/pasta/llvm_version").mkdir()
        ask(32)
        self.assertEqual(log.read_text(encoding="utf-8"), "\n" * 4)


if __name__ == "__main__":
    compiler.main()
