"""``quorbit symmetry --netlist``: the symmetries of a circuit's graph ([M97, chapter 5]), and how far it is refined.

A circuit with instances is first looked at model by model; the flat graph is drawn too unless it is large.  Where the
functions have more symmetries than the way in which they are written, these are shown as well.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import print_json
from quorbit.cli.options import load_options
from quorbit.detection.netlists.hierarchical_group import HierarchicalGroup, hierarchical_group
from quorbit.detection.netlists.joined_graph import QUOTIENT, SUBFORMULAS, Kept, join_graphs, latch_group
from quorbit.detection.netlists.refine import Refinement, refine
from quorbit.detection.netlists.semantic_graph import circuit_group
from quorbit.groups.chain import order
from quorbit.groups.group import Group, moved_orbits
from quorbit.groups.structure import describe, structure
from quorbit.languages.circuits.load import read_hierarchy, read_netlist, read_property_file
from quorbit.languages.circuits.properties import Stated, read_formulas
from quorbit.languages.registry import language_of
from quorbit.netlists.check import checked
from quorbit.netlists.flatten import expand
from quorbit.netlists.netlist import Netlist
from quorbit.netlists.program import Program
from quorbit.report.as_json import show_moves
from quorbit.report.text import show_order
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source

LARGE = 20_000  # latches and instances; a larger circuit is not flattened where its models tell its symmetries
MOST_TABLES = 1_000  # of a circuit whose functions are looked at
MOST_GENERATORS = 10


@frozen
class Looked:
    """What was found out: by models, on the flat graph for quotients and for sub-formulas, and by what tables compute,
    if that is more."""

    names: tuple[str, ...]
    by_models: HierarchicalGroup | None = None
    refined: Refinement | None = None
    groups: tuple[tuple[str, Group], ...] = ()
    by_functions: Group | None = None


def run(options: Namespace) -> int:
    path = Path(options.model)
    if language_of(path, options.language).read_circuit is None:
        raise UserError(None, f"{path}: --netlist is about circuits")
    found = look(path, options)
    if options.json:
        print_json(as_object(found))
    else:
        print("\n".join(lines_of(found)))
    return 0


def look(path: Path, options: Namespace) -> Looked:
    program = read_hierarchy(path)
    by_models = hierarchical_group(program) if program is not None else None
    if by_models is not None and not by_models.group.degree:
        by_models = None  # it tells of latches only
    if program is not None and by_models is not None and not options.properties and is_large(by_models):
        return Looked(latch_names(program), by_models)
    netlist = read_netlist(path, load_options(options))
    checked(netlist)
    kept = what_is_kept(netlist, options.properties)
    purposes = (QUOTIENT, SUBFORMULAS) if kept.formulas or kept.fairness else (QUOTIENT,)
    joined = {purpose: join_graphs(netlist, Kept(kept.formulas, kept.fairness, purpose)) for purpose in purposes}
    groups = tuple((purpose, latch_group(graph)) for purpose, graph in joined.items())
    names = tuple(latch.output for latch in netlist.latches) or netlist.inputs
    by_functions = None if options.properties else group_by_functions(netlist, groups[0][1])
    return Looked(names, by_models, refine(joined[QUOTIENT].graph), groups, by_functions)


def group_by_functions(netlist: Netlist, written: Group) -> Group | None:
    """The symmetries of the next-state functions and outputs, if there are more than are written."""
    if not netlist.latches or len(netlist.tables) > MOST_TABLES:
        return None
    try:
        meant = circuit_group(netlist)
    except MemoryError:  # the functions are too large to compare
        return None
    return meant if order(meant) > order(written) else None


def latch_names(program: Program) -> tuple[str, ...]:
    """As the flat netlist calls them."""
    scopes = expand(program, program.models[program.root])
    return tuple(scope.flat(latch.output.text) for scope in scopes for latch in scope.model.latches)


def is_large(found: HierarchicalGroup) -> bool:
    return found.group.degree + found.instances > LARGE


def what_is_kept(netlist: Netlist, words: list[str]) -> Kept:
    stated = [s for each in words for s in stated_by(netlist, each)]
    formulas = tuple(s.formula for s in stated if not s.is_fairness)
    return Kept(formulas, tuple(s.formula for s in stated if s.is_fairness))


def stated_by(netlist: Netlist, words: str) -> list[Stated]:
    """The properties of a file, or one in words."""
    if Path(words).is_file():
        return read_property_file(Path(words), netlist)
    return read_formulas(Source("<property>", words if words.strip().endswith(";") else f"{words};"), netlist)


def lines_of(found: Looked) -> list[str]:
    lines = []
    if (by := found.by_models) is not None:
        lines.append(f"models      {by.parts} drawn with {by.vertices} vertices for {by.instances} instances")
        lines += group_lines("by models", by.group, found.names)
    if (r := found.refined) is not None:
        lines.append(f"graph       n {r.vertices}, m {r.edges}")
        lines.append(f"refinement  c {r.c}, c1 {r.c1}, c2 {r.c2}, cf {r.cf}, iterations {r.iterations}")
    for purpose, group in found.groups:
        lines += group_lines("symmetry" if purpose == QUOTIENT else "formulas", group, found.names)
    if found.by_functions is not None:
        lines += group_lines("functions", found.by_functions, found.names)
    classes = [[found.names[i] for i in orbit] for orbit in moved_orbits(found.groups[0][1])] if found.groups else []
    lines += [f"{'classes' if k == 0 else '':<12}{{{', '.join(names)}}}" for k, names in enumerate(classes)]
    return lines


def group_lines(title: str, group: Group, names: tuple[str, ...]) -> list[str]:
    shown = [f"            {show_moves(m, names)}" for m in group.moves[:MOST_GENERATORS]]
    more = len(group.moves) - len(shown)
    shown += [f"            ... and {more} more generators"] if more else []
    return [f"{title:<12}{describe(structure(group))}, order {show_order(order(group))}", *shown]


def as_object(found: Looked) -> dict[str, object]:
    r, by = found.refined, found.by_models
    return {
        "points": list(found.names),
        "models": None if by is None else {"parts": by.parts, "vertices": by.vertices, "instances": by.instances},
        "by_models": None if by is None else group_object(by.group, found.names),
        "graph": None if r is None else dict(zip(("n", "m", "c", "c1", "c2", "cf", "iterations"), r.row, strict=True)),
        "functions": None if found.by_functions is None else group_object(found.by_functions, found.names),
        **{purpose: group_object(group, found.names) for purpose, group in found.groups},
    }


def group_object(group: Group, names: tuple[str, ...]) -> dict[str, object]:
    generators = [show_moves(m, names) for m in group.moves]
    return {"structure": describe(structure(group)), "order": order(group), "generators": generators}
