# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Has Triton and torch.compile assemble with PASTA's counters in a program of `pasta run`, marks the launches by which
they tune, and lets them use what was tuned without PASTA.

Nothing is done before one of them is imported, and nothing that goes wrong here reaches the program. Variables:

    PASTA_JIT_PTXAS   the stand-in for ptxas
    PASTA_JIT_CACHE   a folder for what is compiled with the tools of this run: machine code with and without counters
                      must not be taken for each other
    PASTA_JIT_TRITON, PASTA_JIT_INDUCTOR
                      the caches that the program would have used; set here, for the processes that it starts
"""

import functools
import importlib.util
import os
import shutil
import sys
import threading

RANGE = "autotuning"


def _debug(text):
    if os.environ.get("PASTA_DEBUG") == "1":
        print(f"pasta: {text}", file=sys.stderr)


def _harmless(function):
    @functools.wraps(function)
    def wrapper(*args):
        try:
            return function(*args)
        except Exception as error:
            _debug(f"{function.__name__.strip('_')}: {error!r}")

    return wrapper


# ---- Caches and assemblers


def _replace(path, make):
    """Makes a file or link under another name first: other processes do the same."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    draft = f"{path}.{os.getpid()}.{threading.get_ident()}"
    make(draft)
    os.replace(draft, path)


def _take_over(variable, original_variable, default, folder):
    """The program's cache is kept in mind, and another one set.
    @return whether it was done: a process that the program started has that already"""
    ours = os.path.join(os.environ["PASTA_JIT_CACHE"], folder)
    before = os.environ.get(variable) or default
    if before == ours:
        return False
    os.environ[original_variable] = before
    os.environ[variable] = ours
    return True


def _stand_in_for(real):
    """A path of the stand-in, beside which it finds the assembler that it calls; of the same name, which --version says
    and Triton makes a part of the names of results."""
    folder = os.path.join(os.environ["PASTA_JIT_CACHE"], "assemblers", real.strip("/").replace("/", "%"))
    stand_in = os.environ["PASTA_JIT_PTXAS"]
    for name, target in (("ptxas.real", real), (os.path.basename(real), stand_in)):
        path = os.path.join(folder, name)
        if not (os.path.islink(path) and os.readlink(path) == target):
            _replace(path, functools.partial(os.symlink, target))
    return os.path.join(folder, os.path.basename(real))


@_harmless
def _prepare_triton(folder):
    if not os.environ.get("PASTA_JIT_CACHE") or not os.environ.get("PASTA_JIT_PTXAS"):
        return
    os.makedirs(os.environ["PASTA_JIT_CACHE"], exist_ok=True)  # if it cannot be, nothing is changed
    home = os.environ.get("TRITON_HOME") or os.path.expanduser("~/")
    _take_over("TRITON_CACHE_DIR", "PASTA_JIT_TRITON", os.path.join(home, ".triton", "cache"), "triton")
    os.environ.setdefault("TRITON_CACHE_AUTOTUNING", "1")  # else it looks for no results
    for name in ("ptxas", "ptxas-blackwell"):
        variable = f"TRITON_{name.upper().replace('-', '_')}_PATH"
        real = os.environ.get(variable) or os.path.join(folder, "backends", "nvidia", "bin", name)
        if real.startswith(os.environ["PASTA_JIT_CACHE"] + os.sep) or not os.access(real, os.X_OK):
            continue
        os.environ[variable] = _stand_in_for(os.path.abspath(real))
        _debug(f"{variable}={os.environ[variable]}")


def _inductor_default():
    import getpass
    import re
    import tempfile

    name = re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser())
    return os.path.join(tempfile.gettempdir(), "torchinductor_" + name)


@_harmless
def _prepare_inductor(folder):
    if not os.environ.get("PASTA_JIT_CACHE"):
        return
    os.makedirs(os.environ["PASTA_JIT_CACHE"], exist_ok=True)
    if not _take_over("TORCHINDUCTOR_CACHE_DIR", "PASTA_JIT_INDUCTOR", _inductor_default(), "inductor"):
        return
    source, target = os.environ["PASTA_JIT_INDUCTOR"], os.environ["TORCHINDUCTOR_CACHE_DIR"]
    count = 0
    # Which configuration of a kernel is best, beside its source; and which kernel (max-autotune), in cache/.
    for parent, folders, files in os.walk(source):
        within = os.path.relpath(parent, source)
        if within == "triton" or within == "fxgraph" or within == "aotautograd":
            folders.clear()  # compiled code
            continue
        for file in files:
            if file.endswith(".best_config") or within == "cache":
                path = os.path.normpath(os.path.join(target, within, file))
                _replace(path, functools.partial(shutil.copyfile, os.path.join(parent, file)))
                count += 1
    _debug(f"{count} results of tuning from {source}")


@_harmless
def _bring_result(manager, file):
    """What was tuned without PASTA goes before what was tuned with it."""
    name = os.path.basename(manager.cache_dir)
    source = os.path.join(os.environ.get("PASTA_JIT_TRITON", ""), name, file)
    if os.environ.get("PASTA_JIT_TRITON") and os.path.isfile(source):
        _replace(os.path.join(manager.cache_dir, file), functools.partial(shutil.copyfile, source))
        _debug(f"{file}: tuned without PASTA, from {source}")


@_harmless
def _watch_cache(module):
    original = module.FileCacheManager.get_file

    @functools.wraps(original)
    def get_file(self, filename):
        if isinstance(filename, str) and filename.endswith(".autotune.json"):
            _bring_result(self, filename)
        return original(self, filename)

    module.FileCacheManager.get_file = get_file


# ---- Marks

_thread = threading.local()


@functools.lru_cache(None)
def _annotations():
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pasta.py")
    spec = importlib.util.spec_from_file_location("_pasta_annotations", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _marked(function):
    """The function, with the launches in it in a range; where one tunes within another there is one range."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if getattr(_thread, "is_tuning", False):
            return function(*args, **kwargs)
        _thread.is_tuning = True
        try:
            with _annotations().annotate(RANGE):
                return function(*args, **kwargs)
        finally:
            _thread.is_tuning = False

    return wrapper


def _mark(owner, *names):
    for name in names:
        if name in vars(owner):  # versions differ
            setattr(owner, name, _marked(vars(owner)[name]))


@_harmless
def _mark_triton(module):
    _mark(module.Autotuner, "_bench")


@_harmless
def _mark_inductor(module):
    _mark(module.CachingAutotuner, "benchmark_all_configs", "coordinate_descent_tuning")


@_harmless
def _mark_benchmarks(module):
    for owner in list(vars(module).values()):
        if isinstance(owner, type) and hasattr(owner, "benchmark_gpu"):
            _mark(owner, "benchmark_gpu")


# ---- Imports

# Before a package is imported, with its folder; after a module was.
_BEFORE = {"triton": _prepare_triton, "torch._inductor": _prepare_inductor}
_AFTER = {
    "triton.runtime.autotuner": _mark_triton,
    "triton.runtime.cache": _watch_cache,
    "torch._inductor.triton_heuristics": _mark_inductor,
    "torch._inductor.runtime.triton_heuristics": _mark_inductor,
    "torch._inductor.runtime.benchmarking": _mark_benchmarks,
}


class _Loader:
    """Loads as another loader does, which takes its place once the module is there."""

    def __init__(self, name, loader):
        self._name, self._loader = name, loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        if self._name in _BEFORE:
            _BEFORE[self._name](os.path.dirname(module.__spec__.origin or ""))
        self._loader.exec_module(module)
        if self._name in _AFTER:
            _AFTER[self._name](module)


class _Finder:
    def __init__(self):
        self._local = threading.local()

    def find_spec(self, name, path=None, target=None):
        if (name not in _BEFORE and name not in _AFTER) or getattr(self._local, "is_busy", False):
            return None
        self._local.is_busy = True
        try:
            spec = None
            for finder in sys.meta_path:
                if finder is not self and hasattr(finder, "find_spec"):
                    spec = finder.find_spec(name, path, target)
                if spec is not None:
                    break
            if spec is not None and hasattr(spec.loader, "exec_module"):
                spec.loader = _Loader(name, spec.loader)
            return spec
        finally:
            self._local.is_busy = False


def start():
    sys.meta_path.insert(0, _Finder())
