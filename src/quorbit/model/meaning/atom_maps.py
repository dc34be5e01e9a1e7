"""Arithmetic on the number of one atom, read as what it does: a map from atoms to atoms.

``(number of x + 1) % 3`` as an atom looks inside x, but all that it tells of the atoms is who comes after whom.
Written as pairs, it is kept by the permutations that keep those: by the rotations of a ring.
"""

from __future__ import annotations

from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import AtomAt, Expr, Literal, NumberOf, number
from quorbit.model.system.types import NONE
from quorbit.model.system.walk import map_parts, parts

Pairs = tuple[tuple[int, int], ...]


def atom_map(e: AtomAt) -> tuple[Expr, Pairs] | None:
    """The atom that e looks at, and where e leads from each atom that it may be; None if e depends on more, if it does
    not lead somewhere from everywhere, or if it is a plain numbering."""
    numbered = the_number_in(e.number)
    if numbered is None or numbered is e.number or numbered.none is not None:
        return None
    found: list[tuple[int, int]] = []
    for k, a in enumerate(numbered.numbering):
        led = fold(AtomAt(with_number(e.number, numbered, numbered.first + k), e.numbering, e.first, e.none))
        if a == NONE or not isinstance(led, Literal) or not isinstance(led.value, int) or led.value == NONE:
            return None
        found.append((a, led.value))
    return numbered.atom, tuple(found)


def the_number_in(e: Expr) -> NumberOf | None:
    """The one number of an atom on which e depends; None if there is none, or something else."""
    if isinstance(e, NumberOf):
        return e
    inside = [part for part in parts(e) if not isinstance(part, Literal)]
    found = [the_number_in(part) for part in inside]
    first = found[0] if found else None
    return first if first is not None and all(other == first for other in found) else None


def with_number(e: Expr, numbered: NumberOf, value: int) -> Expr:
    if e == numbered:
        return number(value)
    return fold(map_parts(e, lambda part: with_number(part, numbered, value)))
