# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""hipcc and clang 19 for the tests in this folder. PASTA_HIPCC and PASTA_HIP_CLANG name the programs; else they are
looked for in build/hip_tools/bin."""

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

# Signs: PASTA's own flags are g++'s, whose -Wconversion says nothing of them. What is deprecated: clang's wrappers make
# it warn of the standard library's own parts.
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wno-sign-conversion",
            "-Wno-deprecated-declarations", "-Werror"]
FLAGS = ["-std=c++20"] + [
    f"-I{SOURCE_DIR / folder}" for folder in
    ("include", "examples/targets", "benchmarks/overhead", "tools/access_count", "tools/coalescing",
     "tools/matrix_tiles")]
# hipcc says of each library that it names that it is not linked.
HIPCC_FLAGS = ["-Wno-error=unused-command-line-argument", "-Wno-unused-command-line-argument"]
WITH_TOOLS = ['-DPASTA_PROBE_TOOLS_HEADER="tools.hpp"']

# Which compiler makes code for which GPU: wave 64, 64 and 32.
ARCHITECTURES = {"gfx90a": "hipcc", "gfx942": "hip-clang++", "gfx1030": "hipcc"}
# The bundled tools: a folder of tools/ with the class and PASTA_TOOL.
TOOLS = sorted(path.parent.name for path in (SOURCE_DIR / "tools").glob("*/*.cpp")
               if path.stem == path.parent.name and "PASTA_TOOL(" in path.read_text(encoding="utf-8"))
TARGETS = sorted(path.stem for path in (SOURCE_DIR / "examples/targets").glob("*.cpp"))


def find(variable, name):
    return shutil.which(os.environ.get(variable) or SOURCE_DIR / "build/hip_tools/bin" / name)


PROGRAMS = {"hipcc": find("PASTA_HIPCC", "hipcc"), "hip-clang++": find("PASTA_HIP_CLANG", "hip-clang++")}


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def main():
    """unittest's main, or the exit code for skipped where a program is missing."""
    for name, path in PROGRAMS.items():
        if not path:
            skip(f"{name} was not found; scripts/hip_tools build/hip_tools installs it")
    unittest.main(verbosity=2)


def versions():
    """{"hipcc": "15.0.6", "hip-clang++": "19.1.7"}: of the compilers within."""
    found = {}
    for name, path in PROGRAMS.items():
        text = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        found[name] = re.search(r"clang version (\d+\.\d+\.\d+)", text)[1]
    return found


def compile_file(name, *arguments):
    """Runs a compiler; what it says. @throw AssertionError with its lines"""
    line = [PROGRAMS[name], *WARNINGS, *(HIPCC_FLAGS if name == "hipcc" else []), *map(str, arguments)]
    result = subprocess.run(line, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, line))}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def start_in_folder(case):
    """A folder for one test case's or class's files, with a blank in its name; it is removed with the case."""
    folder = tempfile.TemporaryDirectory(prefix="pasta hip ")
    add = case.addClassCleanup if isinstance(case, type) else case.addCleanup
    add(folder.cleanup)
    return pathlib.Path(folder.name)


def write_all_targets(folder):
    """One file with all programs of examples/targets as they are, each main under another name."""
    lines = ['#include "target.hpp"']
    for target in TARGETS:
        lines += [f"#define main main_of_{target}", f'#include "{target}.cpp"', "#undef main"]
    lines.append("int main(int argc, char** argv) { return main_of_vector_add(argc, argv); }")
    source = folder / "all_targets.hip"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return source
