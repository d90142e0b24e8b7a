# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The patch route on a GPU: gpu_program.cu built by plain nvcc, run by `pasta run --route patch`."""

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
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpu_program.cu")
N = 1_000_000
WARPS = (N + 31) // 32
folder = ""


def setUpModule():
    """Builds the program once."""
    global folder
    skip_without_gpu(NVCC)
    folder = tempfile.mkdtemp(prefix="pasta gpu ")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    done = subprocess.run([NVCC, "-lineinfo", "-arch=native", SOURCE, "-o", "program"], cwd=folder, timeout=300,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)


class GpuTest(unittest.TestCase):
    def run_program(self, *words, tool="access_count", flags=()):
        output = os.path.join(folder, "report.json")
        if os.path.exists(output):
            os.remove(output)
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith("PASTA_") or k == "PASTA_SANITIZER"}
        plain = subprocess.run(["./program", *words], cwd=folder, timeout=120, capture_output=True, text=True)
        done = subprocess.run(
            [PASTA, "run", tool, "--route", "patch", "--quiet", "--output", output, *flags, "--", "./program", *words],
            cwd=folder, env=environment, timeout=300, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), done.stderr)
        self.assertTrue(os.path.exists(output), done.stderr)
        with open(output) as file:
            self.report = json.load(file)
        self.assertEqual(self.report["header"]["route"], "patch")

    def kernel(self, name):
        (section,) = self.report["tools"]
        (found,) = [k for k in section["kernels"] if k["kernel"].startswith(name + "(")]
        return found

    def rows(self, name, *columns):
        (table,) = [t for t in self.kernel(name)["tables"] if t["name"] == "sites"]
        names = [column["name"] for column in table["columns"]]
        return sorted(tuple(row[names.index(each)] for each in columns) for row in table["rows"])

    def launches(self, name):
        losses = self.kernel(name)["losses"]
        return losses["launches_seen"], losses["launches_delivered"], losses["launches_lost"]

    def test_accesses_are_exact(self):
        self.run_program()
        columns = ("access", "space", "size", "accesses")
        self.assertEqual(self.rows("copy", *columns), [("load", "global", 4, 4 * N), ("store", "global", 4, 4 * N)])
        self.assertEqual(self.rows("strided", *columns), [("store", "global", 4, N)])
        self.assertEqual(self.rows("add", *columns), [("atomic", "global", 4, N)])
        self.assertEqual(self.launches("copy"), (4, 4, 0))

    def test_addresses_without_a_space_are_told_apart(self):
        self.run_program()
        self.assertEqual(self.rows("generic", "access", "space", "accesses"),
                         [("store", "global", N // 2), ("store", "shared", N // 2)])

    def test_places_are_lines_of_the_source(self):
        self.run_program()
        for file, line in self.rows("copy", "file", "line"):
            self.assertTrue(file.endswith("gpu_program.cu"), file)
            self.assertGreater(line, 0)

    def test_requests_and_sectors(self):
        self.run_program(tool="coalescing")
        columns = ("access", "requests", "sectors", "sectors_needed")
        sectors = 4 * N // 32
        self.assertEqual(self.rows("copy", *columns), [("load", 4 * WARPS, 4 * sectors, 4 * sectors),
                                                       ("store", 4 * WARPS, 4 * sectors, 4 * sectors)])
        self.assertEqual(self.rows("strided", *columns)[0][:3], ("store", WARPS, N))

    def test_nodes_of_graphs_add_up_over_replays(self):
        self.run_program("graph")
        self.assertEqual(self.rows("copy", "access", "accesses"), [("load", 3 * N), ("store", 3 * N)])
        self.assertEqual(self.rows("add", "access", "accesses"), [("atomic", 3 * N)])
        self.assertEqual(self.launches("copy"), (3, 3, 0))

    def test_kernels_and_launches_that_were_chosen(self):
        self.run_program(flags=["--kernels", "copy", "--launches", "1:2"])
        self.assertEqual(self.rows("copy", "access", "accesses"), [("load", 2 * N), ("store", 2 * N)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
