# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what nvdisasm and `ptxas -v` print."""

import pathlib
import re

PROBED_KERNEL = pathlib.Path(__file__).resolve().parents[2] / "include/pasta/session/cuda/probed_kernel.hpp"

SECTION = re.compile(r"\s*\.section\s+\.text\.([^,\s]+),")
INSTRUCTION = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")
FUNCTION = "function:"  # where a function begins that the kernel calls, in a stream
LABEL = re.compile(r"\.L_[A-Za-z0-9_]+")


def read_streams(listing):
    """The instructions of each kernel, with the functions that it calls: {kernel: [instruction, ...]}.

    Without addresses and comments. Labels are numbered through the whole listing, so each kernel's get numbers of its
    own, in the order of their appearance; all labels that an instruction names keep telling where it goes.
    """
    streams, lines = {}, {}
    current = None
    for line in listing.splitlines():
        section = SECTION.match(line)
        if section:
            current = lines.setdefault(section[1], [])
        elif re.match(r"\s*\.section\s", line):
            current = None
        elif current is not None:
            instruction = INSTRUCTION.match(line)
            label = re.fullmatch(r"(\.L_[A-Za-z0-9_]+):", line.strip())
            if instruction:
                current.append(" ".join(instruction[1].split()))
            elif label:
                current.append(label[1] + ":")
            elif line.startswith("$") and line.endswith(":"):
                current.append(FUNCTION)
    for kernel, all_lines in lines.items():
        # A label that nothing refers to is where a section ends, or a name.
        used = {label for line in all_lines if not line.endswith(":") for label in LABEL.findall(line)}
        numbers = {}
        streams[kernel] = []
        for line in all_lines:
            if line.endswith(":") and line != FUNCTION and line[:-1] not in used:
                continue
            streams[kernel].append(LABEL.sub(lambda m: f"L{numbers.setdefault(m[0], len(numbers))}", line))
    return streams


def own_part(stream):
    """The part of a stream that is the kernel's own, before the functions that it calls."""
    return stream[:stream.index(FUNCTION)] if FUNCTION in stream else stream


def instructions(stream):
    """A stream without its labels and without the instructions that only fill it up to its alignment."""
    found = [line for line in stream if line != FUNCTION and not re.fullmatch(r"L\d+:", line)]
    while found and found[-1] == "NOP":
        found.pop()
    return found


def mnemonic(instruction):
    """The instruction's name: "STL" of "@P0 STL.64 [R1], R2"."""
    return re.sub(r"^@!?U?P\w+\s+", "", instruction).split()[0].split(".")[0]


def read_resources(text):
    """What `ptxas -v` says of each kernel: {kernel: {"registers", "stack_bytes", "spill_bytes", "used"}}, with the
    functions that it calls. "used" is the line of registers, barriers and shared memory as it stands."""
    found = {}
    current = None
    for line in text.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            current = found.setdefault(match[1], {"stack_bytes": 0, "spill_bytes": 0})
        elif current is None:
            continue
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            current["spill_bytes"] += int(match[1]) + int(match[2])
        elif match := re.search(r"Used (\d+) registers.*", line):
            current["used"] = match[0]
            current["registers"] = int(match[1])
            stack = re.search(r"(\d+) bytes cumulative stack size", line)
            current["stack_bytes"] = int(stack[1]) if stack else 0
    return found


def kernel_of(names, pattern):
    """The one name that matches. @throw AssertionError for none or several"""
    matching = [name for name in names if re.match(pattern, name)]
    if len(matching) != 1:
        raise AssertionError(f"{len(matching)} kernels match {pattern}: {sorted(names)}")
    return matching[0]


def mangled(name):
    return f"{len(name)}{name}"


def native_kernel(program):
    return f"_ZN6native{mangled(program)}E"


def plain_kernel(program):
    return f"_ZN5pasta6detail9run_plainI{mangled(program)}J"


def read_register_limits(text):
    """What session/cuda/probed_kernel.hpp says: [(a plain kernel's registers at most, under the tool at most, "true" if
    some are left over), ...] for tools with handlers, and for those that only count."""
    with_handlers, counting = text.split("has_handlers) {")[1].split("} else {")[:2]
    pattern = r"own <= (\d+)\) return &run_probed_within<(\d+), (true|false),"
    return tuple([(int(most), int(limit), left) for most, limit, left in re.findall(pattern, part)]
                 for part in (with_handlers, counting))


def probed_kernel(tool, program, plain_registers):
    """The kernel that is chosen for one with so many registers without a tool."""
    text = PROBED_KERNEL.read_text(encoding="utf-8")
    with_handlers, counting = read_register_limits(text)
    limits = counting if tool == "access_count" else with_handlers
    names = [f"17run_probed_withinILi{limit}ELb{1 if left == 'true' else 0}E"
             for most, limit, left in limits if plain_registers <= most]
    return f"_ZN5pasta6detail{(names + ['10run_probedI'])[0]}{mangled(tool)}{mangled(program)}J"
