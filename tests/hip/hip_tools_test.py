# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/hip_tools says where nothing can be made: nothing is installed."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/hip_tools"
NOBODY = 65534


class HipToolsTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() == 0 and subprocess.run(["test", "-x", SCRIPT], user=NOBODY, check=False).returncode != 0:
            self.skipTest(f"{SCRIPT} cannot be read by another user than root")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.root.chmod(0o777)

    def run_script(self, *arguments, path=None):
        """As a user who is not root, and so installs nothing."""
        user = {"user": NOBODY} if os.geteuid() == 0 else {}
        environment = {"PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]}
        return subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=60,
                              check=False, cwd="/", stdin=subprocess.DEVNULL, **user)

    def test_without_the_packages_the_checks_are_off_and_no_folder_is_made(self):
        fake = self.root / "dpkg-query"
        fake.write_text('#!/bin/sh\n[ "$3" = hipcc ] && exit 1\nprintf installed\n', encoding="utf-8")
        fake.chmod(0o755)
        done = self.run_script(self.root / "with space/tools", path=self.root)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
        self.assertIn("HIP checks are off: these packages are not all on this machine: hipcc ", done.stdout)
        self.assertFalse((self.root / "with space/tools").exists())

    def test_a_folder_of_somebody_else_is_left_alone(self):
        (self.root / "file").write_text("mine", encoding="utf-8")
        done = self.run_script(self.root)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("is not empty, and not of this script", done.stderr)
        self.assertEqual([path.name for path in self.root.iterdir()], ["file"])

    def test_wrong_arguments_are_a_usage_error(self):
        for arguments in ((), ("a", "b"), ("--fast",), ("",)):
            done = self.run_script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
