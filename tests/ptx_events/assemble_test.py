# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The assembler takes PTX with hooks of every event and with states of threads, and the table says what is in it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

NVCC = os.environ["PASTA_NVCC"]
REWRITE = os.environ["PASTA_REWRITE"]
SOURCE = pathlib.Path(os.environ["PASTA_SOURCE_DIR"])
TOOLS = ("event_watch", "thread_sum", "event_counts")
# Of the GPU, and of the hook's file.
ARCHITECTURES = (("75", "75"), ("80", "80"), ("90a", "80"))


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{words[0]} ended with {done.returncode}: {done.stderr}{done.stdout}")
    return done


class AssembleTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ptx events ")
        cls.path = pathlib.Path(cls.folder.name)
        cls.ptxas = shutil.which("ptxas", path=os.path.dirname(NVCC)) or shutil.which("ptxas")
        if cls.ptxas is None:
            raise unittest.SkipTest("there is no ptxas beside nvcc")
        flags = ("-ptx", "-rdc=true", "-std=c++20", "-DFMT_USE_CONSTEXPR=1", f"-I{SOURCE / 'include'}")
        for tool in TOOLS:
            for architecture in ("75", "80"):
                source = SOURCE / "tests/gpu" / f"{tool}_hook.cu"
                run(NVCC, *flags, f"-arch=sm_{architecture}", source, "-o", cls.path / f"{tool}.{architecture}.ptx")
        for gpu, _ in ARCHITECTURES:
            source = SOURCE / "tests/ptx_events/every_event.cu"
            run(NVCC, "-ptx", "-std=c++17", f"-arch=sm_{gpu}", source, "-o", cls.path / f"native.{gpu}.ptx")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def instrument(self, gpu, hook, tools):
        """The table. The text is assembled."""
        text, table = self.path / "hooked.ptx", self.path / "table.json"
        hooks = [f"{tool}={self.path / f'{tool}.{hook}.ptx'}" for tool in tools]
        run(REWRITE, self.path / f"native.{gpu}.ptx", text, table, *hooks)
        run(self.ptxas, f"-arch=sm_{gpu}", text, "-o", self.path / "hooked.cubin")
        return json.loads(table.read_text())

    def events(self, table):
        found = {}
        for function in table["functions"]:
            self.assertEqual(function["why"], "")
            self.assertNotIn("without", function)
            for site in function["sites"]:
                if "event" in site:
                    kind = site["event"]["kind"]
                    found[kind] = found.get(kind, 0) + 1
                    self.assertNotIn("unhandled", site["event"], site)
        return found

    def test_every_event_on_each_architecture(self):
        for gpu, hook in ARCHITECTURES:
            with self.subTest(gpu=gpu):
                found = self.events(self.instrument(gpu, hook, TOOLS))
                kinds = {"barrier", "branch", "call", "matrix"}
                if gpu != "75":
                    kinds.add("copy")
                self.assertEqual(set(found), kinds)
                self.assertGreaterEqual(found["call"], 3)  # of a function, through a register, of printf

    def test_each_tool_alone(self):
        for gpu, hook in ARCHITECTURES:
            for tool in TOOLS:
                with self.subTest(gpu=gpu, tool=tool):
                    table = self.instrument(gpu, hook, [tool])
                    self.assertEqual(table["tools"], [tool])
                    self.assertEqual([row["tool"] for row in table["rows"]], [] if tool == "event_counts" else [tool])


if __name__ == "__main__":
    unittest.main()
