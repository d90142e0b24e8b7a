# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Launches that the ptx route keeps apart or leaves out, in a program whose driver is a stand-in."""

import os
import random
import unittest

import runtime_test
from images import access, function, make_image, site, table

OTHER = function("_Z5otherPi", site(2), site(3, access("store", "global", 4)))
STILL = function("_Z5stillPi", site(1))


class LaunchTest(runtime_test.RuntimeTest):
    def setUp(self):
        super().setUp()
        fill = function("_Z4fillPi", site(0))
        self.image = make_image(self.path("two kernels.o"), table(1, fill, OTHER))

    def begin(self, *commands, **variables):
        return self.run_program("context A", f"load M {self.image}", "stream S", "stream T", *commands, **variables)

    def sections(self):
        """[(kernel, range, launch, executions of all its sites, seen, delivered, left out, lost)]"""
        (tool,) = self.report()["tools"]
        found = []
        for kernel in tool["kernels"]:
            losses = kernel["losses"]
            rows = [row for t in kernel["tables"] if t["name"] == "sites" for row in t["rows"]]
            counts = [losses["launches_" + name] for name in ("seen", "delivered", "sampled_out", "lost")]
            name = kernel["kernel"].partition("(")[0]
            found.append((name, kernel["range"], kernel["launch"], sum(row[6] for row in rows), *counts))
        return found

    def notes(self):
        return self.report()["notes"]


class ApartTest(LaunchTest):
    def test_each_launch_has_its_own_rows(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "launch M _Z5otherPi 1x32 2=10",
            "launch M _Z4fillPi 2x32 0=100",
            "launch M _Z4fillPi 1x32 0=1000",
            PASTA_PER="launch",
        )
        self.assertEqual(
            self.sections(),
            [
                ("fill", "", 0, 1, 1, 1, 0, 0),
                ("fill", "", 2, 100, 1, 1, 0, 0),
                ("fill", "", 3, 1000, 1, 1, 0, 0),
                ("other", "", 1, 10, 1, 1, 0, 0),
            ],
        )
        (tool,) = self.report()["tools"]
        self.assertEqual([kernel["grid"] for kernel in tool["kernels"]], ["1x1x1", "2x1x1", "1x1x1", "1x1x1"])
        self.assertEqual(self.notes(), [])

    def test_a_kernel_that_was_not_launched_since_shares_what_there_is(self):
        # Of another kernel it can be told: one order to the stream for two launches.
        self.begin(
            *["launch M _Z4fillPi 1x32 0=1", "launch M _Z5otherPi 1x32 2=10"] * 3,
            "writes",
            PASTA_PER="launch",
            stdout="writes: 3\n",
        )
        self.assertEqual([s[3] for s in self.sections()], [1, 1, 1, 10, 10, 10])

    def test_launches_of_all_kinds(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S",
            "sync",
            "launch_ex M _Z4fillPi 1x32 0=2",
            "launch_cooperative M _Z4fillPi 1x32 0=3",
            "sync",
            "launch_thread M _Z4fillPi 1x32 0=4",
            PASTA_PER="launch",
        )
        self.assertEqual([(s[2], s[3], s[5]) for s in self.sections()], [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1)])

    def test_memory_is_used_again(self):
        # A hundred times as many launches as there is memory for.
        image = make_image(self.path("large.o"), table(1, function("_Z4fillPi", site(0)), counters=30000))
        launches = [f"launch M _Z4fillPi 1x32 0={i + 1}" for i in range(300)]
        commands = [c for i, each in enumerate(launches) for c in ([each, "sync"] if i % 3 == 2 else [each])]
        self.run_program("context A", f"load M {image}", *commands, PASTA_PER="launch")
        self.assertEqual([(s[2], s[3], s[5]) for s in self.sections()], [(i, i + 1, 1) for i in range(300)])

    def test_what_there_is_no_memory_for_is_merged_and_counted(self):
        image = make_image(self.path("large.o"), table(1, function("_Z4fillPi", site(0)), counters=30000))
        commands = [f"launch M _Z4fillPi 1x32 0={10 ** (i % 10)}" for i in range(20)]
        self.run_program("context A", f"load M {image}", *commands, PASTA_PER="launch")
        sections = self.sections()
        self.assertEqual(sum(s[3] for s in sections), 2 * 1111111111)
        self.assertEqual(sum(s[5] for s in sections), 20)
        (merged,) = [s for s in sections if s[2] is None]
        for one in sections:
            self.assertTrue(one is merged or one[3] == 10 ** (one[2] % 10), one)
        (note,) = self.notes()
        self.assertTrue(note.startswith(f"{merged[4]} launches merged by kernel"), note)

    def test_a_launch_that_the_driver_refuses_is_none(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "launch M _Z4fillPi 1x32 refuse",
            "launch M _Z4fillPi 1x32 0=5",
            PASTA_PER="launch",
            stdout="launch: error 1\n",
        )
        self.assertEqual([(s[3], s[4]) for s in self.sections()], [(1, 1), (5, 1)])

    def test_a_fault_loses_what_was_not_read(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "sync",
            "launch M _Z4fillPi 1x32 fault",
            "sync",
            "launch M _Z4fillPi 1x32 0=5",
            PASTA_PER="launch",
            stdout="sync: error 700\nlaunch: error 700\n",
        )
        self.assertEqual([s[2:] for s in self.sections()], [(0, 1, 1, 1, 0, 0), (1, 0, 1, 0, 0, 1)])

    def test_a_module_that_is_unloaded(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "launch M _Z4fillPi 1x32 0=2",
            "unload M",
            f"load M {self.image}",
            "launch M _Z4fillPi 1x32 0=4",
            PASTA_PER="launch",
        )
        self.assertEqual([s[2:6] for s in self.sections()], [(0, 1, 1, 1), (1, 2, 1, 1), (2, 4, 1, 1)])

    def test_replays_are_merged_by_node_and_a_capture_is_left_alone(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "sync",
            "capture S",
            "launch M _Z4fillPi 1x32 0=100 S",
            "launch M _Z5otherPi 1x32 2=7 S",
            "end S G",
            "instantiate E G",
            "replay E T 3",
            "sync",
            "launch M _Z4fillPi 1x32 0=5",
            PASTA_PER="launch",
        )
        self.assertEqual(
            [s for s in self.sections() if s[4]],
            [
                ("fill", "", None, 300, 3, 3, 0, 0),
                ("fill", "", 0, 1, 1, 1, 0, 0),
                ("fill", "", 7, 5, 1, 1, 0, 0),
                ("other", "", None, 21, 3, 3, 0, 0),
            ],
        )
        self.assertEqual(self.notes(), [])

    def test_a_driver_without_such_orders(self):
        self.begin(
            *["launch M _Z4fillPi 1x32 0=1"] * 2, PASTA_PER="launch", PASTA_LAUNCHES="7", FAKE_NO_WRITES="1"
        )
        self.assertEqual(self.sections(), [("fill", "", None, 2, 2, 2, 0, 0)])
        self.assertIn("neither kept apart nor left out", self.notes()[0])

    def test_a_driver_that_refuses_an_order(self):
        self.begin(*["launch M _Z4fillPi 1x32 0=1"] * 2, PASTA_PER="launch", FAKE_REFUSES_WRITES="1")
        self.assertEqual(self.notes(), ["The driver refused to keep launches apart: an error (error 801)"])
        self.assertEqual(self.sections(), [("fill", "", None, 2, 2, 2, 0, 0)])


class StreamTest(LaunchTest):
    def test_one_stream_after_the_other(self):
        self.begin(
            *["launch M _Z4fillPi 1x32 0=1 S", "launch M _Z4fillPi 1x32 0=2 S", "run S 2"],
            *["launch M _Z4fillPi 1x32 0=4 T", "launch M _Z4fillPi 1x32 0=8 T", "sync"],
            *["launch M _Z4fillPi 1x32 0=16 S"],
            PASTA_PER="launch",
        )
        # Of the second nobody knows that it has ended: the first launch of the other stream may have met it.
        sections = self.sections()
        self.assertEqual(sum(s[3] for s in sections), 31)
        self.assertEqual(sum(s[5] for s in sections), 5)
        self.assertIn(("fill", "", 4, 16, 1, 1, 0, 0), sections)

    def test_different_kernels_side_by_side_are_kept_apart_in_the_stream_that_switches(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S",
            "launch M _Z5otherPi 1x32 2=10 T",
            "launch M _Z4fillPi 1x32 0=2 S",
            "launch M _Z4fillPi 1x32 0=4 S",
            "run S 2",
            "run T 1",
            PASTA_PER="launch",
        )
        self.assertEqual(
            self.sections(),
            [
                ("fill", "", 0, 1, 1, 1, 0, 0),
                ("fill", "", 2, 2, 1, 1, 0, 0),
                ("fill", "", 3, 4, 1, 1, 0, 0),
                ("other", "", 1, 10, 1, 1, 0, 0),
            ],
        )
        self.assertEqual(self.notes(), [])

    def test_one_kernel_side_by_side_is_merged_in_whatever_order_it_runs(self):
        launches = [f"launch M _Z4fillPi 1x32 0={2 ** i} {'ST'[i % 2]}" for i in range(6)]
        for order in ("STSTST", "SSSTTT", "TTTSSS", "TSSTTS"):
            with self.subTest(order):
                self.begin(*launches, *[f"run {s} 1" for s in order], PASTA_PER="launch")
                (one,) = self.sections()
                self.assertEqual(one, ("fill", "", None, 63, 6, 6, 0, 0))
                self.assertEqual(
                    self.notes(),
                    ["6 launches ran beside others of their kernel in another stream, and are merged with them."],
                )

    def test_a_late_kernel_of_another_stream_meets_all_that_came_meanwhile(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S",
            "launch M _Z4fillPi 1x32 0=100 T",
            "launch M _Z4fillPi 1x32 0=2 S",
            "run S 2",
            "launch M _Z4fillPi 1x32 0=4 S",
            "run S 1",
            "run T 1",
            "sync",
            "launch M _Z4fillPi 1x32 0=8 S",
            PASTA_PER="launch",
        )
        self.assertEqual(
            sorted(self.sections(), key=str), [("fill", "", 4, 8, 1, 1, 0, 0), ("fill", "", None, 107, 4, 4, 0, 0)]
        )

    def test_a_stream_that_gets_the_handle_of_another_is_another(self):
        # The stand-in uses no handle again, but the collector must not rely on it.
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S",
            "destroy_stream S",
            "launch M _Z4fillPi 1x32 0=2 S",
            PASTA_PER="launch",
        )
        self.assertEqual(self.sections(), [("fill", "", None, 3, 2, 2, 0, 0)])

    def test_streams_that_come_and_go(self):
        commands = []
        for i in range(40):
            commands += [f"stream S{i}", f"launch M _Z4fillPi 1x32 0={i + 1} S{i}"]
            commands += [f"run S{i} 1", f"destroy_stream S{i}"]
        self.begin("launch M _Z5otherPi 1x32 2=1 T", "sync", *commands, PASTA_PER="launch")
        # The words of streams that are gone are those of new ones, and say what they said.
        apart = [(s[2], s[3]) for s in self.sections() if s[0] == "fill" and s[2] is not None]
        self.assertEqual(apart, [(i + 1, i + 1) for i in range(40)])

    def random_program(self, seed):
        """Launches in three streams that run in any order. @return commands, {launch: (kernel, amount)}"""
        chance = random.Random(seed)
        kernels = [("_Z4fillPi", "fill", 0), ("_Z5otherPi", "other", 2)]
        commands, launches, number = [], {}, 0
        for _ in range(chance.randrange(10, 90)):
            what = chance.random()
            stream = chance.choice("STU" if seed % 3 else "ST")
            if what < 0.6:
                symbol, name, counter = chance.choice(kernels)
                commands.append(f"launch M {symbol} 1x32 {counter}={2 ** number} {stream}")
                launches[number] = (name, 2**number)
                number += 1
            elif what < 0.7:
                commands.append(f"begin {stream}")
            elif what < 0.92:
                commands.append(f"run {stream} {chance.randrange(1, 4)}")
            else:
                commands.append(chance.choice(["sync", "runtime_sync", f"stream {stream}"]))
        return ["stream U", *commands], launches

    def test_whatever_runs_when_each_number_is_right_or_merged(self):
        small, large = self.image, self.path("little memory.o")  # eight sets, which are used again
        make_image(large, table(2, function("_Z4fillPi", site(0)), OTHER, counters=30000))
        for seed in range(int(os.environ.get("PASTA_TEST_SEEDS", "25"))):
            with self.subTest(seed):
                commands, launches = self.random_program(seed)
                self.image = large if seed % 2 else small
                self.begin(*commands, PASTA_PER="launch")
                left = dict(launches)
                for kernel, _, launch, amount, *_ in self.sections():
                    if launch is not None:
                        self.assertEqual((kernel, amount), left.pop(launch))
                for kernel, _, launch, amount, seen, delivered, out, lost in self.sections():
                    if launch is None:
                        merged = [amount for name, amount in left.values() if name == kernel]
                        self.assertEqual((amount, seen, delivered, out, lost), (sum(merged), *[len(merged)] * 2, 0, 0))
                        left = {number: each for number, each in left.items() if each[0] != kernel}
                self.assertEqual(left, {})

    def test_whatever_runs_when_what_is_left_out_is_nowhere(self):
        for seed in range(int(os.environ.get("PASTA_TEST_SEEDS", "25"))):
            with self.subTest(seed):
                commands, launches = self.random_program(seed)
                self.begin(*commands, PASTA_LAUNCHES="5:15", PASTA_PER="launch" if seed % 2 else "kernel")
                notes = "".join(self.notes())
                for kernel, _, launch, amount, seen, delivered, out, lost in self.sections():
                    self.assertEqual((lost, seen), (0, delivered + out))
                    own = {number: each[1] for number, each in launches.items() if each[0] == kernel}
                    asked = [each for number, each in own.items() if 5 <= number <= 15]
                    if "may be counted in part" in notes or "left out ran beside" in notes:
                        continue
                    if launch is not None:
                        self.assertEqual(amount, own[launch])
                        self.assertIn(launch, range(5, 16))
                    elif seed % 2 == 0:
                        self.assertEqual((amount, delivered), (sum(asked), len(asked)))

    def test_many_threads_lose_nothing(self):
        self.begin("threads 8 200 M _Z4fillPi 1x32 0=1", PASTA_PER="launch")
        sections = self.sections()
        self.assertEqual(sum(s[3] for s in sections), 1600)
        self.assertEqual(sum(s[5] for s in sections), 1600)


class SelectionTest(LaunchTest):
    def test_kernels_by_name(self):
        self.begin(
            *["launch M _Z4fillPi 1x32 0=1", "launch M _Z5otherPi 1x32 2=10"] * 2, PASTA_KERNELS=r"^fill\(int"
        )
        self.assertEqual(self.sections(), [("fill", "", None, 2, 2, 2, 0, 0), ("other", "", None, 0, 2, 0, 2, 0)])
        self.begin(*["launch M _Z4fillPi 1x32 0=1", "launch M _Z5otherPi 1x32 2=10"] * 2, PASTA_EXCLUDE="fill|x")
        self.assertEqual(self.sections(), [("fill", "", None, 0, 2, 0, 2, 0), ("other", "", None, 20, 2, 2, 0, 0)])

    def test_a_kernel_that_is_left_out_runs_as_the_original(self):
        # The stand-in's kernel adds to nothing where the state is null.
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "launch M _Z5otherPi 1x32 2=10",
            "launch M _Z4fillPi 1x32 0=1",
            "writes",
            PASTA_KERNELS="fill",
            stdout="writes: 2\n",
        )
        self.assertEqual(self.sections()[0], ("fill", "", None, 2, 2, 2, 0, 0))

    def test_a_module_of_which_nothing_is_chosen_is_left_alone(self):
        still = make_image(self.path("still.o"), table(2, STILL))
        self.begin(
            f"load N {still}", "launch N _Z5stillPi 1x32 1=1", "memory 1000000", "launch M _Z4fillPi 1x32 0=1",
            PASTA_EXCLUDE="still",
        )
        self.assertEqual(self.sections(), [("still", "", None, 0, 1, 0, 1, 0), ("fill", "", None, 1, 1, 1, 0, 0)])

    def test_all_are_left_out(self):
        self.begin("launch M _Z4fillPi 1x32 0=1", PASTA_KERNELS="nothing")
        self.assertEqual(self.sections(), [("fill", "", None, 0, 1, 0, 1, 0)])

    def test_launches_by_number(self):
        commands = [f"launch M _Z4fillPi 1x32 0={2 ** i}" for i in range(8)]
        for text, numbers in (("2:4", {2, 3, 4}), ("5", {5}), ("6:", {6, 7}), (":1", {0, 1}), ("1::3", {1, 4, 7})):
            with self.subTest(text):
                self.begin(*commands, PASTA_LAUNCHES=text)
                self.assertEqual(
                    self.sections(),
                    [("fill", "", None, sum(2**i for i in numbers), 8, len(numbers), 8 - len(numbers), 0)],
                )
                self.begin(*commands, PASTA_LAUNCHES=text, PASTA_PER="launch")
                apart = [(s[2], s[3]) for s in self.sections() if s[2] is not None]
                self.assertEqual(apart, [(i, 2**i) for i in sorted(numbers)])

    def test_steps_by_schedule(self):
        commands = [c for i in range(8) for c in (f"launch M _Z4fillPi 1x32 0={2 ** i}", "step")]
        told = {"PASTA_ANNOTATIONS": runtime_test.LIBRARY}
        self.begin(*commands, PASTA_SCHEDULE="wait=1,warmup=1,active=2,repeat=1", **told)
        self.assertEqual(self.sections(), [("fill", "", None, 4 + 8, 8, 2, 6, 0)])
        self.begin(*commands, PASTA_SCHEDULE="wait=1,active=1", PASTA_PER="launch", **told)
        self.assertEqual([(s[2], s[3]) for s in self.sections() if s[2] is not None],
                         [(i, 2**i) for i in (1, 3, 5, 7)])
        self.assertEqual(self.notes(), [])

    def test_a_schedule_without_steps_is_told(self):
        self.begin("launch M _Z4fillPi 1x32 0=1", PASTA_SCHEDULE="wait=1,active=1")
        self.assertEqual(self.sections(), [("fill", "", None, 0, 1, 0, 1, 0)])
        self.assertIn("never called pasta_step()", " ".join(self.notes()))

    def test_devices(self):
        # The stand-in has device 0.
        for devices, delivered in (("0", 1), ("1,2", 0)):
            self.begin("launch M _Z4fillPi 1x32 0=1", PASTA_DEVICES=devices)
            self.assertEqual(self.sections(), [("fill", "", None, delivered, 1, delivered, 1 - delivered, 0)])

    def test_a_share(self):
        self.begin(*[f"launch M _Z4fillPi 1x32 0={2 ** i}" for i in range(8)], PASTA_SAMPLING_RATE="0.25")
        self.assertEqual(self.sections(), [("fill", "", None, 1 + 16, 8, 2, 6, 0)])
        # Parts of one launch: means off by 7.5 on both sides; 4 * sqrt((1 - 2/8) * 2/1 * 2 * 7.5 ** 2).
        (kernel,) = self.report()["tools"][0]["kernels"]
        sampled = kernel["sampling"]
        self.assertEqual((sampled["launches_offered"], sampled["launches_taken"], sampled["scale"]), (8, 2, 4.0))
        self.assertEqual(sampled["events"], 4 * 17)
        self.assertAlmostEqual(sampled["events_error"], 4 * (0.75 * 2 * 2 * 7.5**2) ** 0.5)

    def test_a_share_of_launches_in_ranges(self):
        self.begin(*["push a", *["launch M _Z4fillPi 1x32 0=5"] * 4, "pop", *["launch M _Z4fillPi 1x32 0=7"] * 4],
                   PASTA_SAMPLING_RATE="0.5", PASTA_ANNOTATIONS=runtime_test.LIBRARY)
        found = {k["range"]: (k["sampling"]["launches_offered"], k["sampling"]["launches_taken"],
                              k["sampling"]["events"], k["sampling"]["events_error"])
                 for k in self.report()["tools"][0]["kernels"]}
        self.assertEqual(found, {"a": (4, 2, 20, 0), "": (4, 2, 28, 0)})

    def test_blocks_are_not_sampled(self):
        self.begin("launch M _Z4fillPi 1x32 0=1", PASTA_SAMPLE_BLOCKS="0.5",
                   stderr="pasta: the ptx route collects nothing: PASTA_SAMPLE_BLOCKS=0.5: the ptx route analyses "
                   "whole launches; the patch route and the CPU engine sample blocks\n")

    def test_what_cannot_be_left_out_is_analysed(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S",
            "launch M _Z4fillPi 1x32 0=2 T",
            "run T 1",
            "sync",
            "launch M _Z4fillPi 1x32 0=4 T",
            PASTA_LAUNCHES="0",
        )
        self.assertEqual(self.sections(), [("fill", "", None, 3, 3, 2, 1, 0)])
        self.assertIn(
            "1 launch that would have been left out ran beside others of the module in another stream: analysed too.",
            self.notes(),
        )

    def test_collecting_that_begins_beside_another_stream(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S", "launch M _Z4fillPi 1x32 0=2 T", "run S 1", "run T 1", PASTA_LAUNCHES="1"
        )
        (one,) = self.sections()
        self.assertEqual(one[4], 2)
        self.assertTrue(any("may be counted in part" in note for note in self.notes()), self.notes())

    def test_a_graph_is_taken_or_left_as_one(self):
        self.begin(
            "capture S",
            "launch M _Z4fillPi 1x32 0=100 S",
            "launch M _Z5otherPi 1x32 2=7 S",
            "end S G",
            "instantiate E G",
            "replay E T 4",
            PASTA_LAUNCHES="2:5",
        )
        self.assertEqual(self.sections(), [("fill", "", None, 200, 4, 2, 2, 0), ("other", "", None, 14, 4, 2, 2, 0)])

    def test_a_kernel_without_counters_is_left_out_too(self):
        image = make_image(self.path("plain.o"), functions=["_Z5plainPi"])
        self.begin(
            f"load P {image}", "launch M _Z4fillPi 1x32 0=1", "launch P _Z5plainPi 1x32 0=1", PASTA_EXCLUDE="plain"
        )
        (plain,) = [s for s in self.sections() if s[0] == "plain"]
        self.assertEqual(plain[4:], (1, 0, 1, 0))

    def test_wrong_values_are_one_line(self):
        for name, value, line in (
            ("PASTA_KERNELS", "a(", "PASTA_KERNELS: 'a(' is not a regular expression: Unmatched ( or \\("),
            ("PASTA_LAUNCHES", "a", "PASTA_LAUNCHES: 'a' is no range of launches: FIRST:LAST[:STEP], such as 10:20, "),
        ):
            done = self.begin("launch M _Z4fillPi 1x32 0=1", stderr=None, **{name: value})
            self.assertIn(line, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


class AnnotationTest(LaunchTest):
    def begin(self, *commands, **variables):
        return super().begin(*commands, PASTA_ANNOTATIONS=runtime_test.LIBRARY, **variables)

    def test_ranges_have_rows_of_their_own(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1",
            "push forward",
            "launch M _Z4fillPi 1x32 0=10",
            "push layer",
            "launch M _Z5otherPi 1x32 2=7",
            "launch M _Z4fillPi 1x32 0=100",
            "pop",
            "launch M _Z4fillPi 1x32 0=1000",
            "pop",
            "launch M _Z4fillPi 1x32 0=10000",
            "pop",
        )
        self.assertEqual(
            self.sections(),
            [
                ("fill", "", None, 10001, 2, 2, 0, 0),
                ("fill", "forward", None, 1010, 2, 2, 0, 0),
                ("fill", "forward/layer", None, 100, 1, 1, 0, 0),
                ("other", "forward/layer", None, 7, 1, 1, 0, 0),
            ],
        )
        self.assertEqual(self.notes(), [])

    def test_a_program_that_annotates_before_the_driver_starts(self):
        # The stand-in's program starts the driver first; its threads have ranges of their own.
        self.begin("push a", "threads 2 3 M _Z4fillPi 1x32 0=1", "sync", "launch M _Z4fillPi 1x32 0=10")
        self.assertEqual(
            self.sections(), [("fill", "", None, 6, 6, 6, 0, 0), ("fill", "a", None, 10, 1, 1, 0, 0)]
        )

    def test_replays_in_a_range(self):
        self.begin(
            "capture S",
            "launch M _Z4fillPi 1x32 0=100 S",
            "end S G",
            "instantiate E G",
            "replay E T 1",
            "push step",
            "replay E T 2",
        )
        self.assertEqual(
            self.sections(), [("fill", "", None, 100, 1, 1, 0, 0), ("fill", "step", None, 200, 2, 2, 0, 0)]
        )
        (tool,) = self.report()["tools"]
        self.assertEqual({kernel["grid"] for kernel in tool["kernels"]}, {"1x1x1"})

    def test_launches_apart_in_ranges(self):
        self.begin(
            "push a", "launch M _Z4fillPi 1x32 0=1", "pop", "launch M _Z4fillPi 1x32 0=10", PASTA_PER="launch"
        )
        self.assertEqual([s[1:4] for s in self.sections()], [("a", 0, 1), ("", 1, 10)])

    def test_stop_and_start(self):
        self.begin(
            "attached",
            "launch M _Z4fillPi 1x32 0=1",
            "stop",
            "launch M _Z4fillPi 1x32 0=10",
            "start",
            "launch M _Z4fillPi 1x32 0=100",
            stdout="attached: 1\n",
        )
        self.assertEqual(self.sections(), [("fill", "", None, 101, 3, 2, 1, 0)])

    def test_stopped_from_the_begin(self):
        self.begin(
            "stop",
            "launch M _Z4fillPi 1x32 0=10",
            "start",
            "launch M _Z4fillPi 1x32 0=100",
            "launch M _Z4fillPi 1x32 0=1000",
        )
        self.assertEqual(self.sections(), [("fill", "", None, 1100, 3, 2, 1, 0)])

    def test_ranges_that_begin_while_another_stream_is_under_way(self):
        self.begin(
            "launch M _Z4fillPi 1x32 0=1 S",
            "push a",
            "launch M _Z4fillPi 1x32 0=10 T",
            "run T 1",
            "run S 1",
            "sync",
            "launch M _Z4fillPi 1x32 0=100 T",
        )
        # The two that ran at once cannot be told apart, all else can.
        self.assertEqual(
            self.sections(), [("fill", "", None, 11, 2, 2, 0, 0), ("fill", "a", None, 100, 1, 1, 0, 0)]
        )
        self.assertIn("2 launches ran beside others of their kernel", "".join(self.notes()))

    def test_more_ranges_than_there_is_memory_for(self):
        image = make_image(self.path("large.o"), table(1, function("_Z4fillPi", site(0)), counters=250000))
        commands = [c for i in range(12) for c in (f"push r{i}", f"launch M _Z4fillPi 1x32 0={2 ** i}", "pop")]
        self.begin(f"load M {image}", *commands)
        sections = self.sections()
        self.assertEqual(sum(s[3] for s in sections), 4095)
        self.assertGreater(len(sections), 2)
        (note,) = self.notes()
        self.assertIn("merged by kernel: there was no memory", note)

    def test_without_pasta_run_nobody_is_looked_for(self):
        self.run_program("push a", "pop", "attached", PASTA_TOOLS=None, stdout="attached: 0\n")


if __name__ == "__main__":
    unittest.main()
