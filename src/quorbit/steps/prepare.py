"""System -> Group -> Plan: find the symmetry that the properties asked for leave, and how an engine will use it."""

from __future__ import annotations

import time
from dataclasses import replace

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.plan import Plan
from quorbit.detection.detect import Symmetry, keeping_the_start
from quorbit.detection.reveal import reveal
from quorbit.groups.group import Group, trivial
from quorbit.groups.reach import BeyondReach
from quorbit.model.specialise.specialise import searchable, settle
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import Property, System
from quorbit.report.record import SymmetryResult
from quorbit.source.frozen import frozen
from quorbit.steps.describe import describe_group
from quorbit.steps.options import CheckOptions
from quorbit.steps.watch import Watch, tell


@frozen
class Prepared:
    """The System to search (its properties are those asked for), the symmetry that allows, what guides the engine, and
    the seconds both took."""

    system: System
    symmetry: SymmetryResult
    guide: Plan | Partitions | None
    detect_seconds: float
    classify_seconds: float
    special: System | None = None  # the System that detection began with, specialised for the properties


def prepare(system: System, properties: tuple[Property, ...], options: CheckOptions, watch: Watch | None) -> Prepared:
    """Detect the symmetry and choose the plan, unless symmetry is off."""
    if options.symmetry == "off":
        return Prepared(settle(replace(system, properties=properties)), no_symmetry(system), None, 0.0, 0.0)
    tell(watch, "detect")
    began = time.monotonic()
    system, found = reveal(system, properties)
    if options.search.represented and found.moving:  # how many states of an orbit are reached is known of these only
        found = replace(found, group=keeping_the_start(system, found), moving=())
    system = searchable(system) if found.grounded is None or system.count_once else found.grounded
    detected = time.monotonic()
    tell(watch, "classify")
    names = tuple(a.name for a in system.atoms)
    try:
        plan = classify(layout_of(system), found.group, options.strategy)
        result = replace(
            describe_symmetry(found.group, plan, names, found.notes, system),
            moving=found.moving,
            composed=found.composed,
        )
    except BeyondReach as reason:
        result = beyond_reach(found, names, system, str(reason))
        return Prepared(system, result, None, detected - began, time.monotonic() - detected)
    used = None if found.group.is_trivial else plan
    return Prepared(system, result, used, detected - began, time.monotonic() - detected, found.special)


def beyond_reach(found: Symmetry, names: tuple[str, ...], system: System, reason: str) -> SymmetryResult:
    """A group that is found and cannot be used."""
    notes = (*found.notes, f"the symmetry is not used: {reason}")
    order, text = describe_group(found.group)
    return SymmetryResult(found.group, order, text, "none", True, "every state represents itself", names, notes, system)


def no_symmetry(system: System, reason: str = "symmetry is off, every state represents itself") -> SymmetryResult:
    names = tuple(a.name for a in system.atoms)
    return SymmetryResult(trivial(len(names)), 1, "trivial", "none", True, reason, names, system=system)


def describe_symmetry(
    group: Group,
    plan: Plan,
    names: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
    system: System | None = None,
) -> SymmetryResult:
    order, structure_text = describe_group(group)
    return SymmetryResult(group, order, structure_text, plan.name, plan.exact, plan.reason, names, notes, system)
