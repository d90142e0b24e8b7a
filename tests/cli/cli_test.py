# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The command `pasta`: each subcommand, each documented exit code, bad input and signals.

The paths of what it needs come from the environment, see CMakeLists.txt."""

import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# A copy with no installed tools beside it: which ones a build has does not matter here. Made by setUpModule.
PASTA = ""
FAKE = str(Path(__file__).resolve().parent / "fake_program.py")
TABLE_PROGRAM = os.environ["PASTA_CLI_FAKE_TABLE"]

sys.path.insert(0, str(Path(__file__).resolve().parent))


def setUpModule():
    global PASTA
    folder = tempfile.mkdtemp(prefix="pasta-copy-")
    unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
    os.mkdir(os.path.join(folder, "bin"))
    PASTA = shutil.copy(os.environ["PASTA_CLI"], os.path.join(folder, "bin", "pasta"))


class CliTest(unittest.TestCase):
    """Runs in a folder of its own, with no variable of PASTA set."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pasta cli ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.temporary = tempfile.mkdtemp(prefix="pasta-tmp-")
        self.addCleanup(shutil.rmtree, self.temporary, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PASTA_") and k != "NO_COLOR"}
        # A folder without tools: the fakes are not installed unless a test says so.
        self.environment |= {"FAKE_PROGRAM": FAKE, "TMPDIR": self.temporary, "LC_ALL": "C"}

    def pasta(self, *words, environment=None, **more):
        options = {
            "cwd": self.folder,
            "capture_output": True,
            "timeout": 60,
            "env": self.environment | (environment or {}),
        }
        options |= more
        done = subprocess.run([PASTA, *words], check=False, **options)
        for name in ("stdout", "stderr"):
            text = getattr(done, name)
            if isinstance(text, bytes):
                setattr(done, name, text.decode("utf-8", "surrogateescape"))
        return done

    def check(self, done, status, stdout=None, stderr=None):
        self.assertEqual(done.returncode, status, done.stderr)
        if stdout is not None:
            self.assertEqual(done.stdout, stdout)
        if stderr is not None:
            self.assertEqual(done.stderr, stderr)

    def check_refusal(self, done, status, *parts):
        """One line on stderr, nothing on stdout."""
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Apasta[^\n]*: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, done.stderr)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return name

    def write_report(self, name, change=None):
        report = sample_report()
        if change:
            change(report)
        return self.write(name, json.dumps(report))

    def reports(self):
        return sorted(Path(self.folder).glob("*.json"))

    def read_only_report(self):
        files = self.reports()
        self.assertEqual(len(files), 1, files)
        return json.loads(files[0].read_text(encoding="utf-8"))


def sample_report():
    loss = {
        "launches_seen": 2,
        "launches_delivered": 2,
        "launches_sampled_out": 0,
        "launches_lost": 0,
        "events_delivered": 9,
        "events_dropped": 0,
        "not_instrumentable": [],
    }
    columns = [
        {"name": "file", "unit": "", "role": "key"},
        {"name": "line", "unit": "", "role": "key"},
        {"name": "requests", "unit": "", "role": "value"},
        {"name": "efficiency", "unit": "1", "role": "value"},
    ]
    finding = {
        "severity": "high",
        "place": {"file": "/src/a.cpp", "function": "", "line": 21, "column": 3},
        "message": "Stores are far apart.",
        "advice": "Use a tile.",
        "gain_at_most": 3.5,
    }
    kernel = {
        "kernel": "transpose",
        "range": "",
        "launch": None,
        "grid": "2x1x1",
        "block": "64x1x1",
        "shared_bytes": 0,
        "duration_ns": 1000,
        "losses": loss,
        "findings": [finding],
        "tables": [
            {
                "name": "lines",
                "columns": columns,
                "rows": [["/src/a.cpp", 20, 100, 1.0], ["/src/a.cpp", 21, 100, 0.125]],
            }
        ],
    }
    header = {
        name: "" for name in ("host_name", "device", "os", "cpu", "compiler", "compiler_flags", "gpu", "driver", "cuda")
    }
    header |= {
        "command": ["./a"],
        "pid": 1,
        "route": "probe",
        "vendor": "host",
        "pasta_version": "0.1.0",
        "date": "2026-01-31T12:00:00Z",
        "wall_ns": 5,
        "slowdown": None,
    }
    return {
        "schema": "pasta-report/1",
        "header": header,
        "is_complete": True,
        "incomplete_reason": "",
        "notes": [],
        "tools": [
            {
                "tool": "coalescing",
                "options": [{"name": "sector-bytes", "value": "32"}],
                "findings": [],
                "kernels": [kernel],
                "tables": [],
            }
        ],
    }


def kernel_of(report):
    return report["tools"][0]["kernels"][0]


class MainTest(CliTest):
    def test_help_has_examples_and_every_subcommand(self):
        for words in (["--help"], ["-h"], ["help"]):
            done = self.pasta(*words)
            self.check(done, 0, stderr="")
            self.assertIn("Examples:", done.stdout)
            for name in ("list", "run", "show", "diff", "new", "doctor"):
                self.assertRegex(done.stdout, rf"\n  {name} ")

    def test_each_subcommand_has_help(self):
        for name in ("list", "run", "show", "diff", "new", "doctor"):
            done = self.pasta(name, "--help")
            self.check(done, 0, stderr="")
            self.assertIn(f"Usage: pasta {name}", done.stdout)

    def test_version(self):
        done = self.pasta("--version")
        self.check(done, 0)
        self.assertRegex(done.stdout, r"\Apasta \d+\.\d+\.\d+\n\Z")

    def test_usage_errors(self):
        self.check_refusal(self.pasta(), 2, "which subcommand?")
        self.check_refusal(self.pasta("lst"), 2, "unknown subcommand 'lst'; did you mean list?")
        self.check_refusal(self.pasta("rnu"), 2, "did you mean run?")
        self.check_refusal(self.pasta("zebra"), 2, "unknown subcommand 'zebra'\n")
        self.check_refusal(self.pasta("--verison"), 2, "unknown flag --verison; did you mean --version?")
        self.check_refusal(self.pasta(""), 2, "unknown subcommand ''")
        self.check_refusal(self.pasta("a\x1b[31m\nb"), 2, "a\\x1b[31m\\nb")

    def test_unknown_flags_of_subcommands(self):
        self.check_refusal(self.pasta("list", "--jsn"), 2, "unknown flag --jsn; did you mean --json?")
        self.check_refusal(self.pasta("doctor", "--jason"), 2, "did you mean --json?")
        self.check_refusal(self.pasta("doctor", "now"), 2, "unexpected argument 'now'")
        self.check_refusal(self.pasta("show", "--finding", "x.json"), 2, "did you mean --findings?")
        self.check_refusal(self.pasta("diff", "--treshold=2", "a", "b"), 2, "did you mean --threshold?")
        self.check_refusal(self.pasta("new", "--pth", "x"), 2, "did you mean --path?")


class ListTest(CliTest):
    def tools(self):
        return {"PASTA_TOOL_PATH": os.environ["PASTA_CLI_TOOL_FOLDER"]}

    def test_installed_tools_with_options_and_routes(self):
        done = self.pasta("list", environment=self.tools())
        self.check(done, 0, stderr="")
        self.assertIn("fake_tool  does nothing\n    routes: probe\n", done.stdout)
        self.assertRegex(done.stdout, r"\n    --sector-bytes 32 +size \[bytes\]\n")

    def test_json(self):
        done = self.pasta("list", "--json", environment=self.tools())
        self.check(done, 0)
        tool = [t for t in json.loads(done.stdout)["tools"] if t["tool"] == "fake_tool"][0]
        self.assertEqual(tool["options"][0]["name"], "sector-bytes")
        self.assertEqual(tool["options"][0]["maximum"], 128)

    def test_a_bad_library_is_one_line_and_hides_no_other(self):
        shutil.copy(os.environ["PASTA_CLI_OTHER_LIBRARY"], self.path("other.so"))
        shutil.copy(os.environ["PASTA_CLI_WRONG_TOOL"], self.path("wrong.so"))
        library = Path(os.environ["PASTA_CLI_TOOL_FOLDER"], "fake_tool.so").read_bytes()
        self.write("short.so", library[: len(library) // 3])
        self.write("text.so", "hello")
        self.write("empty.so", "")
        os.mkfifo(self.path("pipe.so"))
        done = self.pasta(
            "list", environment={"PASTA_TOOL_PATH": f"{self.folder}:/none:{self.tools()['PASTA_TOOL_PATH']}"}
        )
        self.assertEqual(done.returncode, 0)
        self.assertIn("fake_tool  does nothing", done.stdout)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 6, done.stderr)
        for name, why in (
            ("other.so", "it has no pasta_tool_description"),
            ("wrong.so", "not the JSON of a tool"),
            ("short.so", "ELF file"),
            ("text.so", "not an ELF file"),
            ("empty.so", "not an ELF file"),
            ("pipe.so", "not a regular file"),
        ):
            self.assertTrue(any(name in line and why in line for line in lines), (name, done.stderr))

    def test_program_is_read_and_not_run(self):
        done = self.pasta("list", TABLE_PROGRAM)
        self.check(done, 0, stderr="")
        self.assertEqual(
            [line.split()[0] for line in done.stdout.splitlines()],
            ["access_count", "coalescing", "access_count+coalescing"],
        )
        done = self.pasta("list", TABLE_PROGRAM, "--json")
        self.assertEqual(
            json.loads(done.stdout)["tools"][2],
            {"route": "probe", "pack": "access_count+coalescing", "pasta_version": "0.1.0"},
        )

    def test_programs_without_table(self):
        done = self.pasta("list", PASTA)
        self.check(done, 0)
        self.assertIn("no tool is compiled into", done.stdout)
        self.check_refusal(self.pasta("list", FAKE), 125, "is not an ELF program")
        self.check_refusal(self.pasta("list", self.write("empty", "")), 125, "is not an ELF program")
        self.check_refusal(self.pasta("list", "none"), 125, "cannot read none: No such file or directory")
        self.check_refusal(self.pasta("list", "."), 125, "not a regular file")
        self.check_refusal(self.pasta("list", os.environ["PASTA_CLI_DAMAGED_TABLE"]), 125, ".pasta_tools is damaged")

    def test_an_elf_file_cut_anywhere_is_no_crash(self):
        whole = Path(TABLE_PROGRAM).read_bytes()
        for size in (4, 16, 63, 64, 200, 1000, len(whole) // 2, len(whole) - 100, len(whole) - 1):
            done = self.pasta("list", self.write("short", whole[:size]))
            self.assertIn(done.returncode, (0, 125), size)


class RunTest(CliTest):
    """The program keeps its output, status and place."""

    def test_output_is_the_programs_and_the_report_is_on_stderr(self):
        done = self.pasta("run", "t", "--", FAKE, "attach", "out=hello", "err=problem", "complete")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "hello\n")
        self.assertTrue(done.stderr.startswith("problem\n"))
        self.assertIn("PASTA 0.1.0  t", done.stderr)
        self.assertRegex(done.stderr, r"\nreport: pasta-t-fake_program.py-\d+\.json\n\Z")
        self.assertEqual(
            self.read_only_report()["header"]["command"], [FAKE, "attach", "out=hello", "err=problem", "complete"]
        )
        self.assertEqual(os.listdir(self.temporary), [])

    def test_stdin_is_the_programs(self):
        done = self.pasta("run", "t", "--", FAKE, "attach", "in", "complete", input=b"question")
        self.check(done, 0, stdout="question\n")

    def test_the_status_is_the_programs(self):
        for status in (0, 1, 2, 3, 125, 126, 127, 255):
            self.check(self.pasta("run", "t", "--", FAKE, "attach", "complete", f"exit={status}"), status)
            self.check(self.pasta("run", "t", "--", "sh", "-c", f"exit {status}"), status)

    def test_same_process_group(self):
        done = self.pasta("run", "t", "--", FAKE, "group", start_new_session=False)
        self.assertEqual(done.stdout, f"group {os.getpgrp()}\n")

    def test_not_found_is_127_and_not_executable_126(self):
        self.check_refusal(self.pasta("run", "t", "--", "no-such-program"), 127, "not found in PATH")
        self.check_refusal(self.pasta("run", "t", "--", "./none"), 127, "cannot run ./none: No such file or directory")
        self.check_refusal(self.pasta("run", "t", "--", ""), 127, "name is empty")
        self.check_refusal(self.pasta("run", "t", "--", "."), 127, "not found in PATH")
        self.check_refusal(self.pasta("run", "t", "--", "./"), 126, "it is a folder")
        self.write("data", "x")
        self.check_refusal(self.pasta("run", "t", "--", "./data"), 126, "cannot run ./data: Permission denied")
        self.write("program", "#!/no/such/interpreter\n")
        os.chmod(self.path("program"), 0o755)
        self.check_refusal(
            self.pasta("run", "t", "--", "./program"), 127, "the interpreter that it names was not found"
        )
        self.check_refusal(self.pasta("run", "t", "--", "program"), 127, "did you mean ./program?")
        self.write("broken", b"\x7fELF\x02\x01\x01" + b"\0" * 57)
        os.chmod(self.path("broken"), 0o755)
        self.assertEqual(self.pasta("run", "t", "--", "./broken").returncode, 126)

    def test_path_is_searched(self):
        os.mkdir(self.path("bin"))
        os.symlink(FAKE, self.path("bin/found"))
        path = f"/none:{self.path('bin')}:{os.environ['PATH']}"
        self.check(self.pasta("run", "t", "--", "found", "out=x", environment={"PATH": path}), 0, stdout="x\n")

    def test_a_script_without_interpreter_line_runs(self):
        self.write("script", "echo from the shell\n")
        os.chmod(self.path("script"), 0o755)
        self.check(self.pasta("run", "t", "--", "./script"), 0, stdout="from the shell\n")

    def test_environment_of_the_program(self):
        names = (
            "PASTA_TOOLS",
            "PASTA_QUIET",
            "PASTA_OUTPUT",
            "PASTA_ROUTE",
            "PASTA_PER",
            "PASTA_TIMES",
            "PASTA_SAMPLING_RATE",
            "PASTA_SAMPLE_BLOCKS",
            "PASTA_SEED",
            "PASTA_KERNELS",
            "PASTA_EXCLUDE",
            "PASTA_LAUNCHES",
            "PASTA_SCHEDULE",
            "PASTA_DEVICES",
            "PASTA_WARP_WIDTH",
            "PASTA_HOST_THREADS",
            "PASTA_TOOL_OPTIONS",
            "PASTA_COMMAND",
        )
        shown = [f"env={name}" for name in names]
        done = self.pasta(
            "run",
            "a,b",
            "--route",
            "probe",
            "--per=launch",
            "--times",
            "cupti",
            "--sampling-rate",
            "0.5",
            "--sample-blocks=0.25",
            "--seed",
            "7",
            "--kernels",
            "^fill <.*>",
            "--exclude=a b",
            "--launches",
            ":9",
            "--schedule",
            "wait=1,active=2",
            "--devices=0,2",
            "--warp-width",
            "64",
            "--threads",
            "3",
            "--output",
            "%t-%p.json",
            "--sector-bytes",
            "64",
            "--b.mode=x y",
            "--",
            FAKE,
            *shown,
        )
        values = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual(values["PASTA_TOOLS"], "'a+b'")
        self.assertEqual(values["PASTA_QUIET"], "'1'")
        self.assertEqual(values["PASTA_OUTPUT"], repr(f"{os.path.realpath(self.folder)}/%t-%p.json"))
        self.assertEqual(values["PASTA_ROUTE"], "'probe'")
        self.assertEqual(values["PASTA_PER"], "'launch'")
        self.assertEqual(values["PASTA_TIMES"], "'cupti'")
        self.assertEqual(values["PASTA_SAMPLING_RATE"], "'0.5'")
        self.assertEqual(values["PASTA_SAMPLE_BLOCKS"], "'0.25'")
        self.assertEqual(values["PASTA_SEED"], "'7'")
        self.assertEqual(values["PASTA_KERNELS"], "'^fill <.*>'")
        self.assertEqual(values["PASTA_EXCLUDE"], "'a b'")
        self.assertEqual(values["PASTA_LAUNCHES"], "':9'")
        self.assertEqual(values["PASTA_SCHEDULE"], "'wait=1,active=2'")
        self.assertEqual(values["PASTA_DEVICES"], "'0,2'")
        self.assertEqual(values["PASTA_WARP_WIDTH"], "'64'")
        self.assertEqual(values["PASTA_HOST_THREADS"], "'3'")
        self.assertEqual(values["PASTA_TOOL_OPTIONS"], "'sector-bytes=64\\nb.mode=x y'")
        self.assertEqual(values["PASTA_COMMAND"], repr("\x1f".join([FAKE, *shown])))
        done = self.pasta("run", "a", "--", FAKE, *shown)
        values = dict(line.split("=", 1) for line in done.stdout.splitlines())
        for name in (
            "PASTA_ROUTE",
            "PASTA_PER",
            "PASTA_SAMPLING_RATE",
            "PASTA_SAMPLE_BLOCKS",
            "PASTA_SEED",
            "PASTA_KERNELS",
            "PASTA_EXCLUDE",
            "PASTA_LAUNCHES",
            "PASTA_SCHEDULE",
            "PASTA_DEVICES",
            "PASTA_WARP_WIDTH",
            "PASTA_HOST_THREADS",
            "PASTA_TOOL_OPTIONS",
        ):
            self.assertEqual(values[name], "None", name)

    def test_a_flag_wins_over_its_variable(self):
        variables = {"PASTA_PER": "launch", "PASTA_WARP_WIDTH": "64"}
        done = self.pasta(
            "run", "a", "--warp-width", "32", "--", FAKE, "env=PASTA_PER", "env=PASTA_WARP_WIDTH", environment=variables
        )
        self.assertEqual(done.stdout, "PASTA_PER='launch'\nPASTA_WARP_WIDTH='32'\n")
        self.check_refusal(
            self.pasta("run", "a", "--", FAKE, environment={"PASTA_PER": "krenel"}), 2, "did you mean kernel?"
        )

    def test_no_descriptor_is_left_open_in_the_program(self):
        done = self.pasta("run", "t", "--", "sh", "-c", "ls /proc/self/fd | wc -l")
        plain = subprocess.run(["sh", "-c", "ls /proc/self/fd | wc -l"], capture_output=True, check=True)
        self.assertEqual(done.stdout, plain.stdout.decode())


class RunOptionsTest(CliTest):
    def test_tools_are_checked_against_the_programs_table(self):
        for tools in ("access_count,coalescing", "coalescing,access_count", "coalescing+access_count"):
            done = self.pasta("run", tools, "--", TABLE_PROGRAM, "env=PASTA_TOOLS")
            self.check(done, 0, stdout="PASTA_TOOLS='access_count+coalescing'\n")
        self.check_refusal(
            self.pasta("run", "coalesing", "--", TABLE_PROGRAM),
            2,
            "unknown tool 'coalesing'; did you mean coalescing?",
            "was built with access_count, coalescing, access_count+coalescing",
        )
        self.check_refusal(self.pasta("run", "zebra,coalescing", "--", TABLE_PROGRAM), 2, "unknown tool 'zebra';")

    def test_tools_are_checked_against_the_installed_ones_without_a_table(self):
        tools = {"PASTA_TOOL_PATH": os.environ["PASTA_CLI_TOOL_FOLDER"]}
        self.check(self.pasta("run", "fake_tool", "--", FAKE, environment=tools), 0)
        self.check_refusal(
            self.pasta("run", "fake_tol", "--", FAKE, environment=tools),
            2,
            "unknown tool 'fake_tol'; did you mean fake_tool?",
        )

    def test_events_that_the_ptx_route_does_not_deliver_are_named(self):
        tools = {"PASTA_TOOL_PATH": os.path.dirname(os.environ["PASTA_CLI_BLOCK_TOOL"])}
        self.check_refusal(
            self.pasta("run", "block_tool", "--route", "ptx", "--", FAKE, environment=tools),
            2,
            "block_tool does not have the route ptx, which has no block_exit (a barrier of the block would be needed, and "
            "it adds none) and no kernel_end; it has probe",
        )

    def test_wrong_lists_of_tools(self):
        self.check_refusal(self.pasta("run"), 2, "which tool?")
        self.check_refusal(self.pasta("run", "--", FAKE), 2, "which tool?")
        self.check_refusal(self.pasta("run", "a"), 2, "which program?")
        self.check_refusal(self.pasta("run", "a", "--"), 2, "which program?")
        self.check_refusal(self.pasta("run", "a", FAKE), 2, "put -- before the program")
        self.check_refusal(self.pasta("run", "a,", "--", FAKE), 2, "an empty name")
        self.check_refusal(self.pasta("run", "a,a", "--", FAKE), 2, "named twice")
        self.check_refusal(self.pasta("run", "", "--", FAKE), 2, "empty")

    def test_wrong_flags_and_values(self):
        def refused(words, *parts):
            self.check_refusal(self.pasta("run", "a", *words, "--", FAKE), 2, *parts)

        refused(["--route", "prob"], "'prob' is not one of auto, probe, ptx, patch, llvm; did you mean probe?")
        refused(["--per", "lanch"], "did you mean launch?")
        refused(["--per"], "--per needs a value")
        refused(["--times", "cupit"], "did you mean cupti?")
        for rate in ("0", "-1", "1.5", "nan", "x", "0.5x", "inf"):
            refused(["--sampling-rate", rate], "--sampling-rate")
        for rate in ("0", "1.5", "x", "1e-9"):
            refused(["--sample-blocks", rate], f"--sample-blocks: '{rate}' is not a number from 1e-06 to 1")
        refused(["--route", "ptx", "--sample-blocks", "0.5"],
                "--sample-blocks 0.5: the ptx route analyses whole launches; the patch route and the CPU engine sample")
        for seed in ("-1", "x", "4294967296", "1.5"):
            refused([f"--seed={seed}"], f"--seed: '{seed}' is not a number from 0 to 4294967295")
        refused(["--kernels", "a("], "--kernels: 'a(' is not a regular expression: Unmatched ( or \\(")
        refused(["--exclude", "*["], "--exclude: '*[' is not a regular expression: ")
        for schedule in ("x", "wait=1", "active=0", "active=1,pause=2", "active=1,active=2"):
            refused([f"--schedule={schedule}"], "--schedule")
        for devices in ("x", "0,", "-1", "0-3"):
            refused([f"--devices={devices}"], f"--devices: '{devices}' ")
        for spaces in ("x", "global,", "texture"):
            refused([f"--spaces={spaces}"], f"--spaces: '{spaces}' ")
        refused(["--spaces=global"], "--spaces goes with --route patch alone")
        for launches in ("x", "1:x", "-1", "1:2:3:4", "3:2", "1:2:0", "1,2", "99999999999999999999"):
            refused(["--launches", launches], f"--launches: '{launches}' ")
        refused(["--warp-width", "33"], "'33' is not one of 32, 64")
        for threads in ("0", "-1", "x", "1.5", "99999"):
            refused(["--threads", threads], "--threads")
        refused(["--strct"], "unknown flag --strct; did you mean --strict?")
        refused(["--otput", "x"], "unknown flag --otput; did you mean --output?")
        refused(["-x"], "unknown flag -x")

    def test_options_of_tools_are_checked_by_their_description(self):
        tools = {"PASTA_TOOL_PATH": os.environ["PASTA_CLI_TOOL_FOLDER"]}

        def run(*words):
            return self.pasta("run", *words, "--", FAKE, "env=PASTA_TOOL_OPTIONS", environment=tools)

        self.check(run("fake_tool", "--sector-bytes", "64"), 0, stdout="PASTA_TOOL_OPTIONS='sector-bytes=64'\n")
        self.check(run("--sector_bytes=64", "fake_tool"), 0, stdout="PASTA_TOOL_OPTIONS='sector-bytes=64'\n")
        self.check(run("fake_tool", "--fake_tool.mode", "slow"), 0, stdout="PASTA_TOOL_OPTIONS='fake_tool.mode=slow'\n")
        self.check_refusal(
            run("fake_tool", "--sector-byte", "64"), 2, "unknown flag --sector-byte; did you mean --sector-bytes?"
        )
        self.check_refusal(run("fake_tool", "--zebra", "64"), 2, "unknown flag --zebra\n")
        self.check_refusal(run("fake_tool", "--sector-bytes"), 2, "--sector-bytes needs a value")
        self.check_refusal(run("fake_tool", "--sector-bytes", "0"), 2, "0 is less than 1")
        self.check_refusal(run("fake_tool", "--sector-bytes", "129"), 2, "129 is more than 128")
        self.check_refusal(run("fake_tool", "--sector-bytes", "many"), 2, "'many' is not a number")
        self.check_refusal(run("fake_tool", "--mode", "a\nb"), 2, "a value is one line")
        self.check_refusal(run("fake_tool", "--fake_tol.mode", "x"), 2, "did you mean fake_tool?")

    def test_options_of_a_tool_that_is_not_installed_go_to_the_program(self):
        done = self.pasta("run", "a", "--own-option", "5", "--", FAKE, "env=PASTA_TOOL_OPTIONS")
        self.check(done, 0, stdout="PASTA_TOOL_OPTIONS='own-option=5'\n")

    def test_help_after_a_tool_shows_its_options(self):
        done = self.pasta(
            "run", "fake_tool", "-h", environment={"PASTA_TOOL_PATH": os.environ["PASTA_CLI_TOOL_FOLDER"]}
        )
        self.check(done, 0, stderr="")
        self.assertRegex(done.stdout, r"Options of fake_tool:\n  --sector-bytes VALUE +size \[bytes\] \(default 32\)")

    def test_an_output_that_cannot_be_written_is_found_before_the_program_starts(self):
        def refused(pattern, status, *parts):
            self.check_refusal(self.pasta("run", "a", "--output", pattern, "--", FAKE, "out=started"), status, *parts)

        refused("none/r.json", 125, "cannot write none/r.json: No such file or directory")
        os.mkdir(self.path("sub"))
        refused("sub", 125, "Is a directory")
        refused("sub/", 125, "Is a directory")
        self.write("file", "x")
        refused("file/r.json", 125, "Not a directory")
        refused("%z.json", 2, "'%z' in '%z.json' means nothing")
        refused("r%", 2, "means nothing")
        if os.getuid() != 0:
            os.chmod(self.path("sub"), 0o555)
            refused("sub/r.json", 125, "Permission denied")

    def test_the_folder_may_have_a_percent_sign(self):
        os.mkdir(self.path("50%"))
        done = self.pasta("run", "a", "--", FAKE, "attach", "complete", cwd=self.path("50%"))
        self.check(done, 0)
        self.assertEqual(len(list(Path(self.path("50%")).glob("pasta-a-*.json"))), 1)

    def test_the_report_stays_in_the_folder_where_pasta_was_started(self):
        self.check(self.pasta("run", "a", "--", FAKE, "chdir=/", "attach", "complete"), 0)
        self.assertEqual(len(self.reports()), 1)


class RunSignalsTest(CliTest):
    def test_pasta_dies_of_the_programs_signal(self):
        for number in (
            signal.SIGSEGV,
            signal.SIGABRT,
            signal.SIGKILL,
            signal.SIGTERM,
            signal.SIGINT,
            signal.SIGPIPE,
            signal.SIGUSR1,
        ):
            done = self.pasta("run", "t", "--", FAKE, "attach", f"kill={int(number)}")
            self.assertEqual(done.returncode, -number, done.stderr)

    def test_pasta_leaves_no_core_of_its_own(self):
        (
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            if os.getuid() == 0
            else None
        )
        done = self.pasta("run", "t", "--", "sh", "-c", "ulimit -c 0; kill -SEGV $$")
        self.assertEqual(done.returncode, -signal.SIGSEGV)
        self.assertEqual([name for name in os.listdir(self.folder) if "core" in name], [])

    def start(self, *words, **more):
        return subprocess.Popen(
            [PASTA, *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **more,
        )

    def wait_for_line(self, process, line):
        self.assertEqual(process.stdout.readline().decode(), line + "\n")

    def test_sigterm_and_sighup_are_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            process = self.start(
                "run", "t", "--output", "r.json", "--", FAKE, "attach", "on_term=stopping", "out=ready", "sleep=30"
            )
            self.wait_for_line(process, "ready")
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
            self.assertEqual(out, b"stopping\n")
            self.assertEqual(process.returncode, -number, err)
            self.assertIn("INCOMPLETE", err.decode())
            self.assertTrue(err.decode().endswith("report: r.json\n"), err)

    def test_ctrl_c_reaches_the_program_and_pasta_still_reports(self):
        process = self.start(
            "run", "t", "--output", "r.json", "--", FAKE, "attach", "on_term=stopping", "out=ready", "sleep=30"
        )
        self.wait_for_line(process, "ready")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual(out, b"stopping\n")
        self.assertEqual(process.returncode, -signal.SIGINT, err)
        self.assertIn("report: r.json\n", err.decode())

    def test_a_program_that_handles_ctrl_c_keeps_its_status(self):
        process = self.start(
            "run", "t", "--", "sh", "-c", "trap 'exit 7' INT; echo ready; while :; do sleep 0.05; done"
        )
        self.wait_for_line(process, "ready")
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 7)

    def test_the_program_has_its_own_dispositions(self):
        self.assertEqual(self.pasta("run", "t", "--", FAKE, "dispositions").stdout, "ignored [] blocked 0\n")

        def ignore():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        done = self.pasta("run", "t", "--", FAKE, "dispositions", preexec_fn=ignore)
        self.assertEqual(done.stdout, "ignored ['SIGINT', 'SIGHUP'] blocked 0\n")

    def test_sigpipe_is_as_without_pasta(self):
        done = self.pasta("run", "t", "--", "sh", "-c", "grep SigIgn /proc/self/status", restore_signals=True)
        self.assertEqual(int(done.stdout.split()[1], 16) >> (signal.SIGPIPE - 1) & 1, 0)


class RunReportsTest(CliTest):
    def test_a_killed_program_gets_an_incomplete_report(self):
        done = self.pasta("run", "t", "--own-option=3", "--", FAKE, "attach", f"kill={int(signal.SIGKILL)}")
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertIn("INCOMPLETE: killed by SIGKILL", done.stderr)
        self.assertRegex(done.stderr, r"\nreport: pasta-t-[^\n]+\.json\n\Z")
        report = self.read_only_report()
        self.assertFalse(report["is_complete"])
        self.assertEqual(report["incomplete_reason"], "killed by SIGKILL")
        self.assertEqual(report["tools"][0]["options"], [{"name": "own-option", "value": "3"}])
        self.check(self.pasta("show", str(self.reports()[0])), 0, stderr="")

    def test_a_program_that_leaves_by_exit_gets_an_incomplete_report(self):
        done = self.pasta("run", "t", "--", FAKE, "attach", "_exit=4")
        self.check(done, 4)
        self.assertIn("it ended with status 4 by _exit", self.read_only_report()["incomplete_reason"])

    def test_each_process_has_its_report(self):
        done = self.pasta("run", "t", "--", FAKE, "attach", "child", "complete")
        self.check(done, 0)
        self.assertEqual(len(self.reports()), 2)
        self.assertEqual(len(re.findall(r"^report: ", done.stderr, re.M)), 2)
        self.assertTrue(done.stderr.splitlines()[-1].startswith("report: "))

    def test_processes_that_wrote_one_file_are_told_of(self):
        done = self.pasta("run", "t", "--output", "r.json", "--", FAKE, "attach", "child", "complete")
        self.check(done, 0)
        self.assertIn("several processes wrote r.json; %p in --output keeps their reports apart", done.stderr)

    def test_a_failed_report_is_one_line_and_strict_makes_it_125(self):
        words = ["--", FAKE, "attach", "failed=No space left on device", "exit=3"]
        done = self.pasta("run", "t", "--output", "r.json", *words)
        self.check(done, 3)
        self.assertRegex(done.stderr, r"\Apasta run: no report of process \d+: r.json: No space left on device\n\Z")
        self.assertEqual(self.pasta("run", "t", "--strict", *words).returncode, 125)
        self.assertEqual(self.pasta("run", "t", *words, environment={"PASTA_STRICT": "1"}).returncode, 125)
        self.assertEqual(self.pasta("run", "t", *words, environment={"PASTA_STRICT": "0"}).returncode, 3)

    def test_a_damaged_report_is_a_failed_one(self):
        done = self.pasta("run", "t", "--output", "r.json", "--", FAKE, "attach", "damaged")
        self.check(done, 0)
        self.assertRegex(done.stderr, r"\Apasta run: no report of process \d+: [^\n]*r.json: cut short[^\n]*\n\Z")
        self.assertEqual(self.pasta("run", "t", "--strict", "--", FAKE, "attach", "damaged").returncode, 125)

    def test_strict_keeps_the_status_when_there_is_a_report(self):
        self.check(self.pasta("run", "t", "--strict", "--", FAKE, "attach", "complete", "exit=3"), 3)

    def test_a_program_without_a_tool_is_told_why(self):
        done = self.pasta("run", "t", "--", "true")
        self.check(done, 0, stdout="")
        self.assertRegex(
            done.stderr, r"\Apasta run: no report: \S*true was not built with pasta_instrument\(\)[^\n]*\n\Z"
        )
        done = self.pasta("run", "t", "--", FAKE)
        self.assertIn("nothing that", done.stderr)
        done = self.pasta("run", "coalescing", "--", TABLE_PROGRAM)
        self.assertIn("has the tool but did not attach it", done.stderr)
        done = self.pasta("run", "coalescing", "--", TABLE_PROGRAM, f"kill={int(signal.SIGKILL)}")
        self.assertIn("killed by SIGKILL before it could attach", done.stderr)
        self.assertEqual(self.pasta("run", "t", "--strict", "--", "true").returncode, 125)

    def test_quiet_prints_only_where_the_report_is(self):
        done = self.pasta("run", "t", "--quiet", "--output", "r.json", "--", FAKE, "attach", "complete")
        self.check(done, 0, stderr="report: r.json\n")

    def test_the_report_may_go_to_a_device(self):
        done = self.pasta("run", "t", "--output", "/dev/stdout", "--", FAKE, "attach", "complete")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(json.loads(done.stdout)["schema"], "pasta-report/1")
        self.assertTrue(done.stderr.endswith("report: /dev/stdout\n"), done.stderr)

    def test_baseline_records_the_slowdown(self):
        done = self.pasta(
            "run", "t", "--baseline", "--", FAKE, "attach", "out=once", "sleep=0.2", "complete", input=b""
        )
        self.check(done, 0, stdout="once\n")
        self.assertIn("times the run without a tool", done.stderr)
        slowdown = self.read_only_report()["header"]["slowdown"]
        self.assertGreater(slowdown, 0.3)
        self.assertLess(slowdown, 5)

    def test_baseline_with_another_status_is_not_compared(self):
        script = 'test -n "$PASTA_TOOLS" || exit 9; exec "$FAKE_PROGRAM" attach complete'
        done = self.pasta("run", "t", "--baseline", "--", "sh", "-c", script)
        self.check(done, 0)
        self.assertIn("slowdown not known: without a tool, it ended with status 9", done.stderr)
        self.assertIsNone(self.read_only_report()["header"]["slowdown"])

    def test_a_report_that_a_background_process_will_write_is_told_of(self):
        done = self.pasta("run", "t", "--", "sh", "-c", f"'{FAKE}' attach sleep=3 >/dev/null 2>&1 & sleep 1")
        self.check(done, 0)
        self.assertRegex(done.stderr, r"process \d+ still runs; its report will be pasta-t-")

    def test_a_full_disk(self):
        if os.getuid() != 0 or shutil.which("mount") is None:
            self.skipTest("needs root to mount a tmpfs")
        os.mkdir(self.path("small"))
        if (
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.path("small")], check=False
            ).returncode
            != 0
        ):
            self.skipTest("a tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.path("small")], check=False)
        with open(self.path("small/fill"), "wb") as file:
            try:
                for _ in range(64):
                    file.write(b"x" * 1024)
                    file.flush()
            except OSError:
                pass
        done = self.pasta("run", "t", "--output", "small/r.json", "--", FAKE, "attach", "_exit=0")
        self.check(done, 0)
        self.assertRegex(
            done.stderr,
            r"\Apasta run: no report of process \d+: cannot write [^\n]*small/r.json: No space left on device\n\Z",
        )
        self.assertEqual(os.listdir(self.path("small")), ["fill"])

    def test_the_index_cannot_be_made(self):
        self.check_refusal(
            self.pasta("run", "t", "--", FAKE, "out=started", environment={"TMPDIR": "/none"}),
            125,
            "/none/pasta-index-",
        )


class ShowTest(CliTest):
    def test_text(self):
        done = self.pasta("show", self.write_report("r.json"))
        self.check(done, 0, stderr="")
        self.assertIn("HIGH    a.cpp:21", done.stdout)
        self.assertLess(done.stdout.index("finding"), done.stdout.index("requests"))
        self.assertNotIn("\x1b", done.stdout)

    def test_findings_only(self):
        done = self.pasta("show", "--findings", self.write_report("r.json"))
        self.check(done, 0)
        self.assertIn("HIGH", done.stdout)
        self.assertNotIn("requests", done.stdout)

    def test_json_is_the_same_report(self):
        self.write_report("r.json")
        done = self.pasta("show", "--json", "r.json")
        self.check(done, 0)
        self.assertEqual(json.loads(done.stdout), sample_report())
        self.assertEqual(len(json.loads(self.pasta("show", "--json", "r.json", "r.json").stdout)), 2)

    def test_csv(self):
        self.write_report("r.json")
        done = self.pasta("show", "--csv", "coalescing.lines", "r.json")
        self.check(done, 0)
        rows = list(csv.reader(io.StringIO(done.stdout, newline="")))
        self.assertEqual(rows[0], ["tool", "kernel", "launch", "range", "file", "line", "requests", "efficiency"])
        self.assertEqual(rows[2], ["coalescing", "transpose", "", "", "/src/a.cpp", "21", "100", "0.125"])
        self.check_refusal(
            self.pasta("show", "--csv", "coalescing.line", "r.json"), 2, "did you mean coalescing.lines?"
        )
        self.check_refusal(
            self.pasta("show", "--csv", "coalescing.lines", "r.json", "r.json"), 2, "--csv takes one report"
        )

    def test_names_with_any_byte_come_back(self):
        name = b'a"b\\c\n\x01\xff<T,"x">'
        self.write_report("r.json", lambda r: kernel_of(r).update(kernel={"bytes_hex": name.hex()}))
        done = self.pasta("show", "--json", "r.json")
        self.assertEqual(kernel_of(json.loads(done.stdout))["kernel"], {"bytes_hex": name.hex()})
        done = self.pasta("show", "--csv", "coalescing.lines", "r.json")
        rows = list(csv.reader(io.StringIO(done.stdout, newline="")))
        self.assertEqual(rows[1][1].encode("utf-8", "surrogateescape"), name)
        done = self.pasta("show", "r.json")
        self.assertIn('a"b\\c\\n\\x01\\xff<T,"x">', done.stdout)

    def test_usage(self):
        self.check_refusal(self.pasta("show"), 2, "which report?")
        self.check_refusal(self.pasta("show", "--json", "--findings", "x"), 2)
        self.check_refusal(self.pasta("show", "--csv"), 2)

    def test_what_cannot_be_read_is_one_line(self):
        whole = json.dumps(sample_report())
        self.check_refusal(self.pasta("show", "none.json"), 125, "cannot read none.json: No such file or directory")
        self.check_refusal(self.pasta("show", self.write("short.json", whole[:200])), 125, "short.json: cut short")
        self.check_refusal(self.pasta("show", self.write("empty.json", "")), 125, "it is empty")
        self.check_refusal(self.pasta("show", self.write("text.json", "hello")), 125, "not JSON")
        self.check_refusal(self.pasta("show", self.write("binary.json", b"\x00\xff\xfe" * 100)), 125, "not JSON")
        self.check_refusal(self.pasta("show", self.write("deep.json", b"[" * 5_000_000)), 125, "nested too deeply")
        self.check_refusal(
            self.pasta("show", self.write("other.json", '{"schema": "pasta-report/9"}')), 125, "pasta-report/9"
        )
        self.check_refusal(self.pasta("show", "/dev/zero"), 125, "larger than")
        self.check_refusal(self.pasta("show", self.write("\x1b[31m.json", "x")), 125, "\\x1b[31m.json")

    def test_one_damaged_file_does_not_hide_the_others(self):
        self.write_report("r.json")
        self.write("short.json", "{")
        done = self.pasta("show", "short.json", "r.json")
        self.assertEqual(done.returncode, 125)
        self.assertIn("short.json: cut short", done.stderr)
        self.assertIn("HIGH", done.stdout)

    def test_a_folder_is_shown_by_date(self):
        os.mkdir(self.path("d"))
        self.write_report("d/pasta-1.json", lambda r: r["header"].update(date="2026-02-02T00:00:00Z"))
        self.write_report("d/pasta-2.json", lambda r: r["header"].update(date="2026-01-01T00:00:00Z"))
        self.write("d/compile_commands.json", "[]")
        self.write("d/notes.txt", "x")
        done = self.pasta("show", "d")
        self.check(done, 0, stderr="")
        self.assertEqual(re.findall(r"==> (\S+) <==", done.stdout), ["d/pasta-2.json", "d/pasta-1.json"])
        self.write("d/pasta-3.json", "{")
        done = self.pasta("show", "d")
        self.assertEqual(done.returncode, 125)
        self.assertIn("pasta-3.json: cut short", done.stderr)
        os.mkdir(self.path("none"))
        self.check_refusal(self.pasta("show", "none"), 125, "no reports in none")


class DiffTest(CliTest):
    def diff(self, change, *flags):
        self.write_report("a.json")
        self.write_report("b.json", change)
        done = self.pasta("diff", *flags, "a.json", "b.json")
        self.assertNotRegex(done.stdout, r"\b(inf|nan)\b")
        return done

    def test_equal_reports_are_silent(self):
        self.check(self.diff(None), 0, stdout="", stderr="")

    def test_times_process_and_place_of_the_sources_do_not_count(self):
        def change(r):
            kernel_of(r)["duration_ns"] = 77
            r["header"].update(pid=5, wall_ns=9, date="2027-01-01T00:00:00Z")
            for row in kernel_of(r)["tables"][0]["rows"]:
                row[0] = "/elsewhere/a.cpp"
            kernel_of(r)["findings"][0]["place"]["file"] = "/elsewhere/a.cpp"

        self.check(self.diff(change), 0, stdout="")

    def test_values_with_their_ratio(self):
        done = self.diff(lambda r: kernel_of(r)["tables"][0]["rows"][1].__setitem__(2, 150))
        self.check(done, 1, stderr="")
        self.assertRegex(done.stdout, r"a\.cpp:21 +requests +100 +150 +1\.5x")
        self.assertNotIn("a.cpp:20", done.stdout)

    def test_a_ratio_with_nothing_is_left_out(self):
        def change(r):
            kernel_of(r)["tables"][0]["rows"][1][2:] = [0, None]

        done = self.diff(change)
        self.check(done, 1)
        self.assertRegex(done.stdout, r"requests +100 +0 +-\n")
        self.assertRegex(done.stdout, r"efficiency +0\.125 +- +-\n")

    def test_threshold(self):
        change = lambda r: kernel_of(r)["tables"][0]["rows"][1].__setitem__(2, 104)
        self.check(self.diff(change), 1)
        self.check(self.diff(change, "--threshold", "1.05"), 0, stdout="")
        self.check(self.diff(change, "--threshold=1.03"), 1)
        shrink = lambda r: kernel_of(r)["tables"][0]["rows"][1].__setitem__(2, 97)
        self.check(self.diff(shrink, "--threshold", "1.05"), 0)
        for wrong in ("0.5", "nan", "x"):
            self.check_refusal(self.pasta("diff", "--threshold", wrong, "a.json", "b.json"), 2, "threshold")

    def test_new_and_gone_rows_kernels_tools_and_findings(self):
        def change(r):
            kernel_of(r)["tables"][0]["rows"][0][1] = 30
            kernel_of(r)["findings"][0]["message"] = "Something else."
            r["tools"][0]["kernels"].append(dict(kernel_of(r), kernel="other"))
            r["tools"].append(dict(r["tools"][0], tool="access_count"))

        done = self.diff(change)
        self.check(done, 1)
        for part in (
            r"a\.cpp:20 +gone row",
            r"a\.cpp:30 +new row",
            r"gone finding  a\.cpp:21  Stores",
            r"new finding  a\.cpp:21  Something",
            r"coalescing  other\n  new kernel",
            r"new: tool access_count",
        ):
            self.assertRegex(done.stdout, part)

    def test_options_shape_state_and_severity(self):
        def change(r):
            r["is_complete"] = False
            r["incomplete_reason"] = "killed by SIGKILL"
            r["tools"][0]["options"][0]["value"] = "64"
            kernel_of(r)["grid"] = "4x1x1"
            kernel_of(r)["losses"]["launches_seen"] = 3
            kernel_of(r)["findings"][0].update(severity="low", gain_at_most=1.1)

        done = self.diff(change)
        self.check(done, 1)
        for part in (
            "B is INCOMPLETE (killed by SIGKILL)",
            "option sector-bytes: 32 -> 64",
            "grid: 2x1x1 -> 4x1x1",
            "launches seen: 2 -> 3, 1.5x",
            "high (at most 3.5x) -> low (at most 1.1x)",
        ):
            self.assertIn(part, done.stdout)

    def test_rows_with_equal_keys_are_paired_in_order(self):
        self.write_report("a.json", lambda r: kernel_of(r)["tables"][0]["rows"].append(["/src/a.cpp", 21, 5, 1.0]))
        self.write_report("b.json", lambda r: kernel_of(r)["tables"][0]["rows"].append(["/src/a.cpp", 21, 6, 1.0]))
        done = self.pasta("diff", "a.json", "b.json")
        self.check(done, 1)
        self.assertRegex(done.stdout, r"requests +5 +6 +1\.2x")
        self.assertNotIn("100", done.stdout)

    def test_what_cannot_be_compared(self):
        self.write_report("a.json")
        self.check_refusal(self.pasta("diff"), 2, "which two reports?")
        self.check_refusal(self.pasta("diff", "a.json"), 2, "which two reports?")
        self.check_refusal(self.pasta("diff", "a.json", "a.json", "a.json"), 2, "unexpected argument")
        self.check_refusal(self.pasta("diff", "a.json", "none.json"), 125, "none.json")
        self.check_refusal(self.pasta("diff", self.write("short.json", "{"), "a.json"), 125, "cut short")


class NewTest(CliTest):
    def test_names_that_cannot_be(self):
        for name in (
            "3d",
            "a-b",
            "a b",
            "int",
            "template",
            "main",
            "pasta",
            "std",
            "_x",
            "a__b",
            "a/b",
            "../x",
            "\u00e9",
            "x" * 101,
        ):
            self.check_refusal(self.pasta("new", name), 2)
        self.check_refusal(self.pasta("new"), 2, "which name?")
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_there_stays(self):
        self.write("taken", "mine")
        self.check_refusal(self.pasta("new", "taken"), 125, "taken is there already")
        self.assertEqual(Path(self.path("taken")).read_text(), "mine")
        os.symlink("nowhere", self.path("link"))
        self.check_refusal(self.pasta("new", "link"), 125, "link is there already")
        self.check_refusal(
            self.pasta("new", "x", "--path", "none"), 125, "cannot make none/x: No such file or directory"
        )

    def test_the_new_tool_builds_and_passes_its_test(self):
        done = self.pasta("new", "my_tool", "--path", self.folder, cwd="/")
        self.check(done, 0, stderr="")
        source = self.path("my_tool")
        self.assertEqual(
            sorted(os.listdir(source)),
            ["CMakeLists.txt", "README.md", "example.cpp", "my_tool.cpp", "my_tool.hpp", "my_tool_test.cpp"],
        )
        for name in os.listdir(source):
            self.assertNotIn("@", Path(source, name).read_text(encoding="utf-8"), name)
        build = self.path("build")
        cmake = os.environ["PASTA_CLI_CMAKE"]
        for command in (
            [
                cmake,
                "-S",
                source,
                "-B",
                build,
                "-G",
                os.environ["PASTA_CLI_GENERATOR"],
                "-Werror=dev",
                f"-Dpasta_DIR={os.environ['PASTA_CLI_PACKAGE']}",
                f"-DCMAKE_CXX_COMPILER={os.environ['PASTA_CLI_CXX']}",
                "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror",
                "-DCMAKE_BUILD_TYPE=Debug",
            ],
            [cmake, "--build", build],
            [
                os.path.join(os.path.dirname(cmake), "ctest"),
                "--test-dir",
                build,
                "--no-tests=error",
                "--output-on-failure",
            ],
        ):
            step = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
            self.assertEqual(step.returncode, 0, step.stdout + step.stderr)
        tools = {"PASTA_TOOL_PATH": os.path.join(build, "lib/pasta/tools")}
        self.assertIn("my_tool  counts requests", self.pasta("list", environment=tools).stdout)
        done = self.pasta(
            "run", "my_tool", "--few-lanes", "9", "--", os.path.join(build, "my_tool_example"), environment=tools
        )
        self.check(done, 0, stdout="sum 32768\n")
        self.assertIn("On average only 8.0 lanes", done.stderr)


class DoctorTest(CliTest):
    def test_json_names_routes_and_what_they_lack(self):
        done = self.pasta("doctor", "--json")
        found = json.loads(done.stdout)
        self.assertEqual(list(found["routes"]),
                         ["probe", "probe (NVIDIA)", "probe (AMD)", "ptx", "llvm", "llvm (AMD)", "patch"])
        self.assertEqual(done.returncode, 0 if found["routes"]["probe"]["is_usable"] else 125)
        self.assertIsNotNone(found["compilers"]["cmake"])

    def test_this_machine_can_use_the_probe_route(self):
        done = self.pasta("doctor")
        self.check(done, 0, stderr="")
        self.assertRegex(done.stdout, r"probe +usable")

    def with_fakes(self, nvcc=None, gpus=None, cuda=None, knows_capability=True):
        """What the doctor says of the GPU, and the route's entry, where nvcc and nvidia-smi say this."""
        folder = self.path("fakes")
        os.makedirs(folder, exist_ok=True)
        programs = {"nvcc": f'echo "Cuda compilation tools, release {nvcc}, V{nvcc}.48"' if nvcc else "exit 1"}
        programs["nvidia-smi"] = "\n".join([
            'case "$*" in',
            f'*compute_cap*) {"exit 2" if not knows_capability else "cat <<X"}',
            "" if not knows_capability else f"{gpus}\nX\n",
            ";;",
            f"*query-gpu*) cat <<X\n{gpus}\nX\n;;",
            f'*--version) {f"echo CUDA Version        : {cuda}" if cuda else "exit 2"};;',
            "esac",
        ]) if gpus else "exit 9"
        for name, text in programs.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(file.name, 0o755)
        done = self.pasta("doctor", "--json", environment={"PATH": f"{folder}:{os.environ['PATH']}"})
        found = json.loads(done.stdout)
        return found["machine"]["GPU"], found["routes"]["probe (NVIDIA)"]

    def test_a_gpu_that_can_be_used(self):
        gpu, route = self.with_fakes("13.0", "NVIDIA H200, 9.0, 580.159.04", "13.0")
        self.assertEqual(gpu, "NVIDIA H200, sm_90, driver 580.159.04")
        self.assertEqual((route["is_usable"], route["lacks"]), (True, []))
        gpu, route = self.with_fakes("12.4", "A, B, 8.6, 1.2\nA, B, 8.6, 1.2\nC, 7.0, 1.2", None)
        self.assertEqual(gpu, "2 x A, B, sm_86, driver 1.2; C, sm_70, driver 1.2")
        self.assertTrue(route["is_usable"])
        gpu, route = self.with_fakes("12.4", "Old, 470.82", None, knows_capability=False)
        self.assertEqual(gpu, "Old, driver 470.82")
        self.assertTrue(route["is_usable"])

    def test_what_a_gpu_lacks(self):
        for lack, arguments in {
            "nvcc 12.0 or newer": ("11.8", "G, 9.0, 580.1", "13.0"),
            "a driver for CUDA 13 (the one here is for 12.4)": ("13.0", "G, 9.0, 550.1", "12.4"),
            "a GPU of sm_75 or newer": ("13.0", "G, 7.0, 580.1", "13.0"),
            "an NVIDIA GPU with a driver": ("13.0",),
        }.items():
            with self.subTest(lack):
                self.assertEqual(self.with_fakes(*arguments)[1]["lacks"], [lack])
        _, route = self.with_fakes(None, "G, 9.0, 580.1", "13.0")
        self.assertEqual((route["lacks"], route["install"]), (["nvcc 12.0 or newer"], ""))

    def test_the_ptx_route_says_what_it_lacks(self):
        found = json.loads(self.pasta("doctor", "--json", environment={"PASTA_CUPTI": self.path("none.so")}).stdout)
        route = found["routes"]["ptx"]
        self.assertFalse(route["is_usable"])
        self.assertIsNone(found["libraries"]["CUPTI"])
        # The copy of pasta that is asked has no libraries beside it.
        self.assertIsNone(found["installation"]["ptx collector"])
        lacks = "\n".join(route["lacks"])
        self.assertIn("its collector: build PASTA where CUDA's headers are", lacks)
        self.assertIn("none.so", lacks)
        self.assertIn("it comes with the CUDA toolkit (cuda-cupti)", lacks)

    def with_amd(self, nodes, **environment):
        """The doctor's answer where the amdgpu driver tells of these nodes: {"1": "gfx_target_version 90010"}."""
        topology = self.path("nodes")
        os.makedirs(topology)
        for number, properties in nodes.items():
            os.makedirs(os.path.join(topology, number))
            self.write(f"nodes/{number}/properties", properties)
        return json.loads(self.pasta("doctor", "--json",
                                     environment={"PASTA_KFD_TOPOLOGY": topology, **environment}).stdout)

    def test_amd_gpus_are_those_of_the_driver(self):
        found = self.with_amd({
            "0": "cpu_cores_count 64\nsimd_count 0\ngfx_target_version 0\n",
            "10": "cpu_cores_count 0\nsimd_count 440\ngfx_target_version 100300\n",
            "2": "simd_count 440\ngfx_target_version 90010\n",
            "3": "simd_count 440\ngfx_target_version 90010\n",
            "4": "gfx_target_version 90402",
            "5": "no numbers at all", "6": ""})
        self.assertTrue(found["machine"]["GPU"].endswith("2 x AMD gfx90a; AMD gfx942; AMD gfx1030"), found["machine"])
        self.assertNotIn("an AMD GPU with the driver amdgpu", found["routes"]["probe (AMD)"]["lacks"])

    def test_what_amd_routes_lack_and_what_installs_it(self):
        os.mkdir(self.path("bin"))
        found = self.with_amd({}, PATH=self.path("bin"), ROCM_PATH=self.path("none"))
        for route in ("probe (AMD)", "llvm (AMD)"):
            self.assertFalse(found["routes"][route]["is_usable"])
            lacks = found["routes"][route]["lacks"]
            self.assertIn("hipcc, or clang for HIP", lacks)
            self.assertIn("the HIP runtime", lacks)
            # The copy of pasta that is asked has no libraries beside it.
            self.assertEqual(any(lack.startswith("its collector: ") for lack in lacks), route == "llvm (AMD)")
            self.assertIn("an AMD GPU with the driver amdgpu", lacks)
            self.assertRegex(found["routes"][route]["install"], "apt-get install .*hipcc .*libamdhip64-dev")
        self.assertRegex("\n".join(found["routes"]["probe (AMD)"]["optional"]),
                         "rocPRIM, for .*: apt-get install librocprim-dev\nrocprofiler-sdk, for .*: apt-get install ")

    def test_rocm_in_a_folder_of_its_own_is_found(self):
        for path, text in {"hip/hip_runtime_api.h": "", "hip/hip_version.h": "#define HIP_VERSION_MAJOR 7\n"
                           "#define HIP_VERSION_MINOR 1\n", "rocprofiler-sdk/rocprofiler.h": ""}.items():
            os.makedirs(os.path.dirname(self.path(f"rocm/include/{path}")), exist_ok=True)
            self.write(f"rocm/include/{path}", text)
        os.makedirs(self.path("rocm/amdgcn/bitcode"))
        self.write("rocm/amdgcn/bitcode/ockl.bc", "")
        found = self.with_amd({}, ROCM_PATH=self.path("rocm"))
        self.assertEqual(found["libraries"]["HIP device code"], self.path("rocm/amdgcn/bitcode"))
        self.assertEqual(found["libraries"]["HIP runtime"], "7.1")
        self.assertEqual(found["libraries"]["rocprofiler-sdk"], "found")
        self.assertNotIn("rocprofiler-sdk", "\n".join(found["routes"]["probe (AMD)"]["optional"]))

    def test_what_nvidia_smi_says_may_be_nonsense(self):
        for nonsense in ("", "a", ", ", "\x1b[31m, 9.0, 1", "x, ..., 99999999999.1"):
            with self.subTest(nonsense):
                self.with_fakes("13.0", nonsense or "\n", ".")

    def test_a_machine_without_compiler_is_told_what_to_install(self):
        os.mkdir(self.path("bin"))
        done = self.pasta("doctor", environment={"PATH": self.path("bin")})
        self.assertEqual(done.returncode, 125)
        self.assertRegex(
            done.stdout, r"apt-get install g\+\+ cmake libfmt-dev nlohmann-json3-dev libboost-context-dev\n"
        )
        done = self.pasta("doctor", "--json", environment={"PATH": self.path("bin")})
        self.assertEqual(done.returncode, 125)
        self.assertIn("a C++20 compiler", json.loads(done.stdout)["routes"]["probe"]["lacks"])


class OutputTest(CliTest):
    """Where stdout or stderr cannot be written."""

    def commands(self):
        self.write_report("a.json")
        self.write_report("b.json", lambda r: kernel_of(r).update(grid="9x9x9"))
        return [
            ["--help"],
            ["--version"],
            ["list"],
            ["list", "--json"],
            ["list", TABLE_PROGRAM],
            ["show", "a.json"],
            ["show", "--json", "a.json"],
            ["show", "--csv", "coalescing.lines", "a.json"],
            ["diff", "a.json", "b.json"],
            ["run", "--help"],
            ["doctor"],
        ]

    def test_a_full_device_is_one_line_and_125(self):
        for words in self.commands():
            with open("/dev/full", "wb") as full:
                done = self.pasta(*words, capture_output=False, stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 125, words)
            self.assertRegex(
                done.stderr, r"\Apasta[^\n]*: cannot write to standard output: No space left on device\n\Z"
            )

    def test_a_closed_stdout_is_one_line_and_125(self):
        done = subprocess.run(
            ["sh", "-c", 'exec "$0" --version >&-', PASTA], capture_output=True, env=self.environment, check=False
        )
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"cannot write to standard output: Bad file descriptor", done.stderr)

    def test_a_reader_that_has_gone_is_no_error(self):
        for words in self.commands():
            read_end, write_end = os.pipe()
            os.close(read_end)
            done = self.pasta(*words, capture_output=False, stdout=write_end, stderr=subprocess.PIPE)
            os.close(write_end)
            self.assertEqual(done.returncode, 1 if words[0] == "diff" else 0, words)
            self.assertEqual(done.stderr, "")

    def test_run_with_stderr_that_cannot_be_written_keeps_the_status(self):
        for redirection in ("2>/dev/full", "2>&-"):
            done = subprocess.run(
                [
                    "sh",
                    "-c",
                    f'exec "$0" "$@" {redirection}',
                    PASTA,
                    "run",
                    "t",
                    "--",
                    FAKE,
                    "attach",
                    "complete",
                    "exit=3",
                ],
                cwd=self.folder,
                stdout=subprocess.PIPE,
                env=self.environment,
                check=False,
            )
            self.assertEqual(done.returncode, 3, redirection)
        self.assertEqual(len(self.reports()), 2)


@unittest.skipUnless("PASTA_CLI_REAL_PROGRAM" in os.environ, "no tool access_count was built")
class RealTest(CliTest):
    """A program that was built with pasta_instrument."""

    def test_report_of_a_real_program(self):
        done = self.pasta("run", "access_count", "--output", "r.json", "--", os.environ["PASTA_CLI_REAL_PROGRAM"], "5")
        self.check(done, 5, stdout="filled\n")
        self.assertIn("out[t.index()] = 1;", done.stderr)
        self.assertIn("real_program.cpp", done.stderr)
        report = json.loads(Path(self.path("r.json")).read_text(encoding="utf-8"))
        self.assertEqual(report["header"]["command"], [os.environ["PASTA_CLI_REAL_PROGRAM"], "5"])
        self.assertEqual(kernel_of(report)["kernel"], "fill")
        self.assertEqual(kernel_of(report)["losses"]["events_delivered"], 100)

    def test_reports_match_the_published_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema = json.loads(Path(os.environ["PASTA_CLI_SCHEMA"]).read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        self.pasta("run", "access_count", "--output", "real.json", "--", os.environ["PASTA_CLI_REAL_PROGRAM"])
        self.pasta("run", "t", "--output", "killed.json", "--", FAKE, "attach", "kill=9")
        self.write_report("sample.json", lambda r: kernel_of(r).update(kernel={"bytes_hex": "ff"}))
        (Path(self.folder) / "normalised.json").write_text(
            self.pasta("show", "--json", "sample.json").stdout, encoding="utf-8"
        )
        self.assertEqual(len(self.reports()), 4)
        for path in self.reports():
            validator.validate(json.loads(path.read_text(encoding="utf-8")))
        for wrong in (
            lambda r: r.pop("notes"),
            lambda r: r.update(more=1),
            lambda r: r["header"].update(pid=-1),
            lambda r: kernel_of(r).update(kernel={"bytes_hex": "f"}),
            lambda r: kernel_of(r)["findings"][0].update(severity="x"),
        ):
            report = sample_report()
            wrong(report)
            self.assertFalse(validator.is_valid(report))

    def test_diff_of_two_runs_finds_nothing(self):
        for name in ("a.json", "b.json"):
            self.pasta("run", "access_count", "--quiet", "--output", name, "--", os.environ["PASTA_CLI_REAL_PROGRAM"])
        self.check(self.pasta("diff", "a.json", "b.json"), 0, stdout="", stderr="")


if __name__ == "__main__":
    unittest.main()
