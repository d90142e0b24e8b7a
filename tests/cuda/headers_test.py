# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Every header that nvcc may see compiles with nvcc, without a warning of PASTA's own."""

import concurrent.futures
import re
import subprocess
import unittest

import compiler

INCLUDE = compiler.SOURCE_DIR / "include"
WARNING = re.compile(r"^(.+?)\(\d+\): warning .*$", re.MULTILINE)


def headers():
    """All but those of programs that run on the host: "pasta/event.hpp"."""
    found = [path.relative_to(INCLUDE).as_posix() for path in sorted(INCLUDE.rglob("*"))
             if path.suffix in (".hpp", ".h")]
    for_others = {"pasta/vendor/host.hpp", "pasta/vendor/hip.hpp", "pasta/cuda_names.hpp", "pasta/llvm_hooks.hpp",
                  "pasta/instrument/llvm/host_hooks.hpp"}
    shared = "pasta/instrument/gpu/probe.hpp"  # what else is in gpu/ is for GPUs whose lanes go in step
    return [name for name in found
            if name == shared or not re.search("/(host|hip|gpu)/", name) and name not in for_others]


def own_warnings(said):
    return [match[0] for match in WARNING.finditer(said) if match[1].startswith(str(compiler.SOURCE_DIR))]


class HeadersTest(unittest.TestCase):
    """One by one would take minutes: all of them from either end, so that most are seen before what they need."""

    def compile(self, name, text, *arguments):
        folder = compiler.start_in_folder(self)
        source = folder / f"{name}.cu"
        source.write_text(text, encoding="utf-8")
        said = compiler.compile_file(*compiler.FLAGS, compiler.QUICK, "-cubin", *arguments, source, "-o",
                                     folder / f"{name}.cubin")
        self.assertEqual(own_warnings(said), [])

    def test_all_from_either_end_for_sm_90(self):
        names = headers()
        self.assertGreater(len(names), 50)
        lines = [f"#include <{name}>\n" for name in names]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in [pool.submit(self.compile, "forwards", "".join(lines), "-arch=sm_90"),
                         pool.submit(self.compile, "backwards", "".join(reversed(lines)), "-arch=sm_90")]:
                done.result()

    def test_tools_in_the_measured_programs_for_sm_75(self):
        self.compile("tools", '#include "kernels.cu"\n', f"-I{compiler.SOURCE_DIR / 'tests/cuda'}",
                     *compiler.WITH_TOOLS, "-arch=sm_75")


class RefusedTest(unittest.TestCase):
    def test_names_for_the_host_engine_are_refused_with_one_error(self):
        folder = compiler.start_in_folder(self)
        source = folder / "names.cu"
        source.write_text("#include <pasta/cuda_names.hpp>\n", encoding="utf-8")
        done = subprocess.run([compiler.NVCC, *compiler.FLAGS, "-arch=sm_90", "-E", source], capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        errors = re.findall(r"error: .*", done.stderr)
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn("is for the host engine", errors[0])


class WarningTest(unittest.TestCase):
    def test_a_warning_of_a_pasta_header_counts_and_one_of_another_does_not(self):
        ours = f"{INCLUDE}/pasta/a.hpp(3): warning #186-D: pointless comparison"
        self.assertEqual(own_warnings(f"/usr/include/x.hpp(3): warning #1-D: y\n{ours}\n  detected during\n"), [ours])


if __name__ == "__main__":
    compiler.main()
