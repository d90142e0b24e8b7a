# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""A program's files that include pasta.hpp are all compiled by nvcc, or none: a mix ends at start-up with one line."""

import subprocess
import unittest

import compiler

SOURCE = "#include <pasta/pasta.hpp>\n"
MAIN = SOURCE + '#include <cstdio>\nint main() { std::puts("ran"); }\n'


class OneVendorTest(unittest.TestCase):
    def run_program(self, **sources):
        """Compiles each file for the vendor that its name says, links them and runs the program."""
        folder = compiler.start_in_folder(self)
        objects = []
        for name, text in sources.items():
            source = folder / f"{name}.cpp"
            source.write_text(text, encoding="utf-8")
            language = ["-x", "cu", compiler.QUICK, "-arch=sm_90"] if name.startswith("cuda") else []
            objects.append(folder / f"{name}.o")
            compiler.compile_file(*compiler.FLAGS, *language, "-c", source, "-o", objects[-1])
        program = folder / "program"
        compiler.compile_file(*objects, "-lfmt", "-lboost_context", "-lpthread", "-ldl", "-o", program)
        return subprocess.run([program], capture_output=True, text=True, check=False, cwd=folder, timeout=60)

    def test_a_mix_is_refused_with_one_line(self):
        done = self.run_program(cuda_main=MAIN, host=SOURCE)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("compile all of them with nvcc (-x cu), or none", done.stderr)

    def test_files_for_one_vendor_run(self):
        for sources in ({"cuda_main": MAIN, "cuda_other": SOURCE}, {"host_main": MAIN, "host_other": SOURCE}):
            with self.subTest(files=list(sources)):
                done = self.run_program(**sources)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ran\n", ""))


if __name__ == "__main__":
    compiler.main()
