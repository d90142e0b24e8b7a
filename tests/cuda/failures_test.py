# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""No GPU, no driver, an old one, a GPU that the program was not compiled for, memory that is used up, kernels that
fault: the program gets one clear line and ends as it would without a tool; the report tells what is missing. The
program (failing_program.cu) is what nvcc made; CUDA's runtime is a stand-in (stand_in/)."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["PASTA_FAILING_PROGRAM"]


class Failures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pasta failures ")
        self.addCleanup(folder.cleanup)
        self.report_path = pathlib.Path(folder.name) / "report.json"

    def run_program(self, what, tool, **stand_in):
        self.report_path.unlink(missing_ok=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PASTA_", "STAND_IN_"))}
        environment |= {f"STAND_IN_{name.upper()}": str(value) for name, value in stand_in.items()}
        environment |= {"PASTA_TOOLS": tool, "PASTA_OUTPUT": str(self.report_path), "PASTA_QUIET": "1"}
        return subprocess.run([PROGRAM, what], env=environment, capture_output=True, text=True, timeout=60, check=False)

    def both(self, what, code, output, line=None, **stand_in):
        """With and without a tool the program ends alike: the same exit code, output and, if any, one line of error
        that says this. @return the report's JSON"""
        for tool in ("", "access_count"):
            with self.subTest(tool=tool or "none"):
                done = self.run_program(what, tool, **stand_in)
                self.assertEqual((done.returncode, done.stdout), (code, output), done.stderr)
                lines = done.stderr.splitlines()
                self.assertEqual(len(lines), 0 if line is None else 1, done.stderr)
                if line is not None:
                    self.assertIn(line, lines[0])
        report = json.loads(self.report_path.read_text(encoding="utf-8"))
        self.assertTrue(report["is_complete"])
        return report

    def kernel(self, report):
        kernels = report["tools"][0]["kernels"]
        self.assertEqual([kernel["kernel"] for kernel in kernels], ["add_one"])
        return kernels[0]

    def check_losses(self, report, seen, delivered):
        losses = self.kernel(report)["losses"]
        self.assertEqual((losses["launches_seen"], losses["launches_delivered"], losses["launches_lost"]),
                         (seen, delivered, seen - delivered))

    def accesses(self, report):
        """Of all kernels' sites."""
        total = 0
        for kernel in report["tools"][0]["kernels"]:
            for table in (table for table in kernel["tables"] if table["name"] == "sites"):
                at = [column["name"] for column in table["columns"]].index("accesses")
                total += sum(row[at] for row in table["rows"])
        return total

    def test_a_gpu_that_works(self):
        report = self.both("run", 0, "OK\n")
        self.check_losses(report, 3, 3)
        self.assertEqual(self.accesses(report), 3 * 2 * 64)
        self.assertEqual(report["notes"], [])
        self.assertIn("stand-in 0 (sm_90, 4 multiprocessors)", report["header"]["device"])

    def test_no_gpu(self):
        report = self.both("run", 3, "", "no NVIDIA GPU was found", devices=0)
        self.assertEqual(report["header"]["device"], "no NVIDIA GPU")
        self.assertIn("the program launched no kernel", report["notes"])

    def test_no_driver(self):
        report = self.both("run", 3, "", "there is no NVIDIA driver on this machine", driver="none")
        self.assertEqual(report["header"]["device"], "no NVIDIA GPU")

    def test_an_old_driver(self):
        line = "the NVIDIA driver is too old: it has CUDA 11.4, this program needs 1"
        self.both("run", 3, "", line, driver="old")

    def test_a_program_that_does_without_a_gpu_does_so_under_a_tool(self):
        for stand_in in ({"devices": 0}, {"driver": "none"}, {"driver": "old"}, {"architecture": 75}):
            with self.subTest(**stand_in):
                self.both("falls", 0, "OK without a GPU\n", **stand_in)

    def test_a_gpu_that_the_program_was_not_compiled_for(self):
        line = "cannot launch add_one: this program was not compiled for this GPU; compile it with nvcc -arch=sm_75"
        report = self.both("run", 3, "", line, architecture=75)
        self.check_losses(report, 1, 0)

    def test_a_gpu_that_pasta_does_not_know(self):
        line = "cannot launch add_one: this GPU is sm_70; PASTA needs sm_75 or newer"
        self.both("run", 3, "", line, architecture=70)

    def test_memory_that_is_used_up_from_the_start(self):
        report = self.both("run", 0, "OK\n", memory=1024)
        self.check_losses(report, 3, 0)
        self.assertEqual(self.accesses(report), 0)
        self.assertEqual(len(report["notes"]), 1)
        self.assertIn("3 launches were not analysed: there was no GPU memory for results", report["notes"][0])

    def test_a_small_rest_of_memory_is_used(self):
        report = self.both("run", 0, "OK\n", memory=1 << 20)
        self.check_losses(report, 3, 3)
        self.assertEqual(self.accesses(report), 3 * 2 * 64)
        self.assertEqual(report["notes"], [])

    def test_memory_that_is_used_up_midway(self):
        report = self.both("fills", 0, "OK\n")
        kernels = report["tools"][0]["kernels"]
        self.assertEqual(len(kernels), 200)
        delivered = sum(kernel["losses"]["launches_delivered"] for kernel in kernels)
        lost = sum(kernel["losses"]["launches_lost"] for kernel in kernels)
        self.assertEqual(delivered + lost, 200)
        self.assertGreater(lost, 0)
        self.assertGreaterEqual(delivered, 5)
        self.assertEqual(self.accesses(report), delivered * 2 * 64)
        self.assertEqual([note.split(":")[0] for note in report["notes"]], [f"{lost} launches were not analysed"])

    def test_a_kernel_that_faults(self):
        for what, code, line in (("faults", 3, "a kernel went wrong: an illegal memory access"), ("unseen", 5, None)):
            with self.subTest(what):
                report = self.both(what, code, "", line)
                self.check_losses(report, 2, 0)
                self.assertEqual(len(report["notes"]), 1)
                self.assertIn("what the GPU had collected is lost with it", report["notes"][0])
                self.assertIn("cudaErrorIllegalAddress", report["notes"][0])

    def test_several_gpus_are_named_in_the_report(self):
        report = self.both("run", 0, "OK\n", devices=3)
        self.assertIn("and 2 more", report["header"]["device"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
