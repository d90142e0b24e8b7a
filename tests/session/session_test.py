# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What a program of the probe route does with its report, however it ends."""
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["PASTA_TEST_PROGRAM"]
PLAIN_PROGRAM = os.environ["PASTA_TEST_PLAIN_PROGRAM"]
ACCESSES_OF_A_LAUNCH = 4 * 64


class Session(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.index = os.path.join(self.folder.name, "index")
        self.output = os.path.join(self.folder.name, "report.json")
        open(self.index, "w").close()

    def environment(self, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PASTA_")}
        clean.update(PASTA_TOOLS="access_count", PASTA_REPORT_INDEX=self.index, PASTA_OUTPUT=self.output)
        clean.update({k: v for k, v in variables.items() if v is not None})
        return {k: v for k, v in clean.items() if v != "unset"}

    def run_program(self, *arguments, program=PROGRAM, timeout=60, **variables):
        return subprocess.run([program, *arguments], env=self.environment(**variables), cwd=self.folder.name,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))

    def report(self, path=None):
        with open(path or self.output) as file:
            return json.load(file)

    def index_lines(self):
        with open(self.index) as file:
            return [line.rstrip("\n").split("\t") for line in file]

    def kernels(self, path=None):
        (tool,) = self.report(path)["tools"]
        return tool["kernels"]

    def accesses(self, kernel):
        (table,) = [t for t in kernel["tables"] if t["name"] == "sites"]
        names = [c["name"] for c in table["columns"]]
        return sum(row[names.index("accesses")] for row in table["rows"])

    def assert_complete(self, done, code=0):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(self.report()["is_complete"])
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "complete"])

    def assert_incomplete(self, done, number):
        self.assertEqual(done.returncode, -number, done.stderr)
        report = self.report()
        self.assertFalse(report["is_complete"])
        self.assertEqual(report["incomplete_reason"], "killed by " + signal.Signals(number).name)
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "incomplete"])
        fills = [k for k in self.kernels() if "fill" in k["kernel"]]
        self.assertEqual(self.accesses(fills[0]), ACCESSES_OF_A_LAUNCH)

    def test_plain_run(self):
        done = self.run_program("plain")
        self.assert_complete(done)
        header = self.report()["header"]
        self.assertEqual(header["command"], [PROGRAM, "plain"])
        self.assertEqual(header["route"], "probe")
        self.assertEqual(header["vendor"], "host")
        self.assertRegex(header["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for field in ("os", "cpu", "compiler", "compiler_flags", "pasta_version", "host_name", "device"):
            self.assertTrue(header[field], field)
        (kernel,) = self.kernels()
        self.assertEqual((kernel["grid"], kernel["block"]), ("4x1x1", "64x1x1"))
        self.assertEqual(self.accesses(kernel), ACCESSES_OF_A_LAUNCH)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn(self.output, done.stderr)

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.run_program("plain", PASTA_QUIET="1").stderr, "")

    def test_nothing_attached(self):
        done = self.run_program("attached", PASTA_TOOLS="unset")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0\n", ""))
        self.assertFalse(os.path.exists(self.output))
        self.assertEqual(self.run_program("attached").stdout, "1\n")

    def test_exit_codes_are_kept(self):
        self.assert_complete(self.run_program("code", "42"), 42)

    def test_exit_in_the_middle(self):
        self.assert_complete(self.run_program("exit"), 7)

    def test_quick_exit_leaves_an_attach_line_for_pasta_run(self):
        self.assertEqual(self.run_program("quick_exit").returncode, 7)
        self.assertEqual([line[0] for line in self.index_lines()], ["attach"])

    def test_abort(self):
        self.assert_incomplete(self.run_program("abort"), signal.SIGABRT)

    def test_uncaught_exception(self):
        self.assert_incomplete(self.run_program("throw"), signal.SIGABRT)

    def test_kernel_that_throws(self):
        done = self.run_program("kernel_throws")
        self.assert_incomplete(done, signal.SIGABRT)
        self.assertIn("a kernel's exception", done.stderr)

    def test_caught_kernel_exception_is_a_lost_launch(self):
        done = self.run_program("kernel_caught")
        self.assert_complete(done)
        self.assertEqual(done.stdout, "caught: a kernel's exception\n")
        (lost,) = [k for k in self.kernels() if "throwing" in k["kernel"]]
        self.assertEqual(lost["losses"]["launches_lost"], 1)
        self.assertEqual(lost["losses"]["launches_delivered"], 0)

    def test_fault_on_the_host(self):
        self.assert_incomplete(self.run_program("fault"), signal.SIGSEGV)

    def test_fault_in_a_kernel(self):
        self.assert_incomplete(self.run_program("kernel_faults"), signal.SIGSEGV)
        (lost,) = [k for k in self.kernels() if "faulting" in k["kernel"]]
        self.assertEqual(lost["losses"]["launches_lost"], 1)

    def test_stack_overflow_in_a_kernel(self):
        self.assert_incomplete(self.run_program("overflow"), signal.SIGSEGV)

    def test_crash_in_the_allocator(self):
        self.assert_incomplete(self.run_program("free_twice"), signal.SIGABRT)

    def test_fatal_signals(self):
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGFPE, signal.SIGILL,
                       signal.SIGBUS, signal.SIGXCPU, signal.SIGSYS, signal.SIGPIPE, signal.SIGALRM, signal.SIGTRAP,
                       signal.SIGUSR1, signal.SIGXFSZ):
            with self.subTest(number.name):
                open(self.index, "w").close()
                self.assert_incomplete(self.run_program("raise", str(int(number))), number)

    def test_interrupted_while_a_kernel_runs(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                open(self.index, "w").close()
                program = subprocess.Popen([PROGRAM, "endless"], env=self.environment(), cwd=self.folder.name,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                self.assertEqual(program.stdout.readline(), "ready\n")
                time.sleep(0.2)
                program.send_signal(number)
                self.assertEqual(program.wait(timeout=30), -number)
                program.stdout.close()
                self.assertFalse(self.report()["is_complete"])
                (running,) = [k for k in self.kernels() if "endless" in k["kernel"]]
                self.assertEqual(running["losses"]["launches_lost"], 1)
                self.assertGreater(self.accesses(running), 0)

    def test_the_programs_own_handlers_win(self):
        self.assertEqual(self.run_program("handles_term").returncode, 9)
        open(self.index, "w").close()
        self.assert_complete(self.run_program("ignores_term"))

    def test_fork_gives_each_process_its_own_report(self):
        done = self.run_program("fork")
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [line[2] for line in self.index_lines() if line[0] == "complete"]
        self.assertEqual(len(set(paths)), 2)
        self.assertIn(self.output, paths)
        counts = {path: self.kernels(path)[0]["losses"]["launches_seen"] for path in paths}
        self.assertEqual(counts.pop(self.output), 2)
        self.assertEqual(list(counts.values()), [2])

    def test_a_child_of_a_child_has_its_own_report_too(self):
        self.assertEqual(self.run_program("fork_twice").returncode, 0)
        paths = [line[2] for line in self.index_lines() if line[0] == "complete"]
        self.assertEqual(len(set(paths)), 3)
        self.assertEqual([self.kernels(path)[0]["losses"]["launches_seen"] for path in paths], [1, 1, 1])

    def test_fork_without_launch_writes_one_report(self):
        self.assert_complete(self.run_program("fork_without_launch"))

    def test_exec_attaches_again(self):
        self.run_program("exec", PROGRAM, PASTA_OUTPUT=os.path.join(self.folder.name, "%p.json"))
        self.assertEqual([line[0] for line in self.index_lines()], ["attach", "attach", "complete"])

    def test_changed_folder(self):
        self.run_program("chdir", PASTA_OUTPUT="relative.json")
        self.assertTrue(self.report(os.path.join(self.folder.name, "relative.json"))["is_complete"])

    def test_default_name(self):
        self.run_program("plain", PASTA_OUTPUT="unset")
        (path,) = [line[2] for line in self.index_lines() if line[0] == "complete"]
        self.assertRegex(os.path.basename(path), r"^pasta-access_count-session_program-\d+\.json$")
        self.assertTrue(os.path.exists(path))

    def test_no_launch_is_said(self):
        done = self.run_program("no_launch")
        self.assert_complete(done)  # "no_launch" launches once before it looks at its argument
        done = subprocess.run([PROGRAM], env=self.environment(), cwd=self.folder.name, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("the program launched no kernel", self.report()["notes"])

    def test_hostile_kernel_name_survives(self):
        self.run_program("names")
        name = self.kernels()[1]["kernel"]
        if isinstance(name, dict):
            name = bytes.fromhex(name["bytes_hex"])
        self.assertEqual(name, b'a"b\\c\n\x01\xff<T,"x">')

    def test_launches_from_many_threads_are_all_counted(self):
        self.run_program("threads")
        (kernel,) = self.kernels()
        self.assertEqual(kernel["losses"]["launches_delivered"], 8 * 25 + 1)
        self.assertEqual(self.accesses(kernel), (8 * 25 + 1) * ACCESSES_OF_A_LAUNCH)

    def test_sampling_rate(self):
        self.run_program("launches", "100", PASTA_SAMPLING_RATE="0.25")
        (kernel,) = self.kernels()
        self.assertEqual(kernel["losses"]["launches_seen"], 100)
        self.assertEqual(kernel["losses"]["launches_delivered"], 25)
        self.assertEqual(kernel["losses"]["launches_sampled_out"], 75)
        self.assertEqual(self.accesses(kernel), 25 * ACCESSES_OF_A_LAUNCH)

    def test_a_sample_is_scaled(self):
        self.run_program("launches", "100", PASTA_SAMPLING_RATE="0.25")
        (kernel,) = self.kernels()
        self.assertEqual(kernel["sampling"], {
            "launches_offered": 100, "launches_taken": 25, "block_rate": 1.0, "blocks_offered": 0, "blocks_taken": 0,
            "scale": 4.0, "events": 100.0 * ACCESSES_OF_A_LAUNCH, "events_error": 0.0})
        self.assertEqual(self.accesses(kernel), 25 * ACCESSES_OF_A_LAUNCH)
        self.run_program("launches", "2")
        self.assertNotIn("sampling", self.kernels()[0])

    def test_wrong_samples_end_the_program_before_it_begins(self):
        for variable, value in (("PASTA_SAMPLE_BLOCKS", "0"), ("PASTA_SAMPLE_BLOCKS", "2"), ("PASTA_SEED", "-1")):
            done = self.run_program("launches", "3", **{variable: value})
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^pasta: {variable}={value} is .*\n$")

    def test_sampling_is_by_kernel(self):
        self.run_program("alternating", PASTA_SAMPLING_RATE="0.5")
        for kernel in self.kernels():
            launches = kernel["losses"]["launches_seen"]
            self.assertIn(launches, (10, 11))  # one launch comes before the argument is looked at
            self.assertEqual(kernel["losses"]["launches_delivered"], (launches + 1) // 2)

    def test_launches_by_number(self):
        self.run_program("launches", "100", PASTA_LAUNCHES="10:19:2")
        (kernel,) = self.kernels()
        self.assertEqual(kernel["losses"]["launches_seen"], 100)
        self.assertEqual(kernel["losses"]["launches_delivered"], 5)
        self.assertEqual(kernel["losses"]["launches_sampled_out"], 95)
        self.assertEqual(self.accesses(kernel), 5 * ACCESSES_OF_A_LAUNCH)
        self.run_program("launches", "100", PASTA_LAUNCHES="0:9", PASTA_SAMPLING_RATE="0.5")
        self.assertEqual(self.kernels()[0]["losses"]["launches_delivered"], 5)

    def test_steps_by_schedule(self):
        self.run_program("steps", "12", PASTA_SCHEDULE="wait=1,warmup=1,active=3,repeat=2")
        (kernel,) = self.kernels()
        self.assertEqual(kernel["losses"]["launches_seen"], 12)
        self.assertEqual(kernel["losses"]["launches_delivered"], 6)
        self.assertEqual(kernel["losses"]["launches_sampled_out"], 6)
        self.assertEqual(self.accesses(kernel), 6 * ACCESSES_OF_A_LAUNCH)
        self.assertEqual(self.report()["notes"], [])
        self.run_program("steps", "12", PASTA_SCHEDULE="wait=1,active=3", PASTA_PER="launch")
        self.assertEqual([k["launch"] for k in self.kernels() if k["losses"]["launches_delivered"]],
                         [1, 2, 3, 5, 6, 7, 9, 10, 11])

    def test_a_schedule_without_steps_is_told(self):
        self.run_program("launches", "3", PASTA_SCHEDULE="wait=1,active=3")
        (note,) = self.report()["notes"]
        self.assertIn("never called pasta_step()", note)
        self.assertEqual(self.kernels()[0]["losses"]["launches_delivered"], 0)

    def test_devices(self):
        for devices, delivered in (("0", 3), ("0,1", 3), ("1", 0)):
            self.run_program("launches", "3", PASTA_DEVICES=devices)
            self.assertEqual(self.kernels()[0]["losses"]["launches_delivered"], delivered)

    def test_wrong_choices_end_the_program_before_it_begins(self):
        for variable, value in (("PASTA_SCHEDULE", "wait=1"), ("PASTA_DEVICES", "gpu0")):
            done = self.run_program("launches", "3", **{variable: value})
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^pasta: {variable}: '{value}' .*\n$")

    def test_kernels_by_name(self):
        self.run_program("alternating")
        first, second = (kernel["kernel"] for kernel in self.kernels())
        for variable, left_out in (("PASTA_KERNELS", second), ("PASTA_EXCLUDE", first)):
            self.run_program("alternating", **{variable: "^" + re.escape(first) + "$"})
            for kernel in self.kernels():
                losses, is_out = kernel["losses"], kernel["kernel"] == left_out
                self.assertEqual(losses["launches_sampled_out"], losses["launches_seen"] if is_out else 0)
                self.assertEqual(losses["launches_lost"], 0)

    def test_memory_events_of_buffers(self):
        self.run_program("memory", PASTA_TOOLS="site_lanes")
        (tool,) = self.report()["tools"]
        (table,) = [t for t in tool["tables"] if t["name"] == "host"]
        names = [c["name"] for c in table["columns"]]
        self.assertEqual(dict(zip(names, table["rows"][0])),
                         {"allocated": 400, "released": 400, "copied": 400 + 200, "set": 400, "synchronizations": 1})

    def test_a_signal_while_the_report_is_written_waits_for_it(self):
        program = subprocess.Popen([PROGRAM, "many_records", "6000"], env=self.environment(PASTA_PER="launch"),
                                   cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(program.stdout.readline(), "ready\n")
        time.sleep(0.02)
        program.send_signal(signal.SIGTERM)
        self.assertIn(program.wait(timeout=60), (0, -signal.SIGTERM))
        program.stdout.close()
        self.assertEqual(len(self.kernels()), 6001)
        self.assertEqual(len(self.index_lines()), 2)

    def test_peak_memory_stays_small_with_many_launches_apart(self):
        code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        done = subprocess.run(["python3", "-c", code, PROGRAM, "many_records", "10000"], capture_output=True, text=True,
                              env=self.environment(PASTA_PER="launch", PASTA_QUIET="1"), cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(int(done.stdout), 256 * 1024)

    def test_stop_and_start(self):
        self.run_program("stop")
        (kernel,) = self.kernels()
        self.assertEqual(kernel["losses"]["launches_seen"], 5)
        self.assertEqual(kernel["losses"]["launches_sampled_out"], 3)
        self.assertEqual(self.accesses(kernel), 2 * ACCESSES_OF_A_LAUNCH)

    def test_per_launch(self):
        self.run_program("launches", "3", PASTA_PER="launch")
        kernels = self.kernels()
        self.assertEqual([k["launch"] for k in kernels], [0, 1, 2])
        self.assertEqual([self.accesses(k) for k in kernels], [ACCESSES_OF_A_LAUNCH] * 3)

    def test_annotated_ranges_tell_launches_apart(self):
        self.run_program("ranges")
        seen = {k["range"]: k["losses"]["launches_seen"] for k in self.kernels()}
        self.assertEqual(seen, {"": 2, "step": 2, "step/forward": 2})

    def test_pack(self):
        self.run_program("plain", PASTA_TOOLS="access_count+site_lanes")
        self.assertEqual([t["tool"] for t in self.report()["tools"]], ["access_count", "site_lanes"])

    def test_tool_options(self):
        self.run_program("plain", PASTA_TOOLS="site_lanes", PASTA_TOOL_OPTIONS="factor=3\nsite_lanes.weight=0.5")
        (tool,) = self.report()["tools"]
        self.assertEqual({o["name"]: o["value"] for o in tool["options"]}, {"factor": "3", "weight": "0.5", "is-loud": "0"})
        (kernel,) = tool["kernels"]
        self.assertEqual(kernel["tables"][0]["rows"][0][-1], 3 * ACCESSES_OF_A_LAUNCH)

    def test_wrong_settings_end_the_program_before_main(self):
        wrong = [
            ({"PASTA_TOOL_OPTIONS": "factor=0"}, "--factor=0 is out of range: from 1 to 100"),
            ({"PASTA_TOOL_OPTIONS": "factor=ten"}, "--factor=ten is not a number"),
            ({"PASTA_TOOL_OPTIONS": "factor=1e9"}, "--factor=1e9 is not a number"),
            ({"PASTA_TOOL_OPTIONS": "factor=-1"}, "--factor=-1 is not a number"),
            ({"PASTA_TOOL_OPTIONS": "factor=99999999999999999999"}, "out of range"),
            ({"PASTA_TOOL_OPTIONS": "weight=nan"}, "out of range"),
            ({"PASTA_TOOL_OPTIONS": "is-loud=maybe"}, "neither 0 nor 1"),
            ({"PASTA_TOOL_OPTIONS": "unknown=1"}, "no tool of this run has an option --unknown; there is: --factor, --weight, --is-loud"),
            ({"PASTA_TOOL_OPTIONS": "nothing"}, "not name=value"),
            ({"PASTA_SAMPLING_RATE": "0"}, "out of range"),
            ({"PASTA_SAMPLING_RATE": "1.5"}, "out of range"),
            ({"PASTA_SAMPLING_RATE": "x"}, "not a number"),
            ({"PASTA_KERNELS": "a("}, "PASTA_KERNELS: 'a(' is not a regular expression: Unmatched ( or \\("),
            ({"PASTA_EXCLUDE": "[a"}, "PASTA_EXCLUDE: '[a' is not a regular expression"),
            ({"PASTA_LAUNCHES": "5:2"}, "PASTA_LAUNCHES: '5:2' ends before it begins"),
            ({"PASTA_WARP_WIDTH": "48"}, "neither 32 nor 64"),
            ({"PASTA_WARP_WIDTH": "16"}, "out of range"),
            ({"PASTA_HOST_THREADS": "0"}, "out of range"),
            ({"PASTA_PER": "grid"}, "neither kernel nor launch"),
            ({"PASTA_TIMES": "gpu"}, "neither events nor cupti"),
            ({"PASTA_ROUTE": "patches"}, "is none of auto, probe, ptx, patch, llvm"),
            ({"PASTA_QUIET": "yes please"}, "neither 0 nor 1"),
            ({"PASTA_OUTPUT": "a%z.json"}, "after % comes"),
        ]
        for variables, message in wrong:
            with self.subTest(**variables):
                done = self.run_program("code", "5", PASTA_TOOLS="site_lanes", **variables)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_tool_that_is_not_there_harms_nothing(self):
        for program, known in ((PROGRAM, "access_count, site_lanes"), (PLAIN_PROGRAM, "no tool")):
            with self.subTest(program):
                open(self.index, "w").close()
                done = self.run_program("code", "5", program=program, PASTA_TOOLS="missing")
                self.assertEqual(done.returncode, 5)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(known, done.stderr)
                self.assertEqual([line[0] for line in self.index_lines()], ["failed"])

    def test_output_that_cannot_be_written_is_one_line(self):
        for path, reason in (("/dev/full", "No space left"), ("/nonexistent/report.json", "No such file"),
                             (self.folder.name, "directory")):
            with self.subTest(path):
                open(self.index, "w").close()
                done = self.run_program("code", "5", PASTA_OUTPUT=path)
                self.assertEqual(done.returncode, 5)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertEqual([line[0] for line in self.index_lines()], ["attach", "failed"])

    def test_a_path_with_any_bytes_is_one_field_of_the_index(self):
        path = os.path.join(self.folder.name, "a\tb\nc 100%.json")
        self.run_program("plain", PASTA_OUTPUT=path.replace("%", "%%"))
        self.assertTrue(self.report(path)["is_complete"])
        self.assertEqual([line[2] for line in self.index_lines()],
                         [path.replace("%", "%25").replace("\t", "%09").replace("\n", "%0A")] * 2)

    def test_a_fifo_that_nobody_reads_is_one_line(self):
        os.mkfifo(self.output)
        done = self.run_program("code", "5", timeout=20)
        self.assertEqual(done.returncode, 5)
        self.assertIn("no process reads it", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_closed_standard_error(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" code 5 2>&- >&-', PROGRAM], env=self.environment(), cwd=self.folder.name)
        self.assertEqual(done.returncode, 5)
        self.assertTrue(self.report()["is_complete"])

    def test_warp_width_64(self):
        self.run_program("plain", PASTA_WARP_WIDTH="64", PASTA_TOOLS="site_lanes")
        self.assertIn("warp width 64", self.report()["header"]["device"])

    def test_command_for_the_header(self):
        self.run_program("plain", PASTA_COMMAND="pasta\x1frun\x1fa b")
        self.assertEqual(self.report()["header"]["command"], ["pasta", "run", "a b"])


if __name__ == "__main__":
    unittest.main()
