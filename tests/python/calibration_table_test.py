# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/gpu/calibration_table.py on a profiler's output as it is printed."""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("PASTA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
spec = importlib.util.spec_from_file_location("calibration_table", SOURCE_DIR / "tests/gpu/calibration_table.py")
calibration_table = importlib.util.module_from_spec(spec)
spec.loader.exec_module(calibration_table)

CASES = ["load_nc_4_stride_32", "store_cg_1_odd_lanes", "atom_8_broadcast", "red_4_unit_stride"]
# Columns of counters in the profiler's order: by name. The last is one that nobody asked for.
OPERATIONS = ["atom", "ld", "red", "st"]
COLUMNS = [calibration_table.REQUESTS.format(o) for o in OPERATIONS] + \
          [calibration_table.SECTORS.format(o) for o in OPERATIONS] + ["smsp__cycles_active.avg"]


def line(*cells):
    return ",".join(f'"{cell}"' for cell in cells)


def profile(rows, units=("request",) * 4 + ("sector",) * 4 + ("cycle",), columns=tuple(COLUMNS)):
    """rows: [(kernel, counts)]"""
    before = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
              "Grid Size", "Device", "CC")
    lines = ["==PROF== Connected to process 4711 (/tmp/calibration)", "340 cases launched",
             "==PROF== Disconnected from process 4711", line(*before, *columns), line(*[""] * len(before), *units)]
    for number, (kernel, counts) in enumerate(rows):
        lines.append(line(number, 4711, "calibration", "127.0.0.1", kernel, 1, 7, "(256, 1, 1)", "(1, 1, 1)", 0, "9.0",
                          *counts))
    return "\n".join(lines) + "\n"


ROWS = [
    ("load_nc_4", ["0", "8", "0", "0", "0", "1,024", "0", "0", "812.5"]),
    ("store_cg_1", ["0", "0", "0", "9", "0", "0", "0", "10", "812.5"]),
    ("atom_8(char *, walk)", ["11", "0", "0", "0", "12", "0", "0", "0", "812.5"]),
    ("red_4", ["0", "0", "13", "0", "0", "0", "14", "0", "812.5"]),
]


class table(unittest.TestCase):
    def make(self, text, cases=tuple(CASES)):
        return calibration_table.make_table(list(cases), calibration_table.read_rows(text))

    def refused(self, expected, text, cases=tuple(CASES)):
        with self.assertRaisesRegex(calibration_table.TableError, expected):
            self.make(text, cases)

    def test_each_case_has_the_counters_of_its_operation(self):
        self.assertEqual(self.make(profile(ROWS)), {
            "load_nc_4_stride_32": {"requests": 8, "sectors": 1024},
            "store_cg_1_odd_lanes": {"requests": 9, "sectors": 10},
            "atom_8_broadcast": {"requests": 11, "sectors": 12},
            "red_4_unit_stride": {"requests": 13, "sectors": 14},
        })

    def test_a_case_whose_own_counters_are_zero_keeps_those_that_are_not(self):
        rows = ROWS[:2] + [("atom_8", ["0", "0", "8", "0", "0", "0", "2,048", "0", "812.5"])] + ROWS[3:]
        elsewhere = {calibration_table.REQUESTS.format("red"): 8, calibration_table.SECTORS.format("red"): 2048}
        self.assertEqual(self.make(profile(rows))["atom_8_broadcast"],
                         {"requests": 0, "sectors": 0, "counted_elsewhere": elsewhere})

    def test_a_row_of_another_kernel_is_refused(self):
        self.refused("launch 0 is of kernel store_cg_1, but of case load_nc_4_stride_32",
                     profile([ROWS[1], ROWS[0], *ROWS[2:]]))

    def test_a_kernel_whose_name_only_begins_alike_is_refused(self):
        self.refused("launch 0 is of kernel load_nc_1,", profile([("load_nc_1", ROWS[0][1])]), ["load_nc_16_broadcast"])

    def test_missing_and_surplus_rows_are_refused(self):
        self.refused("3 kernels were profiled, but there are 4 cases", profile(ROWS[:3]))
        self.refused("5 kernels were profiled, but there are 4 cases", profile(ROWS + ROWS[:1]))

    def test_output_without_a_table_is_refused_with_the_profilers_error(self):
        self.refused("no table: ==ERROR== no permission", "==PROF== Connected\n==ERROR== no permission\n")
        self.refused("no table$", "")

    def test_scaled_units_are_refused(self):
        self.refused("units of Ksector", profile(ROWS, units=("request",) * 4 + ("Ksector",) * 4 + ("cycle",)))

    def test_what_is_not_a_count_is_refused(self):
        self.refused("load_nc_4: .*sectors.*_ld.sum is 'n/a'",
                     profile([("load_nc_4", ["0", "8", "0", "0", "0", "n/a", "0", "0", "1"]), *ROWS[1:]]))

    def test_a_missing_column_is_refused(self):
        rows = [(kernel, counts[:7] + counts[8:]) for kernel, counts in ROWS]
        self.refused("store_cg_1_odd_lanes: .* no column .*sectors.*_st.sum",
                     profile(rows, units=[""] * 8, columns=COLUMNS[:7] + COLUMNS[8:]))

    def test_a_cut_row_is_refused(self):
        self.refused("a row of the profiler's table has 19 columns, its head has 20",
                     profile([*ROWS[:3], (ROWS[3][0], ROWS[3][1][:-1])]))

    def test_a_counter_that_the_profiler_does_not_know_may_be_missing_when_it_is_not_needed(self):
        columns = COLUMNS[:8] + calibration_table.ELSEWHERE[:1]
        rows = [(kernel, counts[:8] + ["n/a"]) for kernel, counts in ROWS]
        self.assertEqual(self.make(profile(rows, columns=columns)), self.make(profile(ROWS)))


class command(unittest.TestCase):
    FACTS = ["--device", "a GPU", "--driver", "1.2", "--date", "2026-01-31", "--compile", "nvcc a.cu",
             "--command", "ncu a"]

    def run_in(self, folder, text, cases=tuple(CASES)):
        folder = pathlib.Path(folder)
        (folder / "cases.txt").write_text("\n".join(cases) + "\n")
        (folder / "counters.csv").write_text(text)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = calibration_table.main([
                "--cases", str(folder / "cases.txt"), "--counters", str(folder / "counters.csv"),
                "--output", str(folder / "o.json"), *self.FACTS])
        return status, out.getvalue(), err.getvalue()

    def test_the_file_holds_the_facts_and_one_case_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, err = self.run_in(folder, profile(ROWS))
            self.assertEqual((status, err), (0, ""))
            self.assertIn("4 cases, 41 requests, 1060 sectors, 0 cases not counted where expected", out)
            text = (pathlib.Path(folder) / "o.json").read_text()
        read = json.loads(text)
        self.assertEqual([read[key] for key in ("device", "driver", "date", "compile", "command")],
                         ["a GPU", "1.2", "2026-01-31", "nvcc a.cu", "ncu a"])
        self.assertEqual(list(read["cases"]), CASES)
        self.assertIn('\n  "red_4_unit_stride": {"requests": 13, "sectors": 14}\n', text)

    def test_bad_input_writes_no_file_and_says_why_in_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, err = self.run_in(folder, profile(ROWS[:3]))
            self.assertEqual((status, out), (1, ""))
            self.assertEqual(err, "calibration_table.py: 3 kernels were profiled, but there are 4 cases\n")
            self.assertFalse((pathlib.Path(folder) / "o.json").exists())


if __name__ == "__main__":
    unittest.main()
