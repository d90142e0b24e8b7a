# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/ptx_tools does with a Python that is a script: nothing is compiled or downloaded."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/ptx_tools"

# pip installs what INSTALLS names, `import triton` works where it was installed, and no NVRTC does.
PYTHON = """#!/bin/bash
case "$*" in
  *--version*) echo pip 23; exit ;;
  -c*) [[ -d $PYTHONPATH/triton ]] || { echo 'ImportError: no triton'; exit 1; }; exit ;;
  -\\ *) echo 'error: it does not compile'; exit 1 ;;
esac
echo "$*" >>"$CALLS"
while (($# > 1)); do
  [[ $1 == --target && $3 == "$INSTALLS"* ]] && { mkdir -p "$2/triton"; exit; }
  shift
done
echo 'ERROR: the network is unreachable'
exit 1
"""


class PtxToolsTest(unittest.TestCase):
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

    def run_script(self, *arguments, installs="nothing"):
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "CALLS": str(self.calls), "INSTALLS": installs}
        return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=30,
                              check=False, stdin=subprocess.DEVNULL)

    def read_calls(self):
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []

    def test_without_pypi_both_are_off_and_nothing_is_left(self):
        result = self.run_script(self.target)
        self.assertEqual(result.returncode, 0, result)
        for name in ("Triton", "NVRTC"):
            self.assertIn(f"== PTX of {name} is off: PyPI gives none: ERROR: the network is unreachable\n",
                          result.stdout)
        self.assertIn("triton==", self.read_calls()[0])
        self.assertIn("nvidia-cuda-nvrtc==13.0.*", self.read_calls()[1])
        self.assertEqual(list(self.target.parent.iterdir()), [])

    def test_what_can_be_had_is_there_and_is_not_installed_again(self):
        first = self.run_script(self.target, installs="triton")
        self.assertEqual(first.returncode, 0, first)
        self.assertIn("== PTX of NVRTC is off: ", first.stdout)
        self.assertNotIn("Triton is off", first.stdout)
        imported = subprocess.run([self.target / "bin/python", "-c", "import triton"], check=False)
        self.assertEqual(imported.returncode, 0)
        installed = [line for line in self.read_calls() if "triton" in line]

        again = self.run_script(self.target)
        self.assertEqual(again.returncode, 0, again)
        self.assertEqual([line for line in self.read_calls() if "triton" in line], installed)
        self.assertTrue((self.target / "packages/triton").is_dir())
        self.assertEqual([path.name for path in self.target.parent.iterdir()], ["tools"])

    def test_a_triton_that_does_not_work_any_more_is_installed_anew(self):
        self.run_script(self.target, installs="triton")
        (self.target / "packages/triton").rmdir()
        result = self.run_script(self.target, installs="triton")
        self.assertEqual(result.returncode, 0, result)
        self.assertTrue((self.target / "packages/triton").is_dir())

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

    def test_help_has_the_exit_codes_and_the_size(self):
        result = self.run_script("--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Exit code: 0", result.stdout)
        self.assertIn("GB", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
