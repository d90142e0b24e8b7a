#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the PTX that the inliner is tested with: from sources of this project, by nvcc, nvlink, NVRTC and Triton.

OUT_DIR/manifest.json lists the files. A file that is there, made of the same sources by the same compiler with the same
flags, is kept, so that an interrupted run goes on where it was.

Exit code: 0 all files are there, or a maker is missing and one line says which; 1 a file could not be made;
2 wrong arguments; 77 there is no nvcc.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import time

import recipes
import toolchain

MANIFEST = "manifest.json"


def read_depends(makefile):
    """The files of this project that nvcc -MD names, relative to its folder."""
    names = makefile.read_text(encoding="utf-8").replace("\\\n", " ").split(":", 1)[1].split()
    root = toolchain.SOURCE_DIR
    paths = {pathlib.Path(os.path.normpath(name)) for name in names}
    return sorted(str(path.relative_to(root)) for path in paths if path.is_relative_to(root))


def compile_with_nvcc(recipe, output, scratch):
    depends = scratch / "depends"
    toolchain.run([toolchain.NVCC, "-std=c++20", *recipe.common_flags, *recipe.flags,
                   f"-arch=compute_{recipe.arch[3:]}", "-MD", "-MF", depends, "-ptx", recipe.source, "-o", output])
    return read_depends(depends)


def link_with_nvlink(recipe, output, scratch):
    depends, made = scratch / "depends", scratch / "made.o"
    toolchain.run([toolchain.NVCC, "-std=c++20", *recipe.common_flags, *recipe.flags, f"-arch={recipe.arch}", "-MD",
                   "-MF", depends, "-dlto", "-dc", recipe.source, "-o", made])
    # nvlink loads lib64/libnvvm.so of the folder that it is told, and some installations keep the library elsewhere.
    (scratch / "nvvm/lib64").mkdir(parents=True)
    (scratch / "nvvm/lib64/libnvvm.so").symlink_to(toolchain.find_libnvvm())
    toolchain.run([toolchain.beside_nvcc("nvlink"), f"-arch={recipe.arch}", "-dlto", f"-nvvmpath={scratch / 'nvvm'}",
                   "-emit-ptx", made, "-o", output])
    return read_depends(depends)


def compile_with_nvrtc(recipe, output, _scratch):
    toolchain.run([sys.executable, "-B", recipes.FOLDER / "compile_with_nvrtc.py", toolchain.nvrtc_library(),
                   recipe.source, output, "-std=c++20", f"-arch=compute_{recipe.arch[3:]}", *recipe.common_flags,
                   *recipe.flags])
    return [str(path.relative_to(toolchain.SOURCE_DIR))
            for path in (recipe.source, recipes.FOLDER / "compile_with_nvrtc.py")]


def compile_with_triton(recipe, output, scratch):
    ptxas = toolchain.beside_nvcc("ptxas")  # it decides the version of the PTX
    environment = os.environ | {
        "TRITON_CACHE_DIR": str(scratch / "cache"), "TRITON_HOME": str(scratch), "TRITON_PTXAS_PATH": str(ptxas),
        "TRITON_PTXAS_BLACKWELL_PATH": str(ptxas), "TRITON_DEFAULT_FP_FUSION": "1"}
    toolchain.run([toolchain.triton_python(), "-B", recipe.source, recipe.kernel, recipe.arch[3:], output],
                  env=environment)
    return [str(recipe.source.relative_to(toolchain.SOURCE_DIR))]


MAKE = {"nvcc": compile_with_nvcc, "dlto": link_with_nvlink, "nvrtc": compile_with_nvrtc,
        "triton": compile_with_triton}


def find_missing():
    """Makers that are not there: {maker: why}."""
    install = "scripts/ptx_tools build/ptx_tools installs it"
    missing = {}
    if not toolchain.find_libnvvm() or not toolchain.beside_nvcc("nvlink").exists():
        missing["dlto"] = "nvlink or libnvvm is not beside nvcc"
    if not toolchain.nvrtc_library():
        missing["nvrtc"] = f"there is no NVRTC; {install}"
    if not toolchain.triton_python():
        missing["triton"] = f"there is no Triton; {install}"
    return missing


def compiler_of(recipe):
    if recipe.maker == "triton":
        return f"Triton {toolchain.triton_version()}, ptxas {toolchain.version_of(toolchain.beside_nvcc('ptxas'))}"
    if recipe.maker == "nvrtc":
        return f"NVRTC {toolchain.nvrtc_library().name}, nvcc {toolchain.version_of(toolchain.NVCC)}"
    return toolchain.version_of(toolchain.NVCC)


def key_of(recipe, compiler, depends):
    """Equal if and only if the file would be made anew as it is."""
    found = hashlib.sha256(json.dumps([recipe.maker, recipe.arch, recipe.flags, recipe.common_flags, recipe.kernel,
                                       recipe.needs, compiler]).encode())
    for name in depends:
        try:
            found.update(f"{name}\0".encode() + (toolchain.SOURCE_DIR / name).read_bytes())
        except OSError:
            return None
    return found.hexdigest()


class Corpus:
    """A folder of PTX files and its manifest, which is written after each file."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.counts = {"made": 0, "kept": 0, "failed": 0, "off": 0}
        try:
            listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            self.entries = {entry["file"]: entry for entry in listed}
        except (OSError, ValueError, TypeError, KeyError):
            self.entries = {}

    def write_manifest(self):
        listed = [self.entries[name] for name in sorted(self.entries)]
        temporary = self.folder / f".{MANIFEST}"
        temporary.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
        os.replace(temporary, self.folder / MANIFEST)

    def remove_others(self, names):
        """Files of the manifest that no recipe makes."""
        for name in self.entries.keys() - names:
            (self.folder / name).unlink(missing_ok=True)
            del self.entries[name]
        self.write_manifest()

    def is_current(self, recipe, name, compiler):
        entry, path = self.entries.get(name), self.folder / name
        return (entry is not None and path.is_file() and path.stat().st_size == entry["bytes"] and
                key_of(recipe, compiler, entry["depends"]) == entry["key"])

    def make(self, recipe):
        name, begin = f"{recipe.name}.ptx", time.monotonic()
        compiler = compiler_of(recipe)
        if self.is_current(recipe, name, compiler):
            return self.tell("kept", name, self.entries[name]["bytes"], begin)
        # Beside its place, so that a file with its name is a whole one.
        with tempfile.TemporaryDirectory(prefix=".making.", dir=self.folder) as scratch:
            output = pathlib.Path(scratch, name)
            try:
                depends = MAKE[recipe.maker](recipe, output, pathlib.Path(scratch))
                text = output.read_text(encoding="utf-8")
                version = re.search(r"^\s*\.version\s+(\d+\.\d+)", text, re.MULTILINE)
                target = re.search(r"^\s*\.target\s+(\w+)", text, re.MULTILINE)  # Triton: sm_90a for 90
                if not version or not target:
                    raise RuntimeError(f"{recipe.maker} wrote no PTX")
            except (RuntimeError, OSError, ValueError) as problem:
                with self.lock:
                    self.entries.pop(name, None)
                    (self.folder / name).unlink(missing_ok=True)
                    self.write_manifest()
                return self.tell("failed", name, 0, begin, f": {problem}")
            size = output.stat().st_size
            with self.lock:
                os.replace(output, self.folder / name)
                self.entries[name] = {
                    "file": name, "origin": recipe.origin, "maker": recipe.maker, "compiler": compiler,
                    "arch": target[1], "flags": list(recipe.flags), "ptx_version": version[1], "bytes": size,
                    "needs": recipe.needs, "depends": depends, "key": key_of(recipe, compiler, depends)}
                self.write_manifest()
        return self.tell("made", name, size, begin)

    def tell(self, outcome, name, size, begin, more=""):
        with self.lock:
            self.counts[outcome] += 1
            seconds = time.monotonic() - begin
            print(f"{outcome:6} {name:58} {size:>10} bytes {seconds:6.1f} s{more}", flush=True)


def read_arguments(arguments):
    head, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="make_corpus.py", description=head, epilog=rest,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="OUT_DIR", type=pathlib.Path, help="where the files go")
    parser.add_argument("--only", metavar="NAME", nargs="+", action="extend",
                        help="files of these names alone, without .ptx; * and ? stand for any text: 'cub_*' '*.sm_75'")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(),
                        help="compilers at a time; default: one for each core")
    parser.add_argument("--list", action="store_true", help="print the names and make nothing")
    found = parser.parse_args(arguments)
    if found.jobs < 1:
        parser.error("--jobs must be at least 1")
    return parser, found


def choose(wanted, patterns):
    """The recipes of these names. @throw ValueError for a pattern without one."""
    if not patterns:
        return wanted
    chosen = [recipe for recipe in wanted if any(fnmatch.fnmatchcase(recipe.name, pattern) for pattern in patterns)]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(recipe.name, pattern) for recipe in wanted):
            raise ValueError(f"no file has the name {pattern}; --list prints all names")
    return chosen


def main(arguments):
    parser, options = read_arguments(arguments)
    everything = recipes.all_recipes()
    try:
        wanted = choose(everything, options.only)
    except ValueError as problem:
        parser.error(str(problem))
    if options.list:
        print("\n".join(recipe.name for recipe in wanted))
        return 0
    if not toolchain.NVCC:
        print("skipped: nvcc was not found; scripts/cuda_tools build/cuda_tools installs it")
        return toolchain.compiler.SKIPPED
    begin = time.monotonic()
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        corpus = Corpus(options.folder)
        for left in options.folder.glob(".making.*"):  # of a run that was interrupted
            shutil.rmtree(left, ignore_errors=True)
        if not options.only:
            corpus.remove_others({f"{recipe.name}.ptx" for recipe in everything})
    except OSError as problem:
        print(f"make_corpus.py: {problem}", file=sys.stderr)
        return 1
    missing = find_missing()
    for maker in sorted({recipe.maker for recipe in wanted} & missing.keys()):
        print(f"off: the files made by {maker}: {missing[maker]}")
    possible = [recipe for recipe in wanted if recipe.maker not in missing]
    corpus.counts["off"] = len(wanted) - len(possible)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        # Nothing that is long shall be the last.
        slow = sorted(possible, key=lambda recipe: recipe.source.parent.name != "gpu")
        for work in [pool.submit(corpus.make, recipe) for recipe in slow]:
            work.result()
    made = [corpus.entries[name] for name in (f"{recipe.name}.ptx" for recipe in possible) if name in corpus.entries]
    counts = ", ".join(f"{count} {outcome}" for outcome, count in corpus.counts.items())
    print(f"{len(made)} files, {sum(entry['bytes'] for entry in made)} bytes: {counts}; "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if corpus.counts["failed"] else 0


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main(sys.argv[1:]))
