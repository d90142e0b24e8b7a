# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""A vendor is small: what HIP has of its own is at most 800 lines. Sorting, which a program asks for by its header, is
apart."""

import pathlib
import unittest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include/pasta"
MOST_LINES = 800


class SizeTest(unittest.TestCase):
    def test_the_hip_vendor_has_at_most_800_lines(self):
        files = {INCLUDE / "vendor/hip.hpp", *INCLUDE.glob("*/hip/**/*.hpp"), *INCLUDE.glob("*/hip/**/*.inl")}
        files.remove(INCLUDE / "analysis/hip/sort.hpp")
        lines = {path.relative_to(INCLUDE).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
                 for path in files}
        for step in ("vendor/hip/warp.hpp", "vendor/hip/rocprofiler.hpp", "session/hip/executor.hpp"):
            self.assertIn(step, lines)
        self.assertLessEqual(sum(lines.values()), MOST_LINES, lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
