# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/sanitizer_tools does with a toolkit of the machine, and with a pip that is a script: nothing is
downloaded."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/sanitizer_tools"

PYTHON = """#!/bin/bash
if [[ $* != *install* ]]; then echo pip 23; exit; fi
echo "$*" >>"$CALLS"
if [[ $NETWORK != yes ]]; then echo 'ERROR: the network is unreachable'; exit 1; fi
while (($# > 1)); do [[ $1 == --target ]] && target=$2; shift; done
mkdir -p "$target"/nvidia/cu13/{include,lib} "$target/nvidia_cuda_sanitizer_api-13.0.85.dist-info/licenses"
touch "$target/nvidia/cu13/include/sanitizer.h" "$target/nvidia/cu13/lib/"lib{sanitizer-public,other}.so
"""


class SanitizerToolsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.target = self.root / "with space" / "tools"
        self.calls = self.root / "calls"
        self.bin = self.root / "bin"
        self.bin.mkdir()
        program = self.bin / "python3"
        program.write_text(PYTHON, encoding="utf-8")
        program.chmod(0o755)

    def run_script(self, *arguments, network="no", toolkit=""):
        environment = {"PATH": f"{self.bin}:/usr/bin:/bin", "CALLS": str(self.calls), "NETWORK": network,
                       "CUDA_HOME": str(toolkit)}
        return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=30,
                              check=False, stdin=subprocess.DEVNULL)

    def skip_where_the_machine_has_it(self):
        if pathlib.Path("/usr/local/cuda/compute-sanitizer/include/sanitizer.h").exists():
            self.skipTest("this machine's toolkit has the Compute Sanitizer API")

    def test_a_toolkit_of_the_machine_is_used(self):
        toolkit = self.root / "cuda"
        (toolkit / "compute-sanitizer/include").mkdir(parents=True)
        (toolkit / "compute-sanitizer/include/sanitizer.h").touch()
        (toolkit / "compute-sanitizer/libsanitizer-public.so").touch()
        result = self.run_script(self.target, toolkit=toolkit)
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual((self.target / "include").resolve(), (toolkit / "compute-sanitizer/include").resolve())
        self.assertTrue((self.target / "lib/libsanitizer-public.so").exists())
        self.assertFalse(self.calls.exists())
        again = self.run_script(self.target, toolkit=toolkit)
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))

    def test_without_a_toolkit_and_without_pypi_the_route_is_off(self):
        self.skip_where_the_machine_has_it()
        result = self.run_script(self.target)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("== The patch route is off: PyPI gives no Compute Sanitizer API 13.0: ERROR: the network is "
                      "unreachable\n", result.stdout)
        self.assertIn("nvidia-cuda-sanitizer-api==13.0.*", self.calls.read_text(encoding="utf-8"))
        self.assertEqual(list(self.target.parent.iterdir()), [])

    def test_of_the_package_only_what_is_needed_stays(self):
        self.skip_where_the_machine_has_it()
        result = self.run_script(self.target, network="yes")
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual(sorted(each.name for each in self.target.rglob("*") if each.is_file()),
                         [".pasta_sanitizer_tools", "libsanitizer-public.so", "sanitizer.h"])
        self.assertTrue((self.target / "licenses").is_dir())

    def test_a_folder_that_holds_something_else_is_left_alone(self):
        self.target.mkdir(parents=True)
        (self.target / "kept").touch()
        result = self.run_script(self.target)
        self.assertEqual(result.returncode, 2, result)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertTrue((self.target / "kept").exists())

    def test_wrong_arguments_are_a_usage_error(self):
        for arguments in ([], ["--fast"], [""], ["a", "b"]):
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 2, (arguments, result))
            self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_help_has_the_exit_codes(self):
        result = self.run_script("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Exit code: 0", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
