# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What the compilers make of the programs in examples/targets under each tool, for three GPUs: everything inlined, no
memory of a thread's own, no barrier, and at most as many registers as tests/golden/hip_limits.json says.

usage: assembly_test.py [--update]
--update writes the file anew from what the compilers make now.
"""

import concurrent.futures
import datetime
import json
import math
import re
import sys
import unittest

import compiler
import listing

LIMITS = compiler.SOURCE_DIR / "tests/golden/hip_limits.json"
TOOLS = ("access_count", "coalescing")
# What may be added to a figure when limits are written: a register can cost a wave its place, an instruction is noise.
TOLERANCES = {"vgprs": 0, "vgprs_added": 0, "sgprs": 0, "instructions": 0.05}


def compile_targets(folder, architecture):
    """The kernels of all programs and tools."""
    name = compiler.ARCHITECTURES[architecture]
    assembly = folder / f"{architecture}.s"
    compiler.compile_file(name, *compiler.FLAGS, *compiler.WITH_TOOLS, f"--offload-arch={architecture}",
                          "--cuda-device-only", "-S", "-O2", compiler.write_all_targets(folder), "-o", assembly)
    return listing.read_kernels(assembly.read_text(encoding="utf-8"))


def compile_all(folder):
    """{architecture: its kernels}"""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(compiler.ARCHITECTURES,
                        pool.map(lambda architecture: compile_targets(folder, architecture), compiler.ARCHITECTURES)))


def programs_of(kernels):
    """The kernels' names in the source, as the plain ones have them: ["csr_spmv", ...]."""
    found = []
    for name in kernels:
        if match := re.match(r"_ZN5pasta6detail9run_plainI(\d+)(\w+)", name):
            found.append(match[2][:int(match[1])])
    return sorted(found)


def measure(kernels):
    """{"access_count, stencil": {"vgprs": 19, ...}}"""
    figures = {}
    for tool in TOOLS:
        for program in programs_of(kernels):
            plain = kernels[listing.kernel_of(kernels, listing.plain_kernel(program))]
            probed = kernels[listing.kernel_of(kernels, listing.probed_kernel(tool, program))]
            figures[f"{tool}, {program}"] = {
                "vgprs": probed["vgprs"], "vgprs_added": probed["vgprs"] - plain["vgprs"], "sgprs": probed["sgprs"],
                "instructions": len(probed["instructions"])}
    return figures


def compare(figures, limits):
    """One line for each figure above its limit, and for a kernel that only one of both has."""
    lines = [f"{name}: in one of the compiled kernels and the limits alone" for name in sorted(figures.keys() ^ limits)]
    for name in figures.keys() & limits.keys():
        for what, value in figures[name].items():
            if value > limits[name][what]:
                lines.append(f"{name}: {what} is {value}, limit {limits[name][what]}")
    return sorted(lines)


def write_limits():
    all_kernels = compile_all(compiler.start_in_folder(AssemblyTest))
    AssemblyTest.doClassCleanups()
    head = {
        "what": "upper limits of instrumented kernels for AMD GPUs; compiled, not run on AMD hardware",
        "compilers": compiler.versions(),
        "architectures": compiler.ARCHITECTURES,
        "date": datetime.date.today().isoformat(),
        "command": "tests/hip/assembly_test.py --update",
    }
    tables = []
    for architecture, kernels in all_kernels.items():
        rows = {name: {what: math.floor(value * (1 + TOLERANCES[what])) for what, value in row.items()}
                for name, row in measure(kernels).items()}
        lines = [f"   {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
        tables.append(f"  {json.dumps(architecture)}: {{\n" + ",\n".join(lines) + "\n  }")
    text = json.dumps(head, indent=1)[:-2] + ',\n "kernels": {\n' + ",\n".join(tables) + "\n }\n}\n"
    json.loads(text)
    LIMITS.write_text(text, encoding="utf-8")
    print(text)


class AssemblyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernels = compile_all(compiler.start_in_folder(cls))

    def each_probed(self):
        for architecture, kernels in self.kernels.items():
            for program in programs_of(kernels):
                plain = kernels[listing.kernel_of(kernels, listing.plain_kernel(program))]
                for tool in TOOLS:
                    with self.subTest(architecture=architecture, program=program, tool=tool):
                        yield tool, plain, kernels[listing.kernel_of(kernels, listing.probed_kernel(tool, program))]

    def test_every_program_is_there(self):
        for kernels in self.kernels.values():
            self.assertLessEqual(set(compiler.TARGETS), set(programs_of(kernels)))

    def test_nothing_is_called(self):
        for _, _, probed in self.each_probed():
            self.assertEqual(list(filter(listing.is_call, probed["instructions"])), [])

    def test_no_thread_needs_memory_of_its_own(self):
        for _, plain, probed in self.each_probed():
            self.assertEqual(list(filter(listing.is_scratch, probed["instructions"])), [])
            for what in ("scratch_bytes", "vgpr_spills"):
                self.assertEqual((what, probed[what]), (what, plain[what]))

    def test_barriers_are_the_program_s_own(self):
        for _, plain, probed in self.each_probed():
            for kernel in (plain, probed):  # those of unrolled loops are more
                kernel["has_barrier"] = any(map(listing.is_barrier, kernel["instructions"]))
            self.assertEqual(probed["has_barrier"], plain["has_barrier"])

    def test_events_are_counted_by_atomic_operations_to_global_memory(self):
        for tool, plain, probed in self.each_probed():
            names = [listing.mnemonic(line) for line in probed["instructions"] if listing.is_atomic(line)]
            before = sum(map(listing.is_atomic, plain["instructions"]))
            stores = sum("store" in listing.mnemonic(line) for line in plain["instructions"])
            self.assertGreaterEqual(names.count("global_atomic_add_x2"), 1 + (3 if tool == "coalescing" else 0))
            self.assertGreaterEqual(len(names) - before, stores)
            # An address whose memory the compiler does not know costs more, and counts as a use of shared memory.
            self.assertEqual([name for name in names if name.startswith("flat_")], [])

    def test_no_figure_is_above_its_limit(self):
        golden = json.loads(LIMITS.read_text(encoding="utf-8"))
        if golden["compilers"] != compiler.versions():
            self.skipTest(f"the limits are for {golden['compilers']}, these are {compiler.versions()}")
        self.assertEqual(golden["kernels"].keys(), self.kernels.keys())
        for architecture, kernels in self.kernels.items():
            with self.subTest(architecture=architecture):
                lines = compare(measure(kernels), golden["kernels"][architecture])
                self.assertFalse(lines, "grew; if it is worth it: assembly_test.py --update\n" + "\n".join(lines))


class CompareTest(unittest.TestCase):
    def test_what_grew_is_named_with_its_limit(self):
        limits = {"a": {"vgprs": 30, "sgprs": 2}, "b": {"vgprs": 8, "sgprs": 0}}
        figures = {"a": {"vgprs": 31, "sgprs": 1}, "b": {"vgprs": 8, "sgprs": 0}}
        self.assertEqual(compare(figures, limits), ["a: vgprs is 31, limit 30"])

    def test_a_kernel_without_limits_is_named(self):
        self.assertEqual(compare({"a": {}}, {"b": {}}),
                         [f"{name}: in one of the compiled kernels and the limits alone" for name in "ab"])


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"] and all(compiler.PROGRAMS.values()):
        write_limits()
    else:
        compiler.main()
