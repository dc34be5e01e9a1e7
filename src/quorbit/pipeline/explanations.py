"""Why a permutation is no symmetry of a model, and the smallest change that would make it one; which atoms look alike
and are still kept apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Any

from quorbit.detection.detect import Symmetry
from quorbit.detection.netlists.differences import Apart, tell_apart
from quorbit.detection.netlists.extend import extend_mapping
from quorbit.detection.restore import Change, smallest_change
from quorbit.detection.reveal import reveal
from quorbit.detection.why import Breach, extended, why
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group, orbits
from quorbit.groups.permutation import Permutation, from_cycles, support
from quorbit.languages.registry import language_of
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import Property, System
from quorbit.pipeline.load import Model, faults_at_the_start
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask_together
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated
from quorbit.source.span import NOWHERE

__all__ = [
    "explain",
    "find_missing",
    "find_missing_soon",
    "first_breaches",
    "restoring_change",
    "revealed",
    "tell_pairs_apart",
]

MOST_COMPARED = 4  # pairs of latches or inputs that are looked at to see where they differ
EXTEND_SECONDS = 10.0  # to complete a mapping of some latches
MOST_PAIRS = 300  # of atoms that are looked at to see what keeps them apart
MOST_TOLD = 12  # on a page
LONGEST_TOLD = 300  # characters


def revealed(model: Model, options: CheckOptions) -> tuple[System, Symmetry]:
    """The System whose atoms ``explain`` permutes: specialised, with the properties asked for; and its symmetries."""
    system, properties = ask_together(model, options)
    with faults_at_the_start():
        return reveal(system, properties)


def explain(system: System, group: Group, g: Permutation) -> tuple[Permutation, tuple[Breach, ...]]:
    """The permutation, with what belongs to the atoms it moves, and what breaks it: nothing if it is a symmetry, which
    may have been proved of what steps do and not of how they are written."""
    whole = extended(system, g)
    if contains(build_chain(group), whole):
        return whole, ()
    breaches = why(system, system.properties, whole)
    if breaches and system.synchronous and CAN_FORK:
        completed = run_isolated(lambda send: send(extend_mapping(system, g)), Limits(turn=EXTEND_SECONDS)).told
        if completed and completed[0] is not None:
            return completed[0], ()
    return whole, breaches


def restoring_change(model: Model, system: System, g: Permutation, breaches: tuple[Breach, ...]) -> Change | None:
    """The smallest change of the model that makes g a symmetry, if one is found."""
    with faults_at_the_start():
        return smallest_change(model.system, properties_of(model, system), system, g, breaches)


def properties_of(model: Model, system: System) -> tuple[Property, ...]:
    """The properties of the loaded System that a specialised one is about."""
    names = {p.name for p in system.properties}
    return tuple(p for p in model.system.properties if p.name in names)


def tell_pairs_apart(model: Model, system: System, g: Permutation) -> list[Apart]:
    """Of the latches and inputs of a circuit that g moves, those that look different from their images, and where."""
    read_netlist = language_of(model.path, model.options.language).read_netlist
    if read_netlist is None:
        return []
    netlist = read_netlist(model.path, model.options)
    known = {*netlist.inputs, *(latch.output for latch in netlist.latches)}
    unordered = dict.fromkeys((min(a, b), max(a, b)) for a, b in enumerate(g) if a != b)
    pairs = [(system.atoms[a].name, system.atoms[b].name) for a, b in unordered]
    found = [tell_apart(netlist, a, b) for a, b in pairs[:MOST_COMPARED] if {a, b} <= known]
    return [apart for apart in found if apart is not None]


def separated_pairs(system: System, group: Group) -> list[Permutation]:
    """The exchanges of the first atoms of two orbits of one kind."""
    atoms, n = system.atoms, len(system.atoms)
    firsts = [orbit[0] for orbit in orbits(group)]
    pairs = [
        (a, b)
        for a, b in combinations(firsts, 2)
        if (atoms[a].sort, atoms[a].colour) == (atoms[b].sort, atoms[b].colour)
    ]
    return [from_cycles(n, pair) for pair in pairs[:MOST_PAIRS]]


def first_breaches(system: System, group: Group, most: int = MOST_PAIRS) -> Iterator[tuple[Permutation, Breach]]:
    """Of the first pairs that are kept apart, the exchange and the first thing that breaks it."""
    for pair in separated_pairs(system, group)[:most]:
        g, breaches = explain(system, group, pair)
        if breaches:
            yield g, breaches[0]


def find_missing(model: Model, options: CheckOptions) -> list[dict[str, Any]]:
    """For pages: the two atoms, and where and how they are told apart."""
    system, found = revealed(model, options)
    rows: list[dict[str, Any]] = []
    pairs = (g for g in separated_pairs(system, found.group) if not is_value(system.atoms[support(g)[0]].sort))
    for g in islice(pairs, MOST_TOLD):
        _, breaches = explain(system, found.group, g)
        if breaches:
            pair = [system.atoms[a].name for a, b in enumerate(g) if a != b]
            first = breaches[0]
            known = first.span.source is not NOWHERE.source
            place = [first.span.file, first.span.line] if known else None
            text = first.span.source.line_text(first.span.line).strip() if known else first.written
            rows.append({"pair": pair, "at": place, "written": text[:LONGEST_TOLD], "message": first.message})
    return rows


def find_missing_soon(model: Model, options: CheckOptions, seconds: float) -> tuple[dict[str, Any], ...]:
    """The same, if it is found in so many seconds."""
    if not CAN_FORK:
        return ()
    told = run_isolated(lambda send: send(tuple(find_missing(model, options))), Limits(seconds)).told
    return told[0] if told else ()
