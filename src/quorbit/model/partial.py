"""Which expressions may have no value, so that what is evaluated before them can be seen."""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.model.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Domain,
    Expr,
    Interval,
    Literal,
    NumberOf,
    Quantify,
    Read,
    Use,
)
from quorbit.model.operators import PARTIAL
from quorbit.model.system import System
from quorbit.model.types import NONE, AtomOf, Number
from quorbit.model.walk import parts

Domains = Mapping[str, Domain]


def may_fail(system: System, e: Expr, domains: Domains) -> bool:
    """Whether evaluating e may fault; a safe guess where the types do not tell."""
    match e:
        case Apply(operator) if operator in PARTIAL:
            return True
        case NumberOf() | AtomAt() | Use():
            return True
        case Read() if not stays_inside(system, e, domains):
            return True
        case Quantify(parameter=parameter):
            domains = {**domains, parameter.name: parameter.domain}
    return any(may_fail(system, part, domains) for part in parts(e))


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
