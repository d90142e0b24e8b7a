# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/cuda_tools does with programs that are scripts: nothing is compiled or downloaded."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/cuda_tools"

NVCC = """#!/bin/bash
if [[ $1 == --version ]]; then echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; fi
echo compiled >>"$CALLS"
[[ -z $BROKEN ]] || { echo 'error: no headers'; exit 1; }
while (($# > 1)); do [[ $1 == -o ]] && : >"$2"; shift; done
"""
NVDISASM = """#!/bin/bash
if [[ $1 == --version ]]; then echo 'Cuda compilation tools, release 13.2, V13.2.1'; else echo 'STG.E [R2], R3 ;'; fi
"""
PYTHON = """#!/bin/bash
if [[ $* != *install* ]]; then echo pip 23; exit; fi
echo "$*" >>"$CALLS"
echo 'ERROR: the network is unreachable'
exit 1
"""


class CudaToolsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.target = self.root / "with space" / "tools"
        self.calls = self.root / "calls"
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for name, text in (("nvcc", NVCC), ("nvdisasm", NVDISASM), ("python3", PYTHON)):
            program = self.bin / name
            program.write_text(text, encoding="utf-8")
            program.chmod(0o755)

    def run_script(self, *arguments, broken=""):
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "CALLS": str(self.calls), "BROKEN": broken}
        return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=30,
                              check=False, stdin=subprocess.DEVNULL)

    def read_calls(self):
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []

    def test_programs_of_the_machine_are_tried_once_and_used(self):
        first = self.run_script(self.target)
        self.assertEqual(first.returncode, 0, first)
        tried = self.read_calls()
        self.assertEqual(set(tried), {"compiled"})
        for name in ("nvcc", "nvdisasm"):
            line = subprocess.run([self.target / "bin" / name, "--version"], capture_output=True, text=True, check=True)
            self.assertIn("release 13.", line.stdout)

        again = self.run_script(self.target)
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))
        self.assertEqual(self.read_calls(), tried)

    def test_without_a_compiler_that_works_and_without_pypi_the_checks_are_off(self):
        result = self.run_script(self.target, broken="yes")
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("== CUDA checks are off: PyPI gives no CUDA 13.0: ERROR: the network is unreachable\n",
                      result.stdout)
        self.assertIn("nvidia-cuda-nvcc==13.0.*", self.read_calls()[-1])
        self.assertFalse(self.target.exists())
        self.assertEqual(list(self.target.parent.iterdir()), [])

    def test_a_program_that_was_removed_since_is_looked_for_anew(self):
        self.assertEqual(self.run_script(self.target).returncode, 0)
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        (self.bin / "nvdisasm").rename(elsewhere / "nvdisasm")
        self.bin = pathlib.Path(f"{self.bin}:{elsewhere}")
        result = self.run_script(self.target)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn(f"nvdisasm {elsewhere}/nvdisasm", result.stdout)

    def test_a_folder_that_holds_something_else_is_left_alone(self):
        self.target.mkdir(parents=True)
        kept = self.target / "kept"
        kept.touch()
        result = self.run_script(self.target)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertTrue(kept.exists())

    def test_wrong_arguments_are_a_usage_error(self):
        for arguments in ([], ["--fast"], [""], ["a", "b"]):
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 2, (arguments, result))
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_a_folder_that_cannot_be_made_is_one_line_and_status_1(self):
        file = self.root / "file"
        file.touch()
        result = self.run_script(file / "tools")
        self.assertEqual(result.returncode, 1, result)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_help_has_the_exit_codes(self):
        result = self.run_script("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Exit code: 0", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
