# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-in for nvlink: in front of a fake one, and in front of NVIDIA's, called by nvcc through a view."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

import ptxas_test
import real_test

HERE = Path(__file__).resolve().parent
FAKE = str(HERE / "fake_nvlink.py")
PTX, STATE = ptxas_test.PTX, ptxas_test.STATE
PARTIAL = PTX.replace(".visible", ".extern .func other;\n.visible")
ENDS = ["-o", "out.cubin"]


class FakeLinkTest(ptxas_test.PtxasTest):
    """The program is called by the name nvlink."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        os.symlink(ptxas_test.PROGRAM, self.path("bin/nvlink"))
        self.environment |= {"PASTA_NVLINK": FAKE, "FAKE_LINK_LOG": self.path("links"), "FAKE_PTX": PTX}
        for name in ("a.o", "b.o", "libc.a"):
            self.write(name, name + "\n")

    def link(self, *words, **more):
        return self.run_it(*words, program=self.path("bin/nvlink"), **more)

    def links(self):
        if not os.path.exists(self.path("links")):
            return []
        return [json.loads(line) for line in self.read("links").splitlines()]

    def check_native(self, *parts, **more):
        """Linked as it was, with one line; strict there is no output."""
        done = self.link("-arch", "sm_90", "-dlto", "a.o", "b.o", *ENDS, **more)
        self.check(done)
        self.assertEqual(self.read("out.cubin"), "a.o\nb.o\n")
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("pasta: ")]
        self.assertTrue(line.startswith("pasta: out.cubin is not instrumented: "), line)
        for part in parts:
            self.assertIn(part, line)
        done = self.link("-arch", "sm_90", "-dlto", "a.o", "b.o", *ENDS, PASTA_PTX_STRICT="1", **more)
        self.assertEqual(done.returncode, 125)
        self.assertIn(line, done.stderr.splitlines())
        self.assertFalse(os.path.exists(self.path("out.cubin")))
        self.check_nothing_left()

    def check_nothing_left(self):
        self.assertEqual([name for name in os.listdir(self.folder) if "pasta-" in name], [])

    def test_without_tools_or_without_dlto_it_is_nvlink(self):
        for tools, words in (("", ["-dlto", "-new", "a.o"]), ("access_count", ["-arch=sm_90", "-lcudadevrt", "b.o"])):
            done = self.link(*words, *ENDS, PASTA_PTX_TOOLS=tools)
            self.check(done, 0, "")
            self.assertEqual(self.links()[-1]["words"], words + ENDS)
        self.assertEqual(len(self.links()), 2)
        done = self.link("--version")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "nvlink: a fake\n", ""))

    def test_what_is_optimised_at_link_time_is_instrumented(self):
        words = ["-arch", "sm_90", "--register-link-binaries=r.c", "-dlto", "-Xptxas", "-O1", "a.o", "b.o"]
        done = self.link(*words, *ENDS)
        self.check(done, 0, ptxas_test.warning_of("out.cubin"))
        self.check_instrumented(self.read("out.cubin"))
        self.assertEqual(len(self.links()), 2)
        self.assertEqual(["--register-link-binaries=r.c" in link["words"] for link in sorted(
            self.links(), key=lambda link: "-emit-ptx" in link["words"])], [True, False])
        words = next(call["words"] for call in self.all_calls() if STATE in call["texts"][0])
        self.assertEqual(words[:5], ["-arch", "sm_90", "-m", "64", "-O1"])
        self.assertNotIn("-c", words)
        self.check_nothing_left()

    def test_the_output_keeps_its_mode(self):
        previous = os.umask(0o027)
        self.addCleanup(os.umask, previous)
        self.check(self.link("-arch", "sm_90", "-dlto", "a.o", *ENDS))
        self.assertEqual(os.stat(self.path("out.cubin")).st_mode & 0o777, 0o640)

    def test_what_is_not_made_for_it_is_joined(self):
        self.check(self.link("-arch", "sm_90", "-dlto", "a.o", "b.o", "libc.a", "-lcudadevrt", *ENDS,
                             FAKE_PTX=PARTIAL, FAKE_OTHERS="b.o,libc.a:c.o"))
        (joined,) = [link for link in self.links() if "-dlto" not in link["words"]]
        self.assertEqual(joined["inputs"][1:], ["b.o", "libc.a"])
        self.assertTrue(joined["inputs"][0].endswith(".cubin"))
        self.assertIn("-lcudadevrt", joined["words"])
        text = self.read("out.cubin")
        self.check_instrumented(text)
        self.assertTrue(text.endswith("b.o\nlibc.a\n"))
        self.assertTrue(all("-c" in call["words"] for call in self.all_calls()))
        self.check_nothing_left()

    def test_a_join_that_fails_leaves_the_link_as_it_was(self):
        self.check_native("cannot be joined with the rest: nvlink error   : not with me, out.cubin", FAKE_PTX=PARTIAL,
                          FAKE_FAILS_ON="-ignore-host-info")

    def test_without_ptx_the_link_is_as_it_was(self):
        self.check_native("nvlink gives no PTX: nvlink error   : not with me", FAKE_FAILS_ON="-emit-ptx")

    def test_a_link_that_fails_fails_as_it_was(self):
        done = self.link("-arch", "sm_90", "-dlto", "a.o", "-g", *ENDS, FAKE_FAILS_ON="-g")
        self.check(done, 1, "nvlink error   : not with me, a.o\nnvlink fatal   : merge_elf failed\n")

    def test_without_ptxas_the_link_is_as_it_was(self):
        self.check_native("PASTA_PTXAS=/no/where", PASTA_PTXAS="/no/where")

    def test_ptx_that_is_refused_leaves_the_link_as_it_was(self):
        done = self.link("-arch", "sm_90", "-dlto", "a.o", *ENDS, FAKE_REFUSES=".entry")
        self.check(done)
        self.assertEqual(self.read("out.cubin"), "a.o\n")
        self.assertIn("pasta: out.cubin is not instrumented: its PTX cannot be assembled: it ended with status 255\n",
                      done.stderr)
        self.check_nothing_left()

    def test_ptx_that_cannot_be_instrumented_is_told_once(self):
        crash = PTX + "// test: crash\n"
        done = self.link("-arch", "sm_90", "-dlto", "a.o", *ENDS, FAKE_PTX=crash)
        self.check(done)
        self.assertEqual(self.read("out.cubin"), crash)
        self.assertEqual(done.stderr.count("out.cubin is not instrumented: "), 1)
        done = self.link("-arch", "sm_90", "-dlto", "a.o", *ENDS, FAKE_PTX=crash, PASTA_PTX_STRICT="1")
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr.count("out.cubin is not instrumented: "), 1)
        self.assertFalse(os.path.exists(self.path("out.cubin")))

    def test_nothing_to_optimise(self):
        done = self.link("-arch", "sm_90", "-dlto", "a.o", *ENDS, FAKE_PTX="\x7fELF", PASTA_PTX_STRICT="1")
        self.check(done, 0, "")
        self.assertEqual(self.read("out.cubin"), "a.o\n")

    def test_what_is_not_handled_is_left_to_nvlink(self):
        for words, reason in ((["-r"], "relocatable"), (["--new"], "the option --new is not known")):
            done = self.link("-arch", "sm_90", "-dlto", *words, "a.o", *ENDS)
            self.check(done)
            self.assertRegex(done.stderr, rf"\Apasta: nothing is instrumented: [^\n]*{reason}[^\n]*\n\Z")
            done = self.link("-arch", "sm_90", "-dlto", *words, "a.o", *ENDS, PASTA_PTX_STRICT="1")
            self.check_refusal(done, 125, reason)
        self.check(self.link("-arch", "sm_90", "-dlto", "-emit-ptx", "a.o", *ENDS), 0, "")
        self.assertEqual(self.read("out.cubin"), PTX)

    def test_a_script_that_leads_back_is_one_line(self):
        self.write("nvlink", f'#!/bin/sh\nexec "{self.path("bin/nvlink")}" "$@"\n')
        os.chmod(self.path("nvlink"), 0o755)
        done = self.link("a.o", *ENDS, PASTA_NVLINK=self.path("nvlink"), timeout=20)
        self.check_refusal(done, 125, "the nvlink that was found leads back to this program; set PASTA_NVLINK")

    def test_signals_end_it(self):
        options = self.options({"FAKE_LINK_SECONDS": "30", "FAKE_LINK_STARTED": self.path("started")},
                               {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE})
        process = subprocess.Popen([self.path("bin/nvlink"), "-arch", "sm_90", "-dlto", "a.o", *ENDS], **options)
        began = time.monotonic()
        while not os.path.exists(self.path("started")) and time.monotonic() - began < 20:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.check_nothing_left()


MAIN = """extern __device__ float sum(float const*, int);
__global__ void kernel(float* a, int n) { a[threadIdx.x] = sum(a, n); }
int main() { kernel<<<1, 32>>>(nullptr, 3); }
"""
SUM = """__device__ float sum(float const* a, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  return s;
}
"""


class RealLinkTest(real_test.ViewFolderTest):
    def setUp(self):
        super().setUp()
        self.write("a.cu", MAIN)
        self.write("b.cu", SUM)
        self.toolkit = self.make_toolkit()
        if not list(Path(self.toolkit, "nvvm", "lib64").glob("libnvvm.so*")):
            self.skipTest("libnvvm was not found")
        self.run_it(real_test.MAKE_VIEW, self.toolkit, real_test.PROGRAM, "view of it")
        self.ours, self.theirs = self.path("view of it/bin/nvcc"), os.path.join(self.toolkit, "bin", "nvcc")
        self.tools = {"PASTA_PTX_TOOLS": "access_count", "PASTA_PTX_STRICT": "1"}

    def make_toolkit(self):
        """The toolkit; where libnvvm is not in the place that nvlink expects, a folder of links that has it there."""
        toolkit = Path(real_test.TOOLKIT)
        libraries = list((toolkit / "lib").glob("libnvvm.so*"))
        if (toolkit / "nvvm" / "lib64").exists() or not libraries:
            return str(toolkit)
        made = Path(self.path("tool kit"))
        for folder in (made, made / "bin", made / "nvvm"):
            folder.mkdir()
            for entry in (toolkit / folder.relative_to(made)).iterdir():
                if not (entry.is_dir() and entry.name in ("bin", "nvvm") and folder == made):
                    (folder / entry.name).symlink_to(entry)
        (made / "bin" / "nvcc.profile").unlink()
        shutil.copy(toolkit / "bin" / "nvcc.profile", made / "bin")
        (made / "nvvm" / "lib64").mkdir()
        for library in libraries:
            for name in {library.name, "libnvvm.so"}:
                place = made / "nvvm" / "lib64" / name
                if not place.exists():
                    place.symlink_to(library)
        return str(made)

    def build(self, nvcc, output, *words, **environment):
        return self.run_it(nvcc, "-arch=sm_90", *words, "-o", output, **environment)

    def test_a_program_of_two_files_is_instrumented_at_link_time(self):
        done = self.build(self.ours, "program", "-dlto", "--no-compress", "a.cu", "b.cu", **self.tools)
        self.assertEqual(done.stderr.decode(), "")
        self.assertIn(b"pasta_state_", self.read("program"))
        self.build(self.theirs, "native", "-dlto", "--no-compress", "a.cu", "b.cu")
        self.assertNotIn(b"pasta_state_", self.read("native"))

    def test_files_that_are_not_made_for_it_are_joined(self):
        self.build(self.theirs, "a.o", "-dlto", "-dc", "a.cu")
        self.build(self.theirs, "b.o", "-dc", "b.cu")
        self.build(self.ours, "x.cubin", "-dlto", "-dlink", "-cubin", "a.o", "b.o", **self.tools)
        code = self.read("x.cubin")
        self.assertIn(b"pasta_state_", code)
        for name in (b".text._Z6kernelPfi", b".text._Z3sumPKfi"):
            self.assertIn(name, code)

    def test_links_without_it_are_the_native_ones_byte_for_byte(self):
        for name in ("a", "b"):
            self.build(self.theirs, f"{name}.o", "-rdc=true", "-c", f"{name}.cu")
        for number, environment in enumerate(({}, self.tools)):
            self.build(self.ours, f"{number}.cubin", "-dlink", "-cubin", "a.o", "b.o", **environment)
        self.build(self.theirs, "native.cubin", "-dlink", "-cubin", "a.o", "b.o")
        for number in range(2):
            self.assertEqual(self.read(f"{number}.cubin"), self.read("native.cubin"))

    def test_without_tools_an_optimised_link_is_the_native_one(self):
        for name in ("a", "b"):
            self.build(self.theirs, f"{name}.o", "-dlto", "-dc", f"{name}.cu")
        for nvcc, output in ((self.theirs, "native.cubin"), (self.ours, "ours.cubin")):
            self.build(nvcc, output, "-dlto", "-dlink", "-cubin", "a.o", "b.o")
        self.assertEqual(self.read("ours.cubin"), self.read("native.cubin"))

    def test_options_reach_ptxas_as_through_nvlink(self):
        """A cubin tells the words of the ptxas that made it; nvlink's own does too."""
        for name in ("a", "b"):
            self.build(self.theirs, f"{name}.o", "-dlto", "-dc", f"{name}.cu")
        for words in ([], ["-maxrregcount=40"], ["-Xptxas=-O1,-dlcm=cg"]):
            notes = []
            for nvcc, environment in ((self.theirs, {}), (self.ours, self.tools)):
                self.build(nvcc, "x.cubin", "-dlto", "-dlink", "-cubin", *words, "a.o", "b.o", **environment)
                code = self.read("x.cubin")
                begin = code.index(b"Cuda compilation tools")
                note = code[begin:code.index(b"\0\0", begin)].split(b"\0")[2].decode()
                notes.append(sorted(word for word in note.replace(" -v ", " ").split() if word not in ("-v",)))
            with self.subTest(words=words):
                self.assertIn("sm_90", notes[0])
                self.assertEqual(notes[0], notes[1])


for inherited in ("PtxasTest", "ViewFolderTest", "RealTest"):
    globals().pop(inherited, None)

if __name__ == "__main__":
    unittest.main()
