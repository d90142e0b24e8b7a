# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""What the kernels of touching_kernels.hpp touch, in closed form: the same on each vendor, in warps of any width."""

LINE = 128  # bytes

# [kernel]: (number, bytes, bytes in lines, accesses) of each allocation, and accesses of none.
TOUCHED = {
    "strided": ([(0, 256_000, 1000 * LINE, 2 * 1000), (1, 4000, 4000, 2 * 1000)], 0),
    "calling": ([(2, 5120 * 4, 4 * 40 * LINE, 4 * 40), (3, 40 * 4, 40 * 4, 40)], 0),
    "partly_outside": ([(4, 4, 4, 90)], 90),
    # Memory that is released, and given again: bytes 0 to 511, and 800 to 1311.
    "fill_from": ([(5, 8192, 4 * LINE, 64), (6, 8192, 5 * LINE, 64)], 0),
    # Bytes 0 to 875, and 2000 to 2799.
    "many_loads": ([(7, 4000, (7 + 7) * LINE, 21 * 200)], 0),
}

# Where a function that was not inlined stands by itself.
TOUCHED_APART = TOUCHED | {"calling": ([TOUCHED["calling"][0][1]], 0), "sum_of_lines": ([TOUCHED["calling"][0][0]], 0)}


def touched(tables):
    """As in TOUCHED, from a kernel's tables: lists of dictionaries by their names."""
    (totals,) = tables["totals"]
    return ([(row["allocation"], row["size"], row["in_lines"], row["accesses"]) for row in tables["allocations"]],
            totals["unknown_accesses"])
