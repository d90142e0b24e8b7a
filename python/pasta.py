# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Marks parts of a Python program for PASTA's reports. One file, no build, the standard library only.

    import pasta

    with pasta.annotate("forward"):        # a range of the calling thread; launches made in it get its name
        loss = model(batch)

    @pasta.annotate("load")                # functions, generators, async functions, async generators
    def load(path): ...

    for batch in batches:
        train(batch)
        pasta.step()                       # the end of a training step, an iteration

    pasta.stop()                           # launches are not analysed from here ...
    pasta.start()                          # ... to here

Without the variable PASTA_TOOLS in the environment at import, nothing is looked up, a decorated function is the function
itself, and each call costs one test. With it, PASTA is looked for in the program and in every library of the process; a
library that is loaded later is found within a second. The library that PASTA_ANNOTATIONS names, of the route ptx, is
loaded at import, so that it knows all ranges.

Every function may be called from any thread. None fails because PASTA is absent; a name that is not a str is a TypeError
either way, so that a program behaves the same with and without PASTA.

A `with` block must not hold an `await` or a `yield`: other tasks of the same thread would run inside the range. The
decorator has no such limit: it ends the range where the function is suspended, and begins it where the function goes on.
"""
import ctypes
import functools
import inspect
import os
import threading
import time

__all__ = ["annotate", "push", "pop", "step", "start", "stop", "is_attached"]

_wanted = bool(os.environ.get("PASTA_TOOLS"))

_SECONDS_BETWEEN_LOOKUPS = 1.0
_RTLD_NOLOAD = getattr(os, "RTLD_NOLOAD", 4)


class _Functions:
    """The six functions of PASTA, out of one library. AttributeError if the library has them not."""

    def __init__(self, library):
        def function(name, result, *arguments):
            # Looked up by name in that library alone; the GIL is released during the call.
            found = getattr(library, name)
            found.restype = result
            found.argtypes = arguments
            return found

        self.push = function("pasta_annotate_push_v1", None, ctypes.c_char_p)
        self.pop = function("pasta_annotate_pop_v1", None)
        self.step = function("pasta_step_v1", None)
        self.start = function("pasta_start_v1", None)
        self.stop = function("pasta_stop_v1", None)
        self.is_attached = function("pasta_is_attached_v1", ctypes.c_int)


def _load_named():
    """The functions of the library that PASTA_ANNOTATIONS names, or None."""
    path = os.environ.get("PASTA_ANNOTATIONS") if _wanted else None
    try:
        return _Functions(ctypes.CDLL(path, mode=os.RTLD_NOW)) if path else None
    except (OSError, AttributeError, ValueError):
        return None


_named = _load_named()


class _Thread(threading.local):
    """How many ranges of this thread PASTA knows. Those begun before it was found lie below; they end without a call."""

    delivered = 0


_functions = None  # a _Functions once PASTA is found; never unset again
_thread = _Thread()
_lock = threading.Lock()
_next_lookup = 0.0  # [s] on time.monotonic()
_is_stopped = False  # stop() was called before PASTA was found
_early_steps = 0  # step() was called before PASTA was found
_seen = set()  # mapped files that were looked into and do not have the functions


def _mapped_files():
    """The files mapped executable into this process, as (identity, path); identity tells a replaced file from the old."""
    try:
        with open("/proc/self/maps", "rb") as maps:
            lines = maps.read().splitlines()
    except OSError:
        return []
    # 7f5c4e600000-7f5c4e755000 r-xp 00026000 08:01 1442   /usr/lib/libc.so.6
    found = {}
    for line in lines:
        fields = line.split(None, 5)
        if len(fields) == 6 and b"x" in fields[1] and fields[5].startswith(b"/"):
            path = fields[5][: -len(b" (deleted)")] if fields[5].endswith(b" (deleted)") else fields[5]
            found[tuple(fields[3:6])] = os.fsdecode(path)
    return list(found.items())


def _close(library):
    """Gives back the reference that opening took; ctypes never does, and the program may want to unload the library."""
    try:
        close = ctypes.CDLL(None).dlclose
    except (OSError, AttributeError):
        return
    close.argtypes = [ctypes.c_void_p]
    close(library._handle)


def _search():
    """Looks in the main program and what it exports, then in each library that was not looked into yet."""
    try:
        return _Functions(ctypes.CDLL(None))
    except (OSError, AttributeError):
        pass
    for identity, path in _mapped_files():
        if identity in _seen:
            continue
        _seen.add(identity)
        if _named is not None and os.path.realpath(path) == os.path.realpath(os.environ.get("PASTA_ANNOTATIONS", "")):
            continue
        try:
            library = ctypes.CDLL(path, mode=_RTLD_NOLOAD | os.RTLD_LAZY)
        except (OSError, ValueError):
            continue  # the main program, a mapped file that is no library, one that was unloaded meanwhile
        try:
            return _Functions(library)
        except AttributeError:
            _close(library)
    return None


def _find():
    """PASTA's functions, or None. Called only if _wanted; looks again at most once a second while there are none."""
    global _functions, _next_lookup
    if _functions is not None:
        return _functions
    if time.monotonic() < _next_lookup or not _lock.acquire(blocking=False):
        return None
    try:
        if _functions is None:
            found = _search()
            _next_lookup = time.monotonic() + _SECONDS_BETWEEN_LOOKUPS
            if found is not None:
                if _is_stopped:
                    found.stop()
                for _ in range(_early_steps):
                    found.step()
                _functions = found
        return _functions
    finally:
        _lock.release()


def _type_error(name):
    return TypeError("pasta: the name of a range must be a str, not " + type(name).__name__)


def _push(name):
    functions = _functions or _find()
    if functions is None and _named is None:
        return
    # A C string ends at its first NUL; what cannot be UTF-8 (a lone surrogate) is written as an escape.
    text = name.replace("\0", "\\x00").encode("utf-8", "backslashreplace")
    if _named is not None:
        _named.push(text)
    if functions is not None:
        functions.push(text)
        _thread.delivered += 1


def _pop():
    if _named is not None:
        _named.pop()
    if _thread.delivered > 0:
        _thread.delivered -= 1
        _functions.pop()


def push(name):
    """Begins a range on the calling thread; ranges nest. `annotate` is safer: it also ends the range on an exception."""
    if not isinstance(name, str):
        raise _type_error(name)
    if _wanted:
        _push(name)


def pop():
    """Ends the innermost range that push() began on the calling thread; without one it does nothing."""
    if _wanted:
        _pop()


def step():
    """Marks the end of a step of the whole process: a training step, an iteration. Call it from one thread."""
    global _early_steps
    if _wanted:
        functions = _functions or _find()
        if functions is None:
            _early_steps += 1
        for each in (_named, functions):
            if each is not None:
                each.step()


def start():
    """Switches the analysis of launches on, for the whole process. It is on when the program starts."""
    global _is_stopped
    if _wanted:
        _is_stopped = False
        for functions in (_named, _functions or _find()):
            if functions is not None:
                functions.start()


def stop():
    """Switches the analysis of launches off, for the whole process, until start(). Calls do not nest."""
    global _is_stopped
    if _wanted:
        _is_stopped = True
        for functions in (_named, _functions or _find()):
            if functions is not None:
                functions.stop()


def is_attached():
    """True if PASTA is in this process and a tool is attached."""
    if not _wanted:
        return False
    found = [each for each in (_named, _functions or _find()) if each is not None]
    return any(each.is_attached() != 0 for each in found)


class annotate:
    """A named range, as a context manager or as a decorator. May be used again, nested in itself, and by many threads."""

    __slots__ = ("_name",)

    def __init__(self, name):
        if not isinstance(name, str):
            raise _type_error(name)
        self._name = name

    def __enter__(self):
        if _wanted:
            _push(self._name)
        return self

    def __exit__(self, kind, error, traceback):
        if _wanted:
            _pop()
        return False

    def __call__(self, function):
        if not callable(function) or inspect.isclass(function):
            raise TypeError(
                "pasta: annotate decorates a function, not "
                + ("a class" if inspect.isclass(function) else "a " + type(function).__name__)
            )
        return _decorate(self._name, function) if _wanted else function


def _decorate(name, function):
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            generator = function(*args, **kwargs)
            resumed = generator.__anext__()
            while True:
                try:
                    item = await _Awaitable(name, resumed)
                except StopAsyncIteration:
                    return
                try:
                    sent = yield item
                except GeneratorExit:
                    await _Awaitable(name, generator.aclose())
                    raise
                except BaseException as error:
                    resumed = generator.athrow(error)
                else:
                    resumed = generator.asend(sent)

    elif inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            return await _Awaitable(name, function(*args, **kwargs))

    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return (yield from _run(name, function(*args, **kwargs)))

    else:

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            _push(name)
            try:
                return function(*args, **kwargs)
            finally:
                _pop()

    return wrapper


class _Awaitable:
    """Awaits another awaitable with the range open only while it runs."""

    __slots__ = ("_name", "_awaitable")

    def __init__(self, name, awaitable):
        self._name = name
        self._awaitable = awaitable

    def __await__(self):
        return _run(self._name, self._awaitable.__await__())


def _run(name, generator):
    """`yield from generator` with the range open only while the generator runs, closed while it is suspended."""
    resume, arguments = generator.__next__, ()
    while True:
        _push(name)
        try:
            item = resume(*arguments)
        except StopIteration as end:
            return end.value
        finally:
            _pop()
        try:
            sent = yield item
        except GeneratorExit:
            _push(name)
            try:
                generator.close()
            finally:
                _pop()
            raise
        except BaseException as error:
            resume, arguments = generator.throw, (error,)
        else:
            resume, arguments = (generator.__next__, ()) if sent is None else (generator.send, (sent,))
