"""The properties of a model: invariants, assertions, deadlock; what should be reachable, and stay so."""

from __future__ import annotations

from quorbit.languages.murphi.lower.rules import Rules, Stated, for_all
from quorbit.model.system.expression import Expr, Literal, Quantify
from quorbit.model.system.expression import Quantifier as Kind
from quorbit.model.system.formula import AllPaths, Always, Eventually, Proposition, SomePath
from quorbit.model.system.properties import to_reach
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, Temporal


def lower_properties(rules: Rules) -> tuple[Property, ...]:
    found: list[Property] = []
    taken: set[str] = set()
    for stated in rules.stated:
        if stated.kind == "assume":
            continue
        name = unique(stated.name or f"{stated.kind} {len(found) + 1}", taken)
        found.append(lower_stated(stated, name))
    return (*found, Assertions(), NoDeadlock(stuttering=True))


def unique(name: str, taken: set[str]) -> str:
    found, k = name, 1
    while found in taken:
        k += 1
        found = f"{name} ({k})"
    taken.add(found)
    return found


def lower_stated(stated: Stated, name: str) -> Property:
    match stated.kind:
        case "cover":
            return to_reach(name, for_some(stated), stated.span)
        case "liveness":
            stays = AllPaths(Always(SomePath(Eventually(Proposition(for_all(stated))))))
            return Temporal(name, stays, stated.span)
        case _:
            return Invariant(name, for_all(stated), f'invariant "{name}" fails', span=stated.span)


def for_some(stated: Stated) -> Expr:
    condition = stated.condition
    for parameter in reversed(stated.parameters):
        if not isinstance(condition, Literal):
            condition = Quantify(Kind.SOME, parameter, condition, span=stated.span)
    return condition
