# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The collector and a program that `pasta hipcc` compiled, on a stand-in for the HIP runtime: kernels do not run, each
launch adds known numbers to the counters."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from running import LIBRARY, PASTA, RunningTest, preloadable

FOLDER = pathlib.Path(os.environ["PASTA_HIP_PROGRAM_FOLDER"])
PROGRAM = FOLDER / "program"
STAND_IN = preloadable(os.environ["PASTA_HIP_STAND_IN"])
NOT_FOUND = 500  # hipErrorNotFound
SCALE, FILL = "scale(float*, float)", "fill_kernel(int*)"


class RuntimeTest(RunningTest):
    runtime = STAND_IN

    def run_program(self, *words, counts="0=100", **named):
        return self.run_words([PROGRAM, *words], HIP_STAND_IN_COUNTS=counts, **named)

    def line_of_scale(self):
        lines = (pathlib.Path(__file__).parent / "program.hip").read_text(encoding="utf-8").splitlines()
        return next(number for number, line in enumerate(lines, 1) if "*= by" in line)

    def check_scale(self, count, launches):
        line = self.line_of_scale()
        rows = [("program.hip", line, access, "global", 4, count) for access in ("load", "store")]
        self.assertEqual(self.sites(SCALE), rows if count else [])
        self.assertEqual(self.launches(SCALE), launches)


class CountTest(RuntimeTest):
    def test_launches_and_counts_are_in_the_report(self):
        self.run_program("scale", "scale", "sync", "scale")
        self.check_scale(300, (3, 3, 0))
        report, kernel = self.report(), self.kernels()[SCALE]
        self.assertTrue(report["is_complete"])
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "complete"])
        self.assertEqual((kernel["grid"], kernel["block"], kernel["shared_bytes"]), ("2x1x1", "64x1x1", 16))
        self.assertEqual(kernel["losses"]["not_instrumentable"], [])
        header = report["header"]
        self.assertEqual((header["route"], header["vendor"], header["device"]),
                         ("llvm", "hip", "stand-in (gfx90a, 4 compute units), HIP runtime 5.2"))

    def test_launches_of_several_shapes_have_none(self):
        self.run_program("scale", "wide", "scale")
        self.check_scale(200, (2, 2, 0))
        self.assertEqual(self.kernels()[SCALE]["grid"], "varies")

    def test_a_launch_that_the_runtime_refuses_is_none(self):
        self.run_program("refused", "scale")
        self.check_scale(100, (1, 1, 0))

    def test_a_kernel_without_counters_is_there_as_not_seen(self):
        self.run_program("fill", "scale", "fill")
        self.check_scale(100 * 2, (1, 1, 0))  # the stand-in does not ask which kernel it is
        self.assertEqual(self.launches(FILL), (2, 0, 0))
        self.assertEqual(self.kernels()[FILL]["losses"]["not_instrumentable"],
                         ["2 launches: it was built without PASTA's counters"])

    def test_launches_of_other_threads_are_counted(self):
        self.run_program("thread", "scale", "scale")
        self.check_scale(200, (2, 2, 0))

    def test_devices_have_memory_of_their_own_and_are_summed(self):
        self.run_program("scale", "device", "1", "scale", "scale", HIP_STAND_IN_DEVICES="2")
        self.check_scale(300, (3, 3, 0))
        self.assertEqual(self.report()["header"]["device"], "stand-in (gfx90a, 4 compute units), HIP runtime 5.2")

    def test_excluded_kernels_are_left_out(self):
        self.run_program("load", FOLDER / "module.co", "scale", "launch", "twice", "scale", PASTA_KERNELS="twice")
        self.assertEqual(self.launches(SCALE), (2, 0, 0))
        self.assertEqual(self.kernels()[SCALE]["losses"]["launches_sampled_out"], 2)
        self.assertEqual(self.launches("twice"), (1, 1, 0))

    def test_the_share_of_launches_that_was_seen_is_told(self):
        self.run_program("scale", "fill", "fill", "scale", PASTA_LAUNCHES="1:")
        self.assertEqual(self.report()["notes"], ["Route llvm: of 4 launches 1 were analysed (25 %), 1 left out by "
                                                  "choice, and 2 could not be; their kernels say why."])

    def test_launches_by_number_steps_ranges_and_stops(self):
        for words, variables, taken, launches in (
                (["scale"] * 4, {"PASTA_LAUNCHES": "1:2"}, 2, 4),
                (["scale"] * 4, {"PASTA_SAMPLING_RATE": "0.5"}, 2, 4),
                (["scale", "step"] * 4, {"PASTA_SCHEDULE": "wait=1,active=1"}, 2, 4),
                (["scale", "stop", "scale", "start", "scale"], {}, 2, 3),
                (["stop", "scale", "start", "scale"], {}, 1, 2),
                (["scale", "device", "1", "scale", "scale"],
                 {"PASTA_DEVICES": "1", "HIP_STAND_IN_DEVICES": "2"}, 2, 3)):
            with self.subTest(words=words, **variables):
                self.run_program(*words, **variables)
                self.check_scale(100 * taken, (launches, taken, 0))
                self.assertEqual(self.kernels()[SCALE]["losses"]["launches_sampled_out"], launches - taken)
                self.assertEqual(self.report()["notes"], [])

    def test_a_graph_is_taken_or_left_as_a_whole(self):
        self.run_program("stream", "capture", "scale", "scale", "end_capture", "replay", "replay", "replay",
                         PASTA_LAUNCHES="2:3")
        self.check_scale(200, (6, 2, 0))

    def test_what_cannot_be_left_out_is_analysed_and_noted(self):
        self.run_program("scale", "stream", "scale", "scale", PASTA_LAUNCHES="0", HIP_STAND_IN_FAIL="hipEventQuery")
        self.check_scale(300, (3, 3, 0))
        self.assertEqual(self.report()["notes"], ["2 launches analysed that should have been left out: another "
                                                  "stream's launches ran beside."])

    def test_what_cannot_be_collected_is_noted(self):
        self.run_program("scale", "stream", "scale", PASTA_LAUNCHES="1", HIP_STAND_IN_FAIL="hipEventQuery")
        self.check_scale(0, (2, 0, 0))
        self.assertEqual(self.report()["notes"], ["1 launch left out that had been chosen: another stream's launches, "
                                                  "which were left out, ran beside."])

    def test_launches_of_a_graph_count_as_often_as_it_is_launched(self):
        self.run_program("stream", "scale", "capture", "scale", "wide", "scale", "end_capture", "replay", "replay")
        self.check_scale(500, (5, 5, 0))
        self.assertEqual(self.kernels()[SCALE]["grid"], "varies")

    def test_a_module_is_attached_by_a_graph_too(self):
        self.run_program("stream", "capture", "scale", "end_capture", "replay", "replay", "replay")
        self.check_scale(300, (3, 3, 0))

    def test_a_kernel_of_two_objects_has_what_either_counted(self):
        """Of relocatable device code, in which a template's instance is once, and two states and tables are."""
        for state in "0", "1":
            with self.subTest(state=state):
                self.run_words([FOLDER / "two_objects"], HIP_STAND_IN_COUNTS="all=10", HIP_STAND_IN_STATE=state,
                               stdout="0\n")
                kernel = "void add_twice<int>(int*, int)"
                self.assertEqual(self.sites(kernel), [("shared_kernel.hpp", 10, "atomic", "global", 4, 30)])
                self.assertEqual(self.launches(kernel), (2, 2, 0))
                self.assertEqual(self.kernels()[kernel]["losses"]["not_instrumentable"], [])

    def test_each_other_call_that_launches_a_kernel_is_followed(self):
        self.run_program("scale", "other_launches")
        self.check_scale(100 * 9, (9, 9, 0))
        kernel = self.kernels()[SCALE]
        self.assertEqual((kernel["grid"], kernel["block"], kernel["shared_bytes"]), ("2x1x1", "64x1x1", 16))

    def test_calls_by_addresses_that_the_runtime_gives_are_followed(self):
        self.run_program("scale", "by_address", stdout=f"hipGetProcAddress: error {NOT_FOUND}\n0\n")
        self.check_scale(300, (3, 3, 0))

    def test_without_the_library_addresses_are_the_runtime_s(self):
        self.run_program("by_address", stdout=f"hipGetProcAddress: error {NOT_FOUND}\n0\n", LD_PRELOAD=STAND_IN)

    def test_a_graph_that_is_made_of_nodes_counts_with_their_parameters(self):
        self.run_program("graph")
        self.check_scale(400, (4, 4, 0))
        self.assertEqual(self.kernels()[SCALE]["grid"], "varies")

    def test_what_is_captured_and_not_launched_is_no_launch(self):
        self.run_program("stream", "capture", "scale", "end_capture")
        self.assertEqual(self.report()["tools"][0]["kernels"], [])


class AttachTest(RuntimeTest):
    def not_seen(self, kernel=SCALE):
        return self.kernels()[kernel]["losses"]["not_instrumentable"]

    def test_without_memory_for_all_shards_there_are_fewer(self):
        log = self.folder / "log"
        self.run_program("scale", "scale", HIP_STAND_IN_FAIL="hipMalloc:1-2", HIP_STAND_IN_STATES=str(log))
        self.check_scale(200, (2, 2, 0))
        # Of 4 compute units: 4 shards and 2 are too many.
        self.assertEqual(log.read_text(encoding="utf-8"), "shards 1\n" * 2)

    def test_without_memory_the_program_runs_and_the_kernel_is_not_seen(self):
        self.run_program("scale", HIP_STAND_IN_FAIL="hipMalloc")
        self.assertEqual(self.not_seen(),
                         ["1 launch: the GPU has no memory for what it counts: an error of the stand-in (an error)"])

    def test_a_state_that_is_not_found_is_said(self):
        self.run_program("scale", HIP_STAND_IN_FAIL="hipGetSymbolAddress")
        self.assertEqual(self.not_seen(),
                         ["1 launch: its state could not be found: an error of the stand-in (an error)"])

    def test_a_copy_that_fails_is_said(self):
        for call, what in ((1, "read"), (2, "written"), (3, "written")):
            with self.subTest(call=call):
                self.run_program("scale", HIP_STAND_IN_FAIL=f"hipMemcpyAsync:{call}")
                self.assertEqual(self.not_seen(),
                                 [f"1 launch: its state could not be {what}: an error of the stand-in (an error)"])

    def test_without_the_tool_s_library_the_program_runs_without_a_tool(self):
        why = "program runs without a tool: there is no tool no_such_tool (PASTA_TOOL_PATH names more folders)"
        self.run_program("scale", PASTA_TOOLS="no_such_tool", PASTA_QUIET=None, stderr=f"pasta: {why}\n")
        ((event, _, _, said),) = self.index_lines()
        self.assertEqual((event, said), ("failed", why))
        self.assertFalse(self.output.exists())

    def test_a_tool_that_the_program_was_not_built_with_sees_nothing(self):
        self.run_program("scale", PASTA_TOOLS="coalescing")
        self.assertEqual(self.not_seen(), ["1 launch: it was built with access_count, not with coalescing"])

    def test_another_route_s_run_is_left_alone(self):
        self.run_program("scale", PASTA_ROUTE="ptx")
        self.assertEqual(self.index_lines(), [])

    def test_a_wrong_variable_is_one_line(self):
        why = "PASTA_PER=lunch is neither kernel nor launch"
        self.run_program("scale", PASTA_PER="lunch", stderr=f"pasta: the llvm route collects nothing: {why}\n")

    def test_only_kernels_without_counters_are_one_line(self):
        why = "program runs without a tool: none of the kernels in its 2 launches has PASTA's counters"
        self.run_program("fill", "fill", PASTA_QUIET=None, stderr=f"pasta: {why}\n")
        self.assertEqual([line[0] for line in self.index_lines()], ["failed"])


class EndTest(RuntimeTest):
    def test_a_crash_leaves_a_report(self):
        for word, number in (("crash", signal.SIGSEGV), ("abort", signal.SIGABRT)):
            with self.subTest(signal=number.name):
                self.run_program("scale", "scale", word, code=-number)
                self.check_scale(200, (2, 2, 0))
                report = self.report()
                self.assertEqual((report["is_complete"], report["incomplete_reason"]),
                                 (False, f"killed by {number.name}"))

    def test_a_program_s_exit_code_is_kept(self):
        self.run_program("scale", "return", "7", code=7)
        self.check_scale(100, (1, 1, 0))

    def test_a_kernel_that_went_wrong_loses_what_was_not_read(self):
        self.run_program("scale", HIP_STAND_IN_FAIL="hipDeviceSynchronize")
        self.assertEqual(self.launches(SCALE), (1, 0, 1))
        self.assertEqual(self.report()["notes"], [
            "On stand-in a kernel went wrong, and what was not read by then is lost with it: an error of the stand-in "
            "(an error)"])

    def test_what_the_program_waited_for_is_not_lost_with_a_later_fault(self):
        self.run_program("scale", "sync", "scale", HIP_STAND_IN_FAIL="hipDeviceSynchronize:2")
        self.assertEqual(self.launches(SCALE), (2, 1, 1))

    def test_kernels_without_end_do_not_hold_the_process_up(self):
        self.run_program("scale", "abort", code=-signal.SIGABRT, HIP_STAND_IN_FAIL="hang")
        self.assertEqual(self.launches(SCALE), (1, 0, 1))
        self.assertIn("Kernels ran on when the program ended, or the driver did not answer: after 3 s no more was "
                      "waited for.", self.report()["notes"])

    def test_a_reset_device_s_counts_are_kept(self):
        self.run_program("scale", "scale", "reset", "scale")
        self.check_scale(300, (3, 3, 0))

    def test_a_forked_child_reports_nothing_and_runs(self):
        self.run_program("scale", "fork", "scale", "scale", stdout="child: 3\n")
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "complete"])
        self.check_scale(200, (2, 2, 0))

    def test_a_child_that_uses_the_gpu_first_has_a_report_of_its_own(self):
        self.run_program("fork", "scale", "scale", stdout="child: 3\n",
                         PASTA_OUTPUT=str(self.folder / "report-%p.json"))
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "complete"] * 2)
        self.assertEqual(len(list(self.folder.glob("report-*.json"))), 2)


class ShadowTest(RuntimeTest):
    """Shadow bits: the stand-in's launches load 4 bytes from where `use` says."""

    LINE = 128

    def run_program(self, *words, **named):
        variables = {"PASTA_TOOLS": "working_set", "HIP_STAND_IN_TOUCH": "0"} | named
        return self.run_words([FOLDER / "touching", *words], **variables)

    def touched(self, tables):
        (rows,) = [table["rows"] for table in tables if table["name"] == "allocations"]
        (totals,) = [table["rows"] for table in tables if table["name"] == "totals"]
        return [(row[0], row[1], row[2], row[5]) for row in rows], totals[0][8]

    def check(self, allocations, unknown=0):
        """(number, bytes, bytes in lines, accesses) of each allocation that the kernel touched."""
        self.assertEqual(self.touched(self.kernels()[SCALE]["tables"]), (allocations, unknown))

    def test_what_lanes_load_is_charged_to_its_allocation(self):
        self.run_program("alloc", "x", 4096, "alloc", "y", 1000, "use", "x", 0, "scale", "use", "y", 512, "scale",
                         "use", "y", 996, "scale", "use", "y", 1000, "scale", "use", "x", 4, "scale", "scale")
        self.check([(0, 4096, self.LINE, 3), (1, 1000, self.LINE + 1000 - 896, 2)], 1)
        self.assertTrue(any(note.startswith("shadow memory: at most") for note in self.report()["notes"]))

    def test_each_call_that_gives_memory_is_followed(self):
        words = []
        hows = ("alloc", "alloc_async", "alloc_pool", "alloc_flags", "alloc_managed", "map")
        for how in hows:
            words += [how, how, 2048, "use", how, 2044, "scale"]
        # Rows of 300 bytes are 512 bytes apart.
        self.run_program(*words, "alloc_pitch", "p", 300, "use", "p", 4 * 512 - 4, "scale", "alloc_3d", "b", 300,
                         "use", "b", 8 * 512 - 4, "scale")
        self.check([(i, 2048, self.LINE, 1) for i in range(len(hows))] +
                   [(6, 4 * 512, self.LINE, 1), (7, 8 * 512, self.LINE, 1)])

    def test_memory_by_an_address_that_the_runtime_gives_is_followed(self):
        self.run_program("by_address", stdout=f"hipGetProcAddress: error {NOT_FOUND}\n0\n")
        self.check([(0, 4096, self.LINE, 2)])

    def test_memory_that_comes_between_launches(self):
        words = []
        for i in range(12):
            words += ["alloc", f"x{i}", 1000, "use", f"x{i}", 0, "scale", "use", "x0", 512, "scale"]
        self.run_program(*words)
        self.check([(0, 1000, 2 * self.LINE, 13)] + [(i, 1000, self.LINE, 1) for i in range(1, 12)])

    def test_memory_that_goes_is_read_first(self):
        for alloc, free in ("alloc", "free"), ("map", "unmap"):
            with self.subTest(alloc):
                self.run_program(alloc, "x", 4096, "use", "x", 0, "scale", free, "x", alloc, "y", 4096, "use", "y", 256,
                                 "scale", "use", "y", 512, "scale", free, "y")
                self.check([(0, 4096, self.LINE, 1), (1, 4096, 2 * self.LINE, 2)])

    def test_nothing_is_waited_for_between_launches(self):
        log = self.folder / "waits"
        self.run_program("stream", "alloc", "x", 4096, "use", "x", 0, "scale", "free_async", "x", "alloc_async", "y",
                         2048, "use", "y", 256, "scale", "alloc", "z", 1 << 20, "use", "z", 0, "scale", "sync",
                         HIP_STAND_IN_WAITS=str(log))
        self.check([(0, 4096, self.LINE, 1), (1, 2048, self.LINE, 1), (2, 1 << 20, self.LINE, 1)])
        self.assertEqual(log.read_text(encoding="utf-8"), "device\n" * 2)  # the program's, and one at its end

    def test_memory_of_another_device_is_not_known(self):
        self.run_program("alloc", "x", 4096, "device", "1", "alloc", "y", 4096, "use", "x", 0, "scale", "use", "y", 0,
                         "scale", HIP_STAND_IN_DEVICES="2")
        self.check([(1, 4096, self.LINE, 1)], 1)

    def test_devices_have_bits_of_their_own(self):
        self.run_program("alloc", "x", 4096, "use", "x", 0, "scale", "device", "1", "alloc", "y", 4096, "use", "y", 256,
                         "scale", HIP_STAND_IN_DEVICES="2")
        self.check([(0, 4096, self.LINE, 1), (1, 4096, self.LINE, 1)])

    def test_a_reset_takes_memory_and_leaves_what_was_touched(self):
        self.run_program("alloc", "x", 4096, "use", "x", 0, "scale", "reset", "alloc", "y", 2048, "use", "y", 0,
                         "scale", "use", "x", 0, "scale")
        self.check([(0, 4096, self.LINE, 1), (1, 2048, self.LINE, 1)], 1)

    def test_the_limit_makes_lines_longer(self):
        self.run_program("alloc", "x", 65536, "use", "x", 2048, "scale", "alloc", "y", 1200 << 20, "use", "x", 4096,
                         "scale", "use", "y", 0, "scale", PASTA_TOOL_OPTIONS="memory=1")
        allocations, unknown = self.touched(self.kernels()[SCALE]["tables"])
        self.assertEqual([(number, accesses) for number, _, _, accesses in allocations], [(0, 2), (1, 1)])
        self.assertEqual(unknown, 0)
        (note,) = [note for note in self.report()["notes"] if "is limited to" in note]
        self.assertIn("not for 128", note)

    def test_without_memory_for_bits_the_program_runs_and_launches_are_counted(self):
        # The first is for what the module adds to.
        self.run_program("use", "x", 0, "scale", "scale", HIP_STAND_IN_FAIL="hipMalloc:2")
        self.assertEqual(self.launches(SCALE), (2, 2, 0))
        self.assertIn("2 launches found no shadow memory", " ".join(self.report()["notes"]))

    def test_a_graph_finds_memory_that_came_after_it(self):
        self.run_program("stream", "alloc", "x", 4096, "use", "x", 0, "capture", "scale", "end_capture", "alloc", "y",
                         4096, "replay", "replay", "replay")
        self.check([(0, 4096, self.LINE, 3)])

    def test_ranges_have_bits_of_their_own(self):
        self.run_program("alloc", "x", 4096, "use", "x", 0, "scale", "push", "a", "use", "x", 512, "scale", "pop",
                         "push", "b", "use", "x", 1024, "scale", "scale", "pop", "use", "x", 2048, "scale")
        found = {kernel["range"]: self.touched(kernel["tables"]) for kernel in self.report()["tools"][0]["kernels"]}
        self.assertEqual(found, {"": ([(0, 4096, 2 * self.LINE, 2)], 0), "a": ([(0, 4096, self.LINE, 1)], 0),
                                 "b": ([(0, 4096, self.LINE, 2)], 0)})

    def test_launches_kept_apart_have_none_and_the_report_says_so(self):
        self.run_program("alloc", "x", 4096, "use", "x", 0, "scale", PASTA_PER="launch")
        self.assertEqual(self.kernels()[SCALE]["losses"]["not_instrumentable"],
                         ["what it touched: this route has bits for a kernel, not for launches kept apart"])

    def test_a_program_that_only_has_memory_has_nothing_to_say(self):
        self.run_program("alloc", "x", 4096, "free", "x", PASTA_QUIET=None)
        self.assertEqual(self.index_lines(), [])


class ModuleTest(RuntimeTest):
    def test_a_module_that_is_loaded_is_counted(self):
        self.run_program("load", FOLDER / "module.co", "launch", "twice", "launch", "twice")
        self.assertEqual(self.sites("twice"), [("module.hip", 6, access, "global", 8, 200)
                                               for access in ("load", "store")])
        self.assertEqual(self.launches("twice"), (2, 2, 0))
        self.assertEqual(self.kernels()["twice"]["shared_bytes"], 32)

    def test_what_an_unloaded_module_counted_is_kept(self):
        self.run_program("load", FOLDER / "module.co", "launch", "twice", "unload", "load", FOLDER / "module.co",
                         "launch", "twice", "unload")
        self.assertEqual(self.sites("twice"), [("module.hip", 6, access, "global", 8, 200)
                                               for access in ("load", "store")])
        self.assertEqual(self.launches("twice"), (2, 2, 0))

    def check_twice(self, launches):
        self.assertEqual(self.sites("twice"), [("module.hip", 6, access, "global", 8, 100 * launches)
                                               for access in ("load", "store")])
        self.assertEqual(self.launches("twice"), (launches, launches, 0))
        kernel = self.kernels()["twice"]
        self.assertEqual((kernel["grid"], kernel["block"], kernel["shared_bytes"]), ("2x1x1", "64x1x1", 32))

    def test_each_other_call_that_launches_a_module_s_kernel_is_followed(self):
        self.run_program("load", FOLDER / "module.co", "launch", "twice", "other_launches_of", "twice")
        self.check_twice(6)

    def test_kernels_of_a_library_are_counted(self):
        self.run_program("library", FOLDER / "module.co", "call", "twice", "call_each")
        self.check_twice(2)

    def test_what_a_closed_library_counted_is_kept(self):
        self.run_program(*["library", FOLDER / "module.co", "call", "twice", "close"] * 2)
        self.check_twice(2)

    @unittest.skipUnless((FOLDER / "compressed.co").exists(), "clang 19 for HIP is not here")
    def test_a_module_that_clang_compressed_is_counted(self):
        self.run_program("load", FOLDER / "compressed.co", "launch", "twice")
        self.check_twice(1)

    def test_a_file_that_is_no_module_is_not_seen(self):
        path = self.folder / "a module"
        path.write_text("what the stand-in does not read", encoding="utf-8")
        self.run_program("load", path, "launch", "twice", "scale")
        self.assertEqual(self.kernels()["twice"]["losses"]["not_instrumentable"],
                         ["1 launch: its code is in a form that PASTA does not know"])


class RunTest(RuntimeTest):
    def pasta_run(self, *words, **named):
        return self.run_words([PASTA, "run", "access_count", *words], LD_PRELOAD=STAND_IN, PASTA_ROUTE=None,
                              PASTA_TOOLS=None, PASTA_REPORT_INDEX=None, PASTA_OUTPUT=None, stderr=None,
                              HIP_STAND_IN_COUNTS="0=100", **named)

    def test_the_route_of_a_program_with_counters_is_found(self):
        for route in ([], ["--route", "llvm"], ["--route", "auto"]):
            with self.subTest(route=route):
                done = self.pasta_run(*route, "--output", self.output, "--quiet", "--", PROGRAM, "scale")
                self.assertEqual(done.stderr, "report: report.json\n")
                self.check_scale(100, (1, 1, 0))

    def test_what_is_in_a_program_is_told(self):
        done = self.run_words([PASTA, "list", PROGRAM], LD_PRELOAD=None, stdout=None)
        self.assertEqual(done.stdout, "access_count  route llvm  PASTA 0.1.0  AMD gfx1030, gfx90a\n")
        done = self.run_words([PASTA, "list", "--json", PROGRAM], LD_PRELOAD=None, stdout=None)
        self.assertEqual(json.loads(done.stdout)["tools"], [
            {"route": "llvm", "pack": "access_count", "pasta_version": "0.1.0", "targets": ["gfx1030", "gfx90a"]}])

    @unittest.skipUnless((FOLDER / "compressed").exists(), "clang 19 for HIP is not here")
    def test_a_program_whose_code_clang_compressed_is_found_and_counted(self):
        program = FOLDER / "compressed"
        self.assertIn(b"CCOB", program.read_bytes())
        self.pasta_run("--output", self.output, "--quiet", "--", program, "scale", "scale")
        self.check_scale(200, (2, 2, 0))
        done = self.run_words([PASTA, "list", program], LD_PRELOAD=None, stdout=None)
        self.assertEqual(done.stdout, "access_count  route llvm  PASTA 0.1.0  AMD gfx1030, gfx90a\n")

    def test_a_tool_that_was_not_built_in_is_refused(self):
        done = self.run_words([PASTA, "run", "coalescing", "--", PROGRAM], code=2, stderr=None, PASTA_TOOLS=None,
                              PASTA_ROUTE=None)
        self.assertEqual(done.stderr, f"pasta run: unknown tool 'coalescing'; {PROGRAM} was built with access_count "
                         "for AMD GPUs\n")

    def test_what_was_preloaded_comes_behind_the_library(self):
        printing = [sys.executable, "-c", "import os; print(os.environ['LD_PRELOAD'])"]
        done = self.pasta_run("--route", "llvm", "--", *printing, stdout=None)
        self.assertRegex(done.stdout, rf"^[^: ]+\.so:{STAND_IN}\n$")  # by a link, if its path has a blank

    def test_a_program_that_launches_nothing_has_no_report(self):
        done = self.pasta_run("--", PROGRAM)
        self.assertEqual(done.stderr, f"pasta run: no report: {PROGRAM} launched no kernel through a HIP runtime; "
                         "PASTA_DEBUG=1 says what was followed\n")

    def test_without_a_gpu_the_program_s_own_result_stands(self):
        """On the HIP runtime that is installed; where there is none the program does not start."""
        without = subprocess.run([PROGRAM, "sync"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.run_words([PROGRAM, "sync"], code=without.returncode, stdout=without.stdout, stderr=without.stderr,
                       LD_PRELOAD=LIBRARY)
