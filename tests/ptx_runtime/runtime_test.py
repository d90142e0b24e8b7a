# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The collector of the ptx route in a program whose driver and CUPTI are stand-ins."""

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

from images import VERSION, access, function, make_image, site, table

PASTA = os.environ["PASTA_CLI"]
LIBRARY = os.environ["PASTA_PTX_LIBRARY"]
PROGRAM = os.environ["PASTA_PTX_PROGRAM"]
FILL = function("_Z4fillPi", site(0), site(1, access("store", "shared", 8)))


class RuntimeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pasta ptx ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.index = self.path("index")
        self.output = self.path("report.json")
        open(self.index, "w").close()
        self.image = make_image(self.path("a module.o"), table(1, FILL))

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PASTA_", "CUDA_"))}
        clean |= {
            "PASTA_TOOLS": "access_count",
            "PASTA_REPORT_INDEX": self.index,
            "PASTA_OUTPUT": self.output,
            "PASTA_ROUTE": "ptx",
            "CUDA_INJECTION64_PATH": LIBRARY,
            "LC_ALL": "C",
            "PASTA_CUPTI": os.environ["PASTA_PTX_FAKE_CUPTI"],
        }
        clean |= variables
        return {k: v for k, v in clean.items() if v is not None}

    def run_program(self, *commands, program=PROGRAM, code=0, stderr="", stdout="", **variables):
        done = subprocess.run(
            [program, *commands],
            env=self.environment(PASTA_QUIET="1", **variables),
            text=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        self.assertEqual(done.returncode, code, done.stderr)
        if stdout is not None:
            self.assertEqual(done.stdout, stdout)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr)
        return done

    def report(self):
        with open(self.output) as file:
            return json.load(file)

    def index_lines(self):
        with open(self.index) as file:
            return [line.rstrip("\n").split("\t") for line in file]

    def kernels(self):
        (tool,) = self.report()["tools"]
        return {kernel["kernel"]: kernel for kernel in tool["kernels"]}

    def sites(self, kernel):
        (found,) = [t for t in self.kernels()[kernel]["tables"] if t["name"] == "sites"]
        return [tuple(row) for row in found["rows"]]

    def launches(self, kernel):
        losses = self.kernels()[kernel]["losses"]
        return losses["launches_seen"], losses["launches_delivered"], losses["launches_lost"]

    def check_fill(self, loads, stores, launches):
        rows = [("load", "global", 4, loads, 4 * loads), ("store", "shared", 8, stores, 8 * stores)]
        # What was never executed has no row.
        self.assertEqual(self.sites("fill(int*)"), [("a.cu", 7, 3, *row) for row in rows if row[3] != 0])
        self.assertEqual(self.launches("fill(int*)"), launches)


class CountTest(RuntimeTest):
    def test_launches_of_all_kinds_are_counted_once(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "stream S",
            "launch M _Z4fillPi 4x64 0=100,1=3",
            "launch M _Z4fillPi 4x64 0=10 S",
            "launch_ex M _Z4fillPi 4x64 0=1,1=1",
            "launch_cooperative M _Z4fillPi 4x64 0=1000",
            "launch_thread M _Z4fillPi 4x64 0=5",
        )
        self.check_fill(1116, 4, (5, 5, 0))
        report, kernel = self.report(), self.kernels()["fill(int*)"]
        self.assertTrue(report["is_complete"])
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "complete"])
        self.assertEqual((kernel["grid"], kernel["block"], kernel["shared_bytes"]), ("4x1x1", "64x1x1", 128))
        self.assertEqual(kernel["losses"]["events_delivered"], 1120)
        self.assertEqual(kernel["losses"]["not_instrumentable"], [])
        header = report["header"]
        self.assertEqual(
            (header["route"], header["vendor"], header["device"], header["cuda"]), ("ptx", "cuda", "a stand-in", "13.0")
        )
        self.assertEqual(header["command"][0], PROGRAM)

    def test_a_kernel_of_a_library_is_found_though_it_is_loaded_late(self):
        self.run_program(
            "context A", f"library L {self.image}", "kernel L _Z4fillPi 1x32 0=7", "kernel L _Z4fillPi 1x64 0=1"
        )
        self.check_fill(8, 0, (2, 2, 0))
        self.assertEqual(self.kernels()["fill(int*)"]["block"], "varies")

    def test_the_programs_streams_are_not_waited_for(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "launch M _Z4fillPi 1x32 0=1",
            "launch M _Z4fillPi 1x32 0=1",
            "waits",
            stdout="waits: 0\n",
        )
        self.check_fill(2, 0, (2, 2, 0))

    def test_a_launch_that_the_driver_refuses_is_none(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "launch M _Z4fillPi 1x32 refuse",
            "launch M _Z4fillPi 1x32 0=2",
            stdout="launch: error 1\n",
        )
        self.check_fill(2, 0, (1, 1, 0))

    def test_a_kernel_that_never_ran_is_not_in_the_report(self):
        other = make_image(self.path("other.o"), table(15, function("_Z1kv", site(0))))
        self.run_program(
            "context A",
            f"load M {self.image}",
            f"load N {other}",
            "stream S",
            "launch N _Z1kv 1x32 refuse",
            "capture S",
            "launch N _Z1kv 1x32 0=1 S",
            "end S G",
            "launch M _Z4fillPi 1x32 0=2",
            stdout="launch: error 1\n",
        )
        self.assertEqual(list(self.kernels()), ["fill(int*)"])

    def test_many_threads(self):
        self.run_program("context A", f"load M {self.image}", "threads 8 500 M _Z4fillPi 1x32 0=3,1=1")
        self.check_fill(12000, 4000, (4000, 4000, 0))

    def test_a_function_that_kernels_call_stands_by_itself(self):
        image = make_image(
            self.path("f.o"),
            table(
                2,
                function("_Z1kv", site(0)),
                function("_Z1fi", site(1), is_entry=False),
                function("_Z1gi", site(2), is_entry=False),
            ),
        )
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x32 0=1,1=5")
        self.assertEqual(list(self.kernels()), ["k()", "f(int)"])
        self.assertEqual(self.launches("f(int)"), (0, 0, 0))
        self.assertEqual(self.sites("f(int)")[0][6], 5)
        self.assertIn("beside the kernels", " ".join(self.report()["notes"]))

    def test_objects_that_were_linked_have_a_table_each(self):
        first = table(3, function("_Z1kv", site(0)))
        second = table(4, function("_Z1fv", site(1), is_entry=False))
        image = make_image(self.path("two.o"), first, second)
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x32 0@0=1,1@1=9")
        self.assertEqual(self.sites("k()")[0][6], 1)
        self.assertEqual(self.sites("f()")[0][6], 9)

    def test_spaces_sizes_and_makers(self):
        sites = [
            site(0, access("load", "generic", 4), place=0),
            site(0, access("load", "constant", 4), place=0),
            site(0, access("load", "texture", None, why="a texture"), opcode="tex.2d", place=0),
            site(1, access("load", "shared::cluster", 16), place=0),
            site(2, access("load", "shared", 512, share="warp"), place=0),
            site(3, access("load", "shared", 16, share="rows", lanes=8), place=0),
            site(0, access("load", "tensor memory", 4, share="warp_group"), place=None),
        ]
        image = make_image(self.path("s.o"), table(5, function("_Z1kv", *sites)))
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x32 0=128,1=2,2=64,3=32")
        rows = {row[4:6]: row[6:8] for row in self.sites("k()")}
        self.assertEqual(rows[("generic", 4)], (128, 512))
        self.assertEqual(rows[("constant", 4)], (128, 512))
        self.assertEqual(rows[("texture", 0)], (128, 0))
        self.assertEqual(rows[("shared", 512)], (2, 1024))
        self.assertEqual(rows[("tensor", 4)], (1, 4))
        self.assertEqual(rows[("shared", 16)], (10, 160))
        (why,) = self.kernels()["k()"]["losses"]["not_instrumentable"]
        self.assertEqual(why, "bytes of load at a.cu:7 (tex.2d): a texture")

    def test_a_site_of_an_inlined_function_stands_at_its_own_place(self):
        image = make_image(self.path("i.o"), table(6, function("_Z1kv", site(0, place=1))))
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x32 0=1")
        self.assertEqual(self.sites("k()")[0][:3], ("b.cuh", 2, 5))


class GraphTest(RuntimeTest):
    def test_replays_count_and_captured_launches_do_not(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "stream S",
            "capture S",
            "launch M _Z4fillPi 1x32 0=1 S",
            "launch M _Z4fillPi 1x32 0=2,1=1 S",
            "end S G",
            "instantiate E G",
            "replay E S 5",
        )
        self.check_fill(15, 5, (10, 10, 0))

    def test_a_capture_stands_when_a_module_is_attached_in_it(self):
        done = self.run_program(
            "context A",
            f"load M {self.image}",
            "stream S",
            "stream T",
            "capture S",
            "launch M _Z4fillPi 1x32 0=1 T",
            "end S G",
        )
        self.assertEqual(done.stdout, "")
        self.check_fill(1, 0, (1, 1, 0))

    def test_nodes_that_were_never_launched_otherwise(self):
        self.run_program(
            "context A",
            f"library L {self.image}",
            "stream S",
            "graph C",
            "node C L _Z4fillPi 0=1",
            "graph G",
            "node G L _Z4fillPi 0=10",
            "child G C",
            "instantiate E G",
            "replay E S 3",
        )
        self.check_fill(33, 0, (6, 6, 0))
        self.assertEqual(self.kernels()["fill(int*)"]["grid"], "3x1x1")

    def test_an_updated_graph_counts_as_what_it_is_afterwards(self):
        self.run_program(
            "context A",
            f"library L {self.image}",
            "stream S",
            "graph G",
            "node G L _Z4fillPi 0=1",
            "instantiate E G",
            "replay E S 1",
            "graph H",
            "node H L _Z4fillPi 0=2",
            "node H L _Z4fillPi 0=2",
            "update E H",
            "replay E S 1",
        )
        self.check_fill(5, 0, (3, 3, 0))


class ContextTest(RuntimeTest):
    def test_two_contexts_have_memory_of_their_own(self):
        self.run_program(
            "context A",
            f"library L {self.image}",
            "kernel L _Z4fillPi 1x32 0=1",
            "context B",
            "kernel L _Z4fillPi 1x32 0=10",
            "destroy B",
            "current A",
            "kernel L _Z4fillPi 1x32 0=100",
        )
        self.check_fill(111, 0, (3, 3, 0))

    def test_what_was_collected_before_a_reset_is_kept(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "launch M _Z4fillPi 1x32 0=1",
            "reset",
            "context B",
            f"load N {self.image}",
            "launch N _Z4fillPi 1x32 0=10",
        )
        self.check_fill(11, 0, (2, 2, 0))

    def test_a_module_that_is_unloaded_and_loaded_again(self):
        commands = ["context A"]
        for i in range(20):
            commands += [f"load M{i} {self.image}", f"launch M{i} _Z4fillPi 1x32 0=1", f"unload M{i}"]
        self.run_program(*commands)
        self.check_fill(20, 0, (20, 20, 0))

    def test_a_library_that_is_unloaded(self):
        self.run_program(
            "context A",
            f"library L {self.image}",
            "kernel L _Z4fillPi 1x32 0=1",
            "unload_library L",
            f"library K {self.image}",
            "kernel K _Z4fillPi 1x32 0=1",
        )
        self.check_fill(2, 0, (2, 2, 0))

    def test_one_image_loaded_twice(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            f"load N {self.image}",
            "launch M _Z4fillPi 1x32 0=1",
            "launch N _Z4fillPi 1x32 0=2",
            "launch M _Z4fillPi 1x32 0=4",
        )
        self.check_fill(7, 0, (3, 3, 0))

    def test_a_fault_loses_its_context_and_no_other(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "launch M _Z4fillPi 1x32 0=1",
            "context B",
            f"load N {self.image}",
            "launch N _Z4fillPi 1x32 0=10",
            "launch N _Z4fillPi 1x32 fault",
            "sync",
            stdout="sync: error 700\n",
        )
        self.check_fill(1, 0, (3, 1, 2))
        (note,) = self.report()["notes"]
        self.assertIn("an illegal memory access was encountered (error 700)", note)

    def test_what_was_read_before_a_fault_is_kept(self):
        for sync in ("sync", "runtime_sync"):
            self.run_program(
                "context A",
                f"load M {self.image}",
                "launch M _Z4fillPi 1x32 0=1",
                sync,
                "launch M _Z4fillPi 1x32 0=10",
                "launch M _Z4fillPi 1x32 fault",
                sync,
                stdout=f"{sync}: error 700\n",
            )
            self.check_fill(1, 0, (3, 1, 2))


class AttachTest(RuntimeTest):
    def check_not_seen(self, kernel, launches, why):
        self.assertEqual(self.launches(kernel), (launches, 0, 0))
        (reason,) = self.kernels()[kernel]["losses"]["not_instrumentable"]
        self.assertIn(why, reason)

    def test_kernels_without_counters_are_listed_beside_those_with(self):
        plain = make_image(self.path("plain.o"), functions=["_Z5plainv"])
        self.run_program(
            "context A",
            f"load M {self.image}",
            f"load P {plain}",
            "launch P _Z5plainv 1x32 -",
            "launch P _Z5plainv 1x32 -",
            "launch M _Z4fillPi 1x32 0=1",
        )
        self.check_not_seen("plain()", 2, "2 launches: it was built without PASTA's counters")
        self.check_fill(1, 0, (1, 1, 0))
        self.assertEqual(
            self.report()["notes"],
            ["Route ptx: of 3 launches 1 were analysed (33.3 %), and 2 could not be; their kernels say why (route patch "
             "sees machine code as it is)."])

    def test_a_table_of_another_version(self):
        old = make_image(self.path("old.o"), table(7, function("_Z3oldv", site(0)), pasta="0.0.9"))
        self.run_program("context A", f"load M {old}", "launch M _Z3oldv 1x32 0=1")
        self.check_not_seen("old()", 1, f"it was built with PASTA 0.0.9, and this is {VERSION}")

    def test_a_table_that_is_cut_short(self):
        whole = table(8, function("_Z1kv", site(0)))
        cut = make_image(self.path("cut.o"), whole, texts=[json.dumps(whole)[:-20]])
        self.run_program("context A", f"load M {cut}", "launch M _Z1kv 1x32 0=1")
        self.check_not_seen("k()", 1, "its site table is not JSON")

    def test_a_table_of_another_module_and_an_empty_one(self):
        other = make_image(
            self.path("o.o"),
            table(9, function("_Z1kv", site(0))),
            texts=[json.dumps(table(10, function("_Z1kv", site(0))))],
        )
        empty = make_image(self.path("e.o"), table(11, function("_Z1ev", site(0))), texts=[""])
        self.run_program(
            "context A", f"load M {other}", f"load E {empty}", "launch M _Z1kv 1x32 0=1", "launch E _Z1ev 1x32 0=1"
        )
        self.check_not_seen("k()", 1, "that of another module")
        self.check_not_seen("e()", 1, "its site table has 0 bytes")

    def test_a_function_that_could_not_be_instrumented(self):
        image = make_image(self.path("w.o"), table(12, function("_Z1kv", why="it has no registers left"), FILL))
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x32 -")
        self.check_not_seen("k()", 1, "it has no registers left")

    def test_what_matrix_instructions_multiply_reaches_the_tool(self):
        product = {"m": 64, "n": 8, "k": 16, "products": 1, "lanes": 128, "a": "bf16", "b": "bf16", "d": "f32"}
        multiplies = {"counter": 0, "place": 0, "opcode": "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
                      "line": 9, "accesses": [],
                      "event": {"kind": "matrix", "space": "global", "bytes": 0, "product": product}}
        image = make_image(self.path("m.o"), table(14, function("_Z1kv", multiplies), tools=["matrix_tiles"]))
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x128 0=256", "launch M _Z1kv 1x128 0=256",
                         PASTA_TOOLS="matrix_tiles", PASTA_TOOL_OPTIONS="problem=k=96x8x16")
        tables = {one["name"]: one["rows"] for one in self.kernels()["k()"]["tables"]}
        self.assertEqual(tables["sites"], [["a.cu", 7, 3, "64x8x16", "bf16*bf16+f32", 4, 4 * 64 * 8 * 16]])
        self.assertEqual(tables["fill"], [["96x8x16", 2, 4 * 64 * 8 * 16, 2 * 96 * 8 * 16, 0.75, "128x8x16"]])
        (finding,) = self.kernels()["k()"]["findings"]
        self.assertRegex(finding["message"], "25 % of the multiply-adds are padding: 96x8x16 is done as 128x8x16")

    def test_a_module_with_another_tool(self):
        image = make_image(self.path("t.o"), table(13, function("_Z1kv", site(0)), tools=["coalescing"]))
        self.run_program("context A", f"load M {image}", "launch M _Z1kv 1x32 0=1")
        self.check_not_seen("k()", 1, "it was built with coalescing, not with access_count")

    def test_little_memory_means_fewer_shards_and_none_means_not_seen(self):
        self.run_program(
            "context A",
            f"load M {self.image}",
            "memory 300",
            "launch M _Z4fillPi 1x32 0=1",
            "launch M _Z4fillPi 1x32 0=2",
        )
        self.check_fill(3, 0, (2, 2, 0))
        self.run_program("context A", f"load M {self.image}", "memory 100", "launch M _Z4fillPi 1x32 0=1")
        self.check_not_seen("fill(int*)", 1, "the GPU has no memory for what it counts")

    def test_the_limit_of_a_context(self):
        big = [
            make_image(self.path(f"b{i}.o"), table(20 + i, function(f"_Z2b{i}v", site(0)), counters=1_200_000))
            for i in range(2)
        ]
        self.run_program(
            "context A",
            f"load M {big[0]}",
            f"load N {big[1]}",
            "launch M _Z2b0v 1x32 0=1",
            "launch N _Z2b1v 1x32 0=1",
            "context B",
            f"load O {big[1]}",
            "launch O _Z2b1v 1x32 0=5",
        )
        self.assertEqual(self.launches("b0()"), (1, 1, 0))
        self.assertEqual(self.launches("b1()"), (2, 1, 0))
        (reason,) = self.kernels()["b1()"]["losses"]["not_instrumentable"]
        self.assertEqual(
            reason,
            "1 launch: PASTA has no memory left for it on the GPU: it needs 9600000 bytes, "
            "16 MiB are its limit in a context",
        )

    def test_a_state_of_six_words(self):
        image = make_image(
            self.path("six.o"),
            table(14, FILL, shard_bytes=64, shared_bytes=40, schema="pasta.ptx.sites/2"),
            state_words=6,
        )
        self.run_program("context A", f"load M {image}", "launch M _Z4fillPi 1x32 0=1,1=2")
        self.check_fill(1, 2, (1, 1, 0))

    def test_events_that_another_tool_counts_are_no_accesses(self):
        barrier = {
            "place": 0,
            "opcode": "bar.sync",
            "line": 3,
            "accesses": [],
            "event": {"kind": "barrier", "space": "global", "bytes": 0},
            "counter": 2,
        }
        fill = function("_Z4fillPi", site(0), site(1, access("store", "shared", 8)), barrier)
        fill["without"] = [{"tool": "other", "why": "too large"}]
        image = make_image(self.path("events.o"), table(15, fill, schema="pasta.ptx.sites/3"), state_words=6)
        self.run_program("context A", f"load M {image}", "launch M _Z4fillPi 1x32 0=1,1=2,2=9")
        self.check_fill(1, 2, (1, 1, 0))
        self.assertEqual(self.kernels()["fill(int*)"]["losses"]["not_instrumentable"], [])

    def test_a_tool_that_gets_nothing_of_a_function_says_so(self):
        fill = function("_Z4fillPi", site(0))
        fill["without"] = [{"tool": "access_count", "why": "its state is too large"}]
        image = make_image(self.path("without.o"), table(16, fill, schema="pasta.ptx.sites/3"), state_words=6)
        self.run_program("context A", f"load M {image}", "launch M _Z4fillPi 1x32 0=1")
        (reason,) = self.kernels()["fill(int*)"]["losses"]["not_instrumentable"]
        self.assertEqual(reason, "its handlers: its state is too large")


class EndTest(RuntimeTest):
    def setUp(self):
        super().setUp()
        self.commands = ["context A", f"load M {self.image}", "launch M _Z4fillPi 1x32 0=1"]

    def test_the_programs_code_stays(self):
        self.run_program(*self.commands, "exit 7", code=7)
        self.check_fill(1, 0, (1, 1, 0))

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT):
            open(self.index, "w").close()
            self.run_program(*self.commands, f"raise {int(number)}", code=-number)
            self.check_fill(1, 0, (1, 1, 0))
            self.assertEqual(self.report()["incomplete_reason"], f"killed by {number.name}")
            self.assertEqual([line[0] for line in self.index_lines()], ["attach", "incomplete"])

    def test_kernels_without_end_do_not_hold_up_a_signal(self):
        self.run_program(
            *self.commands,
            "sync",
            "launch M _Z4fillPi 1x32 endless",
            f"raise {int(signal.SIGTERM)}",
            code=-signal.SIGTERM,
        )
        self.check_fill(1, 0, (2, 1, 1))
        self.assertIn("after 3 s no more was waited for", self.report()["notes"][0])

    def test_underscore_exit_leaves_what_pasta_run_finds(self):
        self.run_program(*self.commands, "_exit 3", code=3)
        self.assertEqual([line[0] for line in self.index_lines()], ["attach"])
        self.assertFalse(os.path.exists(self.output))

    def test_a_forked_child_reports_nothing_of_its_parents(self):
        self.run_program(*self.commands, "fork exit 5", "launch M _Z4fillPi 1x32 0=1", stdout="child: 1280\n")
        self.check_fill(2, 0, (2, 2, 0))
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "complete"])

    def test_nothing_instrumented_was_launched(self):
        plain = make_image(self.path("plain.o"), functions=["_Z5plainv"])
        commands = ("context A", f"load P {plain}", "launch P _Z5plainv 1x32 -")
        self.run_program(*commands)
        ((state, _, _, why),) = self.index_lines()
        self.assertEqual(state, "failed")
        self.assertIn("none of the kernels in its 1 launches has PASTA's counters", why)
        open(self.index, "w").close()
        self.run_program(*commands, PASTA_ROUTE="auto")
        self.assertEqual(self.index_lines(), [])

    def test_without_cupti(self):
        done = self.run_program(*self.commands, PASTA_CUPTI=self.path("no such"))
        self.assertEqual(done.stderr, "")
        ((state, _, _, why),) = self.index_lines()
        self.assertEqual(state, "failed")
        self.assertIn("CUPTI was not found at PASTA_CUPTI=", why)
        self.assertIn("it comes with the CUDA toolkit", why)

    def test_cupti_that_another_tool_has(self):
        self.run_program(*self.commands, FAKE_CUPTI_TAKEN="1")
        self.assertIn("another tool has CUPTI's callbacks", self.index_lines()[0][3])
        open(self.index, "w").close()
        self.run_program(*self.commands, FAKE_CUPTI_REFUSES="1")
        self.assertIn("CUPTI refuses callbacks (error 15)", self.index_lines()[0][3])

    def test_a_tool_that_is_not_there_or_has_no_such_option(self):
        self.run_program(*self.commands, PASTA_TOOLS="no_such_tool")
        self.assertIn("there is no tool no_such_tool", self.index_lines()[0][3])
        open(self.index, "w").close()
        self.run_program(*self.commands, PASTA_TOOL_OPTIONS="depth=3")
        self.assertIn("no tool of this run has an option --depth", self.index_lines()[0][3])
        open(self.index, "w").close()
        self.run_program(*self.commands, PASTA_TOOLS="matrix_tiles", PASTA_TOOL_OPTIONS="problem=12")
        self.assertIn("--problem: '12' is not [KERNEL=]MxNxK[xBATCH][+MxNxK...]", self.index_lines()[0][3])

    def test_a_wrong_variable_is_one_line_and_the_program_runs(self):
        done = self.run_program(*self.commands, "exit 4", code=4, stderr=None, PASTA_ROUTE="trunk")
        self.assertEqual(
            done.stderr, "pasta: the ptx route collects nothing: PASTA_ROUTE=trunk is none of auto, probe, ptx, patch, llvm\n"
        )

    def test_without_a_tool_nobody_is_there(self):
        self.run_program(*self.commands, PASTA_TOOLS=None, PASTA_CUPTI="/no such")
        self.run_program(*self.commands, PASTA_ROUTE="probe", PASTA_CUPTI="/no such")
        self.assertEqual(self.index_lines(), [])


class RunTest(RuntimeTest):
    """Through `pasta run`."""

    def pasta(self, *words, **variables):
        environment = self.environment(**variables)
        for name in ("PASTA_TOOLS", "PASTA_REPORT_INDEX", "PASTA_OUTPUT", "PASTA_ROUTE"):
            environment.pop(name)
        if "CUDA_INJECTION64_PATH" not in variables:
            environment.pop("CUDA_INJECTION64_PATH")
        return subprocess.run(
            [PASTA, "run", "access_count", "--output", self.output, *words],
            env=environment,
            text=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
        )

    def setUp(self):
        super().setUp()
        self.commands = ["context A", f"load M {self.image}", "launch M _Z4fillPi 1x32 0=1"]

    def test_a_program_without_a_table_is_looked_into(self):
        done = self.pasta("--", PROGRAM, *self.commands)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.check_fill(1, 0, (1, 1, 0))
        self.assertIn("route     ptx on cuda: a stand-in", done.stderr)
        self.assertIn("a.cu:7", done.stderr)
        self.assertTrue(done.stderr.endswith("report: report.json\n"), done.stderr)

    def test_a_script_that_starts_it(self):
        done = self.pasta("--route", "ptx", "--", "sh", "-c", 'exec "$0" "$@"', PROGRAM, *self.commands, "exit 9")
        self.assertEqual(done.returncode, 9)
        self.check_fill(1, 0, (1, 1, 0))

    def test_a_program_with_the_probe_route_keeps_it(self):
        done = self.pasta("--", os.environ["PASTA_PTX_PROBE_PROGRAM"], *self.commands)
        self.assertIn("no report", done.stderr)
        done = self.pasta("--", "sh", "-c", 'exec "$0" "$@"', os.environ["PASTA_PTX_PROBE_PROGRAM"], *self.commands)
        self.assertIn("no report", done.stderr)
        done = self.pasta("--route", "ptx", "--", os.environ["PASTA_PTX_PROBE_PROGRAM"], *self.commands)
        self.check_fill(1, 0, (1, 1, 0))

    def test_another_injection_is_called_after_it(self):
        done = self.pasta("--", PROGRAM, *self.commands, CUDA_INJECTION64_PATH=os.environ["PASTA_PTX_OTHER_INJECTION"])
        self.assertEqual(done.stdout, "the other injection\n", done.stderr)
        self.check_fill(1, 0, (1, 1, 0))
        done = self.pasta("--", PROGRAM, *self.commands, CUDA_INJECTION64_PATH="/no/such.so")
        self.assertIn("pasta: the library of CUDA_INJECTION64_PATH is not loaded: /no/such.so", done.stderr)

    def test_why_there_is_no_report(self):
        done = self.pasta("--route", "ptx", "--", "true")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(
            done.stderr, r"\Apasta run: no report: [^\n]*true launched no kernel through a driver[^\n]*\n\Z"
        )
        done = self.pasta("--strict", "--", PROGRAM, *self.commands, FAKE_CUPTI_TAKEN="1")
        self.assertEqual(done.returncode, 125)

    def test_flags_that_choose_launches_reach_the_collector(self):
        for route in (), ("--route", "ptx"):
            words = ("--per", "launch", "--launches", "0:0", "--kernels", "fill", "--exclude", "other")
            done = self.pasta(*route, *words, "--", PROGRAM, *self.commands, self.commands[-1])
            self.assertEqual(done.returncode, 0, done.stderr)
            (tool,) = self.report()["tools"]
            counts = ("launches_seen", "launches_sampled_out")
            found = [(k["launch"], *[k["losses"][name] for name in counts]) for k in tool["kernels"]]
            self.assertEqual(found, [(None, 1, 1), (0, 1, 0)])

    def test_a_program_that_was_told_where_annotations_go(self):
        done = self.pasta("--", PROGRAM, *self.commands[:-1], "push a", self.commands[-1])
        self.assertEqual(done.returncode, 0, done.stderr)
        (tool,) = self.report()["tools"]
        self.assertEqual([kernel["range"] for kernel in tool["kernels"]], ["a"])

    def test_processes_of_one_run_are_shown_together(self):
        folder = self.path("reports of all")
        os.mkdir(folder)
        script = '"$0" "$@" "fork exit 0" >/dev/null && "$0" "$@" "$3" && exec "$0" "$@"'
        self.output = os.path.join(folder, "%p.json")
        done = self.pasta("--quiet", "--", "bash", "-c", script, PROGRAM, *self.commands)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("report: "), 3)
        shown = subprocess.run([PASTA, "show", "--json", folder], text=True, capture_output=True, check=True)
        launches = [r["tools"][0]["kernels"][0]["losses"]["launches_seen"] for r in json.loads(shown.stdout)]
        self.assertEqual(sorted(launches), [1, 1, 2])
        self.assertEqual(len({r["header"]["pid"] for r in json.loads(shown.stdout)}), 3)

    def test_a_process_that_ends_by_underscore_exit(self):
        done = self.pasta("--", PROGRAM, *self.commands, "_exit 3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("INCOMPLETE", done.stderr)
        self.assertFalse(self.report()["is_complete"])


if __name__ == "__main__":
    unittest.main()
