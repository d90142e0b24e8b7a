# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""tools/llvm/matrix.cpp: the products that the matrix intrinsics of AMD GPUs make, in each LLVM that has them."""

import os
import re
import subprocess
import unittest

VERSIONS = [int(version) for version in os.environ["PASTA_LLVM_VERSIONS"].split()]
F32, F64, I32 = "float", "double", "i32"
IMMEDIATES = ["i32 0", "i32 0", "i32 0"]


def vector(count, element):
    return f"<{count} x {element}>"


def mfma(name, factor, result, expected, since=15):
    return since, f"mfma.{name}", result, [factor, factor, result, *IMMEDIATES], expected


def smfmac(name, element, result, expected):
    count = {"i32": 2}.get(element, 4)
    factors = [vector(count, element), vector(2 * count, element)]
    return 15, f"smfmac.{name}", result, [*factors, result, "i32 undef", "i32 0", "i32 0"], expected + " sparse"


def wmma(name, suffixes, factor, result, expected, since=15):
    return since, f"wmma.{name}{suffixes[since]}", result, [factor, factor, result], expected


def iu(name, suffix, factor, signs, expected, since=15):
    result = vector(8, I32)
    operands = [f"i1 {signs[0]}", factor, f"i1 {signs[1]}", factor, result, "i1 false"]
    return since, f"wmma.{name}{suffix}", result, operands, expected


# First LLVM, intrinsic, type of the result, operands (a type: undef), what it multiplies.
INTRINSICS = [
    mfma("f32.32x32x1f32", F32, vector(32, F32), "32x32x1 times 2 f32*f32+f32"),
    mfma("f32.16x16x1f32", F32, vector(16, F32), "16x16x1 times 4 f32*f32+f32"),
    mfma("f32.4x4x1f32", F32, vector(4, F32), "4x4x1 times 16 f32*f32+f32"),
    mfma("f32.32x32x2f32", F32, vector(16, F32), "32x32x2 f32*f32+f32"),
    mfma("f32.16x16x4f32", F32, vector(4, F32), "16x16x4 f32*f32+f32"),
    mfma("f32.32x32x4f16", vector(4, "half"), vector(32, F32), "32x32x4 times 2 f16*f16+f32"),
    mfma("f32.4x4x4f16", vector(4, "half"), vector(4, F32), "4x4x4 times 16 f16*f16+f32"),
    mfma("f32.32x32x8f16", vector(4, "half"), vector(16, F32), "32x32x8 f16*f16+f32"),
    mfma("f32.16x16x16f16", vector(4, "half"), vector(4, F32), "16x16x16 f16*f16+f32"),
    mfma("i32.32x32x8i8", I32, vector(16, I32), "32x32x8 s8*s8+s32"),
    mfma("i32.4x4x4i8", I32, vector(4, I32), "4x4x4 times 16 s8*s8+s32"),
    mfma("f32.32x32x4bf16", vector(2, "i16"), vector(16, F32), "32x32x4 bf16*bf16+f32"),
    mfma("f32.32x32x8bf16.1k", vector(4, "i16"), vector(16, F32), "32x32x8 bf16*bf16+f32"),
    mfma("f32.16x16x4bf16.1k", vector(4, "i16"), vector(16, F32), "16x16x4 times 4 bf16*bf16+f32"),
    mfma("f64.16x16x4f64", F64, vector(4, F64), "16x16x4 f64*f64+f64"),
    mfma("f64.4x4x4f64", F64, F64, "4x4x4 times 4 f64*f64+f64"),
    mfma("i32.16x16x32.i8", "i64", vector(4, I32), "16x16x32 s8*s8+s32"),
    mfma("i32.32x32x16.i8", "i64", vector(16, I32), "32x32x16 s8*s8+s32"),
    mfma("f32.16x16x8.xf32", vector(2, F32), vector(4, F32), "16x16x8 tf32*tf32+f32"),
    mfma("f32.16x16x32.fp8.fp8", "i64", vector(4, F32), "16x16x32 e4m3*e4m3+f32"),
    mfma("f32.32x32x16.bf8.fp8", "i64", vector(16, F32), "32x32x16 e5m2*e4m3+f32"),
    smfmac("f32.16x16x32.f16", "half", vector(4, F32), "16x16x32 f16*f16+f32"),
    smfmac("f32.32x32x16.bf16", "i16", vector(16, F32), "32x32x16 bf16*bf16+f32"),
    smfmac("i32.16x16x64.i8", I32, vector(4, I32), "16x16x64 s8*s8+s32"),
    smfmac("f32.32x32x32.fp8.bf8", I32, vector(16, F32), "32x32x32 e4m3*e5m2+f32"),
    wmma("f32.16x16x16.f16", {15: ".v8f32"}, vector(16, "half"), vector(8, F32), "16x16x16 f16*f16+f32"),
    wmma("f32.16x16x16.bf16", {15: ".v4f32"}, vector(16, "i16"), vector(4, F32), "16x16x16 bf16*bf16+f32"),
    wmma("f32.16x16x16.fp8.bf8", {19: ".v8f32.v2i32"}, vector(2, I32), vector(8, F32), "16x16x16 e4m3*e5m2+f32", 19),
    iu("i32.16x16x16.iu8", ".v8i32", vector(4, I32), ("true", "false"), "16x16x16 s8*u8+s32"),
    iu("i32.16x16x16.iu4", ".v8i32", vector(2, I32), ("false", "true"), "16x16x16 u4*s4+s32"),
]
# Nobody's product.
OTHERS = [
    (15, "workitem.id.x", "i32", [], ""),
    (15, "sdot4", "i32", ["i32", "i32", "i32", "i1 false"], ""),
]


def module(version):
    """One kernel that calls each intrinsic."""
    declared, called = [], []
    for since, name, result, operands, _ in INTRINSICS + OTHERS:
        if version < since:
            continue
        types = [re.sub(r" (\d+|true|false|undef)$", "", each) for each in operands]
        given = [each if each != kind else f"{each} undef" for each, kind in zip(operands, types)]
        declared.append(f"declare {result} @llvm.amdgcn.{name}({', '.join(types)})")
        called.append(f"  %v{len(called)} = call {result} @llvm.amdgcn.{name}({', '.join(given)})")
    more = ["define void @mfma.f32.32x32x8f16() {", "  ret void", "}"]
    called += ["  call void @mfma.f32.32x32x8f16()", '  call void asm "v_mfma_f32_32x32x8f16", ""()',
               "  %p = alloca i32, addrspace(5)", "  store i32 1, ptr addrspace(5) %p", "  ret void"]
    return "\n".join(['target triple = "amdgcn-amd-amdhsa"', *declared, *more, "define amdgpu_kernel void @all() {",
                      *called, "}", ""])


class MatrixTest(unittest.TestCase):
    def check(self, version):
        done = subprocess.run(
            [os.environ[f"PASTA_OPT_{version}"], "-load-pass-plugin", os.environ[f"PASTA_PRINT_PRODUCTS_{version}"],
             "-passes=print-products", "-disable-output", "-"],
            input=module(version), text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = {}
        for line in done.stdout.splitlines():
            name, _, product = line.partition(" ")
            printed[name] = product
        for since, name, _, _, expected in INTRINSICS + OTHERS:
            if version < since:
                continue
            with self.subTest(name):
                # LLVM may write the types behind an overloaded name otherwise.
                begin = "llvm.amdgcn." + re.sub(r"\.v\d\w+", "", name)
                (found,) = [product for called, product in printed.items()
                            if re.fullmatch(re.escape(begin) + r"(\.v\w+|\.i\d+)*", called)]
                self.assertEqual(found, expected)
        self.assertEqual(printed["mfma.f32.32x32x8f16"], "")
        self.assertEqual(printed["indirect"], "")  # inline assembly
        self.assertNotIn("is a product", done.stdout)


for one in VERSIONS:
    setattr(MatrixTest, f"test_{one}", lambda self, version=one: self.check(version))

if __name__ == "__main__":
    unittest.main()
