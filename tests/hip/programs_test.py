# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/targets, unchanged and with both tools, are compiled and linked for AMD GPUs. They do not
run: there is no GPU. A mix of files for the GPU and for the host engine ends at start-up with one line."""

import os
import subprocess
import unittest

import compiler

SOURCE = "#include <pasta/pasta.hpp>\n"
MAIN = SOURCE + '#include <cstdio>\nint main() { std::puts("ran"); }\n'
LIBRARIES = ["-lfmt", "-lboost_context", "-lpthread", "-ldl"]


class ProgramsTest(unittest.TestCase):
    def test_host_code_of_all_programs_compiles(self):
        folder = compiler.start_in_folder(self)
        source = compiler.write_all_targets(folder)
        for name in compiler.PROGRAMS:
            with self.subTest(compiler=name):
                compiler.compile_file(name, *compiler.FLAGS, *compiler.WITH_TOOLS, "--offload-arch=gfx90a",
                                      "--cuda-host-only", "-fsyntax-only", source)

    def test_all_bundled_tools_compile_for_each_gpu(self):
        folder = compiler.start_in_folder(self)
        self.assertLessEqual({"access_count", "coalescing"}, set(compiler.TOOLS))
        # As pasta_instrument(... ROUTE probe TOOLS ...) makes it.
        (folder / "all_tools.hpp").write_text(
            "#ifndef ALL_TOOLS\n#define ALL_TOOLS\n" + "".join(f"struct {tool};\n" for tool in compiler.TOOLS) +
            "".join(f'#include "{compiler.SOURCE_DIR}/tools/{tool}/{tool}.hpp"\n' for tool in compiler.TOOLS) +
            f"PASTA_PROBE_TOOLS({', '.join(compiler.TOOLS)})\n#endif\n", encoding="utf-8")
        for gpu, name in compiler.ARCHITECTURES.items():
            with self.subTest(gpu=gpu):
                made = folder / f"{gpu}.o"
                compiler.compile_file(name, *compiler.FLAGS, f"-I{folder}",
                                      '-DPASTA_PROBE_TOOLS_HEADER="all_tools.hpp"', f"--offload-arch={gpu}", "-O1",
                                      "-c", "-x", "hip",
                                      compiler.SOURCE_DIR / "examples/targets/vector_add.cpp", "-o", made)
                self.assertIn(f"amdgcn-amd-amdhsa--{gpu}".encode(), made.read_bytes())

    def test_sorting_by_rocprim_compiles(self):
        folder = compiler.start_in_folder(self)
        for gpu in ("gfx90a", "gfx1030"):  # the GPUs that hipcc makes code for: rocPRIM 5.3 does not know gfx942
            compiler.compile_file("hipcc", *compiler.FLAGS, f"--offload-arch={gpu}", "-O1", "-c",
                                  compiler.SOURCE_DIR / "tests/hip/sort_kernels.hip", "-o", folder / f"{gpu}.o")
            self.assertTrue((folder / f"{gpu}.o").exists())

    def test_a_cmake_project_with_hipcc_as_its_compiler(self):
        package = os.environ.get("PASTA_BUILD_DIR")
        if not package:
            self.skipTest("PASTA_BUILD_DIR names no build tree of PASTA's")
        folder = compiler.start_in_folder(self)
        source = compiler.SOURCE_DIR / "examples/targets/vector_add.cpp"
        (folder / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(pasta REQUIRED)
add_executable(vector_add "{source}")
target_link_libraries(vector_add PRIVATE pasta::pasta)
pasta_instrument(vector_add ROUTE probe TOOLS access_count coalescing)
""", encoding="utf-8")
        for line in (["-S", folder, "-B", folder / "build", f"-Dpasta_DIR={package}",
                      "-DCMAKE_CXX_FLAGS=--offload-arch=gfx90a",
                      f"-DCMAKE_CXX_COMPILER={compiler.PROGRAMS['hipcc']}"], ["--build", folder / "build"]):
            done = subprocess.run(["cmake", *line], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        names = subprocess.run(["strings", "-a", folder / "build/vector_add"], capture_output=True, text=True,
                               check=True)
        self.assertIn("probe\taccess_count\t", names.stdout)
        self.assertIn("probe\tcoalescing\t", names.stdout)


class OneVendorTest(unittest.TestCase):
    def run_program(self, **sources):
        """Compiles each file for the vendor that its name says, links them and runs the program."""
        folder = compiler.start_in_folder(self)
        objects = []
        for name, text in sources.items():
            is_hip = name.startswith("hip")
            source = folder / f"{name}.{'hip' if is_hip else 'cpp'}"
            source.write_text(text, encoding="utf-8")
            objects.append(folder / f"{name}.o")
            if is_hip:
                compiler.compile_file("hipcc", *compiler.FLAGS, "--offload-arch=gfx90a", "-c", source, "-o",
                                      objects[-1])
            else:
                subprocess.run(["c++", *compiler.FLAGS, "-c", source, "-o", objects[-1]], check=True)
        program = folder / "program"
        compiler.compile_file("hipcc", "--offload-arch=gfx90a", *objects, *LIBRARIES, "-o", program)
        return subprocess.run([program], capture_output=True, text=True, check=False, cwd=folder, timeout=60)

    def test_a_mix_is_refused_with_one_line(self):
        done = self.run_program(hip_main=MAIN, host=SOURCE)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("compile all of them with hipcc (-x hip), or none", done.stderr)

    def test_files_for_hip_run(self):
        done = self.run_program(hip_main=MAIN, hip_other=SOURCE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "ran\n", ""))


if __name__ == "__main__":
    compiler.main()
