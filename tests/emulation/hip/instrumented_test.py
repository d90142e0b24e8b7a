# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""HIP programs that clang instrumented by the pass plugin, on the emulated GPU: their kernels' handlers and counters are
those of the code of AMD GPUs, and `pasta run` collects them. The targets of examples/targets bring what they bring on a
probe, by the HIP vendor."""

import collections
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[2]
sys.path.insert(0, str(SOURCE / "tests/llvm"))
import touched  # noqa: E402  pylint: disable=wrong-import-position
PASTA = os.environ["PASTA_CLI"]
CLANG = os.environ["PASTA_EMULATION_CLANG"]
HOOKS = pathlib.Path(os.environ["PASTA_EMULATION_HOOKS"])
EMULATION = pathlib.Path(os.environ["PASTA_HIP_EMULATION"])
SIZES = ("vector_add 1000 csr_spmv 300 histogram 1000 misaligned_copy 500 stencil 70 naive_transpose 50 "
         "tiled_transpose 50 tiled_product 40").split()


class InstrumentedTest(unittest.TestCase):
    source, tools, more = "", (), ()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pasta hip ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.program = cls.folder / "program"
        tools = "".join(f"{tool} {HOOKS / tool}\\n" for tool in cls.tools)
        words = [HERE / "hip-emulation-c++", f"-fpass-plugin={os.environ['PASTA_EMULATION_PLUGIN']}",
                 f'-DPASTA_LLVM_DEVICE_TOOLS="{tools}"', "-Wall", "-Wextra", *cls.more, HERE / "instrumented" / cls.source,
                 EMULATION, f"-Wl,-rpath,{EMULATION.parent}", "-lboost_context", "-lfmt", "-lpthread", "-o", cls.program]
        done = subprocess.run(words, env=os.environ | {"CXX": CLANG}, capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            raise AssertionError(f"{shlex.join(map(str, words))}\n{done.stderr}")

    def run_tool(self, tool, route, *words, width=64, stdout="", flags=()):
        """[kernel]: [table]: its rows, each a dictionary."""
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        done = subprocess.run([PASTA, "run", tool, "--route", route, *flags, "--quiet", "--output", path, "--",
                               self.program, *words], env=os.environ | {"PASTA_WARP_WIDTH": str(width), "PASTA_HOST_THREADS": "2"},
                              capture_output=True, text=True, check=False, timeout=200)
        self.assertEqual((done.returncode, done.stdout), (0, stdout), done.stderr)
        self.assertTrue(path.exists(), done.stderr)
        report = json.loads(path.read_text(encoding="utf-8"))
        self.assertTrue(report["is_complete"])
        self.assertEqual(report["header"]["route"], route)
        (section,) = report["tools"]
        kernels = {}
        for kernel in section["kernels"]:
            name = re.sub(r"^plain::|\(.*", "", kernel["kernel"])
            self.assertEqual(kernel["losses"]["launches_lost"], 0)
            while name in kernels:
                name += "'"  # the next launch of it
            kernels[name] = {table["name"]: [dict(zip([column["name"] for column in table["columns"]], row))
                                             for row in table["rows"]] for table in kernel["tables"]}
        return kernels


class TargetsTest(InstrumentedTest):
    source, tools = "plain_targets.cpp", ("access_count", "coalescing")
    more = (*(f"-I{SOURCE / folder}" for folder in ("tests/llvm", "examples/targets", "tools/access_count",
                                                    "tools/coalescing", "benchmarks/overhead")),
            '-DPASTA_PROBE_TOOLS_HEADER="tools.hpp"')

    def rows(self, tables):
        """The sites by the rank of their line: the two forms have the same lines in the same order."""
        lines = sorted({row["line"] for row in tables["sites"]})
        rows = [{name: value for name, value in row.items() if name not in ("file", "column")} |
                {"line": lines.index(row["line"])} for row in tables["sites"]]
        return sorted(rows, key=lambda row: (row["line"], row["access"], row["space"], row["size"]))

    def compare(self, tool, width, more=(), kernels=10, flags=()):
        probe = self.run_tool(tool, "probe", "probe", *SIZES, *more, width=width, flags=flags)
        plain = self.run_tool(tool, "llvm", "plain", *SIZES, *more, width=width, flags=flags)
        self.assertEqual(list(plain), list(probe))
        self.assertEqual(len(probe), kernels)
        for name in probe:
            with self.subTest(kernel=name):
                self.assertEqual(self.rows(plain[name]), self.rows(probe[name]))

    def test_counts_in_waves_of_64(self):
        self.compare("access_count", 64)

    def test_requests_in_waves_of_64(self):
        self.compare("coalescing", 64)

    def test_requests_in_waves_of_32(self):
        self.compare("coalescing", 32)

    def test_launches_kept_apart(self):
        more = "vector_add 300 histogram 70 vector_add 5".split()
        for tool in "access_count", "coalescing":
            self.compare(tool, 64, more, 13, ("--per", "launch"))


class EventsTest(InstrumentedTest):
    source, tools = "every_event.hip", ("access_count", "event_totals")
    SUM = sum(i - 1 for i in range(1024) if i % 4 == 1)

    def site(self, rows, **what):
        found = [row for row in rows if all(row[name] == value for name, value in what.items())]
        self.assertEqual(len(found), 1, (what, rows))
        return [found[0][name] for name in ("executions", "lanes", "groups", "taken", "most", "whole")]

    def test_every_event(self):
        for width in 64, 32:
            with self.subTest(width=width):
                kernels = self.run_tool("event_totals", "llvm", width=width, stdout=f"{self.SUM}\n")
                self.assertEqual(set(kernels), {"every_event", "many_accesses"})
                many = kernels["many_accesses"]
                self.assertEqual(many["totals"], [{"entered": 200, "exited": 200, "accesses": 21 * 200,
                                                   "begun": 7 * 200}])
                self.assertEqual([(row["executions"], row["lanes"], row["groups"], row["most"])
                                  for row in many["sites"]], [(200, 200, -(-200 // width), width)] * 21)
                kernel = kernels["every_event"]
                waves = 1024 // width
                whole = waves if width == 64 else 0  # in the histogram's last bin: 64 to 127
                # 1000 stores; 1024 to shared memory; 256 loads of it and as many atomic operations.
                self.assertEqual(kernel["totals"], [{"entered": 1024, "exited": 1024, "accesses": 1000 + 1024 + 2 * 256,
                                                     "begun": 7 * 1024}])
                rows = kernel["sites"]
                (bounds,) = [row for row in rows if row["access"] == "branch" and row["line"] == 13]
                self.assertEqual((bounds["executions"], bounds["taken"] in (1000, 24), bounds["groups"]),
                                 (1024, True, waves))
                (fourth,) = [row for row in rows if row["access"] == "branch" and row["line"] == 16]
                self.assertEqual((fourth["executions"], fourth["taken"] in (256, 768), fourth["groups"]),
                                 (1024, True, waves))
                last = waves - (24 + width - 1) // width + (1 if 24 % width else 0)
                self.assertEqual(self.site(rows, access="call"), [1000, 1000, last, 0, width, 1000 // 64 if whole else 0])
                self.assertEqual(self.site(rows, access="barrier"), [1024, 1024, waves, 0, width, whole])
                self.assertEqual(self.site(rows, access="store", space="shared"), [1024, 1024, waves, 0, width, whole])
                self.assertEqual(self.site(rows, access="atomic"), [256, 256, waves, 0, width // 4, 0])

    def test_counts(self):
        kernel = self.run_tool("access_count", "llvm", stdout=f"{self.SUM}\n")["every_event"]
        self.assertEqual([(row["line"], row["access"], row["space"], row["size"], row["accesses"])
                          for row in kernel["sites"]],
                         [(13, "store", "global", 4, 1000), (14, "store", "shared", 4, 1024),
                          (16, "atomic", "global", 4, 256), (16, "load", "shared", 4, 256)])


class ObjectsTest(InstrumentedTest):
    """An instance of a kernel's template in two files, each with a state and a table of its own."""

    source, tools = "two_objects.hip", ("access_count", "coalescing")
    more = (HERE / "instrumented/other_object.hip",)

    def counts(self, *flags):
        kernels = self.run_tool("access_count", "llvm", stdout=f"{7 + 2 * 130}\n", flags=flags)
        return {kernel: [(row["line"], row["access"], row["accesses"]) for row in tables["sites"]]
                for kernel, tables in kernels.items()}

    def test_all_launches_of_the_kernel_are_in_one_section(self):
        self.assertEqual(self.counts(), {"of_this_file": [(10, "store", 1)],
                                         "void add_twice<int>": [(10, "atomic", 130)]})

    def test_launches_are_kept_apart(self):
        self.assertEqual(self.counts("--per", "launch"), {
            "of_this_file": [(10, "store", 1)], "void add_twice<int>": [(10, "atomic", 100)],
            "void add_twice<int>'": [(10, "atomic", 30)]})

    def test_handlers_of_the_kernel_are_in_one_section(self):
        kernels = self.run_tool("coalescing", "llvm", stdout=f"{7 + 2 * 130}\n")
        self.assertEqual(set(kernels), {"of_this_file", "void add_twice<int>"})


class TouchingTest(InstrumentedTest):
    """Shadow bits: each line that kernels touch, by the allocations that the collector has followed."""

    source, tools = "touching.hip", ("working_set", "access_count")
    more = (f"-I{SOURCE / 'tests/llvm'}", f"-I{SOURCE / 'include'}")

    def touched(self, *words, stdout="90\n", **named):
        kernels = self.run_tool("working_set", "llvm", *words, stdout=stdout, **named)
        return {name: touched.touched(tables) for name, tables in kernels.items() if tables}

    def report(self):
        return json.loads((self.folder / "report.json").read_text(encoding="utf-8"))

    def test_each_line_is_found(self):
        for width in 64, 32:
            with self.subTest(width=width):
                self.assertEqual(self.touched(width=width), touched.TOUCHED_APART)
                self.assertTrue(any(note.startswith("shadow memory: at most") for note in self.report()["notes"]))

    def test_memory_that_comes_between_launches(self):
        self.assertEqual(self.touched("many", "12", stdout=""), {"fill_from": (
            [(i, 512 * (i + 1), 4 * touched.LINE, 64) for i in range(12)], 0)})

    def test_parts_of_a_sample_have_bits_together(self):
        found = self.touched("many", "12", stdout="", flags=("--sampling-rate", "0.5"))
        self.assertEqual(found, {"fill_from": (
            [(i, 512 * (i + 1), 4 * touched.LINE, 64) for i in range(0, 12, 2)], 0)})

    def test_launches_kept_apart_have_none_and_the_report_says_so(self):
        self.assertEqual(self.touched("many", "2", stdout="", flags=("--per", "launch")), {})
        for kernel in self.report()["tools"][0]["kernels"]:
            self.assertEqual(kernel["losses"]["not_instrumentable"],
                             ["what it touched: this route has bits for a kernel, not for launches kept apart"])

    def test_beside_another_tool(self):
        path = self.folder / "report.json"
        subprocess.run([PASTA, "run", "working_set,access_count", "--route", "llvm", "--quiet", "--output", path, "--",
                        self.program], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual([tool["tool"] for tool in self.report()["tools"]], ["working_set", "access_count"])


# What differs in the plain form, and why: by kernel, line and kind of access. Emulated code is not optimized, so
# functions of PASTA's that a kernel calls stay calls, and what they do is PASTA's own: atomic operations, copies and
# barriers.
WITHIN_PASTA = {"all_kinds": {(81, "atomic"), (82, "atomic"), (84, "atomic")},
                "copies": {(142, "load"), (142, "store"), (144, "barrier")},
                "leaves_early": {(107, "barrier")},
                "skips": {(138, "barrier")}}
# Variables stay in a lane's own memory, parameters of traced arrays too, and an array's constants are copied to it.
OF_THE_COMPILER = {
    "all_kinds": {(81, "store")},
    "any_space": {(111, "store"), (112, "store"), (113, "load"), (113, "store"), (114, "store"), (116, "load")},
    "copies": {(138, "store"), (140, "store"), (177, "load")},
    "empty_copy": {(172, "store")},
    "offsets": {(246, "store"), (177, "load")},
    "vectors": {(208, "store"), (210, "store"), (211, "load")}}
# One instruction is one site, whichever space its pointer is to.
OF_ANY_SPACE = {"any_space"}
# Cases of each file, and how many have a kernel that is here in both forms. One case of access_test has no kernel;
# calibration and hardware compare the host engine with a GPU's counters; products of matrices are no instruction.
CASES = {"access_test.cpp": (13, 12), "calibration_test.cpp": (2, 0), "divergence_test.cpp": (7, 7),
         "hardware_test.cpp": (2, 0), "matrix_test.cpp": (2, 0)}


class ConformanceTest(InstrumentedTest):
    """The kernels of the conformance suite from one source: on a probe, and in plain form, event for event: kind,
    space, size, line, how many lanes, which, and in how many groups."""

    source, tools = "conformance.cpp", ("space_lanes",)
    more = (f"-I{SOURCE / 'tests'}", f"-I{HERE / 'tools'}", '-DPASTA_PROBE_TOOLS_HEADER="conformance_tools.hpp"')
    SPACES = ("in_global", "in_shared", "in_local")

    def rows(self, form, route, width):
        """[kernel]: (file, line, access, size, spaces, groups, sum and squares of lanes) of each site, sorted."""
        self.run_tool("space_lanes", route, form, width=width)
        found = {}
        for section in json.loads((self.folder / "report.json").read_text(encoding="utf-8"))["tools"][0]["kernels"]:
            kernel = re.search(r"\(anonymous namespace\)::(\w+)", section["kernel"])
            if kernel is None or "run_plain" in section["kernel"]:
                continue  # what hands a kernel its parameters
            (table,) = [table for table in section["tables"] if table["name"] == "sites"]
            names = [column["name"] for column in table["columns"]]
            for row in (dict(zip(names, row)) for row in table["rows"]):
                values = [row[name] for name in ("line", "access", "size", *self.SPACES, "groups", "lane_sum",
                                                 "lane_squares")]
                if any(row[name] for name in self.SPACES):
                    found.setdefault(kernel[1], []).append((os.path.basename(row["file"]), *values))
        return {name: sorted(rows) for name, rows in found.items()}

    @staticmethod
    def merged(rows):
        """Of rows of one line, kind and size one, with what all have."""
        sums = {}
        for row in rows:
            sums[row[:4]] = [sum(pair) for pair in zip(sums.get(row[:4], [0] * 6), row[4:])]
        return [(*key, *values) for key, values in sums.items()]

    def test_plain_forms_bring_the_same_events(self):
        for width in 64, 32:
            probe, plain = self.rows("probe", "probe", width), self.rows("plain", "llvm", width)
            self.assertEqual(set(plain) - set(probe), {"empty_copy"})  # which accesses nothing
            for kernel in sorted(plain):
                with self.subTest(width=width, kernel=kernel):
                    join = self.merged if kernel in OF_ANY_SPACE else list
                    here, there = (collections.Counter(join(of.get(kernel, []))) for of in (probe, plain))
                    self.assertEqual({(row[1], row[2]) for row in here - there}, WITHIN_PASTA.get(kernel, set()))
                    self.assertEqual({(row[1], row[2]) for row in there - here}, OF_THE_COMPILER.get(kernel, set()))
                    # Beside constants it is all in a lane's own memory.
                    foreign = [row for row in there - here if row[4] or row[5]]
                    self.assertEqual([(row[1], row[2]) for row in foreign], [(113, "load")] * (kernel == "any_space"))
                    self.assertTrue(here & there or kernel == "empty_copy")

    def test_which_cases_are_there_in_both_forms(self):
        lines = subprocess.run([self.program, "list"], check=True, capture_output=True, text=True).stdout.splitlines()
        here = {name for name, next_line in zip(lines, [*lines[1:], ""])
                if not name.startswith("  ") and next_line.startswith("  ")}
        found = {}
        for path in sorted((SOURCE / "tests/conformance").glob("*_test.cpp")):
            names = re.findall(r'^TEST_CASE\("(.*?)"', path.read_text(encoding="utf-8"), re.M)
            found[path.name] = (len(names), len(here & set(names)))
        self.assertEqual(found, CASES)
        kernels = {re.sub(r".*::", "", line.strip()) for line in lines if line.startswith("  ")}
        self.assertEqual(kernels, set(self.rows("plain", "llvm", 64)))


if __name__ == "__main__":
    unittest.main()
