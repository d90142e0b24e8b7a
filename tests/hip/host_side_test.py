# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The host side of programs that hipcc compiled, on the stand-in for libamdhip64: what the hooks see of a program that
knows nothing of PASTA, interposed and through a stand-in for rocprofiler-sdk, and what the HIP vendor does around
kernels. Kernels are not executed."""

import json
import os
import pathlib
import subprocess
import unittest

import compiler

HERE = pathlib.Path(__file__).resolve().parent
STAND_INS = compiler.SOURCE_DIR / "tests/emulation/hip/stand_in"
# What the hooks see of capture_program without arguments, before memory is freed, and of its other functions.
SEEN = ["memory first 1024", "memory other 16", "launch 2,1,1 64,2,1", "launch 3,1,1 32,1,1", "launch 1,1,1 2048,1,1"]
SEEN_OF_OTHERS = ["launch 7,1,1 8,1,1", "launch 7,1,1 16,1,1", "launch 7,1,1 24,1,1", "launch 7,1,1 32,1,1",
                  "launch 7,2,1 40,1,1", "memory other 48", "memory other 0", "memory other 56", "memory other 0"]
FREED = ["memory other 0", "memory first 0"]
LIBRARIES = ["-lfmt", "-lboost_context", "-lpthread", "-ldl"]


class HostSideTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = compiler.start_in_folder(cls)
        # A runtime's own calls of its functions are its own, and nobody's launches.
        cls.stand_in = cls.build_library("stand_in", STAND_INS / "runtime.cpp", "-Wl,-Bsymbolic-functions")
        cls.rocprofiler = cls.build_library("rocprofiler", STAND_INS / "rocprofiler.cpp")
        for hooks in ("interpose", "rocprofiler"):
            setattr(cls, hooks + "_hooks", cls.build_library(
                hooks + "_hooks", HERE / "capture_preload.cpp",
                f"-DPASTA_HIP_CAPTURE_HEADER=<pasta/vendor/hip/{hooks}.hpp>"))
        cls.program = cls.folder / "capture_program"
        compiler.compile_file("hipcc", "-std=c++20", "--offload-arch=gfx90a", HERE / "capture_program.hip", "-o",
                              cls.program)
        cls.vector_add = cls.folder / "vector_add"
        compiler.compile_file("hipcc", *compiler.FLAGS, *compiler.WITH_TOOLS, "-O1", "--offload-arch=gfx90a",
                              "-x", "hip", compiler.SOURCE_DIR / "examples/targets/vector_add.cpp", *LIBRARIES, "-o",
                              cls.vector_add)

    @classmethod
    def build_library(cls, name, source, *flags):
        """By the host's compiler, with HIP's headers and the stand-in for those of rocprofiler-sdk."""
        library = cls.folder / f"lib{name}.so"
        line = [os.environ.get("CXX") or "c++", "-std=c++20", "-O1", "-Wall", "-Wextra", "-D__HIP_PLATFORM_AMD__",
                f"-I{compiler.SOURCE_DIR / 'include'}", f"-I{STAND_INS}", *flags, "-shared", "-fPIC", source, "-ldl",
                "-o", library]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return library

    def run_program(self, program, *libraries, arguments=(), **variables):
        # The loader takes blanks for separators, so libraries go by names without them.
        folder = self.folder / "preload"
        folder.mkdir(exist_ok=True)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder),
                           LD_PRELOAD=":".join(library.name for library in libraries), **variables)
        for library in libraries:
            if not (folder / library.name).exists():
                (folder / library.name).symlink_to(library)
        return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, check=False,
                              timeout=60, cwd=self.folder)

    def launches(self, log):
        return [line.split(maxsplit=1) for line in log.read_text(encoding="utf-8").splitlines()]

    def test_hooks_see_launches_and_memory_of_a_program_as_it_is(self):
        log = self.folder / "capture.log"
        done = self.run_program(self.program, self.interpose_hooks, self.stand_in, HIP_STAND_IN_LOG=str(log))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertEqual(done.stderr.splitlines(), SEEN + FREED)
        self.assertEqual(self.launches(log),
                         [["_Z5scalePff", "2,1,1 64,2,1 0"], ["_Z5scalePff", "3,1,1 32,1,1 256"]])

    def test_hooks_see_each_function_that_they_know(self):
        done = self.run_program(self.program, self.interpose_hooks, self.stand_in, arguments=["others"])
        self.assertEqual((done.returncode, done.stderr.splitlines()), (0, SEEN + SEEN_OF_OTHERS + FREED), done.stdout)

    def test_rocprofiler_shows_the_same_and_what_cannot_be_interposed(self):
        for arguments, seen in (([], []), (["others"], SEEN_OF_OTHERS),
                                (["others", "by threads"], SEEN_OF_OTHERS + ["launch 10,2,1 64,2,1"])):
            with self.subTest(arguments=arguments):
                done = self.run_program(self.program, self.rocprofiler_hooks, self.rocprofiler, self.stand_in,
                                        arguments=arguments)
                self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
                self.assertEqual(done.stderr.splitlines(), SEEN + seen + FREED)

    def test_where_rocprofiler_refuses_the_program_runs_and_one_line_says_so(self):
        done = self.run_program(self.program, self.rocprofiler_hooks, self.rocprofiler, self.stand_in,
                                arguments=["others"], HIP_STAND_IN_ROCPROFILER="refuse")
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertEqual(done.stderr, "pasta: rocprofiler-sdk does not show the HIP runtime's calls: no launch or "
                         "allocation is seen\n")

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
