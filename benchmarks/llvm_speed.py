#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What access_count costs on the llvm route of the host engine: the kernels of examples/targets in plain form and on a
probe, in turn (tests/llvm/speed.cpp), by CPU time of the process. Keeps the result under the CPU's name. No GPU is
needed."""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent


def compile_speed(clang, plugin, program):
    """The program that measures, from tests/llvm/speed.cpp."""
    words = [clang, "-std=c++20", "-O2", "-g", "-DPASTA_LLVM_ROUTE=1", '-DPASTA_PROBE_TOOLS_HEADER="count_tools.hpp"',
             "-include", "pasta/llvm_hooks.hpp", f"-fpass-plugin={plugin}",
             *(f"-I{SOURCE / folder}" for folder in ("include", "tests/llvm", "examples/targets",
                                                     "tools/access_count")),
             SOURCE / "tests/llvm/speed.cpp", "-o", program, "-lfmt", "-lboost_context"]
    subprocess.run([str(word) for word in words], check=True)


def rows_of(text):
    """[{"program": ..., "ratio": ..., ...}] from what the program prints."""
    names = ("ratio", "least_ratio", "greatest_ratio", "probe_ms", "plain_ms")
    return [{"program": line.split()[0]} | dict(zip(names, map(float, line.split()[1:])))
            for line in text.splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="folder of a build of PASTA")
    parser.add_argument("--clang", default="clang++-19", help="its plugin is taken from the build (%(default)s)")
    parser.add_argument("--limit", type=float, default=1.5, help="greatest ratio (%(default)s)")
    wanted = parser.parse_args()
    version = subprocess.run([wanted.clang, "--version"], capture_output=True, text=True, check=True).stdout
    major = re.search(r"version (\d+)", version)[1]
    plugin = (wanted.build / f"lib/pasta/libpasta_llvm_{major}.so").resolve()
    if not plugin.exists():
        parser.error(f"there is no {plugin}")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "speed")
        compile_speed(wanted.clang, plugin, program)
        rows = rows_of(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    cpu = re.search(r"^model name[^:]*: *(.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    cpu = cpu[1].strip() if cpu else "unknown"
    made = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "command": f"benchmarks/llvm_speed.py {wanted.build} --clang {os.path.basename(wanted.clang)}",
            "cpu": cpu, "num_cpus": os.cpu_count(), "load_avg": os.getloadavg(),
            "compiler": version.splitlines()[0], "rows": rows}
    path = SOURCE / f"benchmarks/results/llvm-route-{re.sub('[^a-z0-9]+', '-', cpu.lower()).strip('-')}.json"
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(f"{row['program']:16} {row['ratio']:.2f} ({row['least_ratio']:.2f} to {row['greatest_ratio']:.2f})  "
              f"probe {row['probe_ms']:.1f} ms, plain {row['plain_ms']:.1f} ms")
    print(path.relative_to(SOURCE))
    if max(row["ratio"] for row in rows) > wanted.limit:
        sys.exit(f"above the limit of {wanted.limit}")


if __name__ == "__main__":
    main()
