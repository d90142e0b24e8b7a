#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Compares two reports of one program and its tools, made by the host engine and on a GPU, field by field.

Integers must be equal, other numbers up to 1e-12 of their size. What differs between the two for good reasons is put
into one shape first:

* nvcc gives no columns, so accesses that differ only in their column are one row there. Such rows of the host's report
  are merged: counts are added up, ratios are made anew. A finding about one of them speaks of a part of the GPU's row
  and cannot be compared; a line says so.
* Of a file's path the last part is compared.
* Where and when a program ran, how long, and the notes are left out.

A GPU need not bring lanes together again behind a loop that they leave one by one. For a kernel named by --divergent
only what does not depend on that is compared: how many lanes accessed, and their bytes.

Each difference is a line. Exit code: 0 no difference; 1 differences; 2 wrong arguments or an unreadable file.
"""
import argparse
import json
import math
import pathlib
import sys

SCHEMA = "pasta-report/1"
RELATIVE_TOLERANCE = 1e-12
LOSSES = ["launches_seen", "launches_delivered", "launches_sampled_out", "launches_lost", "events_delivered",
          "events_dropped"]

# How the cells of rows that are merged become one, by tool and column. Other columns cannot be merged.
SUM, COMMON = "sum", "common"  # COMMON: the value that all have
MERGES = {
    "access_count": {"accesses": SUM, "bytes": SUM},
    "coalescing": {
        "requests": SUM, "sectors": SUM, "sectors_needed": SUM, "stride": COMMON,
        "efficiency": ("ratio", "sectors_needed", "sectors"),
        "sectors_per_request": ("ratio", "sectors", "requests"),
        "lanes": ("mean", "requests"),
    },
    "matrix_tiles": {"instructions": SUM, "multiply_adds": SUM},
}
# What does not depend on how lanes are grouped, by tool: columns, or products of two of them.
LANES = {"access_count": {"accesses": ["accesses"], "bytes": ["bytes"]},
         "coalescing": {"lanes x requests": ["lanes", "requests"]},
         "matrix_tiles": {"instructions": ["instructions"], "multiply_adds": ["multiply_adds"]}}
NOT_MERGEABLE = object()  # in the place of a cell that cannot be known


class ReportError(Exception):
    """A file is not a report that can be compared; the text is one line for the user."""


def read_report(path, on_host):
    def refuse(word):
        raise ValueError(f"{word} is not a number of JSON")

    try:
        report = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ReportError(f"{path} is not JSON: {error}") from None
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise ReportError(f"{path} is not a report of the shape {SCHEMA}")
    try:
        vendor = report["header"]["vendor"]
        tools = [read_tool(tool) for tool in report["tools"]]
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ReportError(f"{path} is not a whole report: {type(error).__name__}: {error}") from None
    if (vendor == "host") != on_host:
        raise ReportError(f"{path} was made by the vendor '{vendor}'; "
                          f"{'the host engine' if on_host else 'a GPU'} was expected")
    if not any(tool["kernels"] for tool in tools):
        raise ReportError(f"{path} holds no kernel: was anything launched, and a tool attached?")
    if report.get("is_complete") is not True:
        raise ReportError(f"{path} is not complete: {report.get('incomplete_reason') or 'no reason given'}")
    return tools


def read_tool(tool):
    return {"tool": tool["tool"], "options": [(one["name"], one["value"]) for one in tool["options"]],
            "kernels": [read_kernel(kernel, tool["tool"]) for kernel in tool["kernels"]],
            **read_content(tool, tool["tool"])}


def read_kernel(kernel, tool):
    shape = {name: kernel[name] for name in ["grid", "block", "shared_bytes"]}
    losses = {name: kernel["losses"][name] for name in LOSSES}
    return {"name": kernel["kernel"], "range": kernel["range"], "launch": kernel["launch"], "facts": shape | losses,
            **read_content(kernel, tool)}


def read_content(section, tool):
    tables = [read_table(table, tool) for table in section["tables"]]
    findings = [read_finding(finding) for finding in section["findings"]]
    return {"tables": {table["name"]: table for table in tables}, "findings": findings}


def base_name(path):
    return path.rsplit("/", 1)[-1] if isinstance(path, str) else path


def read_finding(finding):
    place = finding["place"]
    return {"place": (as_key(base_name(place["file"])), place["line"]), "message": finding["message"],
            "severity": finding["severity"], "gain_at_most": finding["gain_at_most"], "advice": finding["advice"]}


def read_table(table, tool):
    """Rows by their keys but for the column, as {key: {name: cell}}; `merged`: keys of more than one row."""
    columns = [(column["name"], column["role"]) for column in table["columns"]]
    is_place = {"file", "line", "column"} <= {name for name, _ in columns}
    keys = [name for name, role in columns if role == "key" and not (is_place and name == "column")]
    values = [name for name, role in columns if role == "value"]
    rules = MERGES.get(tool, {}) if isinstance(tool, str) else {}
    groups = {}
    for row in table["rows"]:
        if len(row) != len(columns):
            raise ValueError(f"a row of {table['name']} has {len(row)} cells, not {len(columns)}")
        cells = {name: cell for (name, _), cell in zip(columns, row)}
        if is_place:
            cells["file"] = base_name(cells["file"])
        for name in rules:
            if name in values and not isinstance(cells[name], (int, float, type(None))):
                raise ValueError(f"{name} of a row of {table['name']} is {cells[name]!r}, not a number")
        groups.setdefault(tuple(as_key(cells[name]) for name in keys), []).append(cells)
    rows = {key: group[0] if len(group) == 1 else {name: merge(group, name, rules) for name in values}
            for key, group in groups.items()}
    return {"name": table["name"], "keys": keys, "values": values, "rows": rows,
            "merged": {key for key, group in groups.items() if len(group) > 1}}


def as_key(cell):
    """Texts that are not valid UTF-8 are objects, which cannot be keys."""
    return json.dumps(cell) if isinstance(cell, dict) else cell


def merge(group, name, rules):
    cells = [row[name] for row in group]
    rule = rules.get(name)
    if rule == COMMON and len(set(cells)) == 1:
        return cells[0]
    if rule is None or None in cells:  # beside a number nothing says whether an empty cell is "none" or "several"
        return NOT_MERGEABLE
    if rule == COMMON:
        return None
    if rule == SUM:
        return sum(cells)
    if rule[0] == "ratio":
        total, to = (sum(row[column] for row in group) for column in rule[1:])
        return total / to
    weights = [row[rule[1]] for row in group]
    return math.fsum(cell * weight for cell, weight in zip(cells, weights)) / sum(weights)


def is_equal(host, cuda):
    if isinstance(host, float) and isinstance(cuda, float):
        return math.isclose(host, cuda, rel_tol=RELATIVE_TOLERANCE)
    return type(host) is type(cuda) and host == cuda


def pairs_by_id(host, cuda, identity):
    """[(id, on the host, on the GPU)], None where it is missing. Of several with one id the first belong together."""
    def numbered(items):
        count, named = {}, {}
        for item in items:
            one = identity(item)
            count[one] = count.get(one, 0) + 1
            named[one, count[one]] = item
        return named

    left, right = numbered(host), numbered(cuda)
    order = list(left) + [one for one in right if one not in left]
    return [(one[0], left.get(one), right.get(one)) for one in order]


class Comparison:
    def __init__(self, divergent, print_line=print):
        self.divergent = divergent
        self.print_line = print_line
        self.checks = self.differences = 0

    def check(self, is_right, text):
        self.checks += 1
        if not is_right:
            self.differences += 1
            self.print_line(text)

    def equal(self, where, host, cuda):
        if NOT_MERGEABLE in (host, cuda):
            self.print_line(f"not compared: {where}: rows that differ in their column are merged on one side")
            return
        self.check(is_equal(host, cuda), f"{where}: host {shown(host)}, GPU {shown(cuda)}")

    def both(self, where, host, cuda):
        is_here = host is not None and cuda is not None
        self.check(is_here, f"{where}: only on the {'GPU' if host is None else 'host'}")
        return is_here

    def reports(self, host, cuda):
        for name, left, right in pairs_by_id(host, cuda, lambda one: as_key(one["tool"])):
            if self.both(name, left, right):
                self.equal(f"{name}: options", left["options"], right["options"])
                self.kernels(name, left["kernels"], right["kernels"])
                self.content(name, name, left, right, is_divergent=False)

    def kernels(self, tool, host, cuda):
        pairs = pairs_by_id(host, cuda, lambda one: (as_key(one["name"]), as_key(one["range"]), one["launch"]))
        for (name, in_range, launch), left, right in pairs:
            where = f"{tool}: {name}"
            where += f" in {in_range}" if in_range else ""
            where += f" launch {launch}" if launch is not None else ""
            if not self.both(where, left, right):
                continue
            for fact in left["facts"]:
                self.equal(f"{where}: {fact}", left["facts"][fact], right["facts"][fact])
            self.content(where, tool, left, right, is_divergent=name in self.divergent)
        both = [(left, right) for _, left, right in pairs if left and right]
        places = [next(i for i, kernel in enumerate(cuda) if kernel is right) for _, right in both]
        if len(both) > 1:
            self.check(places == sorted(places),
                       f"{tool}: kernels in another order on the GPU: {', '.join(str(one['name']) for one in cuda)}")

    def content(self, where, tool, left, right, is_divergent):
        for name in [*left["tables"], *(name for name in right["tables"] if name not in left["tables"])]:
            tables = left["tables"].get(name), right["tables"].get(name)
            if self.both(f"{where}: {name}", *tables):
                self.table(f"{where}: {name}", tool, *tables, is_divergent)
        if not is_divergent:
            self.findings(where, left, right)
        elif left["findings"] or right["findings"]:
            self.print_line(f"not compared: {where}: findings, since the kernel is divergent")

    def table(self, where, tool, host, cuda, is_divergent):
        self.equal(f"{where}: columns", host["keys"] + host["values"], cuda["keys"] + cuda["values"])
        if (host["keys"], host["values"]) != (cuda["keys"], cuda["values"]):
            return
        for key in [*host["rows"], *(key for key in cuda["rows"] if key not in host["rows"])]:
            row = f"{where}: {' '.join(str(part) for part in key)}"
            left, right = host["rows"].get(key), cuda["rows"].get(key)
            if not self.both(row, left, right):
                continue
            if not is_divergent:
                for name in host["values"]:
                    self.equal(f"{row}: {name}", left[name], right[name])
                continue
            for name, factors in LANES.get(tool, {}).items():
                if set(factors) <= set(host["values"]):
                    self.equal(f"{row}: {name}", count(left, factors), count(right, factors))

    def findings(self, where, host, cuda):
        # A place's findings belong together in the order of their texts. Findings are not matched by the whole text: a
        # changed number would then be two findings too many, and not one difference.
        def at_place(findings, place):
            found = [one for one in findings if one["place"] == place]
            return sorted(found, key=lambda one: json.dumps(one["message"]))

        places = list(dict.fromkeys(one["place"] for one in host["findings"] + cuda["findings"]))
        for place in places:
            here = f"{where}: finding at {place[0]}:{place[1]}"
            parts = merged_accesses(host, place) + merged_accesses(cuda, place)
            left, right = at_place(host["findings"], place), at_place(cuda["findings"], place)
            if parts:
                partial = [[one for one in findings if is_about(one, parts)] for findings in (left, right)]
                left = [one for one in left if one not in partial[0]]
                right = [one for one in right if one not in partial[1]]
                if partial[0] or partial[1]:
                    self.print_line(f"not compared: {here}: on the GPU one row holds several accesses of this line")
                if partial[0]:  # what a part wastes, the whole wastes as well
                    self.check(bool(partial[1]), f"{here}: only on the host")
            for number in range(max(len(left), len(right))):
                sides = [findings[number] if number < len(findings) else None for findings in (left, right)]
                text = next(shown(one["message"]) for one in sides if one)
                if None in sides:
                    self.both(f"{here}: {text}", *sides)
                    continue
                for name in ["message", "severity", "gain_at_most", "advice"]:
                    self.equal(f"{here}: {name}", sides[0][name], sides[1][name])


def count(row, factors):
    """The product of these cells as a whole number of lanes or bytes; None if one is not known."""
    cells = [row[name] for name in factors]
    if NOT_MERGEABLE in cells:
        return NOT_MERGEABLE
    return None if None in cells else round(math.prod(cells))


def merged_accesses(section, place):
    """[access, size] of this place's accesses whose rows were merged."""
    found = []
    for table in section["tables"].values():
        for key in table["merged"]:
            cells = dict(zip(table["keys"], key))
            if (cells.get("file"), cells.get("line")) == place:
                found.append((cells.get("access"), cells.get("size")))
    return found


def is_about(finding, accesses):
    """Whether a finding may speak of one of these accesses. "load of 4 bytes: ..." does so of one kind and size."""
    words = finding["message"].split(" ") if isinstance(finding["message"], str) else []
    if len(words) > 3 and words[0] in ("load", "store", "atomic") and words[1] == "of" and words[2].isdigit():
        return (words[0], int(words[2])) in accesses
    return True


def shown(value):
    return "nothing" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="compare_reports.py", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", metavar="HOST.json", type=pathlib.Path, help="the report of the host engine")
    parser.add_argument("cuda", metavar="CUDA.json", type=pathlib.Path, help="the report of the GPU")
    parser.add_argument("--divergent", metavar="KERNEL", nargs="+", action="extend", default=[],
                        help="compare only lanes and bytes of these kernels")

    def usage(text):
        print(f"compare_reports.py: {text}; --help says more", file=sys.stderr)
        sys.exit(2)

    parser.error = usage
    given = parser.parse_args(arguments)
    try:
        host, cuda = read_report(given.host, on_host=True), read_report(given.cuda, on_host=False)
    except ReportError as error:
        print(f"compare_reports.py: {error}", file=sys.stderr)
        return 2
    names = {as_key(kernel["name"]) for tool in host + cuda for kernel in tool["kernels"]}
    for kernel in given.divergent:
        if kernel not in names:
            usage(f"--divergent {kernel}: there is no such kernel in the reports")
    comparison = Comparison(set(given.divergent))
    comparison.reports(host, cuda)
    print(f"{comparison.checks} checks, {comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
