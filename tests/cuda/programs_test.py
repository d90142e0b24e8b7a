# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that scripts/gpu_check builds on a machine with a GPU still compile, as far as nvcc's own part of it:
what they use of PASTA is there. Their host code is not translated and nothing is linked."""

import concurrent.futures
import os
import re
import unittest

import compiler

PROGRAMS = sorted((compiler.SOURCE_DIR / "tests/gpu").glob("*.cu")) + [
    compiler.SOURCE_DIR / "benchmarks/overhead/overhead.cu"]


def flags_of(source):
    """What a program asks for itself: `// gpu_check flags: -lcuda`; what is for the linker does no harm."""
    match = re.search(r"^// gpu_check flags: (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1].split() if match else []


class ProgramsTest(unittest.TestCase):
    def test_each_program_compiles_to_ptx(self):
        folder = compiler.start_in_folder(self)

        def build(source):
            tools = compiler.WITH_TOOLS if source.stem == "overhead" else []
            try:
                compiler.compile_file(*compiler.FLAGS, *tools, *flags_of(source), compiler.QUICK, "-arch=compute_90",
                                      "-ptx", source, "-o", folder / f"{source.stem}.ptx")
            except AssertionError as failure:
                return str(failure)
            return None

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, failure in zip(PROGRAMS, pool.map(build, PROGRAMS)):
                with self.subTest(program=source.name):
                    self.assertIsNone(failure)


if __name__ == "__main__":
    compiler.main()
