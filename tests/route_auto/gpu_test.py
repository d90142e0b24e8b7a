# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The route auto on a GPU: a program of which `pasta nvcc` built one half and plain nvcc the other.

PASTA_AUTO_PROGRAM names it where it is built already."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from need_gpu import skip_without_gpu  # noqa: E402

PASTA = os.environ["PASTA_CLI"]
NVCC = os.environ.get("PASTA_NVCC", "")
HERE = os.path.dirname(os.path.abspath(__file__))
N = 1_000_000
COLUMNS = ("access", "space", "size", "accesses")
program, folder = os.environ.get("PASTA_AUTO_PROGRAM", ""), ""


def setUpModule():
    """Builds the program once."""
    global program, folder
    skip_without_gpu(NVCC or program)
    folder = tempfile.mkdtemp(prefix="pasta gpu ")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    if program:
        return
    program = os.path.join(folder, "program")
    words = ["-std=c++17", "-lineinfo", "-arch=native", "-I", os.path.join(HERE, "../../include")]
    own = [PASTA, "nvcc", "--nvcc", NVCC, "--tools", "access_count,coalescing,working_set", "--strict"]
    for command in (
        [*own, *words, "-c", os.path.join(HERE, "gpu_own.cu"), "-o", "own.o"],
        [NVCC, *words, "-c", os.path.join(HERE, "gpu_plain.cu"), "-o", "plain.o"],
        [NVCC, "-arch=native", "own.o", "plain.o", "-o", program],
    ):
        done = subprocess.run(command, cwd=folder, timeout=300, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)


class GpuTest(unittest.TestCase):
    def run_program(self, *words, tool="access_count", flags=(), route="auto", told="auto", **variables):
        output = os.path.join(folder, "report.json")
        if os.path.exists(output):
            os.remove(output)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PASTA_")
                       or k in ("PASTA_SANITIZER", "PASTA_CUPTI")} | variables
        native = subprocess.run([program, *words], cwd=folder, timeout=120, capture_output=True, text=True)
        words = [PASTA, "run", tool, "--route", route, "--quiet", "--output", output, *flags, "--", program, *words]
        done = subprocess.run(words, cwd=folder, env=environment, timeout=120, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, native.stdout), done.stderr)
        self.assertTrue(os.path.exists(output), done.stderr)
        with open(output) as file:
            self.report = json.load(file)
        self.assertEqual(self.report["header"]["route"], told, self.report["notes"])

    def kernels(self, name):
        return [k for k in self.report["tools"][0]["kernels"] if k["kernel"].startswith(name + "(")]

    def rows(self, name, columns=COLUMNS, table="sites"):
        (kernel,) = self.kernels(name)
        (found,) = [t for t in kernel["tables"] if t["name"] == table]
        names = [column["name"] for column in found["columns"]]
        return sorted(tuple(row[names.index(each)] for each in columns) for row in found["rows"])

    def seen(self, name):
        (kernel,) = self.kernels(name)
        losses = kernel["losses"]
        return kernel.get("route"), losses["launches_seen"], losses["launches_delivered"]

    def check_counts(self, launches):
        both = [("load", "global", 4, launches * N), ("store", "global", 4, launches * N)]
        self.assertEqual(self.rows("own_copy"), both)
        self.assertEqual(self.rows("plain_copy"), both)
        self.assertEqual(self.rows("plain_strided"), [("store", "global", 4, launches * (N // 8))])
        self.assertEqual(self.seen("own_copy"), ("ptx", launches, launches))
        self.assertEqual(self.seen("plain_copy"), ("patch", launches, launches))
        self.assertEqual(self.seen("plain_strided"), ("patch", launches, launches))
        self.assertEqual(len(self.report["tools"][0]["kernels"]), 3)

    def test_each_kernel_is_seen_by_one_route(self):
        self.run_program()
        self.check_counts(4)
        self.assertEqual(self.report["header"]["seen"],
                         "3 of 3 kernels, 12 of 12 launches: 4 by ptx (33.3 %), 8 by patch (66.7 %)")

    def test_graphs(self):
        self.run_program("graph")
        self.check_counts(5)

    def test_ranges_reach_both(self):
        self.run_program("ranges")
        self.check_counts(4)
        self.assertEqual({k["range"] for k in self.report["tools"][0]["kernels"]}, {"both"})

    def test_handlers(self):
        self.run_program(tool="coalescing")
        columns = ("access", "requests", "sectors")
        warps, sectors = (N + 31) // 32, N // 8
        both = [("load", 4 * warps, 4 * sectors), ("store", 4 * warps, 4 * sectors)]
        self.assertEqual(self.rows("own_copy", columns), both)
        self.assertEqual(self.rows("plain_copy", columns), both)

    def test_numbers_of_launches_are_the_programs(self):
        self.run_program(flags=["--per", "launch", "--launches", "3:5"])
        apart = [(k["launch"], k["route"], k["kernel"].split("(")[0]) for k in self.report["tools"][0]["kernels"]
                 if k["launch"] is not None]
        self.assertEqual([each for each in sorted(apart) if 3 <= each[0] <= 5],
                         [(3, "ptx", "own_copy"), (4, "patch", "plain_copy"), (5, "patch", "plain_strided")])

    def test_what_is_touched(self):
        self.run_program(tool="working_set")
        for name in ("own_copy", "plain_copy"):
            ((allocations, in_lines),) = self.rows(name, ("allocations", "in_lines"), "totals")
            self.assertEqual((allocations, in_lines), (2, 8 * N), name)

    def test_without_the_compute_sanitizer(self):
        self.run_program(told="ptx", PASTA_SANITIZER="/no/such.so")
        self.assertEqual(self.seen("own_copy"), (None, 4, 4))
        self.assertIn("had none here", " ".join(self.report["notes"]))

    def test_a_route_that_is_named_is_alone(self):
        self.run_program(route="ptx", told="ptx")
        self.assertEqual(self.seen("plain_copy"), (None, 4, 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
