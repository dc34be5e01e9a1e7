"""Conditions that depend only on how many processes there are of some kind: the kernel evaluates them by counting.

A *counter* says of how many processes of a set a clause about the local state is true, or just whether there is one;
``forall`` asks whether there is one that violates it.  The moving process may be left out (``forall j != i``).  What is
left of the condition, the counters taken out, depends on the shared part and the moving process's letter.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.engines.adaptive.forms import is_local, reads_state, rename
from quorbit.engines.adaptive.shape import Shape
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Operator,
    Quantifier,
    Quantify,
    conjunction,
    negation,
)
from quorbit.model.system.walk import map_parts, walk
from quorbit.source.frozen import frozen

COMPARISONS = (Operator.EQUAL, Operator.LESS, Operator.LESS_EQUAL)


@frozen
class Counter:
    """``clause`` is about the process NAME; ``clipped``: only whether it is true of one."""

    clause: Expr
    members: frozenset[int]
    clipped: bool
    without_self: bool


@frozen
class Counted:
    """The counters of a condition; ``by_letter``: it depends on the moving process's local state, ``by_cell``: and on

    which process that is."""

    counters: tuple[Counter, ...] = ()
    by_letter: bool = False
    by_cell: bool = False


def counted_of(shape: Shape, e: Expr, own: str | None, movers: frozenset[int]) -> Counted | None:
    """The condition as counters, if it is one.  ``own``: the name of the moving process, one of ``movers``."""
    counters: list[Counter] = []
    bare = without_static(shape, e, own)
    rest = take_out(shape, bare, own, movers, counters)
    if not is_local(shape, rest, own):
        return None
    by_cell = bare != e
    named = by_cell or any(isinstance(part, Bound) and part.name == own for part in walk(rest))
    return Counted(tuple(counters), named or any(c.without_self for c in counters), by_cell)


def without_static(shape: Shape, e: Expr, own: str | None) -> Expr:
    """The condition with TRUE in place of what it says about which process the moving one is."""
    if own is None or isinstance(e, Quantify):
        return e
    names = {part.name for part in walk(e) if isinstance(part, Bound)}
    if isinstance(e, Apply) and e.operator in COMPARISONS and names == {own} and not reads_state(shape, e):
        return TRUE
    return map_parts(e, lambda part: without_static(shape, part, own))


def take_out(shape: Shape, e: Expr, own: str | None, movers: frozenset[int], counters: list[Counter]) -> Expr:
    """The condition with TRUE in place of its counters."""
    if isinstance(e, Quantify) and (counter := counter_of(shape, e, own, movers)) is not None:
        counters.append(counter)
        return TRUE
    return map_parts(e, lambda part: take_out(shape, part, own, movers, counters))


def counter_of(shape: Shape, e: Quantify, own: str | None, movers: frozenset[int]) -> Counter | None:
    domain, name = e.parameter.domain, e.parameter.name
    if not isinstance(domain, Atoms) or not all(a in shape.process for a in domain.atoms) or name == own:
        return None
    match e.quantifier:
        case Quantifier.ALL:
            said = [*clauses(e.condition), *negated_clauses(e.body)]
        case Quantifier.SOME | Quantifier.COUNT:
            said = [*clauses(e.condition), *clauses(e.body)]
        case _:
            return None
    others = [clause for clause in said if not is_other(clause, name, own)]
    if not all(is_local(shape, clause, name) for clause in others):
        return None
    members = frozenset(shape.process[a] for a in domain.atoms)
    without_self = len(others) < len(said)
    if without_self and not (movers <= members or movers.isdisjoint(members)):
        return None
    clause = rename(conjunction(others), name)
    return Counter(clause, members, e.quantifier is not Quantifier.COUNT, without_self and movers <= members)


def clauses(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Apply) and e.operator is Operator.AND:
        for part in e.operands:
            yield from clauses(part)
    elif e != TRUE:
        yield e


def negated_clauses(e: Expr) -> Iterator[Expr]:
    """The clauses of NOT e."""
    match e:
        case Apply(Operator.OR, operands):
            for part in operands:
                yield from negated_clauses(part)
        case Apply(Operator.NOT, (inner,)):
            yield from clauses(inner)
        case _:
            yield negation(e)


def is_other(e: Expr, name: str, own: str | None) -> bool:
    """Whether it says that the counted process is not the moving one."""
    match e:
        case Apply(Operator.NOT, (Apply(Operator.EQUAL, (Bound(a), Bound(b))),)) if own is not None:
            return {a, b} == {name, own}
        case _:
            return False
