# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the assembly that clang writes for AMD GPUs."""

import re

RESOURCES = {"vgprs": "vgpr_count", "sgprs": "sgpr_count", "vgpr_spills": "vgpr_spill_count",
             "sgpr_spills": "sgpr_spill_count", "scratch_bytes": "private_segment_fixed_size"}


def read_kernels(text):
    """Each kernel's instructions and resources: {kernel: {"instructions": [...], "vgprs": 8, ...}}.

    Instructions are those between the function's label and its end, without comments and directives. Resources are
    those of the metadata at the file's end."""
    kernels = {}
    for name in re.findall(r"^\s*\.amdhsa_kernel (\S+)$", text, re.MULTILINE):
        body = re.search(rf"^{re.escape(name)}:.*?^\.Lfunc_end\d+:", text, re.MULTILINE | re.DOTALL)
        lines = (line.split(";")[0].strip() for line in body[0].splitlines()[1:])
        kernels[name] = {"instructions": [" ".join(line.split()) for line in lines
                                          if line and not line.startswith(".") and not line.endswith(":")]}
    metadata = text[text.index(".amdgpu_metadata"):]
    # A kernel's entries begin with "  - " and are sorted by name; those of its arguments are deeper.
    for entry in re.split(r"^  - ", metadata, flags=re.MULTILINE)[1:]:
        name = re.search(r"^\s{0,4}\.name:\s+(\S+)$", entry, re.MULTILINE)
        if not name:
            continue
        for what, key in RESOURCES.items():
            found = re.search(rf"^\s{{0,4}}\.{key}:\s+(\d+)$", entry, re.MULTILINE)
            kernels[name[1]][what] = int(found[1])
    return kernels


def mnemonic(instruction):
    return instruction.split()[0]


def is_call(instruction):
    return mnemonic(instruction).startswith(("s_swappc", "s_setpc", "s_call"))


def is_scratch(instruction):
    """To a thread's own memory: by name, or through the descriptor of it."""
    name = mnemonic(instruction)
    return name.startswith("scratch_") or (name.startswith("buffer_") and "s[0:3]" in instruction)


def is_barrier(instruction):
    return mnemonic(instruction) == "s_barrier"


def is_atomic(instruction):
    return "_atomic_" in mnemonic(instruction)


def kernel_of(names, pattern):
    """The one name that matches. @throw AssertionError for none or several"""
    matching = [name for name in names if re.match(pattern, name)]
    if len(matching) != 1:
        raise AssertionError(f"{len(matching)} kernels match {pattern}: {sorted(names)}")
    return matching[0]


def mangled(name):
    return f"{len(name)}{name}"


def plain_kernel(kernel):
    return f"_ZN5pasta6detail9run_plainI{mangled(kernel)}J"


def probed_kernel(tool, kernel):
    return f"_ZN5pasta6detail10run_probedI{mangled(tool)}{mangled(kernel)}J"
