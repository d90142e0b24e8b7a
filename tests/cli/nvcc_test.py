# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""`pasta nvcc`: what it hands to nvcc, with a fake one that says what it got; and what is built, with NVIDIA's."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PASTA = os.environ["PASTA_CLI"]
FOLDER = os.path.dirname(os.path.abspath(__file__))
NVCC = os.environ.get("PASTA_NVCC", "")
TOOLS = ["--tools", "access_count"]

# Says what it was called with, and ends as its words say.
FAKE_NVCC = r"""#!/usr/bin/env python3
import json, os, signal, sys
if "--dryrun" in sys.argv:
    print("#$ _HERE_=" + os.path.dirname(os.path.realpath(__file__)), file=sys.stderr)
    sys.exit(0)
if "--list-gpu-code" in sys.argv:
    print("sm_80\nsm_90")
    sys.exit(0)
originals = os.environ.get("PASTA_PTX_ORIGINALS")
print(json.dumps({
    "words": sys.argv[1:], "environment": dict(os.environ), "program": sys.argv[0], "parent": os.getppid(),
    "has_originals": bool(originals) and os.path.isdir(originals), "input": sys.stdin.read(),
}))
print("fake messages", file=sys.stderr)
sys.stdout.flush()
for word in sys.argv:
    if word.startswith("--status="):
        sys.exit(int(word[9:]))
    if word == "--die":
        os.kill(os.getpid(), signal.SIGTERM)
"""
FAKE_SMI = """#!/bin/sh
case "$1" in
  *compute_cap*) printf 'NVIDIA H100, 9.0, 580.1\\nNVIDIA A100, {capability}, 580.1\\n' ;;
  *) exit 1 ;;
esac
"""
FAKE_CACHE = """#!/bin/sh
echo "launched $*" >&2
exec "$@"
"""


class NvccTest(unittest.TestCase):
    """Runs in a folder of its own, with a home of its own and no variable of PASTA or CUDA."""

    def setUp(self):
        self.folder = self.make_folder("pasta nvcc ")
        self.temporary = self.make_folder("pasta tmp ")
        self.home = self.make_folder("pasta home ")
        self.environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("PASTA_", "CUDA_", "NVCC_", "XDG_", "CCACHE_"))
        }
        self.environment |= {"TMPDIR": self.temporary, "HOME": self.home, "LC_ALL": "C"}

    def tearDown(self):
        self.assertEqual(os.listdir(self.temporary), [], "left behind")

    def make_folder(self, prefix):
        folder = tempfile.mkdtemp(prefix=prefix)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text, mode=0o644):
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return str(path)

    def run_it(self, *words, status=0, **more):
        environment = {k: more.pop(k) for k in list(more) if k.isupper()}
        if "input" not in more:
            more["stdin"] = subprocess.DEVNULL
        done = subprocess.run(
            words, check=False, cwd=self.folder, env=self.environment | environment, capture_output=True, text=True,
            timeout=300, **more,
        )
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return done

    def pasta(self, *words, **more):
        return self.run_it(PASTA, "nvcc", *words, **more)

    def check_refusal(self, done, line):
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Apasta nvcc: [^\n]+\n\Z")
        self.assertIn(line, done.stderr)


class FakeToolkitTest(NvccTest):
    def setUp(self):
        super().setUp()
        self.nvcc = self.write("a toolkit/bin/nvcc", FAKE_NVCC, 0o755)
        self.write("a toolkit/bin/ptxas", "#!/bin/sh\n", 0o755)
        self.environment["CUDA_HOME"] = self.path("a toolkit")

    def call(self, *words, **more):
        """@return what the fake nvcc got, the words that pasta added, pasta's messages"""
        done = self.pasta(*words, **more)
        got = json.loads(done.stdout)
        self.assertIn("fake messages\n", done.stderr)
        return got, done.stderr.replace("fake messages\n", "")

    def test_words_streams_and_status_are_passed_on(self):
        words = ["-c", "a b.cu", "", "-DX=\"'$`\\", "--status=7", "-o", "x\n.o", "@file", "--tools", "none"]
        got, messages = self.call(*TOOLS, *words, input="a source\n", status=7)
        self.assertEqual(got["words"][-len(words) :], words)
        self.assertEqual(got["input"], "a source\n")
        self.assertEqual(messages, "pasta nvcc: without -lineinfo reports will have no source lines\n")
        added = got["words"][: -len(words)]
        self.assertEqual(added[0], "-include")
        self.assertIn("PASTA_PTX_PACK", Path(added[1]).read_text(encoding="utf-8"))
        self.assertEqual(added[2:], ["-DPASTA_PTX_PACK=access_count"])

    def test_it_becomes_nvcc(self):
        for words in ([], TOOLS):
            got, _ = self.call(*words, "-arch=sm_80")
            self.assertEqual(got["parent"], os.getpid())

    def test_a_signal_ends_it_as_it_ended_nvcc(self):
        for words in ([], ["-gencode", "arch=compute_80,code=[sm_80,sm_86]"]):
            self.call(*TOOLS, "--die", *words, status=-signal.SIGTERM)

    def test_the_environment(self):
        got, _ = self.call(*TOOLS, "--strict", "-lineinfo")
        environment = got["environment"]
        self.assertEqual(environment["PASTA_PTX_TOOLS"], "access_count")
        self.assertEqual(environment["PASTA_PTX_STRICT"], "1")
        self.assertEqual(environment["PASTA_PTX_IN_PLACE"], "1")
        self.assertNotIn("PASTA_PTX_ORIGINALS", environment)
        got, _ = self.call(*TOOLS, "-lineinfo")
        self.assertEqual(got["environment"]["PASTA_PTX_STRICT"], "0")
        got, _ = self.call("-lineinfo", PASTA_PTX_TOOLS="access_count", PASTA_PTX_STRICT="1", PASTA_NVCC=self.nvcc)
        self.assertEqual(got["environment"]["PASTA_PTX_STRICT"], "1")
        self.assertIn("-DPASTA_PTX_PACK=access_count", got["words"])

    def test_originals_are_kept_where_one_ptx_serves_several_architectures(self):
        for words, is_kept in (
            (["-arch=sm_80"], False),
            (["-gencode", "arch=compute_80,code=sm_80"], False),
            (["-gencode=arch=compute_80,code=[sm_80,sm_86]"], True),
            (["-gencode", "arch=compute_80,code=sm_80", "--generate-code", "arch=compute_80,code=sm_86"], True),
            (["-arch", "compute_80", "-code", "sm_80,sm_86"], True),
        ):
            with self.subTest(words=words):
                got, _ = self.call(*TOOLS, *words)
                self.assertEqual(got["has_originals"], is_kept)
                self.assertEqual(os.listdir(self.temporary), [])

    def test_a_ptx_file_of_the_users_is_not_written_to(self):
        got, messages = self.call(*TOOLS, "-cubin", "-arch=sm_80", "a.ptx")
        self.assertEqual(got["environment"]["PASTA_PTX_IN_PLACE"], "0")
        self.assertIn("a .ptx file is given", messages)
        got, messages = self.call(*TOOLS, "-ptx", "-lineinfo", "-arch=sm_80", "a.cu", "-o", "a.ptx")
        self.assertEqual((got["environment"]["PASTA_PTX_IN_PLACE"], messages), ("1", ""))

    def test_without_tools_it_is_the_plain_nvcc_and_says_so(self):
        got, messages = self.call("-c", "a.cu", PASTA_PTX_IN_PLACE="1")
        self.assertEqual((got["words"], got["program"]), (["-c", "a.cu"], self.nvcc))
        self.assertNotIn("PASTA_PTX_TOOLS", got["environment"])
        self.assertEqual(messages, "pasta nvcc: no --tools: nothing is instrumented\n")

    def test_source_lines_are_missed_only_where_device_code_is_compiled(self):
        self.write("options", "-lineinfo")
        self.write("source", '"a b.cu"\n-c')
        line = "without -lineinfo"
        for words in (["-c", "a.cu"], ["-x", "cu", "-c", "a"], ["-optf", "source"], ["-dc", "b.cu", "-o", "b.cu.o"]):
            self.assertIn(line, self.call(*TOOLS, *words)[1], words)
        for words in (
            ["a.o"], ["-E", "a.cu"], ["-M", "a.cu"], ["-c", "a.cpp"], ["-G", "a.cu"], ["a.cu", "--generate-line-info"],
            ["a.cu", "--options-file=options"], ["a.cu", "-optf", "none,options"], ["-c", "a.cpp", "-o", "a.cu"],
            ["--version"], ["-dlink", "a.o"],
        ):
            self.assertNotIn(line, self.call(*TOOLS, *words)[1], words)
        self.assertNotIn(line, self.call(*TOOLS, "a.cu", NVCC_APPEND_FLAGS="-O3 -lineinfo")[1])
        self.assertNotIn(line, self.call(*TOOLS, self.nvcc, "-c", "a.cu")[1])

    def test_the_gpus_architecture_is_added_where_none_is_given(self):
        def added(*words, capability="8.0", **environment):
            self.write("smi/nvidia-smi", FAKE_SMI.format(capability=capability), 0o755)
            path = self.path("smi") + ":" + self.environment["PATH"]
            got, _ = self.call(*TOOLS, *words, PATH=path, **environment)
            return [word for word in got["words"][: len(got["words"]) - len(words)] if word.startswith("-arch")]

        self.write("options", "--gpu-architecture sm_70")
        self.assertEqual(added("-c", "a.cu"), ["-arch=sm_80"])
        self.assertEqual(added("-c", "a.cu", capability="9.0"), ["-arch=sm_90"])
        self.assertEqual(added("-c", "a.cu", "-Xptxas", "-arch=sm_70", "-o", "-arch"), ["-arch=sm_80"])
        self.assertEqual(added("-c", "a.cu", capability="7.9"), [], "one that nvcc does not know")
        for words in (
            ["-arch=sm_70"], ["-arch", "sm_70"], ["--gpu-architecture=sm_70"],
            ["-gencode", "arch=compute_70,code=sm_70"], ["--generate-code=arch=compute_70,code=sm_70"],
            ["-code=sm_70"], ["-optf", "options"], ["-arch=native"],
        ):
            self.assertEqual(added(*words, "a.cu"), [], words)
        self.assertEqual(added("a.cu", NVCC_PREPEND_FLAGS='-O3 "-arch=sm_70"'), [])

    def test_a_compiler_may_be_named_in_the_words(self):
        other = self.write("other kit/bin/nvcc", FAKE_NVCC, 0o755)
        self.write("other kit/bin/ptxas", "#!/bin/sh\n", 0o755)
        for words in ([other], ["-c"]):
            got, _ = self.call(*TOOLS, *words, "-c", "a.cu")
            view = os.path.dirname(os.path.dirname(got["program"]))
            expected = os.path.realpath(self.path("other kit/bin/ptxas" if words == [other] else "a toolkit/bin/ptxas"))
            self.assertEqual(os.path.realpath(os.path.join(view, "bin/ptxas.real")), expected)
        got, _ = self.call(other, "-c", "a.cu")
        self.assertEqual((got["program"], got["words"]), (other, ["-c", "a.cu"]))
        path = os.path.dirname(other) + ":" + self.environment["PATH"]
        got, _ = self.call("nvcc", "-c", "a.cu", PATH=path)
        self.assertEqual(got["program"], other)
        done = self.pasta(*TOOLS, "--nvcc", self.nvcc, other, "-c", status=2)
        self.check_refusal(done, "name one")

    def test_a_launcher_may_stand_before_the_compiler(self):
        cache = self.write("a cache/ccache", FAKE_CACHE, 0o755)
        got, messages = self.call(*TOOLS, cache, self.nvcc, "-c", "a.cu")
        self.assertEqual(got["words"][-2:], ["-c", "a.cu"])
        self.assertRegex(messages, r"\Alaunched .*/bin/nvcc -include .* -DPASTA_PTX_PACK=access_count -c a.cu\n\Z")
        # A file named nvcc behind an input or an option is an input.
        got, _ = self.call(*TOOLS, "a.o", "nvcc")
        self.assertEqual(got["words"][-2:], ["a.o", "nvcc"])

    def test_compiler_caches_get_a_key(self):
        def keys(tools, **environment):
            got = self.call(*tools, "-c", "a.cpp", **environment)[0]["environment"]
            return got.get("CCACHE_NAMESPACE"), got.get("SCCACHE_C_CUSTOM_CACHE_BUSTER")

        first = keys(TOOLS)
        self.assertRegex(first[0], r"\Apasta-[0-9.]+-access_count-[0-9a-f]{16}\Z")
        self.assertEqual(first[0], first[1])
        self.assertEqual(keys(TOOLS), first)
        self.assertEqual(
            keys(TOOLS, CCACHE_NAMESPACE="mine", SCCACHE_C_CUSTOM_CACHE_BUSTER="my own"),
            ("mine-" + first[0], "my own-" + first[0]),
        )
        self.assertEqual(keys([]), (None, None))

    def test_a_path_for_tools(self):
        def call(content, **environment):
            self.write("my tools/mine.sm_80.ptx", content)
            words = ["--tools", "mine+access_count", "--tool-path", self.path("my tools"), "-c", "a.cpp"]
            return self.call(*words, **environment)[0]

        first = call("one", PASTA_TOOL_PATH="/none")
        self.assertEqual(first["environment"]["PASTA_TOOL_PATH"], self.path("my tools") + ":/none")
        self.assertEqual(first["environment"]["PASTA_PTX_TOOLS"], "access_count,mine")
        self.assertIn("-DPASTA_PTX_PACK=access_count+mine", first["words"])
        keys = [got["environment"]["CCACHE_NAMESPACE"] for got in (first, call("two"), call("one"))]
        self.assertNotEqual(keys[0], keys[1], "a hook's content is in the key")
        self.assertEqual(keys[0], keys[2])
        self.assertIn("mine", self.pasta("--list-tools", PASTA_TOOL_PATH=self.path("my tools")).stdout)
        self.check_refusal(self.pasta("--tools", "mine", "a.cpp", status=2), "unknown tool 'mine'")

    def test_where_nvcc_is_looked_for(self):
        def program(**environment):
            return self.call("-c", "a.cpp", **environment)[0]["program"]

        other = self.write("other kit/bin/nvcc", FAKE_NVCC, 0o755)
        path = os.path.dirname(other) + ":" + self.environment["PATH"]
        self.assertEqual(program(PATH=path), self.nvcc)
        self.assertEqual(program(CUDA_HOME=self.path("none"), CUDA_PATH=self.path("other kit")), other)
        self.assertEqual(program(CUDA_HOME="", PATH=path), other)
        self.assertEqual(program(PASTA_NVCC=other), other)
        done = self.pasta("--nvcc", other, "-c", "a.cpp", PASTA_DEBUG="1")
        self.assertIn(f"pasta nvcc: debug: nvcc is {other} (--nvcc)\n", done.stderr)
        done = self.pasta("-c", "a.cpp", PASTA_DEBUG="1")
        self.assertIn(f"pasta nvcc: debug: nvcc is {self.nvcc} (CUDA_HOME)\n", done.stderr)

    def test_misuse(self):
        done = self.pasta("--tools", "acess_count", "a.cu", status=2)
        self.check_refusal(done, "unknown tool 'acess_count'; did you mean access_count? (known: access_count")
        self.check_refusal(self.pasta("--tools", "access_count,access_count", status=2), "names access_count twice")
        self.check_refusal(self.pasta("--tools", ",", "a.cu", status=2), "names no tool")
        self.check_refusal(self.pasta("--tools", status=2), "--tools")
        self.check_refusal(self.pasta("a.cu", PASTA_PTX_STRICT="maybe", status=2), "PASTA_PTX_STRICT")
        self.check_refusal(self.pasta("--nvcc", "none/nvcc", status=127), "none/nvcc")
        self.check_refusal(self.pasta("--nvcc", self.folder, status=126), "it is a folder")
        self.write("lonely/nvcc", FAKE_NVCC, 0o755)
        done = self.pasta(*TOOLS, "--nvcc", self.path("lonely/nvcc"), "a.cu", status=125)
        self.check_refusal(done, "belongs to no CUDA toolkit with a bin/ptxas")

    def test_help_and_the_list_of_tools(self):
        done = self.pasta("--help")
        for word in ("--tools", "--strict", "--nvcc", "Usage: pasta nvcc"):
            self.assertIn(word, done.stdout)
        self.assertIn("access_count\n", self.pasta("--list-tools").stdout)

    def test_no_nvcc(self):
        hide = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /usr/local && exec "$@"', "sh"]
        if os.path.exists("/usr/local/cuda/bin/nvcc"):
            done = self.run_it(*hide, "true", status=None)
            if done.returncode != 0:
                self.skipTest(f"/usr/local/cuda cannot be hidden: {done.stderr}")
        else:
            hide = []
        for words in ([], TOOLS):
            done = self.run_it(*hide, PASTA, "nvcc", *words, "a.cu", status=127, CUDA_HOME="", PATH="/usr/bin:/bin")
            self.assertIn("pasta nvcc: nvcc was not found; install NVIDIA's CUDA toolkit", done.stderr)

    def test_the_view_is_put_where_it_can_be_written(self):
        def view(**environment):
            got, _ = self.call(*TOOLS, "-c", "a.cpp", **environment)
            return os.path.dirname(os.path.dirname(os.path.dirname(got["program"])))

        self.assertEqual(view(), os.path.join(self.home, ".cache/pasta"))
        cache = self.path("my cache")
        self.assertEqual(view(XDG_CACHE_HOME=cache), os.path.join(cache, "pasta"))
        self.assertEqual(view(XDG_CACHE_HOME="relative"), os.path.join(self.home, ".cache/pasta"))
        temporary = os.path.join(self.temporary, f"pasta-{os.getuid()}")
        self.addCleanup(shutil.rmtree, temporary, ignore_errors=True)
        self.write("a file", "")
        for home in (self.path("a file"), "/proc/none", ""):
            self.assertEqual(view(HOME=home), temporary)
        self.assertEqual(os.stat(temporary).st_mode & 0o777, 0o700)
        os.chmod(temporary, 0o777)
        done = self.pasta(*TOOLS, "a.cpp", HOME="/proc/none", status=125)
        self.check_refusal(done, "is not a folder of this user's alone")
        shutil.rmtree(temporary)

    def test_many_at_once(self):
        with ThreadPoolExecutor(16) as pool:
            for got, _ in pool.map(lambda i: self.call(*TOOLS, f"{i}.cpp"), range(32)):
                self.assertEqual(got["environment"]["PASTA_PTX_TOOLS"], "access_count")
        self.assertEqual(len(os.listdir(os.path.join(self.home, ".cache/pasta"))), 1)


KERNEL = """
__global__ void add(float* a, float const* b, int n) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] += b[i];
}
"""
PROGRAM = KERNEL + "void other();\nint main() { add<<<1, 32>>>(nullptr, nullptr, 0); other(); }\n"
OTHER = "__global__ void twice(float* a) { a[threadIdx.x] *= 2.0f; }\nvoid other() { twice<<<1, 32>>>(nullptr); }\n"


def find_toolkit():
    if not NVCC:
        return ""
    words = [NVCC, "--dryrun", "-E", "-x", "cu", "/dev/null"]
    text = subprocess.run(words, check=False, capture_output=True, text=True).stderr
    here = re.search(r"^#\$ _HERE_=(.*)$", text, re.MULTILINE)
    return os.path.dirname(os.path.realpath(here.group(1))) if here else ""


TOOLKIT = find_toolkit()
HAS_PTXAS = TOOLKIT and os.access(os.path.join(TOOLKIT, "bin/ptxas"), os.X_OK)


@unittest.skipUnless(HAS_PTXAS, "nvcc and ptxas were not found")
class RealToolkitTest(NvccTest):
    def setUp(self):
        super().setUp()
        self.environment["CUDA_HOME"] = TOOLKIT
        self.write("a b.cu", PROGRAM)
        self.write("other.cu", OTHER)

    def build(self, *words, status=0, **environment):
        return self.pasta(*TOOLS, "--strict", "-lineinfo", "-Wno-deprecated-gpu-targets", *words, status=status,
                          **environment)

    def native(self, *words, status=0):
        return self.run_it(os.path.join(TOOLKIT, "bin/nvcc"), *words, status=status)

    def table(self, name):
        """The entries that `pasta list` finds."""
        text = self.run_it(PASTA, "list", "--json", name).stdout
        return [(tool["route"], tool["pack"]) for tool in json.loads(text)["tools"]]


@unittest.skipUnless(shutil.which("cuobjdump"), "cuobjdump was not found")
class BuildTest(RealToolkitTest):
    def images(self, name):
        """What a file has embedded, each extracted: {name of the image: whether it is instrumented}."""
        folder = self.make_folder("pasta images ")
        for kind in ("-xelf", "-xptx"):
            subprocess.run(["cuobjdump", kind, "all", self.path(name)], check=False, cwd=folder, capture_output=True)
        files = sorted(Path(folder).iterdir())
        return {re.sub(r".*\.(sm_\d+\w*\.\w+)$", r"\1", f.name): b"pasta_state_" in f.read_bytes() for f in files}

    def check_images(self, name, *expected):
        self.assertEqual(self.images(name), {image: True for image in expected})

    def test_a_program_of_two_files(self):
        done = self.build("-arch=sm_80", "-o", "my program", "a b.cu", "other.cu")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertEqual(self.table("my program"), [("ptx", "access_count")])
        self.assertTrue(all(self.images("my program").values()))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a b.cu", "my program", "other.cu"])

    def test_what_is_embedded(self):
        for words, expected in (
            (["-arch=sm_80"], ["sm_80.cubin", "sm_80.ptx"]),
            (["-gencode", "arch=compute_80,code=[sm_80,sm_86,compute_80]"],
             ["sm_80.cubin", "sm_86.cubin", "sm_80.ptx"]),
            (["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=compute_90"],
             ["sm_80.cubin", "sm_90.ptx"]),
            (["-arch=compute_90"], ["sm_90.ptx"]),
            (["-arch=sm_90", "-dc"], ["sm_90.cubin", "sm_90.ptx"]),
            (["-arch=sm_90", "-rdc=true"], ["sm_90.cubin", "sm_90.ptx"]),
            (["-arch=sm_80", "-t", "2", "-gencode=arch=compute_90,code=[sm_90,compute_90]"],
             ["sm_80.cubin", "sm_80.ptx", "sm_90.cubin", "sm_90.ptx"]),
        ):
            with self.subTest(words=words):
                # nvcc -t fails where TMPDIR has a blank.
                more = {"TMPDIR": self.make_folder("pasta-tmp-")} if "-t" in words else {}
                self.build("-c", *words, "other.cu", "-o", "x.o", **more)
                self.check_images("x.o", *expected)
                self.assertEqual(self.table("x.o"), [("ptx", "access_count")])

    def test_other_outputs(self):
        for words, name in ((["-cubin"], "other.cubin"), (["-ptx"], "other.ptx"), (["-fatbin", "--no-compress"],
                                                                                   "other.fatbin")):
            self.build("-arch=sm_90", *words, "other.cu")
            self.assertIn(b"pasta_state_", Path(self.path(name)).read_bytes(), name)

    def test_separate_compilation_and_device_link(self):
        self.build("-arch=sm_90", "-dc", "a b.cu", "-o", "a.o")
        self.build("-arch=sm_90", "-dc", "other.cu", "-o", "b.o")
        self.build("-arch=sm_90", "-dlink", "a.o", "b.o", "-o", "device.o")
        self.run_it("g++", "a.o", "b.o", "device.o", "-o", "x", f"-L{TOOLKIT}/lib64", "-lcudart_static", "-lcudadevrt",
                    "-ldl", "-lrt", "-lpthread")
        self.assertEqual(self.table("x"), [("ptx", "access_count")])
        self.assertTrue(any(self.images("device.o").values()))
        self.build("-arch=sm_90", "-rdc=true", "a b.cu", "other.cu", "-o", "y")
        self.assertEqual(self.table("y"), [("ptx", "access_count")])

    def test_libraries(self):
        self.build("-arch=sm_90", "-lib", "other.cu", "-o", "libother.a")
        self.build("-arch=sm_90", "-shared", "-Xcompiler", "-fPIC", "other.cu", "-o", "libother.so")
        self.assertEqual(self.table("libother.so"), [("ptx", "access_count")])
        self.native("-arch=sm_90", "a b.cu", "libother.a", "-o", "x")
        self.assertEqual(self.table("x"), [("ptx", "access_count")])

    def test_hosts_of_each_standard_and_sections_that_are_collected(self):
        for standard in (14, 17, 20):
            self.build(f"-std=c++{standard}", "-arch=sm_90", "-Xcompiler",
                       "-Wall,-Wextra,-Wshadow,-Werror,-ffunction-sections,-fdata-sections", "-Xlinker",
                       "--gc-sections", "a b.cu", "other.cu", "-o", "x")
            self.assertEqual(self.table("x"), [("ptx", "access_count")], standard)
        self.write("plain.c", "int f(void) { return 1; }\n")
        self.write("plain.cpp", "int g() { return 1; }\n")
        for name in ("plain.c", "plain.cpp"):
            self.build("-c", name, "-o", "plain.o")
            self.assertEqual(self.table("plain.o"), [], "no device code")

    def test_options_files_and_standard_input(self):
        self.write("options", "-arch=sm_90\n-c \"other.cu\"\n-o \"the o.o\"")
        self.build("--options-file", "options")
        self.check_images("the o.o", "sm_90.cubin", "sm_90.ptx")
        self.build("-arch=sm_90", "-x", "cu", "-c", "-", "-o", "in.o", input=OTHER)
        self.check_images("in.o", "sm_90.cubin", "sm_90.ptx")

    def test_a_ptx_file_is_instrumented_and_not_changed(self):
        self.native("-ptx", "-arch=sm_90", "other.cu")
        before = Path(self.path("other.ptx")).read_bytes()
        self.build("-cubin", "-arch=sm_90", "other.ptx")
        self.assertIn(b"pasta_state_", Path(self.path("other.cubin")).read_bytes())
        self.assertEqual(Path(self.path("other.ptx")).read_bytes(), before)

    def test_dependencies_are_those_of_the_build_and_stay(self):
        self.build("-arch=sm_90", "-MD", "-c", "other.cu", "-o", "x.o")
        text = Path(self.path("x.d")).read_text(encoding="utf-8").replace("\\ ", "?").replace("\\\n", " ")
        files = [os.path.realpath(self.path(word.replace("?", " "))) for word in text.split(":", 1)[1].split()]
        self.assertGreater(len(files), 10)
        for file in files:
            self.assertTrue(os.path.isfile(file), file)
            self.assertFalse(file.startswith(self.home), file)

    def test_sources_have_the_toolkits_own_names(self):
        """Not those of the view, which may be gone when a report is read."""
        self.write(
            "math.cu",
            "#include <cub/cub.cuh>\n__global__ void m(int* a) { a[0] = cub::ThreadLoad<cub::LOAD_CA>(a + 1); }\n",
        )
        self.build("-arch=sm_90", "-cubin", "math.cu")
        self.assertNotIn(self.home.encode(), Path(self.path("math.cubin")).read_bytes())

    def test_a_parallel_build(self):
        for i in range(12):
            self.write(f"k{i}.cu", OTHER.replace("twice", f"twice{i}").replace("other", f"other{i}"))
        self.write("Makefile", "%.o: %.cu\n\t$(NVCC) -arch=sm_90 -c $< -o $@\n")
        pasta = f"'{PASTA}' nvcc --tools access_count --strict -lineinfo"
        self.run_it("make", "-s", "-j4", f"NVCC={pasta}", *[f"k{i}.o" for i in range(12)])
        for i in range(12):
            self.check_images(f"k{i}.o", "sm_90.cubin", "sm_90.ptx")


class LikeNvccTest(RealToolkitTest):
    def test_failing_builds_end_as_natively(self):
        self.write("syntax.cu", "int x = ;\n")
        self.write("registers.cu", "__global__ void f(int* a) { asm volatile(\"nonsense;\"); }\n")
        for words in (
            ["-c", "syntax.cu"], ["-c", "none.cu"], [], ["--no-such-option"], ["-c", "registers.cu"],
            ["a b.cu", "-o", "x"], ["-arch=sm_1", "-c", "other.cu"], ["-optf", "none"],
            ["-c", "registers.cu", "-gencode", "arch=compute_80,code=[sm_80,sm_86]"],
        ):
            with self.subTest(words=words):
                theirs = self.native(*words, status=None)
                ours = self.pasta(*TOOLS, *words, status=theirs.returncode)
                self.assertNotEqual(theirs.returncode, 0)
                self.assertEqual(ours.stdout, theirs.stdout)
                plain = re.compile(r"(?m)^pasta.*\n|/\S*tmpxft_\w+-\w+_|tmpxft_\w+-\w+_")
                self.assertEqual(plain.sub("", ours.stderr), plain.sub("", theirs.stderr))

    def test_information_is_nvccs(self):
        for words in (["--version"], ["--list-gpu-arch"], ["-arch=sm_90", "--help"]):
            self.assertEqual(self.pasta(*TOOLS, *words).stdout, self.native(*words).stdout)

    def test_a_script_named_nvcc_that_calls_pasta(self):
        for tools in ("", "--tools access_count"):
            self.write("wrap/nvcc", f'#!/bin/sh\nexec "{PASTA}" nvcc {tools} "$@"\n', 0o755)
            path = ":".join([self.path("wrap"), os.path.join(TOOLKIT, "bin"), self.environment["PATH"]])
            self.run_it("nvcc", "-arch=sm_90", "-cubin", "other.cu", CUDA_HOME="", PATH=path)
            is_instrumented = b"pasta_state_" in Path(self.path("other.cubin")).read_bytes()
            self.assertEqual(is_instrumented, bool(tools))

    def test_preprocessed_and_linked_host_code(self):
        self.write("plain.cpp", "#include <cstdio>\nint main() { std::puts(\"hello\"); }\n")
        self.pasta(*TOOLS, "plain.cpp", "-o", "x")
        self.assertEqual(self.run_it("./x").stdout, "hello\n")

    def test_uninstrumented_objects_are_the_native_ones(self):
        self.native("-cubin", "-arch=sm_90", "other.cu", "-o", "theirs")
        self.pasta("-cubin", "-arch=sm_90", "other.cu", "-o", "ours")
        self.assertEqual(Path(self.path("ours")).read_bytes(), Path(self.path("theirs")).read_bytes())


class CacheTest(RealToolkitTest):
    """A compiler cache gives objects of the tools that were asked for, and only these."""

    def check_cache(self, compile_it, count_hits):
        for number, tools in enumerate((TOOLS, [], TOOLS, [])):
            compile_it(tools, f"{number}.o")
            is_instrumented = b"pasta_state_" in Path(self.path(f"{number}.o")).read_bytes()
            self.assertEqual(is_instrumented, bool(tools), number)
        self.assertEqual(count_hits(), 2)

    @unittest.skipUnless(shutil.which("ccache"), "ccache is not installed")
    def test_ccache(self):
        self.environment |= {"CCACHE_DIR": self.path("cache"), "CCACHE_TEMPDIR": self.path("cache tmp")}
        nvcc = os.path.join(TOOLKIT, "bin/nvcc")

        def compile_it(tools, output):
            words = ["-arch=sm_90", "--no-compress", "-c", "other.cu", "-o", output]
            self.pasta(*tools, "ccache", nvcc, *words)

        def count_hits():
            statistics = self.run_it("ccache", "--print-stats").stdout
            return sum(map(int, re.findall(r"(?:direct|preprocessed)_cache_hit\t(\d+)", statistics)))

        self.check_cache(compile_it, count_hits)


if __name__ == "__main__":
    unittest.main()
