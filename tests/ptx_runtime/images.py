# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Makes modules for the stand-in of the driver: object files with what an instrumented module has."""

import json
import os
import subprocess

VERSION = "0.1.0"


def access(kind="load", space="global", size=4, **more):
    return {"kind": kind, "space": space, "bytes": size} | more


def site(counter, *accesses, place=0, opcode="ld.global.f32"):
    return {"counter": counter, "place": place, "opcode": opcode, "line": 9, "accesses": list(accesses or [access()])}


def function(name, *sites, is_entry=True, why=""):
    return {"name": name, "is_entry": is_entry, "why": why, "sites": list(sites)}


def table(number, *functions, counters=4, places=None, **changes):
    """The site table of a module; number makes its id."""
    default = [
        {"file": "a.cu", "line": 7, "column": 3, "function": "", "caller": None},
        {"file": "b.cuh", "line": 2, "column": 5, "function": "_Z5innerv", "caller": 0},
    ]
    return {
        "schema": "pasta.ptx.sites/1",
        "pasta": VERSION,
        "id": f"{number:032x}",
        "tools": ["access_count"],
        "target": "sm_90",
        "counters": counters,
        "places": default if places is None else places,
        "functions": list(functions),
    } | changes


def make_image(path, *tables, functions=(), texts=None, state_words=4):
    """Writes an object file with a state and a table for each table. texts replaces what the tables say."""
    names = list(functions)
    source = ""
    for i, each in enumerate(tables):
        text = json.dumps(each) if texts is None else texts[i]
        words = [0, 0, len(text.encode()), 0, 0, 0][:state_words]
        source += f"unsigned long long pasta_state_{each['id']}[{state_words}] = {{{', '.join(map(str, words))}}};\n"
        quoted = "".join(f"\\{byte:03o}" for byte in text.encode())
        source += f"char pasta_sites_{each['id']}[] = \"{quoted}\";\n"
        names += [f["name"] for f in each["functions"]]
    for name in dict.fromkeys(names):
        source += f"void {name}(void) {{}}\n"
    subprocess.run(
        [os.environ["PASTA_PTX_CC"], "-x", "c", "-w", "-c", "-o", path, "-"], input=source, text=True, check=True
    )
    return path
