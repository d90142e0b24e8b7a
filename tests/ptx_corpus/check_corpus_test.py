# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""check_corpus.py passes what changes nothing and fails what breaks a file, with the real ptxas.

usage: check_corpus_test.py CORPUS
CORPUS is a folder that make_corpus.py made and that holds native_kernels.sm_90.ptx.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_file
import toolchain

SCRIPT = pathlib.Path(__file__).with_name("check_corpus.py")
NAME = "native_kernels.sm_90"

# Each rewriter is Python's text: `text` is the PTX, what it is then is written.
BARRIER = r"text = text.replace('\tret;', '\tbar.sync 0;\n\tret;')"
CUT = "text = text[:len(text) // 2]"
# Where it writes and reads is known at run time alone, so that it stays in memory.
LOCAL_MEMORY = r"""
text = text.replace('\tret;', '''{
  .local .align 4 .b8 room[4096];
  .reg .b32 at, lane, time, value;
  .reg .pred is_odd;
  mov.u32 at, room;
  mov.u32 lane, %laneid;
  mad.lo.u32 lane, lane, 16, at;
  st.local.u32 [lane], at;
  mov.u32 time, %clock;
  and.b32 time, time, 4092;
  add.u32 at, at, time;
  ld.local.u32 value, [at];
  setp.eq.u32 is_odd, value, 3;
  @is_odd trap;
}
ret;''')
"""
NOTHING = ""
SITES = "open(sys.argv[3], 'w').write('{\"sites\": 4}')"


class CheckCorpusTest(unittest.TestCase):
    corpus = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def rewriter(self, change, more=""):
        script = self.folder / "rewriter.py"
        script.write_text(f"import sys\ntext = open(sys.argv[1]).read()\n{change}\n"
                          f"open(sys.argv[2], 'w').write(text)\n{more}\n", encoding="utf-8")
        return f"{sys.executable} {script} {{input}} {{output}} {{sites}} {{arch}}"

    def check(self, rewriter, *arguments, folder=None):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--rewriter", rewriter, folder or self.corpus, *arguments],
                              capture_output=True, text=True, check=False, timeout=100)

    def assert_violation(self, result, pattern):
        self.assertEqual(result.returncode, 1, result)
        lines = [line for line in result.stdout.splitlines() if line.startswith("violation: ")]
        self.assertTrue(lines, result)
        for line in lines:
            self.assertRegex(line, rf"^violation: {NAME}\.ptx: ")
        self.assertRegex(result.stdout, pattern)

    def test_what_changes_nothing_passes(self):
        for rewriter in ("cp {input} {output}", self.rewriter(NOTHING)):
            result = self.check(rewriter, "--only", NAME)
            self.assertEqual(result.returncode, 0, result)
            self.assertRegex(result.stdout, r"1 files, 4 kernels, \+0 instructions: 0 violations")

    def test_a_new_barrier_fails_unless_it_is_allowed(self):
        rewriter = self.rewriter(BARRIER)
        self.assert_violation(self.check(rewriter, "--only", NAME), r"vector_add\w+: 1 new barriers, limit 0")
        allowed = self.check(rewriter, "--only", NAME, "--new-barriers", "9")
        self.assertEqual(allowed.returncode, 0, allowed)

    def test_limits_of_some_files_are_higher(self):
        rewriter, limits = self.rewriter(BARRIER), self.folder / "limits.json"
        for files, status in (("*.sm_*", 0), (NAME, 0), ("another", 1)):
            row = {"files": files, "limits": {"barriers": 9}, "why": "a reason"}
            limits.write_text(json.dumps({"exceptions": [row], "measured": {}}))
            result = self.check(rewriter, "--only", NAME, "--limits", limits)
            self.assertEqual(result.returncode, status, result)

    def test_limits_that_are_not_understood_are_wrong_arguments(self):
        limits = self.folder / "limits.json"
        for text in ('{"exceptions": ["x"], "measured": {}}', '{"exceptions": 3, "measured": {}}', "[]", "{", "3"):
            limits.write_text(text)
            result = self.check("cp {input} {output}", "--limits", limits)
            self.assertEqual(result.returncode, 2, result)
            self.assertIn("--limits: ", result.stderr)

    def test_measured_limits_are_written_and_judged(self):
        limits, measured = self.folder / "limits.json", ("--measured", "instructions_per_site", "barriers")
        limits.write_text('{"exceptions": [], "measured": {}}')
        rewriter = self.rewriter(BARRIER, SITES)
        arguments = ("--only", NAME, "--limits", limits, *measured)
        self.assert_violation(self.check(rewriter, *arguments), "1 barriers, and no limit is known")
        written = self.check(rewriter, *arguments, "--write-limits")
        self.assertEqual(written.returncode, 0, written)
        row = json.loads(limits.read_text())["measured"][NAME]
        self.assertEqual(row["barriers"], 2)
        self.assertGreater(row["instructions_per_site"], 0)
        self.assertEqual(self.check(rewriter, *arguments).returncode, 0)
        limits.write_text(json.dumps({"exceptions": [], "measured": {NAME: row | {"instructions_per_site": 0.1}}}))
        self.assert_violation(self.check(rewriter, *arguments), r"[\d.]+ instructions_per_site, limit 0\.1")
        limits.write_text(json.dumps({"exceptions": [], "measured": {NAME: row | {"barriers": 0}}}))
        self.assert_violation(self.check(rewriter, *arguments), "1 new barriers, limit 0")

    def test_writing_limits_does_not_allow_what_is_not_measured(self):
        limits = self.folder / "limits.json"
        limits.write_text('{"exceptions": [], "measured": {}}')
        result = self.check(self.rewriter(BARRIER, SITES), "--only", NAME, "--limits", limits, "--measured",
                            "instructions_per_site", "--write-limits")
        self.assert_violation(result, "1 new barriers, limit 0")

    def test_what_was_not_reached_is_told_and_judged(self):
        # A table without sites: whatever accesses memory was passed over.
        table = r"{\"sites\": 1, \"table\": {\"functions\": [{\"name\": \"k\", \"why\": \"%s\", \"sites\": []}]}}"
        for why, most, pattern in (("it is odd", "1", r"100\.00 % of what is for counting are left out, limit 1 %"),
                                   ("", "100", r"\d+ ld\.global without a counter, and no reason is given")):
            more = f"open(sys.argv[3], 'w').write(\"{table % why}\")"
            result = self.check(self.rewriter(NOTHING, more), "--only", NAME, "--most-left-out", most)
            self.assertEqual(result.returncode, 1, result)
            self.assertRegex(result.stdout, pattern)
            self.assertIn("counters: 0 of ", result.stdout)
        more = f"open(sys.argv[3], 'w').write(\"{table % 'it is odd'}\")"
        result = self.check(self.rewriter(NOTHING, more), "--only", NAME, "--most-left-out", "100")
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stdout, r"no counter: \d+ ld\.global: it is odd")

    def test_a_rewriter_gets_the_native_registers(self):
        script = self.folder / "rewriter.py"
        script.write_text("import json, sys\nnative = json.load(open(sys.argv[3]))\n"
                          "assert native['relocatable'] is False\n"
                          "assert len(native['kernels']) == 4 and min(native['kernels'].values()) > 4\n"
                          "open(sys.argv[2], 'w').write(open(sys.argv[1]).read())\n", encoding="utf-8")
        result = self.check(f"{sys.executable} {script} {{input}} {{output}} {{registers}}", "--only", NAME)
        self.assertEqual(result.returncode, 0, result)

    def test_files_can_be_left_out(self):
        result = self.check(self.rewriter(BARRIER), "--only", "native_kernels.sm_90*", "--without", NAME,
                            "--new-barriers", "99")
        self.assertEqual(result.returncode, 0, result)
        self.assertNotIn(f"{NAME}.ptx", result.stdout)
        self.assertIn("ok: native_kernels.sm_90.rdc.ptx", result.stdout)
        self.assertEqual(self.check("cp {input} {output}", "--only", NAME, "--without", "native*").returncode, 2)

    def test_the_time_of_ptxas_is_told(self):
        result = self.check("cp {input} {output}", "--only", NAME)
        self.assertRegex(result.stdout, rf"ptxas: [\d.]+ s of the processor natively, [\d.]+ s rewritten; .*\n"
                         rf"  [\d.]+: {NAME}.ptx: ")

    def test_new_local_memory_fails(self):
        self.assert_violation(self.check(self.rewriter(LOCAL_MEMORY), "--only", NAME),
                              r"new local_accesses, limit 0")

    def test_a_file_that_is_cut_fails(self):
        self.assert_violation(self.check(self.rewriter(CUT), "--only", NAME), "the rewritten file does not assemble")

    def test_a_kernel_that_is_lost_fails(self):
        lost = r"text = text.replace('native6gather', 'native6falter')"
        result = self.check(self.rewriter(lost), "--only", NAME)
        self.assert_violation(result, r"gather\w+: only in the native file")
        self.assertRegex(result.stdout, r"falter\w+: only in the rewritten file")

    def test_a_rewriter_that_fails_or_writes_nothing_fails(self):
        self.assert_violation(self.check(self.rewriter("sys.exit('error: line 7 is odd')"), "--only", NAME),
                              "the rewriter failed: .* line 7 is odd")
        self.assert_violation(self.check(self.rewriter("sys.exit(0)"), "--only", NAME), "it wrote no output")
        self.assert_violation(self.check("./is_not_there {output}", "--only", NAME), "the rewriter failed: .*No such")

    def test_the_instructions_of_a_site_are_told(self):
        change = r"text = text.replace('\tret;', '\tbar.sync 0;\n\tbar.sync 0;\n\tret;')"
        result = self.check(self.rewriter(change, SITES), "--only", NAME, "--new-barriers", "9")
        self.assertEqual(result.returncode, 0, result)
        self.assertRegex(result.stdout, r"4 sites \(\d+\.\d instructions for each\)")

    def test_a_table_that_is_not_understood_fails(self):
        for table in ("[]", "{", '{"sites": -1}', '{"sites": true}', '{"sites": 1, "handled": "x"}',
                      '{"sites": 1, "table": {}}', '{"sites": 1, "ptx_instructions": 3}'):
            more = f"open(sys.argv[3], 'w').write({table!r})"
            self.assert_violation(self.check(self.rewriter(NOTHING, more), "--only", NAME), "the rewriter failed")

    def test_rewritten_files_are_kept_for_a_look(self):
        kept = self.folder / "kept"
        self.check(self.rewriter(BARRIER), "--only", NAME, "--keep", kept)
        self.assertIn("bar.sync 0;", (kept / f"{NAME}.ptx").read_text(encoding="utf-8"))

    def test_wrong_arguments_are_a_usage_error(self):
        for result in (self.check("cp {input}"), self.check("cp '{output}"), self.check("cp {output}", "--jobs", "0"),
                       self.check("cp {output}", "--only", "not_there"), self.check("cp {output}", "--write-limits"),
                       self.check("cp {output}", "--measured", "barriers"),
                       self.check("cp {output}", folder="/dev/null")):
            self.assertEqual(result.returncode, 2, result)
            self.assertIn("check_corpus.py: error: ", result.stderr)

    def test_a_native_file_is_assembled_anew_if_it_changed(self):
        corpus = self.folder / "corpus"
        corpus.mkdir()
        entry = next(entry for entry in json.loads((self.corpus / "manifest.json").read_text(encoding="utf-8"))
                     if entry["file"] == f"{NAME}.ptx")
        (corpus / "manifest.json").write_text(json.dumps([entry]), encoding="utf-8")
        text = (self.corpus / entry["file"]).read_text(encoding="utf-8")
        (corpus / entry["file"]).write_text(text, encoding="utf-8")
        self.assertEqual(self.check("cp {input} {output}", folder=corpus).returncode, 0)
        (corpus / entry["file"]).write_text(text.replace("\tret;", "\tbar.sync 0;\n\tret;"), encoding="utf-8")
        self.assertEqual(self.check("cp {input} {output}", folder=corpus).returncode, 0)


class PartsTest(unittest.TestCase):
    def test_only_the_places_of_a_command_are_filled_in(self):
        values = {"input": "a b", "output": "c", "sites": "d", "registers": "e", "arch": "sm_90"}
        self.assertEqual(check_file.fill_in(["x{input}y", "{other}", "--to={output}", "{arch}"], values),
                         ["xa by", "{other}", "--to=c", "sm_90"])

    def test_the_time_of_a_program_is_the_processors(self):
        said, seconds = toolchain.run_timed(["sh", "-c", "echo said; sleep 1"], timeout=30)
        self.assertEqual(said, "said\n")
        self.assertLess(seconds, 0.5)
        busy = "import time; begin = time.process_time()\nwhile time.process_time() - begin < 0.3: pass"
        self.assertGreater(toolchain.run_timed([sys.executable, "-c", busy], timeout=30)[1], 0.3)

    def test_a_program_that_fails_or_takes_too_long_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "sh ended with 3: an error"):
            toolchain.run_timed(["sh", "-c", "echo this; echo an error; exit 3"], timeout=30)
        with self.assertRaisesRegex(RuntimeError, "sleep ended with -9"):
            toolchain.run_timed(["sleep", "30"], timeout=0.2)


if __name__ == "__main__":
    if not toolchain.NVCC or not toolchain.NVDISASM:
        toolchain.compiler.skip("nvcc or nvdisasm was not found; scripts/cuda_tools build/cuda_tools installs both")
    if len(sys.argv) < 2 or not (pathlib.Path(sys.argv[1]) / f"{NAME}.ptx").exists():
        sys.exit(__doc__.split("usage: ")[1])
    CheckCorpusTest.corpus = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
