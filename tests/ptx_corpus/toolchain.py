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
import threading

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE_DIR / "tests/cuda"))

import compiler  # noqa: E402

NVCC, NVDISASM = compiler.NVCC, compiler.NVDISASM
PTX_TOOLS = pathlib.Path(os.environ.get("PASTA_PTX_TOOLS") or SOURCE_DIR / "build/ptx_tools")


def check_status(program, status, output):
    """@throw RuntimeError with the first line that tells of an error, unless the status is 0."""
    if status != 0:
        lines = [text.strip() for text in output.splitlines() if text.strip()]
        telling = [text for text in lines if re.search(r"error|fatal", text, re.IGNORECASE)] or lines[-1:]
        said = telling[0] if telling else "it says nothing"
        raise RuntimeError(f"{pathlib.Path(program).name} ended with {status}: {said}")


def run(line, **options):
    """Runs a program. @return its output. @throw RuntimeError if it fails."""
    result = subprocess.run([str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="replace", check=False, stdin=subprocess.DEVNULL, **options)
    check_status(line[0], result.returncode, result.stdout)
    return result.stdout


def run_timed(line, timeout):
    """Runs a program. @return its output, and the processor's time that it took [s], with that of its children.
    @throw RuntimeError if it fails, or is killed after `timeout` [s]"""
    with subprocess.Popen([str(word) for word in line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL) as process:
        killer = threading.Timer(timeout, process.kill)
        killer.start()
        try:
            output = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            killer.cancel()
    check_status(line[0], process.returncode, output)
    return output, usage.ru_utime + usage.ru_stime


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
