# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/quickstart and scripts/check say before they do anything: wrong arguments, missing packages."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
NOBODY = 65534


def run(script, *arguments, path=None):
    """Runs a script as a user who is not root, with a folder of commands found before all others."""
    environment = dict(os.environ)
    if path:
        environment["PATH"] = f"{path}:{environment['PATH']}"
    user = {"user": NOBODY} if os.geteuid() == 0 else {}
    return subprocess.run([SCRIPTS / script, *arguments], env=environment, cwd="/", capture_output=True, text=True,
                          timeout=30, check=False, stdin=subprocess.DEVNULL, **user)


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() == 0:
            reading = subprocess.run(["test", "-x", SCRIPTS / "quickstart"], user=NOBODY, check=False)
            if reading.returncode != 0:
                self.skipTest(f"{SCRIPTS} cannot be read by another user than root")

    def test_without_root_the_line_that_installs_is_printed_and_the_status_is_125(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            fake = Path(folder, "dpkg-query")
            fake.write_text('#!/bin/sh\n[ "$3" = libfmt-dev ] && exit 1\nprintf installed\n', encoding="utf-8")
            fake.chmod(0o755)
            for script in ("quickstart", "check"):
                result = run(script, path=folder)
                self.assertEqual(result.returncode, 125, result)
                self.assertIn("\n  sudo apt-get install --yes --no-install-recommends libfmt-dev\n", result.stderr)
                self.assertEqual(result.stdout, "")

    def test_a_package_that_was_removed_counts_as_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            fake = Path(folder, "dpkg-query")
            fake.write_text('#!/bin/sh\n[ "$3" = libelf-dev ] && printf config-files || printf installed\n',
                            encoding="utf-8")
            fake.chmod(0o755)
            result = run("quickstart", path=folder)
            self.assertEqual(result.returncode, 125, result)
            self.assertIn("--no-install-recommends libelf-dev\n", result.stderr)

    def test_an_unknown_argument_is_a_usage_error(self):
        for script in ("quickstart", "check"):
            result = run(script, "--fsat")
            self.assertEqual(result.returncode, 2, result)
            self.assertIn("usage: " + script, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
