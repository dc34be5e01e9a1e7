"""How many states of the unreduced model the stored ones stand for: the sizes of their orbits, from the orders of their
stabilisers, which the engine counts while it searches (runtime/orbits.h)."""

from __future__ import annotations

import ctypes
from typing import Any

from quorbit.canon.classify import refine_node
from quorbit.canon.plan import Plan
from quorbit.groups.chain import order
from quorbit.groups.group import Group
from quorbit.machine import library
from quorbit.machine.library import u64


def counting_plan(plan: Plan) -> tuple[Plan, int]:
    """A plan for the same group by which stabilisers are counted, and the words that their orders need."""
    group = group_of(plan)
    return Plan(refine_node(group), "exact", True, "counts stabilisers", group), limbs_of(group)


def count_represented(engine: Any, plan: Plan | None, states: int) -> int:
    """The sizes of the orbits of all stored states together."""
    if plan is None or group_of(plan).is_trivial:
        return states
    group = group_of(plan)
    whole, limbs, runtime = order(group), limbs_of(group), library.runtime()
    total = 0
    for worker in range(runtime.qb_workers(engine)):
        orders, counts = ctypes.POINTER(u64)(), ctypes.POINTER(u64)()
        n = runtime.qb_orbit_counts(engine, worker, ctypes.byref(orders), ctypes.byref(counts))
        for k in range(n):
            stabiliser = sum(orders[k * limbs + i] << 64 * i for i in range(limbs))
            total += counts[k] * (whole // stabiliser)
    return total


def limbs_of(group: Group) -> int:
    return order(group).bit_length() // 64 + 1


def group_of(plan: Plan) -> Group:
    if plan.group is None:
        raise AssertionError("a plan that was not made for a group counts no orbits")
    return plan.group
