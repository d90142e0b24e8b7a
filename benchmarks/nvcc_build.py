#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What `pasta nvcc --tools` adds to a build: nvcc and `pasta nvcc` compile one file in turn, their order swapped every
time; then the rewriting alone, on the PTX of that file. Prints medians, and each sample with --samples."""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def run(words, folder):
    """@return wall time [s], CPU time of it and all that it started [s], its greatest resident size [MiB]"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE)
    messages = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"{words[0]} ended with {process.returncode}:\n{messages.decode(errors='replace')}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, usage.ru_maxrss / 1024


def main():
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/ptx_corpus/cub_sort.cu")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pasta", default="pasta", help="the command (%(default)s)")
    parser.add_argument("--nvcc", default="nvcc", help="(%(default)s)")
    parser.add_argument("--rewriter", required=True, help="the program pasta_ptx_rewrite of a build with tests")
    parser.add_argument("--tools", default="access_count", help="(%(default)s)")
    parser.add_argument("--source", default=source, help="(a CUB radix sort)")
    parser.add_argument("--pairs", type=int, default=9, help="(%(default)s)")
    parser.add_argument("--samples", action="store_true", help="print each sample as JSON")
    wanted = parser.parse_args()

    flags = ["-std=c++17", "-arch=sm_90", "-lineinfo"]
    with tempfile.TemporaryDirectory() as folder:
        build = [*flags, "-c", os.path.abspath(wanted.source), "-o", "x.o"]
        plain = [wanted.nvcc, *build]
        ours = [wanted.pasta, "nvcc", "--strict", "--tools", wanted.tools, "--nvcc", wanted.nvcc, *build]
        samples = {"nvcc": [], "pasta nvcc": []}
        for words in (plain, ours):
            run(words, folder)  # to warm up
        for pair in range(wanted.pairs):
            for name, words in (("nvcc", plain), ("pasta nvcc", ours))[:: 1 if pair % 2 == 0 else -1]:
                samples[name].append(run(words, folder))
        for place, what in enumerate(("wall time [s]", "CPU time [s]")):
            medians = {name: statistics.median(s[place] for s in taken) for name, taken in samples.items()}
            ratios = sorted(ours[place] / native[place] for native, ours in zip(samples["nvcc"], samples["pasta nvcc"]))
            print(f"{what}: nvcc {medians['nvcc']:.2f}, pasta nvcc {medians['pasta nvcc']:.2f}, "
                  f"ratio {medians['pasta nvcc'] / medians['nvcc']:.3f} (pairs {ratios[0]:.3f} to {ratios[-1]:.3f})")

        run([wanted.nvcc, *flags, "-ptx", os.path.abspath(wanted.source), "-o", "x.ptx"], folder)
        alone = [run([wanted.rewriter, "x.ptx", "y.ptx", "sites.json"], folder) for _ in range(wanted.pairs)]
        cpu = statistics.median(s[1] for s in alone)
        share = cpu / statistics.median(s[1] for s in samples["nvcc"])
        with open(os.path.join(folder, "sites.json"), encoding="utf-8") as file:
            sites = json.load(file)["sites"]
        print(f"the rewriting alone: {cpu * 1000:.0f} ms of CPU time, {share:.2%} of nvcc's, "
              f"{max(s[2] for s in alone):.1f} MiB resident at most, {sites} sites")
    if wanted.samples:
        print(json.dumps(samples))


if __name__ == "__main__":
    main()
