# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What make_corpus.py keeps, makes anew and refuses, and how recipes are read. Needs no compiler."""

import contextlib
import io
import json
import pathlib
import tempfile
import unittest
from unittest import mock

import make_corpus
import recipes
import toolchain

PTX = ".version 9.0\n.target sm_90a\n.address_size 64\n"


class RecipesTest(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "a.cu")
            source.write_text(text, encoding="utf-8")
            return recipes.read_recipes(source)

    def test_a_source_says_how_it_is_compiled(self):
        found = self.read("// corpus: -arch=compute_90a -G -rdc=true\n// corpus: dlto -arch=sm_80\n"
                          "// corpus flags: --extended-lambda\n")
        self.assertEqual([recipe.name for recipe in found], ["a.sm_90a.G.rdc", "a.sm_80.dlto"])
        self.assertEqual([recipe.maker for recipe in found], ["nvcc", "dlto"])
        self.assertEqual(found[1].common_flags, ("--extended-lambda",))
        self.assertIn("-g", found[0].needs)
        self.assertIn("--compile-only", found[0].needs)

    def test_a_line_that_is_not_understood_is_an_error(self):
        for line in ("-G", "clang -arch=sm_80", "nvrtc", "-arch=90"):
            with self.assertRaisesRegex(ValueError, "not understood"):
                self.read(f"// corpus: {line}\n")

    def test_every_source_here_is_in_the_corpus(self):
        stems = {recipe.source.stem for recipe in recipes.all_recipes()}
        self.assertLessEqual({path.stem for path in recipes.FOLDER.glob("*.cu")}, stems)
        for recipe in recipes.all_recipes():
            self.assertTrue(recipe.source.is_file(), recipe)

    def test_every_program_of_examples_is_in_the_corpus_in_all_variants(self):
        names = [recipe.name for recipe in recipes.all_recipes()]
        programs = [path.stem for path in (toolchain.SOURCE_DIR / "examples/targets").glob("*.cpp")]
        self.assertIn("vector_add", programs)
        for program in [*programs, "01_count_accesses", "before"]:
            for variant in ("sm_80", "sm_90.G", "sm_90.lineinfo", "sm_90.rdc", "sm_90.dlto"):
                self.assertIn(f"{program}.{variant}", names)


class MakeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.out = self.root / "out"
        self.source = self.root / "a.cu"
        self.source.write_text("// one", encoding="utf-8")
        self.calls = []
        self.ptx = PTX
        self.compiler = "13.0"
        everything = [recipes.Recipe("nvcc", self.source, f"sm_{number}", ()) for number in (80, 90)]
        for patched in (
                mock.patch.object(toolchain, "SOURCE_DIR", self.root), mock.patch.object(toolchain, "NVCC", "nvcc"),
                mock.patch.object(recipes, "all_recipes", lambda: everything),
                mock.patch.object(make_corpus, "find_missing", dict),
                mock.patch.object(make_corpus, "compiler_of", lambda recipe: self.compiler),
                mock.patch.dict(make_corpus.MAKE, {"nvcc": self.compile})):
            patched.start()
            self.addCleanup(patched.stop)

    def compile(self, recipe, output, _scratch):
        self.calls.append(recipe.arch)
        if not self.ptx:
            raise RuntimeError("a.cu(3): error: no")
        output.write_text(self.ptx, encoding="utf-8")
        return ["a.cu"]

    def run_main(self, *arguments):
        said, complaints = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complaints):
            try:
                status = make_corpus.main([str(self.out), "--jobs", "1", *arguments])
            except SystemExit as ended:
                status = ended.code
        return status, said.getvalue() + complaints.getvalue()

    def manifest(self):
        return {entry["file"]: entry for entry in
                json.loads((self.out / make_corpus.MANIFEST).read_text(encoding="utf-8"))}

    def test_files_are_made_and_listed(self):
        status, said = self.run_main()
        self.assertEqual(status, 0, said)
        self.assertIn("2 made, 0 kept, 0 failed", said)
        entry = self.manifest()["a.sm_90.ptx"]
        self.assertEqual({name: entry[name] for name in ("origin", "arch", "ptx_version", "bytes", "needs")},
                         {"origin": "a.cu", "arch": "sm_90a", "ptx_version": "9.0", "bytes": len(PTX), "needs": []})
        self.assertEqual((self.out / "a.sm_90.ptx").read_text(encoding="utf-8"), PTX)

    def test_a_second_run_keeps_them(self):
        self.run_main()
        status, said = self.run_main()
        self.assertEqual((status, len(self.calls)), (0, 2))
        self.assertIn("0 made, 2 kept", said)

    def test_another_source_compiler_or_file_is_made_anew(self):
        self.run_main()
        self.source.write_text("// two", encoding="utf-8")
        self.assertIn("2 made", self.run_main()[1])
        self.compiler = "13.1"
        self.assertIn("2 made", self.run_main()[1])
        (self.out / "a.sm_80.ptx").write_text("cut", encoding="utf-8")
        self.assertIn("1 made, 1 kept", self.run_main()[1])

    def test_only_the_named_files_are_made_and_the_others_stay(self):
        self.run_main("--only", "*.sm_80")
        self.assertEqual(self.calls, ["sm_80"])
        self.run_main("--only", "a.sm_90")
        self.assertEqual(set(self.manifest()), {"a.sm_80.ptx", "a.sm_90.ptx"})
        status, said = self.run_main("--only", "b*")
        self.assertEqual(status, 2)
        self.assertIn("no file has the name b*", said)

    def test_a_failure_is_one_line_and_leaves_no_file(self):
        self.run_main()
        self.source.write_text("// bad", encoding="utf-8")
        self.ptx = ""
        status, said = self.run_main("--only", "a.sm_80")
        self.assertEqual(status, 1)
        self.assertIn("a.cu(3): error: no", said)
        self.assertEqual(set(self.manifest()), {"a.sm_90.ptx"})
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["a.sm_90.ptx", make_corpus.MANIFEST])

    def test_output_that_is_no_ptx_is_a_failure(self):
        self.ptx = "ELF"
        self.assertEqual(self.run_main()[0], 1)
        self.assertEqual(self.manifest(), {})

    def test_a_maker_that_is_missing_is_one_line_and_no_failure(self):
        with mock.patch.object(make_corpus, "find_missing", lambda: {"nvcc": "it is not here"}):
            status, said = self.run_main()
        self.assertEqual(status, 0)
        self.assertIn("off: the files made by nvcc: it is not here\n", said)
        self.assertIn("2 off", said)

    def test_files_of_recipes_that_are_gone_are_removed_by_a_whole_run(self):
        self.run_main()
        with mock.patch.object(recipes, "all_recipes", lambda: [recipes.Recipe("nvcc", self.source, "sm_90", ())]):
            self.run_main()
        self.assertFalse((self.out / "a.sm_80.ptx").exists())
        self.assertEqual(set(self.manifest()), {"a.sm_90.ptx"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
