#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Stands for NVIDIA's ptxas: writes down how it was called and what its inputs hold, and ends as it is told.

FAKE_LOG          a file that gets a line of JSON for each call
FAKE_REFUSES      refuse inputs with this text in them, as ptxas does: a message with the name, status 255
FAKE_WARNS_OF     a second message, with the line of the first place of this text
FAKE_STATUS       end with this status
FAKE_SIGNAL       die of this signal; with FAKE_DIES_ON only for inputs with that text
FAKE_SECONDS      take so long
FAKE_STARTED      a file to make when it has begun
FAKE_FIGURES      JSON for -v: {"f": [[64, 0], [66, 0], [64, 8]]} are the registers and spills of the kernel f in a text
                  as it was, in an instrumented one, and in one with .maxnreg; without it -v says nothing
"""

import json
import os
import re
import signal
import sys
import time

STATE = "pasta_test_state"
VALUED = {"-o", "--output-file", "-arch", "--gpu-name", "-e", "--entry", "-m", "-ias", "-optf"}


def read(name):
    if name == "-":
        return sys.stdin.buffer.read().decode("latin-1")
    with open(name, "rb") as file:
        return file.read().decode("latin-1")


def figures(text):
    """What -v says of the kernels of a text."""
    known = json.loads(os.environ.get("FAKE_FIGURES", "{}"))
    lines = []
    for name, head in re.findall(r"\.entry (\w+)([^{]*)", text):
        if name not in known:
            continue
        registers, spills = known[name][2 if ".maxnreg" in head else 1 if STATE in text else 0]
        lines += [
            f"ptxas info    : Compiling entry function '{name}' for 'sm_90'",
            f"ptxas info    : Function properties for {name}",
            f"    0 bytes stack frame, {spills} bytes spill stores, 0 bytes spill loads",
            f"ptxas info    : Used {registers} registers, used 0 barriers",
        ]
    return "".join(line + "\n" for line in lines)


def line_of(what, text):
    """From 1; 2 if it is not there."""
    return text[:text.find(what)].count("\n") + 1 if what in text else 2


def main():
    words = sys.argv[1:]
    if "--version" in words:
        print("ptxas: a fake\nrelease 13.0")
        return 0
    inputs, output, strings = [], "elf.o", []
    i = 0
    while i < len(words):
        word = words[i]
        if word in VALUED:
            i += 1
            output = words[i] if word in ("-o", "--output-file") else output
            strings += [words[i]] if word == "-ias" else []
        elif word == "-" or not word.startswith("-"):
            inputs.append(word)
        i += 1
    texts = []
    for name in inputs:
        try:
            texts.append(read(name))
        except OSError:
            print(f"ptxas fatal   : Input file '{name}' could not be opened", file=sys.stderr)
            return 255
    texts += strings
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps({"words": words, "texts": texts, "inputs": inputs, "output": output}) + "\n")
    if "FAKE_STARTED" in os.environ:
        open(os.environ["FAKE_STARTED"], "w", encoding="utf-8").close()
    time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))
    for name, text in zip(inputs + ["application ptx input"] * len(strings), texts):
        if os.environ.get("FAKE_REFUSES", "\0") in text:
            print(f"ptxas {name}, line {line_of('.address_size', text)}; error   : not with me", file=sys.stderr)
            print("ptxas fatal   : Ptx assembly aborted due to errors", file=sys.stderr)
            return 255
        print(f"ptxas {name}, line {line_of('.target', text)}; warning : a word about {name}.", file=sys.stderr)
        if os.environ.get("FAKE_WARNS_OF", "\0") in text:
            line = line_of(os.environ["FAKE_WARNS_OF"], text)
            print(f"ptxas {name}, line {line}; warning : a word about this line.", file=sys.stderr)
    if "-v" in words:
        sys.stderr.write("".join(map(figures, texts)))
        sys.stderr.flush()
    if "FAKE_SIGNAL" in os.environ and any(os.environ.get("FAKE_DIES_ON", "") in text for text in texts):
        os.kill(os.getpid(), getattr(signal, os.environ["FAKE_SIGNAL"]))
    with open(output, "w", encoding="latin-1") as file:
        file.write("".join(texts))
    return int(os.environ.get("FAKE_STATUS", "0"))


sys.exit(main())
