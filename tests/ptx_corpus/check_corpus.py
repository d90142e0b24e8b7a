#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Judges a rewriter of PTX on the corpus that make_corpus.py makes: ptxas takes what it writes, and makes of it kernels
that are not worse than the native ones by more than the limits.

COMMAND is split like a shell's line, but no shell runs it. In its words, {input} and {output} stand for the files,
{arch} for the architecture (sm_90a), {registers} for a file with the native kernels' registers,
{"relocatable": false, "kernels": {"add": 40}}, and {sites} for a file where the rewriter may write what it did:
{"sites": 12}, and with it "handled": 9, accesses that hooks were put before; "ptx_instructions": [200, 900]; "table":
the table of sites. With it, the instructions of a site (of a handled access, where there are some) are told, and with
the table how many memory accesses of the files were reached, and why not. Each kernel's figures are compared with those
of the native file, which the same ptxas assembles with the same flags; they are kept in DIR/.native.

To write the measured limits anew, after a change that makes code shorter or longer on purpose: run it on the whole
corpus with --write-limits and what the test gives it (`ctest -V -N -R ptx_corpus` prints the command). It replaces the
rows of the files that were run, rounded up by a tenth. What is not measured (calls, barriers, ...) is judged as ever,
and allowed by hand alone: a row in "exceptions", with the reason.

Exit code: 0 no violations; 1 violations, each one line "violation: FILE: ..."; 2 wrong arguments, or DIR has
no manifest; 77 nvcc or nvdisasm is missing.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import shlex
import sys
import time

import check_file
import limits
import tally
import toolchain

MANIFEST = "manifest.json"


def read_arguments(arguments):
    head, _, rest = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(prog="check_corpus.py", description=head, epilog=rest,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path, help="the corpus, with manifest.json")
    parser.add_argument("--rewriter", metavar="COMMAND", required=True, help="'cp {input} {output}' changes nothing")
    parser.add_argument("--only", metavar="NAME", nargs="+", action="extend",
                        help="files of these names alone, without .ptx; * and ? stand for any text")
    parser.add_argument("--without", metavar="NAME", nargs="+", action="extend", default=[],
                        help="leave files of these names out, where they are")
    parser.add_argument("--jobs", metavar="N", type=int, default=os.cpu_count(),
                        help="files at a time; default: one for each core")
    parser.add_argument("--timeout", metavar="S", type=float, default=600, help="of each program [s], default 600")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path, help="leave the rewritten files there")
    group = parser.add_argument_group("limits for each kernel, against the native one")
    group.add_argument("--new-calls", metavar="N", type=int, default=0,
                       help="CALL, but of ptxas's helpers for lanes that are apart and of hooks; default 0")
    group.add_argument("--new-helper-calls", metavar="N", type=int, default=0,
                       help="of such helpers, where whole warps come too; default 0")
    group.add_argument("--new-local-accesses", metavar="N", type=int, default=0, help="LDL and STL, default 0")
    group.add_argument("--new-barriers", metavar="N", type=int, default=0,
                       help="BAR, and arrivals and waits at a cluster's barrier; default 0")
    group.add_argument("--lost-multiply-adds", metavar="N", type=int, default=0, help="FFMA, FFMA2, DFMA; default 0")
    group.add_argument("--new-spill-bytes", metavar="N", type=int, default=0,
                       help="stores and loads [bytes], default 0")
    group.add_argument("--new-registers", metavar="N", type=int, help="default: told, not judged")
    group.add_argument("--new-instructions", metavar="N", type=int, help="default: told, not judged")
    group.add_argument("--limits", metavar="FILE", type=pathlib.Path,
                       help="higher ones for some files, and measured ones; limits.py says how it looks")
    group.add_argument("--measured", metavar="KIND", nargs="+", action="extend", default=[], choices=limits.MEASURABLE,
                       help=f"judged by the measured limits, not by those above: {', '.join(limits.MEASURABLE)}")
    group.add_argument("--write-limits", action="store_true", help="measure, and write the measured limits to FILE")
    group = parser.add_argument_group("what is not reached, if the rewriter writes its table")
    group.add_argument("--watched-spaces", metavar="SPACE", nargs="+", action="extend", default=[],
                       help="whose accesses its tool has a handler for: global generic; default: it only counts")
    group.add_argument("--most-left-out", metavar="P", type=float, default=1,
                       help="sites that are not counted, and accesses of which docs/routes.md says that handlers get "
                       "them, over all files [percent], default 1")
    found = parser.parse_args(arguments)
    if (found.measured or found.write_limits) and not (found.limits and found.measured):
        parser.error("--measured and --write-limits need each other's kinds and --limits")
    try:
        found.table = limits.read(found.limits) if found.limits else {"exceptions": [], "measured": {}}
    except (OSError, ValueError, TypeError, AttributeError) as problem:
        parser.error(f"--limits: {found.limits}: {problem}")
    if found.jobs < 1:
        parser.error("--jobs must be at least 1")
    try:
        found.command = shlex.split(found.rewriter)
    except ValueError as problem:
        parser.error(f"--rewriter: {problem}")
    if not any("{output}" in word for word in found.command):
        parser.error("--rewriter has no {output}")
    return parser, found


def general_limits(options):
    given = {name.removeprefix("new_"): value for name, value in vars(options).items()
             if name.startswith(("new_", "lost_"))}
    return {name: value for name, value in given.items() if value is not None}


def choose_entries(parser, options):
    """The corpus's files that are asked for."""
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
    entries = [entry for entry in entries
               if not any(fnmatch.fnmatchcase(entry["file"], f"{pattern}.ptx") for pattern in options.without)]
    if not entries:
        parser.error(f"{options.folder} has no files")
    return entries


def check_all(entries, options):
    """Each file's outcome, which is printed as it is known."""
    general, found = general_limits(options), []
    biggest_first = sorted(entries, key=lambda entry: -entry["bytes"])
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(check_file.check_file, options.folder, entry, options,
                            limits.of_file(entry["file"], general, options.table, options.measured))
                for entry in biggest_first]
        for done in concurrent.futures.as_completed(work):
            outcome = done.result()
            for text in outcome.violations:
                print(f"violation: {text}", flush=True)
            if outcome.line:
                print(f"{'not ok' if outcome.violations else 'ok'}: {outcome.name}: {outcome.line}", flush=True)
            found.append(outcome)
    return found


def print_times(outcomes):
    """The processor's time that ptxas took, and the files where it grew most."""
    known = [each for each in outcomes if each.seconds[0] > 0]
    if not known:
        return
    native, rewritten = (sum(each.seconds[which] for each in known) for which in (0, 1))
    print(f"ptxas: {native:.1f} s of the processor natively, {rewritten:.1f} s rewritten; most times as long:")
    for each in sorted(known, key=lambda each: each.seconds[0] / max(each.seconds[1], 1e-3))[:5]:
        before, after = each.seconds
        print(f"  {after / before:.1f}: {each.name}: {before:.2f} to {after:.2f} s")


def main(arguments):
    parser, options = read_arguments(arguments)
    entries = choose_entries(parser, options)
    for name, path in (("nvcc", toolchain.NVCC), ("nvdisasm", toolchain.NVDISASM)):
        if not path:
            print(f"skipped: {name} was not found; scripts/cuda_tools build/cuda_tools installs it")
            return toolchain.compiler.SKIPPED
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    outcomes = check_all(entries, options)
    reached = tally.Tally()
    for each in outcomes:
        reached.add(each.reached)
    print_times(outcomes)
    helpers = sum((each.helpers for each in outcomes), collections.Counter())
    if helpers:
        print("ptxas's helpers that whole warps come to:",
              ", ".join(f"{count} {name}" for name, count in helpers.most_common()))
    print("".join(f"{line}\n" for line in reached.lines()), end="")
    count = sum(len(each.violations) for each in outcomes)
    for text in reached.violations(options.most_left_out):
        print(f"violation: all files: {text}")
        count += 1
    if options.write_limits:
        limits.write(options.limits, options.table,
                     {each.name: each.measured for each in outcomes if each.line and each.measured})
    sites, added = (sum(getattr(each, what) for each in outcomes) for what in ("sites", "instructions"))
    each_site = f", {added / sites:.1f} for each of {sites} sites" if sites else ""
    print(f"{len(entries)} files, {sum(each.kernels for each in outcomes)} kernels, {added:+} instructions{each_site}: "
          f"{count} violations; {time.monotonic() - begin:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
