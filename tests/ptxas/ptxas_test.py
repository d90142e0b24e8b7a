# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-in for ptxas, in front of a fake one: what it hands over, what it says, how it ends.

CMakeLists.txt gives the paths. PASTA_PTXAS_FAKE_REWRITE is the program with a rewriting that the inputs' text governs,
see fake_rewrite.cpp."""

import json
import os
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = os.environ["PASTA_PTXAS_FAKE_REWRITE"]
FAKE = str(HERE / "fake_ptxas.py")
PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry f()
{
\tret;
}
"""
STATE = "pasta_test_state"
MARKER_START = "// instrumented by PASTA "


class PtxasTest(unittest.TestCase):
    """In a folder of its own, with one tool and a fake ptxas."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pasta ptxas ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.temporary = tempfile.mkdtemp(prefix="pasta-tmp-")
        self.addCleanup(shutil.rmtree, self.temporary, ignore_errors=True)
        left_out = ("PASTA_", "FAKE_", "CUDA_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
        self.environment |= {
            "PASTA_PTX_TOOLS": "access_count",
            "PASTA_PTXAS": FAKE,
            "FAKE_LOG": self.path("log"),
            "TMPDIR": self.temporary,
            "LC_ALL": "C",
        }

    def tearDown(self):
        self.assertEqual(os.listdir(self.temporary), [], "left behind")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text=PTX):
        Path(self.path(name)).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        return Path(self.path(name)).read_text(encoding="latin-1")

    def options(self, environment, more):
        chosen = {k: v for k, v in (self.environment | environment).items() if v is not None}
        return {"cwd": self.folder, "env": chosen} | more

    def run_it(self, *words, program=None, **more):
        environment = {k: more.pop(k) for k in list(more) if k.isupper()}
        options = {"capture_output": True, "text": True, "timeout": 60, "errors": "surrogateescape"} | more
        if "input" not in options and "stdin" not in options:
            options["stdin"] = subprocess.DEVNULL
        return subprocess.run([program or PROGRAM, *words], check=False, **self.options(environment, options))

    def check(self, done, status=0, stderr=None):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        if stderr is not None:
            self.assertEqual(done.stderr, stderr)

    def check_refusal(self, done, status, *parts):
        """One line on stderr, nothing on stdout."""
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Apasta: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, done.stderr)

    def all_calls(self):
        if not os.path.exists(self.path("log")):
            return []
        return [json.loads(line) for line in self.read("log").splitlines()]

    def calls(self):
        """Without those that assemble originals for their figures, beside the others: their output stays in memory."""
        return [call for call in self.all_calls() if not call["output"].startswith("/proc/")]

    def only_call(self):
        calls = self.calls()
        self.assertEqual(len(calls), 1, calls)
        return calls[0]

    def check_instrumented(self, text):
        self.assertTrue(text.startswith(MARKER_START), text)
        self.assertIn(STATE, text)


def warning_of(name, line=2):
    return f"ptxas {name}, line {line}; warning : a word about {name}.\n"


class WithoutToolsTest(PtxasTest):
    def setUp(self):
        super().setUp()
        self.environment["PASTA_PTX_TOOLS"] = ""

    def test_words_go_through_untouched(self):
        self.write("a b.ptx")
        words = ["-arch=sm_90", "-o", "o ut", "a b.ptx", "--unknown", "-e", "x\ny", "-e", ""]
        self.check(self.run_it(*words), 0, warning_of("a b.ptx"))
        self.assertEqual(self.only_call()["words"], words)
        self.assertEqual(self.read("o ut"), PTX)

    def test_unset_is_the_same_as_empty(self):
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", PASTA_PTX_TOOLS=None))
        self.assertEqual(self.only_call()["texts"], [PTX])

    def test_version_standard_input_status_and_signal_are_those_of_the_real_one(self):
        done = self.run_it("--version")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ptxas: a fake\nrelease 13.0\n", ""))
        self.check(self.run_it("-", input=PTX), 0)
        self.assertEqual(self.only_call()["texts"], [PTX])
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", FAKE_STATUS="42"), 42)
        self.check(self.run_it("a.ptx", FAKE_SIGNAL="SIGSEGV"), -signal.SIGSEGV)

    def test_other_variables_are_not_even_read(self):
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", PASTA_PTX_STRICT="maybe"), 0)


class InstrumentTest(PtxasTest):
    def test_the_input_is_replaced_and_all_else_is_as_it_was(self):
        self.write("a b.ptx")
        words = ["-arch", "sm_90", "-v", "a b.ptx", "-o", "out put", "--entry", "a b.ptx"]
        self.check(self.run_it(*words), 0, warning_of("a b.ptx"))
        call = self.only_call()
        self.assertEqual(call["words"][:3] + call["words"][4:], words[:3] + words[4:])
        self.check_instrumented(call["texts"][0])
        self.assertEqual(self.read("out put"), call["texts"][0])
        self.assertEqual(self.read("a b.ptx"), PTX)

    def test_several_inputs_keep_their_order_and_names(self):
        names = [self.write(f"{i}.ptx", PTX + f"// {i}\n") for i in range(12)]
        self.check(self.run_it(*names, "-o", "out"), 0, "".join(map(warning_of, names)))
        for i, text in enumerate(self.only_call()["texts"]):
            self.check_instrumented(text)
            self.assertTrue(text.endswith(f"// {i}\n"))

    def test_standard_input(self):
        self.check(self.run_it("-", "-o", "out", input=PTX), 0, warning_of("<stdin>"))
        self.check_instrumented(self.only_call()["texts"][0])

    def test_a_pipe(self):
        read_end, write_end = os.pipe()
        os.write(write_end, PTX.encode())
        os.close(write_end)
        done = self.run_it(f"/dev/fd/{read_end}", pass_fds=[read_end])
        os.close(read_end)
        self.check(done, 0, warning_of(f"/dev/fd/{read_end}"))
        self.check_instrumented(self.only_call()["texts"][0])

    def test_a_string(self):
        self.write("a.ptx")
        self.check(self.run_it("-ias", PTX, "a.ptx"), 0, warning_of("a.ptx") + warning_of("application ptx input"))
        call = self.only_call()
        self.assertNotIn("-ias", call["words"])
        self.assertEqual(len(call["texts"]), 2)
        for text in call["texts"]:
            self.check_instrumented(text)

    def test_a_string_beside_an_instrumented_one_stays_behind_it(self):
        self.check(self.run_it("-ias", "test: nothing to do", f"--input-as-string={PTX}"), 0)
        texts = self.only_call()["texts"]
        self.assertEqual(texts[0], "test: nothing to do")
        self.check_instrumented(texts[1])

    def test_an_options_file_with_an_input(self):
        self.write("a b.ptx")
        self.write("options", '-o out "a b.ptx"')
        self.check(self.run_it("-v", "-optf", "options"), 0, warning_of("a b.ptx"))
        self.assertEqual(self.only_call()["words"][:3], ["-v", "-o", "out"])
        self.check_instrumented(self.read("out"))

    def test_odd_names(self):
        names = ["a", "a,b.ptx", "quote'\".ptx", "new\nline.ptx", "x.cubin", os.fsdecode(b"\xff.ptx")]
        for name in names:
            with self.subTest(name=name):
                Path(self.path(name)).write_text(PTX, encoding="ascii")
                done = self.run_it(name, "-o", "out")
                self.check(done, 0, warning_of(name))
                self.check_instrumented(self.read("out"))

    def test_marked_text_is_not_instrumented_once_more(self):
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", "-o", "b.ptx"))
        self.check(self.run_it("b.ptx", "-o", "c.ptx"), 0, warning_of("b.ptx", 3))
        self.assertEqual(self.read("b.ptx"), self.read("c.ptx"))
        self.assertEqual(self.calls()[1]["words"], ["b.ptx", "-o", "c.ptx"])

    def test_the_marker_of_another_version_or_of_other_tools_is_an_error(self):
        self.write("a.ptx", f"{MARKER_START}0.0.1: access_count\n{PTX}")
        self.check_refusal(self.run_it("a.ptx"), 125, "a.ptx was instrumented before", "0.0.1: access_count")
        self.write("b.ptx")
        self.check(self.run_it("b.ptx", "-o", "c.ptx", PASTA_PTX_TOOLS="other"))
        self.check_refusal(self.run_it("c.ptx"), 125, ": other'")

    def test_the_order_of_tools_does_not_matter(self):
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", "-o", "b.ptx", PASTA_PTX_TOOLS="other,access_count"))
        self.check(self.run_it("b.ptx", "-o", "c.ptx", PASTA_PTX_TOOLS="access_count,other"))
        self.assertEqual(self.read("b.ptx"), self.read("c.ptx"))

    def test_wrong_values_of_variables(self):
        self.write("a.ptx")
        self.check_refusal(self.run_it("a.ptx", PASTA_PTX_TOOLS="acess_count"), 2, "acess_count", "known: access_count")
        self.check_refusal(self.run_it("a.ptx", PASTA_PTX_TOOLS="other,other"), 2, "twice")
        self.check_refusal(self.run_it("a.ptx", PASTA_PTX_STRICT="maybe"), 2, "PASTA_PTX_STRICT=maybe")

    def test_warnings_of_the_rewriting_are_passed_on(self):
        self.write("a.ptx", PTX + "// test: warn\n")
        done = self.run_it("a.ptx")
        lines = "pasta: a.ptx: first warning\npasta: a.ptx: second warning\n"
        self.check(done, 0, lines + warning_of("a.ptx"))

    def test_with_strict_warnings_of_the_rewriting_are_errors(self):
        self.write("a.ptx", PTX + "// test: warn\n")
        self.write("b.ptx", PTX + "// test: crash\n")
        done = self.run_it("a.ptx", "b.ptx", "-o", "out", PASTA_PTX_STRICT="1")
        self.check(done, 125)
        lines = done.stderr.splitlines()
        self.assertEqual(lines[:2], ["pasta: a.ptx: first warning", "pasta: a.ptx: second warning"])
        self.assertRegex(lines[2], r"\Apasta: b.ptx is not instrumented: ")
        self.assertEqual(len(lines), 3)
        self.assertEqual(self.calls(), [])

    def test_lines_in_messages_are_those_of_the_original(self):
        self.write("a.ptx", "// a comment\n\n" + PTX)
        self.check(self.run_it("a.ptx", FAKE_WARNS_OF="ret;"), 0,
                   warning_of("a.ptx", 4) + "ptxas a.ptx, line 8; warning : a word about this line.\n")
        message = "ptxas a.ptx, line 6; warning : a word about this line. (of what PASTA put before that line)\n"
        self.check(self.run_it("a.ptx", FAKE_WARNS_OF=STATE), 0, warning_of("a.ptx", 4) + message)

    def test_status_and_standard_output_are_those_of_the_real_one(self):
        done = self.run_it("--version", "a.ptx")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ptxas: a fake\nrelease 13.0\n", ""))

    def test_fifty_at_once(self):
        for i in range(50):
            self.write(f"{i}.ptx", PTX + f"// {i}\n")
        with ThreadPoolExecutor(50) as pool:
            all_done = list(pool.map(lambda i: self.run_it(f"{i}.ptx", "-o", f"{i}.out"), range(50)))
        for i, done in enumerate(all_done):
            self.check(done, 0, warning_of(f"{i}.ptx"))
            text = self.read(f"{i}.out")
            self.check_instrumented(text)
            self.assertTrue(text.endswith(f"// {i}\n"))

    def test_neither_a_temporary_folder_nor_a_writable_one_is_needed(self):
        self.write("a.ptx")
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        done = self.run_it("a.ptx", "-o", "/dev/null", TMPDIR="/nowhere", FAKE_LOG="/dev/null")
        self.check(done, 0, warning_of("a.ptx"))

    def test_closed_standard_streams(self):
        self.write("a.ptx")
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed=closed):
                self.check(self.run_it("-c", f'"$0" a.ptx -o out {closed}', PROGRAM, program="/bin/sh", timeout=20))
                self.check_instrumented(self.read("out"))
                os.remove(self.path("out"))

    def test_a_wrapper_that_closes_what_it_does_not_know(self):
        """Python's subprocess hands on no descriptor but the first three."""
        text = f"#!{sys.executable}\nimport subprocess, sys\n"
        text += f"sys.exit(subprocess.run([{FAKE!r}, *sys.argv[1:]]).returncode)\n"
        self.write("wrapper", text)
        os.chmod(self.path("wrapper"), 0o755)
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", PASTA_PTXAS=self.path("wrapper")), 0, warning_of("a.ptx"))
        self.check_instrumented(self.only_call()["texts"][0])

    def test_debugging_says_what_was_done(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", PASTA_DEBUG="1")
        self.assertIn(f"pasta: debug: ptxas is {FAKE} (PASTA_PTXAS)\n", done.stderr)
        self.assertIn("pasta: debug: a.ptx is instrumented\n", done.stderr)


class RegistersTest(PtxasTest):
    """The fake tells figures of natively assembled, instrumented and limited kernels; see FAKE_FIGURES."""

    def setUp(self):
        super().setUp()
        self.environment["PASTA_PTX_REPORT"] = self.path("report")

    def assemble(self, native, instrumented, limited, *words, text=PTX, status=0, **environment):
        for name in ("report", "log"):
            Path(self.path(name)).unlink(missing_ok=True)
        self.write("a.ptx", text)
        figures = json.dumps({"f": [native, instrumented, limited]})
        done = self.run_it("a.ptx", "-o", "out", *words, FAKE_FIGURES=figures, **environment)
        self.check(done, status)
        lines = self.read("report").splitlines() if os.path.exists(self.path("report")) else []
        return done.stderr.replace(warning_of("a.ptx"), ""), [json.loads(line) for line in lines]

    def test_the_original_is_assembled_too_and_nothing_is_left_of_it(self):
        messages, (line,) = self.assemble([64, 0], [64, 0], None)
        self.assertEqual(messages, "")
        self.assertEqual(len(self.all_calls()), 2)
        (trial,) = [call for call in self.all_calls() if call not in self.calls()]
        self.assertEqual(trial["texts"], [PTX])
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.ptx", "log", "out", "report"])
        self.assertEqual((line["kernel"], line["input"], line["target"]), ("f", "a.ptx", "sm_90"))
        self.assertEqual((line["registers"], line["register_limit"]), ([64, 64], None))

    def test_a_kernel_that_takes_too_many_is_limited(self):
        messages, (line,) = self.assemble([64, 0], [66, 0], [64, 0])
        self.assertEqual(messages, "")
        self.assertEqual(len(self.calls()), 2)
        self.assertNotIn(".maxnreg", self.calls()[0]["texts"][0])
        self.assertIn("\n.maxnreg 64\n", self.read("out"))
        self.assertEqual((line["registers"], line["register_limit"]), ([64, 64], 64))
        self.assertEqual(line["blocks_per_multiprocessor"], {"128": [8, 8], "256": [4, 4], "1024": [1, 1]})

    def test_more_registers_that_cost_no_block_are_not_limited(self):
        for native, instrumented in ((10, 32), (97, 128), (33, 40), (57, 64)):
            with self.subTest(native=native):
                messages, (line,) = self.assemble([native, 0], [instrumented, 0], None)
                self.assertEqual((messages, line["register_limit"]), ("", None))
                self.assertEqual(len(self.calls()), 1)

    def test_the_native_count_and_none_can_be_asked_for(self):
        _, (line,) = self.assemble([10, 0], [32, 0], [16, 0], PASTA_PTX_REGISTERS="native")
        self.assertEqual((line["register_limit"], line["registers"]), (16, [10, 16]))
        messages, (line,) = self.assemble([64, 0], [66, 0], None, PASTA_PTX_REGISTERS="free")
        self.assertEqual((line["register_limit"], line["registers"]), (None, [64, 66]))
        line = "pasta: a.ptx: 1 kernel has room for fewer blocks at once, f: 8 to 7 of 128 threads\n"
        self.assertEqual(messages, line)
        self.check_refusal(self.run_it("a.ptx", PASTA_PTX_REGISTERS="some"), 2, "PASTA_PTX_REGISTERS=some is none of")

    def test_where_nobody_asks_the_original_is_not_assembled(self):
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", PASTA_PTX_REGISTERS="free", PASTA_PTX_REPORT=None), 0, warning_of("a.ptx"))
        self.assertEqual(len(self.all_calls()), 1)

    def test_spills_that_a_limit_brings_are_told(self):
        messages, (line,) = self.assemble([64, 4], [66, 4], [64, 12])
        self.assertEqual(messages, "pasta: a.ptx: 1 kernel has more spills than natively, f most: 4 to 12 bytes\n")
        self.assertEqual(line["spill_bytes"], [4, 12])

    def test_a_known_block_size_decides(self):
        bounded = PTX.replace("f()", "f()\n.reqntid 512, 1, 1")
        _, (line,) = self.assemble([40, 0], [42, 0], [40, 0], text=bounded)  # 3 blocks of 512, then 2
        self.assertEqual((line["register_limit"], line["block_threads"]), (40, 512))
        _, (line,) = self.assemble([44, 0], [58, 0], None, text=bounded)  # 2 and 2
        self.assertEqual((line["register_limit"], line["blocks_per_multiprocessor"]), (None, {"512": [2, 2]}))

    def test_what_sets_its_registers_itself_is_not_limited(self):
        sets = PTX.replace("\tret", "\tsetmaxnreg.dec.sync.aligned.u32 24;\n\tret")
        messages, (line,) = self.assemble([64, 0], [66, 0], None, text=sets, PASTA_DEBUG="1")
        self.assertEqual(line["why_unlimited"], "setmaxnreg governs its registers")
        self.assertIn("f (sm_90): registers 64 to 66 (no limit: setmaxnreg governs its registers), spills", messages)

    def test_what_is_refused_with_a_limit_has_none(self):
        messages, (line,) = self.assemble([40, 0], [42, 0], [40, 8], FAKE_REFUSES=".maxnreg", PASTA_DEBUG="1")
        self.assertEqual((line["register_limit"], line["registers"]), (None, [40, 42]))
        self.assertIn("ptxas refused the instrumented text", line["why_unlimited"])
        self.assertNotIn("is not instrumented", messages)

    def test_what_calls_others_is_not_limited_before_it_is_linked(self):
        calls = PTX.replace("\tret", "\tcall other;\n\tret")
        _, (line,) = self.assemble([64, 0], [66, 0], None, "-c", text=calls)
        self.assertEqual(line["why_unlimited"], "its registers are known only when it is linked")
        _, (line,) = self.assemble([64, 0], [66, 0], [64, 0], "-c")
        self.assertEqual(line["register_limit"], 64)

    def test_options_that_override_directives_are_heeded(self):
        _, (line,) = self.assemble([64, 0], [66, 0], None, "-maxrregcount=66", "-override-directive-values")
        self.assertEqual(line["register_limit"], None)

    def test_a_limited_text_that_is_refused_is_assembled_as_it_was(self):
        messages, lines = self.assemble([64, 0], [66, 0], None, FAKE_REFUSES=".maxnreg")
        self.assertIn("pasta: a.ptx is not instrumented: ptxas refused the instrumented text: ", messages)
        self.assertEqual((lines, self.read("out")), ([], PTX))

    def test_without_figures_nothing_is_limited(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", PASTA_DEBUG="1")
        self.check(done, 0)
        self.assertIn("pasta: debug: registers are not compared: ptxas gave no figures\n", done.stderr)

    def test_figures_are_shown_only_where_they_are_asked_for(self):
        self.assertIn("Used 64 registers", self.assemble([64, 0], [64, 0], None, "-v")[0])
        self.assertEqual(self.assemble([64, 0], [64, 0], None)[0], "")

    def test_a_report_that_cannot_be_written(self):
        self.environment["PASTA_PTX_REPORT"] = "/no where/report"
        messages, _ = self.assemble([64, 0], [64, 0], None)
        self.assertEqual(messages, "pasta: PASTA_PTX_REPORT=/no where/report: No such file or directory\n")
        self.assemble([64, 0], [64, 0], None, status=125, PASTA_PTX_STRICT="1")

    def test_twenty_at_once_report_whole_lines(self):
        for i in range(20):
            self.write(f"{i}.ptx")
        figures = json.dumps({"f": [[64, 0], [66, 0], [64, 0]]})
        with ThreadPoolExecutor(20) as pool:
            list(pool.map(lambda i: self.run_it(f"{i}.ptx", "-o", f"{i}.out", FAKE_FIGURES=figures), range(20)))
        lines = [json.loads(line) for line in self.read("report").splitlines()]
        self.assertEqual(sorted(line["input"] for line in lines), sorted(f"{i}.ptx" for i in range(20)))

    def test_in_place_the_limit_is_in_the_text_too(self):
        self.assemble([64, 0], [66, 0], [64, 0], PASTA_PTX_IN_PLACE="1")
        self.assertEqual(self.read("a.ptx"), self.read("out"))

    def test_a_second_architecture_has_limits_of_its_own(self):
        """Its call finds the first one's text in the file's place, and the original beside."""
        os.mkdir(self.path("originals"))
        keep = {"PASTA_PTX_IN_PLACE": "1", "PASTA_PTX_ORIGINALS": self.path("originals")}
        self.assemble([64, 0], [66, 0], [64, 0], **keep)
        in_place = self.read("a.ptx")
        figures = json.dumps({"f": [[80, 0], [88, 0], [80, 0]]})
        self.check(self.run_it("a.ptx", "-o", "out", FAKE_FIGURES=figures, **keep))
        self.assertIn("\n.maxnreg 80\n", self.read("out"))
        self.assertEqual(self.read("a.ptx"), in_place)


class NotInstrumentedTest(PtxasTest):
    def check_assembled_as_it_was(self, text, reason):
        self.write("a.ptx", text)
        done = self.run_it("a.ptx", "-o", "out")
        shown = text if isinstance(text, str) else text.decode("latin-1")
        self.check(done, 0)
        self.assertEqual(self.read("out"), shown)
        line, rest = done.stderr.split("\n", 1)
        self.assertEqual(rest, warning_of("a.ptx"))
        self.assertTrue(line.startswith("pasta: a.ptx is not instrumented: "), line)
        self.assertIn(reason, line)
        self.assertEqual(self.only_call()["words"], ["a.ptx", "-o", "out"])
        os.remove(self.path("log"))
        os.remove(self.path("out"))
        refused = self.run_it("a.ptx", "-o", "out", PASTA_PTX_STRICT="1")
        self.check_refusal(refused, 125, "a.ptx is not instrumented: ", reason)
        self.assertEqual(self.calls(), [])
        self.assertFalse(os.path.exists(self.path("out")))

    def test_a_rewriting_that_fails(self):
        self.check_assembled_as_it_was(PTX + "// test: crash", "killed by SIGABRT")
        self.check_assembled_as_it_was(PTX + "// test: no memory", "out of memory")
        self.check_assembled_as_it_was(PTX + "// test: throw", "line 7: thrown\\nin two lines")
        self.check_assembled_as_it_was("not PTX", "line 1: this is not PTX")
        self.check_assembled_as_it_was("", "line 1: this is not PTX")

    def test_what_needs_no_instrumenting_is_no_warning(self):
        self.write("a.ptx", PTX + "// test: nothing to do")
        self.check(self.run_it("a.ptx", PASTA_PTX_STRICT="1"), 0, warning_of("a.ptx"))
        self.assertEqual(self.only_call()["words"], ["a.ptx"])

    def test_a_pipe_and_the_standard_input_are_not_lost(self):
        text = PTX + "// test: crash"
        done = self.run_it("-", input=text)
        self.assertEqual(self.only_call()["texts"], [text])
        self.assertEqual(self.only_call()["words"], ["-"])
        self.assertIn("pasta: <stdin> is not instrumented: ", done.stderr)
        os.remove(self.path("log"))
        os.mkfifo(self.path("pipe"))
        with ThreadPoolExecutor(1) as pool:
            writer = pool.submit(self.write, "pipe", text)
            done = self.run_it("pipe")
            writer.result()
        self.assertEqual(self.only_call()["texts"], [text])
        self.assertIn(warning_of("pipe"), done.stderr)

    def test_one_of_two(self):
        self.write("a.ptx", PTX + "// test: crash")
        self.write("b.ptx")
        done = self.run_it("a.ptx", "b.ptx")
        self.assertEqual(done.stderr.count("is not instrumented"), 1)
        call = self.only_call()
        self.assertEqual(call["words"][0], "a.ptx")
        self.check_instrumented(call["texts"][1])

    def test_a_text_that_the_real_one_refuses_is_assembled_as_it_was(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", "-Werror", "-o", "out", FAKE_REFUSES=STATE)
        self.check(done, 0)
        self.assertEqual(self.read("out"), PTX)
        refusal = "ptxas refused the instrumented text: ptxas a.ptx, line 3; error   : not with me"
        self.assertEqual(done.stderr, warning_of("a.ptx") + f"pasta: a.ptx is not instrumented: {refusal}\n")
        self.assertEqual(self.calls()[1]["words"], ["a.ptx", "-Werror", "-o", "out"])
        strict = self.run_it("a.ptx", FAKE_REFUSES=STATE, PASTA_PTX_STRICT="1")
        self.check_refusal(strict, 125, refusal)

    def test_standard_input_that_is_refused(self):
        done = self.run_it("-", "-o", "out", input=PTX, FAKE_REFUSES=STATE)
        self.check(done, 0)
        self.assertEqual(self.read("out"), PTX)
        self.assertEqual(self.calls()[1]["words"], ["-", "-o", "out"])

    def test_a_crash_of_the_real_one_on_the_instrumented_text(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", "-o", "out", FAKE_SIGNAL="SIGSEGV", FAKE_DIES_ON=STATE)
        self.check(done, 0)
        self.assertEqual(self.read("out"), PTX)
        self.assertIn("ptxas was killed by SIGSEGV on the instrumented text\n", done.stderr)

    def test_a_text_that_is_refused_either_way_has_only_the_real_ones_words(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", FAKE_REFUSES=".entry")
        message = "ptxas a.ptx, line 3; error   : not with me\nptxas fatal   : Ptx assembly aborted due to errors\n"
        self.check(done, 255, message)
        self.check(self.run_it("a.ptx", FAKE_SIGNAL="SIGSEGV"), -signal.SIGSEGV)

    def test_the_refused_text_is_kept_for_debugging(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", FAKE_REFUSES=STATE, PASTA_DEBUG="1")
        self.check(done, 0)
        (kept,) = Path(self.temporary).iterdir()
        self.assertIn(f"the refused text of a.ptx is kept in {kept}\n", done.stderr)
        self.check_instrumented(kept.read_text(encoding="ascii"))
        kept.unlink()
        done = self.run_it("a.ptx", FAKE_REFUSES=STATE, PASTA_DEBUG="1", TMPDIR="/nowhere")
        self.check(done, 0)
        self.assertIn("cannot be kept in /nowhere: No such file or directory\n", done.stderr)

    def test_too_few_descriptors(self):
        names = [self.write(f"{i}.ptx") for i in range(60)]

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))

        done = self.run_it(*names, "-o", "out", preexec_fn=limit)
        self.check(done, 0)
        self.assertEqual(done.stderr.count("is not instrumented: "), 60)
        self.assertEqual(self.read("out"), PTX * 60)

    def test_words_that_are_not_understood(self):
        self.write("a.ptx")
        for words in (["--new-option", "a.ptx"], ["a.ptx", "-o"], ["-optf", "/dev/null", "a.ptx"]):
            with self.subTest(words=words):
                done = self.run_it(*words)
                self.assertRegex(done.stderr, r"\Apasta: nothing is instrumented: the option[^\n]+\n")
                self.check_refusal(self.run_it(*words, PASTA_PTX_STRICT="1"), 125, "nothing is instrumented")
        expected = {"words": ["--new-option", "a.ptx"], "texts": [PTX], "inputs": ["a.ptx"], "output": "elf.o"}
        self.assertEqual(self.calls()[0], expected)

    def test_what_cannot_be_read_is_left_to_the_real_one(self):
        message = "ptxas fatal   : Input file '{}' could not be opened\n"
        self.check(self.run_it("none.ptx"), 255, message.format("none.ptx"))
        self.check(self.run_it(self.folder), 255, message.format(self.folder))
        self.check(self.run_it(""), 255, message.format(""))


class InPlaceTest(PtxasTest):
    def setUp(self):
        super().setUp()
        self.environment["PASTA_PTX_IN_PLACE"] = "1"

    def test_the_file_becomes_the_instrumented_text_and_keeps_its_mode(self):
        self.write("a.ptx")
        os.chmod(self.path("a.ptx"), 0o640)
        self.check(self.run_it("a.ptx", "-o", "out"), 0, warning_of("a.ptx"))
        self.check_instrumented(self.read("a.ptx"))
        self.assertEqual(self.read("a.ptx"), self.read("out"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.ptx")).st_mode), 0o640)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.ptx", "log", "out"])
        self.check(self.run_it("a.ptx", "-o", "out2"))
        self.assertEqual(self.read("out"), self.read("out2"))

    def test_a_link_leads_to_the_file_that_is_rewritten(self):
        self.write("a.ptx")
        os.symlink("a.ptx", self.path("link.ptx"))
        self.check(self.run_it("link.ptx"))
        self.assertTrue(os.path.islink(self.path("link.ptx")))
        self.check_instrumented(self.read("a.ptx"))

    def test_a_refused_text_does_not_take_the_files_place(self):
        self.write("a.ptx")
        self.check(self.run_it("a.ptx", FAKE_REFUSES=STATE))
        self.assertEqual(self.read("a.ptx"), PTX)

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        os.mkdir(self.path("locked"))
        self.write("locked/a.ptx")
        os.chmod(self.path("locked"), 0o555)
        self.addCleanup(os.chmod, self.path("locked"), 0o755)
        done = self.run_it("locked/a.ptx")
        self.check(done, 0)
        self.assertIn("pasta: locked/a.ptx is not rewritten in place: ", done.stderr)
        done = self.run_it("locked/a.ptx", PASTA_PTX_STRICT="1")
        self.assertEqual(done.returncode, 125)

    def test_a_limit_on_the_size_of_files(self):
        text = PTX + "// " + "x" * 100000 + "\n"
        self.write("a.ptx", text)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))

        done = self.run_it("a.ptx", "-o", "/dev/null", preexec_fn=limit, FAKE_LOG="/dev/null")
        self.check(done, 0)
        self.assertRegex(done.stderr, r"\Apasta: a.ptx is not instrumented: [^\n]*File too large\n")
        self.assertEqual(self.read("a.ptx"), text)

    def test_several_at_once_on_one_file(self):
        for _ in range(5):
            self.write("a.ptx")
            with ThreadPoolExecutor(8) as pool:
                all_done = list(pool.map(lambda i: self.run_it("a.ptx", "-o", f"{i}.out"), range(8)))
            for done in all_done:
                self.check(done, 0, warning_of("a.ptx"))
            for i in range(8):
                self.assertEqual(self.read(f"{i}.out"), self.read("a.ptx"))

    def test_an_original_is_found_again_by_a_call_that_must_go_back(self):
        """Two architectures, one PTX: the second one's ptxas refuses what the first one's took."""
        self.write("a.ptx")
        os.mkdir(self.path("originals"))
        keep = {"PASTA_PTX_ORIGINALS": self.path("originals")}
        self.check(self.run_it("a.ptx", "-o", "out1", **keep))
        self.check_instrumented(self.read("out1"))
        done = self.run_it("a.ptx", "-o", "out2", FAKE_REFUSES=STATE, **keep)
        self.check(done, 0)
        self.assertEqual(self.read("out2"), PTX)
        self.assertIn("pasta: a.ptx is not instrumented: ptxas refused the instrumented text: ", done.stderr)
        self.check_instrumented(self.read("a.ptx"))
        # Without the folder there is nothing to go back to.
        self.check(self.run_it("a.ptx", FAKE_REFUSES=STATE), 255)


class SignalTest(PtxasTest):
    def start(self, *words, **more):
        environment = {k: more.pop(k) for k in list(more) if k.isupper()} | {"FAKE_STARTED": self.path("started")}
        options = {"stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | more
        return subprocess.Popen([PROGRAM, *words], **self.options(environment, options))

    def wait_for_start(self):
        for _ in range(500):
            if os.path.exists(self.path("started")):
                return
            time.sleep(0.02)
        self.fail("the fake has not started")

    def test_signals_reach_the_real_one_and_end_both(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for environment in ({}, {"PASTA_PTX_TOOLS": ""}):
                with self.subTest(signal=number, environment=environment):
                    self.write("a.ptx")
                    began = time.monotonic()
                    process = self.start("a.ptx", "-o", "out", FAKE_SECONDS="30", **environment)
                    self.wait_for_start()
                    process.send_signal(number)
                    process.communicate(timeout=20)
                    expected = {-number, 1 if number == signal.SIGINT and environment else -number}
                    self.assertIn(process.returncode, expected)
                    self.assertLess(time.monotonic() - began, 20)
                    self.assertFalse(os.path.exists(self.path("out")))
                    self.assertEqual(len(self.all_calls()), 1)
                    os.remove(self.path("started"))
                    os.remove(self.path("log"))

    def test_a_signal_that_only_the_real_one_gets_is_no_refusal(self):
        self.write("a.ptx")
        done = self.run_it("a.ptx", FAKE_SIGNAL="SIGTERM")
        self.check(done, -signal.SIGTERM)
        self.assertEqual(len(self.calls()), 1)

    def test_killed_outright_it_leaves_nothing(self):
        self.write("a.ptx")
        process = self.start("a.ptx", "-o", "out", FAKE_SECONDS="0.5", PASTA_PTX_IN_PLACE="1")
        self.wait_for_start()
        process.kill()
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertEqual(self.read("a.ptx"), PTX)
        self.assertEqual(set(os.listdir(self.folder)) - {"out"}, {"a.ptx", "log", "started"})

    def test_ignored_signals_stay_ignored(self):
        self.write("a.ptx")

        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        process = self.start("a.ptx", "-o", "out", FAKE_SECONDS="0.5", preexec_fn=ignore)
        self.wait_for_start()
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.check_instrumented(self.read("out"))


class FindTest(PtxasTest):
    def setUp(self):
        super().setUp()
        del self.environment["PASTA_PTXAS"]
        self.environment["PATH"] = os.path.dirname(sys.executable) + ":/usr/bin:/bin"
        self.write("a.ptx")

    def toolkit(self, name):
        """A folder with bin/nvcc and a fake bin/ptxas that writes its name."""
        folder = self.path(name)
        os.makedirs(os.path.join(folder, "bin"))
        for program in ("ptxas", "nvcc"):
            self.script(os.path.join(name, "bin", program), f'echo {name} {program}; exec {shlex.quote(FAKE)} "$@"')
        return folder

    def script(self, name, line):
        self.write(name, f"#!/bin/sh\n{line}\n")
        os.chmod(self.path(name), 0o755)

    def found(self, program=None, **environment):
        done = self.run_it("a.ptx", program=program, PASTA_PTX_TOOLS="", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_the_order_of_places(self):
        one, two, three, four = (self.toolkit(name) for name in ("one", "two", "three", "four"))
        path = self.environment["PATH"]
        os.remove(os.path.join(three, "bin", "nvcc"))
        os.mkdir(self.path("links"))
        os.symlink(os.path.join(four, "bin", "nvcc"), self.path("links/nvcc"))
        with_all = f"{self.path('links')}:{three}/bin:{path}"
        places = {"CUDA_HOME": one, "CUDA_PATH": two, "PATH": with_all}
        self.assertEqual(self.found(PASTA_PTXAS=os.path.join(two, "bin", "ptxas"), **places), "two ptxas")
        self.assertEqual(self.found(**places), "one ptxas")
        del places["CUDA_HOME"]
        self.assertEqual(self.found(**places), "two ptxas")
        places["CUDA_PATH"] = self.path("no toolkit")
        self.assertEqual(self.found(**places), "four ptxas")  # by the nvcc in PATH
        os.remove(self.path("links/nvcc"))
        self.assertEqual(self.found(**places), "three ptxas")

    def test_a_sibling_of_the_program_or_of_the_link_to_it(self):
        one = self.toolkit("one")
        os.mkdir(self.path("bin"))
        os.symlink(PROGRAM, self.path("bin/ptxas"))
        os.symlink(os.path.join(one, "bin", "ptxas"), self.path("bin/ptxas.real"))
        self.assertEqual(self.found(program=self.path("bin/ptxas")), "one ptxas")
        in_path = f"{self.path('bin')}:{self.environment['PATH']}"
        done = subprocess.run(
            ["/bin/sh", "-c", "ptxas a.ptx"], check=False, capture_output=True, text=True,
            **self.options({"PATH": in_path, "PASTA_PTX_TOOLS": ""}, {}),
        )
        self.assertEqual(done.stdout, "one ptxas\n", done.stderr)

    def test_never_itself_by_another_name_or_as_a_copy(self):
        one = self.toolkit("one")
        for make in (os.symlink, os.link, shutil.copy):
            with self.subTest(make=make.__name__):
                folder = os.path.join(self.path(make.__name__), "bin")
                os.makedirs(folder)
                try:
                    make(PROGRAM, os.path.join(folder, "ptxas"))
                except OSError as error:
                    self.skipTest(str(error))
                program = os.path.join(folder, "ptxas")
                path = f"{folder}:{one}/bin:{self.environment['PATH']}"
                self.assertEqual(self.found(program=program, PATH=path), "one ptxas")
                self.assertEqual(self.found(PATH=path, CUDA_HOME=os.path.dirname(folder)), "one ptxas")
                refused = self.run_it("a.ptx", program=program, PASTA_PTXAS=program)
                self.check_refusal(refused, 127, "PASTA_PTXAS=", "it is this program itself")

    def test_a_stripped_copy_is_known_too(self):
        if shutil.which("strip") is None:
            self.skipTest("strip is not installed")
        subprocess.run(["strip", "-o", self.path("ptxas"), PROGRAM], check=True)
        done = self.run_it("a.ptx", PASTA_PTXAS=self.path("ptxas"))
        self.check_refusal(done, 127, "it is a copy of this program")

    def test_a_script_that_leads_back_is_one_line(self):
        os.mkdir(self.path("bin"))
        self.script("bin/ptxas", f'exec {shlex.quote(PROGRAM)} "$@"')
        path = f"{self.path('bin')}:{self.environment['PATH']}"
        for tools in ("", "access_count"):
            done = self.run_it("a.ptx", PATH=path, PASTA_PTX_TOOLS=tools, timeout=20)
            self.assertEqual(done.returncode, 125)
            self.assertIn("leads back to this program", done.stderr)

    def test_wrong_explicit_paths(self):
        self.check_refusal(self.run_it("a.ptx", PASTA_PTXAS="/no\nwhere"), 127, "PASTA_PTXAS=/no\\nwhere")
        self.check_refusal(self.run_it("a.ptx", PASTA_PTXAS=self.folder), 126, "it is a folder")
        self.write("not executable")
        done = self.run_it("a.ptx", PASTA_PTXAS=self.path("not executable"))
        self.check_refusal(done, 126, "Permission denied")

    def test_none_at_all(self):
        if os.path.exists("/usr/local/cuda/bin/ptxas"):
            self.skipTest("/usr/local/cuda has one")
        done = self.run_it("a.ptx", PATH="/nowhere")
        self.check_refusal(done, 127, "the real ptxas was not found; set PASTA_PTXAS")

    def test_what_cannot_be_run(self):
        self.write("broken", b"\x7fELF" + bytes(100))
        os.chmod(self.path("broken"), 0o755)
        for tools in ("", "access_count"):
            done = self.run_it("a.ptx", PASTA_PTXAS=self.path("broken"), PASTA_PTX_TOOLS=tools)
            self.check_refusal(done, 126, "cannot run ")


if __name__ == "__main__":
    unittest.main()
