# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that make and assemble PTX: nvcc and what lies beside it, and what scripts/ptx_tools installs.
PASTA_NVCC and PASTA_NVDISASM name nvcc and nvdisasm as for tests/cuda; PASTA_PTX_TOOLS names the folder that
scripts/ptx_tools made, else build/ptx_tools is looked at."""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE_DIR / "tests/cuda"))

import compiler  # noqa: E402

NVCC, NVDISASM = compiler.NVCC, compiler.NVDISASM
PTX_TOOLS = pathlib.Path(os.environ.get("PASTA_PTX_TOOLS") or SOURCE_DIR / "build/ptx_tools")


def run(line, **options):
    """Runs a program. @return its output. @throw RuntimeError with the first line that tells of an error."""
    result = subprocess.run([str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="replace", check=False, stdin=subprocess.DEVNULL, **options)
    if result.returncode != 0:
        lines = [text.strip() for text in result.stdout.splitlines() if text.strip()]
        telling = [text for text in lines if re.search(r"error|fatal", text, re.IGNORECASE)] or lines[-1:]
        said = telling[0] if telling else "it says nothing"
        raise RuntimeError(f"{pathlib.Path(line[0]).name} ended with {result.returncode}: {said}")
    return result.stdout


@functools.cache
def folder_of_nvcc():
    """Where nvcc's own parts are, which is elsewhere if nvcc is a script."""
    with tempfile.TemporaryDirectory(prefix="pasta_ptx_") as folder:
        source = pathlib.Path(folder, "empty.cu")
        source.touch()
        said = run([NVCC, "-dryrun", "-arch=compute_80", "-ptx", source, "-o", f"{folder}/empty.ptx"])
    found = re.search(r"^#\$ _HERE_=(.+)$", said, re.MULTILINE)
    if not found:
        raise RuntimeError(f"{NVCC} -dryrun does not tell where its parts are")
    return pathlib.Path(found[1].strip())


def beside_nvcc(name):
    return folder_of_nvcc() / name


@functools.cache
def version_of(program):
    """The line with the release and the build, as `--version` says it."""
    said = run([program, "--version"])
    found = re.search(r"^.*release.*$", said, re.MULTILINE)
    return found[0].strip() if found else said.strip().splitlines()[-1]


@functools.cache
def find_libnvvm():
    """The library that nvlink -dlto loads, or None."""
    top = folder_of_nvcc().parent
    for folder in ("nvvm/lib64", "lib64", "lib"):
        if (top / folder / "libnvvm.so").exists():
            return (top / folder / "libnvvm.so").resolve()
        if found := sorted((top / folder).glob("libnvvm.so.*")):
            return found[0].resolve()
    return None


def triton_python():
    """The interpreter that has Triton, or None."""
    path = PTX_TOOLS / "bin/python"
    return path if os.access(path, os.X_OK) else None


@functools.cache
def triton_version():
    return run([triton_python(), "-c", "import importlib.metadata as m; print(m.version('triton'))"]).strip()


def nvrtc_library():
    """NVRTC's shared library, or None."""
    path = PTX_TOOLS / "lib/libnvrtc.so"
    return path.resolve() if path.exists() else None
