#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What a tool costs in Triton's kernels (tests/ptx_corpus/triton_kernels.py): each compiled twice, by Triton's ptxas
and by PASTA's, and run in turn in one process.

  BENCHMARK_PTXAS=…/libexec/pasta/ptxas pasta run TOOL --route ptx -- triton_programs.py pairs --output rows.json
  [pasta run TOOL --route ptx --] triton_programs.py once      each kernel once: for reports, and for Nsight Compute
"""

import argparse
import importlib.util
import pathlib

import torch
import triton
import triton.language as tl

import pairs
import two_assemblers

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "ptx_corpus" / "triton_kernels.py"


@triton.jit
def add(x, y, result, size, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    is_inside = at < size
    tl.store(result + at, tl.load(x + at, mask=is_inside) + tl.load(y + at, mask=is_inside), mask=is_inside)


def load_kernels(name):
    """The module anew: its kernels are not compiled yet."""
    specification = importlib.util.spec_from_file_location(name, KERNELS)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    module.add = triton.jit(add.fn)
    return module


def halves(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.float16)


class Program:
    """One kernel with its arguments. `launch` takes a module of kernels."""

    def __init__(self, name, size, output, launch):
        self.name, self.size, self.output, self.launch = name, size, output, launch

    def time(self, kernels, runs=1):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        begin.record()
        for _ in range(runs):
            self.launch(kernels)
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / runs


def make_add():
    size = 1 << 26
    x, y = (torch.rand(size, device="cuda") for _ in range(2))
    result = torch.empty_like(x)
    return Program("triton_add", size, result, lambda k: k.add[(size // 1024,)](x, y, result, size, WIDTH=1024))


def make_softmax():
    rows, columns = 16384, 2048
    source = halves(rows, columns)
    result = torch.empty_like(source)
    return Program("triton_softmax", rows * columns, result,
                   lambda k: k.softmax[(rows,)](source, result, columns, columns, WIDTH=2048, num_warps=8))


def make_layer_norm():
    rows, columns = 16384, 4096
    source = torch.randn(rows, columns, device="cuda")
    weight, bias = (torch.randn(columns, device="cuda") for _ in range(2))
    means, result = torch.empty(rows, device="cuda"), torch.empty_like(source)
    return Program("triton_layer_norm", rows * columns, result,
                   lambda k: k.layer_norm[(rows,)](source, result, weight, bias, means, columns, 1e-5, WIDTH=1024))


def make_matmul():
    m = n = k_size = 4096
    a, b = halves(m, k_size), halves(k_size, n)
    c = halves(m, n)
    return Program("triton_matmul", m, c,
                   lambda k: k.matmul[(m // 128, n // 128)](a, b, c, m, n, k_size, M=128, N=128, K=64, num_warps=8,
                                                            num_stages=3))


def make_attention():
    heads, length, features = 128, 2048, 64
    queries, keys, values = (halves(heads, length, features) for _ in range(3))
    result = torch.empty_like(queries)
    return Program("triton_attention", heads * length, result,
                   lambda k: k.attention[(length // 128, heads)](queries, keys, values, result, length, 0.125, M=128,
                                                                 N=64, D=features, num_warps=4))


MAKERS = (make_add, make_softmax, make_layer_norm, make_matmul, make_attention)


def used_bytes():
    free, whole = torch.cuda.mem_get_info()
    return whole - free


def compare(program, chosen):
    kernels = {}
    for variant in ("native", "tool"):
        kernels[variant] = load_kernels(f"{variant}_kernels")
        program.output.zero_()
        before = used_bytes()
        with two_assemblers.assembler(variant):
            program.time(kernels[variant])
        grown = max(0, used_bytes() - before)
        result = program.output.clone()
        if variant == "native":
            expected = result
    is_equal = bool(torch.equal(expected, result))
    samples = pairs.measure(lambda runs: program.time(kernels["native"], runs),
                            lambda runs: program.time(kernels["tool"], runs), chosen.pairs)
    row = pairs.make_row(program.name, program.size, *samples, grown, is_equal)
    pairs.show(row)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["pairs", "once"])
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--output", help="file for the rows")
    chosen = parser.parse_args()
    torch.manual_seed(1)
    rows = []
    for make in MAKERS:
        program = make()
        if chosen.mode == "pairs":
            rows.append(compare(program, chosen))
        else:
            print(f"{program.name} {program.time(load_kernels('kernels')):.4f} ms", flush=True)
    if chosen.output and rows:
        pairs.write(chosen.output, rows)


if __name__ == "__main__":
    main()
