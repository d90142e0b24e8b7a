# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The pass plugin: programs that clang compiles with it, and what their tools then see."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["PASTA_SOURCE_DIR"])
PLUGINS = Path(os.environ["PASTA_LLVM_PLUGINS"])
VERSIONS = os.environ["PASTA_LLVM_VERSIONS"].split()
HERE = Path(__file__).resolve().parent


def clang(version):
    return os.environ[f"PASTA_CLANG_{version}"]


class PluginTest(unittest.TestCase):
    """Works in a folder of its own, whose name has a blank."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pasta llvm "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PASTA_")} | {"LC_ALL": "C"}

    def run_program(self, *words, **variables):
        return subprocess.run([str(w) for w in words], cwd=self.folder, text=True, capture_output=True, timeout=250,
                              env=self.environment | variables)

    def compile(self, version, source, tools, *flags, plugin=None):
        """Compiles one source with the plugin; the result is the compiler's."""
        return self.run_program(
            clang(version), "-std=c++20", "-Wall", "-Wextra", "-DPASTA_LLVM_ROUTE=1",
            f'-DPASTA_PROBE_TOOLS_HEADER="{tools}"', "-include", "pasta/llvm_hooks.hpp",
            f"-fpass-plugin={PLUGINS / f'libpasta_llvm_{plugin or version}.so'}", f"-I{SOURCE / 'include'}",
            f"-I{HERE}", f"-I{SOURCE / 'examples/targets'}", *flags, source, "-o", self.folder / "program", "-lfmt",
            "-lboost_context")

    def compile_well(self, *arguments, **named):
        made = self.compile(*arguments, **named)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stderr


class EqualEventsTest(PluginTest):
    """Plain kernels bring the events that the same kernels bring on a probe."""

    def check(self, version, level, says=""):
        said = self.compile_well(version, HERE / "equal_events.cpp", HERE / "recorder.hpp", level, "-g")
        self.assertEqual(said, says)
        done = self.run_program(self.folder / "program")
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if not line.startswith("equal ")], [])
        self.assertEqual(len(lines), 20)  # 10 kernels, warps of 32 and 64 lanes


def add_version(version):
    def test(self):
        self.check(version, "-O2")
        if version == VERSIONS[-1]:
            self.check(version, "-O0", "pasta: warning: equal_events.cpp: compiled with -O0: an optimized program "
                       "makes fewer accesses\n")

    setattr(EqualEventsTest, f"test_{version}", test)


for each in VERSIONS:
    add_version(each)


class EventsTest(PluginTest):
    """What no probe tells: branches, calls, copies, local memory, pointers whose space only the address tells."""

    def test_other_events(self):
        for version in VERSIONS:
            self.compile_well(version, HERE / "other_events.cpp", HERE / "all_events.hpp", "-O2", "-g")
            done = self.run_program(self.folder / "program")
            self.assertEqual((done.returncode, done.stdout), (0, "OK\n"), f"{version}: {done.stdout}")


if __name__ == "__main__":
    unittest.main()
