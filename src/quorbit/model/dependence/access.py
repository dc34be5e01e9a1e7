"""Which places an expression reads, and on which of them it depends whether it has a value at all.

An address that is not written down stands for every place it may name: parameters by their domains, anything else by
what the variable has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from quorbit.model.meaning.operators import PARTIAL
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Domain,
    Enabled,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import Value
from quorbit.model.system.walk import domain_expressions, parts

Places = frozenset[int]
Domains = Mapping[str, Domain]
MayFail = Callable[[Expr], bool]
NO_PLACES: Places = frozenset()
NO_DOMAINS: Domains = {}


class Reader:
    """The places that expressions of one System read; expressions without parameters are looked at once."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.everything: Places = frozenset(range(len(system.places)))
        self.by_variable: dict[str, list[tuple[tuple[Value, ...], int]]] = {}
        for i, place in enumerate(system.places):
            self.by_variable.setdefault(place.variable, []).append(((*place.owners, *place.indices), i))
        self.bodies: dict[str, list[tuple[tuple[int, ...], Expr]]] = {}
        for d in system.definitions:
            self.bodies.setdefault(d.name, []).append((d.owners, d.body))
        self.known: dict[int, tuple[Expr, Places]] = {}  # by id; the expression is kept, so its id stays its own
        self.named: dict[int, tuple[Read, int | None]] = {}  # by id too
        self.forms: dict[int, object] = {}  # what turning.py makes of conditions, by id; they are kept there too

    def reads(self, e: Expr, domains: Domains = NO_DOMAINS) -> Places:
        if isinstance(e, Literal | Bound):
            return NO_PLACES
        if domains:
            return self.find_reads(e, domains)
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = e, self.find_reads(e, domains)
        return known[1]

    def find_reads(self, e: Expr, domains: Domains) -> Places:
        match e:
            case Read():
                inner = [self.reads(part, domains) for part in (*e.owners, *e.indices)]
                return self.targets(e, domains).union(*inner)
            case Enabled():
                return self.everything
            case Use(owners=owners):
                inner = [self.reads(part, domains) for part in owners]
                return NO_PLACES.union(*inner, *map(self.reads, self.used_bodies(e)))
            case Quantify(parameter=parameter):
                inside = {**domains, parameter.name: parameter.domain}
                outer = [self.reads(part, domains) for part in domain_expressions(parameter.domain)]
                return NO_PLACES.union(*outer, self.reads(e.condition, inside), self.reads(e.body, inside))
            case _:
                return NO_PLACES.union(*(self.reads(part, domains) for part in parts(e)))

    def used_bodies(self, e: Use) -> Iterator[Expr]:
        """Parameters in a body are those of the command that uses it: any address."""
        for owners, body in self.bodies.get(e.definition, ()):
            if all(not isinstance(o, Literal) or o.value == a for o, a in zip(e.owners, owners, strict=True)):
                yield body

    def targets(self, e: Read, domains: Domains = NO_DOMAINS) -> Places:
        """The places that an address may name."""
        address = (*e.owners, *e.indices)
        if all(isinstance(part, Literal) for part in address):
            i = self.static(e)
            return NO_PLACES if i is None else frozenset((i,))
        tests = [(k, allowed(part, domains)) for k, part in enumerate(address)]
        narrow = [(k, values) for k, values in tests if values is not None]
        found = [i for at, i in self.by_variable.get(e.variable, ()) if all(at[k] in values for k, values in narrow)]
        return frozenset(found)

    def static(self, e: Read) -> int | None:
        """The place whose address is written down; None if it is not or names no place."""
        known = self.named.get(id(e))
        if known is None:
            known = self.named[id(e)] = e, self.find_static(e)
        return known[1]

    def find_static(self, e: Read) -> int | None:
        if not all(isinstance(part, Literal) for part in (*e.owners, *e.indices)):
            return None
        owners, indices = tuple(part.value for part in e.owners), tuple(part.value for part in e.indices)  # type: ignore[union-attr]
        return self.system.index.get((e.variable, owners, indices))  # type: ignore[arg-type]

    def failing_reads(self, e: Expr, may_fail: MayFail) -> Places:
        """The places on which it depends whether e has a value: the contents of an array do not matter, its index
        does; what stands before a dangerous operand decides whether that is looked at."""
        match e:
            case Literal() | Bound():
                return NO_PLACES
            case Read():
                address = (*e.owners, *e.indices)
                inside = [self.reads(p) | self.failing_reads(p, may_fail) for p in address]
                return NO_PLACES.union(*inside)
            case Apply(Operator.AND | Operator.OR, operands):
                found = NO_PLACES.union(*(self.failing_reads(p, may_fail) for p in operands))
                last = max((k for k, p in enumerate(operands) if may_fail(p)), default=0)
                return found.union(*(self.reads(p) for p in operands[:last]))
            case Condition(test, then, other):
                branches = self.failing_reads(then, may_fail) | self.failing_reads(other, may_fail)
                decides = self.reads(test) if may_fail(then) or may_fail(other) else NO_PLACES
                return branches | decides | self.failing_reads(test, may_fail)
            case Apply(operator) if operator not in PARTIAL:
                return NO_PLACES.union(*(self.failing_reads(p, may_fail) for p in e.operands))
            case NumberOf() | AtomAt() | Use() | Quantify() | Otherwise() | Enabled() | Apply() | Compute():
                return self.reads(e)
            case _:
                return NO_PLACES.union(*(self.failing_reads(p, may_fail) for p in parts(e)))


def allowed(part: Expr, domains: Domains) -> frozenset[Value] | None:
    """The values of one part of an address, if they are known."""
    match part:
        case Literal(value):
            return frozenset((value,))
        case Bound(name):
            match domains.get(name):
                case Atoms(atoms) | Fresh(atoms):
                    return frozenset(atoms)
                case Interval(low, high):
                    return frozenset(range(low, high + 1))
    return None
