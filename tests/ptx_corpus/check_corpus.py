#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Judges a rewriter of PTX on the corpus that make_corpus.py makes: ptxas takes what it writes, and makes of it kernels
that are not worse than the native ones by more than the limits.

COMMAND is split like a shell's line, but no shell runs it. In its words, {input} and {output} stand for the files,
{arch} for the architecture (sm_90a), and {sites} for a file where the rewriter may write how many places it rewrote:
{"sites": 12}. With it, the instructions that a site costs are told. Each kernel's figures are compared with those of
the native file, which the same ptxas assembles with the same flags; they are kept in DIR/.native.

Exit code: 0 no violations; 1 violations, each one line "violation: FILE: ..."; 2 wrong arguments, or DIR has
no manifest; 77 nvcc or nvdisasm is missing.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import figures
import toolchain

MANIFEST = "manifest.json"
PLACES = ("input", "output", "sites", "arch")


def assemble_native(folder, entry, scratch, timeout):
    """Figures of the file as it is, from the folder's cache if it knows them."""
    source = folder / entry["file"]
    ptxas = toolchain.beside_nvcc("ptxas")
    key = hashlib.sha256(json.dumps([toolchain.version_of(ptxas), toolchain.version_of(toolchain.NVDISASM),
                                     entry["arch"], entry["needs"], figures.COUNTED]).encode() +
                         source.read_bytes() + pathlib.Path(figures.__file__).read_bytes() +
                         pathlib.Path(figures.listing.__file__).read_bytes()).hexdigest()
    cache = folder / ".native" / (entry["file"] + ".json")
    try:
        known = json.loads(cache.read_text(encoding="utf-8"))
        if known["key"] == key:
            return known["figures"]
    except (OSError, ValueError, KeyError):
        pass
    found = figures.assemble(source, scratch / "native.cubin", entry["arch"], entry["needs"], timeout)
    cache.parent.mkdir(exist_ok=True)
    temporary = cache.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps({"key": key, "figures": found}), encoding="utf-8")
    os.replace(temporary, cache)
    return found


def fill_in(command, values):
    """The command's words with {input} and the like replaced, and nothing else that has braces."""
    words = []
    for word in command:
        for place in PLACES:
            word = word.replace("{" + place + "}", str(values[place]))
        words.append(word)
    return words


def read_sites(path):
    """How many sites the rewriter tells of, or None. @throw ValueError if the file is not understood."""
    if not path.exists():
        return None
    table = json.loads(path.read_text(encoding="utf-8"))
    sites = table.get("sites") if isinstance(table, dict) else None
    if not isinstance(sites, int) or isinstance(sites, bool) or sites < 0:
        raise ValueError("the table of sites is not as {\"sites\": 12}")
    return sites


def summarize(native, rewritten, sites):
    """What one file's kernels gained, in one line, and in numbers for the sum."""
    both = [(native["kernels"][name], rewritten["kernels"][name])
            for name in native["kernels"].keys() & rewritten["kernels"].keys()]

    def grown(what):
        return [after.get(what, 0) - before.get(what, 0) for before, after in both]

    added, registers, spilt = sum(grown("instructions")), max(grown("registers"), default=0), sum(grown("spill_bytes"))
    text = f"{len(both)} kernels, {added:+} instructions"
    if sites is not None:
        text += f", {sites} sites" + (f" ({added / sites:.1f} instructions for each)" if sites else "")
    text += f", registers {registers:+} at most, spills {spilt:+} bytes"
    return text, {"kernels": len(both), "instructions": added, "sites": sites or 0}


def check_file(folder, entry, command, limits, timeout, keep):
    """(violations, the file's line, the numbers for the sum)"""
    name = entry["file"]
    with tempfile.TemporaryDirectory(prefix="pasta_corpus_") as scratch:
        scratch = pathlib.Path(scratch)
        output, table = scratch / "rewritten.ptx", scratch / "sites.json"
        try:
            native = assemble_native(folder, entry, scratch, timeout)
        except (RuntimeError, OSError, subprocess.SubprocessError) as problem:
            return [f"{name}: the native file does not assemble: {problem}"], "", {}
        try:
            toolchain.run(fill_in(command, {"input": folder / name, "output": output, "sites": table,
                                            "arch": entry["arch"]}), timeout=timeout)
            if not output.is_file():
                raise RuntimeError("it wrote no output")
            sites = read_sites(table)
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as problem:
            return [f"{name}: the rewriter failed: {problem}"], "", {}
        finally:
            if keep and output.is_file():
                shutil.copyfile(output, keep / name)
        try:
            rewritten = figures.assemble(output, scratch / "rewritten.cubin", entry["arch"], entry["needs"], timeout)
        except (RuntimeError, OSError, subprocess.SubprocessError) as problem:
            return [f"{name}: the rewritten file does not assemble: {problem}"], "", {}
    violations = [f"{name}: {kernel}: {text}" if kernel else f"{name}: {text}"
                  for kernel, text in figures.compare(native, rewritten, limits)]
    return violations, *summarize(native, rewritten, sites)


def read_arguments(arguments):
    head, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="check_corpus.py", description=head, epilog=rest,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="the corpus, with manifest.json")
    parser.add_argument("--rewriter", metavar="COMMAND", required=True, help="'cp {input} {output}' changes nothing")
    parser.add_argument("--only", metavar="NAME", nargs="+", action="extend",
                        help="files of these names alone, without .ptx; * and ? stand for any text")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(),
                        help="files at a time; default: one for each core")
    parser.add_argument("--timeout", metavar="S", type=float, default=600, help="of each program [s], default 600")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="leave the rewritten files there")
    group = parser.add_argument_group("limits for each kernel, against the native one")
    group.add_argument("--new-calls", metavar="N", type=int, default=0, help="CALL, default 0")
    group.add_argument("--new-local-accesses", metavar="N", type=int, default=0, help="LDL and STL, default 0")
    group.add_argument("--new-barriers", metavar="N", type=int, default=0,
                       help="BAR, and arrivals and waits at a cluster's barrier; default 0")
    group.add_argument("--lost-multiply-adds", metavar="N", type=int, default=0, help="FFMA, FFMA2, DFMA; default 0")
    group.add_argument("--new-spill-bytes", metavar="N", type=int, default=0,
                       help="stores and loads [bytes], default 0")
    group.add_argument("--new-registers", metavar="N", type=int, help="default: told, not judged")
    group.add_argument("--new-instructions", metavar="N", type=int, help="default: told, not judged")
    group.add_argument("--limits", metavar="FILE", type=pathlib.Path,
                       help='higher ones for some files: [{"files": "a.*", "limits": {"calls": 1}, "why": "..."}]')
    found = parser.parse_args(arguments)
    found.exceptions = read_exceptions(parser, found.limits) if found.limits else []
    if found.jobs < 1:
        parser.error("--jobs must be at least 1")
    try:
        found.command = shlex.split(found.rewriter)
    except ValueError as problem:
        parser.error(f"--rewriter: {problem}")
    if not any("{output}" in word for word in found.command):
        parser.error("--rewriter has no {output}")
    return parser, found


def read_exceptions(parser, path):
    """The rows of a file of --limits. Each says what it allows and why."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        known = {*figures.COUNTED, "lost_multiply_adds", "spill_bytes", "registers", "instructions"} - {"multiply_adds"}
        for row in rows:
            if set(row) != {"files", "limits", "why"} or not row["why"] or set(row["limits"]) - known:
                raise ValueError(f"not understood: {json.dumps(row)}")
    except (OSError, ValueError, TypeError) as problem:
        parser.error(f"--limits: {path}: {problem}")
    return rows


def limits_of(name, limits, exceptions):
    """A file's limits: where rows name it, the highest of theirs and the general one."""
    found = dict(limits)
    for row in exceptions:
        if fnmatch.fnmatchcase(name, f"{row['files']}.ptx"):
            for what, limit in row["limits"].items():
                if what in found:
                    found[what] = max(found[what], limit)
    return found


def read_limits(options):
    given = {name.removeprefix("new_"): value for name, value in vars(options).items()
             if name.startswith(("new_", "lost_"))}
    return {name: value for name, value in given.items() if value is not None}


def main(arguments):
    parser, options = read_arguments(arguments)
    try:
        entries = json.loads((options.folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        parser.error(f"{options.folder} has no manifest; make_corpus.py makes the corpus: {problem}")
    if options.only:
        for pattern in options.only:
            if not any(fnmatch.fnmatchcase(entry["file"], f"{pattern}.ptx") for entry in entries):
                parser.error(f"no file of the corpus has the name {pattern}")
        entries = [entry for entry in entries
                   if any(fnmatch.fnmatchcase(entry["file"], f"{pattern}.ptx") for pattern in options.only)]
    if not entries:
        parser.error(f"{options.folder} has no files")
    for name, path in (("nvcc", toolchain.NVCC), ("nvdisasm", toolchain.NVDISASM)):
        if not path:
            print(f"skipped: {name} was not found; scripts/cuda_tools build/cuda_tools installs it")
            return toolchain.compiler.SKIPPED
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    begin, total, count = time.monotonic(), {"kernels": 0, "instructions": 0, "sites": 0}, 0
    limits = read_limits(options)
    biggest_first = sorted(entries, key=lambda entry: -entry["bytes"])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = {pool.submit(check_file, options.folder, entry, options.command,
                            limits_of(entry["file"], limits, options.exceptions), options.timeout, options.keep):
                entry["file"] for entry in biggest_first}
        for done in concurrent.futures.as_completed(work):
            violations, line, numbers = done.result()
            for text in violations:
                print(f"violation: {text}", flush=True)
            if not violations:
                print(f"ok: {work[done]}: {line}", flush=True)
            count += len(violations)
            total = {name: value + numbers.get(name, 0) for name, value in total.items()}
    added, sites = total["instructions"], total["sites"]
    each = f", {added / sites:.1f} for each of {sites} sites" if sites else ""
    print(f"{len(entries)} files, {total['kernels']} kernels, {added:+} instructions{each}: "
          f"{count} violations; {time.monotonic() - begin:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
