# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The host side of programs that hipcc compiled, on the stand-in for libamdhip64: what the hooks see of a program that
knows nothing of PASTA, and what the HIP vendor does around kernels. Kernels are not executed."""

import json
import os
import pathlib
import subprocess
import unittest

import compiler

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ["-lfmt", "-lboost_context", "-lpthread", "-ldl"]


class HostSideTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = compiler.start_in_folder(cls)
        cls.stand_in = cls.build_library(compiler.SOURCE_DIR / "tests/emulation/hip/stand_in/runtime.cpp")
        cls.capture = cls.build_library(HERE / "capture_preload.cpp")
        cls.program = cls.folder / "capture_program"
        compiler.compile_file("hipcc", "-std=c++20", "--offload-arch=gfx90a", HERE / "capture_program.hip", "-o",
                              cls.program)
        cls.vector_add = cls.folder / "vector_add"
        compiler.compile_file("hipcc", *compiler.FLAGS, *compiler.WITH_TOOLS, "-O1", "--offload-arch=gfx90a",
                              "-x", "hip", compiler.SOURCE_DIR / "examples/targets/vector_add.cpp", *LIBRARIES, "-o",
                              cls.vector_add)

    @classmethod
    def build_library(cls, source):
        """By the host's compiler, with HIP's headers."""
        library = cls.folder / f"lib{source.parent.name}_{source.stem}.so"
        line = [os.environ.get("CXX") or "c++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-D__HIP_PLATFORM_AMD__",
                f"-I{compiler.SOURCE_DIR / 'include'}", "-shared", "-fPIC", source, "-ldl", "-o", library]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return library

    def run_program(self, program, *libraries, **variables):
        # The loader takes blanks for separators, so libraries go by names without them.
        folder = self.folder / "preload"
        folder.mkdir(exist_ok=True)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder),
                           LD_PRELOAD=":".join(library.name for library in libraries), **variables)
        for library in libraries:
            if not (folder / library.name).exists():
                (folder / library.name).symlink_to(library)
        return subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=60,
                              cwd=self.folder)

    def launches(self, log):
        return [line.split(maxsplit=1) for line in log.read_text(encoding="utf-8").splitlines()]

    def test_hooks_see_launches_and_memory_of_a_program_as_it_is(self):
        log = self.folder / "capture.log"
        done = self.run_program(self.program, self.capture, self.stand_in, HIP_STAND_IN_LOG=str(log))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertEqual(done.stderr.splitlines(), [
            "memory first 1024", "memory other 16", "launch 2,1,1 64,2,1", "launch 3,1,1 32,1,1",
            "launch 1,1,1 2048,1,1", "memory other 0", "memory first 0"])
        self.assertEqual(self.launches(log),
                         [["_Z5scalePff", "2,1,1 64,2,1 0"], ["_Z5scalePff", "3,1,1 32,1,1 256"]])

    def test_without_the_hooks_the_program_runs_alike(self):
        done = self.run_program(self.program, self.stand_in)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))

    def test_the_vendor_launches_the_probed_kernel_and_reports(self):
        for tool, kernel in (("", "run_plain"), ("access_count", "run_probedI12access_count")):
            with self.subTest(tool=tool):
                log, report = self.folder / f"{tool}.log", self.folder / f"{tool}.json"
                done = self.run_program(self.vector_add, self.stand_in, HIP_STAND_IN_LOG=str(log), PASTA_TOOLS=tool,
                                        PASTA_OUTPUT=str(report), PASTA_QUIET="1")
                # No kernel has written anything.
                self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "element 1 is 0, expected 2\n", ""))
                launches = self.launches(log)
                self.assertEqual(len(launches), 1, launches)
                self.assertIn(kernel, launches[0][0])
                self.assertEqual(launches[0][1], "4096,1,1 256,1,1 0")
                if not tool:
                    continue
                found = json.loads(report.read_text(encoding="utf-8"))
                self.assertEqual(found["header"]["device"], "stand-in (gfx90a, 4 compute units), HIP runtime 5.2")
                losses = found["tools"][0]["kernels"][0]["losses"]
                self.assertEqual((losses["launches_seen"], losses["launches_delivered"]), (1, 1))

    def test_without_a_gpu_there_is_one_line(self):
        done = self.run_program(self.vector_add)
        if done.returncode == 0:
            self.skipTest("there is an AMD GPU")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("no AMD GPU was found", done.stderr)


if __name__ == "__main__":
    compiler.main()
