# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Shadow bits on the ptx route: which memory is whose, in a program whose driver and CUPTI are stand-ins."""

import unittest

from images import access, function, make_image, site, table
from runtime_test import RuntimeTest

LINE, WORD = 128, 16  # where the row of the first function is


def image_with_rows(path, *names, called=()):
    """A module with functions that working_set watches. Function i has its word at WORD + 8 * i."""
    functions = []
    for i, name in enumerate([*names, *called]):
        made = function(name, site(None, access(row=i)), is_entry=name not in called)
        functions.append(made | {"row": i})
    count = len(functions)
    rows = {
        "tool": "working_set",
        "function_rows": count,
        "site_rows": count,
        "shard": {"functions": 0, "function_bytes": 0, "sites": 0, "site_bytes": 8},
        "shared": {"functions": WORD, "function_bytes": 8, "sites": 0, "site_bytes": 0},
    }
    made = table(1, *functions, counters=0, schema="pasta.ptx.sites/3", tools=["working_set"], rows=[rows],
                 shard_bytes=8 * count, shared_bytes=WORD + 8 * count)
    return make_image(path, made, state_words=6)


def touch(name, offset=0, size=4, function=0):
    return f"touch@{WORD + 8 * function}=${name}+{offset}:{size}"


class ShadowTest(RuntimeTest):
    def setUp(self):
        super().setUp()
        self.image = image_with_rows(self.path("rows.o"), "_Z1av", "_Z1bv")

    def run_program(self, *commands, **variables):
        return super().run_program(*commands, **({"PASTA_TOOLS": "working_set"} | variables))

    def allocations(self, kernel):
        """(number, size, bytes in lines, accesses) of each allocation that the kernel touched."""
        (found,) = [t for t in self.kernels()[kernel]["tables"] if t["name"] == "allocations"]
        return [(row[0], row[1], row[2], row[5]) for row in found["rows"]]

    def unknown(self, kernel):
        (found,) = [t for t in self.kernels()[kernel]["tables"] if t["name"] == "totals"]
        return found["rows"][0][8]

    def test_each_kernel_has_bits_of_its_own(self):
        self.run_program(
            "context A", f"load M {self.image}", "alloc x 4096", "alloc y 1000",
            f"launch M _Z1av 1x32 {touch('x')},{touch('x', 4)},{touch('y', 512, 128)}",
            f"launch M _Z1bv 1x32 {touch('y', 900, 4, 1)},{touch('y', 1000, 4, 1)},{touch('x', -4, 4, 1)}",
            f"launch M _Z1av 1x32 {touch('x', 4000)}",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, 2 * LINE, 3), (1, 1000, LINE, 1)])
        self.assertEqual(self.unknown("a()"), 0)
        self.assertEqual(self.allocations("b()"), [(1, 1000, 1000 - 896, 1)])
        self.assertEqual(self.unknown("b()"), 2)
        self.assertTrue(any(note.startswith("shadow memory: at most") for note in self.report()["notes"]))

    def test_memory_that_comes_between_launches(self):
        commands = ["context A", f"load M {self.image}"]
        for i in range(12):
            commands += [f"alloc x{i} 1000", f"launch M _Z1av 1x32 {touch(f'x{i}')},{touch('x0', 512)}"]
        self.run_program(*commands)
        found = self.allocations("a()")
        self.assertEqual(found, [(0, 1000, 2 * LINE, 13)] + [(i, 1000, LINE, 1) for i in range(1, 12)])

    def test_memory_that_goes_is_read_first(self):
        self.run_program(
            "context A", f"load M {self.image}", "alloc x 4096", f"launch M _Z1av 1x32 {touch('x')}", "free x",
            "alloc y 4096", f"launch M _Z1av 1x32 {touch('y', 256)},{touch('y', 512)}", "free y",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, LINE, 1), (1, 4096, 2 * LINE, 2)])

    def test_memory_that_goes_in_the_order_of_a_stream_is_not_waited_for(self):
        self.run_program(
            "context A", f"load M {self.image}", "alloc x 4096", f"launch M _Z1av 1x32 {touch('x')}", "sync",
            "waits", "free_async x", "alloc_async y 2048",
            f"launch M _Z1av 1x32 {touch('y', 256)},{touch('y', 2048)}", "waits",
            stdout="waits: 1\nwaits: 1\n",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, LINE, 1), (1, 2048, LINE, 1)])
        self.assertEqual(self.unknown("a()"), 1)

    def test_memory_of_another_context_is_not_known(self):
        self.run_program(
            "context A", "alloc x 4096", "context B", f"load M {self.image}", "alloc y 4096",
            f"launch M _Z1av 1x32 {touch('x')},{touch('y')}",
        )
        self.assertEqual(self.allocations("a()"), [(1, 4096, LINE, 1)])
        self.assertEqual(self.unknown("a()"), 1)

    def test_the_limit_makes_lines_longer_for_all_kernels(self):
        mib = 1 << 20
        self.run_program(
            "memory 2147483648", "context A", f"load M {self.image}", "alloc x 65536",
            f"launch M _Z1av 1x32 {touch('x', 2048)}",
            f"launch M _Z1bv 1x32 {touch('x', 2048, 4, 1)}", f"alloc y {1200 * mib}",
            f"launch M _Z1av 1x32 {touch('x', 4096)},{touch('y')}",
            f"launch M _Z1bv 1x32 {touch('x', 4096, 4, 1)}",
            PASTA_TOOL_OPTIONS="memory=1",
        )
        (note,) = [note for note in self.report()["notes"] if "is limited to" in note]
        for kernel in ("a()", "b()"):
            self.assertEqual(self.allocations(kernel)[0][3], 2)
            self.assertEqual(self.unknown(kernel), 0)
        self.assertIn("not for 128", note)

    def test_a_module_that_is_unloaded(self):
        self.run_program(
            "context A", f"load M {self.image}", "alloc x 4096", f"launch M _Z1av 1x32 {touch('x')}", "unload M",
            f"load M {self.image}", f"launch M _Z1av 1x32 {touch('x', 256)}",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, 2 * LINE, 2)])

    def test_a_graph_finds_memory_that_came_after_it(self):
        self.run_program(
            "context A", f"load M {self.image}", "stream S", "alloc x 4096", "capture S",
            f"launch M _Z1av 1x32 {touch('x')} S", "end S G", "instantiate E G", "alloc y 4096", "replay E S 3",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, LINE, 3)])

    def test_memory_that_goes_while_a_stream_is_captured_is_read_later_and_not_waited_for(self):
        self.run_program(
            "context A", f"load M {self.image}", "stream S", "alloc x 4096", "alloc y 4096", "alloc z 4096",
            f"launch M _Z1av 1x32 {touch('x')}", "sync", "capture S", "free x",
            f"launch M _Z1av 1x32 {touch('z')} S", "waits", "end S G", f"launch M _Z1av 1x32 {touch('z', 256)}",
            "free y", "waits", stdout="waits: 1\nwaits: 1\n",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, LINE, 1), (2, 4096, LINE, 1)])

    def test_memory_of_a_graph_is_not_the_programs(self):
        self.run_program(
            "context A", f"load M {self.image}", "stream S", "alloc x 4096", "alloc y 4096",
            f"launch M _Z1av 1x32 {touch('x')}", "sync", "free_async x", "capture S", "alloc_async z 4096 S",
            "free_async y S", "end S G", f"launch M _Z1av 1x32 {touch('z')},{touch('y')}",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, LINE, 1), (1, 4096, LINE, 1)])
        self.assertEqual(self.unknown("a()"), 1)

    def test_a_limit_that_a_called_function_reaches_is_told_to_the_kernel(self):
        called = [f"_Z1{letter}v" for letter in "fghij"]
        image = image_with_rows(self.path("called.o"), "_Z1av", called=called)
        touches = ",".join(touch("x", 256, 4, i) for i in range(6))
        self.run_program("memory 2147483648", "context A", f"load M {image}", "alloc x 65536", f"alloc y {300 << 20}",
                         f"launch M _Z1av 1x32 {touches}", PASTA_TOOL_OPTIONS="memory=1")
        self.assertTrue(any("is limited to" in note for note in self.report()["notes"]))
        for letter in "afghij":
            self.assertEqual(self.allocations(f"{letter}()")[0][3], 1)

    def test_functions_that_kernels_call_stand_by_themselves(self):
        image = image_with_rows(self.path("called.o"), "_Z1av", called=["_Z1fv", "_Z1gv"])
        self.run_program(
            "context A", f"load M {image}", "alloc x 4096",
            f"launch M _Z1av 1x32 {touch('x')},{touch('x', 256, 4, 1)}",
        )
        self.assertEqual(self.allocations("a()"), [(0, 4096, LINE, 1)])
        self.assertEqual(self.allocations("f()"), [(0, 4096, LINE, 1)])
        self.assertNotIn("g()", self.kernels())

    def test_launches_kept_apart_have_no_bits_and_the_report_says_so(self):
        self.run_program(
            "context A", f"load M {self.image}", "alloc x 4096", f"launch M _Z1av 1x32 {touch('x')}",
            PASTA_PER="launch",
        )
        (tool,) = self.report()["tools"]
        (kernel,) = tool["kernels"]
        self.assertEqual(kernel["losses"]["not_instrumentable"],
                         ["what it touched: this route has bits for a kernel, not for launches kept apart"])

    def test_launches_of_a_sample_have_bits(self):
        self.run_program(
            "context A", f"load M {self.image}", "alloc x 4096", f"launch M _Z1av 1x32 {touch('x')}",
            f"launch M _Z1av 1x32 {touch('x', 1024)}", f"launch M _Z1av 1x32 {touch('x', 2048)}",
            f"launch M _Z1av 1x32 {touch('x', 3072)}",
            PASTA_SAMPLING_RATE="0.5",
        )
        (tool,) = self.report()["tools"]
        (kernel,) = tool["kernels"]
        self.assertEqual(kernel["losses"]["not_instrumentable"], [])
        self.assertEqual(self.allocations("a()"), [(0, 4096, 2 * LINE, 2)])


if __name__ == "__main__":
    unittest.main()
