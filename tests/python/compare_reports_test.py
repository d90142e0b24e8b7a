# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/gpu/compare_reports.py on small reports in which one thing differs."""
import contextlib
import copy
import importlib.util
import io
import json
import os
import pathlib
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(os.environ.get("PASTA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
spec = importlib.util.spec_from_file_location("compare_reports", SOURCE_DIR / "tests/gpu/compare_reports.py")
compare_reports = importlib.util.module_from_spec(spec)
spec.loader.exec_module(compare_reports)

SITE = ["file", "line", "column", "access", "space", "size"]
SUMS = ["requests", "sectors", "sectors_needed", "efficiency", "lanes", "sectors_per_request"]


def table(name, keys, values, rows):
    columns = [{"name": key, "unit": "", "role": "key"} for key in keys]
    columns += [{"name": value, "unit": "", "role": "value"} for value in values]
    return {"name": name, "columns": columns, "rows": rows}


def section(kernel, tables, findings=(), lanes=4096):
    losses = {"launches_seen": 1, "launches_delivered": 1, "launches_sampled_out": 0, "launches_lost": 0,
              "events_delivered": lanes, "events_dropped": 0, "not_instrumentable": []}
    return {"kernel": kernel, "range": "", "launch": None, "grid": "4x1x1", "block": "256x1x1", "shared_bytes": 0,
            "duration_ns": 12345, "losses": losses, "findings": list(findings), "tables": tables}


def report(vendor, tool, kernels, options=()):
    return {"schema": "pasta-report/1", "header": {"vendor": vendor, "pid": len(vendor)}, "is_complete": True,
            "incomplete_reason": "", "notes": [f"made by {vendor}"],
            "tools": [{"tool": tool, "options": [{"name": n, "value": v} for n, v in options], "findings": [],
                       "kernels": kernels, "tables": []}]}


def finding(line, column, message, gain, advice="move it", folder="/home/a/"):
    return {"severity": "low", "place": {"file": folder + "k.hpp", "function": "", "line": line, "column": column},
            "message": message, "advice": advice, "gain_at_most": gain}


def ratios(requests, sectors, needed, lanes):
    return [requests, sectors, needed, needed / sectors, lanes / requests, sectors / requests]


def host_counts():
    """Line 7 stores the sum of two loads; the two differ in their column."""
    sites = [["/home/a/k.hpp", 7, 20, "load", "global", 4, 1000, 4000],
             ["/home/a/k.hpp", 7, 27, "load", "global", 4, 1000, 4000],
             ["/home/a/k.hpp", 7, 8, "store", "global", 4, 1000, 4000]]
    totals = [["global", "load", 2000, 8000], ["global", "store", 1000, 4000]]
    return report("host", "access_count", [
        section("add", [table("sites", SITE, ["accesses", "bytes"], sites),
                        table("totals", ["space", "access"], ["accesses", "bytes"], totals)]),
        section("other", [table("sites", SITE, ["accesses", "bytes"],
                                [["/home/a/k.hpp", 9, 3, "atomic", "global", 8, 5, 40]])])])


def cuda_counts():
    made = host_counts()
    made["header"]["vendor"] = "cuda"
    made["tools"][0]["kernels"][0]["duration_ns"] = 1
    sites = made["tools"][0]["kernels"][0]["tables"][0]
    sites["rows"] = [["../b/k.hpp", 7, 0, "store", "global", 4, 1000, 4000],
                     ["../b/k.hpp", 7, 0, "load", "global", 4, 2000, 8000]]
    made["tools"][0]["kernels"][1]["tables"][0]["rows"][0][:3] = ["../b/k.hpp", 9, 0]
    return made


def host_requests():
    """Line 7 has two loads, of which the second is strided, and a store; line 8 a load that is misaligned."""
    sites = [["/a/k.hpp", 7, 8, "store", "global", 4, *ratios(32, 128, 128, 1000), 4],
             ["/a/k.hpp", 7, 20, "load", "global", 4, *ratios(32, 128, 128, 1000), 4],
             ["/a/k.hpp", 7, 27, "load", "global", 4, *ratios(32, 1024, 128, 1000), 32],
             ["/a/k.hpp", 8, 14, "load", "global", 4, *ratios(3, 15, 12, 96), 4]]
    totals = [["load", *ratios(67, 1167, 268, 2096)], ["store", *ratios(32, 128, 128, 1000)]]
    findings = [finding(7, 27, "load of 4 bytes: 8 elements after", 3.2), finding(8, 14, "load of 4 bytes: 5", 1.01)]
    return report("host", "coalescing", [
        section("strided", [table("sites", SITE, [*SUMS, "stride"], sites), table("totals", ["access"], SUMS, totals)],
                findings)], options=[("sector-bytes", "32")])


def cuda_requests():
    made = host_requests()
    made["header"]["vendor"] = "cuda"
    kernel = made["tools"][0]["kernels"][0]
    kernel["tables"][0]["rows"] = [["k.hpp", 7, 0, "load", "global", 4, *ratios(64, 1152, 256, 2000), None],
                                   ["k.hpp", 7, 0, "store", "global", 4, *ratios(32, 128, 128, 1000), 4],
                                   ["k.hpp", 8, 0, "load", "global", 4, *ratios(3, 15, 12, 96), 4]]
    kernel["findings"] = [finding(7, 0, "load of 4 bytes: in the worst request, 8 elements after", 3.2, folder=""),
                          finding(8, 0, "load of 4 bytes: 5", 1.01, folder="")]
    return made


def kernel_of(made, number=0):
    return made["tools"][0]["kernels"][number]


class CompareReportsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, host, cuda, *options):
        """(exit code, lines, error lines)"""
        paths = []
        for name, made in (("host.json", host), ("cuda.json", cuda)):
            paths.append(str(self.folder / name))
            (self.folder / name).write_text(made if isinstance(made, str) else json.dumps(made), encoding="utf-8")
        return self.run_arguments(*paths, *options)

    @staticmethod
    def run_arguments(*arguments):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = compare_reports.main(arguments)
            except SystemExit as end:
                status = end.code
        return status, output.getvalue().splitlines(), errors.getvalue().splitlines()

    def assert_one_difference(self, host, cuda, line, *options):
        status, lines, _ = self.run_it(host, cuda, *options)
        self.assertEqual(status, 1, lines)
        self.assertEqual([one for one in lines[:-1] if not one.startswith("not compared")], [line])
        self.assertRegex(lines[-1], r"^[1-9][0-9]* checks, 1 differences$")

    def assert_refused(self, words, result):
        status, lines, errors = result
        self.assertEqual((status, lines, len(errors)), (2, [], 1), errors)
        self.assertTrue(errors[0].startswith("compare_reports.py: "), errors)
        self.assertIn(words, errors[0])

    def test_rows_of_one_line_are_added_up_and_then_all_is_equal(self):
        # One tool, its options; 2 kernels with their facts, columns and rows; and the order of kernels.
        facts = 3 + len(compare_reports.LOSSES)
        checks = 2 + (1 + facts + 2 * 2 + 4 * (1 + 2)) + (1 + facts + 2 + 1 * (1 + 2)) + 1
        self.assertEqual(self.run_it(host_counts(), cuda_counts()), (0, [f"{checks} checks, 0 differences"], []))

    def test_ratios_and_strides_of_merged_rows_are_made_anew(self):
        status, lines, _ = self.run_it(host_requests(), cuda_requests())
        self.assertEqual(status, 0, lines)
        self.assertEqual(lines[:-1], ["not compared: coalescing: strided: finding at k.hpp:7: on the GPU one row holds "
                                      "several accesses of this line"])
        for name, place in (("efficiency", 9), ("lanes", 10), ("sectors_per_request", 11), ("stride", 12)):
            cuda = cuda_requests()
            row = kernel_of(cuda)["tables"][0]["rows"][0]
            row[place] = 4 if row[place] is None else row[place] * (1 + 1e-9)
            host = None if name == "stride" else row[place] / (1 + 1e-9)
            self.assert_one_difference(host_requests(), cuda,
                                       f"coalescing: strided: sites: k.hpp 7 load global 4: {name}: host "
                                       f"{compare_reports.shown(host)}, GPU {row[place]}")

    def test_a_stride_that_all_merged_rows_have_stays(self):
        host, cuda = host_requests(), cuda_requests()
        kernel_of(host)["tables"][0]["rows"][2][12] = 4
        kernel_of(cuda)["tables"][0]["rows"][0][12] = 4
        self.assertEqual(self.run_it(host, cuda)[0], 0)

    def test_a_stride_beside_none_cannot_be_merged(self):
        host = host_requests()
        kernel_of(host)["tables"][0]["rows"][1][12] = None
        status, lines, _ = self.run_it(host, cuda_requests())
        self.assertEqual(status, 0, lines)
        self.assertIn("not compared: coalescing: strided: sites: k.hpp 7 load global 4: stride: rows that differ in "
                      "their column are merged on one side", lines)

    def test_integers_are_exact(self):
        host, cuda = host_counts(), cuda_counts()
        kernel_of(host, 1)["tables"][0]["rows"][0][7] = 2**63
        kernel_of(cuda, 1)["tables"][0]["rows"][0][7] = 2**63 + 1
        self.assert_one_difference(host, cuda, f"access_count: other: sites: k.hpp 9 atomic global 8: bytes: host "
                                               f"{2**63}, GPU {2**63 + 1}")

    def test_other_numbers_are_equal_up_to_their_rounding(self):
        cuda = cuda_requests()
        row = kernel_of(cuda)["tables"][1]["rows"][0]
        row[4] *= 1 + 1e-14
        self.assertEqual(self.run_it(host_requests(), cuda)[0], 0)
        row[4] *= 1 + 1e-11
        self.assertEqual(self.run_it(host_requests(), cuda)[0], 1)

    def test_a_changed_fact_of_a_launch(self):
        for name, change in (("grid", "5x1x1"), ("block", "128x1x1"), ("shared_bytes", 8)):
            cuda = cuda_counts()
            kernel_of(cuda)[name] = change
            status, lines, _ = self.run_it(host_counts(), cuda)
            self.assertEqual((status, len(lines)), (1, 2))
            self.assertTrue(lines[0].startswith(f"access_count: add: {name}: host "), lines)
        cuda = cuda_counts()
        kernel_of(cuda)["losses"]["events_dropped"] = 3
        self.assert_one_difference(host_counts(), cuda, "access_count: add: events_dropped: host 0, GPU 3")

    def test_a_row_that_one_side_lacks(self):
        cuda = cuda_counts()
        row = kernel_of(cuda)["tables"][0]["rows"].pop(0)
        text = "access_count: add: sites: k.hpp 7 store global 4: only on the "
        self.assert_one_difference(host_counts(), cuda, text + "host")
        host = host_counts()
        kernel_of(host)["tables"][0]["rows"].pop(2)
        kernel_of(cuda)["tables"][0]["rows"].append(row)
        self.assert_one_difference(host, cuda, text + "GPU")

    def test_a_row_at_another_line_is_two_differences(self):
        cuda = cuda_counts()
        kernel_of(cuda, 1)["tables"][0]["rows"][0][1] = 10
        self.assertEqual(self.run_it(host_counts(), cuda)[1][:-1],
                         ["access_count: other: sites: k.hpp 9 atomic global 8: only on the host",
                          "access_count: other: sites: k.hpp 10 atomic global 8: only on the GPU"])

    def test_a_kernel_a_table_and_a_tool_that_one_side_lacks(self):
        cuda = cuda_counts()
        cuda["tools"][0]["kernels"].pop()
        self.assert_one_difference(host_counts(), cuda, "access_count: other: only on the host")
        cuda = cuda_counts()
        kernel_of(cuda)["tables"].pop()
        self.assert_one_difference(host_counts(), cuda, "access_count: add: totals: only on the host")
        cuda = cuda_counts()
        cuda["tools"] += cuda_requests()["tools"]
        self.assert_one_difference(host_counts(), cuda, "coalescing: only on the GPU")

    def test_kernels_in_another_order(self):
        cuda = cuda_counts()
        cuda["tools"][0]["kernels"].reverse()
        self.assert_one_difference(host_counts(), cuda,
                                   "access_count: kernels in another order on the GPU: other, add")

    def test_launches_that_are_kept_apart(self):
        host, cuda = host_counts(), cuda_counts()
        for made in (host, cuda):
            second = copy.deepcopy(kernel_of(made))
            kernel_of(made)["launch"], second["launch"] = 0, 1
            made["tools"][0]["kernels"].append(second)
        self.assertEqual(self.run_it(host, cuda)[0], 0)
        kernel_of(cuda, 2)["grid"] = "9x1x1"
        self.assert_one_difference(host, cuda, "access_count: add launch 1: grid: host '4x1x1', GPU '9x1x1'")

    def test_another_option_and_another_column(self):
        cuda = cuda_requests()
        cuda["tools"][0]["options"][0]["value"] = "64"
        self.assertEqual(self.run_it(host_requests(), cuda)[0], 1)
        cuda = cuda_requests()
        kernel_of(cuda)["tables"][1]["columns"][1]["name"] = "queries"
        self.assertEqual(self.run_it(host_requests(), cuda)[0], 1)

    def test_each_field_of_a_finding(self):
        text = "coalescing: strided: finding at k.hpp:8: "
        for name, change, line in (
                ("severity", "high", "severity: host 'low', GPU 'high'"),
                ("gain_at_most", 1.02, "gain_at_most: host 1.01, GPU 1.02"),
                ("advice", "sort it", "advice: host 'move it', GPU 'sort it'"),
                ("message", "load of 4 bytes: 6", "message: host 'load of 4 bytes: 5', GPU 'load of 4 bytes: 6'")):
            cuda = cuda_requests()
            kernel_of(cuda)["findings"][1][name] = change
            self.assert_one_difference(host_requests(), cuda, text + line)

    def test_a_finding_that_one_side_lacks(self):
        cuda = cuda_requests()
        cuda_kernel = kernel_of(cuda)
        removed = cuda_kernel["findings"].pop()
        self.assert_one_difference(host_requests(), cuda,
                                   "coalescing: strided: finding at k.hpp:8: 'load of 4 bytes: 5': only on the host")
        cuda_kernel["findings"] = [removed]  # that of the merged row, which wastes all that its parts waste
        self.assert_one_difference(host_requests(), cuda,
                                   "coalescing: strided: finding at k.hpp:7: only on the host")

    def test_a_finding_beside_merged_rows_is_compared(self):
        host, cuda = host_requests(), cuda_requests()
        kernel_of(host)["findings"].append(finding(7, 8, "store of 4 bytes: 9", 1.01))
        kernel_of(cuda)["findings"].append(finding(7, 0, "store of 4 bytes: 9", 1.01))
        self.assertEqual(self.run_it(host, cuda)[0], 0)
        kernel_of(cuda)["findings"][-1]["advice"] = "none"
        self.assert_one_difference(host, cuda,
                                   "coalescing: strided: finding at k.hpp:7: advice: host 'move it', GPU 'none'")

    def test_of_a_divergent_kernel_lanes_are_compared_alone(self):
        cuda = cuda_requests()
        kernel = kernel_of(cuda)
        # 96 lanes in 96 requests, not in 3: the loop was left one by one.
        kernel["tables"][0]["rows"][2][6:] = [*ratios(96, 96, 96, 96), None]
        kernel["tables"][1]["rows"][0][1:] = ratios(160, 1248, 352, 2096)
        kernel["findings"].pop()
        self.assertGreater(len(self.run_it(host_requests(), cuda)[1]), 5)
        status, lines, _ = self.run_it(host_requests(), cuda, "--divergent", "strided")
        self.assertEqual(status, 0, lines)
        self.assertEqual(lines[:-1], ["not compared: coalescing: strided: findings, since the kernel is divergent"])
        kernel["tables"][0]["rows"][2][10] = 2.0
        self.assert_one_difference(host_requests(), cuda, "coalescing: strided: sites: k.hpp 8 load global 4: lanes x "
                                                          "requests: host 96, GPU 192", "--divergent", "strided")

    def test_a_divergent_kernel_is_counted_exactly(self):
        cuda = cuda_counts()
        kernel_of(cuda)["tables"][0]["rows"][0][6] = 1001
        self.assert_one_difference(host_counts(), cuda, "access_count: add: sites: k.hpp 7 store global 4: accesses: "
                                                        "host 1000, GPU 1001", "--divergent", "other", "add")

    def test_a_column_that_nobody_can_merge_is_named(self):
        host, cuda = host_counts(), cuda_counts()
        for made in (host, cuda):
            made["tools"][0]["tool"] = "other_tool"
        status, lines, _ = self.run_it(host, cuda)
        self.assertEqual(status, 0)
        self.assertEqual(lines[:-1], [f"not compared: other_tool: add: sites: k.hpp 7 load global 4: {name}: rows that "
                                      "differ in their column are merged on one side" for name in
                                      ("accesses", "bytes")])

    def test_names_that_are_not_utf8(self):
        host, cuda = host_counts(), cuda_counts()
        for made in (host, cuda):
            kernel_of(made)["kernel"] = {"bytes_hex": "ff"}
        self.assertEqual(self.run_it(host, cuda)[0], 0)

    def test_wrong_arguments_and_files_are_one_line_and_2(self):
        host, cuda = host_counts(), cuda_counts()
        self.assert_refused("arguments are required", self.run_arguments("host.json"))
        self.assert_refused("unrecognized", self.run_it(host, cuda, "--divergence", "add"))
        self.assert_refused("there is no such kernel", self.run_it(host, cuda, "--divergent", "ad"))
        self.assert_refused("cannot read", self.run_arguments(str(self.folder), str(self.folder)))
        self.assert_refused("is not JSON", self.run_it(host, "{"))
        self.assert_refused("NaN", self.run_it(host, '{"schema": NaN}'))
        self.assert_refused("pasta-report/1", self.run_it([], cuda))
        self.assert_refused("the host engine was expected", self.run_it(cuda, cuda))
        self.assert_refused("a GPU was expected", self.run_it(host, host))
        for break_it, words in ((lambda made: made.update(is_complete=False, incomplete_reason="SIGSEGV"), "SIGSEGV"),
                                (lambda made: made.update(tools=[]), "holds no kernel"),
                                (lambda made: kernel_of(made).pop("grid"), "not a whole report"),
                                (lambda made: kernel_of(made)["tables"][0]["rows"][0].pop(), "not a whole report"),
                                (lambda made: kernel_of(made)["tables"][0]["rows"][0].__setitem__(7, "a"),
                                 "not a number")):
            broken = cuda_counts()
            break_it(broken)
            self.assert_refused(words, self.run_it(host, broken))
        (self.folder / "host.json").write_bytes(b"\xff")
        self.assert_refused("is not JSON",
                            self.run_arguments(str(self.folder / "host.json"), str(self.folder / "cuda.json")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
