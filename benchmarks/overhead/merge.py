#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Merges rows of the overhead program into a file of results and prints them as a table.

A row replaces the one of the same program, tool and route. Without --into the file is
benchmarks/results/cuda-<device>.json, by the name of the rows' device.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "results"
KEY = ("program", "tool", "route")
NEEDED = KEY + ("native_ms", "tool_ms", "ratio", "ratio_q1", "ratio_q3")


class Mistake(Exception):
    """One line for the user."""


def read_rows(path):
    try:
        rows = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Mistake(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise Mistake(f"{path}: not JSON: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) and set(NEEDED) <= set(row) for row in rows):
        raise Mistake(f"{path}: not a list of rows, each with {', '.join(NEEDED)}")
    return rows


def merge(old, new):
    """New rows stand in the place of the old ones of the same key; further ones follow."""
    rows = {tuple(row[key] for key in KEY): row for row in old}
    rows.update({tuple(row[key] for key in KEY): row for row in new})
    return list(rows.values())


def format_rows(rows):
    """One line for each field, samples on one line: a change of one row is a change of few lines."""
    texts = []
    for row in rows:
        fields = []
        for name, value in row.items():
            if name == "samples_ms":
                lines = ",\n".join(f"   {json.dumps(samples)}" for samples in value)
                fields.append(f'  "{name}": [\n{lines}\n  ]')
            else:
                fields.append(f"  {json.dumps(name)}: {json.dumps(value)}")
        texts.append(" {\n" + ",\n".join(fields) + "\n }")
    return "[\n" + ",\n".join(texts) + "\n]\n"


def write_rows(path, rows):
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text(format_rows(rows), encoding="utf-8")
    partial.replace(path)


def file_of_device(rows):
    devices = {row.get("device", "") for row in rows}
    if len(devices) != 1 or not next(iter(devices)):
        raise Mistake(f"rows of one device are needed, these are of: {', '.join(sorted(devices)) or 'none'}")
    # NVIDIA H200 (sm_90) -> nvidia-h200
    name = re.sub(r"\s*\(sm_\w+\)$", "", next(iter(devices))).lower()
    return RESULTS / f"cuda-{re.sub(r'[^a-z0-9]+', '-', name).strip('-')}.json"


def table(rows):
    lines = [("program", "tool", "native ms", "tool ms", "ratio", "q1", "q3", "MiB")]
    for row in rows:
        lines.append((row["program"], row["tool"], f"{row['native_ms']:.4f}", f"{row['tool_ms']:.4f}",
                      f"{row['ratio']:.3f}", f"{row['ratio_q1']:.3f}", f"{row['ratio_q3']:.3f}",
                      f"{row.get('device_bytes', 0) / 2**20:.0f}"))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(line, widths))).rstrip() for line in lines)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", help="files that the overhead program wrote")
    parser.add_argument("--into", type=Path, help="the file of results")
    chosen = parser.parse_args(arguments)
    try:
        new = [row for path in chosen.rows for row in read_rows(path)]
        into = chosen.into or file_of_device(new)
        rows = merge(read_rows(into) if into.exists() else [], new)
        write_rows(into, rows)
        print(table(rows))
        print(into)
    except (Mistake, OSError) as mistake:
        print(f"merge.py: {mistake}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
