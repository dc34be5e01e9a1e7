"""Which processes each command tells apart: what guides the adaptive engine. [W07, 5 and 8]"""

from __future__ import annotations

from quorbit.detection.commands.group import describe_steps, group_of_friends, group_of_ring
from quorbit.detection.commands.partition import coarser_share, infer_partitions, naming_share
from quorbit.engines.adaptive.applicable import choose_classes, is_applicable, kinds
from quorbit.groups.group import orbits
from quorbit.groups.partition import Partition, restrict
from quorbit.pipeline.case import Case
from quorbit.pipeline.describe import describe_group
from quorbit.report.record import Found
from quorbit.source.frozen import replace

LEAST_SHARE = 0.8  # of the commands must tell fewer processes apart than the System does, for adaptive reduction


def infer(case: Case, thorough: bool) -> Case:
    """The partitions of a specialised System; the processes that no command tells apart are the symmetry."""
    system = case.system
    partitions = infer_partitions(system, system.properties, thorough)
    rotations = partitions.rotations
    if rotations is not None and is_applicable(system, (rotations.ring,)) is None:
        group, reason = group_of_ring(len(system.atoms), rotations), describe_steps(rotations)
    else:
        group = group_of_friends(len(system.atoms), partitions)
        reason = "processes are distinguished only on paths that distinguish them"
    names = tuple(a.name for a in system.atoms)
    found = Found(group, *describe_group(group), "adaptive", True, reason, names, (), system)
    return replace(case, partitions=partitions, symmetry=found)


def names_few(case: Case) -> bool:
    """What a glance tells: whether processes are told apart that the engine could permute, and few commands name some
    of an orbit and not the others."""
    assert case.special is not None
    system, together = case.special.system, orbits_of(case)
    classes = choose_classes(system, kinds(system)).permuted
    return not all(cell in together for cell in classes) and naming_share(system, together) <= 1 - LEAST_SHARE


def prefer(case: Case) -> tuple[Case | None, str]:
    """What the adaptive engine needs, if most commands tell fewer processes apart than the System as a whole does, and
    it can permute what the commands leave together: smaller classes than those of a glance may all be in the way."""
    assert case.special is not None
    with case.steps.step("detect"):
        adaptive = infer(replace(case, system=case.special.system, plan=None, layout=None), thorough=False)
    assert adaptive.partitions is not None
    share = coarser_share(adaptive.partitions, orbits_of(case))
    if share < LEAST_SHARE or is_applicable(adaptive.system, adaptive.partitions.classes) is not None:
        return None, ""
    note = (
        f"adaptive reduction was chosen: {share:.0%} of the commands tell fewer processes apart than the model as a"
        " whole; its states are not orbits of the group (--engine explicit for these)"
    )
    used, known = adaptive.symmetry, case.symmetry
    assert isinstance(used, Found)
    assert isinstance(known, Found)
    told = replace(known, strategy=used.strategy, exact=used.exact, reason=used.reason)
    return replace(adaptive, symmetry=told), note


def orbits_of(case: Case) -> Partition:
    assert case.special is not None
    assert case.found is not None
    return restrict(orbits(case.found.group), range(len(case.special.system.atoms)))
