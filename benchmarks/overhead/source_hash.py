#!/usr/bin/env python3
# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the SHA-256 of the sources that a measured overhead depends on: the library, the tools, the programs.

usage: source_hash.py [--list]
--list prints the files' names instead.
"""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = [
    "include/pasta/**/*.h",
    "include/pasta/**/*.hpp",
    "include/pasta/**/*.inl",
    "tools/access_count/*.hpp",
    "tools/coalescing/*.hpp",
    "examples/targets/target.hpp",
    "examples/targets/stencil.hpp",
    "examples/targets/tiled_product.hpp",
    "examples/targets/vector_add.hpp",
    "benchmarks/overhead/*.cu",
    "benchmarks/overhead/*.cuh",
    "benchmarks/overhead/*.hpp",
]


def source_files(root=ROOT):
    """Paths relative to the root, in order of their names."""
    return sorted({path.relative_to(root).as_posix() for pattern in PATTERNS for path in Path(root).glob(pattern)})


def source_sha256(root=ROOT):
    """The hash of all names and contents."""
    whole = hashlib.sha256()
    for name in source_files(root):
        contents = Path(root, name).read_bytes()
        whole.update(f"{name}\0{len(contents)}\0".encode())
        whole.update(contents)
    return whole.hexdigest()


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(source_files()))
    elif not arguments:
        print(source_sha256())
    else:
        print(__doc__.split("\n\n")[1], file=sys.stdout if arguments[0] in ("-h", "--help") else sys.stderr)
        return 0 if arguments[0] in ("-h", "--help") else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
