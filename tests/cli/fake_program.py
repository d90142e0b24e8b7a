#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Behaves as a program with a tool attached (docs/architecture.md), step by step as its arguments say."""

import json
import os
import signal
import socket
import sys
import time


def expanded(pattern):
    values = {
        "p": str(os.getpid()),
        "h": socket.gethostname(),
        "t": os.environ["PASTA_TOOLS"],
        "e": "fake_program.py",
        "%": "%",
    }
    text, i = "", 0
    while i < len(pattern):
        if pattern[i] == "%":
            text += values[pattern[i + 1]]
            i += 2
        else:
            text += pattern[i]
            i += 1
    return text


def report(is_complete=True):
    loss = {
        "launches_seen": 1,
        "launches_delivered": 1,
        "launches_sampled_out": 0,
        "launches_lost": 0,
        "events_delivered": 64,
        "events_dropped": 0,
        "not_instrumentable": [],
    }
    table = {
        "name": "lines",
        "columns": [
            {"name": "file", "unit": "", "role": "key"},
            {"name": "line", "unit": "", "role": "key"},
            {"name": "accesses", "unit": "", "role": "value"},
        ],
        "rows": [["/src/a.cpp", 7, 64]],
    }
    kernel = {
        "kernel": "fill",
        "range": "",
        "launch": None,
        "grid": "1x1x1",
        "block": "64x1x1",
        "shared_bytes": 0,
        "duration_ns": 1000,
        "losses": loss,
        "findings": [],
        "tables": [table],
    }
    tool = {
        "tool": os.environ.get("PASTA_TOOLS", "access_count"),
        "options": [],
        "findings": [],
        "kernels": [kernel],
        "tables": [],
    }
    header = {
        name: ""
        for name in (
            "host_name",
            "route",
            "vendor",
            "device",
            "os",
            "cpu",
            "compiler",
            "compiler_flags",
            "gpu",
            "driver",
            "cuda",
        )
    }
    header |= {
        "command": os.environ.get("PASTA_COMMAND", "").split("\x1f"),
        "pid": os.getpid(),
        "pasta_version": "0.1.0",
        "date": "2026-01-31T12:00:00Z",
        "wall_ns": 1,
        "slowdown": None,
    }
    return {
        "schema": "pasta-report/1",
        "header": header,
        "is_complete": is_complete,
        "incomplete_reason": "" if is_complete else "killed by SIGTERM",
        "notes": [],
        "tools": [tool],
    }


def tell_index(state, path, why=""):
    with open(os.environ["PASTA_REPORT_INDEX"], "a", encoding="utf-8") as index:
        index.write(f"{state}\t{os.getpid()}\t{path}" + (f"\t{why}" if why else "") + "\n")


def main():
    attached = "PASTA_TOOLS" in os.environ
    path = expanded(os.environ["PASTA_OUTPUT"]) if attached else None
    on_term = []

    def finish(state, is_complete):
        if attached:
            with open(path, "w", encoding="utf-8") as file:
                json.dump(report(is_complete), file)
            tell_index(state, path)

    def term(number, frame):
        for line in on_term:
            os.write(1, (line + "\n").encode())  # not print: the signal may have come inside one
        finish("incomplete", False)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for step in sys.argv[1:]:
        verb, _, value = step.partition("=")
        if verb == "attach" and attached:
            tell_index("attach", path)
        elif verb == "complete":
            finish("complete", True)
        elif verb == "damaged" and attached:
            with open(path, "w", encoding="utf-8") as file:
                file.write(json.dumps(report())[:100])
            tell_index("complete", path)
        elif verb == "failed" and attached:
            tell_index("failed", path, value)
        elif verb == "child":
            pid = os.fork()
            if pid == 0:
                if attached:
                    path = expanded(os.environ["PASTA_OUTPUT"])
                    tell_index("attach", path)
                    finish("complete", True)
                os._exit(0)
            os.waitpid(pid, 0)
        elif verb == "out":
            print(value, flush=True)
        elif verb == "err":
            print(value, file=sys.stderr, flush=True)
        elif verb == "in":
            print(sys.stdin.read(), flush=True)
        elif verb == "env":
            print(f"{value}={os.environ.get(value)!r}", flush=True)
        elif verb == "chdir":
            os.chdir(value)
        elif verb == "exit":
            sys.exit(int(value))
        elif verb == "_exit":
            os._exit(int(value))
        elif verb == "kill":
            signal.signal(int(value), signal.SIG_DFL) if int(value) != signal.SIGKILL else None
            os.kill(os.getpid(), int(value))
        elif verb == "dispositions":
            names = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGPIPE")
            with open("/proc/self/status", encoding="utf-8") as status:
                masks = dict(line.split(":", 1) for line in status if line.startswith("Sig"))
            ignored, blocked = int(masks["SigIgn"], 16), int(masks["SigBlk"], 16)
            # Python ignores SIGPIPE itself.
            print(
                "ignored",
                [n for n in names[:-1] if ignored >> (getattr(signal, n) - 1) & 1],
                "blocked",
                blocked,
                flush=True,
            )
        elif verb == "group":
            print("group", os.getpgrp(), flush=True)
        elif verb == "on_term":
            on_term.append(value)
            signal.signal(signal.SIGTERM, term)
            signal.signal(signal.SIGHUP, term)
            signal.signal(signal.SIGINT, term)
        elif verb == "sleep":
            time.sleep(float(value))


main()
