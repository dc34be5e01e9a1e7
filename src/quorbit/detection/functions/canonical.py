"""One way to write a function of few sources, whatever it was written like.

Sources that may change places form a class; the function then depends only on how many of a class have each value.
It is written as the disjunction of all counts at which it holds (or does not, if these are fewer), as a set of sets of
conditions: a permutation of the sources maps what is written for f to what is written for its image of f.

Short names: f a set of points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations_with_replacement, product
from operator import mul

from quorbit.detection.functions.tables import FieldSource, Grid, Source, Table
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Condition,
    Expr,
    Literal,
    Operator,
    equal,
    negation,
    number,
)

MOST_ENTRIES = 300  # counts that one function is written with
Class = list[int]  # positions of sources


def written(grid: Grid, table: Table) -> Expr | None:
    """The function of a table; None if that takes too many counts."""
    every = list(table.values())
    sets = every[:-1] or every  # the last one is what the others leave
    sources = [i for i in range(len(grid.listed)) if grid.depends(sets, i)]
    classes: list[Class] = []
    for i in sources:
        for members in classes:
            if grid.is_symmetric(sets, members[0], i):
                members.append(i)
                break
        else:
            classes.append([i])
    if table.keys() <= {0, 1}:
        return written_truth(grid, classes, table.get(1, 0))
    *most, last = sorted(table)
    result: Expr = number(last)  # type: ignore[arg-type]
    for value in reversed(most):
        condition = written_truth(grid, classes, table[value])
        if condition is None:
            return None
        result = Condition(condition, number(value), result)  # type: ignore[arg-type]
    return result


def written_truth(grid: Grid, classes: Sequence[Class], f: int) -> Expr | None:
    if f in (0, grid.full):
        return TRUE if f else FALSE
    if is_odd(grid, classes, f):
        return parity_of([grid.listed[i].read for i in classes[0]])
    if is_odd(grid, classes, grid.full ^ f):
        return negation(parity_of([grid.listed[i].read for i in classes[0]]))
    total = 1
    for members in classes:
        total *= counts_of(len(members), len(grid.listed[members[0]].values))
        if total > MOST_ENTRIES:
            return None
    listed = [list(class_values(grid, members)) for members in classes]
    points = map(sum, product(*(offsets(grid, *each) for each in zip(classes, listed, strict=True))))
    held = [bool(f >> point & 1) for point in points]
    is_on = 2 * sum(held) <= len(held)
    said = [
        conditions([grid.listed[i] for i in members], each, is_on)
        for members, each in zip(classes, listed, strict=True)
    ]
    chosen = [list(chain(*each)) for each, holds in zip(product(*said), held, strict=True) if holds == is_on]
    return any_of([all_of(each) for each in chosen]) if is_on else all_of([any_of(each) for each in chosen])


def is_odd(grid: Grid, classes: Sequence[Class], f: int) -> bool:
    """Whether f holds where an odd number of some bits is 1."""
    first = grid.listed[classes[0][0]]
    if len(classes) != 1 or len(classes[0]) < 3 or len(first.values) != 2 or isinstance(first, FieldSource):
        return False
    odd = 0
    for i in classes[0]:
        odd ^= grid.at[i][1]
    return odd == f


def counts_of(members: int, values: int) -> int:
    """In how many ways members may have values, if it does not matter which member has which."""
    total = 1
    for k in range(values - 1):
        total = total * (members + k + 1) // (k + 1)
    return total


def class_values(grid: Grid, members: Class) -> Iterator[tuple[int, ...]]:
    """The numbers of the values that the members have, in order."""
    return combinations_with_replacement(range(len(grid.listed[members[0]].values)), len(members))


def offsets(grid: Grid, members: Class, listed: Sequence[tuple[int, ...]]) -> list[int]:
    """What the values of the members add to the number of a point."""
    strides = [grid.strides[i] for i in members]
    return [sum(map(mul, strides, at)) for at in listed]


def conditions(
    members: Sequence[Source | FieldSource], listed: Sequence[tuple[int, ...]], wanted: bool
) -> list[list[Expr]]:
    """For each of the ways in which some members have values what it takes, or what excludes it."""
    if len(members) == 1:
        return [[e] for e in (members[0].tests if wanted else members[0].negations)]
    said = [list(counted(members, at)) for at in listed]
    return said if wanted else [list(map(opposite_of, each)) for each in said]


def counted(members: Sequence[Source | FieldSource], at: tuple[int, ...]) -> Iterator[Expr]:
    """That as many of the members have each value as ``at`` says."""
    for a in range(len(members[0].values)):
        count = at.count(a)
        if count in (0, len(members)):
            yield from (s.tests[a] if count else s.negations[a] for s in members)
        else:
            yield equal(Apply(Operator.ADD, tuple([s.tests[a] for s in members])), number(count))


# Conjunctions and disjunctions of numbers 0 and 1, flat; negations next to what is not one.


def all_of(operands: Sequence[Expr]) -> Expr:
    return joined(Operator.BIT_AND, operands, TRUE, FALSE)


def any_of(operands: Sequence[Expr]) -> Expr:
    return joined(Operator.BIT_OR, operands, FALSE, TRUE)


def joined(operator: Operator, operands: Sequence[Expr], neutral: Expr, absorbing: Expr) -> Expr:
    kept: dict[int, Expr] = {}
    for operand in operands:
        for e in operand.operands if isinstance(operand, Apply) and operand.operator is operator else (operand,):
            if not isinstance(e, Literal):
                kept[id(e)] = e
            elif e == absorbing:
                return absorbing
            elif e != neutral:
                kept[id(e)] = e
    if len(kept) > 1:
        return Apply(operator, tuple(kept.values()))
    return next(iter(kept.values()), neutral)


def opposite_of(e: Expr) -> Expr:
    match e:
        case Apply(Operator.NOT, (operand,)):
            return operand
        case Apply(Operator.BIT_AND, operands):
            return any_of([opposite_of(operand) for operand in operands])
        case Apply(Operator.BIT_OR, operands):
            return all_of([opposite_of(operand) for operand in operands])
    if e in (TRUE, FALSE):
        return FALSE if e == TRUE else TRUE
    return negation(e)


def parity_of(operands: Sequence[Expr]) -> Expr:
    return Apply(Operator.BIT_XOR, tuple(operands))
