"""A group by itself: its order and structure, and the plan for one number per point; and the symmetry of what has no
states, a circuit without latches."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.canon.classify import classify
from quorbit.canon.layout import vector_layout
from quorbit.canon.minimise import minimise
from quorbit.canon.plan import Plan
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.groups.reach import BeyondReach
from quorbit.groups.structure import Structure, describe, structure, structure_order
from quorbit.model.system.system import State
from quorbit.pipeline.load import Model
from quorbit.report.record import Found

__all__ = ["describe_group", "minimise_vector", "plan_vector"]

NO_LATCHES = "there are no latches, so the symmetry is that of the outputs as functions of the inputs"


def describe_group(group: Group) -> tuple[int | None, str]:
    """Order and structure; None and "unknown" if they are beyond reach."""
    return describe_structure(find_structure(group))


def find_structure(group: Group) -> Structure | None:
    """None if it is beyond reach."""
    try:
        return structure(group)
    except BeyondReach:
        return None


def describe_structure(shape: Structure | None) -> tuple[int | None, str]:
    try:
        return (None, "unknown") if shape is None else (structure_order(shape), describe(shape))
    except BeyondReach:
        return None, "unknown"


def plan_vector(group: Group, strategy: str = "auto") -> Plan:
    """The plan for a group by itself, acting on one number per point. [DM09, Def. 1]"""
    return classify(vector_layout(group.degree), group, strategy)


def minimise_vector(group: Group, vector: Sequence[int], strategy: str = "auto") -> tuple[State, Permutation]:
    """The representative of a vector of numbers, and the permutation that leads to it."""
    return minimise(vector_layout(group.degree), plan_vector(group, strategy), tuple(vector))


def symmetry_of_outputs(model: Model) -> Found | None:
    """None if the model has states, or no netlist."""
    from quorbit.detection.netlists.joined_graph import Kept, join_graphs, latch_group

    if model.circuit is None or model.system.places:
        return None
    netlist = model.circuit.netlist
    group = latch_group(join_graphs(netlist, Kept((), ())))
    return Found(group, *describe_group(group), "none", True, NO_LATCHES, netlist.inputs, system=model.system)
