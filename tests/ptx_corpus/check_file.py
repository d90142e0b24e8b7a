# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""One file of the corpus: rewritten, assembled, compared with the native one."""

import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import figures
import limits
import tally
import toolchain

PLACES = ("input", "output", "sites", "registers", "arch")
# KeyError, TypeError: what the rewriter wrote is not what it should be.
FAILURES = (RuntimeError, OSError, ValueError, KeyError, TypeError, subprocess.SubprocessError)


@dataclasses.dataclass
class Outcome:
    """Of one file; what stands behind `violations` is there if it could be assembled."""
    name: str
    violations: list = dataclasses.field(default_factory=list)
    kernels: int = 0
    instructions: int = 0  # added
    sites: int = 0  # that these instructions are for
    measured: dict = dataclasses.field(default_factory=dict)  # as limits.measure() gives them
    reached: tally.Tally = dataclasses.field(default_factory=tally.Tally)
    helpers: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # calls that are new, by name
    seconds: tuple = (0, 0)  # of ptxas, native and rewritten, of the processor
    line: str = ""


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


def native_registers(native, entry):
    """What a rewriter that limits registers reads."""
    kernels = {name: kernel["registers"] for name, kernel in native["kernels"].items() if "registers" in kernel}
    return json.dumps({"relocatable": "--compile-only" in entry["needs"], "kernels": kernels})


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_sites(path):
    """What the rewriter tells, or None: {"per": sites that instructions are for, "ptx_instructions": added or None,
    "table": or None}. @throw ValueError if the file is not understood"""
    if not path.exists():
        return None
    told = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or not is_count(told.get("sites")) or not is_count(told.get("handled", 0)):
        raise ValueError("the table of sites is not as {\"sites\": 12}")
    before_and_after = told.get("ptx_instructions")
    return {"per": told.get("handled") or told["sites"], "table": told.get("table"),
            "ptx_instructions": before_and_after[1] - before_and_after[0] if before_and_after else None}


def tally_of(source, sites, watched_spaces):
    if not sites or sites["table"] is None:
        return tally.Tally()
    return tally.tally(source.read_text(encoding="utf-8"), sites["table"], watched_spaces)


def describe(outcome, native, rewritten):
    """What the file's kernels gained, in one line."""
    text = f"{outcome.kernels} kernels, {outcome.instructions:+} instructions"
    if outcome.sites:
        text += f", {outcome.sites} sites ({outcome.instructions / outcome.sites:.1f} instructions for each)"
    both = limits.measure(native, rewritten, None, ("registers", "spill_bytes", *figures.CALLS))
    text += f", registers {both['registers']:+} at most, spills {both['spill_bytes']:+} bytes at most"
    calls = [f"{both[what]} {what}" for what in figures.CALLS if both[what]]
    return f"{text}{''.join(f', {each} at most' for each in calls)}, ptxas {outcome.seconds[0]:.2f} to " \
           f"{outcome.seconds[1]:.2f} s"


def check_file(folder, entry, options, allowed):
    """@param options of check_corpus.py @param allowed limits.of_file()"""
    outcome = Outcome(entry["file"])

    def fail(what, problem):
        outcome.violations.append(f"{outcome.name}: {what}: {problem}")
        return outcome

    with tempfile.TemporaryDirectory(prefix="pasta_corpus_") as scratch:
        scratch = pathlib.Path(scratch)
        output, table, registers = (scratch / name for name in ("rewritten.ptx", "sites.json", "registers.json"))
        try:
            native = assemble_native(folder, entry, scratch, options.timeout)
        except FAILURES as problem:
            return fail("the native file does not assemble", problem)
        try:
            registers.write_text(native_registers(native, entry), encoding="utf-8")
            toolchain.run(fill_in(options.command, {"input": folder / outcome.name, "output": output, "sites": table,
                                                    "registers": registers, "arch": entry["arch"]}),
                          timeout=options.timeout)
            if not output.is_file():
                raise RuntimeError("it wrote no output")
            sites = read_sites(table)
            outcome.reached = tally_of(folder / outcome.name, sites, options.watched_spaces)
        except FAILURES as problem:
            return fail("the rewriter failed", problem)
        finally:
            if options.keep and output.is_file():
                shutil.copyfile(output, options.keep / outcome.name)
        try:
            rewritten = figures.assemble(output, scratch / "rewritten.cubin", entry["arch"], entry["needs"],
                                         options.timeout)
        except FAILURES as problem:
            return fail("the rewritten file does not assemble", problem)
    outcome.kernels = len(native["kernels"].keys() & rewritten["kernels"].keys())
    outcome.instructions = limits.total_grown(native, rewritten)
    outcome.sites = sites["per"] if sites else 0
    for name, kernel in rewritten["kernels"].items():
        outcome.helpers.update(kernel["helpers"])
        outcome.helpers.subtract(native["kernels"].get(name, {}).get("helpers", {}))
    outcome.seconds = native["seconds"], rewritten["seconds"]
    outcome.measured = limits.measure(native, rewritten, sites, options.measured)
    of_kernels = {what: limit for what, limit in allowed.items() if what in limits.OF_KERNELS and limit is not None and
                  not (options.write_limits and what in options.measured)}
    outcome.violations = [f"{outcome.name}: {kernel}: {text}" if kernel else f"{outcome.name}: {text}"
                          for kernel, text in figures.compare(native, rewritten, of_kernels)]
    if not options.write_limits:
        outcome.violations += [f"{outcome.name}: {text}" for text in limits.exceeded(outcome.measured, allowed)]
    outcome.line = describe(outcome, native, rewritten)
    return outcome
