# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The collector of the patch route in a program whose driver and Compute Sanitizer are stand-ins: kernels run on the
interpreter of PTX, which calls the tools' real patches before each access."""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

from images import make_lines

PASTA = os.environ["PASTA_CLI"]
PROGRAM = os.environ["PASTA_PATCH_PROGRAM"]
FOLDER = os.environ["PASTA_PATCH_FOLDER"]
SCALE, STRIDED = "scale(float*, int)", "strided(float*, int)"


class PatchTest(unittest.TestCase):
    # kernels.ptx has a function that a kernel calls; in inlined.ptx each kernel is one piece of code.
    KERNELS = "kernels.ptx"

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pasta patch ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.output = os.path.join(self.folder, "report.json")
        self.module = os.path.join(self.folder, "a module.ptx")
        shutil.copy(os.path.join(os.environ["PASTA_PATCH_KERNELS"], self.KERNELS), self.module)
        make_lines(self.module)

    def environment(self, tool, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PASTA_", "CUDA_", "STAND_IN_"))}
        clean |= {
            "LC_ALL": "C",
            "PASTA_SANITIZER": os.path.join(FOLDER, "now/libsanitizer-public.so"),
            "STAND_IN_PATCHES": os.path.join(os.environ["PASTA_TOOLS_BUILD_DIR"], tool, f"{tool}_patch.ptx"),
        }
        return {k: v for k, v in (clean | variables).items() if v is not None}

    def run_pasta(self, *commands, tool="access_count", flags=(), code=0, stdout="done\n", **variables):
        """Runs the program under `pasta run`. @return what pasta said"""
        words = [PASTA, "run", tool, "--route", "patch", "--quiet", "--output", self.output, *flags, "--", PROGRAM]
        done = subprocess.run(
            words + [each.replace("MODULE", self.module) for each in commands],
            env=self.environment(tool, **variables),
            capture_output=True,
            text=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, stdout)
        return done.stderr

    def report(self):
        with open(self.output) as file:
            return json.load(file)

    def kernels(self):
        (tool,) = self.report()["tools"]
        return {kernel["kernel"]: kernel for kernel in tool["kernels"]}

    def rows(self, kernel, *columns):
        """The rows of a kernel's sites, with these columns."""
        (found,) = [t for t in self.kernels()[kernel]["tables"] if t["name"] == "sites"]
        names = [column["name"] for column in found["columns"]]
        return [tuple(row[names.index(name)] for name in columns) for row in found["rows"]]

    def counts(self, kernel):
        return self.rows(kernel, "line", "access", "space", "size", "accesses")

    def launches(self, kernel):
        losses = self.kernels()[kernel]["losses"]
        return tuple(losses["launches_" + name] for name in ("seen", "delivered", "sampled_out", "lost"))


class CountTest(PatchTest):
    def test_accesses_are_counted_by_line(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100", "sync")
        self.assertEqual(self.counts(SCALE), [(7, "load", "global", 4, 100), (8, "store", "global", 4, 100)])
        self.assertEqual(self.launches(SCALE), (1, 1, 0, 0))
        kernel = self.kernels()[SCALE]
        self.assertEqual((kernel["grid"], kernel["block"]), ("2x1x1", "64x1x1"))
        self.assertEqual(self.report()["header"]["route"], "patch")

    def test_launches_and_kernels_add_up_each_for_itself(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100 3", "launch M _Z7stridedPfi 1x32 32",
                       "launch M _Z5scalePfi 1x64 10", "sync")
        self.assertEqual(self.counts(SCALE), [(7, "load", "global", 4, 310), (8, "store", "global", 4, 310)])
        self.assertEqual(self.counts(STRIDED), [(14, "store", "global", 4, 32)])
        self.assertEqual(self.launches(SCALE), (4, 4, 0, 0))

    def test_a_handler_has_requests_and_sectors(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100", "launch M _Z7stridedPfi 1x32 32",
                       tool="coalescing")
        columns = ("line", "access", "requests", "sectors", "sectors_needed")
        self.assertEqual(self.rows(SCALE, *columns), [(7, "load", 4, 13, 13), (8, "store", 4, 13, 13)])
        self.assertEqual(self.rows(STRIDED, *columns), [(14, "store", 1, 32, 4)])

    def test_shared_memory_and_functions_that_are_called_are_seen(self):
        self.run_pasta("load M MODULE", "launch M _Z14through_sharedPfi 1x64 50")
        found = self.counts("through_shared(float*, int)")
        self.assertEqual([row for row in found if row[0] == 21],
                         [(21, "load", "global", 4, 50), (21, "store", "shared", 4, 50)])
        self.assertIn((23, "load", "shared", 4, 50), found)
        # In a function that is called, and there in one of CUDA's headers: the innermost line.
        self.assertEqual([row[1:] for row in found if row[1] == "atomic"], [("atomic", "global", 4, 50)])

    def test_lanes_of_one_instruction_in_two_spaces(self):
        self.run_pasta("load M MODULE", "launch M _Z7genericPfi 1x64 50")
        found = [row[1:] for row in self.counts("generic(float*, int)")]
        self.assertEqual(sorted(found), [("store", "global", 4, 25), ("store", "shared", 4, 25)])

    def test_without_lines_places_are_offsets_of_functions(self):
        os.remove(self.module + ".elf")
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100")
        found = self.rows(SCALE, "file", "line", "access", "accesses")
        self.assertEqual([row[1:] for row in found], [(0, "load", 100), (0, "store", 100)])
        for row in found:
            self.assertRegex(row[0], r"^scale\(float\*, int\)\+0x[0-9a-f]{4}$")

    def test_addresses_may_be_offsets_in_the_kernel(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100", "launch M _Z7stridedPfi 1x32 32",
                       STAND_IN_OFFSETS="yes")
        self.assertEqual(self.counts(SCALE), [(7, "load", "global", 4, 100), (8, "store", "global", 4, 100)])
        self.assertEqual(self.counts(STRIDED), [(14, "store", "global", 4, 32)])

    def test_the_report_keeps_to_its_schema(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100")
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        with open(os.environ["PASTA_PATCH_SCHEMA"]) as file:
            jsonschema.validate(self.report(), json.load(file))

    def test_modules_that_are_unloaded_keep_their_names(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100", "unload M", "load N MODULE",
                       "launch N _Z5scalePfi 1x32 32")
        self.assertEqual(self.counts(SCALE), [(7, "load", "global", 4, 132), (8, "store", "global", 4, 132)])


class ChoiceTest(PatchTest):
    TWO = ("load M MODULE", "launch M _Z5scalePfi 1x32 32 4", "launch M _Z7stridedPfi 1x32 32", "sync")

    def test_only_kernels_that_were_chosen(self):
        self.run_pasta(*self.TWO, flags=["--kernels", "scale"])
        self.assertEqual(self.launches(SCALE), (4, 4, 0, 0))
        self.assertEqual(self.launches(STRIDED), (1, 0, 1, 0))
        self.assertEqual(self.counts(SCALE)[0][4], 128)
        # The vendor patches whole modules.
        self.assertIn(STRIDED, " ".join(self.report()["notes"]))

    def test_a_module_without_a_chosen_kernel_is_not_patched(self):
        said = self.run_pasta(*self.TWO, flags=["--kernels", "no such kernel"])
        self.assertIn("none of its 5 launches was chosen", said)

    def test_excluded_kernels_are_left_out(self):
        self.run_pasta(*self.TWO, flags=["--exclude", "scale"])
        self.assertEqual(self.launches(SCALE), (4, 0, 4, 0))
        self.assertEqual(self.counts(STRIDED)[0][4], 32)

    def test_launches_by_number(self):
        self.run_pasta(*self.TWO, flags=["--launches", "1:2"])
        self.assertEqual(self.launches(SCALE), (4, 2, 2, 0))
        self.assertEqual(self.counts(SCALE)[0][4], 64)

    def test_a_share_of_the_launches(self):
        self.run_pasta(*self.TWO, flags=["--sampling-rate", "0.5"])
        self.assertEqual(self.launches(SCALE), (4, 2, 2, 0))
        self.assertEqual(self.counts(SCALE)[0][4], 64)

    def test_a_sample_of_launches_is_scaled(self):
        launches = [f"launch M _Z5scalePfi 1x32 {n}" for n in (32, 1, 16, 1, 8, 1, 4, 1)]
        self.run_pasta("load M MODULE", *launches, flags=["--sampling-rate", "0.5"])
        self.assertEqual(self.counts(SCALE)[0][4], 32 + 16 + 8 + 4)
        sampled = self.kernels()[SCALE]["sampling"]
        self.assertEqual((sampled["launches_offered"], sampled["launches_taken"], sampled["scale"]), (8, 4, 2.0))
        self.assertEqual(sampled["events"], 2 * 2 * 60)  # a load and a store for each lane
        mean = 2 * 15
        squares = sum((2 * n - mean) ** 2 for n in (32, 16, 8, 4))
        self.assertAlmostEqual(sampled["events_error"], 2 * (0.5 * 4 / 3 * squares) ** 0.5)

    def test_blocks_of_a_sample_are_analysed(self):
        def bits(block, seed):
            mask = 0xFFFFFFFF
            h = (block ^ (seed + 1) * 0x9E3779B9 & mask) * 0x85EBCA6B & mask
            h = (h ^ h >> 15) * 0xC2B2AE35 & mask
            return h ^ h >> 16

        for tool in ("access_count", "coalescing"):
            for seed in (0, 9):
                with self.subTest(tool=tool, seed=seed):
                    self.run_pasta("load M MODULE", "launch M _Z5scalePfi 64x32 2048 2", tool=tool,
                                   flags=["--sample-blocks", "0.25", "--seed", str(seed)])
                    taken = sum(bits(block, seed) < 1 << 30 for block in range(64))
                    self.assertGreater(taken, 4)
                    sampled = self.kernels()[SCALE]["sampling"]
                    self.assertEqual((sampled["launches_offered"], sampled["launches_taken"]), (2, 2))
                    self.assertEqual((sampled["blocks_offered"], sampled["blocks_taken"]), (128, 2 * taken))
                    losses = self.kernels()[SCALE]["losses"]
                    self.assertEqual(losses["events_delivered"], 2 * taken * 64)
                    self.assertAlmostEqual(sampled["events"], 128 * 64)
                    self.assertAlmostEqual(sampled["events_error"], 0)  # all blocks are alike

    def test_blocks_of_launches_that_are_kept_apart(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 64x32 2048", "launch M _Z5scalePfi 64x32 32",
                       flags=["--per", "launch", "--sample-blocks", "0.25"])
        (tool,) = self.report()["tools"]
        self.assertEqual([kernel["launch"] for kernel in tool["kernels"]], [0, 1])
        for kernel in tool["kernels"]:
            sampled = kernel["sampling"]
            self.assertEqual((sampled["launches_offered"], sampled["launches_taken"]), (1, 1))
            self.assertEqual(sampled["blocks_offered"], 64)
            self.assertAlmostEqual(sampled["events"], sampled["scale"] * kernel["losses"]["events_delivered"])

    def test_steps_by_schedule(self):
        step = ("launch M _Z5scalePfi 1x32 32", "step")
        self.run_pasta("load M MODULE", *step * 6, flags=["--schedule", "wait=1,warmup=1,active=2,repeat=1"])
        self.assertEqual(self.launches(SCALE), (6, 2, 4, 0))
        self.assertEqual(self.counts(SCALE)[0][4], 64)
        self.assertEqual(self.report()["notes"], [])

    def test_devices(self):
        self.run_pasta(*self.TWO, flags=["--devices", "0,1"])
        self.assertEqual(self.launches(SCALE), (4, 4, 0, 0))
        said = self.run_pasta(*self.TWO, flags=["--devices", "1"])
        self.assertIn("none of its 5 launches was chosen", said)

    def test_memory_spaces_that_were_chosen(self):
        launch = ("load M MODULE", "launch M _Z14through_sharedPfi 1x64 50")
        kernel = "through_shared(float*, int)"
        self.run_pasta(*launch, flags=["--spaces", "global"])
        self.assertEqual({row[2] for row in self.counts(kernel)}, {"global"})
        self.run_pasta(*launch, flags=["--spaces", "shared,local"])
        self.assertEqual({row[2] for row in self.counts(kernel)}, {"shared"})

    def test_launches_apart(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 1x32 32", "launch M _Z5scalePfi 1x32 20",
                       flags=["--per", "launch"])
        (tool,) = self.report()["tools"]
        found = [(kernel["launch"], kernel["tables"][0]["rows"][0][-2]) for kernel in tool["kernels"]]
        self.assertEqual(found, [(0, 32), (1, 20)])

    def test_annotated_ranges_apart_and_what_is_stopped_left_out(self):
        self.run_pasta("load M MODULE", "push forward", "launch M _Z5scalePfi 1x32 32", "pop", "stop",
                       "launch M _Z5scalePfi 1x32 10", "start", "launch M _Z5scalePfi 1x32 7")
        (tool,) = self.report()["tools"]
        found = {kernel["range"]: kernel["tables"][0]["rows"][0][-2] for kernel in tool["kernels"]}
        self.assertEqual(found, {"forward": 32, "": 7})


class CodeRowsTest(PatchTest):
    """Kernels that are one piece of code: a tool that only counts has rows by instruction."""

    KERNELS = "inlined.ptx"

    def user_data(self, *commands, **more):
        """What each launch was given: rows of its code, or a state with a table of sites."""
        told = os.path.join(self.folder, "user data")
        if os.path.exists(told):
            os.remove(told)
        self.run_pasta(*commands, STAND_IN_USER_DATA=told, **more)
        with open(told) as file:
            return file.read().split()


class CodeRowsCountTest(CodeRowsTest, CountTest):
    def test_which_tools_and_launches_have_rows_of_code(self):
        launches = ("load M MODULE", "launch M _Z5scalePfi 2x64 100", "launch M _Z7stridedPfi 1x32 32",
                    "launch M _Z5scalePfi 2x64 100")
        self.assertEqual(self.user_data(*launches), ["rows"] * 3)
        self.assertEqual(self.user_data(*launches, tool="coalescing"), ["state"] * 3)
        self.assertEqual(self.user_data(*launches, flags=["--per", "launch"]), ["state"] * 3)
        self.assertEqual(self.user_data(*launches, flags=["--sample-blocks", "0.5"]), ["state"] * 3)
        self.assertEqual(self.user_data(*launches, flags=["--kernels", "scale"]), ["rows"] * 2)

    def test_a_function_that_is_called_is_nobodys_rows(self):
        self.module = os.path.join(self.folder, "called.ptx")
        shutil.copy(os.path.join(os.environ["PASTA_PATCH_KERNELS"], "kernels.ptx"), self.module)
        make_lines(self.module)
        self.assertEqual(self.user_data("load M MODULE", "launch M _Z5scalePfi 2x64 100"), ["state"])


class CodeRowsChoiceTest(CodeRowsTest, ChoiceTest):
    pass


class ShadowTest(PatchTest):
    """The array of all kernels is allocation 0, of 65536 bytes."""

    def run_pasta(self, *commands, **more):
        return super().run_pasta(*commands, tool="working_set", **more)

    def allocations(self, kernel):
        """(number, size, bytes in lines, accesses) of each allocation that the kernel touched."""
        (found,) = [t for t in kernel["tables"] if t["name"] == "allocations"]
        return [(row[0], row[1], row[2], row[5]) for row in found["rows"]]

    def test_each_kernel_has_bits_of_its_own(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100 3", "launch M _Z7stridedPfi 1x32 32", "sync")
        self.assertEqual(self.allocations(self.kernels()[SCALE]), [(0, 65536, 4 * 128, 600)])
        self.assertEqual(self.allocations(self.kernels()[STRIDED]), [(0, 65536, 8 * 128, 32)])
        self.assertTrue(any(note.startswith("shadow memory: at most") for note in self.report()["notes"]))

    def test_memory_that_comes_and_goes_between_launches(self):
        self.run_pasta(
            "load M MODULE", "launch M _Z5scalePfi 2x64 32", "alloc 300", "launch M _Z5scalePfi 2x64 75", "free",
            "launch M _Z5scalePfi 2x64 0", "alloc 5000", "launch M _Z7stridedPfi 1x32 32",
        )
        self.assertEqual(self.allocations(self.kernels()[SCALE]), [(0, 65536, 128, 64), (1, 300, 300, 150)])
        (totals,) = [t for t in self.kernels()[SCALE]["tables"] if t["name"] == "totals"]
        self.assertEqual(totals["rows"][0][8], 0)
        self.assertEqual(self.allocations(self.kernels()[STRIDED]), [(2, 5000, 8 * 128, 32)])

    def test_launches_that_are_kept_apart(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 2x64 100", "launch M _Z5scalePfi 2x64 20",
                       flags=("--per", "launch"))
        (tool,) = self.report()["tools"]
        self.assertEqual([self.allocations(kernel) for kernel in tool["kernels"]],
                         [[(0, 65536, 4 * 128, 200)], [(0, 65536, 128, 40)]])

    def test_functions_that_are_called_belong_to_their_kernel(self):
        self.run_pasta("load M MODULE", "launch M _Z14through_sharedPfi 1x64 50")
        self.assertEqual(self.allocations(self.kernels()["through_shared(float*, int)"]), [(0, 65536, 2 * 128, 100)])

    def test_little_memory_means_longer_lines(self):
        self.run_pasta("load M MODULE", "alloc 33554432", "launch M _Z5scalePfi 2x64 100", flags=("--memory", "1"))
        notes = self.report()["notes"]
        self.assertTrue(any("a bit is for 512 bytes, not for 128" in note for note in notes), notes)
        ((number, _, in_lines, accesses),) = self.allocations(self.kernels()[SCALE])
        self.assertEqual((number, accesses), (1, 200))
        self.assertIn(in_lines, (512, 256 + 512))  # where the array begins amid a line


class EndTest(PatchTest):
    def test_a_kernel_that_goes_wrong_leaves_what_was_read(self):
        said = self.run_pasta("load M MODULE", "launch M _Z5scalePfi 1x32 32", "sync", "launch M _Z5wrongPfi 1x32 1",
                              "sync", stdout="error 700\ndone\n")
        self.assertIn("report", said)
        self.assertEqual(self.counts(SCALE)[0][4], 32)
        self.assertIn("A kernel went wrong", " ".join(self.report()["notes"]))
        self.assertEqual(self.launches("wrong(float*, int)")[3], 1)

    def test_what_a_reset_destroys_was_read_before(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 1x32 32", "reset", "load N MODULE",
                       "launch N _Z5scalePfi 1x32 8")
        self.assertEqual(self.counts(SCALE)[0][4], 40)
        self.assertEqual(self.launches(SCALE), (2, 2, 0, 0))

    def test_the_program_keeps_its_status(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 1x32 32", "exit 7", code=7, stdout="")
        self.assertEqual(self.counts(SCALE)[0][4], 32)

    def test_a_signal_leaves_an_incomplete_report(self):
        self.run_pasta("load M MODULE", "launch M _Z5scalePfi 1x32 32", "sync", "abort", code=-signal.SIGABRT, stdout="")
        self.assertFalse(self.report()["is_complete"])
        self.assertEqual(self.counts(SCALE)[0][4], 32)


class FailureTest(PatchTest):
    """The program runs as if nobody were there, and one line says why there is no report."""

    LAUNCH = ("load M MODULE", "launch M _Z5scalePfi 1x32 32", "sync")

    def check(self, *parts, **variables):
        said = self.run_pasta(*self.LAUNCH, **variables)
        lines = [line for line in said.splitlines() if line]
        self.assertEqual(len(lines), 1, said)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertFalse(os.path.exists(self.output))

    def test_no_library(self):
        self.check("runs without a tool", "Compute Sanitizer's library was not found",
                   PASTA_SANITIZER=os.path.join(self.folder, "missing.so"))

    def test_a_library_that_lacks_a_function(self):
        self.check("has no sanitizerSetLaunchCallbackData: it is older than CUDA 12.0",
                   PASTA_SANITIZER=os.path.join(FOLDER, "old/libsanitizer-public.so"))

    def test_callbacks_that_another_tool_has(self):
        self.check("another tool has the Compute Sanitizer's callbacks", STAND_IN_SANITIZER="taken")

    def test_callbacks_that_are_refused(self):
        self.check("refuses callbacks: not initialized (error 13)", STAND_IN_SANITIZER="refuses")

    def check_unpatched(self, how, *parts):
        self.run_pasta(*self.LAUNCH, STAND_IN_SANITIZER=how)
        (kernel,) = self.kernels().values()
        self.assertEqual(self.launches(SCALE), (1, 0, 0, 0))
        (sentence,) = kernel["losses"]["not_instrumentable"]
        for part in ("1 launch: ", *parts):
            self.assertIn(part, sentence)

    def test_patches_that_cannot_be_loaded(self):
        self.check_unpatched("no_patches", "the patches cannot be loaded: invalid parameter (error 1)")

    def test_memory_that_is_missing(self):
        self.check_unpatched("no_memory", "MiB of the GPU's memory: out of memory (error 7)")

    def test_a_module_that_cannot_be_patched(self):
        self.check_unpatched("no_module", "its module cannot be patched: invalid parameter")

    def test_kinds_of_instructions_that_the_library_does_not_know(self):
        self.run_pasta(*self.LAUNCH, STAND_IN_SANITIZER="old_kinds")
        self.assertEqual(self.counts(SCALE)[0][4], 32)
        self.assertIn("tells nothing of async_store", " ".join(self.report()["notes"]))

    def test_memory_that_cannot_be_read(self):
        self.run_pasta(*self.LAUNCH, STAND_IN_SANITIZER="no_reading")
        self.assertEqual(self.launches(SCALE), (1, 0, 0, 1))


class RunTest(PatchTest):
    def refused(self, *words, code, **variables):
        done = subprocess.run([PASTA, "run", *words, "--", PROGRAM], env=self.environment("access_count", **variables),
                              capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (code, ""))
        return done.stderr

    def test_several_tools_are_refused(self):
        self.assertIn("the route patch runs one tool at a time",
                      self.refused("access_count,coalescing", "--route", "patch", code=2))

    def test_an_unknown_tool_is_refused(self):
        self.assertIn("unknown tool 'acces_count'", self.refused("acces_count", "--route", "patch", code=2))

    def test_options_that_the_handlers_were_built_with_cannot_change(self):
        said = self.run_pasta("load M MODULE", "launch M _Z5scalePfi 1x32 32", tool="coalescing",
                              flags=["--sector-bytes", "64"])
        self.assertIn("the handlers of coalescing have 32, as they were built", said)

    def test_the_vendors_own_library_has_all_functions(self):
        library = os.environ["PASTA_PATCH_VENDOR"]
        if not os.path.exists(library):
            self.skipTest("libsanitizer-public.so is not beside sanitizer.h")
        done = subprocess.run(
            [PROGRAM], capture_output=True, text=True, cwd=self.folder, timeout=60,
            env=self.environment("access_count", PASTA_TOOLS="access_count", PASTA_ROUTE="patch", PASTA_DEBUG="1",
                                 CUDA_INJECTION64_PATH=os.environ["PASTA_PATCH_LIBRARY"], PASTA_SANITIZER=library))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
        # On a machine without a driver it may refuse callbacks, and that is all that may go wrong.
        self.assertRegex(done.stderr, "follows the Compute Sanitizer|refuses callbacks")

    def test_the_text_of_a_report(self):
        done = subprocess.run(
            [PASTA, "run", "access_count", "--route", "patch", "--output", self.output, "--", PROGRAM,
             f"load M {self.module}", "launch M _Z5scalePfi 2x64 100"],
            env=self.environment("access_count"), capture_output=True, text=True, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("scale(float*, int)", done.stderr)
        self.assertIn("kernels.cu:7", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
