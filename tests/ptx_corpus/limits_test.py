# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""How limits are read, written and compared. Needs no compiler."""

import json
import pathlib
import tempfile
import unittest

import limits

ROW = {"files": "a.*", "limits": {"spill_bytes": 8}, "why": "a reason"}
TABLE = {"exceptions": [ROW], "measured": {"a.sm_80": {"registers": 4, "instructions_per_site": 10}}}
SITES = {"per": 10, "ptx_instructions": 30, "table": None}


def file_of(**kernels):
    return {"kernels": {name: {"instructions": instructions, "registers": registers, "multiply_adds": 2}
                        for name, (instructions, registers) in kernels.items()}}


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "limits.json")

    def read(self, value):
        self.path.write_text(json.dumps(value), encoding="utf-8")
        return limits.read(self.path)

    def test_what_is_written_is_read(self):
        limits.write(self.path, TABLE, {})
        self.assertEqual(limits.read(self.path), TABLE)
        limits.write(self.path, {"exceptions": [], "measured": {}}, {})
        self.assertEqual(limits.read(self.path), {"exceptions": [], "measured": {}})

    def test_rows_of_files_that_were_measured_are_replaced_and_others_stay(self):
        limits.write(self.path, TABLE, {"b.sm_80.ptx": {"registers": 1}})
        limits.write(self.path, limits.read(self.path), {"a.sm_80.ptx": {"registers": 7, "instructions_per_site": 20}})
        self.assertEqual(limits.read(self.path)["measured"],
                         {"a.sm_80": {"registers": 8, "instructions_per_site": 22}, "b.sm_80": {"registers": 2}})
        self.assertEqual(limits.read(self.path)["exceptions"], [ROW])

    def test_measured_values_are_rounded_up(self):
        self.assertEqual([limits.round_up("registers", value) for value in (-3, 0, 1, 20)], [0, 0, 2, 22])
        self.assertEqual([limits.round_up("instructions_per_site", value) for value in (-0.5, 0, 1, 9.01)],
                         [0, 0, 1.1, 10])

    def test_what_is_not_understood_is_an_error(self):
        for exceptions in ([ROW | {"why": ""}], [ROW | {"limits": {"barrier": 9}}], [{"files": "*"}], ["x"],
                           [ROW | {"limits": {"instructions_per_site": 9}}]):
            with self.assertRaises(ValueError):
                self.read({"exceptions": exceptions, "measured": {}})
        for measured in ({"a": {"barrier": 1}}, {"a": {"barriers": "1"}}):
            with self.assertRaises(ValueError):
                self.read({"exceptions": [], "measured": measured})
        for whole in ([], {"exceptions": []}, 3):
            with self.assertRaises(ValueError):
                self.read(whole)

    def test_the_committed_files_are_understood(self):
        found = sorted(pathlib.Path(limits.__file__).parent.glob("*_limits.json"))
        self.assertEqual([path.name for path in found], ["counting_limits.json", "handlers_limits.json", "products_limits.json"])
        for path in found:
            self.assertTrue(limits.read(path)["measured"], path)


class LimitsTest(unittest.TestCase):
    def test_an_exception_raises_a_limit_and_never_lowers_it(self):
        general = {"spill_bytes": 0, "calls": 0}
        self.assertEqual(limits.of_file("a.sm_80.ptx", general, TABLE, []), {"spill_bytes": 8, "calls": 0})
        self.assertEqual(limits.of_file("b.sm_80.ptx", general, TABLE, []), general)
        self.assertEqual(limits.of_file("a.sm_80.ptx", {"spill_bytes": 9}, TABLE, []), {"spill_bytes": 9})

    def test_measured_kinds_take_the_files_own_row(self):
        found = limits.of_file("a.sm_80.ptx", {"registers": 0, "calls": 0}, TABLE, ["registers", "spill_bytes"])
        self.assertEqual(found, {"registers": 4, "calls": 0, "spill_bytes": None})

    def test_the_kernel_that_has_most_is_measured(self):
        before, after = file_of(a=(10, 8), b=(20, 8), lost=(9, 9)), file_of(a=(40, 9), b=(30, 16), hook=(60, 200))
        self.assertEqual(limits.measure(before, after, SITES, ["registers"]), {"registers": 8})
        # 30 and 10 instructions more, and a function of 60.
        found = limits.measure(before, after, SITES, limits.PER_SITE)
        self.assertEqual(found, {"instructions_per_site": 10, "ptx_instructions_per_site": 3})

    def test_nothing_is_per_site_where_there_is_none(self):
        for sites in (None, {"per": 0, "ptx_instructions": 0, "table": None}):
            self.assertEqual(limits.measure(file_of(), file_of(), sites, limits.PER_SITE), {})
        self.assertEqual(list(limits.measure(file_of(), file_of(), {"per": 3, "ptx_instructions": None},
                                             limits.PER_SITE)), ["instructions_per_site"])

    def test_what_is_above_its_limit_or_has_none_is_told(self):
        allowed = {"instructions_per_site": 10, "registers": None, "spill_bytes": 3}
        self.assertEqual(limits.exceeded({"instructions_per_site": 10.0, "spill_bytes": 99}, allowed), [])
        self.assertEqual(limits.exceeded({"instructions_per_site": 10.26}, allowed),
                         ["10.3 instructions_per_site, limit 10"])
        self.assertEqual(limits.exceeded({"registers": 3}, allowed),
                         ["3 registers, and no limit is known; --write-limits writes it"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
