# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton, compiled to PTX without a GPU. usage: triton_kernels.py KERNEL ARCHITECTURE OUTPUT

ARCHITECTURE is a number as 90. Exit code: 0 OUTPUT is written, else Python's own with its reason.
"""

import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(source, result, row_stride, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    is_inside = column < columns
    values = tl.load(source + row * row_stride + column, mask=is_inside, other=-float("inf")).to(tl.float32)
    raised = tl.exp(values - tl.max(values, axis=0))
    tl.store(result + row * row_stride + column, (raised / tl.sum(raised, axis=0)).to(tl.float16), mask=is_inside)


@triton.jit
def layer_norm(source, result, weight, bias, means, columns, epsilon, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    source += row * columns
    result += row * columns
    total = tl.zeros([WIDTH], dtype=tl.float32)
    squares = tl.zeros([WIDTH], dtype=tl.float32)
    for first in range(0, columns, WIDTH):
        column = first + tl.arange(0, WIDTH)
        values = tl.load(source + column, mask=column < columns, other=0.0, eviction_policy="evict_last")
        total += values
        squares += values * values
    mean = tl.sum(total, axis=0) / columns
    scale = tl.rsqrt(tl.sum(squares, axis=0) / columns - mean * mean + epsilon)
    tl.store(means + row, mean)
    for first in range(0, columns, WIDTH):
        column = first + tl.arange(0, WIDTH)
        is_inside = column < columns
        values = tl.load(source + column, mask=is_inside, other=0.0, eviction_policy="evict_first")
        factor = tl.load(weight + column, mask=is_inside, other=0.0)
        offset = tl.load(bias + column, mask=is_inside, other=0.0)
        tl.store(result + column, (values - mean) * scale * factor + offset, mask=is_inside, cache_modifier=".cs")


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    step = tl.arange(0, K)
    at_a = a + row[:, None] * k + step[None, :]
    at_b = b + step[:, None] * n + column[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        left = tl.load(at_a, mask=(row[:, None] < m) & (step[None, :] < k - first), other=0.0)
        right = tl.load(at_b, mask=(step[:, None] < k - first) & (column[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
        at_a += K
        at_b += K * n
    is_inside = (row[:, None] < m) & (column[None, :] < n)
    tl.store(c + row[:, None] * n + column[None, :], total.to(tl.float16), mask=is_inside)


@triton.jit
def matmul_descriptors(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows_a = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[M, K])
    rows_b = tl.make_tensor_descriptor(b, shape=[n, k], strides=[k, 1], block_shape=[N, K])
    rows_c = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[M, N])
    row = tl.program_id(0) * M
    column = tl.program_id(1) * N
    total = tl.zeros((M, N), dtype=tl.float32)
    for first in range(0, k, K):
        left = rows_a.load([row, first])
        right = rows_b.load([column, first])
        total = tl.dot(left, right.T, total)
    rows_c.store([row, column], total.to(tl.float16))


@triton.jit
def attention(queries, keys, values, result, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    head = tl.program_id(1) * length * D
    feature = tl.arange(0, D)
    query = tl.load(queries + head + row[:, None] * D + feature[None, :], mask=row[:, None] < length, other=0.0)
    largest = tl.full([M], -float("inf"), dtype=tl.float32)
    weight = tl.zeros([M], dtype=tl.float32)
    total = tl.zeros([M, D], dtype=tl.float32)
    for first in range(0, (tl.program_id(0) + 1) * M, N):
        column = first + tl.arange(0, N)
        at_key = keys + head + column[None, :] * D + feature[:, None]
        key = tl.load(at_key, mask=column[None, :] < length, other=0.0)
        score = tl.dot(query, key) * scale
        score = tl.where(row[:, None] >= column[None, :], score, -float("inf"))
        newest = tl.maximum(largest, tl.max(score, axis=1))
        raised = tl.exp(score - newest[:, None])
        shrink = tl.exp(largest - newest)
        at_value = values + head + column[:, None] * D + feature[None, :]
        value = tl.load(at_value, mask=column[:, None] < length, other=0.0)
        total = tl.dot(raised.to(tl.float16), value, total * shrink[:, None])
        weight = weight * shrink + tl.sum(raised, axis=1)
        largest = newest
    at = result + head + row[:, None] * D + feature[None, :]
    tl.store(at, (total / weight[:, None]).to(tl.float16), mask=row[:, None] < length)


@triton.jit
def histogram(source, counts, lock, size, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    value = tl.load(source + at, mask=at < size, other=0)
    tl.atomic_add(counts + (value & 255), 1, mask=at < size, sem="relaxed")
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(counts + 256, tl.load(counts + 256) + tl.sum(value, axis=0))
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


# (kernel, parameters' types, constants, compiler's options)
TILES = {"M": 128, "N": 128, "K": 64}
PRODUCT = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "m": "i32", "n": "i32", "k": "i32"}
KERNELS = {
    "softmax": (softmax, {"source": "*fp16", "result": "*fp16", "row_stride": "i32", "columns": "i32"},
                {"WIDTH": 2048}, {"num_warps": 8}),
    "layer_norm": (layer_norm, {"source": "*fp32", "result": "*fp32", "weight": "*fp32", "bias": "*fp32",
                                "means": "*fp32", "columns": "i32", "epsilon": "fp32"}, {"WIDTH": 1024}, {}),
    "matmul": (matmul, PRODUCT, TILES, {"num_warps": 8, "num_stages": 3}),
    "matmul_descriptors": (matmul_descriptors, PRODUCT, TILES, {"num_warps": 8, "num_stages": 3}),
    "attention": (attention, {"queries": "*fp16", "keys": "*fp16", "values": "*fp16", "result": "*fp16",
                              "length": "i32", "scale": "fp32"}, {"M": 128, "N": 64, "D": 64}, {"num_warps": 4}),
    "histogram": (histogram, {"source": "*i32", "counts": "*i32", "lock": "*i32", "size": "i32"}, {"WIDTH": 512}, {}),
}


def compile_kernel(name, architecture):
    kernel, types, constants, options = KERNELS[name]
    signature = types | {constant: "constexpr" for constant in constants}
    # Addresses and sizes are multiples of 16, as they mostly are: loads of 16 bytes and asynchronous copies need it.
    aligned = {(index,): [["tt.divisibility", 16]]
               for index, (_, kind) in enumerate(types.items()) if kind[0] == "*" or kind == "i32"}
    source = ASTSource(kernel, signature=signature, constexprs=constants, attrs=aligned)
    return triton.compile(source, target=GPUTarget("cuda", architecture, 32), options=options).asm["ptx"]


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KERNELS:
        sys.exit(__doc__.splitlines()[0])
    pathlib.Path(sys.argv[3]).write_text(compile_kernel(sys.argv[1], int(sys.argv[2])), encoding="utf-8")
