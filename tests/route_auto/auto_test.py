# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The collectors of the routes ptx and patch in one process; its driver, CUPTI and Compute Sanitizer are stand-ins."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ptx_runtime"))
from images import access, function, make_image, site, table  # noqa: E402
from shadow_test import image_with_rows, touch  # noqa: E402

PASTA = os.environ["PASTA_CLI"]
PROGRAM = os.environ["PASTA_PTX_PROGRAM"]
SANITIZERS = os.environ["PASTA_AUTO_SANITIZERS"]
TOOLS = os.path.join(os.path.dirname(os.environ["PASTA_PTX_LIBRARY"]), "tools")
FILL = function("_Z4fillPi", site(0), site(1, access("store", "shared", 8)))
OWN, PLAIN = "fill(int*)", "plain(int*)"


class RouteTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pasta auto ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.output = self.path("report.json")
        own = make_image(self.path("own.o"), table(1, FILL), state_words=6)
        plain = make_image(self.path("plain.o"), functions=["_Z5plainPi", "_Z4fillPi"])
        self.load = ["context A", f"load M {own}", f"load P {plain}"]
        self.launch = [
            "launch M _Z4fillPi 4x64 0=100,1=3",
            "launch P _Z5plainPi 4x64 load@16=50",
            "launch P _Z5plainPi 4x64 load@16=5,load@32=1",
        ]

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PASTA_", "CUDA_", "FAKE_"))}
        clean |= {
            "LC_ALL": "C",
            "PASTA_CUPTI": os.environ["PASTA_PTX_FAKE_CUPTI"],
            "PASTA_SANITIZER": os.path.join(SANITIZERS, "now/libsanitizer-public.so"),
        }
        return {k: v for k, v in (clean | variables).items() if v is not None}

    def run_words(self, words, code=0, **variables):
        done = subprocess.run(
            words,
            env=self.environment(**variables),
            text=True,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def pasta(self, *commands, flags=(), tool="access_count", program=PROGRAM, **more):
        """The program under `pasta run --route auto`, if flags name no other route."""
        route = [] if "--route" in flags else ["--route", "auto"]
        words = [PASTA, "run", tool, *route, "--output", self.output, *flags, "--", program, *commands]
        return self.run_words(words, **more)

    def report(self):
        with open(self.output) as file:
            return json.load(file)

    def sections(self):
        return self.report()["tools"][0]["kernels"]

    def section(self, kernel, route, **more):
        (found,) = [k for k in self.sections() if (k["kernel"], k.get("route")) == (kernel, route)
                    and all(k[name] == value for name, value in more.items())]
        return found

    def counts(self, *of, **more):
        """[(access, accesses)] of a kernel's rows."""
        tables = [t for t in self.section(*of, **more)["tables"] if t["name"] == "sites"]
        return [(row[3], row[6]) for t in tables for row in t["rows"]]

    def launches(self, *of, **more):
        losses = self.section(*of, **more)["losses"]
        return tuple(losses["launches_" + name] for name in ("seen", "delivered", "sampled_out", "lost"))


class AutoTest(RouteTest):
    def test_each_kernel_is_seen_by_one_route(self):
        done = self.pasta(*self.load, *self.launch, "sync")
        self.assertEqual(len(self.sections()), 2)
        self.assertEqual(self.counts(OWN, "ptx"), [("load", 100), ("store", 3)])
        self.assertEqual(self.launches(OWN, "ptx"), (1, 1, 0, 0))
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 55), ("load", 1)])
        self.assertEqual(self.launches(PLAIN, "patch"), (2, 2, 0, 0))
        header = self.report()["header"]
        self.assertEqual(header["route"], "auto")
        self.assertEqual(header["seen"],
                         "2 of 2 kernels, 3 of 3 launches: 1 by ptx (33.3 %), 2 by patch (66.7 %)")
        self.assertEqual(self.report()["notes"], [])
        self.assertIn("route     auto on cuda: a stand-in", done.stderr)
        self.assertIn("  seen      2 of 2 kernels, 3 of 3 launches", done.stderr)
        self.assertIn("route patch", done.stderr)

    def test_kernels_of_one_name_are_told_apart(self):
        self.pasta(*self.load, "launch M _Z4fillPi 1x32 0=7", "launch P _Z4fillPi 1x32 load@16=9", "sync")
        self.assertEqual(self.counts(OWN, "ptx"), [("load", 7)])
        self.assertEqual(self.counts(OWN, "patch"), [("load", 9)])
        self.assertEqual([k["losses"]["launches_seen"] for k in self.sections()], [1, 1])

    def test_only_plain_kernels(self):
        self.pasta(self.load[0], self.load[2], *self.launch[1:])
        self.assertEqual([k["kernel"] for k in self.sections()], [PLAIN])
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 55), ("load", 1)])

    def test_only_kernels_with_counters(self):
        self.pasta(*self.load[:2], self.launch[0])
        self.assertEqual(self.report()["header"]["seen"],
                         "1 of 1 kernels, 1 of 1 launches: 1 by ptx (100 %), 0 by patch (0 %)")

    def test_code_that_is_loaded_late(self):
        self.pasta("context A", f"library L {self.path('plain.o')}", "kernel L _Z5plainPi 1x32 load@16=4",
                   f"library O {self.path('own.o')}", "kernel O _Z4fillPi 1x32 0=3", "sync")
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 4)])
        self.assertEqual(self.counts(OWN, "ptx"), [("load", 3)])

    def test_graphs(self):
        self.pasta("context A", f"library L {self.path('plain.o')}", f"library O {self.path('own.o')}", "stream S",
                   "graph G", "node G L _Z5plainPi load@16=2", "node G O _Z4fillPi 0=3", "instantiate E G",
                   "replay E S 5", "sync")
        self.assertEqual(self.launches(PLAIN, "patch"), (5, 5, 0, 0))
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 10)])
        self.assertEqual(self.launches(OWN, "ptx"), (5, 5, 0, 0))
        self.assertEqual(self.counts(OWN, "ptx"), [("load", 15)])

    def test_ranges_reach_both(self):
        self.pasta(*self.load, "push a", *self.launch, "pop", *self.launch[:2])
        for range_, own, plain in (("a", 100, 55), ("", 100, 50)):
            self.assertEqual(self.counts(OWN, "ptx", range=range_)[0], ("load", own))
            self.assertEqual(self.counts(PLAIN, "patch", range=range_)[0], ("load", plain))
        self.assertEqual(len(self.sections()), 4)

    def test_a_range_that_began_before_the_driver(self):
        done = self.pasta("push a", *self.load, *self.launch)
        self.assertEqual({k["range"] for k in self.sections()}, {"a"}, done.stderr)

    def test_a_forked_child_has_no_share(self):
        self.output = self.path("%p.json")
        done = self.pasta(*self.load, *self.launch, "fork exit 3", self.launch[1])
        self.assertIn("child: 768", done.stdout)
        (self.output,) = [self.path(name) for name in os.listdir(self.folder) if name.endswith(".json")]
        self.assertEqual(self.launches(PLAIN, "patch"), (3, 3, 0, 0))

    def test_modules_that_go_and_contexts_that_end(self):
        self.pasta(*self.load, *self.launch, "unload P", "unload M", *self.load[1:], *self.launch, "destroy A")
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 110), ("load", 2)])
        self.assertEqual(self.counts(OWN, "ptx"), [("load", 200), ("store", 6)])

    def test_a_signal_leaves_what_both_have(self):
        self.pasta(*self.load, *self.launch, "raise 15", code=-15)
        self.assertFalse(self.report()["is_complete"])
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 55), ("load", 1)])

    def test_threads(self):
        self.pasta(*self.load, "threads 4 50 P _Z5plainPi 1x32 load@16=1", "threads 4 50 M _Z4fillPi 1x32 0=1", "sync")
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 200)])
        self.assertEqual(self.counts(OWN, "ptx"), [("load", 200)])

    def test_the_report_keeps_to_its_schema(self):
        self.pasta(*self.load, *self.launch)
        try:
            import jsonschema
        except ImportError:
            self.skipTest("jsonschema is not installed")
        with open(os.environ["PASTA_PTX_SCHEMA"]) as file:
            jsonschema.validate(self.report(), json.load(file))

    def test_reports_are_shown_and_compared(self):
        self.pasta(*self.load, *self.launch)
        other = self.path("other.json")
        first, self.output = self.output, other
        self.pasta(*self.load, *self.launch)
        shown = self.run_words([PASTA, "show", first])
        self.assertIn("seen      2 of 2 kernels", shown.stdout)
        self.assertEqual(json.loads(self.run_words([PASTA, "show", "--json", first]).stdout)["header"]["route"], "auto")
        self.run_words([PASTA, "diff", first, other])


class ChoiceTest(RouteTest):
    def test_numbers_are_the_programs(self):
        """Launches 0, 3, … are of the one route, others of the other."""
        self.pasta(*self.load, *self.launch, *self.launch, flags=["--launches", "1:3"])
        self.assertEqual(self.launches(OWN, "ptx"), (2, 1, 1, 0))
        self.assertEqual(self.launches(PLAIN, "patch"), (4, 2, 2, 0))
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 55), ("load", 1)])
        self.assertIn("; 3 left out by choice", self.report()["header"]["seen"])

    def test_launches_apart_have_the_programs_numbers(self):
        self.pasta(*self.load, *self.launch, self.launch[0], flags=["--per", "launch"])
        self.assertEqual(sorted((k["launch"], k["route"]) for k in self.sections()),
                         [(0, "ptx"), (1, "patch"), (2, "patch"), (3, "ptx")])
        self.assertEqual(self.counts(PLAIN, "patch", launch=1), [("load", 50)])

    def test_a_launch_that_the_driver_refuses_keeps_numbers_together(self):
        self.pasta(*self.load, "launch P _Z5plainPi 1x32 refuse", self.launch[1], self.launch[0],
                   flags=["--per", "launch"])
        self.assertEqual(sorted((k["launch"], k["route"]) for k in self.sections()), [(1, "patch"), (2, "ptx")])

    def test_kernels_by_name(self):
        self.pasta(*self.load, *self.launch, flags=["--kernels", "plain"])
        self.assertEqual(self.launches(PLAIN, "patch"), (2, 2, 0, 0))
        self.assertEqual([k["losses"]["launches_sampled_out"] for k in self.sections() if k["kernel"] == OWN], [1])

    def test_steps_start_and_stop_reach_both(self):
        self.pasta(*self.load, *self.launch, "step", *self.launch, "step", *self.launch,
                   flags=["--schedule", "wait=1,active=1,repeat=1"])
        self.assertEqual(self.launches(OWN, "ptx"), (3, 1, 2, 0))
        self.assertEqual(self.launches(PLAIN, "patch"), (6, 2, 4, 0))
        self.pasta("stop", *self.load, *self.launch, "start", *self.launch)
        self.assertEqual(self.launches(OWN, "ptx"), (2, 1, 1, 0))
        self.assertEqual(self.launches(PLAIN, "patch"), (4, 2, 2, 0))

    def test_a_share_of_the_launches(self):
        self.pasta(*self.load, *self.launch * 4, flags=["--sampling-rate", "0.5"])
        self.assertEqual(self.launches(OWN, "ptx"), (4, 2, 2, 0))
        self.assertEqual(self.launches(PLAIN, "patch"), (8, 4, 4, 0))

    def test_a_route_that_is_named_is_alone(self):
        self.pasta(*self.load, *self.launch, flags=["--route", "ptx"], FAKE_SANITIZER="no_module")
        report = self.report()
        self.assertEqual(report["header"]["route"], "ptx")
        self.assertNotIn("seen", report["header"])
        self.assertEqual([k.get("route") for k in self.sections()], [None, None])
        (plain,) = [k for k in self.sections() if k["kernel"] == PLAIN]
        self.assertEqual(plain["losses"]["not_instrumentable"], ["2 launches: it was built without PASTA's counters"])

    def test_a_program_with_tools_compiled_in_reports_by_itself(self):
        done = self.pasta(*self.load, *self.launch, program=os.environ["PASTA_PTX_PROBE_PROGRAM"])
        self.assertIn("no report", done.stderr)
        self.assertFalse(os.path.exists(self.output))

    def test_patches_are_asked_for(self):
        self.run_words([PASTA, "run", "access_count", "--output", self.output, "--", PROGRAM, *self.load, *self.launch],
                       FAKE_SANITIZER="no_module")
        self.assertEqual(self.report()["header"]["route"], "ptx")
        self.assertEqual(self.launches(PLAIN, None), (2, 0, 0, 0))


class CommandTest(RouteTest):
    """What `pasta run` has the driver load."""

    LIBRARIES = {name: os.environ[f"PASTA_{name.upper()}_LIBRARY"] for name in ("ptx", "patch")}

    def variables(self, *flags, pasta=PASTA):
        """(route, library) that a script finds."""
        show = 'printf "%s|%s|%s" "$PASTA_ROUTE" "$CUDA_INJECTION64_PATH" "$PASTA_ANNOTATIONS"'
        words = [pasta, "run", "access_count", "--output", self.output, *flags, "--", "sh", "-c", show]
        route, library, annotations = self.run_words(words, PASTA_TOOL_PATH=TOOLS).stdout.split("|")
        self.assertEqual(library, annotations)
        return route, os.path.realpath(library)

    def installation(self, *libraries):
        """A copy of pasta that has these collectors."""
        for folder in ("bin", "lib", "lib/pasta"):
            os.mkdir(self.path(folder))
        for name in libraries:
            os.symlink(self.LIBRARIES[name], self.path(f"lib/pasta/libpasta_{name}.so"))
        shutil.copy(PASTA, self.path("bin/pasta"))
        return self.path("bin/pasta")

    def test_which_library_is_loaded(self):
        real = {name: os.path.realpath(path) for name, path in self.LIBRARIES.items()}
        self.assertEqual(self.variables(), ("", real["ptx"]))
        self.assertEqual(self.variables("--route", "auto"), ("auto", real["ptx"]))
        self.assertEqual(self.variables("--route", "ptx"), ("ptx", real["ptx"]))
        self.assertEqual(self.variables("--route", "patch"), ("patch", real["patch"]))

    def test_an_installation_with_patches_alone(self):
        pasta = self.installation("patch")
        route = ("--route", "auto")
        self.assertEqual(self.variables(*route, pasta=pasta), ("auto", os.path.realpath(self.LIBRARIES["patch"])))
        words = [pasta, "run", "access_count", *route, "--output", self.output, "--", PROGRAM, *self.load[::2]]
        self.run_words([*words, *self.launch[1:]], PASTA_TOOL_PATH=TOOLS)
        self.assertEqual(self.report()["header"]["route"], "patch")
        self.assertEqual(self.counts(PLAIN, None), [("load", 55), ("load", 1)])

    def test_an_installation_without_patches(self):
        pasta = self.installation("ptx")
        self.assertEqual(self.variables(pasta=pasta), ("", os.path.realpath(self.LIBRARIES["ptx"])))

    def test_a_sample_of_blocks_is_refused_where_the_ptx_route_is_named(self):
        words = [PASTA, "run", "access_count", "--route", "ptx", "--sample-blocks", "0.5", "--", PROGRAM]
        self.assertIn("the ptx route analyses whole launches", self.run_words(words, code=2).stderr)


class ShadowTest(RouteTest):
    def setUp(self):
        super().setUp()
        own = image_with_rows(self.path("rows.o"), "_Z1av")
        self.load = ["context A", f"load M {own}", f"load P {self.path('plain.o')}"]

    def tables(self, *of):
        return {table["name"]: table["rows"] for table in self.section(*of)["tables"]}

    def test_an_allocation_has_one_number(self):
        self.pasta(*self.load, "alloc z 512", "alloc x 4096", f"launch M _Z1av 1x32 {touch('x')},{touch('x', 4)}",
                   "launch P _Z5plainPi 1x32 touch@0=$x+512:4", "sync", tool="working_set")
        self.assertEqual([(row[0], row[1], row[2], row[5]) for row in self.tables("a()", "ptx")["allocations"]],
                         [(1, 4096, 128, 2)])
        self.assertEqual([(row[0], row[1], row[2], row[5]) for row in self.tables(PLAIN, "patch")["allocations"]],
                         [(1, 4096, 128, 1)])
        self.assertIn("have half of working_set's shadow memory each", " ".join(self.report()["notes"]))

    def test_both_have_half_of_the_memory(self):
        """A run of the ptx route alone under half of the limit has lines of the same length."""
        def line_bytes(*flags, memory, route):
            self.pasta("memory 2147483648", *self.load, f"alloc x {1 << 30}", f"launch M _Z1av 1x32 {touch('x')}",
                       "sync", flags=[*flags, "--memory", memory], tool="working_set")
            return self.tables("a()", route)["totals"][0][5]
        both = line_bytes(memory="2", route="ptx")
        self.assertEqual(both, line_bytes("--route", "ptx", memory="1", route=None))
        self.assertGreater(both, line_bytes("--route", "ptx", memory="2", route=None))


class AloneTest(RouteTest):
    """What auto cannot have leaves the ptx route alone at work."""

    def check_alone(self, why, *flags, tool="access_count", kernel=PLAIN, **variables):
        done = self.pasta(*self.load, *self.launch, flags=flags, tool=tool, **variables)
        report = self.report()
        self.assertEqual(report["header"]["route"], "ptx")
        self.assertEqual(self.launches(OWN, None), (1, 1, 0, 0))
        self.assertEqual(self.launches(kernel, None), (2, 0, 0, 0))
        notes = [note for note in report["notes"] if "route auto" in note]
        self.assertEqual(len(notes), 1, report["notes"])
        self.assertIn(why, notes[0])
        self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("pasta:")], [])
        return report

    def test_no_sanitizer(self):
        self.check_alone("was not found at PASTA_SANITIZER=/no/such.so", PASTA_SANITIZER="/no/such.so")

    def test_an_old_one(self):
        self.check_alone("is older than CUDA 12.0",
                         PASTA_SANITIZER=os.path.join(SANITIZERS, "old/libsanitizer-public.so"))

    def test_one_that_another_has(self):
        self.check_alone("another tool has the Compute Sanitizer's callbacks", FAKE_SANITIZER="taken")

    def test_several_tools(self):
        self.check_alone("it runs one tool at a time", tool="access_count,event_totals")

    def test_a_tool_without_patches(self):
        folder = self.path("tools")
        os.mkdir(folder)
        shutil.copy(os.path.join(TOOLS, "access_count.so"), folder)
        self.check_alone("access_count has no patches", PASTA_TOOL_PATH=folder)

    def test_a_sample_of_blocks(self):
        self.check_alone("--sample-blocks is for one route at a time", "--sample-blocks", "0.5")

    def test_nothing_is_said_where_all_kernels_have_counters(self):
        self.pasta(*self.load[:2], self.launch[0], PASTA_SANITIZER="/no/such.so")
        self.assertEqual(self.report()["notes"], [])

    def test_no_library_of_the_patch_route(self):
        shutil.copy(os.environ["PASTA_PTX_LIBRARY"], self.path("libpasta_ptx.so"))
        self.run_words([PROGRAM, *self.load, *self.launch], PASTA_TOOLS="access_count", PASTA_OUTPUT=self.output,
                       PASTA_QUIET="1", PASTA_ROUTE="auto", PASTA_TOOL_PATH=TOOLS, CUDA_INJECTION64_PATH=self.path("libpasta_ptx.so"))
        self.assertEqual(self.launches(OWN, None), (1, 1, 0, 0))
        self.assertIn("libpasta_patch.so is not there", " ".join(self.report()["notes"]))

    def test_a_library_of_the_patch_route_of_another_build(self):
        shutil.copy(os.environ["PASTA_PTX_LIBRARY"], self.path("libpasta_ptx.so"))
        shutil.copy(os.environ["PASTA_PTX_FAKE_CUPTI"], self.path("libpasta_patch.so"))
        self.run_words([PROGRAM, *self.load, *self.launch], PASTA_TOOLS="access_count", PASTA_OUTPUT=self.output,
                       PASTA_QUIET="1", PASTA_ROUTE="auto", PASTA_TOOL_PATH=TOOLS, CUDA_INJECTION64_PATH=self.path("libpasta_ptx.so"))
        self.assertIn("is of another build of PASTA", " ".join(self.report()["notes"]))

    def test_the_patch_route_alone_where_another_has_cupti(self):
        self.pasta(*self.load, *self.launch, FAKE_CUPTI_TAKEN="1")
        self.assertEqual(self.counts(PLAIN, "patch"), [("load", 55), ("load", 1)])
        self.assertEqual(self.launches(OWN, "patch"), (1, 0, 0, 0))
        self.assertIn("another tool has CUPTI's callbacks", " ".join(self.report()["notes"]))
        self.assertIn("1 not seen: its module has PASTA's counters, which nobody reads",
                      self.report()["header"]["seen"])

    def test_the_library_of_the_patch_route_where_there_is_no_other(self):
        self.run_words([PROGRAM, self.load[0], self.load[2], *self.launch[1:]], PASTA_TOOLS="access_count",
                       PASTA_OUTPUT=self.output, PASTA_QUIET="1", PASTA_ROUTE="auto",
                       CUDA_INJECTION64_PATH=os.environ["PASTA_PATCH_LIBRARY"])
        self.assertEqual(self.report()["header"]["route"], "patch")
        self.assertEqual(self.counts(PLAIN, None), [("load", 55), ("load", 1)])

    def test_nothing_can_be_collected(self):
        done = self.pasta(*self.load, *self.launch, FAKE_CUPTI_TAKEN="1", FAKE_SANITIZER="taken")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("no report", done.stderr)

    def test_modules_that_cannot_be_patched_are_not_seen(self):
        self.pasta(*self.load, *self.launch, FAKE_SANITIZER="no_module")
        self.assertEqual(self.launches(PLAIN, "patch"), (2, 0, 0, 0))
        self.assertEqual(
            self.report()["header"]["seen"],
            "1 of 2 kernels, 1 of 3 launches: 1 by ptx (33.3 %), 0 by patch (0 %); 2 not seen: its module cannot be "
            "patched: some error (error 1)")


if __name__ == "__main__":
    unittest.main()
