# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Python imports this at its start in programs of `pasta run`, which puts this folder into PYTHONPATH. The
sitecustomize that would have been imported without it is imported too."""

import importlib.machinery
import importlib.util
import os
import sys


def _start():
    try:
        here = os.path.dirname(os.path.abspath(__file__))
        path = os.path.join(here, "pasta_triton.py")
        spec = importlib.util.spec_from_file_location("_pasta_triton", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        module.start()
    except Exception as error:  # the program is not to notice
        if os.environ.get("PASTA_DEBUG") == "1":
            print(f"pasta: nothing is known of Triton: {error!r}", file=sys.stderr)


def _go_on():
    here = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    others = [path for path in sys.path if os.path.realpath(path or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_start()
_go_on()
