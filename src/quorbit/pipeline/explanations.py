"""Why a permutation is not a symmetry of a model, and the smallest change that would make it one; which atoms look
alike and are still kept apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorbit.detection.detect import Symmetry
from quorbit.detection.netlists.differences import Apart, tell_apart
from quorbit.detection.netlists.extend import extend_mapping
from quorbit.detection.reasons.named_cycles import parse_permutation
from quorbit.detection.reasons.ranking import causes_of, kept_apart, nearly_alike, pairs_apart
from quorbit.detection.reasons.why import Breach, extended, moved_start
from quorbit.detection.reasons.why import why as breaches_of
from quorbit.detection.restore import Change, smallest_change
from quorbit.detection.reveal import reveal, reveal_wordings
from quorbit.detection.steps.counting import counters
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import trivial
from quorbit.groups.permutation import Permutation, from_cycles, show
from quorbit.languages.registry import language_of
from quorbit.model.specialise.alike import share_names
from quorbit.model.specialise.fields.field import without_fields
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.system import Atom, Property, System
from quorbit.pipeline.describe import describe_group
from quorbit.pipeline.load import Given, Model, faults_at_the_start, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask_together
from quorbit.report.record import Found
from quorbit.report.why import Held, WhyApart, WhyNot
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated
from quorbit.source.span import NOWHERE, Span

__all__ = ["find_missing", "find_missing_soon", "first_breaches", "revealed", "why"]

MOST_COMPARED = 4  # pairs of latches or inputs that are looked at to see where they differ
EXTEND_SECONDS = 10.0  # to complete a mapping of some latches
MOST_PAIRS = 300  # of atoms that are looked at to see what keeps them apart
MOST_TOLD = 12  # on a page
LONGEST_TOLD = 300  # characters


def why(model: Given, permutation: str | None = None, options: CheckOptions | None = None) -> WhyNot | WhyApart:
    """Why a permutation, written as cycles of names or numbers, is not a symmetry; without one, what keeps atoms of one
    kind apart."""
    model = model if isinstance(model, Model) else load(model)
    options = options or CheckOptions()
    return why_apart(model, options) if permutation is None else why_not(model, permutation, options)


def why_apart(model: Model, options: CheckOptions) -> WhyApart:
    system, found = revealed(model, options)
    kept, group = kept_apart(judged_by(system, found), found.group), found.group
    if not kept and group.is_trivial and (shared := share_names(system)) is not system:
        system, kept, group = shared, nearly_alike(shared), trivial(len(shared.atoms))
    names = tuple(atom.name for atom in system.atoms)
    held = hold_loops(model, options, found.loops) if kept and found.group.is_trivial and found.loops else None
    return WhyApart(names, tuple(kept), tuple(causes_of(group, kept)), found.notes, held)


def hold_loops(model: Model, options: CheckOptions, counted: tuple[Span, ...]) -> Held | None:
    """What it gives to put these loops into ``atomic``, tried out; None if that gives nothing or cannot be written."""
    load_held = language_of(model.path, model.options.language).load_held
    if load_held is None:
        return None
    try:
        held, loops = load_held(model.path, model.options, counted)
    except UserError:  # what may not stand inside of atomic
        return None
    if not loops:
        return None
    asked, properties = ask_together(replace(model, read=held), options)
    with faults_at_the_start():
        special = specialise(replace(asked, properties=properties))
        if not counters(special.system):  # something blocks in every loop, so that others still see how far it is
            return None
        system, found = reveal_wordings(special)
    moved = tuple(system.atoms[a].name for a in sorted(found.group.moved) if system.atoms[a].sort == "process")
    order, structure = describe_group(found.group)
    return Held(loops, structure, moved, order) if moved else None


def why_not(model: Model, permutation: str, options: CheckOptions) -> WhyNot:
    system, found = revealed(model, options if options.properties else all_properties(model))
    names = tuple(atom.name for atom in system.atoms)
    processes = tuple(a for a, atom in enumerate(system.atoms) if atom.sort == "process")
    values = tuple(a for a, atom in enumerate(system.atoms) if is_value(atom.sort))
    wanted = parse_permutation(permutation, names, processes, values)
    g, breaches = explain(system, found, wanted)
    if not breaches:
        return WhyNot(show(g, names), start=moved_start(system, g), notes=found.notes)
    apart = tell_pairs_apart(model, system, wanted)
    change = None if found.decoded is not None else restoring_change(model, system, wanted, breaches)
    return WhyNot(show(g, names), breaches, (), tuple(apart), change, found.notes)


def all_properties(model: Model) -> CheckOptions:
    """Formulas too: whoever asks about one permutation wants to see all that breaks it."""
    return CheckOptions(properties=tuple(dict.fromkeys(p.name for p in model.system.properties)))


def revealed(model: Model, options: CheckOptions) -> tuple[System, Symmetry]:
    """The System whose atoms ``explain`` permutes: specialised, with the properties asked for; and its symmetries."""
    system, properties = ask_together(model, options)
    with faults_at_the_start():
        return reveal(system, properties)


def explain(system: System, found: Symmetry | Found, g: Permutation) -> tuple[Permutation, tuple[Breach, ...]]:
    """The permutation, with what belongs to the atoms it moves, and what breaks it: nothing if it is a symmetry, which
    may have been proved of what steps do and not of how they are written."""
    whole = extended(system, g)
    if contains(build_chain(found.group), whole):
        return whole, ()
    judged = judged_by(system, found)
    breaches = breaches_of(judged, judged.properties, whole)
    if not breaches or not system.synchronous or not CAN_FORK:
        return whole, breaches
    stated = len(system.properties)
    for kept in (judged, replace(judged, properties=judged.properties[stated:])):  # of the circuit alone, if need be
        completed = run_isolated(lambda send: send(extend_mapping(system, g, kept)), Limits(turn=EXTEND_SECONDS)).told  # noqa: B023
        if completed and completed[0] is not None:
            return completed[0], () if kept is judged else breaches_of(judged, judged.properties, completed[0])
    return whole, breaches


def judged_by(system: System, found: Symmetry | Found) -> System:
    """What is looked at to see what breaks a permutation: of a circuit its functions by what they compute."""
    return found.composed if system.synchronous and found.composed is not None else system


def restoring_change(model: Model, system: System, g: Permutation, breaches: tuple[Breach, ...]) -> Change | None:
    """The smallest change of the model that makes g a symmetry, if one is found."""
    with faults_at_the_start():
        return smallest_change(without_fields(model.system), properties_of(model, system), system, g, breaches)


def properties_of(model: Model, system: System) -> tuple[Property, ...]:
    """The properties of the loaded System that a specialised one is about."""
    names = {p.name for p in system.properties}
    return tuple(p for p in model.system.properties if p.name in names)


def tell_pairs_apart(model: Model, system: System, g: Permutation) -> list[Apart]:
    """Of the latches and inputs of a circuit that g moves, those that look different from their images, and where."""
    if model.circuit is None:
        return []
    netlist = model.circuit.netlist
    known = {*netlist.inputs, *(latch.output for latch in netlist.latches)}
    unordered = dict.fromkeys((min(a, b), max(a, b)) for a, b in enumerate(g) if a != b)
    pairs = [(system.atoms[a].name, system.atoms[b].name) for a, b in unordered]
    found = [tell_apart(netlist, a, b) for a, b in pairs[:MOST_COMPARED] if {a, b} <= known]
    return [apart for apart in found if apart is not None]


def first_breaches(
    system: System, found: Symmetry | Found, most: int = MOST_PAIRS
) -> Iterator[tuple[tuple[Atom, Atom], Permutation, Breach]]:
    """Of the first pairs that are kept apart: the two, the exchange, and the first thing that breaks it."""
    for a, b in pairs_apart(system, found.group)[:most]:
        g, breaches = explain(system, found, from_cycles(len(system.atoms), (a, b)))
        if breaches:
            yield (system.atoms[a], system.atoms[b]), g, breaches[0]


def find_missing(model: Model, options: CheckOptions) -> list[dict[str, Any]]:
    """For pages: the two atoms, and where and how they are told apart."""
    system, found = revealed(model, options)
    rows: list[dict[str, Any]] = []
    for pair, _, first in first_breaches(system, found, MOST_TOLD):
        known = first.span.source is not NOWHERE.source
        place = [first.span.file, first.span.line] if known else None
        text = first.span.source.line_text(first.span.line).strip() if known else first.written
        rows.append(
            {
                "pair": [atom.name for atom in pair],
                "at": place,
                "written": text[:LONGEST_TOLD],
                "message": first.message,
            }
        )
    return rows


def find_missing_soon(model: Model, options: CheckOptions, seconds: float) -> tuple[dict[str, Any], ...]:
    """The same, if it is found in so many seconds."""
    if not CAN_FORK:
        return ()
    told = run_isolated(lambda send: send(tuple(find_missing(model, options))), Limits(seconds)).told
    return told[0] if told else ()
