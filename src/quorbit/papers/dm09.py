"""Figures 4 and 5 of [DM09]: the configurations, the published cells, and the table with measured ones beside them.

Published states that are rounded in the paper are kept as it prints them.  The resource allocator and the hypercube of
Figure 4 were other versions of these models than the ones that can be had, so their cells are marked as not comparable.
5012 for three-tiered 4-4 is a misprint: the sizes of 5021 orbits sum to the 1,049,601 states of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.report.text_tables import table
from quorbit.source.frozen import field, frozen

__all__ = ["COLUMNS", "FIGURE_4", "STRATEGIES", "Configuration", "Measured", "figure_4", "figure_5"]

COLUMNS = ("orig", "basic", "enum", "fast", "exact")  # no reduction, all elements, chain, TopSPIN's choice, ours
STRATEGIES = {"basic": "enumerate", "enum": "chain", "fast": "minimising", "exact": "auto"}
NOT_COMPARABLE = ("resource allocator", "hypercube")


@frozen
class Configuration:
    """A row: family and size, the published states (without symmetry, reduced, by the fast strategy), seconds (orig,
    basic, enum, fast), and of Figure 5 order and structure.  '' where the paper has a dash."""

    family: str
    size: str
    states: tuple[str, str, str]
    seconds: tuple[str, str, str, str]
    order: str
    structure: str

    @property
    def is_comparable(self) -> bool:
        return self.family not in NOT_COMPARABLE


def row(family: str, size: str, states: str, seconds: str, order: str, structure: str) -> Configuration:
    a, b, c = (("" if cell == "-" else cell) for cell in states.split())
    d, e, f, g = (("" if cell == "-" else cell) for cell in seconds.split())
    return Configuration(family, size, (a, b, b if c == "=" else c), (d, e, f, g), order, structure)


FIGURE_4 = (
    row("simple mutex", "5", "113 12 =", "0.09 0.10 0.10 0.06", "120", "S5"),
    row("simple mutex", "10", "6145 22 =", "0.11 - 1088 0.05", "3.6e6", "S10"),
    row("simple mutex", "15", "278529 - 32", "5 - - 0.08", "1.3e12", "S15"),
    row("simple mutex", "20", "1.2e7 - 42", "561 - - 0.12", "2.4e18", "S20"),
    row("Peterson", "3", "2636 494 =", "0.35 0.08 0.02 0.35", "6", "S3"),
    row("Peterson", "4", "60577 3106 =", "0.60 0.04 0.20 0.41", "24", "S4"),
    row("Peterson", "5", "1.6e6 17321 =", "11 16 7 1", "120", "S5"),
    row("Peterson", "6", "4.5e7 89850 =", "2666 722 304 7", "720", "S6"),
    row("Peterson", "7", "- 442481 =", "- 30458 13885 56", "5040", "S7"),
    row("Peterson", "8", "- - 2.1e6", "- - - 412", "40320", "S8"),
    row("Peterson", "9", "- - 9.6e6", "- - - 3034", "362880", "S9"),
    row("Peterson without atomicity", "2", "291 148 =", "0.36 0.34 0.34 0.34", "2", "S2"),
    row("Peterson without atomicity", "3", "75356 12706 =", "1 0.83 0.68 0.62", "6", "S3"),
    row("Peterson without atomicity", "4", "- 3.6332e6 3.6335e6", "- 3426 972 427", "24", "S4"),
    row("resource allocator", "3-3", "16768 1501 =", "0.2 0.9 0.3 0.1", "36", "S3 x S3"),
    row("resource allocator", "4-4", "199018 3826 =", "2 57 19 0.4", "576", "S4 x S4"),
    row("resource allocator", "5-5", "2.2e6 8212 =", "42 4358 1234 2", "14400", "S5 x S5"),
    row("resource allocator", "4-4-4", "2.4e7 84377 =", "1587 - 12029 17", "13824", "S4 x S4 x S4"),
    row("resource allocator", "5-5-5", "- - 254091", "- - - 115", "1728000", "S5 x S5 x S5"),
    row("three-tiered", "3-3", "103105 2656 =", "5 7 4 2", "72", "S3 wr S2"),
    row("three-tiered", "4-4", "1.1e6 5012 =", "37 276 108 2", "1152", "S4 wr S2"),
    row("three-tiered", "3-3-3", "2.5e7 50396 =", "4156 4228 1689 19", "1296", "S3 wr S3"),
    row("three-tiered", "4-4-4", "- - 130348", "- - - 104", "82944", "S4 wr S3"),
    row("email", "3", "23256 3902 3908", "0.1 0.9 0.8 0.2", "6", "S3"),
    row("email", "4", "852641 36255 38560", "9 13 6 2", "24", "S4"),
    row("email", "5", "3.04e7 265315 315323", "3576 679 253 40", "120", "S5"),
    row("email", "6", "- 1.7e6 2.3e6", "- - 13523 576", "720", "S6"),
    row("email", "7", "- - 1.5e7", "- - - 6573", "5040", "S7"),
    row("hypercube", "3d", "13181 308 468", "0.3 0.6 0.3 0.2", "48", "-"),
    row("hypercube", "4d", "380537 1240 6986", "18 58 34 13", "384", "-"),
    row("hypercube", "5d", "9.6e6 3907 90442", "2965 7442 5241 946", "3840", "-"),
)
CORRECTED = {("three-tiered", "4-4"): "5021"}
NOTES = (
    "* not comparable: the paper used other versions of these models, which are not public",
    "  the paper prints 5012 for three-tiered 4-4, a misprint of 5021",
    "  load balancer, 4 clients and 2 servers (TopSPIN's model, no row of the figure): published 4901, here 4772; the",
    "  exchange of servers moves two locations of the balancer, without which there is no symmetry (locations-move.md)",
)


@frozen
class Measured:
    """What this machine gives: per column states and seconds (None: not within the limit), order, structure."""

    states: Mapping[str, int | None] = field(default_factory=dict)
    seconds: Mapping[str, float | None] = field(default_factory=dict)
    order: int | None = None
    structure: str = ""
    detect: float = 0.0
    classify: float = 0.0


def figure_4(rows: list[tuple[Configuration, Measured]]) -> list[str]:
    """States and seconds, each measured cell followed by the published one."""
    header = ["model", *(f"{c} states" for c in COLUMNS), *(f"{c} s" for c in COLUMNS)]
    listed = []
    for c, m in rows:
        published = dict(zip(COLUMNS, (c.states[0], reduced(c), reduced(c), c.states[2], reduced(c)), strict=True))
        times = dict(zip(COLUMNS, (*c.seconds, ""), strict=True))
        cells = [f"{count(m.states.get(k))} ({published[k] or '-'})" for k in COLUMNS]
        cells += [f"{duration(m.seconds.get(k))} ({times[k] or '-'})" for k in COLUMNS]
        listed.append([f"{c.family} {c.size}{'' if c.is_comparable else ' *'}", *cells])
    return [*table(header, listed), *NOTES]


def reduced(c: Configuration) -> str:
    """The exact number of representatives as far as the paper has it, misprints corrected."""
    return CORRECTED.get((c.family, c.size), c.states[1])


def figure_5(rows: list[tuple[Configuration, Measured]]) -> list[str]:
    """Orders and structures of the groups, and the seconds to find and to classify them."""
    header = ["model", "|G|", "published", "structure", "published", "detect s", "classify s"]
    listed = [
        [
            f"{c.family} {c.size}{'' if c.is_comparable else ' *'}",
            count(m.order),
            c.order,
            m.structure or "-",
            c.structure,
            duration(m.detect),
            duration(m.classify),
        ]
        for c, m in rows
    ]
    return table(header, listed)


def count(n: int | None) -> str:
    if n is None:
        return "-"
    return str(n) if n < 10**9 else f"{n:.2g}"


def duration(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.2f}"
