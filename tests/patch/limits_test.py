# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What decides the speed of a patch does not grow: its instructions, those that go to local memory (ptxas gives a patch
24 registers and no more), and calls; for each kind of instruction that a tool needs patched, against
tests/golden/patch_limits.json.

usage: limits_test.py [--update]
--update writes the file anew from what the compiler makes now.
"""

import datetime
import json
import os
import pathlib
import re
import sys
import unittest

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE_DIR / "tests/cuda"))
import compiler  # noqa: E402
import listing  # noqa: E402

LIMITS = SOURCE_DIR / "tests/golden/patch_limits.json"
TOOLS_BUILD_DIR = pathlib.Path(os.environ.get("PASTA_TOOLS_BUILD_DIR", SOURCE_DIR / "build/check/tools"))
TOOLS = ("access_count", "coalescing")
ARCHITECTURES = (80, 90, 120)
# A patch that its tool does not need returns at once.
EMPTY = 3
# What ptxas has patches before sm_90 call where lanes that exchange have come apart.
APART = "__cuda_sm70_"


def measure(folder):
    """Each needed patch's figures: {"access_count, global_access, sm_90": {"instructions": 120, ...}}."""
    figures = {}
    for tool in TOOLS:
        for architecture in ARCHITECTURES:
            cubin = folder / f"{tool}.{architecture}.cubin"
            compiler.compile_file("-cubin", "--compile-as-tools-patch", f"-arch=sm_{architecture}",
                                  TOOLS_BUILD_DIR / tool / f"{tool}_patch.ptx", "-o", cubin)
            for name, stream in listing.read_streams(compiler.disassemble(cubin)).items():
                instructions = listing.instructions(stream)
                # Behind its end a function has a jump to itself.
                if instructions and re.fullmatch(r"BRA .*", instructions[-1]):
                    instructions.pop()
                if name.startswith(APART):
                    continue
                kind = re.fullmatch(r"pasta_patch_\d+_(\w+)", name)
                if kind is None:
                    raise AssertionError(f"{name} is no patch")
                if len(instructions) <= EMPTY:
                    continue
                mnemonics = [listing.mnemonic(line) for line in instructions]
                figures[f"{tool}, {kind[1]}, sm_{architecture}"] = {
                    "instructions": len(instructions),
                    "local": sum(each in ("LDL", "STL") for each in mnemonics),
                    "calls": sum(listing.mnemonic(line).startswith("CALL") and APART not in line
                                 for line in instructions),
                }
    return figures


def compare(figures, limits):
    """One line for each figure above its limit, and for a patch that only one of both has."""
    lines = [f"{name}: in one of the compiled patches and the limits alone" for name in sorted(figures.keys() ^ limits)]
    for name in figures.keys() & limits.keys():
        for what, value in figures[name].items():
            if value > limits[name][what]:
                lines.append(f"{name}: {what} is {value}, limit {limits[name][what]}")
    return sorted(lines)


def write_limits():
    figures = measure(compiler.start_in_folder(LimitsTest))
    head = {
        "what": "upper limits of patches: instructions, of them loads and stores of local memory, calls",
        "nvcc": compiler.release(),
        "date": datetime.date.today().isoformat(),
        "command": "tests/patch/limits_test.py --update",
    }
    rows = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in figures.items()]
    text = json.dumps(head, indent=1)[:-2] + ',\n "patches": {\n' + ",\n".join(rows) + "\n }\n}\n"
    json.loads(text)
    LIMITS.write_text(text, encoding="utf-8")
    LimitsTest.doClassCleanups()
    for name, row in figures.items():
        print(f"{name}: {row}")


class LimitsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.golden = json.loads(LIMITS.read_text(encoding="utf-8"))
        if cls.golden["nvcc"] != compiler.release():
            compiler.skip(f"the limits are for nvcc {cls.golden['nvcc']}, this is {compiler.release()}")
        cls.figures = measure(compiler.start_in_folder(cls))

    def test_no_figure_is_above_its_limit(self):
        lines = compare(self.figures, self.golden["patches"])
        self.assertFalse(lines, "grew; if it is worth it: limits_test.py --update\n" + "\n".join(lines))

    def test_a_patch_calls_nothing(self):
        self.assertEqual([name for name, row in self.figures.items() if row["calls"] != 0], [])

    def test_tools_have_the_patches_that_they_need(self):
        kinds = {tool: {name.split(", ")[1] for name in self.figures if name.startswith(tool)} for tool in TOOLS}
        copies = {"copy_async", "bulk_global_to_shared", "bulk_shared_to_global", "bulk_reduction_to_global"}
        self.assertEqual(kinds["coalescing"], {"global_access"} | copies)
        self.assertEqual(kinds["access_count"],
                         {"global_access", "shared_access", "local_access", "remote_shared_access", "matrix_access",
                          "async_store", "async_reduction", "bulk_shared_to_shared", "bulk_reduction_to_shared",
                          "shared_set"} | copies)


class CompareTest(unittest.TestCase):
    def test_what_grew_is_named_with_its_limit(self):
        limits = {"a": {"instructions": 10, "local": 0, "calls": 0}, "gone": {}}
        lines = compare({"a": {"instructions": 11, "local": 0, "calls": 1}}, limits)
        self.assertEqual(lines, ["a: calls is 1, limit 0", "a: instructions is 11, limit 10",
                                 "gone: in one of the compiled patches and the limits alone"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        write_limits()
    else:
        compiler.main()
