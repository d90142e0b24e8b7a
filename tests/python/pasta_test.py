# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of python/pasta.py. Each case runs in its own Python, because the module reads its environment at import.

A small library made with the C compiler stands for PASTA: it defines the symbols and writes down what it is called with.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("PASTA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
COMPILER = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")

RECORDER = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char log_[1 << 20];
static size_t used;
static void record(char const* what, char const* name) {
  pthread_mutex_lock(&mutex);
  used += (size_t)snprintf(log_ + used, sizeof log_ - used, "%lu %s%s\n", (unsigned long)pthread_self(), what, name);
  pthread_mutex_unlock(&mutex);
}
char const* recorded(void) { return log_; }
void pasta_annotate_push_v1(char const* name) { record("push ", name); }
void pasta_annotate_pop_v1(void) { record("pop", ""); }
void pasta_step_v1(void) { record("step", ""); }
void pasta_start_v1(void) { record("start", ""); }
void pasta_stop_v1(void) { record("stop", ""); }
int pasta_is_attached_v1(void) { return 1; }
"""

# What each case starts with. load() brings the stand-in into the process as a private library.
PROLOGUE = """
import asyncio, ctypes, inspect, os, sys, threading, time
import pasta

def load():
    return ctypes.CDLL(os.environ["RECORDER"], mode=os.RTLD_NOW)  # RTLD_LOCAL

def raw(recorder):
    recorder.recorded.restype = ctypes.c_char_p
    return recorder.recorded().decode().splitlines()

def calls(recorder):
    return [line.split(" ", 1)[1] for line in raw(recorder)]

def equal(a, b):
    assert a == b, f"{a!r} != {b!r}"

def raises(kind, function, *args):
    try:
        function(*args)
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was not raised")
"""


@unittest.skipUnless(COMPILER, "no C compiler was found; on Debian: apt-get install gcc")
@unittest.skipUnless(sys.platform.startswith("linux"), "libraries are found through /proc, on Linux only")
class PastaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        source = pathlib.Path(cls.folder.name, "recorder.c")
        source.write_text(RECORDER)
        cls.recorder = str(source.with_suffix(".so"))
        subprocess.run([COMPILER, "-shared", "-fPIC", "-pthread", "-o", cls.recorder, str(source)], check=True)

    def run_case(self, code, tools="access_count", **variables):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE_DIR / "python"), "RECORDER": self.recorder, **variables}
        environment.pop("PASTA_TOOLS", None)
        if tools is not None:
            environment["PASTA_TOOLS"] = tools
        done = subprocess.run(
            [sys.executable, "-B", "-W", "error", "-c", PROLOGUE + textwrap.dedent(code) + "\nprint('reached the end')"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout, "reached the end\n")

    ALL_CALLS = """
        pasta.push("a"); pasta.pop(); pasta.pop(); pasta.step(); pasta.start(); pasta.stop()
        with pasta.annotate("b"):
            pass
        equal(pasta.annotate("c")(lambda x: x + 1)(1), 2)
        equal(pasta.is_attached(), False)
    """

    def test_without_tools_nothing_is_looked_up_even_if_the_symbols_are_there(self):
        for tools in (None, ""):
            self.run_case("recorder = load()\npasta._search = None\n" + textwrap.dedent(self.ALL_CALLS)
                          + "equal(calls(recorder), [])", tools=tools)

    def test_without_tools_a_decorated_function_is_the_function_itself(self):
        self.run_case("""
            def f(): pass
            assert pasta.annotate("f")(f) is f
        """, tools=None)

    def test_with_tools_but_without_the_symbols_every_call_does_nothing(self):
        self.run_case(self.ALL_CALLS)

    def test_each_call_arrives_in_order(self):
        self.run_case("""
            recorder = load()
            equal(pasta.is_attached(), True)
            pasta.start()
            pasta.push("outer")
            with pasta.annotate("inner"):
                pasta.step()
            pasta.pop()
            pasta.stop()
            equal(calls(recorder), ["start", "push outer", "push inner", "step", "pop", "pop", "stop"])
        """)

    def test_the_library_that_is_named_knows_all_calls_and_once(self):
        self.run_case("""
            pasta.push("a")
            with pasta.annotate("b"):
                pasta.step()
            pasta.pop()
            pasta.stop()
            pasta.start()
            equal(pasta.is_attached(), True)
            recorder = load()  # the same library
            time.sleep(1.1)  # it is looked for again, and must not be found a second time
            pasta.push("c")
            equal(calls(recorder), ["push a", "push b", "step", "pop", "pop", "stop", "start", "push c"])
        """, PASTA_ANNOTATIONS=self.recorder)

    def test_a_library_that_is_named_and_one_that_is_found_both_get_calls(self):
        other = os.path.join(self.folder.name, "other.so")
        shutil.copy(self.recorder, other)
        self.run_case("""
            pasta.push("early")
            recorder = load()
            time.sleep(1.1)
            pasta.push("late")
            pasta.pop()
            pasta.pop()
            equal(calls(recorder), ["push late", "pop"])
            named = ctypes.CDLL(os.environ["PASTA_ANNOTATIONS"])
            equal(calls(named), ["push early", "push late", "pop", "pop"])
        """, PASTA_ANNOTATIONS=other)

    def test_a_library_that_is_named_and_not_there(self):
        for path in ("/nowhere.so", sys.executable, ""):
            self.run_case(self.ALL_CALLS, PASTA_ANNOTATIONS=path)

    def test_symbols_in_the_global_scope_are_found(self):
        self.run_case("""
            recorder = ctypes.CDLL(None)
            pasta.step()
            equal(calls(recorder), ["step"])
        """, LD_PRELOAD=self.recorder)

    def test_a_library_loaded_later_is_found_within_a_second_and_told_of_the_steps_before(self):
        self.run_case("""
            pasta.step()
            pasta.step()
            recorder = load()
            end = time.monotonic() + 1.5
            while not pasta.is_attached() and time.monotonic() < end:
                time.sleep(0.01)
            equal(calls(recorder), ["step", "step"])
            pasta.step()
            equal(calls(recorder), ["step", "step", "step"])
        """)

    def test_lookups_are_at_most_one_a_second(self):
        self.run_case("""
            searches = 0
            original = pasta._search
            def counted():
                global searches
                searches += 1
                return original()
            pasta._search = counted
            end = time.monotonic() + 0.5
            while time.monotonic() < end:
                pasta.step()
            equal(searches, 1)
        """)

    def test_a_library_is_looked_into_once(self):
        self.run_case("""
            opened = []
            class counted(ctypes.CDLL):
                def __init__(self, name, *args, **kwargs):
                    opened.append(name)
                    super().__init__(name, *args, **kwargs)
            original, ctypes.CDLL = ctypes.CDLL, counted
            pasta.step()
            assert len([name for name in opened if name is not None]) > 0
            opened.clear()
            pasta._next_lookup = 0
            pasta.step()
            equal(opened, [None])
        """)

    def test_ranges_begun_before_the_library_came_are_not_ended_in_it(self):
        self.run_case("""
            with pasta.annotate("early"):
                recorder = load()
                pasta._next_lookup = 0
                with pasta.annotate("late"):
                    pass
            pasta.pop()
            equal(calls(recorder), ["push late", "pop"])
        """)

    def test_a_stop_before_the_library_came_is_not_lost(self):
        self.run_case("""
            pasta.stop()
            recorder = load()
            pasta._next_lookup = 0
            pasta.step()
            equal(calls(recorder), ["stop", "step"])
        """)

    def test_looking_does_not_keep_other_libraries_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "other.c")
            source.write_text("int other(void) { return 1; }\n")
            other = str(source.with_suffix(".so"))
            subprocess.run([COMPILER, "-shared", "-fPIC", "-o", other, str(source)], check=True)
            self.run_case("""
                def is_mapped():
                    with open("/proc/self/maps") as maps:
                        return os.environ["OTHER"] in maps.read()
                other = ctypes.CDLL(os.environ["OTHER"])
                pasta.step()
                assert is_mapped()
                close = ctypes.CDLL(None).dlclose
                close.argtypes = [ctypes.c_void_p]
                close(other._handle)
                assert not is_mapped()
            """, OTHER=other)

    def test_an_exception_ends_the_range_and_goes_on(self):
        self.run_case("""
            recorder = load()
            def body():
                with pasta.annotate("block"):
                    raise KeyError("x")
            raises(KeyError, body)
            @pasta.annotate("function")
            def fails():
                raise KeyError("y")
            raises(KeyError, fails)
            equal(calls(recorder), ["push block", "pop", "push function", "pop"])
        """)

    def test_one_object_can_be_used_again_and_in_itself(self):
        self.run_case("""
            recorder = load()
            mark = pasta.annotate("m")
            with mark, mark:
                pass
            with mark:
                pass
            equal(calls(recorder), ["push m", "push m", "pop", "pop", "push m", "pop"])
        """)

    def test_ranges_of_threads_stay_apart(self):
        self.run_case("""
            recorder = load()
            assert pasta.is_attached()
            @pasta.annotate("decorated")
            def work(name):
                for _ in range(200):
                    with pasta.annotate(name):
                        pass
            threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(8)]
            for t in threads: t.start()
            for t in threads: t.join()
            # Many short threads may get the same number one after the other; the nesting must hold all the same.
            by_thread = {}
            for line in raw(recorder):
                thread, call = line.split(" ", 1)
                stack = by_thread.setdefault(thread, [])
                if call.startswith("push "):
                    stack.append(call[5:])
                else:
                    stack.pop()
                    assert len(stack) <= 1
            assert all(not stack for stack in by_thread.values())
            equal(len(raw(recorder)), 8 * (200 + 1) * 2)
            for i in range(8):
                equal(calls(recorder).count(f"push t{i}"), 200)
        """)

    def test_a_decorated_function_keeps_its_name_arguments_and_result(self):
        self.run_case("""
            recorder = load()
            class holder:
                @pasta.annotate("method")
                def add(self, a, *, b=2):
                    "Adds."
                    return a + b
                @staticmethod
                @pasta.annotate("static")
                def one():
                    return 1
            equal(holder().add(1, b=5), 6)
            equal(holder.one(), 1)
            equal((holder.add.__name__, holder.add.__doc__), ("add", "Adds."))
            equal(calls(recorder), ["push method", "pop", "push static", "pop"])
        """)

    def test_a_generator_is_in_its_range_only_while_it_runs(self):
        self.run_case("""
            recorder = load()
            @pasta.annotate("g")
            def numbers(n):
                got = []
                for i in range(n):
                    try:
                        got.append((yield i))
                    except KeyError as error:
                        got.append(error.args[0])
                return got
            assert inspect.isgeneratorfunction(numbers)
            with pasta.annotate("consumer"):
                g = numbers(3)
                equal(next(g), 0)
                pasta.step()
                equal(g.send("sent"), 1)
                equal(g.throw(KeyError("thrown")), 2)
                try:
                    next(g)
                except StopIteration as end:
                    equal(end.value, ["sent", "thrown", None])
            one = ["push g", "pop"]
            equal(calls(recorder), ["push consumer"] + one + ["step"] + 3 * one + ["pop"])
        """)

    def test_a_generator_that_fails_or_is_closed_leaves_no_range_open(self):
        self.run_case("""
            recorder = load()
            cleaned = []
            @pasta.annotate("g")
            def numbers():
                try:
                    yield 1
                    raise KeyError("inside")
                finally:
                    cleaned.append(1)
            g = numbers()
            next(g)
            raises(KeyError, next, g)
            g = numbers()
            next(g)
            g.close()
            equal(cleaned, [1, 1])
            equal(calls(recorder), 4 * ["push g", "pop"])
        """)

    def test_async_tasks_that_take_turns_do_not_mix_their_ranges(self):
        self.run_case("""
            recorder = load()
            order = []
            @pasta.annotate("a")
            async def a():
                for _ in range(3):
                    order.append("a")
                    await asyncio.sleep(0)
                return "from a"
            @pasta.annotate("b")
            async def b():
                for _ in range(3):
                    order.append("b")
                    await asyncio.sleep(0)
                raise KeyError("from b")
            assert asyncio.iscoroutinefunction(a) if sys.version_info < (3, 14) else inspect.iscoroutinefunction(a)
            async def both():
                return await asyncio.gather(a(), b(), return_exceptions=True)
            first, second = asyncio.run(both())
            equal(first, "from a")
            equal(repr(second), "KeyError('from b')")
            assert "a" in order[1:] and "b" in order[:-1] and order[:2] == ["a", "b"]
            got = calls(recorder)
            equal(got, 4 * ["push a", "pop", "push b", "pop"])
        """)

    def test_a_cancelled_async_function_leaves_no_range_open(self):
        self.run_case("""
            recorder = load()
            seen = []
            @pasta.annotate("wait")
            async def wait():
                try:
                    await asyncio.sleep(60)
                except asyncio.CancelledError:
                    seen.append("cancelled")
                    raise
            async def main():
                task = asyncio.ensure_future(wait())
                await asyncio.sleep(0)
                task.cancel()
                try:
                    await task
                except asyncio.CancelledError:
                    seen.append("ended")
            asyncio.run(main())
            equal(seen, ["cancelled", "ended"])
            equal(calls(recorder), 2 * ["push wait", "pop"])
        """)

    def test_an_async_generator_is_in_its_range_only_while_it_runs(self):
        self.run_case("""
            recorder = load()
            cleaned = []
            @pasta.annotate("g")
            async def numbers():
                try:
                    got = yield 1
                    try:
                        yield got
                    except KeyError as error:
                        yield error.args[0]
                finally:
                    cleaned.append(1)
            assert inspect.isasyncgenfunction(numbers)
            async def main():
                g = numbers()
                equal(await g.__anext__(), 1)
                pasta.step()
                equal(await g.asend("sent"), "sent")
                equal(await g.athrow(KeyError("thrown")), "thrown")
                equal([item async for item in g], [])
                g = numbers()
                equal(await g.__anext__(), 1)
                await g.aclose()
                equal(cleaned, [1, 1])
            asyncio.run(main())
            one = ["push g", "pop"]
            equal(calls(recorder), one + ["step"] + 5 * one)
        """)

    def test_names_of_any_text_arrive(self):
        self.run_case(r"""
            recorder = load()
            for name in ("", "schön", "a\0b", "\ud800"):
                with pasta.annotate(name):
                    pass
            equal(calls(recorder)[::2], ["push ", "push schön", "push a\\x00b", "push \\ud800"])
        """)

    def test_wrong_types_raise_type_error_with_and_without_tools(self):
        for tools in ("access_count", None):
            self.run_case("""
                recorder = load()
                for wrong in (None, 3, b"bytes", ["x"]):
                    message = raises(TypeError, pasta.push, wrong)
                    equal(message, "pasta: the name of a range must be a str, not " + type(wrong).__name__)
                    equal(raises(TypeError, pasta.annotate, wrong), message)
                equal(raises(TypeError, pasta.annotate("x"), 3), "pasta: annotate decorates a function, not a int")
                equal(raises(TypeError, pasta.annotate("x"), dict), "pasta: annotate decorates a function, not a class")
                raises(TypeError, pasta.annotate)
                raises(TypeError, pasta.step, 1)
                equal(calls(recorder), [])
            """, tools=tools)

    def test_without_tools_a_call_is_nearly_free(self):
        # Against an empty function of the same shape: a few tests more, not a lookup (which takes over 100 times as long).
        self.run_case("""
            import timeit
            def nothing(): pass
            bare = min(timeit.repeat(nothing, number=20000, repeat=7))
            ours = min(timeit.repeat(pasta.step, number=20000, repeat=7))
            assert ours < 5 * bare, (ours, bare)
        """, tools=None)


if __name__ == "__main__":
    unittest.main()
