#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""No file asks by #if which vendor it is compiled for, but config.hpp, the folder vendor/, and files that are one
vendor's alone (a folder cuda, hip or host), where such a condition is about versions.

usage: vendor_condition_test.py SOURCE_DIR | --self-test
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

FOLDERS = ("include", "tools", "examples", "benchmarks")
SUFFIXES = (".hpp", ".h", ".inl", ".cpp", ".in", ".cu", ".cuh", ".hip")
ALLOWED = re.compile(r"include/pasta/(config\.hpp|vendor/.*|.*/(cuda|hip|host)/.*)|tools/(ptx|hip)_runtime/.*")
# Why they may ask.
EXCEPTIONS = {
    "include/pasta/cuda_names.hpp": "gives plain kernels the names that nvcc has itself",
    "tools/pasta/built_with.h.in": "stands before users' sources, of any kind, in `pasta nvcc`",
    "tools/pasta/llvm_device.h.in": "stands before users' sources, of any kind, in `pasta hipcc`",
}
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|elifdef|elifndef)\b((?:[^\n]*\\\n)*[^\n]*)",
                       re.MULTILINE)
VENDOR = re.compile(r"\b(__CUDA\w*|__NVCC\w*|__NVPTX\w*|CUDART_VERSION|CUDA_VERSION|__HIP\w*|HIP_VERSION\w*|__AMD\w*|"
                    r"__amdgcn__|PASTA_DETAIL_IS_(?:CUDA|HIP)|PASTA_VENDOR_\w+)\b")


def find_conditions(text):
    """(line number, name) of each condition on the vendor."""
    found = []
    for condition in CONDITION.finditer(text):
        name = VENDOR.search(condition[1])
        if name:
            found.append((text.count("\n", 0, condition.start()) + 1, name[0]))
    return found


def check(root):
    """The mistakes, one line each, and how many files were read."""
    mistakes, count, asking = [], 0, set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in SUFFIXES or not path.is_file() or ALLOWED.fullmatch(name):
                continue
            count += 1
            for line, macro in find_conditions(path.read_text(encoding="utf-8")):
                asking.add(name)
                if name not in EXCEPTIONS:
                    mistakes.append(f"{name}:{line}: asks for the vendor ({macro}): that is for config.hpp and vendor/")
    mistakes += [f"{name}: needs to be no exception" for name in sorted(EXCEPTIONS.keys() - asking)
                 if (root / name).exists()]
    return mistakes, count


class SelfTest(unittest.TestCase):
    def mistakes_in(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            return check(Path(folder))[0]

    def test_finds_each_form(self):
        for text in ("#if defined(__CUDACC__)\n", "// x\n  # ifdef __HIPCC__\n", "#if A\n#elif PASTA_DETAIL_IS_HIP\n",
                     "#if A && \\\n  CUDART_VERSION >= 12000\n"):
            self.assertEqual(len(self.mistakes_in("include/pasta/tool.hpp", text)), 1, text)
        self.assertEqual(self.mistakes_in("tools/a/a.hpp", "\n#ifndef __HIP_DEVICE_COMPILE__\n"),
                         ["tools/a/a.hpp:2: asks for the vendor (__HIP_DEVICE_COMPILE__): that is for config.hpp and "
                          "vendor/"])

    def test_accepts_what_is_no_question_of_the_vendor(self):
        for name, text in {"include/pasta/tool.hpp": "#if PASTA_IS_HOST_PASS\n#ifndef PASTA_TOOL_HPP\n",
                           "include/pasta/event.hpp": "// #if defined(__CUDACC__)\nint a = CUDART_VERSION;\n",
                           "include/pasta/vendor/hip/lane.hpp": "#ifdef __HIPCC__\n",
                           "include/pasta/session/cuda/executor.hpp": "#if CUDART_VERSION >= 12040\n"}.items():
            self.assertEqual(self.mistakes_in(name, text), [], name)

    def test_an_exception_that_is_none_is_named(self):
        self.assertEqual(self.mistakes_in("include/pasta/cuda_names.hpp", "int a;\n"),
                         ["include/pasta/cuda_names.hpp: needs to be no exception"])


def main(arguments):
    if arguments == ["--self-test"]:
        unittest.main(argv=[sys.argv[0]], verbosity=2)
    if len(arguments) != 1 or not Path(arguments[0], "include/pasta").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    mistakes, count = check(Path(arguments[0]))
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{count} files read, {len(mistakes)} mistakes")
    return 1 if mistakes or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
