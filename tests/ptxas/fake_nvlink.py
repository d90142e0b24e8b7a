#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Stands for NVIDIA's nvlink: its output is what its inputs hold, one after the other; with -emit-ptx it is FAKE_PTX.

FAKE_LINK_LOG     a file that gets a line of JSON for each call
FAKE_PTX          the PTX of what is optimised at link time
FAKE_OTHERS       inputs, parted by commas, that are not made for that: it says so, as nvlink does
FAKE_FAILS_ON     a word: fail with status 1 if it is on the command line
FAKE_LINK_SECONDS take so long without -emit-ptx
FAKE_LINK_STARTED a file to make when it has begun
"""

import json
import os
import sys
import time

VALUED = {"-o", "-arch", "-L", "-l", "-Xptxas", "-nvvmpath", "-maxrregcount", "--register-link-binaries"}


def main():
    words = sys.argv[1:]
    if "--version" in words:
        print("nvlink: a fake")
        return 0
    inputs, output = [], "a.out"
    i = 0
    while i < len(words):
        if words[i] in VALUED:
            i += 1
            output = words[i] if words[i - 1] == "-o" else output
        elif not words[i].startswith("-"):
            inputs.append(words[i])
        i += 1
    with open(os.environ["FAKE_LINK_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps({"words": words, "inputs": inputs, "output": output}) + "\n")
    if "FAKE_LINK_STARTED" in os.environ:
        open(os.environ["FAKE_LINK_STARTED"], "w", encoding="utf-8").close()
    is_ptx = "-emit-ptx" in words
    if not is_ptx:
        time.sleep(float(os.environ.get("FAKE_LINK_SECONDS", "0")))
    for other in filter(None, os.environ.get("FAKE_OTHERS", "").split(",")):
        print(f"nvlink info    : requested LTO but '{other}' not built for LTO so doing partial LTO", file=sys.stderr)
    if os.environ.get("FAKE_FAILS_ON", "\0") in words:
        print(f"nvlink error   : not with me, {inputs[0]}", file=sys.stderr)
        print("nvlink fatal   : merge_elf failed", file=sys.stderr)
        return 1
    text = ""
    for name in inputs:
        with open(name, encoding="latin-1") as file:
            text += file.read()
    with open(output, "w", encoding="latin-1") as file:
        file.write(os.environ.get("FAKE_PTX", "\x7fELF") if is_ptx else text)
    return 0


sys.exit(main())
