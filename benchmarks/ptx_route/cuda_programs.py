#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What a tool costs on the ptx route: programs.cu as two libraries, one built by nvcc, one by
`pasta nvcc --tools TOOL`.

  pasta run TOOL --route ptx -- cuda_programs.py pairs NATIVE.so TOOL.so
      both in turn, in one process; rows for benchmarks/results
  [pasta run TOOL --route ptx --] cuda_programs.py once LIBRARY.so
      each program once: for reports, and for Nsight Compute
  [pasta run TOOL --route ptx --] cuda_programs.py launches LIBRARY.so
      the host's time for one launch
  cuda_programs.py times LIBRARY.so
      times, for patch_route/in_turn.py
"""

import argparse
import ctypes
import json
import os
import statistics

import pairs


class Library:
    def __init__(self, path):
        self.calls = ctypes.CDLL(os.path.abspath(path), mode=os.RTLD_LOCAL)
        for name, result, parameters in (("program_name", ctypes.c_char_p, [ctypes.c_int]),
                                         ("program_size", ctypes.c_size_t, [ctypes.c_int]),
                                         ("time_ms", ctypes.c_double, [ctypes.c_int, ctypes.c_int]),
                                         ("digest", ctypes.c_uint64, []),
                                         ("launch_us", ctypes.c_double, [ctypes.c_int]),
                                         ("used_bytes", ctypes.c_size_t, [])):
            getattr(self.calls, name).restype = result
            getattr(self.calls, name).argtypes = parameters
        self.programs = [self.calls.program_name(i).decode() for i in range(self.calls.program_count())]

    def size(self, program):
        return self.calls.program_size(self.programs.index(program))

    def time(self, program, runs=1):
        return self.calls.time_ms(self.programs.index(program), runs)


def compare(chosen):
    native, tool = Library(chosen.native), Library(chosen.tool)
    rows = []
    for program in chosen.programs or native.programs:
        native.time(program)
        native.calls.used_bytes()
        before = native.calls.used_bytes()
        tool.time(program)
        grown = max(0, tool.calls.used_bytes() - before) if rows else 0
        is_equal = native.calls.digest() == tool.calls.digest()
        samples = pairs.measure(lambda runs: native.time(program, runs), lambda runs: tool.time(program, runs),
                                chosen.pairs)
        rows.append(pairs.make_row(program, native.size(program), *samples, grown, is_equal))
        pairs.show(rows[-1])
    if chosen.output:
        pairs.write(chosen.output, rows)


def run_once(chosen):
    library = Library(chosen.library)
    for program in chosen.programs or library.programs:
        print(f"{program} {library.time(program):.4f} ms, result {library.calls.digest():016x}", flush=True)


def write_times(chosen):
    library, times = Library(chosen.library), {}
    for program in chosen.programs or library.programs:
        first = library.time(program)
        times[program] = {"size": library.size(program), "first_ms": first, "digest": f"{library.calls.digest():016x}",
                          "ms": [library.time(program) for _ in range(chosen.pairs)]}
    with open(os.environ["BENCHMARK_TIMES"], "w", encoding="utf-8") as file:
        json.dump(times, file)


def time_launches(chosen):
    library = Library(chosen.library)
    library.calls.launch_us(10_000)
    times = [library.calls.launch_us(20_000) for _ in range(9)]
    print(f"launch: median {statistics.median(times):.3f} us, {min(times):.3f} to {max(times):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True)
    for name, action, files in (("pairs", compare, ["native", "tool"]), ("once", run_once, ["library"]),
                                ("launches", time_launches, ["library"]),
                                ("times", write_times, ["library"])):
        mode = modes.add_parser(name)
        for file in files:
            mode.add_argument(file)
        mode.add_argument("--programs", nargs="+")
        mode.add_argument("--pairs", type=int, default=31)
        mode.add_argument("--output", help="file for the rows")
        mode.set_defaults(action=action)
    chosen = parser.parse_args()
    chosen.action(chosen)


if __name__ == "__main__":
    main()
