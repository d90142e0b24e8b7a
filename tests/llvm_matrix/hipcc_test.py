# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""`pasta hipcc --tools matrix_tiles`: the site table of a HIP source's matrix instructions. Compiled, not run on AMD
hardware."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PASTA = os.environ["PASTA_CLI"]
VERSIONS = os.environ["PASTA_LLVM_VERSIONS"].split()
SOURCE = pathlib.Path(__file__).resolve().parent / "products.hip"
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"


def tile(m, n, k, products):
    return {"m": m, "n": n, "k": k, "products": products, "lanes": 64, "a": "f16", "b": "f16", "d": "f32"}


@unittest.skipUnless(os.path.isfile("/usr/include/hip/hip_runtime.h") and os.path.isdir(BITCODE),
                     "HIP is not here: apt-get install hipcc libamdhip64-dev rocm-device-libs")
class HipccTest(unittest.TestCase):
    def compile(self, version, *tools):
        folder = tempfile.TemporaryDirectory(prefix="pasta matrix ")
        self.addCleanup(folder.cleanup)
        command = [PASTA, "hipcc", *tools, f"clang++-{version}", "-x", "hip", "--rocm-path=/usr",
                   f"--rocm-device-lib-path={BITCODE}", "--offload-arch=gfx90a", "--cuda-device-only", "-S", "-O2",
                   "-g", "-o", "out.s", SOURCE]
        done = subprocess.run(command, cwd=folder.name, capture_output=True, text=True, timeout=300)
        says = "" if tools else "pasta hipcc: no --tools: nothing is instrumented\n"
        self.assertEqual((done.returncode, done.stderr), (0, says))
        return pathlib.Path(folder.name, "out.s").read_text(errors="replace")

    def check(self, version):
        native, made = self.compile(version), self.compile(version, "--tools", "matrix_tiles")
        table = re.search(r'pasta_sites_[0-9a-f]{32}:\n\s+\.ascii\s+"(.*)"\n', made)
        table = json.loads(table[1].replace('\\"', '"').replace("\\\\", "\\"))
        (function,) = table["functions"]
        large, small = function["sites"]
        self.assertEqual((large["opcode"], large["accesses"]), ("llvm.amdgcn.mfma.f32.32x32x8f16", []))
        self.assertEqual(large["event"], {"kind": "matrix", "space": "global", "bytes": 0,
                                          "product": tile(32, 32, 8, 1)})
        self.assertEqual(small["event"]["product"], tile(4, 4, 4, 16))
        self.assertEqual(sorted((large["counter"], small["counter"])), [0, 1])
        lines = SOURCE.read_text().splitlines()
        for site, word in ((large, "32x32x8f16"), (small, "4x4x4f16")):
            self.assertIn(word, lines[table["places"][site["place"]]["line"] - 1])
        # The products are as they were; the counters are added to memory at the end.
        for pattern, more in ((r"^\tv_mfma_", 0), (r"^\tglobal_atomic_add_x2", 2), (r"^\ts_(swappc|setpc|call)", 0),
                              (r"^\t(scratch_|buffer_(load|store))", 0), (r"^\ts_barrier", 0)):
            count = [len(re.findall(pattern, text, re.MULTILINE)) for text in (native, made)]
            self.assertEqual(count[1] - count[0], more, pattern)


for one in VERSIONS:
    setattr(HipccTest, f"test_{one}", lambda self, version=one: self.check(version))

if __name__ == "__main__":
    unittest.main()
