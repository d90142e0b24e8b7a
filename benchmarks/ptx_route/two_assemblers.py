# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Triton's compiler in one process with two assemblers: Triton's own, and PASTA's stand-in for it."""

import contextlib
import os
import pathlib
import tempfile

import triton

REAL = str(pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "ptxas")  # what Triton brings along


@contextlib.contextmanager
def assembler(variant):
    """variant: "native" or "tool". What is compiled meanwhile goes through that assembler, from an empty cache."""
    path = REAL if variant == "native" else os.environ["BENCHMARK_PTXAS"]
    settings = {"TRITON_PTXAS_PATH": path, "PASTA_PTXAS": REAL, "PASTA_PTX_TOOLS": os.environ["PASTA_TOOLS"]}
    with tempfile.TemporaryDirectory() as cache:
        before = {name: os.environ.get(name) for name in [*settings, "TRITON_CACHE_DIR"]}
        os.environ.update(settings, TRITON_CACHE_DIR=cache)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
