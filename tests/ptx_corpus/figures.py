# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What decides whether a rewritten kernel is as good as the native one, from what ptxas and nvdisasm say."""

import collections
import re

import toolchain

import listing  # tests/cuda, which toolchain adds to the path

# What is counted of a kernel's instructions, and their names.
COUNTED = {
    "local_accesses": ("LDL", "STL"),
    "barriers": ("BAR", "UCGABAR_ARV", "UCGABAR_WAIT"),
    "multiply_adds": ("FFMA", "FFMA2", "DFMA"),
}

# What ptxas calls before sm_90 where lanes that are apart come to an instruction of the whole warp, or a barrier.
WARP_HELPER = re.compile(r"__cuda_(sm70_\w*sync(_\w+)?|reduxsync_\w+)")
# A tool's hook, where it is a function.
HOOK = re.compile(r"\bpasta_hook_\w+")
CALLS = ("calls", "helper_calls", "hook_calls")  # of others, of ptxas's helpers, of hooks


def leave_out_helpers(stream):
    """The stream without the calls of such helpers that only lanes which are apart come to: from where a BRA.DIV leads
    to, up to the jump back, and between a BRA.CONV and where it leads whole warps. `@!PT BRA` is a BRA.DIV in a place
    where lanes are never apart. Barriers on such a way are copies of those on the other."""
    apart_labels = {label for line in stream if re.search(r"\bBRA\.DIV\b|^@!PT BRA\b", line)
                    for label in re.findall(r"\bL\d+\b", line)}
    found, is_apart, together = [], False, None
    for line in stream:
        if match := re.match(r"(?:@!?U?P\d+ )?BRA\.CONV\b.*\b(L\d+)\b", line):
            is_apart, together = True, f"{match[1]}:"
        elif line == together:
            is_apart, together = False, None
        elif line.endswith(":"):
            is_apart = line != listing.FUNCTION and (is_apart or line[:-1] in apart_labels)
        elif re.match(r"(BRA|EXIT|RET)\b(?!\.DIV)", line):
            is_apart = False
        elif is_apart and (listing.mnemonic(line) == "BAR" or
                           listing.mnemonic(line) == "CALL" and WARP_HELPER.search(line)):
            continue
        found.append(line)
    return found


def callee_of(instruction):
    """The function's name; empty where it is in a register. nvdisasm names one that lies in the kernel's section
    `$kernel$function` or `$__internal_0_$function`."""
    found = re.search(r"`\(([^)]*)\)", instruction)
    return found[1].rpartition("$")[2] if found else ""


def is_call(instruction):
    """Not one to a label: some jumps within a kernel are spelled so."""
    return listing.mnemonic(instruction) == "CALL" and not re.fullmatch(r"L\d+", callee_of(instruction))


def kind_of_call(instruction):
    """One of CALLS."""
    name = callee_of(instruction)
    return "hook_calls" if HOOK.match(name) else "helper_calls" if WARP_HELPER.fullmatch(name) else "calls"


def count_instructions(stream):
    """{"instructions": 40, "calls": 0, ...} of one kernel with the functions that lie in its section. "helpers" has the
    helper_calls by name."""
    instructions = listing.instructions(leave_out_helpers(stream))
    names = collections.Counter(map(listing.mnemonic, instructions))
    found = {what: sum(names[name] for name in counted) for what, counted in COUNTED.items()}
    calls = list(filter(is_call, instructions))
    kinds = collections.Counter(map(kind_of_call, calls))
    helpers = collections.Counter(callee_of(line) for line in calls if kind_of_call(line) == "helper_calls")
    return {"instructions": len(instructions), "helpers": helpers} | {what: kinds[what] for what in CALLS} | found


def read_figures(disassembly, said):
    """All kernels' counts, with what `ptxas -v` says of them: {kernel: {...}}. Functions that are linked later are like
    kernels, without registers."""
    resources = listing.read_resources(said)
    found = {}
    for kernel, stream in listing.read_streams(disassembly).items():
        found[kernel] = count_instructions(stream)
        for what in ("registers", "spill_bytes", "stack_bytes"):
            if what in resources.get(kernel, {}):
                found[kernel][what] = resources[kernel][what]
    return found


def read_warnings(said):
    """What ptxas warns of, without what differs between two files that mean the same: names of files and lines."""
    found = set()
    for line in said.splitlines():
        if match := re.match(r"ptxas (?:.*?, line \d+; )?\s*(warning|error|fatal)\s*: (.*)", line):
            found.add(match[2].strip())
        elif match := re.match(r"ptxas info\s*: (\(C\d+\).*)", line):  # wgmma that is serialised is told of like this
            found.add(re.sub(r"line \d+", "line", match[1].strip()))
    return sorted(found)


def assemble(source, cubin, architecture, flags, timeout):
    """What ptxas makes of a file: {"kernels": {...}, "warnings": [...], "seconds": 0.4}, of the processor.
    @throw RuntimeError if it does not"""
    said, seconds = toolchain.run_timed([toolchain.beside_nvcc("ptxas"), f"-arch={architecture}", "-v", *flags, source,
                                         "-o", cubin], timeout)
    disassembly = toolchain.run([toolchain.NVDISASM, "-c", cubin], timeout=timeout)
    kernels = read_figures(disassembly, said)
    if not kernels:
        raise RuntimeError("nvdisasm shows no code")
    return {"kernels": kernels, "warnings": read_warnings(said), "seconds": seconds}


def grown(before, after, what):
    """How much more of something a kernel has. @param what a name in a kernel's counts, or "lost_multiply_adds" """
    if what == "lost_multiply_adds":
        return before["multiply_adds"] - after["multiply_adds"]
    return after.get(what, 0) - before.get(what, 0)


def compare(native, rewritten, limits):
    """One line for each limit that a kernel exceeds: [(kernel, "3 new calls, limit 0"), ...].
    @param limits {"calls": 0, ..., "lost_multiply_adds": 0}; what has no limit is not compared"""
    lines = []
    for kernel in sorted(native["kernels"].keys() ^ rewritten["kernels"].keys()):
        if WARP_HELPER.fullmatch(kernel) or HOOK.fullmatch(kernel):
            continue  # a module that is linked later has them as functions
        which = "native" if kernel in native["kernels"] else "rewritten"
        lines.append((kernel, f"only in the {which} file"))
    for kernel in sorted(native["kernels"].keys() & rewritten["kernels"].keys()):
        before, after = native["kernels"][kernel], rewritten["kernels"][kernel]
        for what, limit in limits.items():
            more = grown(before, after, what)
            if more > limit:
                text = f"{more} multiply_adds fewer" if what == "lost_multiply_adds" else f"{more} new {what}"
                lines.append((kernel, f"{text}, limit {limit}"))
    lines += [("", f"a new warning: {text}") for text in rewritten["warnings"] if text not in native["warnings"]]
    return lines
