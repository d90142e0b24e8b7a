# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-in for ptxas in front of NVIDIA's, alone and called by nvcc through a view of the toolkit."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = os.environ["PASTA_PTXAS_PROGRAM"]
FAKE_REWRITE = os.environ["PASTA_PTXAS_FAKE_REWRITE"]
MAKE_VIEW = os.environ["PASTA_PTXAS_MAKE_VIEW"]


def find_toolkit():
    """Where nvcc says it is: the nvcc that was found may be a script that calls another."""
    if not os.environ.get("PASTA_NVCC"):
        return ""
    words = [os.environ["PASTA_NVCC"], "--dryrun", "-E", "-x", "cu", "/dev/null"]
    text = subprocess.run(words, check=False, capture_output=True, text=True).stderr
    here = re.search(r"^#\$ _HERE_=(.*)$", text, re.MULTILINE)
    return os.path.dirname(os.path.realpath(here.group(1))) if here else ""


TOOLKIT = find_toolkit()
NVCC = os.path.join(TOOLKIT, "bin", "nvcc")
PTXAS = os.path.join(TOOLKIT, "bin", "ptxas")
STATE = "pasta_test_state"
MARKER_START = "// instrumented by PASTA "

PTX = """.version 7.8
.target sm_80
.address_size 64
.visible .entry {name}(.param .u64 p)
{{
\t.reg .b32 %r<2>;
\t.reg .b64 %rd<3>;
\tld.param.u64 %rd1, [p];
\tcvta.to.global.u64 %rd2, %rd1;
\tld.global.u32 %r1, [%rd2];
\tst.global.u32 [%rd2+4], %r1;
\tret;
}}
"""
CUDA = "__global__ void copy(float* to, float const* from) { to[threadIdx.x] = from[threadIdx.x]; }\n"


@unittest.skipUnless(TOOLKIT and os.access(PTXAS, os.X_OK), "nvcc and ptxas were not found")
class RealTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="pasta real ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.temporary = tempfile.mkdtemp(prefix="pasta-tmp-")
        self.addCleanup(shutil.rmtree, self.temporary, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("PASTA_", "CUDA_"))}
        self.environment |= {"TMPDIR": self.temporary}

    def tearDown(self):
        self.assertEqual(os.listdir(self.temporary), [], "left behind")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        Path(self.path(name)).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def read(self, name):
        return Path(self.path(name)).read_bytes()

    def run_it(self, *words, status=0, **more):
        environment = {k: more.pop(k) for k in list(more) if k.isupper()}
        if "input" not in more:
            more["stdin"] = subprocess.DEVNULL
        done = subprocess.run(
            words, check=False, cwd=self.folder, env=self.environment | environment, capture_output=True, timeout=300,
            **more,
        )
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr.decode())
        return done

    def compare(self, *words, program=PROGRAM, status=0, **environment):
        """Runs NVIDIA's ptxas and the program; @return the program's messages and both outputs."""
        pipe = {"input": environment.pop("input")} if "input" in environment else {}
        for name in ("theirs", "ours"):
            Path(self.path(name)).unlink(missing_ok=True)
        theirs = self.run_it(PTXAS, *words, "-o", "theirs", status=status, **pipe)
        ours = self.run_it(program, *words, "-o", "ours", status=status, PASTA_PTXAS=PTXAS, **environment, **pipe)
        self.assertEqual(ours.stdout, theirs.stdout)
        self.assertEqual(os.path.exists(self.path("ours")), os.path.exists(self.path("theirs")))
        outputs = [self.read(name) for name in ("theirs", "ours") if os.path.exists(self.path(name))]
        messages = [re.sub("Compile time = .*", "", done.stderr.decode()) for done in (theirs, ours)]
        return messages[0], messages[1], outputs


class PtxasTest(RealTest):
    def setUp(self):
        super().setUp()
        self.write("a.ptx", PTX.format(name="a"))
        self.write("b.ptx", PTX.format(name="b"))

    def test_version_and_help_are_unchanged(self):
        for word in ("--version", "-V", "--help", "--list-version"):
            for tools in ("", "access_count"):
                theirs = self.run_it(PTXAS, word)
                ours = self.run_it(PROGRAM, word, PASTA_PTXAS=PTXAS, PASTA_PTX_TOOLS=tools)
                self.assertEqual((ours.stdout, ours.stderr), (theirs.stdout, theirs.stderr))

    def test_every_option_of_its_help_is_known(self):
        """A newer ptxas with more options fails here first."""
        text = self.run_it(PTXAS, "--help").stdout.decode()
        names = [word for line in text.splitlines() if line.startswith("--") for word in line.split()[:1]]
        self.assertGreater(len(names), 40)
        for name in names:
            for words in ([name, "a.ptx"], [name, "1", "a.ptx"]):
                done = self.run_it(PROGRAM, *words, status=None, PASTA_PTXAS=PTXAS, PASTA_PTX_TOOLS="access_count")
                self.assertNotIn("is not known", done.stderr.decode())

    def test_without_tools_cubins_and_messages_are_equal_byte_for_byte(self):
        self.write("options", "-arch sm_90 -v")
        for words in (
            ["-arch", "sm_90", "a.ptx"],
            ["-arch=sm_80", "-v", "-lineinfo", "a.ptx", "b.ptx"],
            ["-arch=sm_80", "-g", "a.ptx"],
            ["-c", "-optf", "options", "a.ptx"],
            ["-arch=sm_80", "-ias", PTX.format(name="c"), "a.ptx"],
        ):
            with self.subTest(words=words):
                theirs, ours, outputs = self.compare(*words)
                self.assertEqual(ours, theirs)
                if "-g" not in words:  # whose cubin has the command line in it
                    self.assertEqual(outputs[0], outputs[1])
        theirs, ours, outputs = self.compare("-arch=sm_80", "-", input=PTX.format(name="a").encode())
        self.assertEqual((ours, outputs[0]), (theirs, outputs[1]))

    def test_a_marked_text_gives_the_same_code(self):
        """Nothing but the text of an input is changed: with a text that says the same, so does the cubin."""
        marked = self.write("marked.ptx", "// a comment\n" + PTX.format(name="a"))
        theirs, ours, outputs = self.compare("-arch", "sm_90", "-v", marked)
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(theirs, ours)

    def test_instrumented_texts_are_assembled(self):
        for words, more in (
            (["a.ptx"], {}),
            (["-lineinfo", "a.ptx"], {}),
            (["-g", "a.ptx"], {}),
            (["-c", "a.ptx"], {}),
            (["-"], {"input": PTX.format(name="a").encode()}),
            (["-ias", PTX.format(name="a")], {}),
        ):
            with self.subTest(words=words[0]):
                done = self.run_it(
                    FAKE_REWRITE, "-arch=sm_80", *words, "-o", "out", PASTA_PTXAS=PTXAS, PASTA_PTX_TOOLS="access_count",
                    PASTA_PTX_STRICT="1", **more,
                )
                self.assertNotIn(b"pasta", done.stderr)
                self.assertIn(STATE.encode(), self.read("out"))

    def test_debug_information_does_not_change_from_run_to_run(self):
        for name in ("one", "two"):
            self.run_it(
                FAKE_REWRITE, "-arch=sm_80", "-g", "a.ptx", "-o", "out", PASTA_PTXAS=PTXAS,
                PASTA_PTX_TOOLS="access_count", PASTA_PTX_STRICT="1",
            )
            os.rename(self.path("out"), self.path(name))
        self.assertEqual(self.read("one"), self.read("two"))

    def test_a_text_that_is_refused_gives_the_native_cubin(self):
        self.write("a.ptx", PTX.format(name="a") + "// test: refused\n")
        theirs, ours, outputs = self.compare(
            "-arch=sm_80", "a.ptx", program=FAKE_REWRITE, PASTA_PTX_TOOLS="access_count"
        )
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(theirs, "")
        line = "pasta: a.ptx is not instrumented: ptxas refused the instrumented text: ptxas a.ptx, line "
        self.assertTrue(ours.startswith(line), ours)

    def test_bad_inputs_fail_as_natively(self):
        good = PTX.format(name="a")
        bad = {
            "syntax": good.replace("ld.global", "ld.globul"),
            "cut": good[:-3],
            "empty": "",
            "text": "not PTX",
            "later": good.replace("7.8", "99.0"),
            "binary": bytes(range(256)),
        }
        for name, text in bad.items():
            for program in (PROGRAM, FAKE_REWRITE):
                with self.subTest(name=name, program=program):
                    self.write(name, text)
                    theirs, ours, outputs = self.compare(
                        "-arch=sm_80", name, program=program, status=255, PASTA_PTX_TOOLS="access_count"
                    )
                    self.assertEqual(outputs, [])
                    lines = [line for line in ours.splitlines(True) if not line.startswith("pasta: ")]
                    self.assertEqual("".join(lines), theirs)
        theirs, ours, _ = self.compare("-arch=sm_80", self.folder, "none", status=255, PASTA_PTX_TOOLS="access_count")
        self.assertEqual(ours, theirs)

    def test_lines_that_end_with_carriage_returns(self):
        self.write("a.ptx", PTX.format(name="a").replace("\n", "\r\n"))
        self.run_it(
            PROGRAM, "-arch=sm_80", "a.ptx", "-o", "out", PASTA_PTXAS=PTXAS, PASTA_PTX_TOOLS="access_count",
            PASTA_PTX_STRICT="1",
        )

    def test_the_marker_of_the_real_rewriting(self):
        self.run_it(
            PROGRAM, "-arch=sm_80", "a.ptx", "-o", "out", PASTA_PTXAS=PTXAS, PASTA_PTX_TOOLS="access_count",
            PASTA_PTX_STRICT="1", PASTA_PTX_IN_PLACE="1",
        )
        self.assertTrue(self.read("a.ptx").startswith(MARKER_START.encode()))


class ViewFolderTest(RealTest):
    """With a source for nvcc, and views of the toolkit to call it through."""

    def setUp(self):
        super().setUp()
        self.write("x.cu", CUDA)

    def view(self, program=PROGRAM, name="view of it"):
        self.run_it(MAKE_VIEW, TOOLKIT, program, name)
        return os.path.join(self.path(name), "bin", "nvcc")

    def nvcc(self, nvcc, *words, **environment):
        return self.run_it(nvcc, *words, "x.cu", **environment)


class ViewTest(ViewFolderTest):
    def test_nvcc_calls_the_drop_in(self):
        done = self.nvcc(self.view(), "-arch=sm_90", "-cubin", "-o", "x.cubin", PASTA_DEBUG="1")
        self.assertIn("ptxas.real beside this program)", done.stderr.decode())

    def test_without_tools_the_cubin_is_the_native_one(self):
        for words in ([], ["-lineinfo"], ["-rdc=true"]):
            for nvcc, name in ((NVCC, "theirs"), (self.view(), "ours")):
                self.nvcc(nvcc, "-arch=sm_90", *words, "-cubin", "-o", name)
            self.assertEqual(self.read("theirs"), self.read("ours"))

    def test_found_in_path_and_by_a_relative_name(self):
        folder = os.path.dirname(self.view())
        path = f"{folder}:{self.environment['PATH']}"
        done = self.run_it("/bin/sh", "-c", "nvcc -c x.cu -o x.o", PASTA_DEBUG="1", PATH=path)
        self.assertIn("ptxas.real beside this program)", done.stderr.decode())
        done = self.run_it("/bin/sh", "-c", "'./view of it/bin/nvcc' -c x.cu -o x.o", PASTA_DEBUG="1")
        self.assertIn("ptxas.real beside this program)", done.stderr.decode())

    def test_in_place_the_embedded_ptx_is_instrumented_too(self):
        nvcc = self.view(FAKE_REWRITE)
        architectures = ["-gencode", "arch=compute_80,code=[sm_80,sm_86,compute_80]"]
        two_texts = architectures + ["-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
        calls = ((1, architectures), (1, architectures + ["-t", "2"]), (2, two_texts + ["-t", "2"]))
        for in_place in ("0", "1"):
            for number, (text_count, words) in enumerate(calls):
                with self.subTest(in_place=in_place, words=words):
                    keep = self.path(f"keep {in_place} {number}")
                    os.mkdir(keep)
                    self.nvcc(
                        nvcc, *words, "--keep", "--keep-dir", keep, "--fatbin", "--no-compress", "-o", "x.fatbin",
                        PASTA_PTX_TOOLS="access_count", PASTA_PTX_STRICT="1", PASTA_PTX_IN_PLACE=in_place,
                    )
                    texts = list(Path(keep).glob("*.ptx"))
                    self.assertEqual(len(texts), text_count)
                    for text in texts:
                        self.assertEqual(text.read_text(encoding="utf-8").startswith(MARKER_START), in_place == "1")
                    cubins = list(Path(keep).glob("*.cubin"))
                    self.assertEqual(len(cubins), 1 + text_count)
                    for cubin in cubins:
                        self.assertIn(STATE.encode(), cubin.read_bytes())
                    # nvcc takes comments away; what was declared stays.
                    declared = self.read("x.fatbin").count(f".u64 {STATE};".encode())
                    self.assertEqual(declared, text_count if in_place == "1" else 0)

    def test_a_program_that_is_linked(self):
        nvcc = self.view(FAKE_REWRITE)
        self.write("x.cu", CUDA + "int main() { copy<<<1, 32>>>(nullptr, nullptr); }\n")
        environment = {"PASTA_PTX_TOOLS": "access_count", "PASTA_PTX_STRICT": "1", "PASTA_PTX_IN_PLACE": "1"}
        self.nvcc(nvcc, "-arch=sm_90", "-o", "x", "--no-compress", **environment)
        self.assertIn(STATE.encode(), self.read("x"))
        self.nvcc(nvcc, "-arch=sm_90", "-rdc=true", "-o", "x", "--no-compress", **environment)

    def test_making_it_again_changes_nothing(self):
        self.view()
        before = os.stat(self.path("view of it"))
        self.view()
        self.assertEqual(os.stat(self.path("view of it")).st_ino, before.st_ino)
        self.assertEqual(sorted(os.listdir(self.folder)), ["view of it", "x.cu"])

    def test_another_drop_in_replaces_it(self):
        self.view()
        self.view(FAKE_REWRITE)
        self.assertEqual(os.readlink(self.path("view of it/bin/ptxas")), os.path.realpath(FAKE_REWRITE))
        self.assertEqual(sorted(os.listdir(self.folder)), ["view of it", "x.cu"])

    def test_sixteen_make_it_at_once(self):
        with ThreadPoolExecutor(16) as pool:
            for _ in pool.map(lambda i: self.view((PROGRAM, FAKE_REWRITE)[i % 2]), range(16)):
                pass
        self.assertEqual(sorted(os.listdir(self.folder)), ["view of it", "x.cu"])
        self.nvcc(self.view(), "-arch=sm_90", "-cubin", "-o", "x.cubin")

    def test_what_is_no_toolkit_or_is_in_the_way(self):
        done = self.run_it(MAKE_VIEW, self.folder, PROGRAM, "view", status=125)
        self.assertRegex(done.stderr.decode(), r"\Acannot make view: .* is no CUDA toolkit, it has no bin/nvcc\n\Z")
        for make in (lambda: self.write("taken", "x"), lambda: os.makedirs(self.path("folder/with"))):
            make()
        for name in ("taken", "folder"):
            done = self.run_it(MAKE_VIEW, TOOLKIT, PROGRAM, name, status=125)
            self.assertEqual(done.stderr.decode(), f"cannot make {name}: something else is there\n")
        self.view()
        done = self.run_it(MAKE_VIEW, self.path("view of it"), PROGRAM, "view", status=125)
        self.assertIn("is such a folder itself", done.stderr.decode())
        done = self.run_it(MAKE_VIEW, TOOLKIT, PROGRAM, "none/view", status=125)
        self.assertIn("No such file or directory", done.stderr.decode())
        self.assertEqual(sorted(os.listdir(self.folder)), ["folder", "taken", "view of it", "x.cu"])


@unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
class CacheTest(ViewFolderTest):
    """What README.md says of ccache: a namespace keeps instrumented objects from native ones."""

    def test_a_namespace_parts_instrumented_objects_from_native_ones(self):
        nvcc = self.view(FAKE_REWRITE)
        environment = {"CCACHE_DIR": self.path("cache"), "CCACHE_NAMESPACE": "", "CCACHE_TEMPDIR": self.path("tmp")}
        tools = {"PASTA_PTX_TOOLS": "access_count", "CCACHE_NAMESPACE": "pasta-access_count"}
        for number, more in enumerate(({}, tools, {}, tools)):
            self.run_it("ccache", nvcc, "--no-compress", "-c", "x.cu", "-o", f"{number}.o", **(environment | more))
            self.assertEqual(STATE.encode() in self.read(f"{number}.o"), number % 2 == 1)
        statistics = self.run_it("ccache", "--print-stats", **environment).stdout.decode()
        hits = sum(map(int, re.findall(r"(?:direct|preprocessed)_cache_hit\t(\d+)", statistics)))
        self.assertEqual(hits, 2, statistics)


if __name__ == "__main__":
    unittest.main()
