# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""nvcc and nvdisasm for the tests in this folder. PASTA_NVCC and PASTA_NVDISASM name the programs; else they are looked
for in build/cuda_tools/bin and PATH."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # what CMakeLists.txt takes for skipped

# As scripts/gpu_check compiles; -O3 is what nvcc does for the GPU if it is not told.
FLAGS = ["-std=c++20", "-DFMT_USE_CONSTEXPR=1"] + [
    f"-I{SOURCE_DIR / folder}" for folder in
    ("include", "tests/gpu", "examples/targets", "benchmarks/overhead", "tools/access_count", "tools/coalescing",
     "tools/matrix_tiles", "tools/working_set")]
QUICK = "--Ofast-compile=max"  # where only errors and warnings are looked for
WITH_TOOLS = ['-DPASTA_PROBE_TOOLS_HEADER="tools.hpp"']

# The four programs whose cost is measured, and the places in their kernels' sources that access memory.
PROGRAMS = {"vector_add": 3, "stencil": 6, "tiled_product": 7, "gather": 3}


def find(name):
    variable = "PASTA_" + name.upper()
    beside = SOURCE_DIR / "build/cuda_tools/bin" / name
    return shutil.which(os.environ.get(variable) or (beside if beside.exists() else name))


NVCC, NVDISASM = find("nvcc"), find("nvdisasm")


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def main():
    """unittest's main, or the exit code for skipped where a program is missing."""
    for name, path in (("nvcc", NVCC), ("nvdisasm", NVDISASM)):
        if not path:
            skip(f"{name} was not found; scripts/cuda_tools build/cuda_tools installs it")
    unittest.main(verbosity=2)


def release():
    """nvcc's release, "13.0"."""
    text = subprocess.run([NVCC, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"release (\d+\.\d+)", text)[1]


def supported_architectures():
    """What this nvcc makes code for: {75, 80, ...}."""
    text = subprocess.run([NVCC, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout
    return {int(number) for number in re.findall(r"^sm_(\d+)$", text, re.MULTILINE)}


def compile_file(*arguments):
    """Runs nvcc; what it says. @throw AssertionError with nvcc's lines"""
    line = [NVCC, *map(str, arguments)]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(line)}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def start_in_folder(case):
    """A folder for one test case's or class's files, which is removed with it."""
    folder = tempfile.TemporaryDirectory(prefix="pasta_cuda_")
    add = case.addClassCleanup if isinstance(case, type) else case.addCleanup
    add(folder.cleanup)
    return pathlib.Path(folder.name)


def disassemble(cubin):
    """nvdisasm's listing of all code in a cubin."""
    return subprocess.run([NVDISASM, "-c", cubin], capture_output=True, text=True, check=True).stdout
