# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The pass plugin: programs that clang compiles with it, and what their tools then see."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["PASTA_SOURCE_DIR"])
PLUGINS = Path(os.environ["PASTA_LLVM_PLUGINS"])
PASTA = os.environ["PASTA_CLI"]
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
        return subprocess.run([str(w) for w in words], cwd=self.folder, text=True, capture_output=True, timeout=500,
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


def executions(report):
    """[kernel]: how often each site was executed, from a report of access_count."""
    found = {}
    for kernel in report["tools"][0]["kernels"]:
        table = next(table for table in kernel["tables"] if table["name"] == "sites")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        found[kernel["kernel"]] = sorted((row["access"], row["accesses"]) for row in rows)
    return found


EXPECTED = {"fill": [("store", 512)], "scale<float>": [("load", 500), ("store", 500)]}


class BuildTest(PluginTest):
    """`pasta clang++`, pasta_instrument(... ROUTE llvm ...), and `pasta run` with what they built."""

    FLAGS = ("-std=c++20", "-O2", "-g", f"-I{SOURCE / 'include'}", f"-I{HERE / 'project'}")
    FILES = (HERE / "project/main.cpp", HERE / "project/scale.cpp")
    LIBRARIES = ("-lfmt", "-lboost_context")

    def pasta(self, *words, **variables):
        return self.run_program(PASTA, *words, **variables)

    def check_program(self, program):
        done = self.run_program(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "OK\n", ""))
        self.assertEqual(os.listdir(self.folder / "reports") if (self.folder / "reports").exists() else [], [])
        done = self.pasta("run", "access_count", "--output", "report.json", "--", program)
        self.assertEqual((done.returncode, done.stdout), (0, "OK\n"), done.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["header"]["route"], "llvm")
        self.assertEqual(executions(report), EXPECTED)
        self.assertRegex(done.stderr, r"scale\.hpp:8 +load +global +4 +500")

    def test_command(self):
        made = self.pasta("clang++", "--tools", "access_count,access_count+coalescing", clang(VERSIONS[-1]), *self.FLAGS,
                          *self.FILES, "-o", "program", *self.LIBRARIES)
        self.assertEqual((made.returncode, made.stdout, made.stderr), (0, "", ""))
        listed = self.pasta("list", "program")
        self.assertEqual([line.split()[:3] for line in listed.stdout.splitlines()],
                         [["access_count", "route", "llvm"], ["access_count+coalescing", "route", "llvm"]])
        self.check_program(self.folder / "program")
        done = self.pasta("run", "coalescing,access_count", "--", "./program")
        self.assertEqual(done.returncode, 0, done.stderr)
        for route, says in (("probe", "was not built for the route probe"), ("llvm", None)):
            done = self.pasta("run", "access_count", "--route", route, "--", "./program")
            self.assertEqual(done.returncode, 2 if says else 0, done.stderr)
            self.assertIn(says or "route     llvm", done.stderr)

    def test_objects_that_are_linked_alone_and_link_time_optimization(self):
        for flags in (), ("-flto",):
            if flags and not shutil.which("ld.lld-" + VERSIONS[-1]):
                self.skipTest("ld.lld-" + VERSIONS[-1] + " is not here")
            words = ("clang++", "--tools", "access_count", clang(VERSIONS[-1]), *self.FLAGS, *flags)
            for number, file in enumerate(self.FILES):
                made = self.pasta(*words, "-c", file, "-o", f"{number}.o")
                self.assertEqual((made.returncode, made.stderr), (0, ""))
            lto = (*flags, "-fuse-ld=lld") if flags else ()
            made = self.pasta("clang++", "--tools", "access_count", clang(VERSIONS[-1]), *lto, "0.o", "1.o", "-o",
                              "program", *self.LIBRARIES)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.check_program(self.folder / "program")

    def test_mistakes(self):
        newest = VERSIONS[-1]
        for words, status, says in (
            (("--tools", "acess_count", "-c", "a.cpp"), 2,
             "pasta clang++: unknown tool 'acess_count'; did you mean access_count? (known: access_count, coalescing)"),
            (("--tools", "access_count,access_count"), 2, "pasta clang++: --tools names access_count twice"),
            (("--tools", "access_count+access_count"), 2,
             "pasta clang++: the pack access_count+access_count names a tool twice"),
            (("--tools", ","), 2, "pasta clang++: --tools names no tool"),
            (("--tools", "access_count", "--clang", "no_clang"), 127,
             "pasta clang++: cannot run no_clang: not found in PATH"),
            (("--tools", "access_count", "--clang", "/bin/echo"), 125,
             "pasta clang++: /bin/echo does not say that it is clang"),
            (("--tools", "access_count", "--clang", "x", clang(newest)), 2,
             f"pasta clang++: --clang x and the compiler {clang(newest)}: name one"),
        ):
            done = self.pasta("clang++", *words)
            self.assertEqual((done.returncode, done.stderr), (status, says + "\n"))
        fake = self.folder / "clang++"
        fake.write_text("#!/bin/sh\necho 'some clang version 17.0.1'\n")
        fake.chmod(0o755)
        done = self.pasta("clang++", "--tools", "access_count", fake, "-c", "a.cpp")
        self.assertEqual((done.returncode, done.stderr), (125,
                         "pasta clang++: the compiler is of LLVM 17, and PASTA's pass plugins are for LLVM "
                         f"{', '.join(VERSIONS)}: use clang++-{newest}\n"))

    def test_cmake(self):
        words = ("cmake", "-S", HERE / "project", "-B", "build", f"-Dpasta_DIR={os.environ['PASTA_BUILD_DIR']}",
                 "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DTOOLS=access_count")
        refused = self.run_program(*words, "-DCMAKE_CXX_COMPILER=g++")
        self.assertIn("pasta_instrument(app): ROUTE llvm needs clang; the C++ compiler is GNU's: cmake "
                      "-DCMAKE_CXX_COMPILER=clang++-19", refused.stderr)
        made = self.run_program(*words, "--fresh", f"-DCMAKE_CXX_COMPILER={clang(VERSIONS[-1])}")
        self.assertEqual(made.returncode, 0, made.stderr)
        made = self.run_program("cmake", "--build", "build")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.check_program(self.folder / "build/app")


if __name__ == "__main__":
    unittest.main()
