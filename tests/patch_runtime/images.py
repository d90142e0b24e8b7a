# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the file beside a module's PTX that says which line each instruction of its stand-in for machine code is of."""

import os
import re
import subprocess


def make_lines(ptx, file="kernels.cu"):
    """Writes PTX.elf: 16 bytes for each line of a function's PTX, with the line of the source that a .loc before names."""
    with open(ptx) as text:
        lines = text.read().splitlines()
    source = f'.file 1 "{file}"\n'
    name, depth, has_body = "", 0, False
    for line in lines:
        head = re.search(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?(\w+)\s*\(", line)
        if head:
            name, has_body = head[1], False
            source += f'.section .text.{name},"ax",@progbits\n.globl {name}\n.type {name},@function\n{name}:\n'
        if not name:
            continue
        place = re.match(r"\s*\.loc\s+\d+\s+(\d+)\s+(\d+)", line)
        if place:
            source += f".loc 1 {place[1]} {place[2]}\n"
        source += ".rept 16\nnop\n.endr\n"
        depth += line.count("{") - line.count("}")
        has_body = has_body or "{" in line
        if has_body and depth == 0 or line.strip() == ";":
            source += f".size {name}, .-{name}\n"
            name = ""
    command = [os.environ["PASTA_PATCH_CC"], "-x", "assembler", "-c", "-o", ptx + ".elf", "-"]
    subprocess.run(command, input=source, text=True, check=True)
