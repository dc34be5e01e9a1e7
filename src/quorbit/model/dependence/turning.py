"""Whether a case may turn a condition from false to true or back, also where only a part of it is known.

A condition is a function of its innermost comparisons.  Those that the case does not touch have the same truth before
and after it; so entering a critical section cannot bring the number of processes inside down, whoever is inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from quorbit.model.dependence.abstract import (
    Known,
    Values,
    can_be_false,
    can_be_true,
    values_of,
)
from quorbit.model.dependence.access import Places, Reader
from quorbit.model.specialise.simplify import fold, unroll
from quorbit.model.system.expression import FALSE, TRUE, Apply, Atoms, Condition, Expr, Operator, Quantifier, Quantify
from quorbit.model.system.walk import map_parts, parts

O = Operator
COMPARING = (O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER, O.SUBSET)
LOGIC = (O.AND, O.OR, O.NOT)
MOST_LEAVES = 8
MOST_UNROLLED = 24  # values of a quantified parameter


def turns(reader: Reader, e: Expr, writes: Places, before: Known, after: Known) -> tuple[bool, bool]:
    """Whether e, which always has a value, may become true, and whether it may become false."""
    first, last = values_of(reader, e, before), values_of(reader, e, after)
    rises, falls = can_be_false(first) and can_be_true(last), can_be_true(first) and can_be_false(last)
    leaves = list(dict.fromkeys(leaves_of(e)))
    if not (rises or falls) or len(leaves) < 2 or len(leaves) > MOST_LEAVES:
        return rises, falls
    found = set()
    for old, new in assignments(reader, leaves, writes, before, after):
        found.add((truth(reader, e, old), truth(reader, e, new)))
    return rises and may_go(found, 0, 1), falls and may_go(found, 1, 0)


def may_go(found: set[tuple[int | None, int | None]], old: int, new: int) -> bool:
    return any(a in (None, old) and b in (None, new) for a, b in found)


Truths = dict[Expr, int]


def assignments(
    reader: Reader, leaves: list[Expr], writes: Places, before: Known, after: Known
) -> Iterator[tuple[Truths, Truths]]:
    """Truths of the comparisons before and after: untouched ones stay."""
    choices = []
    for leaf in leaves:
        old = truths(values_of(reader, leaf, before))
        if reader.reads(leaf).isdisjoint(writes):
            choices.append([(v, v) for v in old])
        else:
            choices.append([(v, w) for v in old for w in truths(values_of(reader, leaf, after))])
    for choice in product(*choices):
        pairs = list(zip(leaves, choice, strict=True))
        yield {leaf: v for leaf, (v, _) in pairs}, {leaf: w for leaf, (_, w) in pairs}


def truths(values: Values) -> list[int]:
    return [v for v, possible in ((0, can_be_false(values)), (1, can_be_true(values))) if possible]


def truth(reader: Reader, e: Expr, leaves: Truths) -> int | None:
    """The truth of e, given that of its comparisons; None if that is not enough."""
    values = values_of(reader, put(e, leaves), lambda place: None)
    return None if values is None or len({bool(v) for v in values}) != 1 else int(any(values))


def put(e: Expr, leaves: Truths) -> Expr:
    if e in leaves:
        return TRUE if leaves[e] else FALSE
    return map_parts(e, lambda part: put(part, leaves))


def leaves_of(e: Expr) -> Iterator[Expr]:
    """The innermost comparisons, and what else is taken for a truth value."""
    match e:
        case Apply(operator, operands) if operator in LOGIC:
            for part in operands:
                yield from truth_leaves(part)
        case Apply(operator) if operator in COMPARING and not any(has_truths(part) for part in e.operands):
            yield e
        case Condition(test, then, other):
            yield from truth_leaves(test)
            yield from leaves_of(then)
            yield from leaves_of(other)
        case _:
            for part in parts(e):
                yield from leaves_of(part)


def truth_leaves(e: Expr) -> Iterator[Expr]:
    inside = list(leaves_of(e))
    if inside:
        yield from inside
    else:
        yield e


def has_truths(e: Expr) -> bool:
    match e:
        case Condition():
            return True
        case Apply(operator) if operator in LOGIC or operator in COMPARING:
            return True
        case _:
            return any(map(has_truths, parts(e)))


def written_out(e: Expr) -> Expr:
    """e with quantifiers over a few values written out."""
    e = fold(map_parts(e, written_out))
    match e:
        case Quantify(quantifier=Quantifier.ALL | Quantifier.SOME | Quantifier.COUNT, parameter=parameter):
            match parameter.domain:
                case Atoms(atoms) if len(atoms) <= MOST_UNROLLED:
                    return fold(map_parts(unroll(e), fold))
    return e
