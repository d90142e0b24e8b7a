# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/targets under each tool: the HIP vendor on the emulated GPU reports what the host vendor
does, to the last figure, for warps of 32 and 64.

usage: reports_test.py PROGRAM_ON_HOST PROGRAM_ON_HIP
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SIZES = {"csr_spmv": 150, "histogram": 2000, "misaligned_copy": 2000, "naive_transpose": 50, "stencil": 35,
         "tiled_product": 24, "tiled_transpose": 50, "vector_add": 5000}
PROGRAMS = {}  # [vendor]


class ReportsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pasta hip ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, vendor, program, tool, width, **more):
        """What a run reports but for times, with its header."""
        path = self.folder / f"{vendor}.json"
        environment = dict(os.environ, PASTA_TOOLS=tool, PASTA_OUTPUT=str(path), PASTA_WARP_WIDTH=str(width),
                           PASTA_HOST_THREADS="2", PASTA_QUIET="1", **more)
        done = subprocess.run([PROGRAMS[vendor], program, str(SIZES[program])], env=environment, capture_output=True,
                              text=True, check=False, timeout=100)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "OK\n", ""))
        report = json.loads(path.read_text(encoding="utf-8"))
        for section in report["tools"]:
            for kernel in section["kernels"]:
                self.assertGreater(kernel.pop("duration_ns"), 0)
        return report

    def compare(self, tool, width, **more):
        for program in SIZES:
            with self.subTest(program=program):
                host, hip = (self.report(vendor, program, tool, width, **more) for vendor in ("host", "hip"))
                self.assertEqual(hip["tools"], host["tools"])
                self.assertEqual(hip.get("notes"), host.get("notes"))
                self.assertGreater(len(host["tools"][0]["kernels"]), 0)

    def test_counts_of_warps_of_32(self):
        self.compare("access_count", 32)

    def test_counts_of_warps_of_64(self):
        self.compare("access_count", 64)

    def test_coalescing_of_warps_of_32(self):
        self.compare("coalescing", 32)

    def test_coalescing_of_warps_of_64(self):
        self.compare("coalescing", 64)

    def test_launches_kept_apart(self):
        self.compare("coalescing", 64, PASTA_PER="launch")

    def test_the_header_says_what_ran_the_kernels(self):
        header = self.report("hip", "vector_add", "access_count", 64)["header"]
        self.assertEqual(header["vendor"], "hip")
        self.assertEqual(header["device"], "emulated on the CPU (wave64, 2 compute units), HIP runtime 5.2")


if __name__ == "__main__":
    PROGRAMS["hip"], PROGRAMS["host"] = sys.argv.pop(), sys.argv.pop()
    unittest.main(verbosity=2)
