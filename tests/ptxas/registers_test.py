# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Registers of instrumented kernels, with NVIDIA's ptxas: what fits natively fits with counters."""

import json
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import real_test

HEAD = ".version 8.8\n.target {target}\n.address_size 64\n"
TOOLS = {"PASTA_PTX_TOOLS": "access_count", "PASTA_PTX_STRICT": "1"}


def kernel(values, directives="", name="k", inside="", loops=4):
    """A kernel in which so many values live while loops are run; each loop has a counter of its own."""
    lines = [".reg .pred %p;", ".reg .u64 %a;", ".reg .u32 %i;", f".reg .f32 %v<{values}>;",
             f"ld.param.u64 %a, [{name}_p];", inside]
    lines += [f"ld.volatile.global.f32 %v{i}, [%a+{4 * i}];" for i in range(values)]
    for loop in range(loops):
        lines += ["mov.u32 %i, 0;", f"$loop{loop}:", f"st.volatile.global.f32 [%a+{loop * 4}], %v{loop};",
                  "ld.volatile.global.u32 %i, [%a];", "setp.ne.u32 %p, %i, 0;", f"@%p bra $loop{loop};"]
    lines += [f"st.volatile.global.f32 [%a+{4 * i}], %v{i};" for i in range(values)]
    body = "\n".join("\t" + line for line in lines + ["ret;"] if line)
    return f".visible .entry {name}(.param .u64 {name}_p)\n{directives}\n{{\n{body}\n}}\n"


class RegistersTest(real_test.RealTest):
    def assemble(self, text, *words, target="sm_90", name="a.ptx", **environment):
        """@return what is reported of the kernels, and ptxas's messages"""
        self.write(name, HEAD.format(target=target) + text)
        report = self.path(f"report of {name}")
        Path(report).unlink(missing_ok=True)
        done = self.run_it(real_test.PROGRAM, f"-arch={target}", *words, name, "-o", f"{name}.cubin",
                           PASTA_PTXAS=real_test.PTXAS, PASTA_PTX_REPORT=report, **(TOOLS | environment))
        lines = Path(report).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines], done.stderr.decode()

    def find_values(self, registers, directives=""):
        """So many values that the kernel has just these registers natively, and wants more with counters."""
        for values in range(registers - 16, registers):
            (line,), _ = self.assemble(kernel(values, directives), PASTA_PTX_REGISTERS="free")
            if line["registers"][0] == registers < line["registers"][1]:
                return values
        return self.skipTest(f"this ptxas gives no kernel {registers} registers, and more with counters")

    def test_a_kernel_of_64_registers_keeps_its_launches_of_1024_threads(self):
        values = self.find_values(64)
        (free,), _ = self.assemble(kernel(values), PASTA_PTX_REGISTERS="free")
        self.assertEqual(free["blocks_per_multiprocessor"]["1024"], [1, 0])
        (line,), messages = self.assemble(kernel(values))
        self.assertEqual(line["registers"], [64, 64])
        self.assertEqual((line["register_limit"], line["why_unlimited"]), (64, ""))
        self.assertEqual(line["blocks_per_multiprocessor"], {"128": [8, 8], "256": [4, 4], "1024": [1, 1]})
        spills = line["spill_bytes"][1]
        expected = f"pasta: a.ptx: 1 kernel has more spills than natively, k most: 0 to {spills} bytes\n"
        self.assertEqual(messages, expected if spills else "")

    def test_bounds_of_1024_threads(self):
        values = self.find_values(64)
        (line,), _ = self.assemble(kernel(values, ".maxntid 1024, 1, 1"))
        self.assertEqual(line["block_threads"], 1024)
        self.assertEqual(line["blocks_per_multiprocessor"], {"1024": [1, 1]})

    def test_bounds_of_256_threads_keep_their_blocks(self):
        for directives in (".maxntid 256, 1, 1", ".reqntid 256, 1, 1", ".maxntid 256, 1, 1\n.minnctapersm 2"):
            with self.subTest(directives=directives):
                values = self.find_values(64, directives)
                (line,), _ = self.assemble(kernel(values, directives))
                self.assertEqual((line["register_limit"], line["registers"][0]), (64, 64))
                self.assertLessEqual(line["registers"][1], 64)
                self.assertEqual(line["blocks_per_multiprocessor"], {"256": [4, 4]})

    def test_a_kernel_that_spills_natively(self):
        (line,), messages = self.assemble(kernel(58, ".maxnreg 40", loops=12))
        self.assertEqual(line["registers"], [40, 40])
        native, instrumented = line["spill_bytes"]
        self.assertGreater(native, 0)
        self.assertGreater(instrumented, native)
        self.assertIn(f"k most: {native} to {instrumented} bytes\n", messages)

    def test_what_changes_its_registers_itself_is_not_limited(self):
        inside = "setmaxnreg.dec.sync.aligned.u32 80;"
        text = kernel(40, ".maxntid 384, 1, 1\n.minnctapersm 1", inside=inside)
        (line,), messages = self.assemble(text, target="sm_90a")
        self.assertEqual((line["register_limit"], line["registers"][0]), (None, line["registers"][1]))
        self.assertNotIn("setmaxnreg", messages)
        (line,), messages = self.assemble(kernel(58, inside=inside), target="sm_90a")
        self.assertEqual(line["register_limit"], None)
        self.assertIn("'setmaxnreg' ignored; unable to determine register count at entry", messages)

    def test_a_limit_on_the_command_line(self):
        (line,), _ = self.assemble(kernel(58), "-maxrregcount=48")
        self.assertEqual((line["registers"], line["register_limit"]), ([48, 48], 48))
        (line,), _ = self.assemble(kernel(50), "-maxrregcount=64")
        self.assertLessEqual(line["registers"][1], 64)
        self.assertEqual(line["blocks_per_multiprocessor"]["256"][0], line["blocks_per_multiprocessor"]["256"][1])
        words = ["-maxrregcount=72", "-override-directive-values"]
        (line,), _ = self.assemble(kernel(58, ".maxnreg 40"), *words)
        self.assertEqual((line["register_limit"], line["registers"][0]), (None, 64))

    def test_debug_code_and_quick_code_are_limited_too(self):
        for words in (["-g"], ["-Ofc", "max"], ["-O1"]):
            with self.subTest(words=words):
                (line,), _ = self.assemble(kernel(50), *words)
                for before, after in line["blocks_per_multiprocessor"].values():
                    self.assertGreaterEqual(after, before)

    def test_relocatable_code_is_limited_where_it_calls_nothing(self):
        values = self.find_values(64)
        (line,), _ = self.assemble(kernel(values), "-c")
        self.assertEqual(line["register_limit"], 64)
        calls = ".extern .func other;\n" + kernel(values + 2, inside="call other;")
        (line,), _ = self.assemble(calls, "-c")
        self.assertEqual(line["register_limit"], None)

    def test_near_the_most_there_are(self):
        (line,), _ = self.assemble(kernel(250))
        self.assertLessEqual(line["registers"][1], 255)
        self.assertEqual(line["blocks_per_multiprocessor"]["128"], [2, 2])

    def test_near_the_most_there_are_little_is_kept_in_registers(self):
        for values, counters in ((20, 6), (250, 2)):
            (line,), _ = self.assemble(kernel(values, loops=6), PASTA_PTX_IN_PLACE="1")
            text = Path(self.path("a.ptx")).read_text(encoding="utf-8")
            self.assertEqual(text.count(".reg .b64 \t%pasta_count"), counters)
            self.assertIn(f"pasta_state_{line['module']}", text)

    def test_what_ptxas_refuses_with_a_limit_has_none(self):
        # It needs more than 80 registers to read 64 at once, unless it may choose for itself: then it takes fewer.
        reads = ", ".join(f"%r{i}" for i in range(64))
        text = (".visible .entry k(.param .u32 a, .param .u64 out) .reqntid 128\n{\n"
                ".reg .b32 %r<80>; .reg .b64 %rd<3>;\n"
                ".reg .pred %p;\nld.param.u32 %r70, [a]; ld.param.u64 %rd1, [out];\n"
                f"tcgen05.ld.sync.aligned.32x32b.x64.b32 {{{reads}}}, [%r70];\ntcgen05.wait::ld.sync.aligned;\n"
                + "".join(f"$L{i}: st.global.b32 [%rd1], %r{i}; setp.ne.s32 %p, %r{i}, 0; @%p bra $L{i};\n"
                          for i in range(6)) + "ret;\n}\n")
        (line,), messages = self.assemble(text, target="sm_100a", PASTA_PTX_REGISTERS="native", PASTA_DEBUG="1")
        self.assertEqual(line["register_limit"], None)
        self.assertRegex(line["why_unlimited"], "Insufficient registers")
        self.assertRegex(messages, "a.ptx is instrumented")

    def test_several_kernels_have_limits_of_their_own(self):
        values = self.find_values(64)
        lines, _ = self.assemble(kernel(values, name="a") + kernel(4, name="b") + kernel(values + 8, name="c"))
        by_name = {line["kernel"]: line for line in lines}
        self.assertEqual((by_name["a"]["register_limit"], by_name["b"]["register_limit"]), (64, None))
        for line in lines:
            for before, after in line["blocks_per_multiprocessor"].values():
                self.assertGreaterEqual(after, before)

    def test_every_architecture(self):
        for target in ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120"):
            with self.subTest(target=target):
                text = HEAD.format(target=target).replace("8.0", "8.8")
                self.write("a.ptx", text + kernel(58))
                done = self.run_it(
                    real_test.PROGRAM, f"-arch={target}", "a.ptx", "-o", "a.cubin", PASTA_PTXAS=real_test.PTXAS,
                    PASTA_PTX_REPORT=self.path("report"), **TOOLS)
                self.assertNotIn(b"not instrumented", done.stderr)
                line = json.loads(self.read("report").splitlines()[-1])
                self.assertEqual(line["target"], target)
                for before, after in line["blocks_per_multiprocessor"].values():
                    self.assertGreaterEqual(after, before)

    def test_many_at_once(self):
        values = self.find_values(64)
        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(lambda i: self.assemble(kernel(values), name=f"{i}.ptx"), range(8)))
        self.assertTrue(all(line["registers"] == [64, 64] for (line,), _ in results))
        cubins = {self.read(f"{i}.ptx.cubin") for i in range(8)}
        self.assertEqual(len(cubins), 1)

    def test_messages_are_those_of_the_original(self):
        """A warning with a line; figures where they are asked for, also in an options file."""
        text = HEAD.format(target="sm_90") + kernel(4) + kernel(4, ".minnctapersm 2", name="bounded")
        self.write("a.ptx", text)
        self.write("options", "-v")
        theirs = self.run_it(real_test.PTXAS, "-arch=sm_90", "a.ptx", "-o", "theirs").stderr.decode()
        self.assertRegex(theirs, r"\Aptxas a.ptx, line \d+; warning : .minnctapersm is ignored [^\n]*\n\Z")
        for words in ([], ["-optf", "options"]):
            ours = self.run_it(real_test.PROGRAM, "-arch=sm_90", *words, "a.ptx", "-o", "ours",
                               PASTA_PTXAS=real_test.PTXAS, **TOOLS).stderr.decode()
            self.assertIn(theirs, ours)
            self.assertEqual("Used " in ours, bool(words))
            self.assertEqual(ours == theirs, not words)

    def test_without_accesses_nothing_is_assembled_twice(self):
        text = HEAD.format(target="sm_90") + ".visible .entry k()\n{\n\tret;\n}\n"
        self.write("a.ptx", text)
        report = self.path("report")
        self.run_it(real_test.PROGRAM, "-arch=sm_90", "a.ptx", "-o", "ours", PASTA_PTXAS=real_test.PTXAS,
                    PASTA_PTX_REPORT=report, **TOOLS)
        self.assertFalse(os.path.exists(report))


class ArchitecturesTest(real_test.ViewFolderTest):
    def test_each_has_limits_of_its_own_though_one_text_serves_several(self):
        lines = "".join(f"  float v{i} = a[{i}];\n" for i in range(58))
        stores = "".join(f"  a[{i}] = v{i};\n" for i in range(58))
        loops = "".join(f"  while (a[{i}] != 0) a[{i}] = v{i};\n" for i in range(4))
        self.write("x.cu", f"__global__ void kernel(float volatile* a) {{\n{lines}{loops}{stores}}}\n")
        os.mkdir(self.path("originals"))
        environment = TOOLS | {"PASTA_PTX_IN_PLACE": "1", "PASTA_PTX_ORIGINALS": self.path("originals"),
                               "PASTA_PTX_REPORT": self.path("report")}
        words = ["-gencode", "arch=compute_75,code=[sm_75,sm_80,sm_90,compute_75]"]
        for threads in ("1", "4"):
            Path(self.path("report")).unlink(missing_ok=True)
            self.nvcc(self.view(), *words, "-t", threads, "-c", "-o", "x.o", **environment)
            reported = [json.loads(line) for line in self.read("report").splitlines()]
            self.assertEqual(sorted(line["target"] for line in reported), ["sm_75", "sm_80", "sm_90"])
            self.assertEqual(len({line["module"] for line in reported}), 1)
            for line in reported:
                for before, after in line["blocks_per_multiprocessor"].values():
                    self.assertGreaterEqual(after, before, line)


class EmbeddedTest(real_test.ViewFolderTest):
    def test_a_text_that_is_only_embedded_has_the_limits_of_its_number(self):
        values = RegistersTest("find_values")
        values.setUp()
        self.addCleanup(values.doCleanups)
        text = HEAD.format(target="sm_90") + kernel(values.find_values(64)) + kernel(4, name="small")
        self.write("x.ptx", text)
        for in_place in ("0", "1"):
            done = self.run_it(real_test.PROGRAM, "-arch=compute_90", "x.ptx", PASTA_PTXAS=real_test.PTXAS,
                               PASTA_PTX_IN_PLACE=in_place, PASTA_DEBUG="1", **TOOLS)
            self.assertEqual(self.read("x.ptx").count(b".maxnreg 64\n"), int(in_place))
            limit = b"pasta: debug: k: 64 registers natively on sm_90, limit 64\n"
            self.assertEqual(limit in done.stderr, in_place == "1")
        self.assertEqual(sorted(os.listdir(self.folder)), ["x.cu", "x.ptx"])


if __name__ == "__main__":
    unittest.main()
