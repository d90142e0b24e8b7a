# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of python/run/, which `pasta run` has Python import: with stand-ins of Triton and torch that have what it looks
at. A library made with the C compiler stands for PASTA's, and writes down the ranges that it is told of."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import pasta_test

SOURCE_DIR = pasta_test.SOURCE_DIR
RUN_FOLDER = SOURCE_DIR / "python" / "run"

TRITON = {
    "triton/__init__.py": "import os\nseen = dict(os.environ)\n",
    "triton/runtime/__init__.py": "",
    "triton/runtime/cache.py": """
        import os

        class FileCacheManager:
            def __init__(self, key):
                self.cache_dir = os.path.join(os.environ["TRITON_CACHE_DIR"], key)
                os.makedirs(self.cache_dir, exist_ok=True)

            def get_file(self, filename):
                path = os.path.join(self.cache_dir, filename)
                return path if os.path.exists(path) else None
    """,
    "triton/runtime/autotuner.py": """
        class Autotuner:
            def _bench(self, *args, config, **meta):
                "the documentation"
                return launch(config) if config != "wrong" else 1 / 0

            def run(self, *configs):
                best = min(self._bench(config=config) for config in configs)
                launch("run")
                return best
    """,
    "torch/__init__.py": "",
    "torch/_inductor/__init__.py": "import os\nseen = dict(os.environ)\n",
    "torch/_inductor/runtime/__init__.py": "",
    "torch/_inductor/runtime/triton_heuristics.py": """
        from torch._inductor.runtime.benchmarking import InductorBenchmarker

        class CachingAutotuner:
            def benchmark_all_configs(self, *args):
                return [InductorBenchmarker().benchmark_gpu(config) for config in args]
    """,
    "torch/_inductor/runtime/benchmarking.py": """
        class Benchmarker:
            def benchmark_gpu(self, config):
                raise NotImplementedError

        class InductorBenchmarker(Benchmarker):
            def benchmark_gpu(self, config):
                return launch(config)
    """,
}


@unittest.skipUnless(pasta_test.COMPILER, "no C compiler was found; on Debian: apt-get install gcc")
class RunFolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pasta triton ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in TRITON.items():
            self.write("packages/" + name, textwrap.dedent(text))
        self.ptxas = self.write("packages/triton/backends/nvidia/bin/ptxas", "#!/bin/sh\n")
        self.blackwell = self.write("packages/triton/backends/nvidia/bin/ptxas-blackwell", "#!/bin/sh\n")
        self.stand_in = self.write("stand in", "#!/bin/sh\n")
        for path in (self.ptxas, self.blackwell, self.stand_in):
            path.chmod(0o755)
        self.cache = self.folder / "cache" / "jit"
        source = self.write("recorder.c", pasta_test.RECORDER)
        self.recorder = self.folder / "recorder.so"
        command = [pasta_test.COMPILER, "-shared", "-fPIC", "-pthread", "-o", self.recorder, source]
        subprocess.run(command, check=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_python(self, code, *options, stderr="", **variables):
        """Runs Python as `pasta run` does. launch() says what ranges a kernel would be launched in."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PASTA_", "TRITON_"))}
        environment |= {
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder),
            "PYTHONPATH": f"{RUN_FOLDER}:{self.folder / 'packages'}",
            "PASTA_TOOLS": "access_count",
            "PASTA_ANNOTATIONS": str(self.recorder),
            "PASTA_JIT_PTXAS": str(self.stand_in),
            "PASTA_JIT_CACHE": str(self.cache),
        }
        environment |= {name: str(value) for name, value in variables.items()}
        prologue = f"""
            import builtins, ctypes, os, sys
            def ranges():
                recorder = ctypes.CDLL({str(self.recorder)!r})
                recorder.recorded.restype = ctypes.c_char_p
                open_ = []
                for line in recorder.recorded().decode().splitlines():
                    what = line.split(" ")[1:]
                    if what[0] == "push": open_.append(what[1])
                    if what[0] == "pop": open_.pop()
                return "/".join(open_)
            launches = []
            builtins.launch = lambda what: launches.append((what, ranges())) or what
        """
        done = subprocess.run(
            [sys.executable, "-B", *options, "-c", textwrap.dedent(prologue) + textwrap.dedent(code)],
            env={name: value for name, value in environment.items() if value != "None"},
            capture_output=True,
            text=True,
            timeout=60,
            cwd=self.folder,
        )
        self.assertEqual((done.returncode, done.stderr), (0, stderr), done.stderr)
        return done.stdout

    # ---- Marks

    def test_launches_of_tuning_are_in_a_range(self):
        said = self.run_python("""
            from triton.runtime.autotuner import Autotuner
            Autotuner().run("a", "b")
            print(launches, Autotuner._bench.__doc__)
        """)
        expected = [("a", "autotuning"), ("b", "autotuning"), ("run", "")]
        self.assertEqual(said, f"{expected} the documentation\n")

    def test_a_range_ends_when_tuning_fails(self):
        said = self.run_python("""
            from triton.runtime.autotuner import Autotuner
            try:
                Autotuner().run("wrong")
            except ZeroDivisionError:
                launch("after")
            print(launches)
        """)
        self.assertEqual(said, "[('after', '')]\n")

    def test_torch_compile_has_one_range_where_it_tunes_within_tuning(self):
        said = self.run_python("""
            from torch._inductor.runtime.triton_heuristics import CachingAutotuner
            from torch._inductor.runtime.benchmarking import InductorBenchmarker
            CachingAutotuner().benchmark_all_configs("a", "b")
            InductorBenchmarker().benchmark_gpu("c")
            launch("after")
            print(launches)
        """)
        self.assertEqual(
            said, f"{[('a', 'autotuning'), ('b', 'autotuning'), ('c', 'autotuning'), ('after', '')]}\n"
        )

    # ---- Assemblers and caches

    def test_triton_finds_the_stand_in_and_that_the_real_one(self):
        for _ in range(2):  # the second time all is there
            said = self.run_python("""
                import triton
                for name in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "TRITON_CACHE_DIR",
                             "TRITON_CACHE_AUTOTUNING"):
                    print(triton.seen[name])
            """)
            ptxas, blackwell, cache, tunes = said.splitlines()
            self.assertEqual((cache, tunes), (str(self.cache / "triton"), "1"))
            for path, real in ((ptxas, self.ptxas), (blackwell, self.blackwell)):
                self.assertTrue(path.startswith(str(self.cache)), path)
                self.assertEqual(os.path.basename(path), real.name)
                self.assertEqual(os.readlink(path), str(self.stand_in))
                self.assertEqual(os.readlink(os.path.join(os.path.dirname(path), "ptxas.real")), str(real))

    def test_an_assembler_of_the_users_is_the_real_one(self):
        own = self.write("own/ptxas-12", "#!/bin/sh\n")
        own.chmod(0o755)
        said = self.run_python(
            "import triton; print(triton.seen['TRITON_PTXAS_PATH'], end='')", TRITON_PTXAS_PATH=own
        )
        self.assertEqual(os.readlink(os.path.join(os.path.dirname(said), "ptxas.real")), str(own))

    def test_a_process_that_python_starts_has_the_same(self):
        said = self.run_python("""
            import subprocess, triton, torch._inductor
            code = "import triton, torch._inductor; print(sorted(torch._inductor.seen.items()))"
            environment = dict(os.environ)
            other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            print(eval(other) == sorted(environment.items()), other)
        """)
        self.assertTrue(said.startswith("True "), said)

    def test_what_was_tuned_without_pasta_goes_before_what_was_tuned_with_it(self):
        code = """
            from triton.runtime.cache import FileCacheManager
            for name in ("k.autotune.json", "k.cubin"):
                path = FileCacheManager("KEY").get_file(name)
                print(path and open(path).read())
        """
        self.assertEqual(self.run_python(code), "None\nNone\n")
        self.write("cache/jit/triton/KEY/k.autotune.json", "with")
        self.assertEqual(self.run_python(code), "with\nNone\n")
        self.write(".triton/cache/KEY/k.autotune.json", "without")
        self.write(".triton/cache/KEY/k.cubin", "machine code")
        self.assertEqual(self.run_python(code), "without\nNone\n")
        native = self.write("na tive/KEY/k.autotune.json", "elsewhere").parent.parent
        self.assertEqual(self.run_python(code, TRITON_CACHE_DIR=native), "elsewhere\nNone\n")

    def test_results_of_torch_compile_are_taken_and_its_code_is_not(self):
        native = self.folder / "native"
        self.write("native/ab/cab.best_config", "best")
        self.write("native/ab/cab.py", "code")
        self.write("native/cache/0123", "choices")
        self.write("native/triton/0/KEY/k.best_config", "not this")
        said = self.run_python(
            "import torch._inductor; print(torch._inductor.seen['TORCHINDUCTOR_CACHE_DIR'], end='')",
            TORCHINDUCTOR_CACHE_DIR=native,
        )
        self.assertEqual(said, str(self.cache / "inductor"))
        found = sorted(str(path.relative_to(said)) for path in pathlib.Path(said).rglob("*") if path.is_file())
        self.assertEqual(found, ["ab/cab.best_config", "cache/0123"])

    # ---- Nothing of it harms

    def test_without_triton_nothing_is_done(self):
        shutil.rmtree(self.folder / "packages" / "triton")
        self.assertEqual(self.run_python("print('TRITON_CACHE_DIR' in os.environ)"), "False\n")
        self.assertFalse(self.cache.exists())

    def test_an_import_that_fails_fails_as_without(self):
        self.write("packages/triton/__init__.py", "raise ImportError('no such driver')")
        said = self.run_python("""
            for name in ("triton", "torch._inductor.nothing", "triton.runtime.cache"):
                try:
                    __import__(name)
                except ImportError as error:
                    print(error)
        """)
        self.assertEqual(said, "no such driver\nNo module named 'torch._inductor.nothing'\nno such driver\n")

    def test_another_version_that_has_nothing_of_it(self):
        self.write("packages/triton/runtime/autotuner.py", "value = 1")
        self.write("packages/triton/runtime/cache.py", "value = 2")
        said = self.run_python("""
            import triton.runtime.autotuner, triton.runtime.cache
            print(triton.runtime.autotuner.value, triton.runtime.cache.value)
        """)
        self.assertEqual(said, "1 2\n")

    def test_a_cache_that_cannot_be_written(self):
        said = self.run_python(
            "import triton, torch._inductor; print([n for n in os.environ if n.startswith(('TRITON', 'TORCH'))])",
            PASTA_JIT_CACHE="/proc/nothing",
        )
        self.assertEqual(said, "[]\n")

    def test_modules_look_as_without(self):
        said = self.run_python("""
            import inspect, triton.runtime.cache as cache
            print(type(cache.__loader__).__name__, cache.__spec__.loader is cache.__loader__)
            print("class FileCacheManager" in inspect.getsource(cache))
        """)
        self.assertEqual(said, "SourceFileLoader True\nTrue\n")

    def test_another_sitecustomize_is_imported_too(self):
        self.write("packages/sitecustomize.py", "import sys; value = 5; sys.other = __name__")
        said = self.run_python("import sitecustomize; print(sitecustomize.value, sys.other)")
        self.assertEqual(said, "5 sitecustomize\n")

    def test_without_the_variables_of_pasta_run(self):
        said = self.run_python(
            "import triton.runtime.autotuner as a; a.Autotuner().run('a'); print(launches)",
            PASTA_TOOLS="None",
            PASTA_ANNOTATIONS="None",
            PASTA_JIT_CACHE="None",
            PASTA_JIT_PTXAS="None",
        )
        self.assertEqual(said, "[('a', ''), ('run', '')]\n")


if __name__ == "__main__":
    unittest.main()
