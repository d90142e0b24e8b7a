# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Every header that hipcc may see compiles for HIP, without a warning: all in one file from either end, for each GPU
with its compiler, and those of the vendor alone."""

import concurrent.futures
import re
import unittest

import compiler

INCLUDE = compiler.SOURCE_DIR / "include"


def headers():
    """All but those of other vendors and of programs that run on the host: "pasta/event.hpp"."""
    found = [path.relative_to(INCLUDE).as_posix() for path in sorted(INCLUDE.rglob("*"))
             if path.suffix in (".hpp", ".h")]
    others = {"pasta/vendor/host.hpp", "pasta/vendor/cuda.hpp", "pasta/cuda_names.hpp", "pasta/llvm_hooks.hpp",
              "pasta/instrument/llvm/host_hooks.hpp"}
    return [name for name in found if not re.search("/(host|cuda|ptx)/", name) and name not in others]


class HeadersTest(unittest.TestCase):
    def compile(self, name, text, gpu="gfx942"):
        source = compiler.start_in_folder(self) / f"{name}.hip"
        source.write_text(text, encoding="utf-8")
        # rocprofiler-sdk is not in Debian: its stand-in is beside the runtime's.
        compiler.compile_file(compiler.ARCHITECTURES[gpu], *compiler.FLAGS, f"--offload-arch={gpu}",
                              "--cuda-device-only", "-fsyntax-only",
                              f"-I{compiler.SOURCE_DIR / 'tests/emulation/hip/stand_in'}", source)

    def compile_each(self, calls):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(self.compile, *call) for call in calls]:
                done.result()

    def test_all_from_either_end_for_each_gpu(self):
        names = headers()
        self.assertGreater(len(names), 50)
        lines = [f"#include <{name}>\n" for name in names]
        self.compile_each([("backwards", "".join(reversed(lines)))] +
                          [(f"forwards_{gpu}", "".join(lines), gpu) for gpu in compiler.ARCHITECTURES])

    def test_the_vendor_s_own_alone(self):
        own = [name for name in headers() if "/hip" in name or "/gpu/" in name]
        self.assertGreater(len(own), 15)
        self.compile_each([(name.replace("/", "_"), f"#include <{name}>\n") for name in own])


if __name__ == "__main__":
    compiler.main()
