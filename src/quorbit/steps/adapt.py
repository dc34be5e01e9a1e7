"""When adaptive reduction is worth trying, and what it needs. [W07]"""

from __future__ import annotations

import time
from dataclasses import replace

from quorbit.detection.commands.group import describe_steps, group_of_friends, group_of_ring
from quorbit.detection.commands.partition import coarser_share, infer_partitions, naming_share
from quorbit.engines.adaptive.applicable import choose_classes, is_applicable, kinds
from quorbit.engines.select import why_not
from quorbit.groups.group import orbits
from quorbit.groups.partition import Partition, restrict
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import Property, System
from quorbit.report.record import CheckResult, SymmetryResult
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.steps.describe import describe_group
from quorbit.steps.options import CheckOptions
from quorbit.steps.prepare import Prepared
from quorbit.steps.search import Search, limit, search_prepared
from quorbit.steps.watch import Watch, tell

LEAST_SHARE = 0.8  # of the commands must tell fewer processes apart than the System does, for adaptive reduction
MOST_PIECES = 5_000  # of orbits, before adaptive reduction that was not asked for by name is given up


@frozen
class Adaptive:
    """What the adaptive engine needs, and why it is chosen."""

    prepared: Prepared
    note: str


def may_win(search: Search) -> bool:
    """What a glance tells: whether processes are told apart that the engine could permute, and few commands name some
    of an orbit and not the others."""
    if why_not("adaptive", search.model.system, search.asked.properties, search.options.search):
        return False
    system = special_of(search)
    together = orbits_of(search, system)
    classes = choose_classes(system, kinds(system)).permuted
    return not all(cell in together for cell in classes) and naming_share(system, together) <= 1 - LEAST_SHARE


def special_of(search: Search) -> System:
    asked = replace(search.model.system, properties=search.asked.properties)
    return search.prepared.special or specialise(asked)[0]


def orbits_of(search: Search, system: System) -> Partition:
    return restrict(orbits(search.prepared.symmetry.group), range(len(system.atoms)))


def adapt(search: Search) -> CheckResult | None:
    """What adaptive reduction answers, if it is preferred."""
    model, asked, options = search.model, search.asked, search.options
    adaptive = prefer_adaptive(search)
    if adaptive is None:
        return None
    spent = time.monotonic() - search.began + model.parse_seconds
    noted = replace(asked, notes=(*asked.notes, adaptive.note))
    chosen = replace(search, asked=noted, engines=("adaptive",), prepared=adaptive.prepared)
    return search_prepared(limit(chosen, limit_adaptive(options.search, spent)))


def prefer_adaptive(search: Search) -> Adaptive | None:
    """What the adaptive engine needs, if most commands tell fewer processes apart than the System as a whole does."""
    system, prepared = special_of(search), search.prepared
    together = orbits_of(search, system)
    adaptive = prepare_special(system, search.watch, thorough=False)
    assert isinstance(adaptive.guide, Partitions)
    share = coarser_share(adaptive.guide, together)
    if share < LEAST_SHARE:
        return None
    note = (
        f"adaptive reduction was chosen: {share:.0%} of the commands tell fewer processes apart than the model as a"
        " whole; its states are not orbits of the group (--engine explicit for these)"
    )
    used = adaptive.symmetry
    known = replace(prepared.symmetry, strategy=used.strategy, exact=used.exact, reason=used.reason)
    return Adaptive(replace(adaptive, symmetry=known), note)


def limit_adaptive(search: SearchOptions, spent: float) -> SearchOptions:
    """Half the time that is left, so that the usual engine has the other half."""
    timeout = None if search.timeout is None else spent + (search.timeout - spent) / 2
    return replace(search, timeout=timeout, pieces=MOST_PIECES)


def prepare_adaptive(
    system: System,
    properties: tuple[Property, ...],
    options: CheckOptions,
    watch: Watch | None,
) -> Prepared:
    """Infer which processes each command tells apart; those that none does are the symmetry. [W07, 5 and 8]"""
    if options.symmetry == "off":
        raise UserError(None, "the adaptive engine cannot run with --symmetry off")
    began = time.monotonic()
    special = specialise(replace(system, properties=properties))[0]
    prepared = prepare_special(special, watch, thorough=True)
    return replace(prepared, detect_seconds=time.monotonic() - began)


def prepare_special(system: System, watch: Watch | None, thorough: bool) -> Prepared:
    """The same for a specialised System and its own properties."""
    tell(watch, "detect")
    began = time.monotonic()
    partitions = infer_partitions(system, system.properties, thorough)
    rotations = partitions.rotations
    if rotations is not None and is_applicable(system, (rotations.ring,)) is None:
        group, reason = group_of_ring(len(system.atoms), rotations), describe_steps(rotations)
    else:
        group = group_of_friends(len(system.atoms), partitions)
        reason = "processes are told apart only along the paths that do so"
    order, text = describe_group(group)
    names = tuple(a.name for a in system.atoms)
    result = SymmetryResult(group, order, text, "adaptive", True, reason, names, (), system)
    return Prepared(system, result, partitions, time.monotonic() - began, 0.0)
