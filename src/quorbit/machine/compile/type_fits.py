"""Whether an expression has values of a type by the types of what it is made of.

Needed for sets and queues that hold atoms: their bits have room for atoms that the type does not list, and looking for
such an atom in every value that is stored would cost more than the whole rest.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Compute,
    Condition,
    Domain,
    Elements,
    Expr,
    Fresh,
    Literal,
    Operator,
    Otherwise,
    Part,
    Read,
    Use,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE, AtomOf, QueueOf, SetOf, TupleOf, Type, contains, mentions_atoms

__all__ = ["is_within"]

O = Operator
Domains = Mapping[str, Domain]


def is_within(system: System, e: Expr, type: Type, domains: Domains) -> bool:
    """Whether every atom in a value of e is one that the type lists; numbers are not looked at."""
    if not mentions_atoms(type) and not isinstance(type, AtomOf):
        return True
    match e, type:
        case Literal(value, own), _:
            return contains(type, value) or fits(own, type)
        case Bound(name), _:
            return name in domains and domain_fits(domains[name], type)
        case Condition(_, then, other), _:
            return is_within(system, then, type, domains) and is_within(system, other, type, domains)
        case Otherwise(body, other), _:
            return is_within(system, body, type, domains) and is_within(system, other, type, domains)
        case Compute(type=own), _:
            return fits(own, type)
        case Use(name), _:
            return all(is_within(system, d.body, type, {}) for d in system.definitions if d.name == name)
        case Apply(O.TUPLE, operands), TupleOf(parts):
            return all(is_within(system, a, t, domains) for a, t in zip(operands, parts, strict=True))
        case Apply((O.SET | O.QUEUE), operands), (SetOf(element) | QueueOf(element)):
            return all(is_within(system, a, element, domains) for a in operands)
        case Apply((O.APPEND | O.INSERT_SORTED), (queue, message)), QueueOf(inner):
            return is_within(system, queue, type, domains) and is_within(system, message, inner, domains)
        case Apply((O.PRESENT | O.REST | O.WITHOUT | O.DIFFERENCE | O.INTERSECTION), (whole, *_)), _:
            return is_within(system, whole, type, domains)
        case Apply(O.UNION, operands), _:
            return all(is_within(system, a, type, domains) for a in operands)
        case _:
            own_type = type_of(system, e)
            return own_type is not None and fits(own_type, type)


def type_of(system: System, e: Expr) -> Type | None:
    """The type of what is read from a place, or from inside one."""
    match e:
        case Read(variable):
            return system.variable[variable].type
        case Part(whole, k):
            outer = type_of(system, whole)
            return outer.parts[k] if isinstance(outer, TupleOf) else None
        case Apply((O.FIRST | O.ELEMENT), (queue, *_)):
            outer = type_of(system, queue)
            return outer.message if isinstance(outer, QueueOf) else None
        case _:
            return None


def fits(own: Type, type: Type) -> bool:
    """Whether the atoms of one type are all in the other."""
    match own, type:
        case AtomOf(atoms, optional), AtomOf(listed, may_be_none):
            return set(atoms) <= set(listed) and (may_be_none or not optional)
        case TupleOf(parts), TupleOf(others):
            return len(parts) == len(others) and all(map(fits, parts, others))
        case (SetOf(a), SetOf(b)) | (QueueOf(a), QueueOf(b)):
            return fits(a, b)
        case _:
            return not mentions_atoms(type) and not isinstance(type, AtomOf)


def domain_fits(domain: Domain, type: Type) -> bool:
    match domain:
        case Atoms(atoms) | Fresh(atoms):
            real = tuple(a for a in atoms if a != NONE)
            return fits(AtomOf(real, len(real) < len(atoms)), type)
        case Elements(type=own):
            return fits(own, type)
        case _:
            return False
