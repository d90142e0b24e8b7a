#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What `pasta hipcc --tools` adds to a build: hipcc and `pasta hipcc` compile each file in turn, their order swapped
every time. Prints medians, and each sample with --samples. No GPU is needed."""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile

from nvcc_build import run

SOURCE_DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SOURCES = ["tests/llvm/kernels.hip", "tests/emulation/hip/programs/reduce.hip", "tests/hip/rocprim_sort.hip"]


def measure(pasta, hipcc, tools, source, flags, pairs):
    """{"hipcc": [(wall time [s], CPU time of all processes [s], resident size [MiB]), ...], "pasta hipcc": [...]}"""
    with tempfile.TemporaryDirectory() as folder:
        build = [*flags, "-c", os.path.abspath(source), "-o", "x.o"]
        commands = {"hipcc": [hipcc, *build], "pasta hipcc": [pasta, "hipcc", "--tools", tools, hipcc, *build]}
        samples = {name: [] for name in commands}
        for words in commands.values():
            run(words, folder)  # to warm up
        for pair in range(pairs):
            for name in list(commands)[:: 1 if pair % 2 == 0 else -1]:
                samples[name].append(run(commands[name], folder))
        return samples


def ratio_of(samples, place):
    """Median with tools over median without, of wall time (0) or CPU time (1)."""
    native, ours = (statistics.median(s[place] for s in samples[name]) for name in ("hipcc", "pasta hipcc"))
    return native, ours, ours / native


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pasta", default="pasta", help="the command (%(default)s)")
    parser.add_argument("--hipcc", default="hipcc", help="(%(default)s)")
    parser.add_argument("--tools", default="access_count", help="(%(default)s)")
    parser.add_argument("--flags", default="-std=c++17 --offload-arch=gfx90a -O2 -g", help="(%(default)s)")
    parser.add_argument("--pairs", type=int, default=9, help="(%(default)s)")
    parser.add_argument("--samples", action="store_true", help="print each sample as JSON")
    parser.add_argument("--limit", type=float, default=1.5, help="greatest ratio of CPU time (%(default)s)")
    parser.add_argument("sources", nargs="*", default=[os.path.join(SOURCE_DIR, name) for name in SOURCES],
                        help="(a few kernels, a program of reductions, a rocPRIM radix sort)")
    wanted = parser.parse_args()
    for name in ("pasta", "hipcc"):  # they run in a folder of their own
        found = shutil.which(getattr(wanted, name))
        if found is None:
            parser.error(f"{getattr(wanted, name)} was not found; name it with --{name}")
        setattr(wanted, name, os.path.abspath(found))

    is_above = False
    for source in wanted.sources:
        samples = measure(wanted.pasta, wanted.hipcc, wanted.tools, source, wanted.flags.split(), wanted.pairs)
        for place, what in enumerate(("wall time [s]", "CPU time [s]")):
            native, ours, ratio = ratio_of(samples, place)
            ratios = sorted(b[place] / a[place] for a, b in zip(*samples.values()))
            print(f"{os.path.basename(source)}, {what}: hipcc {native:.2f}, pasta hipcc {ours:.2f}, ratio {ratio:.3f} "
                  f"(pairs {ratios[0]:.3f} to {ratios[-1]:.3f})", flush=True)
        is_above = is_above or ratio > wanted.limit
        if wanted.samples:
            print(json.dumps(samples))
    if is_above:
        sys.exit(f"above the limit of {wanted.limit}")


if __name__ == "__main__":
    main()
