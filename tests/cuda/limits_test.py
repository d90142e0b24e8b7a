# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What decides the speed of an instrumented kernel does not grow: registers, stack, spills, calls, and the instructions
that a tool adds for each place of the source that accesses memory; against tests/golden/cuda_limits.json.

usage: limits_test.py [--update]
--update writes the file anew from what the compiler makes now.
"""

import datetime
import json
import math
import pathlib
import sys
import unittest

import compiler
import listing

KERNELS = pathlib.Path(__file__).with_name("kernels.cu")
LIMITS = compiler.SOURCE_DIR / "tests/golden/cuda_limits.json"
TOOLS = ("access_count", "coalescing")

# What is measured, and what may be added to it when limits are written: a register more can cost a warp its place on a
# processor, an instruction more is noise.
TOLERANCES = {
    "registers": 0,
    "stack_bytes": 0,
    "spill_bytes": 0,
    "calls": 0.05,
    "instructions_per_site": 0.05,
    "called_instructions": 0.05,
}


def measure(folder):
    """Each instrumented kernel's figures, {"access_count, stencil": {"registers": 30, ...}}, and its stream."""
    cubin = folder / "kernels.cubin"
    said = compiler.compile_file(*compiler.FLAGS, *compiler.WITH_TOOLS, "-arch=sm_90", "-Xptxas=-v", "-cubin", KERNELS,
                                 "-o", cubin)
    streams = listing.read_streams(compiler.disassemble(cubin))
    resources = listing.read_resources(said)
    figures, own_instructions = {}, {}
    for tool in TOOLS:
        for program, site_count in compiler.PROGRAMS.items():
            plain = listing.kernel_of(streams, listing.plain_kernel(program))
            kernel = listing.kernel_of(streams,
                                       listing.probed_kernel(tool, program, resources[plain]["registers"]))
            everything = listing.instructions(streams[kernel])
            own = listing.instructions(listing.own_part(streams[kernel]))
            added = len(own) - len(listing.instructions(streams[plain]))
            name = f"{tool}, {program}"
            own_instructions[name] = own
            figures[name] = {
                "registers": resources[kernel]["registers"],
                "stack_bytes": resources[kernel]["stack_bytes"],
                "spill_bytes": resources[kernel]["spill_bytes"],
                "calls": sum(listing.mnemonic(line).startswith("CALL") for line in own),
                "instructions_per_site": math.ceil(added / site_count),
                "called_instructions": len(everything) - len(own),
            }
    return figures, own_instructions


def compare(figures, limits):
    """One line for each figure above its limit, and for a kernel that only one of both has."""
    lines = [f"{name}: in one of the compiled kernels and the limits alone" for name in sorted(figures.keys() ^ limits)]
    for name in figures.keys() & limits.keys():
        for what, value in figures[name].items():
            if value > limits[name][what]:
                lines.append(f"{name}: {what} is {value}, limit {limits[name][what]}")
    return sorted(lines)


def write_limits():
    folder = compiler.start_in_folder(LimitsTest)
    figures, _ = measure(folder)
    limits = {name: {what: math.floor(value * (1 + TOLERANCES[what])) for what, value in row.items()}
              for name, row in figures.items()}
    head = {
        "what": "upper limits of instrumented kernels: instructions_per_site are added by the tool for each place that "
                "accesses memory, called_instructions are those of functions that the kernel calls",
        "nvcc": compiler.release(),
        "architecture": "sm_90",
        "date": datetime.date.today().isoformat(),
        "command": "tests/cuda/limits_test.py --update",
    }
    rows = [f'  {json.dumps(name)}: {json.dumps(row)}' for name, row in limits.items()]
    text = json.dumps(head, indent=1)[:-2] + ',\n "kernels": {\n' + ",\n".join(rows) + "\n }\n}\n"
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
        cls.figures, cls.instructions = measure(compiler.start_in_folder(cls))

    def test_no_figure_is_above_its_limit(self):
        lines = compare(self.figures, self.golden["kernels"])
        self.assertFalse(lines, "grew; if it is worth it: limits_test.py --update\n" + "\n".join(lines))

    def test_no_kernel_s_own_instructions_use_local_memory(self):
        for program in compiler.PROGRAMS:
            with self.subTest(program=program):
                for tool in TOOLS:
                    instructions = self.instructions[f"{tool}, {program}"]
                    local = [line for line in instructions if listing.mnemonic(line) in ("LDL", "STL")]
                    self.assertEqual(local, [])
                    self.assertIn("STG", map(listing.mnemonic, instructions))  # the listing is the kernel's


class CompareTest(unittest.TestCase):
    def test_what_grew_is_named_with_its_limit(self):
        limits = {"a": {"registers": 30, "calls": 2}, "b": {"registers": 8, "calls": 0}}
        figures = {"a": {"registers": 31, "calls": 1}, "b": {"registers": 8, "calls": 0}}
        self.assertEqual(compare(figures, limits), ["a: registers is 31, limit 30"])

    def test_a_kernel_without_limits_is_named(self):
        self.assertEqual(compare({"a": {}}, {"b": {}}),
                         [f"{name}: in one of the compiled kernels and the limits alone" for name in "ab"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"] and compiler.NVCC and compiler.NVDISASM:
        write_limits()
    else:
        compiler.main()
