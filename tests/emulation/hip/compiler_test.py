# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""hip-emulation-c++: what it makes of HIP's own words, and of what it cannot read."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().with_name("hip-emulation-c++")


def load():
    loader = importlib.machinery.SourceFileLoader("hip_emulation_compiler", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


compiler = load()


class TranslateTest(unittest.TestCase):
    def check(self, hip, cpp):
        self.assertEqual(compiler.translate(hip), cpp)
        self.assertEqual(compiler.translate(hip).count("\n"), hip.count("\n"))

    def test_launches(self):
        made = "::hip_emulation::configuration(g, b).of({})(x);"
        for kernel in ("k", "a::k", "::a::k", "k<int, 3>", "a::k<b<int>>", "(k)"):
            self.check(f"{kernel}<<<g, b>>>(x);", made.format(kernel))
        self.check("if (a) k <<< g, b >>> (x);", "if (a) ::hip_emulation::configuration( g, b ).of(k) (x);")
        self.check("k<<<dim3(1, 2), 3 >> 1, s, 0>>>();",
                   "::hip_emulation::configuration(dim3(1, 2), 3 >> 1, s, 0).of(k)();")
        self.check("a<<<1, 2>>>(); b<<<3, 4>>>();",
                   "::hip_emulation::configuration(1, 2).of(a)(); ::hip_emulation::configuration(3, 4).of(b)();")

    def test_lines_stay_where_they_are(self):
        self.check("k<<<\n  g,\n  b>>>(x);\nnext();", "::hip_emulation::configuration(\n  g,\n  b).of(k)(x);\nnext();")

    def test_comments_and_literals_are_left_alone(self):
        for text in ("// k<<<1, 2>>>()\n", "/* k<<<1,\n2>>>() */", 'auto a = "k<<<1, 2>>>()";',
                     'auto a = R"(k<<<1, 2>>>())";', "auto a = b << c < d;", "// it's\nint a; // k<<<"):
            self.check(text, text)

    def test_dynamic_shared_arrays(self):
        self.check("extern __shared__ float a[];", "HIP_DYNAMIC_SHARED(float, a)")
        self.check("extern __shared__ __align__(16) unsigned char a[ ];", "HIP_DYNAMIC_SHARED(unsigned char, a)")
        self.check("__shared__ float a[3];", "__shared__ float a[3];")

    def test_an_open_launch_is_an_error_with_its_line(self):
        with self.assertRaisesRegex(ValueError, "line 2: <<< without >>>"):
            compiler.translate("\nk<<<1, 2(x);")


class CommandTest(unittest.TestCase):
    def test_a_file_that_cannot_be_read_is_one_line_and_1(self):
        with tempfile.TemporaryDirectory(prefix="pasta hip ") as folder:
            for name, text in (("absent.hip", None), ("open.hip", "k<<<1"), ("bytes.hip", b"\xff")):
                path = pathlib.Path(folder, name)
                if text is not None:
                    path.write_bytes(text if isinstance(text, bytes) else text.encode())
                done = subprocess.run([SCRIPT, "-c", path, "-o", path.with_suffix(".o")], capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 1, done)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(name, done.stderr)

    def test_errors_of_the_compiler_name_the_file_and_its_line(self):
        with tempfile.TemporaryDirectory(prefix="pasta hip ") as folder:
            path = pathlib.Path(folder, "wrong.hip")
            path.write_text("\nint main() { return x; }\n", encoding="utf-8")
            done = subprocess.run([SCRIPT, "-c", path, "-o", path.with_suffix(".o")], capture_output=True, text=True,
                                  check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"{path}:2:", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
