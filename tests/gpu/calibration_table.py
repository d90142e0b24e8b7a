#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/calibration.json of what Nsight Compute counted for each case of tests/gpu/calibration.cu.

A row is taken for the case that was launched at its place; the row's kernel must be that case's. When an operation's
own counters say nothing, all counters that say something are kept beside the zeros: one sees where it was counted.
"""
import argparse
import csv
import json
import pathlib
import sys

# The counters of an operation end in its name at the hardware.
OPERATIONS = {"load": "ld", "store": "st", "atom": "atom", "red": "red"}
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
METRICS = [pattern.format(operation) for operation in OPERATIONS.values() for pattern in (REQUESTS, SECTORS)]
# Where other generations count loads by .nc. A profiler may not know them.
ELSEWHERE = ["l1tex__t_requests_pipe_tex_mem_texture.sum", "l1tex__t_sectors_pipe_tex_mem_texture.sum"]


class TableError(Exception):
    """The input is not what it should be; the text is one line for the user."""


def read_rows(text):
    """The profiled kernels in the order of their launches: [(kernel, {metric: count})]."""
    lines = text.splitlines()
    # The profiler's own messages stand before the table, and may stand behind it.
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        errors = [line for line in lines if "==ERROR==" in line]
        raise TableError(f"the profiler's output has no table{': ' + errors[0] if errors else ''}")
    table = csv.reader(line for line in lines[begin:] if line.startswith('"'))
    header = next(table)
    if "Kernel Name" not in header:
        raise TableError("the profiler's table has no column of kernel names; it must be made by --csv --page raw")
    columns = [i for i, name in enumerate(header) if name in METRICS or name in ELSEWHERE]
    rows = []
    for row in table:
        if len(row) != len(header):
            raise TableError(f"a row of the profiler's table has {len(row)} columns, its head has {len(header)}")
        if row[0] == "":  # the row of units
            scaled = [row[i] for i in columns if row[i].startswith(("K", "M", "G"))]
            if scaled:
                raise TableError(f"counts are in units of {scaled[0]}; the profiler needs --print-units base")
            continue
        kernel = row[header.index("Kernel Name")]
        counts = {header[i]: count_of(row[i], kernel, header[i]) for i in columns
                  if header[i] in METRICS or row[i] != "n/a"}
        rows.append((kernel.split("(")[0], counts))
    return rows


def count_of(text, kernel, metric):
    """ "1,024" is 1024."""
    try:
        return int(text.replace(",", ""))
    except ValueError:
        raise TableError(f"{kernel}: {metric} is '{text}', not a count") from None


def measured(case, counts):
    """The entry of one case."""
    operation = OPERATIONS[case.split("_")[0]]
    try:
        entry = {"requests": counts[REQUESTS.format(operation)], "sectors": counts[SECTORS.format(operation)]}
    except KeyError as missing:
        raise TableError(f"{case}: the profiler's table has no column {missing.args[0]}") from None
    if entry["requests"] == 0 or entry["sectors"] == 0:
        entry["counted_elsewhere"] = {metric: count for metric, count in counts.items() if count != 0}
    return entry


def make_table(cases, rows):
    """{case: entry} for cases by name and rows from read_rows, both in the order of launches."""
    if len(cases) != len(rows):
        raise TableError(f"{len(rows)} kernels were profiled, but there are {len(cases)} cases")
    table = {}
    for place, (case, (kernel, counts)) in enumerate(zip(cases, rows)):
        if not case.startswith(kernel + "_"):
            raise TableError(f"launch {place} is of kernel {kernel}, but of case {case}")
        table[case] = measured(case, counts)
    return table


def as_text(head, table):
    """JSON with one case a line."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    cases = [f"  {json.dumps(case)}: {json.dumps(entry)}" for case, entry in table.items()]
    return "{\n" + "\n".join(lines) + '\n "cases": {\n' + ",\n".join(cases) + "\n }\n}\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--metrics", action="store_true", help="print the metrics to ask the profiler for, and end")
    parser.add_argument("--all-metrics", action="store_true", help="as --metrics, with those that it may not know")
    parser.add_argument("--cases", type=pathlib.Path, help="what calibration --list printed")
    parser.add_argument("--counters", type=pathlib.Path, help="what ncu --csv --page raw printed")
    parser.add_argument("--output", type=pathlib.Path, help="the JSON file to write")
    facts = ["device", "driver", "date", "compile", "command"]
    for fact in facts:
        parser.add_argument(f"--{fact}", help="kept in the file as it is")
    given = parser.parse_args(arguments)
    if given.metrics or given.all_metrics:
        print(",".join(METRICS + (ELSEWHERE if given.all_metrics else [])))
        return 0
    for name in ["cases", "counters", "output", *facts]:
        if getattr(given, name) is None:
            parser.error(f"--{name} is missing")
    try:
        table = make_table(given.cases.read_text().split(), read_rows(given.counters.read_text()))
        head = {"what": "requests and sectors of global memory by case of tests/gpu/calibration.cu, "
                        "from the hardware's counters"}
        head.update({fact: getattr(given, fact) for fact in facts})
        given.output.write_text(as_text(head, table))
    except (TableError, OSError) as error:
        print(f"calibration_table.py: {error}", file=sys.stderr)
        return 1
    elsewhere = sum("counted_elsewhere" in entry for entry in table.values())
    print(f"{len(table)} cases, {sum(entry['requests'] for entry in table.values())} requests, "
          f"{sum(entry['sectors'] for entry in table.values())} sectors, "
          f"{elsewhere} cases not counted where expected: {given.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
