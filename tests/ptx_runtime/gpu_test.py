# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The ptx route from build to report on a GPU: gpu_program.cu built by `pasta nvcc`, run by `pasta run`."""

import json
import os
import shutil
import signal
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
folder = ""


def setUpModule():
    """Builds the program once, in a folder whose name has a blank."""
    global folder
    skip_without_gpu(NVCC)
    folder = tempfile.mkdtemp(prefix="pasta gpu ")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    build = [PASTA, "nvcc", "--nvcc", NVCC, "--tools", "access_count,coalescing", "--strict", "-std=c++17"]
    for words in (["-o", "program", "-lcuda"], ["-cubin", "-o", "program.cubin"]):
        done = subprocess.run(
            [*build, "-lineinfo", "-arch=native", SOURCE, *words],
            cwd=folder,
            timeout=300,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise AssertionError(done.stderr)


class GpuTest(unittest.TestCase):
    def run_program(self, *words, tools="access_count,coalescing", code=0, **variables):
        output = os.path.join(folder, "report.json")
        if os.path.exists(output):
            os.remove(output)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PASTA_")} | variables
        done = subprocess.run(
            [PASTA, "run", tools, "--route", "ptx", "--quiet", "--output", output, "--", "./program", *words],
            cwd=folder,
            env=environment,
            timeout=120,
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        with open(output) as file:
            self.report = json.load(file)
        self.assertEqual(self.report["header"]["route"], "ptx")
        return done

    def kernel(self, name, tool="access_count"):
        (section,) = [t for t in self.report["tools"] if t["tool"] == tool]
        (found,) = [k for k in section["kernels"] if name in k["kernel"]]
        return found

    def launches(self, name):
        losses = self.kernel(name)["losses"]
        return losses["launches_seen"], losses["launches_delivered"], losses["launches_lost"]

    def rows(self, name, tool="access_count"):
        return [row for t in self.kernel(name, tool)["tables"] if t["name"] == "sites" for row in t["rows"]]

    def count(self, name, access, space):
        return sum(row[6] for row in self.rows(name) if row[3:5] == [access, space])

    def check_add(self, launches):
        """A million elements: 31,250 warps, each with two loads and a store of four sectors."""
        self.assertEqual(self.launches("add<float>"), (launches, launches, 0))
        self.assertEqual(self.count("add<float>", "load", "global"), 2 * N * launches)
        self.assertEqual(self.count("add<float>", "store", "global"), N * launches)
        requests = {row[3]: row[6:9] for row in self.rows("add<float>", "coalescing")}
        self.assertEqual(
            requests,
            {
                "load": [62_500 * launches, 250_000 * launches, 250_000 * launches],
                "store": [31_250 * launches, 125_000 * launches, 125_000 * launches],
            },
        )

    def test_accesses_by_source_line(self):
        for loading in ("LAZY", "EAGER"):
            self.run_program("plain", CUDA_MODULE_LOADING=loading)
            self.check_add(3)
            self.assertEqual(self.count("helper", "load", "global"), 1000)
            self.assertEqual(self.count("caller", "atomic", "global"), 1000)
            self.assertEqual(self.count("caller", "store", "shared"), 1024)
            self.assertEqual(self.count("caller", "load", "shared"), 1000)
            self.assertTrue(all(row[0].endswith("gpu_program.cu") for row in self.rows("add<float>")))

    def test_launches_that_nobody_waits_for(self):
        self.run_program("unwaited")
        self.check_add(1)

    def test_streams_and_kinds_of_launches(self):
        self.run_program("streams")
        self.check_add(40)
        self.assertEqual((self.launches("small"), self.count("small", "store", "global")), ((2, 2, 0), 96))
        self.assertEqual(self.count("together", "load", "global"), 128)

    def test_a_captured_graph(self):
        self.run_program("graph")
        self.check_add(10)
        self.assertEqual((self.launches("small"), self.count("small", "store", "global")), ((5, 5, 0), 320))

    def sections(self, name, tool="access_count"):
        """[(launch, global loads, launches seen, delivered, left out, lost)]"""
        (section,) = [t for t in self.report["tools"] if t["tool"] == tool]
        found = []
        for kernel in [k for k in section["kernels"] if name in k["kernel"]]:
            rows = [row for t in kernel["tables"] if t["name"] == "sites" for row in t["rows"]]
            losses = [kernel["losses"]["launches_" + what] for what in ("seen", "delivered", "sampled_out", "lost")]
            found.append((kernel["launch"], sum(r[6] for r in rows if r[3:5] == ["load", "global"]), *losses))
        return found

    def test_launches_apart(self):
        self.run_program("plain", PASTA_PER="launch")
        found = self.sections("add<float>")
        self.assertEqual([each[1:] for each in found], [(2 * N, 1, 1, 0, 0)] * 3)
        self.assertEqual(len({each[0] for each in found} - {None}), 3)
        self.assertEqual(self.report["notes"], [note for note in self.report["notes"] if "A function that" in note])

    def test_launches_apart_in_streams_and_graphs(self):
        for words, launches in ((("streams",), 40), (("graph",), 10)):
            self.run_program(*words, PASTA_PER="launch")
            found = self.sections("add<float>")
            self.assertEqual([sum(each[i] for each in found) for i in (2, 3, 4, 5)], [launches, launches, 0, 0])
            self.assertEqual(sum(each[1] for each in found), 2 * N * launches)
            # What is apart is one launch's, whatever ran beside it.
            self.assertLessEqual({each[1] for each in found if each[0] is not None}, {2 * N})

    def test_kernels_and_launches_left_out(self):
        self.run_program("plain", PASTA_EXCLUDE="add<")
        self.assertEqual(self.sections("add<float>"), [(None, 0, 3, 0, 3, 0)])
        self.assertEqual(self.count("caller", "atomic", "global"), 1000)
        self.run_program("plain", PASTA_KERNELS="add<", PASTA_SAMPLING_RATE="0.34")
        (found,) = self.sections("add<float>")
        self.assertEqual(found[1:], (2 * N * found[3], 3, found[3], 3 - found[3], 0))
        self.assertIn(found[3], (1, 2))

    def test_the_drivers_own_interface(self):
        self.run_program("driver", "program.cubin")
        self.assertEqual((self.launches("small"), self.count("small", "store", "global")), ((7, 7, 0), 288))

    def test_a_reset(self):
        self.run_program("reset")
        self.check_add(2)

    def test_a_fault(self):
        self.assertEqual(self.run_program("fault", code=4).stdout, "700\n")
        self.check_add(1)
        self.assertEqual(self.launches("fault"), (1, 0, 1))
        self.assertIn("(error 700)", " ".join(self.report["notes"]))

    def test_signals(self):
        self.run_program("abort", code=-signal.SIGABRT)
        self.check_add(1)
        self.run_program("endless", code=-signal.SIGTERM)
        self.assertEqual(self.count("add<float>", "load", "global"), 2 * N)
        self.assertEqual(self.launches("endless"), (1, 0, 1))

    def test_without_pasta_run_it_is_the_original(self):
        done = subprocess.run(["./program", "plain"], cwd=folder, timeout=60, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
