"""Which expressions may have no value, so that what is evaluated before them can be seen.

Some operations are safe because of what was found out before: ``0 < size(q) && first(q) == m`` never fails.  Such
*facts* (queues that are not empty) are passed along from left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quorbit.model.meaning.operators import PARTIAL
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Domain,
    Expr,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE, AtomOf, Number
from quorbit.model.system.walk import parts

__all__ = [
    "NOTHING",
    "Domains",
    "Facts",
    "Faults",
    "guarded_blocks",
    "index_inside",
    "learned",
    "may_fail",
    "owner_inside",
]

O = Operator
Domains = Mapping[str, Domain]
Facts = frozenset[Expr]  # queues that are known not to be empty
NOTHING: Facts = frozenset()


def may_fail(system: System, e: Expr, domains: Domains, facts: Facts = NOTHING) -> bool:
    """Whether evaluating e may fault; a safe guess where the types do not tell."""
    match e:
        case Apply((O.FIRST | O.REST), (queue,)) if queue in facts:
            return may_fail(system, queue, domains, facts)
        case Apply((O.MINIMUM | O.MAXIMUM), (Apply(O.SET, (_, *_) as elements),)):
            return any(may_fail(system, element, domains, facts) for element in elements)
        case Apply(operator) if operator in PARTIAL:
            return True
        case Apply(O.AND, operands):
            for operand in operands:
                if may_fail(system, operand, domains, facts):
                    return True
                facts |= learned(operand)
            return False
        case Condition(test, then, other):
            inside = may_fail(system, then, domains, facts | learned(test))
            return may_fail(system, test, domains, facts) or inside or may_fail(system, other, domains, facts)
        case NumberOf(inner, numbering, none=none) if not owner_inside(
            system, inner, numbering if none is None else (*numbering, NONE), domains
        ):
            return True
        case AtomAt() | Use() | Compute():
            return True
        case Read() if not stays_inside(system, e, domains):
            return True
        case Quantify(parameter=parameter):
            domains = {**domains, parameter.name: parameter.domain}
    return any(may_fail(system, part, domains, facts) for part in parts(e))


class Faults:
    """Which expressions without parameters may fault, each worked out once: instances of a command share much."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.known: dict[int, tuple[Expr, bool]] = {}  # by id; the expression is kept, so its id stays its own

    def may_fail(self, e: Expr) -> bool:
        if isinstance(e, Literal):
            return False
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = e, self.find(e)
        return known[1]

    def find(self, e: Expr) -> bool:
        """Where every part is safe by itself the whole is, unless it is one of the few that add a danger."""
        match e:
            case Apply(operator) if operator not in PARTIAL:
                return any(map(self.may_fail, e.operands)) and may_fail(self.system, e, {})
            case Read() if stays_inside(self.system, e, {}):
                return any(map(self.may_fail, e.owners)) or any(map(self.may_fail, e.indices))
            case _:
                return may_fail(self.system, e, {})


def learned(e: Expr) -> Facts:
    """The queues that are not empty if e holds."""
    match e:
        case Apply(O.LESS, (Literal(int(k)), Apply(O.SIZE, (queue,)))) if k >= 0:
            return frozenset([queue])
        case Apply(O.NOT, (Apply(O.EQUAL, (Apply(O.SIZE, (queue,)), Literal(0))),)):
            return frozenset([queue])
        case Apply(O.AND, operands):
            return frozenset().union(*map(learned, operands))
        case _:
            return NOTHING


def guarded_blocks(
    system: System, operands: tuple[Expr, ...], domains: Domains, fails: Callable[[Expr], bool] | None = None
) -> list[tuple[Expr, ...]] | None:
    """The operands of AND in blocks whose order cannot be seen: safe ones alone, others behind what makes them safe.

    None if some operand may fail all the same.  ``fails`` tells what ``may_fail`` does, for a caller who remembers."""
    fails = fails or (lambda e: may_fail(system, e, domains))
    blocks: list[tuple[Expr, ...]] = []
    facts: dict[Expr, Expr] = {}  # queue -> the operand that says it is not empty
    for operand in operands:
        if not fails(operand):
            blocks.append((operand,))
        elif may_fail(system, operand, domains, frozenset(facts)):
            return None
        else:
            needed = [
                by for queue, by in facts.items() if may_fail(system, operand, domains, frozenset(facts) - {queue})
            ]
            blocks.append((*needed, operand))
        facts.update(dict.fromkeys(learned(operand), operand))
    return blocks


def stays_inside(system: System, e: Read, domains: Domains) -> bool:
    """Whether the address of e is always one of its variable's places."""
    variable = system.variable[e.variable]
    owned = all(
        owner_inside(system, owner, atoms, domains) for owner, atoms in zip(e.owners, variable.owners, strict=True)
    )
    return owned and all(
        index_inside(system, index, n, domains) for index, n in zip(e.indices, variable.shape, strict=True)
    )


def owner_inside(system: System, e: Expr, atoms: tuple[int, ...], domains: Domains) -> bool:
    match e:
        case Literal(value):
            return value in atoms
        case Bound(name):
            domain = domains.get(name)
            return isinstance(domain, Atoms) and set(domain.atoms) <= set(atoms)
        case Read(variable):
            type = system.variable[variable].type
            return isinstance(type, AtomOf) and set(possible(type)) <= set(atoms)
        case _:
            return False


def possible(type: AtomOf) -> tuple[int, ...]:
    return (NONE, *type.atoms) if type.optional else type.atoms


def index_inside(system: System, e: Expr, n: int, domains: Domains) -> bool:
    match e:
        case Literal(int(value)):
            return 0 <= value < n
        case Bound(name):
            domain = domains.get(name)
            return isinstance(domain, Interval) and domain.low >= 0 and domain.high < n
        case Read(variable):
            return inside(system.variable[variable].type, n)
        case _:
            return False


def inside(type: object, n: int) -> bool:
    return (
        isinstance(type, Number) and type.low is not None and type.high is not None and type.low >= 0 and type.high < n
    )
