# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Includes run one way (docs/architecture.md): reads every include under include/pasta and fails on an edge that goes
back, on a cycle, and on a file or include that has no place in the order.

usage: include_order_test.py FOLDER | --self-test
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

# The steps of the order, first match wins; a file includes its own step or earlier ones.
STEPS = [
    (0, r"config\.hpp|annotate\.h"),
    (1, r"event\.hpp|event/.*"),
    (2, r"handler\.hpp|handler/.*"),
    (3, r"tool\.hpp|tool/.*"),
    (4, r"vendor/traits\.hpp"),
    (5, r"vendor/.*"),
    (6, r"analysis/.*"),
    (7, r"instrument/.*"),
    (8, r"report/.*"),
    (9, r"session/.*"),
    (10, r"(pasta|testing|cuda_names|llvm_hooks)\.hpp"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def step_of(name):
    """The step of a file named relative to include/pasta, or None."""
    for step, pattern in STEPS:
        if re.fullmatch(pattern, name):
            return step
    return None


def read_edges(folder):
    """Each include of a PASTA header: (file, line number, included file), names relative to the folder."""
    edges = []
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".hpp", ".h", ".inl"):
            continue
        name = path.relative_to(folder).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quoted, angled = match.groups()
            if (quoted or angled).startswith("pasta/"):
                edges.append((name, number, (quoted or angled)[len("pasta/"):]))
            elif quoted:
                edges.append((name, number, quoted))
    # An .inl is a part of the header that includes it, and may say so.
    pairs = {(source, target) for source, _, target in edges}
    return [edge for edge in edges if not (edge[0].endswith(".inl") and (edge[2], edge[0]) in pairs)]


def find_cycle(edges):
    """One cycle of includes as a list of files whose last equals its first, or None."""
    targets = {}
    for source, _, target in edges:
        targets.setdefault(source, []).append(target)
    done = set()

    def visit(name, path):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        for target in targets.get(name, []):
            cycle = visit(target, path + [name])
            if cycle:
                return cycle
        done.add(name)
        return None

    for name in sorted(targets):
        cycle = visit(name, [])
        if cycle:
            return cycle
    return None


def check(folder):
    """All mistakes, one line each, and the number of includes read."""
    edges = read_edges(folder)
    mistakes = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and step_of(name) is None:
            mistakes.append(f"{name}: no step of the order has this file")
    for source, line, target in edges:
        if not (folder / target).is_file():
            mistakes.append(f"{source}:{line}: includes {target}, which is not there; write \"pasta/...\"")
        elif None not in (step_of(source), step_of(target)) and step_of(target) > step_of(source):
            mistakes.append(f"{source}:{line}: includes {target}: step {step_of(source)} must not see step {step_of(target)}")
    cycle = find_cycle(edges)
    if cycle:
        mistakes.append("cycle: " + " -> ".join(cycle))
    return mistakes, len(edges)


class SelfTest(unittest.TestCase):
    """The check finds each kind of mistake, and only those."""

    def mistakes_in(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check(Path(root))[0]

    def test_accepts_edges_that_go_forward(self):
        files = {
            "config.hpp": "#include <vector>\n",
            "event.hpp": '#include "pasta/config.hpp"\n',
            "vendor/traits.hpp": "#include <pasta/event.hpp>\n",
            "vendor/host/warp.hpp": '#include "pasta/vendor/traits.hpp"\n',
            "analysis/count.hpp": '#include "pasta/vendor/host/warp.hpp"\n',
            "pasta.hpp": '#include "pasta/analysis/count.hpp"\n',
        }
        self.assertEqual(self.mistakes_in(files), [])

    def test_finds_an_edge_that_goes_back(self):
        for include in ('#include "pasta/report/model.hpp"', "#include <pasta/report/model.hpp>",
                        '  #  include "pasta/report/model.hpp"'):
            mistakes = self.mistakes_in({"report/model.hpp": "", "analysis/count.hpp": f"// head\n{include}\n"})
            self.assertEqual(
                mistakes, ["analysis/count.hpp:2: includes report/model.hpp: step 6 must not see step 8"])

    def test_finds_traits_that_include_a_vendor(self):
        mistakes = self.mistakes_in({"vendor/host.hpp": "", "vendor/traits.hpp": '#include "pasta/vendor/host.hpp"\n'})
        self.assertEqual(mistakes, ["vendor/traits.hpp:1: includes vendor/host.hpp: step 4 must not see step 5"])

    def test_finds_a_cycle_within_a_step(self):
        mistakes = self.mistakes_in({
            "analysis/a.hpp": '#include "pasta/analysis/b.hpp"\n',
            "analysis/b.hpp": '#include "pasta/analysis/a.hpp"\n',
        })
        self.assertEqual(mistakes, ["cycle: analysis/a.hpp -> analysis/b.hpp -> analysis/a.hpp"])

    def test_accepts_a_body_that_includes_its_header(self):
        files = {
            "report/a.hpp": '#include "pasta/report/detail/a.inl"\n',
            "report/detail/a.inl": '#include "pasta/report/a.hpp"\n',
        }
        self.assertEqual(self.mistakes_in(files), [])

    def test_finds_a_file_without_a_step(self):
        self.assertEqual(self.mistakes_in({"misc.hpp": ""}), ["misc.hpp: no step of the order has this file"])

    def test_finds_an_include_by_a_relative_path(self):
        mistakes = self.mistakes_in({"analysis/a.hpp": '#include "b.hpp"\n', "analysis/b.hpp": ""})
        self.assertEqual(mistakes, ['analysis/a.hpp:1: includes b.hpp, which is not there; write "pasta/..."'])


def main(arguments):
    if arguments == ["--self-test"]:
        unittest.main(argv=[sys.argv[0]], verbosity=2)
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    mistakes, count = check(Path(arguments[0]))
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    print(f"{count} includes read, {len(mistakes)} mistakes")
    # No include at all means that the wrong folder was read.
    return 1 if mistakes or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
