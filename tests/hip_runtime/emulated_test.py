# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The collector and a program whose GPU is emulated: what its kernel counts is in the report."""

import os
import pathlib
import subprocess
import tempfile

from running import PASTA, RunningTest

HERE = pathlib.Path(__file__).resolve().parent
EMULATION = pathlib.Path(os.environ["PASTA_HIP_EMULATION"])


class EmulatedTest(RunningTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="pasta hip ")
        cls.addClassCleanup(folder.cleanup)
        cls.program = pathlib.Path(folder.name, "emulated")
        compiler = HERE.parent / "emulation/hip/hip-emulation-c++"
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", HERE / "emulated.hip", EMULATION,
                        f"-Wl,-rpath,{EMULATION.parent}", "-lboost_context", "-lpthread", "-o", cls.program],
                       check=True)

    def check_counts(self, count, launches):
        self.assertEqual(self.sites("scale(float*, int)"), [("emulated.hip", 40, "load", "global", 4, count),
                                                           ("emulated.hip", 40, "store", "global", 4, count)])
        self.assertEqual(self.launches("scale(float*, int)"), (launches, launches, 0))

    def test_what_lanes_count_in_several_blocks_and_launches_is_summed(self):
        self.run_words([self.program, 3, 2], stdout="4 4\n")
        self.check_counts(2 * (3 * 64 - 10), 2)
        kernel = self.kernels()["scale(float*, int)"]
        self.assertEqual((kernel["grid"], kernel["block"]), ("3x1x1", "64x1x1"))
        header = self.report()["header"]
        self.assertEqual((header["route"], header["vendor"]), ("llvm", "hip"))
        self.assertTrue(header["device"].startswith("emulated on the CPU ("), header["device"])

    def test_more_workers_than_one_add_to_their_shards(self):
        self.run_words([self.program, 50, 3], stdout="8 8\n", PASTA_HOST_THREADS="4")
        self.check_counts(3 * (50 * 64 - 10), 3)

    def chosen(self, launches, *words, **variables):
        """{range: (accesses of a site, seen, delivered, left out)}"""
        self.run_words([self.program, 3, launches, *words], stdout=None, **variables)
        (tool,) = self.report()["tools"]
        found = {}
        for kernel in tool["kernels"]:
            losses = kernel["losses"]
            rows = [row for table in kernel["tables"] if table["name"] == "sites" for row in table["rows"]]
            self.assertEqual(losses["launches_lost"], 0)
            found[kernel["range"]] = (sum(row[6] for row in rows) // 2, losses["launches_seen"],
                                      losses["launches_delivered"], losses["launches_sampled_out"])
        self.assertEqual(self.report()["notes"], [])
        return found

    def test_what_is_left_out_is_not_counted(self):
        one = 3 * 64 - 10
        for variables, taken in (({"PASTA_LAUNCHES": "2:7:2"}, 3), ({"PASTA_SAMPLING_RATE": "0.25"}, 3),
                                 ({"PASTA_KERNELS": "nothing"}, 0), ({"PASTA_EXCLUDE": "scale"}, 0),
                                 ({"PASTA_DEVICES": "1"}, 0), ({"PASTA_DEVICES": "0"}, 10)):
            with self.subTest(variables):
                self.assertEqual(self.chosen(10, **variables), {"": (taken * one, 10, taken, 10 - taken)})

    def test_a_sample_is_scaled(self):
        self.chosen(10, PASTA_SAMPLING_RATE="0.5")
        (kernel,) = self.report()["tools"][0]["kernels"]
        self.assertEqual(kernel["sampling"] | {"block_rate": 1}, {
            "launches_offered": 10, "launches_taken": 5, "block_rate": 1, "blocks_offered": 0, "blocks_taken": 0,
            "scale": 2.0, "events": 10.0 * 2 * (3 * 64 - 10), "events_error": 0.0})

    def test_stop_leaves_out(self):
        self.assertEqual(self.chosen(10, "half"), {"": (5 * (3 * 64 - 10), 10, 5, 5)})

    def test_steps_by_schedule(self):
        self.assertEqual(self.chosen(12, "steps", PASTA_SCHEDULE="wait=1,warmup=1,active=3,repeat=2"),
                         {"": (6 * (3 * 64 - 10), 12, 6, 6)})

    def test_ranges_are_kept_apart(self):
        one = 3 * 64 - 10
        self.assertEqual(self.chosen(10, "ranges"),
                         {"a": (4 * one, 4, 4, 0), "b": (3 * one, 3, 3, 0), "c": (3 * one, 3, 3, 0)})
        self.assertEqual(self.chosen(10, "ranges", PASTA_LAUNCHES="0:5"),
                         {"a": (2 * one, 4, 2, 2), "b": (2 * one, 3, 2, 1), "c": (2 * one, 3, 2, 1)})

    def test_without_the_library_it_runs_alike(self):
        self.run_words([self.program, 3, 2], stdout="4 4\n", LD_PRELOAD=None)
        self.assertEqual(self.index_lines(), [])

    def test_without_a_tool_nobody_collects(self):
        self.run_words([self.program, 3, 2], stdout="4 4\n", PASTA_TOOLS=None)
        self.assertEqual(self.index_lines(), [])

    def test_pasta_run_puts_the_library_in_front(self):
        flags = ["--route", "llvm", "--quiet", "--output", self.output]
        done = self.run_words([PASTA, "run", "access_count", *flags, "--", self.program, 2, 1], stdout="2 2\n",
                              stderr=None, LD_PRELOAD=None)
        self.assertEqual(done.stderr, "report: report.json\n")
        self.check_counts(2 * 64 - 10, 1)
