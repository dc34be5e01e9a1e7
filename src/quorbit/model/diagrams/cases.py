"""Values that depend on the state: for every possible value the condition (a BDD) under which it is the value.

The conditions of one value exclude each other; together they cover everything (up to states that do not exist, or that
nobody asks about).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from quorbit.bdd.function import Manager
from quorbit.model.system.types import Value

__all__ = ["Bdd", "Cases", "Unsupported", "constant", "merge"]

Bdd = Any
Cases = Mapping[Value, Bdd]
MOST_CASES = 1 << 14


class Unsupported(Exception):
    """The model says something that is not encoded as diagrams; the message says what."""


def constant(m: Manager, value: Value) -> Cases:
    return {value: m.true}


def of_truth(m: Manager, f: Bdd) -> Cases:
    """0 or 1, as f says."""
    return {value: g for value, g in ((0, ~f), (1, f)) if g != m.false}


def truth(m: Manager, cases: Cases) -> Bdd:
    """The condition under which the value is not 0."""
    if set(cases) <= {0, 1}:
        return cases.get(1, m.false)
    return m.disjunction(f for value, f in cases.items() if value)


def choose(m: Manager, condition: Bdd, then: Cases, otherwise: Cases) -> Cases:
    """One value if the condition holds, else the other."""
    if condition == m.true or condition == m.false:
        return then if condition == m.true else otherwise
    merged: dict[Value, Bdd] = {value: condition & f for value, f in then.items()}
    for value, f in otherwise.items():
        merged[value] = merged.get(value, m.false) | (~condition & f)
    return {value: f for value, f in merged.items() if f != m.false}


def combine(m: Manager, operands: Sequence[Cases], meaning: Callable[..., Value], where: Bdd) -> Cases:
    """A function applied to every combination of values that there is in the states ``where``."""
    total = 1
    for cases in operands:
        total *= len(cases)
    if total > MOST_CASES:
        raise Unsupported(f"an operation on {total} combinations of values")
    found: dict[Value, Bdd] = {}
    for combination in product(*(cases.items() for cases in operands)):
        condition = m.conjunction(f for _, f in combination)
        if where != m.true:
            condition = condition & where
        if condition != m.false:
            value = meaning(*(v for v, _ in combination))
            found[value] = found.get(value, m.false) | condition
    return found


def merge(m: Manager, chosen: Iterable[tuple[Bdd, Cases]]) -> Cases:
    """One of several values, each under its condition."""
    merged: dict[Value, Bdd] = {}
    for condition, cases in chosen:
        for value, f in cases.items():
            merged[value] = merged.get(value, m.false) | (condition & f)
    return {value: f for value, f in merged.items() if f != m.false}


def equal(m: Manager, left: Cases, right: Cases) -> Bdd:
    return m.disjunction(f & right[value] for value, f in left.items() if value in right)
