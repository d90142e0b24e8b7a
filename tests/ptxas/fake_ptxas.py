#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Stands for NVIDIA's ptxas: writes down how it was called and what its inputs hold, and ends as it is told.

FAKE_LOG          a file that gets a line of JSON for each call
FAKE_REFUSES      refuse inputs with this text in them, as ptxas does: a message with the name, status 255
FAKE_STATUS       end with this status
FAKE_SIGNAL       die of this signal; with FAKE_DIES_ON only for inputs with that text
FAKE_SECONDS      take so long
FAKE_STARTED      a file to make when it has begun
"""

import json
import os
import signal
import sys
import time

VALUED = {"-o", "--output-file", "-arch", "--gpu-name", "-e", "--entry", "-m", "-ias", "-optf"}


def read(name):
    if name == "-":
        return sys.stdin.buffer.read().decode("latin-1")
    with open(name, "rb") as file:
        return file.read().decode("latin-1")


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
        log.write(json.dumps({"words": words, "texts": texts, "inputs": inputs}) + "\n")
    if "FAKE_STARTED" in os.environ:
        open(os.environ["FAKE_STARTED"], "w", encoding="utf-8").close()
    time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))
    for name, text in zip(inputs + ["application ptx input"] * len(strings), texts):
        if os.environ.get("FAKE_REFUSES", "\0") in text:
            print(f"ptxas {name}, line 3; error   : not with me", file=sys.stderr)
            print("ptxas fatal   : Ptx assembly aborted due to errors", file=sys.stderr)
            return 255
        print(f"ptxas {name}, line 2; warning : a word about {name}.", file=sys.stderr)
    if "FAKE_SIGNAL" in os.environ and any(os.environ.get("FAKE_DIES_ON", "") in text for text in texts):
        os.kill(os.getpid(), getattr(signal, os.environ["FAKE_SIGNAL"]))
    with open(output, "w", encoding="latin-1") as file:
        file.write("".join(texts))
    return int(os.environ.get("FAKE_STATUS", "0"))


sys.exit(main())
