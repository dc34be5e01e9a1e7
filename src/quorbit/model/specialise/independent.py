"""Start commands whose choices do not meet: the states they lead to as a product.

A start that gives n places any of k values each leads to k^n states; when each value is decided by the membership of a
few atoms in the chosen sets, those of one place need not be tried with those of another.  Conditions join the choices
that they ask for: that one of the atoms of a field is chosen is asked of each field by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Elements,
    Expr,
    Literal,
    Operator,
    Quantify,
    Use,
    conjuncts_of,
)
from quorbit.model.system.system import State
from quorbit.model.system.types import Value
from quorbit.model.system.walk import parts
from quorbit.source.frozen import replace

__all__ = ["Change", "combine", "independent_ways"]

Bit = tuple[str, Value]  # a parameter, and an atom that may be in it
Change = tuple[tuple[int, Value], ...]  # places with their values, where these are not the blank ones
Run = Callable[[Command, State, dict[str, Value]], State]
Holds = Callable[[Expr, State, dict[str, Value]], bool]
Allowed = Callable[[dict[str, Value]], bool]
MOST_BITS = 14  # that are tried together


def independent_ways(run: Run, holds: Holds, command: Command, blank: State) -> list[list[Change]] | None:
    """For each group of places, what a start command may make of it; any way of one goes with any of the others.

    None if all its choices meet or it is of another form.  ``run``: the effect of a command on a state, given its
    parameters; ``holds``: whether a condition does."""
    members = [listed_members(p.domain) for p in command.parameters]
    match command.effect:
        case (Together(assignments),) if all(m is not None for m in members):
            domains = {p.name: m for p, m in zip(command.parameters, members, strict=True) if m is not None}
        case _:
            return None
    if len({a.target for a in assignments}) < len(assignments):
        return None
    conditions = () if command.guard == TRUE else conjuncts_of(command.guard)
    used = [bits_of(a.value, domains) if is_fixed(a) else None for a in assignments]
    used += [bits_of(e, domains) for e in conditions]
    if not all(bits is not None for bits in used):
        return None
    groups = together([bits for bits in used if bits is not None])
    if any(len(bits) > MOST_BITS for _, bits in groups):
        return None
    ways = []
    for numbers, bits in groups:
        assigned = tuple(assignments[k] for k in numbers if k < len(assignments))
        asked = [conditions[k - len(assignments)] for k in numbers if k >= len(assignments)]
        part = replace(command, guard=TRUE, effect=(Together(assigned),))
        ways.append([*dict.fromkeys(changes(run, all_hold(holds, asked, blank), part, bits, blank))])
    return ways


def all_hold(holds: Holds, conditions: Sequence[Expr], s: State) -> Allowed:
    return lambda env: all(holds(e, s, env) for e in conditions)


def listed_members(domain: object) -> frozenset[Value] | None:
    """The atoms of which any set may be chosen."""
    match domain:
        case Elements(set=Apply(Operator.POWERSET, (Apply(Operator.SET, operands),))):
            found = [e.value for e in operands if isinstance(e, Literal)]
            return frozenset(found) if len(found) == len(operands) else None
        case Elements(set=Apply(Operator.POWERSET, (Literal(frozenset() as members),))):
            return members
    return None


def is_fixed(assignment: Assign) -> bool:
    target = assignment.target
    return all(isinstance(part, Literal) for part in (*target.owners, *target.indices))


def bits_of(e: Expr, domains: dict[str, frozenset[Value]]) -> dict[Bit, None] | None:
    """The memberships an expression asks for; None if it asks for anything else of a parameter."""
    found: dict[Bit, None] = {}
    stack = [e]
    while stack:
        match stack.pop():
            case Apply(Operator.MEMBER, (Literal(a), Bound(name))) if name in domains:
                if a in domains[name]:
                    found[name, a] = None
            case Bound() | Use() | Quantify():
                return None
            case part:
                stack += parts(part)
    return found


def together(used: Sequence[dict[Bit, None]]) -> list[tuple[list[int], list[Bit]]]:
    """Assignments that ask for a common membership, by their numbers, with all that they ask for; those that ask for
    none are one group."""
    groups: list[tuple[list[int], dict[Bit, None]]] = [([k for k, bits in enumerate(used) if not bits], {})]
    home: dict[Bit, int] = {}
    for k, bits in ((k, bits) for k, bits in enumerate(used) if bits):
        joined = sorted({home[b] for b in bits if b in home})
        number = joined[0] if joined else len(groups)
        if not joined:
            groups.append(([], {}))
        for other in joined[1:]:
            groups[number][0].extend(groups[other][0])
            groups[number][1].update(groups[other][1])
            groups[other] = ([], {})
        groups[number][0].append(k)
        groups[number][1].update(bits)
        home.update((b, number) for b in groups[number][1])
    return [(sorted(numbers), list(bits)) for numbers, bits in groups if numbers]


def combine(ways: Sequence[Sequence[Change]], blank: State) -> Iterator[State]:
    """Every way of one group with every way of the others; each state once."""
    for chosen in product(*ways):
        s = list(blank)
        for change in chosen:
            for i, value in change:
                s[i] = value
        yield tuple(s)


def changes(run: Run, allowed: Allowed, part: Command, bits: Sequence[Bit], blank: State) -> Iterator[Change]:
    """What the assignments of one group change, for every choice that its conditions allow."""
    for choice in product((0, 1), repeat=len(bits)):
        chosen = [b for b, taken in zip(bits, choice, strict=True) if taken]
        env: dict[str, Value] = {p.name: frozenset(a for name, a in chosen if name == p.name) for p in part.parameters}
        if allowed(env):
            s = run(part, blank, env)
            yield tuple((i, value) for i, (value, before) in enumerate(zip(s, blank, strict=True)) if value != before)
