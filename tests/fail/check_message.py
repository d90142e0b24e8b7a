# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles a file and judges the compiler's messages.

A file with a mistake says what it expects, `// expect: <sentence>`; it must give exactly one error, with that sentence.
A right file says `// expect no error`.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 60
ERROR = re.compile(r"^(?:.*: )?(?:fatal |internal compiler )?error: .*$", re.MULTILINE)


def expectation(path):
    """The expected sentence, or None for a file that must compile."""
    with open(path, encoding="utf-8") as file:
        lines = iter(file.read().splitlines())
    for line in lines:
        if line == "// expect no error":
            return None
        if line.startswith("// expect: "):
            words = [line.removeprefix("// expect: ")]
            for more in lines:  # indented: the sentence goes on
                if not more.startswith("//   "):
                    break
                words.append(more.removeprefix("//   "))
            return " ".join(words)
    raise ValueError(f"{path} does not say what it expects: // expect: <sentence>, or // expect no error")


def judge(sentence, status, text):
    """What is wrong with a compiler's answer; None if nothing is."""
    # clang 14 shows a message as it stands in the source: with \\"
    errors = [match.group(0).replace('\\"', '"') for match in ERROR.finditer(text)]
    if sentence is None:
        return None if status == 0 and not errors else "it does not compile"
    if status == 0:
        return "it compiles"
    if not any(sentence in error for error in errors):
        return f"the expected sentence is missing: {sentence}"
    if len(errors) > 1:
        return f"{len(errors)} errors instead of one:\n" + "\n".join(errors)
    return None


def check(path, compiler, flags):
    """As judge, for one file and compiler, with the compiler's text."""
    command = [compiler, *flags, "-fsyntax-only", path]
    try:
        # C: no translated messages, plain quotation marks.
        done = subprocess.run(command, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIME_LIMIT_S, env={**os.environ, "LC_ALL": "C"})
    except subprocess.TimeoutExpired:
        return f"it takes more than {TIME_LIMIT_S} s", ""
    return judge(expectation(path), done.returncode, done.stdout), done.stdout


def self_test(compiler):
    """A judge that calls everything right would make all these tests worthless."""
    assertion = 'static_assert(sizeof(int) == 0, "a clear sentence");'
    cases = [
        # text, what the judge must say (None: right)
        (f"// expect: a clear sentence\n{assertion}\n", None),
        ("// expect no error\nint x;\n", None),
        ("// expect: a clear sentence\nint x;\n", "it compiles"),
        ("// expect: a clear sentence\nint x = y;\n", "the expected sentence is missing"),
        ("// expect: another sentence\n" + assertion + "\n", "the expected sentence is missing"),
        (f"// expect: a clear sentence\n{assertion}\nint x = y;\n", "2 errors instead of one"),
        (f"// expect: a clear sentence\n{assertion}\n#include <no_such_header>\n", "the expected sentence is missing"),
        # The sentence in a note, a warning or the source line that the compiler shows is not the message.
        ("// expect: a clear sentence\n#warning a clear sentence\nint x = y;\n", "the expected sentence is missing"),
        ("// expect: a clear sentence\nint x = y;  // a clear sentence\n", "the expected sentence is missing"),
        ("// expect no error\nint x = y;\n", "it does not compile"),
        (f"// expect: a clear\n//   sentence\n{assertion}\n", None),
        (f"// expect: a clear sentence\n//   that goes on\n{assertion}\n", "the expected sentence is missing"),
    ]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (text, wanted) in enumerate(cases):
            path = os.path.join(folder, f"case_{number}.cpp")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            said, _ = check(path, compiler, ["-std=c++20"])
            if (said is None) != (wanted is None) or (wanted is not None and not said.startswith(wanted)):
                print(f"case {number}: judged {said!r}, expected {wanted!r}:\n{text}")
                failures += 1
        path = os.path.join(folder, "silent.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write("int x;\n")
        try:
            check(path, compiler, ["-std=c++20"])
            print("a file that expects nothing was judged")
            failures += 1
        except ValueError:
            pass
    print(f"{len(cases) + 1 - failures} of {len(cases) + 1} cases judged right with {compiler}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", action="append", required=True, help="may be given several times")
    parser.add_argument("--flag", action="append", default=[], help="passed to each compiler: --flag=-Iinclude")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if arguments.self_test == bool(arguments.files):
        parser.error("give files, or --self-test")
    failures = 0
    for compiler in arguments.compiler:
        if arguments.self_test:
            failures += self_test(compiler)
        for path in arguments.files:
            wrong, text = check(path, compiler, arguments.flag)
            if wrong is not None:
                print(f"{path} with {compiler}: {wrong}\n{text}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
