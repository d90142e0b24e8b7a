# SPDX-FileCopyrightText: The PASTA authors
# SPDX-License-Identifier: Apache-2.0
"""How many memory accesses of a PTX file a rewriter reached, from the file's text and the rewriter's table of sites
(include/pasta/instrument/ptx/site_table.hpp). The text is read by rules of its own, those of docs/routes.md, so that
what the rewriter passes over is seen too."""

import collections
import dataclasses
import re

# Instructions that are sites, by the table in docs/routes.md. Others with an operand in brackets must be in NO_SITES.
SITES = re.compile(r"""
    (ld|ldu|st|atom|red|ldmatrix|stmatrix|tex|tld4|suld|sust|sured)\. |
    multimem\.(ld_reduce|st|red|cp) |
    cp\.async\.(ca|cg)\b |
    cp\.async\.bulk\.(?!prefetch|commit_group|wait_group) |
    cp\.reduce\.async |
    wmma\.(load|store) |
    wgmma\.mma_async |
    tcgen05\.(ld|st|shift|cp|alloc|mma)\b |
    tensormap\.(cp_fenceproxy|replace) |
    clusterlaunchcontrol\.try_cancel""", re.VERBOSE)
NO_SITES = re.compile(r"""
    (ld|st)\.param\b |
    mbarrier\. | cp\.async\.mbarrier\. | tcgen05\.(commit|dealloc|relinquish) |
    prefetchu?\. | cp\.async\.bulk\.prefetch |
    (applypriority|discard|createpolicy|txq|suq|fence)\.""", re.VERBOSE)

# Products of matrices: sites of a tool that counts these.
PRODUCTS = re.compile(r"(mma|wmma\.mma|wgmma\.mma_async|tcgen05\.mma)\b")

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# The `;` stays for the next one to begin with.
STATEMENT = re.compile(r"(?:^|[;{}:])\s*(?:@!?[^\s;]+\s+)?([a-z][a-z0-9_]*(?:(?:\.|::)\w+)+)\s([^;]*)(?=;)",
                       re.MULTILINE)

# Accesses that handlers are not promised, by docs/routes.md: of other memories, made by a warp as one, and those whose
# size stands in an object of the driver's or in a descriptor.
HANDLED_SPACES = ("generic", "global", "shared", "shared::cluster", "local")
OBSTACLES = ("address and size stand in a tensor map", "the address stands in a matrix descriptor",
             "part of an object whose layout is the driver's")


def read_sites(ptx, with_products=False):
    """[(line, opcode), ...] of the instructions that access memory, or multiply matrices, in their order."""
    text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), ptx)
    found, line, at = [], 1, 0
    for statement in STATEMENT.finditer(text):
        opcode = statement[1]
        is_product = with_products and PRODUCTS.match(opcode)
        if NO_SITES.match(opcode) or not (SITES.match(opcode) or is_product) and "[" not in statement[2]:
            continue
        line += text.count("\n", at, statement.start(1))
        at = statement.start(1)
        found.append((line, opcode))
    return found


@dataclasses.dataclass
class Tally:
    """Of one rewriter on any number of files."""
    sites: int = 0  # instructions that are to be counted
    counted: int = 0
    accesses: int = 0  # that handlers are promised; an instruction may have several
    handled: int = 0
    # {("counter" or "handler", opcode without types, reason): how many lack it}
    left_out: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    not_promised: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def add(self, other):
        for name in ("sites", "counted", "accesses", "handled"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.left_out.update(other.left_out)
        self.not_promised.update(other.not_promised)

    def shares(self):
        """What is left out [percent]: {"counting": 0.2, "handlers": 0.0}"""
        pairs = {"counting": (self.counted, self.sites), "handlers": (self.handled, self.accesses)}
        return {name: 100 * (whole - part) / whole for name, (part, whole) in pairs.items() if whole}

    def violations(self, most):
        """@param most that may be left out [percent]"""
        lines = [f"{share:.2f} % of what is for {name} are left out, limit {most:g} %"
                 for name, share in self.shares().items() if share > most]
        return lines + [f"{count} {kind} without a {lacks}, and no reason is given"
                        for (lacks, kind, reason), count in sorted(self.left_out.items()) if not reason]

    def lines(self):
        """What is left out and why, and how much that is."""
        shares = self.shares()
        found = []
        if "counting" in shares:
            found.append(f"counters: {self.counted} of {self.sites} sites, {shares['counting']:.2f} % are left out")
        if "handlers" in shares:
            others = sum(self.not_promised.values())
            found.append(f"handlers: {self.handled} of {self.accesses} accesses, {shares['handlers']:.2f} % are left "
                         f"out; {others} others ({100 * others / (self.accesses + others):.2f} %) are not for them:")
        for rows in (self.left_out, self.not_promised):
            found += [f"  no {lacks}: {count} {kind}: {reason or 'no reason is given'}"
                      for (lacks, kind, reason), count in rows.most_common()]
        return found


def kind_of(opcode):
    """For a list of few lines: `cp.async.bulk.tensor` of cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"""
    return re.match(r"(?:cp\.(?:reduce\.)?async(?:\.bulk)?(?:\.tensor)?|(?:multimem|wmma|wgmma|tcgen05|tensormap)\.\w+|"
                    r"\w+)(?:\.(?:const|global|shared|local)\b)?", opcode)[0]


def is_promised(access):
    """Whether docs/routes.md says that handlers get it."""
    return (access["space"] in HANDLED_SPACES and access.get("share", "lane") in ("lane", "rows") and
            (access["bytes"] is not None or access.get("why") not in OBSTACLES))


def tally(ptx, table, watched_spaces):
    """@param watched_spaces whose accesses the table's tool with a handler watches; empty: there is none.
    @throw ValueError if the table has a site that the text has not"""
    found, listed = Tally(), {}
    why = ""
    for function in table["functions"]:
        why = why or function["why"]
        for site in function["sites"]:
            listed[site["line"], site["opcode"]] = listed.get((site["line"], site["opcode"]), []) + [site]
    has_products = any(site.get("event", {}).get("kind") == "matrix"
                       for function in table["functions"] for site in function["sites"])
    for place in read_sites(ptx, has_products):
        found.sites += 1
        sites = listed.get(place)
        site = sites.pop(0) if sites else None
        kind = kind_of(place[1])
        if site is None:
            found.left_out["counter", kind, why] += 1
            if watched_spaces:
                found.accesses += 1
                found.left_out["handler", kind, why] += 1
            continue
        if "counter" in site:
            found.counted += 1
        else:
            found.left_out["counter", kind, ""] += 1
        for access in site["accesses"]:
            if access["space"] not in watched_spaces and "unhandled" not in access or not watched_spaces:
                continue
            reason = access.get("unhandled", "")
            if not is_promised(access):
                found.not_promised["handler", kind, reason] += 1
                continue
            found.accesses += 1
            if "row" in access:
                found.handled += 1
            else:
                found.left_out["handler", kind, reason] += 1
    if any(listed.values()):
        line, opcode = next(place for place, sites in listed.items() if sites)
        raise ValueError(f"the table has a site that the text has not: line {line}, {opcode}")
    return found
