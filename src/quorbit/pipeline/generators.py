"""Symmetries that spare work where several formulas may be images of each other; looked for only for a moment."""

from __future__ import annotations

from dataclasses import replace

from quorbit.detection.detect import detect, keeping_the_start
from quorbit.groups.group import Group
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.case import Case
from quorbit.pipeline.describe import describe_group
from quorbit.report.record import Found, NotLookedFor
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated

SECONDS = 2.0  # of computing


def find_generators(case: Case) -> Case:
    """The symmetries of the System alone, if two or more formulas are asked about."""
    if sum(isinstance(p, Temporal) for p in case.system.properties) < 2 or not CAN_FORK:
        return replace(case, symmetry=NotLookedFor("the symbolic engine does not use plans", case.system))
    found = run_isolated(lambda send: send(described(case.system)), Limits(case.options.search.timeout, SECONDS)).told
    if not found:
        return replace(case, symmetry=NotLookedFor(f"no symmetry was found within {SECONDS:g} s", case.system))
    return replace(case, generators=tuple(found[0].group.generators), symmetry=found[0])


def described(system: System) -> Found:
    group: Group = keeping_the_start(system, detect(system, ()))
    reason = "formulas that are images of each other are answered once"
    names = tuple(a.name for a in system.atoms)
    return Found(group, *describe_group(group), "formulas", True, reason, names, (), system)
