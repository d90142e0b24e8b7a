# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Times of two variants of a program in turn, and the row of benchmarks/results that they make."""

import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

WARM_UP_PAIRS = 3
SAMPLE_MS = 3.0  # of native runs: long enough for the events' resolution of 0.5 us

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "overhead"))
import source_hash  # noqa: E402 (beside the other benchmarks)


def measure(time_native, time_tool, pairs):
    """[native ms], [tool ms], how many runs a sample has. Both are called with a number of runs, and return the ms of
    one."""
    once = statistics.median(time_native(1) for _ in range(3))
    runs = max(1, min(200, round(SAMPLE_MS / once)))
    native, tool = [], []
    for pair in range(WARM_UP_PAIRS + pairs):
        # Swapped every pair, so that neither profits from its place.
        order = [(time_native, native), (time_tool, tool)]
        for time, into in order if pair % 2 == 0 else reversed(order):
            ms = round(time(runs), 6)
            if pair >= WARM_UP_PAIRS:
                into.append(ms)
    return native, tool, runs


def figures(native, tool):
    ratios = [b / a for a, b in zip(native, tool)]
    q1, _, q3 = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"native_ms": statistics.median(native), "tool_ms": statistics.median(tool),
            "ratio": statistics.median(tool) / statistics.median(native), "ratio_min": min(ratios),
            "ratio_max": max(ratios), "ratio_q1": q1, "ratio_q3": q3, "samples_ms": [native, tool], "runs": len(native)}


def gpu():
    """(name with architecture, driver)"""
    query = ["nvidia-smi", "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader", "--id=0"]
    answer = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    name, capability, driver = answer.strip().split(", ")
    return f"{name} (sm_{capability.replace('.', '')})", driver


def make_row(program, size, native, tool, runs, device_bytes, is_equal):
    device, driver = gpu()
    name = os.environ["PASTA_TOOLS"]
    return {"program": program, "tool": name, "route": "ptx", **figures(native, tool), "size": size,
            "launches_per_sample": runs, "device_bytes": device_bytes, "outputs_equal": is_equal,
            "date": datetime.date.today().isoformat(), "driver": driver, "device": device,
            "source_sha256": source_hash.source_sha256(),
            "command": f"pasta run {name} --route ptx -- {' '.join(map(str, sys.argv))}"}


def show(row):
    print(f"{row['program']:16} {row['tool']:13} {row['native_ms']:9.4f} ms {row['tool_ms']:9.4f} ms "
          f"{row['ratio']:6.3f} ({row['ratio_q1']:.3f} to {row['ratio_q3']:.3f})"
          f"{'' if row['outputs_equal'] else '  outputs differ'}", flush=True)


def write(path, rows):
    pathlib.Path(path).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
