# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts/gpu_check does without a GPU, and with a compiler and a GPU that are scripts: what it runs, what it
leaves out the next time, and what its table says. It works on a copy of a source tree that holds little."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]

# Writes down that it was called; the program it "makes" is the source itself: a shell script.
COMPILER = """#!/bin/bash
if [[ $1 == --version ]]; then echo 'Build cuda_13.0'; exit; fi
echo "NAME $*" >>"$CALLS"
while (($#)); do
  case $1 in *.cu | *.cpp) source=$1 ;; -o) output=$2 ;; esac
  shift
done
if grep -q 'does not compile' "$source"; then echo "$source:1: error"; exit 1; fi
sed 's/COMPILED_FOR/VENDOR/' "$source" >"$output" && chmod +x "$output"
"""
NVCC = COMPILER.replace("NAME", "nvcc").replace("VENDOR", "cuda")
GXX = COMPILER.replace("NAME", "g++").replace("VENDOR", "host")
NVIDIA_SMI = """#!/bin/bash
case $* in *compute_cap*) echo 9.0 ;; *driver_version*) echo 580.1 ;; *name*) echo 'NVIDIA H200' ;; esac
"""
OVERHEAD = """#!/bin/bash
[[ ! $PASTA_TOOLS ]] || echo '{}' >"$PASTA_OUTPUT"
while (($#)); do case $1 in --output) output=$2 ;; --driver) driver=$2 ;; esac; shift; done
printf '[{"program": "stencil", "tool": "%s", "driver": "%s", ' "${PASTA_TOOLS:-none}" "$driver" >"$output"
printf '%s' '"route": "probe", "native_ms": 1, "tool_ms": 2, "ratio": 2, "ratio_q1": 2, "ratio_q3": 2, ' \\
  '"samples_ms": [[1], [2]], "device": "NVIDIA H200 (sm_90)"}]' >>"$output"
"""
# A program that writes a report of one kernel as its tool, with the number of accesses that its vendor counts.
TARGET = """#!/bin/bash
echo OK
[[ $PASTA_TOOLS ]] || exit 0
host=64 cuda=64 vendor=COMPILED_FOR
printf '{"schema": "pasta-report/1", "header": {"vendor": "COMPILED_FOR"}, "is_complete": true, "tools": [{"tool": "%s",
"options": [], "findings": [], "tables": [], "kernels": [{"kernel": "add", "range": "", "launch": null, "grid": "1x1x1",
"block": "64x1x1", "shared_bytes": 0, "findings": [], "losses": {"launches_seen": 1, "launches_delivered": 1,
"launches_sampled_out": 0, "launches_lost": 0, "events_delivered": 64, "events_dropped": 0}, "tables": [{
"name": "sites", "columns": [{"name": "line", "role": "key"}, {"name": "accesses", "role": "value"}],
"rows": [[3, %s]]}]}]}]}' \\
  "$PASTA_TOOLS" "${!vendor}" >"$PASTA_OUTPUT"
"""


class GpuCheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "tree")
        self.bin = pathlib.Path(folder.name, "bin")
        self.calls = pathlib.Path(folder.name, "calls")
        self.bin.mkdir()
        for name in ("scripts/gpu_check", "scripts/common.sh", "benchmarks/overhead/merge.py",
                     "benchmarks/overhead/source_hash.py"):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE_DIR / name, target)
        for name in ("include/pasta", "tools/access_count", "tools/coalescing", "tools/matrix_tiles",
                     "tools/working_set", "examples/targets", "tests/gpu"):
            (self.root / name).mkdir(parents=True)
        self.write("include/pasta/a.hpp", "")
        self.write("benchmarks/overhead/overhead.cu", OVERHEAD)
        self.write("tests/gpu/sort_test.cu", "#!/bin/sh\necho ok 12 checks, 0 failed\n")
        self.write("tests/gpu/other_test.cu",
                   "#!/bin/sh\n// gpu_check flags: -lcuda -DX\necho 3 checks; echo 4 checks\n")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def install(self, name, text):
        (self.bin / name).write_text(text, encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def install_gpu(self):
        self.install("nvcc", NVCC)
        self.install("g++", GXX)
        self.install("nvidia-smi", NVIDIA_SMI)

    def install_targets(self):
        for name in ("compare_reports.py", "compare_engines.sh"):
            shutil.copy(SOURCE_DIR / "tests/gpu" / name, self.root / "tests/gpu" / name)
        for name in ("01_counted", "02_plain", "03_of_several_files"):
            (self.root / "examples" / name).mkdir()
            self.write(f"examples/{name}/{name.replace('several', 'a')}.cpp", "#!/bin/bash\necho 7 lanes\n")
        self.write("examples/01_counted/CMakeLists.txt",
                   "pasta_instrument(01_counted ROUTE probe TOOLS access_count access_count+coalescing)\n")
        self.write("examples/01_counted/01_counted.cpp", TARGET)
        self.write("examples/targets/vector_add.cpp", TARGET)

    def run_it(self, *arguments):
        # The machine's own compiler and GPU stay out: commands come from a folder of links.
        if not (self.bin / "bash").exists():
            for name in ("bash", "sh", "env", "basename", "dirname", "cat", "cp", "mv", "rm", "mkdir", "chmod", "head",
                         "tail", "sed", "tr", "grep", "awk", "find", "sort", "xargs", "sha256sum", "cut", "nproc", "wc",
                         "timeout", "tee", "python3"):
                (self.bin / name).symlink_to(shutil.which(name))
        environment = {"PATH": str(self.bin), "CALLS": str(self.calls), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([self.root / "scripts" / "gpu_check", *arguments], env=environment, cwd="/",
                              capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)

    def compiled(self):
        """The compiler's command lines since the last time."""
        lines = self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []
        self.calls.write_text("", encoding="utf-8")
        return lines

    def test_help_names_each_stage(self):
        result = self.run_it("--help")
        self.assertEqual(result.returncode, 0, result)
        for stage in ("build", "conformance", "targets", "examples", "sort", "calibration", "overhead", "all"):
            self.assertRegex(result.stdout, rf"(?m)^  {stage} ")

    def test_wrong_arguments_are_one_line_and_2(self):
        for arguments in ((), ("sotr",), ("sort", "--output"), ("build", "--arch", "x"), ("sort", "--arch", "90")):
            result = self.run_it(*arguments)
            self.assertEqual(result.returncode, 2, result)
            self.assertEqual(len(result.stderr.splitlines()), 1, result)
            self.assertTrue(result.stderr.startswith("gpu_check: "), result)

    def test_without_compiler_or_gpu_one_line_says_why_and_the_status_is_77(self):
        def assert_skipped(why):
            result = self.run_it("all")
            self.assertEqual((result.returncode, result.stdout), (77, f"gpu_check: skipped: {why}\n"))

        if not pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            assert_skipped("nvcc is not in PATH")
        self.install("nvcc", NVCC)
        assert_skipped("no GPU: nvidia-smi is not in PATH")
        self.install("nvidia-smi", "#!/bin/sh\necho No devices were found\nexit 6\n")
        assert_skipped("no GPU: nvidia-smi names none")
        self.assertFalse((self.root / "build").exists())

    def test_build_needs_no_gpu_if_the_architecture_is_named(self):
        self.install("nvcc", NVCC)
        self.assertEqual(self.run_it("build", "--arch", "80").returncode, 0)
        lines = self.compiled()
        self.assertEqual(len(lines), 3, lines)
        self.assertTrue(all("-arch=sm_80" in line for line in lines), lines)

    def test_stages_run_what_they_need_for_this_gpu_and_the_table_counts_checks(self):
        self.install_gpu()
        result = self.run_it("conformance")
        self.assertEqual(result.returncode, 0, result)
        lines = self.compiled()
        self.assertEqual(len(lines), 1, lines)
        for words in ("-arch=sm_90", "-std=c++20", "tests/gpu/other_test.cu -lcuda -DX", "-lboost_context"):
            self.assertIn(words, lines[0])
        self.assertNotIn("-L carry", lines[0])
        self.assertRegex(result.stdout, r"(?m)^conformance +other_test +ok +7 ")
        self.assertIn("NVIDIA H200", result.stdout.splitlines()[-1])

    def test_what_is_done_is_not_repeated_until_its_sources_change(self):
        self.install_gpu()
        self.assertRegex(self.run_it("sort").stdout, r"(?m)^sort +sort_test +ok +12 ")
        self.assertEqual(len(self.compiled()), 1)
        self.assertRegex(self.run_it("sort").stdout, r"(?m)^sort +sort_test +current +12 ")
        self.assertRegex(self.run_it("sort", "--again").stdout, r"(?m)^sort +sort_test +ok +12 ")
        self.assertEqual(self.compiled(), [])
        self.write("include/pasta/a.hpp", "int changed;")
        self.assertRegex(self.run_it("sort").stdout, r"(?m)^sort +sort_test +ok +12 ")
        self.assertEqual(len(self.compiled()), 1)

    def test_failures_are_shown_end_with_1_and_are_tried_again(self):
        self.install_gpu()
        self.write("tests/gpu/sort_test.cu", "#!/bin/sh\necho 5 checks, and one is wrong\nexit 3\n")
        self.write("tests/gpu/other_test.cu", "does not compile")
        self.write("tests/gpu/third_test.cu", "#!/bin/sh\necho no tensor cores\nexit 77\n")
        for _ in range(2):
            result = self.run_it("conformance", "sort")
            self.assertEqual(result.returncode, 1, result)
            self.assertRegex(result.stdout, r"(?m)^sort +sort_test +FAILED +5 ")
            self.assertRegex(result.stdout, r"(?m)^build +other_test +FAILED ")
            self.assertRegex(result.stdout, r"(?m)^conformance +third_test +skipped ")
            for words in ("5 checks, and one is wrong", "exit code 3", "other_test.cu:1: error", "no tensor cores"):
                self.assertIn(words, result.stdout)

    def test_overhead_measures_each_tool_and_merges_the_rows(self):
        self.install_gpu()
        (self.root / "benchmarks" / "results").mkdir()
        kept = {"program": "gather", "tool": "none", "route": "probe", "native_ms": 1, "tool_ms": 1, "ratio": 1,
                "ratio_q1": 1, "ratio_q3": 1}
        self.write("benchmarks/results/cuda-nvidia-h200.json", json.dumps([kept]))
        output = self.root / "output"
        result = self.run_it("overhead", "--output", str(output))
        self.assertEqual(result.returncode, 0, result)
        self.assertIn('-DPASTA_PROBE_TOOLS_HEADER="tools.hpp"', self.compiled()[0])
        rows = json.loads((output / "cuda-nvidia-h200.json").read_text(encoding="utf-8"))
        self.assertEqual([(row["program"], row["tool"]) for row in rows],
                         [("gather", "none"), ("stencil", "none"), ("stencil", "access_count"),
                          ("stencil", "coalescing")])
        self.assertEqual(rows[1]["driver"], "580.1")
        self.assertIn("stencil  coalescing", result.stdout)
        self.assertIn("overhead     coalescing", (output / "gpu_check.log").read_text(encoding="utf-8"))
        # What is committed changes when somebody copies the result there.
        committed = json.loads((self.root / "benchmarks/results/cuda-nvidia-h200.json").read_text(encoding="utf-8"))
        self.assertEqual(committed, [kept])

    def test_a_tool_that_was_not_attached_is_a_failure(self):
        self.install_gpu()
        self.write("benchmarks/overhead/overhead.cu", OVERHEAD.replace("[[ ! $PASTA_TOOLS ]] ||", ": ||"))
        result = self.run_it("overhead")
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stdout, r"(?m)^overhead +coalescing: no report +FAILED")

    def test_targets_are_built_for_both_engines_and_their_reports_are_compared(self):
        self.install_gpu()
        self.install_targets()
        result = self.run_it("targets")
        self.assertEqual(result.returncode, 0, result)
        lines = self.compiled()
        self.assertEqual(sorted(line.split(" ", 1)[0] for line in lines), ["g++", "nvcc"])
        for line in lines:
            self.assertIn(" examples/targets/vector_add.cpp", line)
            self.assertEqual("-x cu" in line, line.startswith("nvcc"), line)
            self.assertIn('-DPASTA_PROBE_TOOLS_HEADER="tools.hpp"', line)
        # A tool, its options, a kernel with 9 facts, its table with columns, a row and a number: 16, twice.
        self.assertRegex(result.stdout, r"(?m)^targets +vector_add +ok +32 ")
        self.assertNotIn("01_counted", result.stdout)
        again = self.run_it("targets")
        self.assertEqual((again.returncode, self.compiled()), (0, []))
        self.assertRegex(again.stdout, r"(?m)^targets +vector_add +current +32 ")
        self.write("examples/targets/vector_add.cpp", TARGET + "# changed\n")
        self.assertEqual(self.run_it("targets").returncode, 0)
        self.assertEqual(sorted(line.split(" ", 1)[0] for line in self.compiled()), ["g++", "nvcc"])

    def test_examples_print_the_same_on_both_engines_and_their_reports_are_compared(self):
        self.install_gpu()
        self.install_targets()
        result = self.run_it("examples")
        self.assertEqual(result.returncode, 0, result)
        lines = self.compiled()
        for name in ("01_counted", "02_plain"):
            built = [line for line in lines if f" examples/{name}/{name}.cpp" in line]
            self.assertEqual(sorted(line.split(" ", 1)[0] for line in built), ["g++", "nvcc"])
            for line in built:
                self.assertEqual("-x cu" in line, line.startswith("nvcc"), line)
                self.assertEqual('-DPASTA_PROBE_TOOLS_HEADER="example_tools.hpp"' in line, name == "01_counted", line)
        self.assertEqual(len(lines), 4, lines)
        # What they print, and 16 of the report of each tool and pack.
        self.assertRegex(result.stdout, r"(?m)^examples +01_counted +ok +33 ")
        self.assertRegex(result.stdout, r"(?m)^examples +02_plain +ok +1 ")
        self.assertNotIn("03_of", result.stdout)
        self.assertEqual((self.run_it("examples").returncode, self.compiled()), (0, []))

        self.write("examples/02_plain/02_plain.cpp", "#!/bin/bash\necho COMPILED_FOR lanes\n")
        self.write("examples/01_counted/01_counted.cpp", TARGET.replace("cuda=64", "cuda=63"))
        result = self.run_it("examples")
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stdout, r"(?m)^examples +02_plain +FAILED ")
        self.assertIn("host lanes was expected, it printed:\ncuda lanes", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^examples +01_counted +FAILED ")
        self.assertIn("accesses: host 64, GPU 63", result.stdout)

    def test_reports_that_differ_are_a_failure_with_the_difference(self):
        self.install_gpu()
        self.install_targets()
        self.write("examples/targets/vector_add.cpp", TARGET.replace("cuda=64", "cuda=63"))
        result = self.run_it("targets")
        self.assertEqual(result.returncode, 1, result)
        self.assertRegex(result.stdout, r"(?m)^targets +vector_add +FAILED +32 ")
        self.assertIn("access_count: add: sites: 3: accesses: host 64, GPU 63", result.stdout)
        self.assertIn("coalescing: add: sites: 3: accesses: host 64, GPU 63", result.stdout)

    def test_a_target_that_fails_or_writes_no_report_is_a_failure(self):
        self.install_gpu()
        self.install_targets()
        for change, words in ((("echo OK", "echo element 3 is 4"), "element 3 is 4"),
                              (("[[ $PASTA_TOOLS ]] ||", ":;"), "under access_count: no report"),
                              (("host=64", "exit 5;"), "under access_count: exit code 5")):
            self.write("examples/targets/vector_add.cpp", TARGET.replace(*change))
            result = self.run_it("targets")
            self.assertEqual(result.returncode, 1, result)
            self.assertRegex(result.stdout, r"(?m)^targets +vector_add +FAILED ")
            self.assertIn(words, result.stdout)

    def test_calibration_gets_its_folder_and_its_files_are_results(self):
        self.install_gpu()
        self.write("tests/gpu/calibrate.sh", 'echo 9 checks; echo "{}" >"$1/calibration.json"\n')
        output = self.root / "output"
        result = self.run_it("calibration", "--output", str(output))
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stdout, r"(?m)^calibration +calibrate.sh +ok +9 ")
        self.assertEqual(sorted(os.listdir(output)), ["calibration.json", "gpu_check.log"])

    def test_carried_libraries_are_found(self):
        self.install_gpu()
        (self.root / "carry").mkdir()
        self.write("carry/libboost_context.a", "")
        self.assertEqual(self.run_it("sort").returncode, 0)
        self.assertIn("-L carry", self.compiled()[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
