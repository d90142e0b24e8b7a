# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What a rewriter may cost: a file of limits.

    {"exceptions": [{"files": "bounds.*", "limits": {"spill_bytes": 136}, "why": "..."}],
     "measured": {"bounds.sm_75": {"instructions_per_site": 31.2, "registers": 5}}}

`exceptions` are written by hand: where a kernel may have more than the general limits, and why. `measured` is written
by check_corpus.py --write-limits: a row for each file of the corpus, in which a kernel's figures are those of the
kernel that has most.
"""

import fnmatch
import json
import math

import figures

PER_SITE = ("instructions_per_site", "ptx_instructions_per_site")
OF_KERNELS = ({*figures.COUNTED, *figures.CALLS, "lost_multiply_adds", "spill_bytes", "registers", "instructions"} -
              {"multiply_adds"})
MEASURABLE = (*PER_SITE, *sorted(OF_KERNELS))

# A little more than what was measured, so that another version of a compiler may differ.
LEEWAY = 1.1


def read(path):
    """@throw ValueError, OSError"""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or set(found) != {"exceptions", "measured"}:
        raise ValueError("not understood: it must have exceptions and measured")
    for row in found["exceptions"]:
        if (not isinstance(row, dict) or set(row) != {"files", "limits", "why"} or not row["why"] or
                set(row["limits"]) - OF_KERNELS):
            raise ValueError(f"not understood: {json.dumps(row)}")
    for name, row in found["measured"].items():
        if set(row) - set(MEASURABLE) or not all(isinstance(value, (int, float)) for value in row.values()):
            raise ValueError(f"not understood: {name}: {json.dumps(row)}")
    return found


def of_file(name, general, table, measured):
    """A file's limits: the general one or the highest of the exceptions that name it, and for the kinds in `measured`
    what its row says. A kind that the row lacks has None."""
    stem = name.removesuffix(".ptx")
    found = dict(general)
    for row in table["exceptions"]:
        if fnmatch.fnmatchcase(stem, row["files"]):
            for what, limit in row["limits"].items():
                if what in found:
                    found[what] = max(found[what], limit)
    return found | {what: table["measured"].get(stem, {}).get(what) for what in measured}


def all_grown(native, rewritten, what):
    """Of each kernel that both have."""
    return [figures.grown(native["kernels"][name], rewritten["kernels"][name], what)
            for name in native["kernels"].keys() & rewritten["kernels"].keys()]


def total_grown(native, rewritten):
    """Instructions that the kernels gained, with functions that only the rewritten file has (hooks that are called)."""
    more = rewritten["kernels"].keys() - native["kernels"].keys()
    return (sum(all_grown(native, rewritten, "instructions")) +
            sum(rewritten["kernels"][name]["instructions"] for name in more))


def measure(native, rewritten, sites, measured):
    """A file's figures of these kinds, as they are. What is per site is left out where there is none.
    @param sites check_file.read_sites()"""
    found = {what: max(all_grown(native, rewritten, what), default=0) for what in measured if what in OF_KERNELS}
    if sites and sites["per"]:
        added = {"instructions_per_site": total_grown(native, rewritten),
                 "ptx_instructions_per_site": sites["ptx_instructions"]}
        found |= {what: added[what] / sites["per"] for what in PER_SITE
                  if what in measured and added[what] is not None}
    return found


def exceeded(found, allowed):
    """["31.2 instructions_per_site, limit 30", ...] of measure()'s figures per site, and what has no limit."""
    lines = []
    for what, value in found.items():
        if allowed[what] is None:
            lines.append(f"{value:.4g} {what}, and no limit is known; --write-limits writes it")
        elif what in PER_SITE and value > allowed[what]:
            lines.append(f"{value:.1f} {what}, limit {allowed[what]}")
    return lines


def round_up(what, value):
    """What is written for a measured value: some leeway, and no negative number."""
    if what in PER_SITE:
        return max(0, math.ceil(value * LEEWAY * 10) / 10)
    return max(0, math.ceil(value * LEEWAY))


def write(path, table, found):
    """Replaces the rows of the measured files, {name: figures}; others stay. A row is one line."""
    rows = table["measured"] | {name.removesuffix(".ptx"): {what: round_up(what, value) for what, value in row.items()}
                                for name, row in found.items()}
    def fields(row, indent):
        return ",\n".join(f"{indent}{json.dumps(name)}: {json.dumps(value)}" for name, value in row.items())

    exceptions = ",\n".join(f"    {{\n{fields(row, '      ')}\n    }}" for row in table["exceptions"])
    measured = fields({name: rows[name] for name in sorted(rows)}, "    ")
    path.write_text(f'{{\n  "exceptions": [\n{exceptions}\n  ],\n  "measured": {{\n{measured}\n  }}\n}}\n',
                    encoding="utf-8")
