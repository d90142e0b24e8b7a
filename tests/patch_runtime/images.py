# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the file beside a module's PTX that says which line each instruction of its stand-in for machine code is of."""

import os
import re
import struct
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
    mark_kernels(ptx + ".elf", re.findall(r"\.entry\s+(\w+)", "\n".join(lines)))


def mark_kernels(path, kernels):
    """Says of functions that they are kernels, as NVIDIA's machine code does: the assembler has no word for it."""
    with open(path, "rb") as file:
        elf = bytearray(file.read())
    (sections,) = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", elf, sections + size * i) for i in range(count)]
    for _, kind, _, _, offset, length, link, _ in headers:
        if kind != 2:  # SHT_SYMTAB
            continue
        names = headers[link][4]
        for symbol in range(offset, offset + length, 24):
            begin = names + struct.unpack_from("<I", elf, symbol)[0]
            if elf[begin:elf.index(0, begin)].decode() in kernels:
                elf[symbol + 5] |= 0x10  # STO_CUDA_ENTRY
    with open(path, "wb") as file:
        file.write(elf)
