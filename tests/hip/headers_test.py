# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Every header that hipcc may see compiles with clang for HIP, without a warning: those of the vendor alone, all in one
file from either end."""

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
    def compile(self, name, text):
        folder = compiler.start_in_folder(self)
        source = folder / f"{name}.hip"
        source.write_text(text, encoding="utf-8")
        # rocprofiler-sdk is not in Debian: its stand-in is beside the runtime's.
        compiler.compile_file("hip-clang++", *compiler.FLAGS, "--offload-arch=gfx90a", "--cuda-device-only",
                              f"-I{compiler.SOURCE_DIR / 'tests/emulation/hip/stand_in'}", "-fsyntax-only", source)

    def compile_each(self, texts):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for done in [pool.submit(self.compile, name, text) for name, text in texts.items()]:
                done.result()

    def test_all_from_either_end(self):
        names = headers()
        self.assertGreater(len(names), 50)
        lines = [f"#include <{name}>\n" for name in names]
        self.compile_each({"forwards": "".join(lines), "backwards": "".join(reversed(lines))})

    def test_the_vendor_s_own_alone(self):
        own = [name for name in headers() if "/hip" in name or "/gpu/" in name]
        self.assertGreater(len(own), 15)
        self.compile_each({name.replace("/", "_"): f"#include <{name}>\n" for name in own})


if __name__ == "__main__":
    compiler.main()
