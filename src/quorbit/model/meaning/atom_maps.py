"""Arithmetic on the number of one atom, read as what it does: a map from atoms to atoms.

``(number of x + 1) % 3`` as an atom looks inside x, but all that it tells of the atoms is who comes after whom.
Written as pairs, it is kept by the permutations that keep those: by the rotations of a ring.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import AtomAt, Expr, Literal, NumberOf, Read, atom
from quorbit.model.system.system import Variable
from quorbit.model.system.types import NONE, AtomOf
from quorbit.model.system.walk import map_parts, parts, walk

__all__ = ["atom_map"]

Pairs = tuple[tuple[int, int], ...]


def atom_map(e: AtomAt, variables: Mapping[str, Variable]) -> tuple[Expr, Pairs] | None:
    """The atom that e looks at, and where e leads from each atom that it may be, and from NONE; None if e depends on
    more, if it does not lead somewhere from everywhere, or if it is a plain numbering."""
    numbered = next((part for part in walk(e.number) if isinstance(part, NumberOf)), None)
    if numbered is None or numbered is e.number or not is_numbered(e.number, numbered, variables):
        return None
    places = [a for a in numbered.numbering if a != NONE] + ([] if numbered.none is None else [NONE])
    found: list[tuple[int, int]] = []
    for a in places:
        led = with_atom(e, numbered.atom, a)
        if not isinstance(led, Literal) or not isinstance(led.value, int):
            return None
        found.append((a, led.value))
    return numbered.atom, tuple(found)


def is_numbered(e: Expr, numbered: NumberOf, variables: Mapping[str, Variable]) -> bool:
    """Whether e has no value where the atom has no number: it is looked at by its number alone, or surely has one."""
    if e == numbered:
        return True
    if e != numbered.atom:
        return all(is_numbered(part, numbered, variables) for part in parts(e))
    type = variables[e.variable].type if isinstance(e, Read) and e.variable in variables else None
    if not isinstance(type, AtomOf) or (type.optional and numbered.none is None):
        return False
    return set(type.atoms) <= set(numbered.numbering)


def with_atom(e: Expr, place: Expr, a: int) -> Expr:
    """e where the place holds an atom, folded."""
    return atom(a) if e == place else fold(map_parts(e, lambda part: with_atom(part, place, a)))
