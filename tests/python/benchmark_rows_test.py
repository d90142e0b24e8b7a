# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Each row of benchmarks/results/cuda-*.json says what its own samples say. Rows of an older source are named, which is
no failure: measuring needs the GPU."""

import datetime
import importlib.util
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("PASTA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
OVERHEAD = SOURCE_DIR / "benchmarks" / "overhead"
TEXTS = ("program", "tool", "route", "date", "driver", "device", "source_sha256", "command")
NUMBERS = ("native_ms", "tool_ms", "ratio", "ratio_min", "ratio_max", "ratio_q1", "ratio_q3", "runs", "device_bytes")
LEAST_SAMPLES = 30


def load(name):
    specification = importlib.util.spec_from_file_location(name, OVERHEAD / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def figures(native, tool):
    """What a row must say of these samples."""
    ratios = [b / a for a, b in zip(native, tool)]
    q1, _, q3 = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"native_ms": statistics.median(native), "tool_ms": statistics.median(tool),
            "ratio": statistics.median(tool) / statistics.median(native), "ratio_min": min(ratios),
            "ratio_max": max(ratios), "ratio_q1": q1, "ratio_q3": q3, "runs": len(native)}


def mistakes(row):
    """What is wrong with a row, one line each."""
    found = [f"{key} is missing or no text" for key in TEXTS if not isinstance(row.get(key), str) or not row[key]]
    found += [f"{key} is missing or no number" for key in NUMBERS
              if not isinstance(row.get(key), (int, float)) or isinstance(row.get(key), bool)]
    samples = row.get("samples_ms")
    if not isinstance(samples, list) or len(samples) != 2 or not all(isinstance(half, list) for half in samples):
        return found + ["samples_ms is not [[native], [tool]]"]
    native, tool = samples
    if len(native) != len(tool) or len(native) < LEAST_SAMPLES:
        return found + [f"{len(native)} native and {len(tool)} tool samples; needed are {LEAST_SAMPLES} pairs"]
    if not all(isinstance(ms, (int, float)) and ms > 0 for ms in native + tool):
        return found + ["a sample is not a time"]
    if found:
        return found
    for key, expected in figures(native, tool).items():
        if not math.isclose(row[key], expected, rel_tol=1e-9):
            found.append(f"{key} is {row[key]}, its samples say {expected}")
    try:
        datetime.date.fromisoformat(row["date"])
    except ValueError:
        found.append(f"date is {row['date']}")
    return found


def sample_row(**changes):
    native = [1 + (i * 7 % 5) / 100 for i in range(31)]
    tool = [1.5 + (i * 11 % 7) / 100 for i in range(31)]
    row = {"program": "vector_add", "tool": "coalescing", "route": "probe", **figures(native, tool),
           "samples_ms": [native, tool], "device_bytes": 0, "date": "2026-01-31", "driver": "580", "source_sha256": "0",
           "device": "NVIDIA H200 (sm_90)", "command": "overhead"}
    return {**row, **changes}


class ResultsTest(unittest.TestCase):
    def test_every_row_says_what_its_samples_say(self):
        files = sorted((SOURCE_DIR / "benchmarks" / "results").glob("cuda-*.json"))
        if not files:
            print("note: there is no benchmarks/results/cuda-*.json yet")
        current = load("source_hash").source_sha256(SOURCE_DIR)
        for path in files:
            rows = json.loads(path.read_text(encoding="utf-8"))
            self.assertIsInstance(rows, list, path)
            self.assertTrue(rows, path)
            keys = [(row.get("program"), row.get("tool"), row.get("route")) for row in rows]
            self.assertEqual(len(keys), len(set(keys)), f"{path.name}: two rows of one program, tool and route")
            for row, key in zip(rows, keys):
                with self.subTest(file=path.name, row=key):
                    self.assertEqual(mistakes(row), [])
                if row.get("source_sha256") != current:
                    print(f"note: {path.name}: {' '.join(map(str, key))} is of an older source ({row.get('date')})")


class RulesTest(unittest.TestCase):
    """The rules above find what they are for."""

    def test_a_right_row_has_no_mistake(self):
        self.assertEqual(mistakes(sample_row()), [])

    def test_each_wrong_figure_is_named(self):
        for key in ("native_ms", "tool_ms", "ratio", "ratio_min", "ratio_max", "ratio_q1", "ratio_q3", "runs"):
            found = mistakes(sample_row(**{key: sample_row()[key] * 1.001}))
            self.assertEqual(len(found), 1, found)
            self.assertTrue(found[0].startswith(f"{key} is "), found)

    def test_a_missing_key_is_named(self):
        for key in TEXTS + NUMBERS + ("samples_ms",):
            row = sample_row()
            del row[key]
            self.assertEqual(len(mistakes(row)), 1, key)
            self.assertIn(key, mistakes(row)[0])

    def test_too_few_or_odd_samples_are_refused(self):
        native, tool = sample_row()["samples_ms"]
        for samples in ([native[:29], tool[:29]], [native, tool[:30]], [native], [native, ["1"] * 31],
                        [native, [0] * 31]):
            self.assertEqual(len(mistakes(sample_row(samples_ms=samples))), 1)


class MergeTest(unittest.TestCase):
    def merge(self, *arguments):
        return subprocess.run([sys.executable, OVERHEAD / "merge.py", *arguments], capture_output=True, text=True,
                              check=False, timeout=60)

    def test_a_row_replaces_its_predecessor_and_others_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second, into = (pathlib.Path(folder, name) for name in ("first.json", "second.json", "into.json"))
            stencil = sample_row(program="stencil")
            first.write_text(json.dumps([sample_row(), stencil]), encoding="utf-8")
            second.write_text(json.dumps([sample_row(date="2026-02-01"), sample_row(tool="none")]), encoding="utf-8")
            for rows in (first, second):
                result = self.merge(rows, "--into", into)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(into.read_text(encoding="utf-8")),
                             [sample_row(date="2026-02-01"), stencil, sample_row(tool="none")])
            self.assertRegex(result.stdout, r"(?m)^stencil +coalescing +1\.0200 +1\.5300 +1\.500 ")
            # One line for each half of the samples: a new row changes few lines.
            self.assertLess(len(into.read_text(encoding="utf-8").splitlines()), 3 * 30)

    def test_a_file_that_holds_no_rows_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            into = pathlib.Path(folder, "into.json")
            for text, message in (("{", "not JSON"), ("{}", "not a list of rows"),
                                  ('[{"tool": 1}]', "not a list of rows")):
                rows = pathlib.Path(folder, "rows.json")
                rows.write_text(text, encoding="utf-8")
                result = self.merge(rows, "--into", into)
                self.assertEqual(result.returncode, 2)
                self.assertIn(message, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
                self.assertFalse(into.exists())
            self.assertEqual(self.merge(pathlib.Path(folder, "absent"), "--into", into).returncode, 2)


class SourceHashTest(unittest.TestCase):
    def test_it_depends_on_names_and_contents_of_the_sources_alone(self):
        module = load("source_hash")
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "include", "pasta", "a.hpp")
            header.parent.mkdir(parents=True)
            header.write_text("1", encoding="utf-8")
            first = module.source_sha256(folder)
            pathlib.Path(folder, "README.md").write_text("1", encoding="utf-8")
            self.assertEqual(module.source_sha256(folder), first)
            header.write_text("2", encoding="utf-8")
            second = module.source_sha256(folder)
            header.rename(header.with_name("b.hpp"))
            self.assertEqual(len({first, second, module.source_sha256(folder)}), 3)

    def test_the_programs_and_the_library_are_among_the_sources(self):
        files = load("source_hash").source_files(SOURCE_DIR)
        for name in ("include/pasta/pasta.hpp", "benchmarks/overhead/overhead.cu", "tools/coalescing/coalescing.hpp",
                     "examples/targets/stencil.hpp"):
            self.assertIn(name, files)


if __name__ == "__main__":
    unittest.main(verbosity=2)
