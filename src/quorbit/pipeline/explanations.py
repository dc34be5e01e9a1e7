"""Why a permutation is no symmetry of a model, and the smallest change that would make it one."""

from __future__ import annotations

from quorbit.detection.detect import Symmetry
from quorbit.detection.netlists.differences import Apart, tell_apart
from quorbit.detection.netlists.extend import extend_mapping
from quorbit.detection.restore import Change, smallest_change
from quorbit.detection.reveal import reveal
from quorbit.detection.why import Breach, extended, why
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.languages.registry import language_of
from quorbit.model.system.system import Property, System
from quorbit.pipeline.load import Model, faults_at_the_start
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask_together
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated

__all__ = ["explain", "restoring_change", "revealed", "tell_pairs_apart"]

MOST_COMPARED = 4  # pairs of latches or inputs that are looked at to see where they differ
EXTEND_SECONDS = 10.0  # to complete a mapping of some latches


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
