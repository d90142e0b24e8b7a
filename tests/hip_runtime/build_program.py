# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Builds what the tests run: program (program.hip with counters, plain.hip without), module.co, a module that it loads,
both compressed where clang 19 for HIP is found, two_objects, of relocatable device code, and touching, which is program
with shadow bits.

usage: build_program.py FOLDER
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ARCHITECTURES = ["--offload-arch=gfx90a", "--offload-arch=gfx1030"]


def run(*words):
    subprocess.run([str(word) for word in words], check=True)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    hipcc = os.environ["PASTA_HIPCC"]
    counting = [os.environ["PASTA_CLI"], "hipcc", "--tools", "access_count"]  # by the hipcc of PASTA_HIPCC
    flags = ["-std=c++20", "-O2", "-g", f"-I{HERE.parents[1]}/include", *ARCHITECTURES]
    run(*counting, *flags, "-c", HERE / "program.hip", "-o", folder / "program.o")
    run(hipcc, *flags, "-c", HERE / "plain.hip", "-o", folder / "plain.o")
    run(hipcc, *ARCHITECTURES, folder / "program.o", folder / "plain.o", "-o", folder / "program")
    touching = [*counting[:-1], "working_set"]
    run(*touching, *flags, "-c", HERE / "program.hip", "-o", folder / "touching.o")
    run(hipcc, *ARCHITECTURES, folder / "touching.o", folder / "plain.o", "-o", folder / "touching")
    run(*counting, *flags, "--genco", HERE / "module.hip", "-o", folder / "module.co")
    instrumented = HERE.parent / "emulation/hip/instrumented"
    for name in "two_objects", "other_object":
        run(*counting, *flags, "-fgpu-rdc", "-c", instrumented / f"{name}.hip", "-o", folder / f"{name}.o")
    run(hipcc, *ARCHITECTURES, "-fgpu-rdc", "--hip-link", "-B/usr/lib/llvm-15/bin", folder / "two_objects.o",
        folder / "other_object.o", "-o", folder / "two_objects")
    clang = os.environ.get("PASTA_HIP_CLANG")
    if clang:
        del os.environ["PASTA_HIPCC"]  # which would be another word for --clang
        compressing = [*counting, "--clang", clang, *flags, "--offload-compress"]
        run(*compressing, "--hip-link", HERE / "program.hip", HERE / "plain.hip", "-o", folder / "compressed")
        run(*compressing, "--cuda-device-only", "--gpu-bundle-output", HERE / "module.hip", "-o",
            folder / "compressed.co")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
