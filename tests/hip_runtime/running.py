# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with the collector in front of their HIP runtime, and reads what they reported."""

import atexit
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

PASTA = os.environ["PASTA_CLI"]


def preloadable(path):
    """The file, by a path without a blank, which the loader would take for its end."""
    if " " not in path:
        return path
    folder = tempfile.mkdtemp(prefix="pasta_hip_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    link = os.path.join(folder, os.path.basename(path))
    os.symlink(path, link)
    return link


LIBRARY = preloadable(os.environ["PASTA_HIP_LIBRARY"])


class RunningTest(unittest.TestCase):
    """Works in a folder of its own, whose name has a blank."""

    runtime = ""  # a library that is loaded behind the collector

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pasta hip "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.index = self.folder / "index"
        self.output = self.folder / "report.json"
        self.index.touch()

    def environment(self, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PASTA_", "HIP_"))} | {
            "LC_ALL": "C", "PASTA_TOOLS": "access_count", "PASTA_REPORT_INDEX": str(self.index),
            "PASTA_OUTPUT": str(self.output), "PASTA_ROUTE": "llvm", "PASTA_QUIET": "1",
            "LD_PRELOAD": ":".join(filter(None, [LIBRARY, self.runtime]))} | variables
        return {k: v for k, v in clean.items() if v is not None}

    def run_words(self, words, code=0, stdout="", stderr="", **variables):
        done = subprocess.run([str(word) for word in words], env=self.environment(**variables), text=True,
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        self.assertEqual(done.returncode, code, done.stderr)
        if stdout is not None:
            self.assertEqual(done.stdout, stdout)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr)
        return done

    def report(self):
        return json.loads(self.output.read_text(encoding="utf-8"))

    def index_lines(self):
        return [line.split("\t") for line in self.index.read_text(encoding="utf-8").splitlines()]

    def kernels(self):
        (tool,) = self.report()["tools"]
        return {kernel["kernel"]: kernel for kernel in tool["kernels"]}

    def sites(self, kernel):
        """(file's name, line, access, space, bytes of one, accesses)"""
        (found,) = [table for table in self.kernels()[kernel]["tables"] if table["name"] == "sites"]
        return [(os.path.basename(file), line, *row[:4]) for file, line, _, *row in found["rows"]]

    def launches(self, kernel):
        losses = self.kernels()[kernel]["losses"]
        return losses["launches_seen"], losses["launches_delivered"], losses["launches_lost"]
