#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What the patch route costs: a program run natively, with patches that return at once, and with each tool, in turn.

  in_turn.py --pasta bin/pasta --tools access_count --empty empty.patch.fatbin [--rounds 3] [--output rows.json] -- \\
    PROGRAM ARGUMENTS

The program is one that writes its times where BENCHMARK_TIMES says, as JSON:
  {"NAME": {"size": SIZE, "ms": [TIME, ...], "first_ms": TIME, "digest": "RESULT"}, ...}
(cuda_programs.py times LIBRARY.so; models.py). A patched process stays patched: each variant is a process of its own,
and all of them are run once in each round.

Exit code: 0; 1 a run failed, or a result differs from the native one; 2 wrong arguments.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ptx_route"))
import pairs  # noqa: E402 (beside the other benchmarks)


def tools_folder(pasta, tools, empty, folder):
    """Copies of the tools whose patches are the empty ones: the same kinds of instructions are patched."""
    lib = pathlib.Path(pasta).resolve().parent.parent / "lib" / "pasta" / "tools"
    for tool in tools:
        shutil.copy(lib / f"{tool}.so", folder)
        shutil.copy(empty, folder / f"{tool}.patch.fatbin")
    return str(folder)


class Variant:
    def __init__(self, name, prefix, environment):
        self.name, self.prefix, self.environment = name, prefix, environment
        self.rounds = []  # what each run wrote
        self.wall_s = []

    def run(self, command, folder, limit_s):
        times = folder / "times.json"
        times.unlink(missing_ok=True)
        environment = {**os.environ, **self.environment, "BENCHMARK_TIMES": str(times)}
        begin = time.monotonic()
        with open(folder / "said", "w+", encoding="utf-8") as said:
            try:
                status = subprocess.run([*self.prefix, *command], env=environment, stdout=said, stderr=said,
                                        timeout=limit_s, check=False).returncode
            except subprocess.TimeoutExpired:
                status = f"none after {limit_s} s"
            said.seek(0)
            text = said.read()
        self.wall_s.append(round(time.monotonic() - begin, 3))
        if status != 0 or not times.exists():
            print(f"in_turn.py: {self.name}: status {status}\n{text[-3000:]}", file=sys.stderr)
            return False
        self.rounds.append(json.loads(times.read_text(encoding="utf-8")))
        return True

    def all_ms(self, program):
        return [ms for once in self.rounds for ms in once[program]["ms"]]

    def first_ms(self, program):
        return statistics.median(once[program].get("first_ms", 0) for once in self.rounds)


def variants(chosen, folder):
    report = ["--quiet", "--output", str(folder / "report-%t.json")]
    yield Variant("native", [], {})
    empty = tools_folder(chosen.pasta, chosen.tools, chosen.empty, folder)
    for tool in chosen.tools:
        run = [chosen.pasta, "run", tool, "--route", "patch", *report, *chosen.flags, "--"]
        yield Variant(f"empty:{tool}", run, {"PASTA_TOOL_PATH": empty})
        yield Variant(tool, run, {})


def rows_of(tool, by_name, command):
    native, empty, with_tool = by_name["native"], by_name[f"empty:{tool}"], by_name[tool]
    device, driver = pairs.gpu()
    for program, about in native.rounds[0].items():
        samples = native.all_ms(program), with_tool.all_ms(program)
        empty_ms = statistics.median(empty.all_ms(program))
        digests = {once[program]["digest"] for each in (native, with_tool) for once in each.rounds}
        yield {"program": program, "tool": tool, "route": "patch", **pairs.figures(*samples), "size": about["size"],
               "empty_ms": empty_ms, "ratio_to_empty": statistics.median(samples[1]) / empty_ms,
               "first_ms": {name: each.first_ms(program) for name, each in by_name.items()},
               "outputs_equal": len(digests) == 1, "date": time.strftime("%Y-%m-%d"), "driver": driver,
               "device": device, "source_sha256": pairs.source_hash.source_sha256(),
               "command": f"in_turn.py --tools {tool} -- {command}"}


def show(row):
    first = row["first_ms"]
    print(f"{row['program']:24} {row['tool']:13} native {row['native_ms']:9.4f} ms, tool {row['tool_ms']:10.4f} ms "
          f"{row['ratio']:7.2f}; empty {row['empty_ms']:10.4f} ms, tool/empty {row['ratio_to_empty']:.3f}; first "
          f"{first['native'] / 1000:.2f} s, {first[row['tool']] / 1000:.2f} s with the tool"
          f"{'' if row['outputs_equal'] else '  outputs differ'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pasta", required=True)
    parser.add_argument("--tools", required=True, type=lambda text: text.split(","))
    parser.add_argument("--empty", required=True, help="the fatbin of empty_patch.cu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=240, help="seconds for one run")
    parser.add_argument("--flags", default=[], type=str.split, help="more flags of pasta run, as one word")
    parser.add_argument("--output", type=pathlib.Path, help="file for the rows")
    parser.add_argument("command", nargs="+")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        by_name = {each.name: each for each in variants(chosen, folder)}
        for _ in range(chosen.rounds):
            if not all(each.run(chosen.command, folder, chosen.limit) for each in by_name.values()):
                return 1
        shown = " ".join(os.path.basename(word) for word in chosen.command)
        rows = [row for tool in chosen.tools for row in rows_of(tool, by_name, shown)]
    for row in rows:
        show(row)
    if chosen.output:
        pairs.write(chosen.output, rows)
    return 0 if all(row["outputs_equal"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
