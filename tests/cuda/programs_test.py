# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that scripts/gpu_check builds on a machine with a GPU still compile, examples among them, as far as
nvcc's own part of it: what they use of PASTA is there. Their host code is not translated and nothing is linked."""

import concurrent.futures
import os
import re
import unittest

import compiler

PROGRAMS = sorted((compiler.SOURCE_DIR / "tests/gpu").glob("*.cu")) + [
    compiler.SOURCE_DIR / "benchmarks/overhead/overhead.cu"]
# Those of one file; kernels in CUDA's own style, which have more, are for the host engine.
EXAMPLES = [folder / f"{folder.name}.cpp" for folder in sorted((compiler.SOURCE_DIR / "examples").glob("[0-9][0-9]_*"))
            if (folder / f"{folder.name}.cpp").exists()]


def flags_of(source):
    """What a program asks for itself: `// gpu_check flags: -lcuda`; what is for the linker does no harm."""
    match = re.search(r"^// gpu_check flags: (.*)$", source.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1].split() if match else []


class ProgramsTest(unittest.TestCase):
    def test_each_program_compiles_to_ptx(self):
        folder = compiler.start_in_folder(self)

        def build(source):
            tools = compiler.WITH_TOOLS if source.stem == "overhead" else []
            if source in EXAMPLES and (source.parent / "CMakeLists.txt").exists():
                tools = ['-DPASTA_PROBE_TOOLS_HEADER="example_tools.hpp"']
            try:
                compiler.compile_file(*compiler.FLAGS, *tools, *flags_of(source), compiler.QUICK, "-arch=compute_90",
                                      "-ptx", "-x", "cu", source, "-o", folder / f"{source.stem}.ptx")
            except AssertionError as failure:
                return str(failure)
            return None

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.assertGreaterEqual(len(EXAMPLES), 5)
            sources = PROGRAMS + EXAMPLES
            for source, failure in zip(sources, pool.map(build, sources)):
                with self.subTest(program=source.name):
                    self.assertIsNone(failure)


if __name__ == "__main__":
    compiler.main()
