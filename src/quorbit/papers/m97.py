"""[M97, Tables 7.1 and 7.2]: the published rows next to those of the circuits at hand, and why some differ.

Table 7.1 counts vertices, edges and colours of the graph that is drawn for a circuit; Table 7.2 the work of searching
an automorphism.  The thesis does not contain its circuits, so a row can agree only where the very circuit is at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from quorbit.detection.netlists.graph import draw
from quorbit.detection.netlists.refine import refine
from quorbit.detection.netlists.search import Search, search_automorphism
from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.groups.group import moved_orbits
from quorbit.groups.structure import describe, structure
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.options import LoadOptions
from quorbit.papers.series import render_table
from quorbit.source.frozen import frozen


@frozen
class Example:
    name: str
    statistics: tuple[int, ...]  # Table 7.1: n, m, c, c1, c2, cf, iterations
    search: tuple[int, ...] | None  # Table 7.2: backtracks, largest set, choices
    files: tuple[str, ...]  # our wordings, or the names under which the circuit itself is known
    why: str  # why cells differ, or cannot be compared


EXAMPLES = (
    Example(
        "ctlp20",
        (4920, 6740, 15, 34, 51, 246, 7),
        (0, 20, 19),
        ("philosophers20.mv", "philosophers20.v"),
        "the Verilog text and the translator that made the netlist are not published, so every count is that of "
        "another netlist.  Comparable: cf is n/20, one class for each vertex of one philosopher "
        "(vertices outside of them, such as constants, are classes of their own), and the group C20",
    ),
    Example(
        "ping-pong",
        (288, 378, 11, 25, 39, 144, 7),
        (0, 2, 1),
        ("ping_pong.mv", "ping_pong.v"),
        "the text of the game is not published, so every count is that of another netlist.  Comparable: cf is n/2 "
        "(vertices outside the players are classes of their own), and the group of order 2",
    ),
    Example(
        "z4ml",
        (527, 929, 5, 14, 19, 108, 4),
        (8, 4, 21),
        ("z4ml.blif",),
        "a public benchmark that is not part of this project; put z4ml.blif into the folder and all cells of Table 7.1 "
        "can be compared",
    ),
    Example(
        "4-arbit",
        (3158, 4000, 19, 52, 105, 3110, 60),
        None,
        ("4-arbit.mv", "4-arbit.v"),
        "the circuit is not published; 3110 classes of 3158 vertices leave room for hardly any symmetry, and Table 7.2 "
        "has no row for it",
    ),
)
SEARCH_NOTE = (
    "Table 7.2: the partial mappings that the searches began with and the order of choices are not published.  Ours "
    "begin with the first latch (or else input) that a symmetry moves, and its first image."
)
WIDTH = 118  # of the notes


@frozen
class Measured:
    file: str
    statistics: tuple[int, ...]
    group: str  # on latches, or on inputs where there are none
    search: tuple[int, ...] | None


def measure_all(folder: Path, examples: Sequence[Example] = EXAMPLES) -> list[tuple[Example, list[Measured]]]:
    """The circuits of a folder that stand for the examples."""
    return [(e, [measure(folder / name) for name in e.files if (folder / name).is_file()]) for e in examples]


def measure(path: Path) -> Measured:
    """The counts are those of the graph that gives the z4ml row, the group that of the graph with typed vertices."""
    netlist = read_netlist(path, LoadOptions())
    typed = draw(netlist, typed=True, outputs=True)
    moving = typed.latches or typed.inputs
    group = automorphisms_on(typed.graph, moving)
    search = None
    if moved := moved_orbits(group):
        first, image = moved[0][:2]
        search = counts(search_automorphism(typed.graph, {moving[first]: moving[image]}))
    return Measured(path.name, refine(draw(netlist).graph).row, describe(structure(group)), search)


def counts(search: Search) -> tuple[int, ...]:
    return (search.backtracks, search.largest, search.choices)


def render(found: Sequence[tuple[Example, Sequence[Measured]]]) -> list[str]:
    """Both tables, published rows above ours, and what can be said of the differences."""
    first, second, notes = [], [], []
    for example, ours in found:
        first.append([example.name, "published", *example.statistics, ""])
        second.append([example.name, "published", *(example.search or (None,) * 3)])
        for m in ours:
            first.append([example.name, m.file, *m.statistics, m.group])
            second.append([example.name, m.file, *(m.search or (None,) * 3)])
        notes += wrap(f"{example.name}: {verdict(example, ours)}", WIDTH)
    statistics = render_table(["example", "circuit", "n", "m", "c", "c1", "c2", "cf", "iter", "group"], first)
    searches = render_table(["example", "circuit", "backtracks", "maxset", "choices"], second)
    tables = ["Table 7.1", *statistics.splitlines(), "", "Table 7.2", *searches.splitlines(), ""]
    return [*tables, *notes, *wrap(SEARCH_NOTE, WIDTH)]


def verdict(example: Example, ours: Sequence[Measured]) -> str:
    if any(m.statistics == example.statistics for m in ours):
        return "all cells of Table 7.1 agree"
    if not ours:
        return f"not measured: {example.why}"
    return f"cannot be reproduced: {example.why}"
