"""Why a permutation is no symmetry of a model, and the smallest change that would make it one."""

from __future__ import annotations

from quorbit.detection.netlists.extend import extend_mapping, is_circuit
from quorbit.detection.restore import Change, smallest_change
from quorbit.detection.reveal import reveal
from quorbit.detection.why import Breach, extended, why
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.model.system.system import Property, System
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated
from quorbit.steps.ask import asked_together
from quorbit.steps.model import Model, faults_at_the_start
from quorbit.steps.options import CheckOptions

EXTEND_SECONDS = 10.0  # to complete a mapping of some latches


def revealed(model: Model, options: CheckOptions) -> tuple[System, Group]:
    """The System whose atoms ``explain`` permutes: specialised, with the properties asked for; and its symmetries."""
    system, properties = asked_together(model, options)
    with faults_at_the_start():
        special, found = reveal(system, properties)
        return special, found.group


def explain(system: System, group: Group, g: Permutation) -> tuple[Permutation, tuple[Breach, ...]]:
    """The permutation, with what belongs to the atoms it moves, and what breaks it: nothing if it is a symmetry, which
    may have been proved of what steps do and not of how they are written."""
    whole = extended(system, g)
    if contains(build_chain(group), whole):
        return whole, ()
    breaches = why(system, system.properties, whole)
    if breaches and is_circuit(system) and CAN_FORK:
        completed = run_isolated(lambda send: send(extend_mapping(system, g)), Limits(EXTEND_SECONDS)).told
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
