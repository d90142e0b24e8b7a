# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""The pass plugin: programs that clang compiles with it, and what their tools then see."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import touched

SOURCE = Path(os.environ["PASTA_SOURCE_DIR"])
PLUGINS = Path(os.environ["PASTA_LLVM_PLUGINS"])
PASTA = os.environ["PASTA_CLI"]
VERSIONS = os.environ["PASTA_LLVM_VERSIONS"].split()
HERE = Path(__file__).resolve().parent


def clang(version):
    return os.environ[f"PASTA_CLANG_{version}"]


class PluginTest(unittest.TestCase):
    """Works in a folder of its own, whose name has a blank."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pasta llvm "))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("PASTA_")} | {"LC_ALL": "C"}

    def run_program(self, *words, **variables):
        return subprocess.run([str(w) for w in words], cwd=self.folder, text=True, capture_output=True, timeout=800,
                              env=self.environment | variables)

    def compile(self, version, source, tools, *flags, first=False):
        """Compiles one source with the plugin; the result is the compiler's."""
        return self.run_program(
            clang(version), *(flags if first else ()), "-std=c++20", "-Wall", "-Wextra", "-DPASTA_LLVM_ROUTE=1",
            f'-DPASTA_PROBE_TOOLS_HEADER="{tools}"', "-include", "pasta/llvm_hooks.hpp",
            f"-fpass-plugin={PLUGINS / f'libpasta_llvm_{version}.so'}", f"-I{SOURCE / 'include'}",
            f"-I{HERE}", f"-I{SOURCE / 'examples/targets'}", *flags, source, "-o", self.folder / "program", "-lfmt",
            "-lboost_context")

    def compile_well(self, *arguments, **named):
        made = self.compile(*arguments, **named)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stderr


class EqualEventsTest(PluginTest):
    """Plain kernels bring the events that the same kernels bring on a probe."""

    def check(self, version, level, says=""):
        said = self.compile_well(version, HERE / "equal_events.cpp", HERE / "recorder.hpp", level, "-g")
        self.assertEqual(said, says)
        done = self.run_program(self.folder / "program")
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if not line.startswith("equal ")], [])
        self.assertEqual(len(lines), 20)  # 10 kernels, warps of 32 and 64 lanes


def add_version(version):
    def test(self):
        self.check(version, "-O2")
        if version == VERSIONS[-1]:
            self.check(version, "-O0", "pasta: warning: equal_events.cpp: compiled with -O0: an optimized program "
                       "makes fewer accesses\n")

    setattr(EqualEventsTest, f"test_{version}", test)


for each in VERSIONS:
    add_version(each)


class SpeedTest(PluginTest):
    """A plain kernel under access_count takes at most 1.5 times as long as the same kernel on a probe."""

    def test_access_count(self):
        self.compile_well(VERSIONS[-1], HERE / "speed.cpp", HERE / "count_tools.hpp", "-O2", "-g",
                          f"-I{SOURCE / 'tools/access_count'}")
        done = self.run_program(self.folder / "program")
        self.assertEqual(done.returncode, 0, done.stderr)
        ratios = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
        self.assertEqual(len(ratios), 8)
        self.assertLessEqual(max(ratios.values()), 1.5, done.stdout)


class EventsTest(PluginTest):
    """What no probe tells: branches, calls, copies, local memory, pointers whose space only the address tells."""

    def test_other_events(self):
        for version in VERSIONS:
            self.compile_well(version, HERE / "other_events.cpp", HERE / "all_events.hpp", "-O2", "-g")
            done = self.run_program(self.folder / "program")
            self.assertEqual((done.returncode, done.stdout), (0, "OK\n"), f"{version}: {done.stdout}")


class TouchingTest(PluginTest):
    """Shadow bits of plain kernels on the host engine: each line that they touch, in warps of any width."""

    def test_each_line_is_found(self):
        made = self.run_program(PASTA, "clang++", "--tools", "working_set", clang(VERSIONS[-1]), "-std=c++20", "-O2",
                                "-g", f"-I{SOURCE / 'include'}", HERE / "touching.cpp", "-o", "program", "-lfmt",
                                "-lboost_context")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        for width in "32", "64":
            with self.subTest(width=width):
                done = self.run_program(PASTA, "run", "working_set", "--output", "report.json", "--", "./program",
                                        PASTA_WARP_WIDTH=width)
                self.assertEqual((done.returncode, done.stdout), (0, "90\n"), done.stderr)
                report = json.loads((self.folder / "report.json").read_text())
                self.assertEqual(report["header"]["route"], "llvm")
                found = {}
                for kernel in report["tools"][0]["kernels"]:
                    tables = {table["name"]: [dict(zip([column["name"] for column in table["columns"]], row))
                                              for row in table["rows"]] for table in kernel["tables"]}
                    found[kernel["kernel"]] = touched.touched(tables)
                self.assertEqual(found, touched.TOUCHED)


def executions(report):
    """[kernel]: how often each site was executed, from a report of access_count."""
    found = {}
    for kernel in report["tools"][0]["kernels"]:
        table = next(table for table in kernel["tables"] if table["name"] == "sites")
        names = [column["name"] for column in table["columns"]]
        rows = [dict(zip(names, row)) for row in table["rows"]]
        found[kernel["kernel"]] = sorted((row["access"], row["accesses"]) for row in rows)
    return found


EXPECTED = {"fill": [("store", 512)], "scale<float>": [("load", 500), ("store", 500)]}


class BuildTest(PluginTest):
    """`pasta clang++`, pasta_instrument(... ROUTE llvm ...), and `pasta run` with what they built."""

    FLAGS = ("-std=c++20", "-O2", "-g", f"-I{SOURCE / 'include'}", f"-I{HERE / 'project'}")
    FILES = (HERE / "project/main.cpp", HERE / "project/scale.cpp")
    LIBRARIES = ("-lfmt", "-lboost_context")

    def pasta(self, *words, **variables):
        return self.run_program(PASTA, *words, **variables)

    def check_program(self, program):
        done = self.run_program(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "OK\n", ""))
        self.assertEqual(os.listdir(self.folder / "reports") if (self.folder / "reports").exists() else [], [])
        done = self.pasta("run", "access_count", "--output", "report.json", "--", program)
        self.assertEqual((done.returncode, done.stdout), (0, "OK\n"), done.stderr)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(report["header"]["route"], "llvm")
        self.assertEqual(executions(report), EXPECTED)
        self.assertRegex(done.stderr, r"scale\.hpp:8 +load +global +4 +500")

    def test_command(self):
        made = self.pasta("clang++", "--tools", "access_count,access_count+coalescing", clang(VERSIONS[-1]), *self.FLAGS,
                          *self.FILES, "-o", "program", *self.LIBRARIES)
        self.assertEqual((made.returncode, made.stdout, made.stderr), (0, "", ""))
        listed = self.pasta("list", "program")
        self.assertEqual([line.split()[:3] for line in listed.stdout.splitlines()],
                         [["access_count", "route", "llvm"], ["access_count+coalescing", "route", "llvm"]])
        self.check_program(self.folder / "program")
        done = self.pasta("run", "coalescing,access_count", "--", "./program")
        self.assertEqual(done.returncode, 0, done.stderr)
        for route, says in (("probe", "was not built for the route probe"), ("llvm", None)):
            done = self.pasta("run", "access_count", "--route", route, "--", "./program")
            self.assertEqual(done.returncode, 2 if says else 0, done.stderr)
            self.assertIn(says or "route     llvm", done.stderr)

    def test_objects_that_are_linked_alone_and_link_time_optimization(self):
        for flags in (), ("-flto",):
            if flags and not shutil.which("ld.lld-" + VERSIONS[-1]):
                self.skipTest("ld.lld-" + VERSIONS[-1] + " is not here")
            words = ("clang++", "--tools", "access_count", clang(VERSIONS[-1]), *self.FLAGS, *flags)
            for number, file in enumerate(self.FILES):
                made = self.pasta(*words, "-c", file, "-o", f"{number}.o")
                self.assertEqual((made.returncode, made.stderr), (0, ""))
            lto = (*flags, "-fuse-ld=lld") if flags else ()
            made = self.pasta("clang++", "--tools", "access_count", clang(VERSIONS[-1]), *lto, "0.o", "1.o", "-o",
                              "program", *self.LIBRARIES)
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            self.check_program(self.folder / "program")

    def test_mistakes(self):
        newest = VERSIONS[-1]
        for words, status, says in (
            (("--tools", "acess_count", "-c", "a.cpp"), 2,
             "pasta clang++: unknown tool 'acess_count'; did you mean access_count? (known: access_count, coalescing, "
             "matrix_tiles, working_set)"),
            (("--tools", "access_count,access_count"), 2, "pasta clang++: --tools names access_count twice"),
            (("--tools", "access_count+access_count"), 2,
             "pasta clang++: the pack access_count+access_count names a tool twice"),
            (("--tools", ","), 2, "pasta clang++: --tools names no tool"),
            (("--tools", "access_count", "--clang", "no_clang"), 127,
             "pasta clang++: cannot run no_clang: not found in PATH"),
            (("--tools", "access_count", "--clang", "/bin/echo"), 125,
             "pasta clang++: /bin/echo does not say that it is clang"),
            (("--tools", "access_count", "--clang", "x", clang(newest)), 2,
             f"pasta clang++: --clang x and the compiler {clang(newest)}: name one"),
        ):
            done = self.pasta("clang++", *words)
            # Tools of other tests may lie beside the bundled ones.
            said = re.sub(r", (event_totals|site_lanes|space_lanes)(?=[,)])", "", done.stderr)
            self.assertEqual((done.returncode, said), (status, says + "\n"))
        fake = self.folder / "clang++"
        fake.write_text("#!/bin/sh\necho 'some clang version 17.0.1'\n")
        fake.chmod(0o755)
        done = self.pasta("clang++", "--tools", "access_count", fake, "-c", "a.cpp")
        self.assertEqual((done.returncode, done.stderr), (125,
                         "pasta clang++: the compiler is of LLVM 17, and PASTA's pass plugins are for LLVM "
                         f"{', '.join(VERSIONS)}: use clang++-{newest}\n"))

    def test_cmake(self):
        words = ("cmake", "-S", HERE / "project", "-B", "build", f"-Dpasta_DIR={os.environ['PASTA_BUILD_DIR']}",
                 "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DTOOLS=access_count")
        refused = self.run_program(*words, "-DCMAKE_CXX_COMPILER=g++")
        self.assertIn("pasta_instrument(app): ROUTE llvm needs clang; the C++ compiler is GNU's: cmake "
                      "-DCMAKE_CXX_COMPILER=clang++-19", refused.stderr)
        made = self.run_program(*words, "--fresh", f"-DCMAKE_CXX_COMPILER={clang(VERSIONS[-1])}")
        self.assertEqual(made.returncode, 0, made.stderr)
        made = self.run_program("cmake", "--build", "build")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.check_program(self.folder / "build/app")


BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
KERNELS = {"vector_add", "csr_spmv", "reverse_tile", "histogram", "picked"}


def functions_of(assembly):
    """[kernel]: its instructions, and what the assembler says of its registers and memory."""
    found = {}
    for name, body in re.findall(r"^_Z\d+([a-z_]+)\w*: .*?\n(.*?)\.Lfunc_end", assembly, re.M | re.S):
        found[name] = {"text": body}
    for text in re.split(r"^  - \.", assembly, flags=re.M)[1:]:
        name = re.search(r"\.name: +_Z\d+([a-z_]+?)[PKSifj\d_]*$", text, re.M)
        if name and name[1] in found:
            for field in "vgpr_count", "private_segment_fixed_size":
                found[name[1]][field] = int(re.search(rf"\.?{field}: +(\d+)", text)[1])
    return found


INSTRUCTION = r"^\t[a-z_]+[a-z0-9_]*(?=\s)(?<!\t\.)"
# Device libraries for gfx942, which scripts/hip_tools makes.
GFX942 = os.path.isfile(SOURCE / "build/hip_tools/bitcode/oclc_isa_version_942.bc")


def count(pattern, function, without=None):
    """How often it stands in a function, or how much more often than in another."""
    found = len(re.findall(pattern, function["text"], re.M))
    return found - count(pattern, without) if without else found


class Flow:
    """What may follow what in a function's assembly. blocks[name]: opcodes, up to a jump; next[name]: names."""

    def __init__(self, text):
        self.blocks, self.next, name = {"": []}, {"": set()}, ""
        for line in text.splitlines():
            begun = re.match(r"(\.LBB\w+):", line)
            words = line.split(";")[0].split() if re.match(INSTRUCTION, line) else []
            if begun:
                name = self.begin(begun[1], name)
            if words:
                self.blocks[name].append(words[0])
            if words and re.match("s_c?branch", words[0]):
                self.next[name].add(words[1])
            if words and words[0].startswith("s_cbranch"):
                name = self.begin(f"{name}'", name)
            elif words and words[0] in ("s_branch", "s_endpgm", "s_setpc_b64"):
                name = None

    def begin(self, name, behind):
        self.blocks[name], self.next[name] = [], set()
        if behind is not None:
            self.next[behind].add(name)
        return name

    def reaching(self, opcode):
        """Names of blocks behind or in which such an instruction may come."""
        found = {name for name, opcodes in self.blocks.items() if any(opcode in each for each in opcodes)}
        while more := {name for name in self.blocks if name not in found and self.next[name] & found}:
            found |= more
        return found


@unittest.skipUnless(os.path.isfile("/usr/include/hip/hip_runtime.h") and os.path.isdir(BITCODE),
                     "HIP is not here: apt-get install hipcc libamdhip64-dev rocm-device-libs")
class DeviceTest(PluginTest):
    """Code of AMD GPUs, looked at as assembly. It is not run."""

    def build(self, version, *flags, tools=("--tools", "access_count"), source=HERE / "kernels.hip", gpu="gfx90a"):
        target = [f"--offload-arch={gpu}"] if gpu else []
        return self.run_program(
            PASTA, "hipcc", *tools, clang(version), "-x", "hip", "--rocm-path=/usr",
            f"--rocm-device-lib-path={SOURCE / 'build/hip_tools/bitcode' if gpu == 'gfx942' else BITCODE}",
            *target, *flags, source)

    def assemble(self, version, *flags, **named):
        done = self.build(version, *flags, "--cuda-device-only", "-S", "-o", "out.s", **named)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "out.s").read_text(errors="replace"), done.stderr

    def table(self, assembly):
        """The site table in a module, which is the only long text that begins like this."""
        text = re.search(r'pasta_sites_([0-9a-f]{32}):\n\s+\.ascii\s+"(.*)"\n', assembly)
        table = json.loads(text[2].replace('\\"', '"').replace("\\\\", "\\"))
        self.assertEqual(table["id"], text[1])
        return table

    def both(self, version, gpu, *tools):
        native, _ = self.assemble(version, "-O2", "-g", tools=(), gpu=gpu)
        made, said = self.assemble(version, "-O2", "-g", tools=tools, gpu=gpu)
        self.assertEqual(said, "")
        self.assertNotRegex(made, r"pasta_device_tools:|pasta_hook_")
        before, after = functions_of(native), functions_of(made)
        self.assertEqual(set(after) & KERNELS, KERNELS)
        return {name: (before[name], after[name]) for name in KERNELS}

    def test_counters_in_assembly(self):
        for version in VERSIONS:
            for gpu in "gfx90a", "gfx1030":
                for name, (before, after) in self.both(version, gpu, "--tools", "access_count").items():
                    with self.subTest(version=version, gpu=gpu, kernel=name):
                        self.check_kernel(before, after)
                        # A counter for each basic block with accesses, each added once where the kernel ends.
                        counters = {"csr_spmv": 3}.get(name, 1)
                        self.assertEqual(count(r"global_atomic_add_x2", after, before), counters)
                        # Up to 24 cost no room for waves.
                        self.assertLessEqual(after["vgpr_count"], max(before["vgpr_count"] + 2 * counters + 4, 24))

    def test_handlers_in_assembly(self):
        """Their registers and instructions are in tests/golden/llvm_device_limits.json, and may not grow."""
        golden = SOURCE / "tests/golden/llvm_device_limits.json"
        found = {}
        for version in VERSIONS:
            for gpu in ("gfx90a", "gfx1030", "gfx942") if version >= "19" and GFX942 else ("gfx90a", "gfx1030"):
                for name, (before, after) in self.both(version, gpu, "--tools", "coalescing,access_count").items():
                    with self.subTest(version=version, gpu=gpu, kernel=name):
                        # A function that is called saves registers for its caller.
                        self.check_kernel(before, after, 32 if name == "picked" else 0)
                        self.assertGreater(count(r"global_atomic_(add_x2|add_u64)", after, before), 3)
                        found[f"{name} {gpu} LLVM {version}"] = {
                            "vgpr_count": [before["vgpr_count"], after["vgpr_count"]],
                            "instructions": [count(INSTRUCTION, before), count(INSTRUCTION, after)]}
        if os.environ.get("PASTA_UPDATE_GOLDEN"):
            golden.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        limits = json.loads(golden.read_text())
        for name, values in found.items():
            for what in values:
                self.assertLessEqual(values[what][1], limits[name][what][1], f"{name}: {what}")

    def test_shadow_bits_in_assembly(self):
        """Their registers and instructions are in tests/golden/llvm_shadow_limits.json, and may not grow."""
        golden = SOURCE / "tests/golden/llvm_shadow_limits.json"
        found = {}
        for version in VERSIONS:
            for gpu in ("gfx90a", "gfx1030", "gfx942") if version >= "19" and GFX942 else ("gfx90a", "gfx1030"):
                for name, (before, after) in self.both(version, gpu, "--tools", "working_set").items():
                    with self.subTest(version=version, gpu=gpu, kernel=name):
                        self.check_kernel(before, after, 32 if name == "picked" else 0)
                        # A page's count and those of no allocation, and a line's bit, in memory known to be the GPU's.
                        self.assertGreater(count(r"global_atomic_(add_x2|add_u64)", after, before), 1)
                        self.assertGreater(count(r"global_atomic_or", after, before), 0)
                        self.assertEqual(count(r"flat_(load|store|atomic)", after, before), 0)
                        found[f"{name} {gpu} LLVM {version}"] = {
                            "vgpr_count": [before["vgpr_count"], after["vgpr_count"]],
                            "instructions": [count(INSTRUCTION, before), count(INSTRUCTION, after)]}
        if os.environ.get("PASTA_UPDATE_GOLDEN"):
            golden.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        limits = json.loads(golden.read_text())
        for name, values in found.items():
            for what in values:
                self.assertLessEqual(values[what][1], limits[name][what][1], f"{name}: {what}")

    def test_launches_that_are_not_kept_apart_pass_their_search_by(self):
        """At the cost of a load, a comparison and a branch, all of them scalar."""
        for version in VERSIONS:
            for gpu in "gfx90a", "gfx1030":
                for name, (_, after) in self.both(version, gpu, "--tools", "access_count").items():
                    with self.subTest(version=version, gpu=gpu, kernel=name):
                        flow = Flow(after["text"])
                        searching = flow.reaching("atomic_cmpswap")
                        self.assertIn("", searching)
                        guard = next(each for each in flow.blocks if each in searching
                                     and not flow.next[each] <= searching)
                        opcodes = flow.blocks[guard]
                        comparisons = [each for each in opcodes if each.startswith("s_cmp")]
                        self.assertIn(comparisons[-1:], (["s_cmp_eq_u64"], ["s_cmp_lg_u64"]), opcodes)
                        self.assertRegex(opcodes[-1], r"^s_cbranch_scc[01]$")

    def check_kernel(self, before, after, most_scratch_bytes=0):
        """No call, barrier or scratch memory from us."""
        for pattern in r"s_swappc|s_setpc|s_call", r"s_barrier", r"scratch_|buffer_(load|store)":
            self.assertEqual(count(pattern, after, before), 0, pattern)
        self.assertLessEqual(after["private_segment_fixed_size"],
                             before["private_segment_fixed_size"] + most_scratch_bytes)

    def test_site_table(self):
        for version in VERSIONS:
            table = self.table(self.assemble(version, "-O2", "-g")[0])
            self.assertEqual((table["tools"], table["target"], table["pasta"]), (["access_count"], "gfx90a", "0.1.0"))
            self.assertEqual(table["shard_bytes"], 128)
            functions = {re.sub(r"^_Z\d+([a-z_]+?)[PKSifj\d_]*$", r"\1", f["name"]): f for f in table["functions"]}
            self.assertEqual({name for name, f in functions.items() if f["is_entry"]}, KERNELS)
            self.assertEqual({name for name, f in functions.items() if not f["is_entry"]}, {"pick"})
            found = {}
            for name, function in functions.items():
                for site in function["sites"]:
                    place = table["places"][site["place"]]
                    for access in site["accesses"]:
                        found.setdefault(name, []).append(
                            (place["line"], access["kind"], access["space"], access["bytes"]))
            self.assertEqual(sorted(found["vector_add"]),
                             [(12, "load", "global", 4), (12, "load", "global", 4), (12, "store", "global", 4)])
            self.assertEqual(sorted(found["reverse_tile"]),
                             [(8, "load", "global", 4), (25, "store", "shared", 4), (27, "load", "shared", 4),
                              (27, "store", "global", 4)])
            self.assertEqual(sorted(found["histogram"])[0], (30, "load", "global", 4))
            self.assertIn("atomic", [access[1] for access in found["histogram"]])
            self.assertEqual({place["file"] for place in table["places"] if place["line"] == 12},
                             {str(HERE / "kernels.hip")})
            # `twice` is inlined: its place knows where.
            inlined = next(place for place in table["places"] if place["line"] == 8)
            self.assertIn("twice", inlined["function"])
            self.assertEqual(table["places"][inlined["caller"]]["line"], 25)

    def test_what_cannot_be(self):
        newest = VERSIONS[-1]
        for tools, says in (
            ("site_without_hook", "pasta hipcc: unknown tool 'site_without_hook' (known: access_count, coalescing)"),
            ("acess_count",
             "pasta hipcc: unknown tool 'acess_count'; did you mean access_count? (known: access_count, coalescing)"),
        ):
            done = self.build(newest, tools=("--tools", tools))
            said = re.sub(r"(?<=coalescing)(, \w+)+(?=\))", "", done.stderr)  # other tests' tools may lie beside them
            self.assertEqual((done.returncode, said), (2, says + "\n"))
        done = self.build(newest, "-c", gpu="gfx9999")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"gfx9999")

    def test_what_is_said(self):
        newest = VERSIONS[-1]
        _, said = self.assemble(newest, "-O2")
        self.assertEqual(said, "pasta: warning: kernels.hip: for gfx90a: no debug information: reports name functions, "
                         "not lines; compile with -g or -gline-tables-only\n")
        assembly, said = self.assemble(newest, "-O0", "-g")
        self.assertEqual(said, "pasta: warning: kernels.hip: for gfx90a: compiled with -O0: an optimized program makes "
                         "fewer accesses\n")
        self.table(assembly)

    def test_several_architectures(self):
        newest = VERSIONS[-1]
        done = self.build(newest, "--offload-arch=gfx1030", "-O2", "--cuda-device-only", "--no-gpu-bundle-output", "-c")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall(r"for (gfx\w+): no debug", done.stderr)), ["gfx1030", "gfx90a"])
        made = [file for file in self.folder.iterdir() if "amdgcn" in file.name]
        self.assertEqual(len(made), 2, list(self.folder.iterdir()))
        for file in made:
            self.assertRegex(file.read_bytes(), rb"pasta_state_[0-9a-f]{32}")

    def test_relocatable_device_code(self):
        newest = VERSIONS[-1]
        done = self.build(newest, "-fgpu-rdc", "-O2", "-g", "--cuda-device-only", "-emit-llvm", "-c", "-o", "out.bc")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex((self.folder / "out.bc").read_bytes(), rb"pasta_state_[0-9a-f]{32}")


class InputTest(PluginTest):
    """One clear line for what is not as it should be."""

    SOURCE = HERE / "project/scale.cpp"

    def test_a_plugin_for_another_llvm(self):
        if len(VERSIONS) < 2:
            self.skipTest("there is one plugin")
        (self.folder / "a.cpp").write_text("int main() {}\n")
        for compiler, plugin in ((VERSIONS[0], VERSIONS[-1]), (VERSIONS[-1], VERSIONS[0])):
            done = self.run_program(clang(compiler), "-O1", "-c", "a.cpp",
                                    f"-fpass-plugin={PLUGINS / f'libpasta_llvm_{plugin}.so'}")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr.splitlines()[0],
                             f"pasta: this pass plugin is for LLVM {plugin}, and the compiler is of LLVM {compiler}: use "
                             f"libpasta_llvm_{compiler}.so")
            self.assertFalse((self.folder / "a.o").exists())

    def test_without_debug_information_reports_name_functions(self):
        said = self.compile_well(VERSIONS[-1], HERE / "project/scale.cpp", HERE / "all_events.hpp", "-O2", "-c",
                                 "-Wno-unused-command-line-argument", f"-I{HERE / 'project'}")
        self.assertEqual(said.splitlines()[0], "pasta: warning: scale.cpp: no debug information: reports name functions, "
                         "not lines; compile with -g or -gline-tables-only")
        self.assertIn(b"fill(float*, float)", (self.folder / "program").read_bytes())

    def test_a_file_without_kernels_is_left_alone(self):
        (self.folder / "a.cpp").write_text("int main() {}\n")
        said = self.compile_well(VERSIONS[-1], self.folder / "a.cpp", HERE / "all_events.hpp", "-O2")
        self.assertEqual(said, "")
        self.assertEqual(self.run_program(self.folder / "program").returncode, 0)

    def test_headers_of_another_version(self):
        (self.folder / "a.cpp").write_text(
            "#include <pasta/cuda_names.hpp>\n__global__ void f(int* a) { *a = 1; }\nint main() {}\n")
        copy = self.folder / "include"
        shutil.copytree(SOURCE / "include", copy)
        hooks = copy / "pasta/instrument/llvm/host_hooks.hpp"
        hooks.write_text(hooks.read_text().replace("host_hooks_version = 1", "host_hooks_version = 999"))
        made = self.compile(VERSIONS[-1], self.folder / "a.cpp", HERE / "all_events.hpp", "-O1", f"-I{copy}", first=True)
        self.assertEqual(made.returncode, 1)
        self.assertIn("pasta: error: a.cpp: the headers of PASTA are of another version than the pass plugin", made.stderr)


if __name__ == "__main__":
    unittest.main()
