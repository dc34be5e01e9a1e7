"""One type of formula for LTL, CTL and CTL*: what a property says about the runs of a system.

The leaves are `Proposition`s: hashable expressions of the model's language that are true or false in one state.  The
functions here know nothing of what is inside an expression; who does (substitution, permutation) passes a function.
Conjunction and disjunction take any number of operands, because their order cannot be seen and the symmetries of a
formula live in exactly that freedom ([M97, 2.2.4]).

A formula is a *state* formula if its truth depends on a state alone (`is_state_formula`), an LTL formula if it has no
path quantifier (`is_ltl`; the property is then meant for all runs), a CTL formula if every temporal operator stands
directly under a path quantifier (`is_ctl`).  Quantifiers over the atoms of a sort (`ForAll`, `Exists`) stand for finite
conjunctions and disjunctions; `expand_quantifiers` writes them out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from quorbit.source.frozen import frozen, replace

__all__ = [
    "TEMPORAL",
    "TRUE",
    "Accepted",
    "AllPaths",
    "Always",
    "And",
    "Eventually",
    "Exists",
    "ForAll",
    "Formula",
    "Iff",
    "Implies",
    "Next",
    "Not",
    "Or",
    "Proposition",
    "Release",
    "SomePath",
    "Truth",
    "Until",
    "WeakUntil",
    "children",
    "conjoin",
    "disjoin",
    "expand_quantifiers",
    "map_propositions",
    "negate",
    "propositions",
    "walk",
    "with_children",
]


@frozen
class Proposition:
    """An expression of the model that is true or false in one state."""

    expression: Hashable


@frozen
class Truth:
    value: bool


@frozen
class Not:
    operand: Formula


@frozen
class And:
    operands: tuple[Formula, ...]


@frozen
class Or:
    operands: tuple[Formula, ...]


@frozen
class Implies:
    left: Formula
    right: Formula


@frozen
class Iff:
    left: Formula
    right: Formula


@frozen
class Next:
    operand: Formula


@frozen
class Eventually:
    operand: Formula


@frozen
class Always:
    operand: Formula


@frozen
class Until:
    """left holds until right does, and right does hold at some time."""

    left: Formula
    right: Formula


@frozen
class WeakUntil:
    """left holds until right does, or forever."""

    left: Formula
    right: Formula


@frozen
class Release:
    """right holds up to and including the first moment at which left does, or forever (SPIN's V)."""

    left: Formula
    right: Formula


@frozen
class AllPaths:
    """On every path from the present state."""

    operand: Formula


@frozen
class SomePath:
    """On at least one path from the present state."""

    operand: Formula


@frozen
class ForAll:
    """The body for every atom of the sort; an empty sort is left to the model's language to infer."""

    variable: str
    sort: str
    body: Formula


@frozen
class Exists:
    variable: str
    sort: str
    body: Formula


@frozen
class Accepted:
    """A Büchi automaton accepts the path: its states are numbers, it begins in 0, and edge k leads from edges[k][0] to
    edges[k][1] when guards[k], a propositional formula, holds in the state of the path that it leaves.

    A path that ends goes on by stuttering; with ``endless`` such a path is not accepted.
    """

    guards: tuple[Formula, ...]
    edges: tuple[tuple[int, int], ...]
    accepting: tuple[int, ...]
    endless: bool = False


Nary = And | Or
Unary = Not | Next | Eventually | Always | AllPaths | SomePath
Binary = Implies | Iff | Until | WeakUntil | Release
Quantified = ForAll | Exists
Formula: TypeAlias = (
    Proposition
    | Truth
    | Not
    | And
    | Or
    | Implies
    | Iff
    | Next
    | Eventually
    | Always
    | Until
    | WeakUntil
    | Release
    | AllPaths
    | SomePath
    | ForAll
    | Exists
    | Accepted
)

TEMPORAL = (Next, Eventually, Always, Until, WeakUntil, Release, Accepted)
TRUE, FALSE = Truth(True), Truth(False)


def conjoin(operands: Iterable[Formula]) -> Formula:
    """The conjunction, flattened, without repetitions and truth values."""
    return join(And, operands, FALSE)


def disjoin(operands: Iterable[Formula]) -> Formula:
    """The disjunction, flattened, without repetitions and truth values."""
    return join(Or, operands, TRUE)


def join(kind: type[And] | type[Or], operands: Iterable[Formula], absorbing: Truth) -> Formula:
    flat: dict[Formula, None] = {}
    for operand in operands:
        flat.update(dict.fromkeys(operand.operands if isinstance(operand, kind) else (operand,)))
    flat.pop(Truth(not absorbing.value), None)
    if absorbing in flat:
        return absorbing
    if len(flat) == 1:
        return next(iter(flat))
    return kind(tuple(flat)) if flat else Truth(not absorbing.value)


def negate(formula: Formula) -> Formula:
    match formula:
        case Truth(value):
            return Truth(not value)
        case Not(operand):
            return operand
    return Not(formula)


def children(formula: Formula) -> tuple[Formula, ...]:
    """The operands, from left to right."""
    match formula:
        case Proposition() | Truth():
            return ()
        case And(operands) | Or(operands):
            return operands
        case Implies() | Iff() | Until() | WeakUntil() | Release():
            return formula.left, formula.right
        case ForAll() | Exists():
            return (formula.body,)
        case Accepted():
            return formula.guards
    return (formula.operand,)


def with_children(formula: Formula, new: Sequence[Formula]) -> Formula:
    """The same operator over other operands."""
    match formula:
        case Proposition() | Truth():
            return formula
        case And() | Or():
            return replace(formula, operands=tuple(new))
        case Implies() | Iff() | Until() | WeakUntil() | Release():
            left, right = new
            return replace(formula, left=left, right=right)
        case ForAll() | Exists():
            (body,) = new
            return replace(formula, body=body)
        case Accepted():
            return replace(formula, guards=tuple(new))
    (operand,) = new
    return replace(formula, operand=operand)


def walk(formula: Formula) -> Iterator[Formula]:
    """Every occurrence of a sub-formula, each before its operands, from left to right."""
    waiting = [formula]
    while waiting:
        f = waiting.pop()
        yield f
        waiting.extend(reversed(children(f)))


def propositions(formula: Formula) -> tuple[Proposition, ...]:
    """The propositions, each once, in the order of their first occurrence."""
    return tuple(dict.fromkeys(f for f in walk(formula) if isinstance(f, Proposition)))


def map_propositions(formula: Formula, change: Callable[[Hashable], Hashable | Formula]) -> Formula:
    """The formula with every proposition's expression changed; a change may also give a whole formula."""
    if isinstance(formula, Proposition):
        changed = change(formula.expression)
        return changed if isinstance(changed, Formula) else Proposition(changed)
    return with_children(formula, [map_propositions(f, change) for f in children(formula)])


def expand_quantifiers(
    formula: Formula,
    members: Callable[[str, str, Formula], Iterable[Any]],
    substitute: Callable[[Hashable, str, Any], Hashable],
) -> Formula:
    """Quantifiers over sorts written out, the outermost first.

    members(variable, sort, body) lists the atoms in a fixed order; substitute(expression, variable, atom) gives the
    expression for one of them.
    """
    if isinstance(formula, ForAll | Exists):
        atoms = members(formula.variable, formula.sort, formula.body)
        bodies = [expand_quantifiers(instance(formula, a, substitute), members, substitute) for a in atoms]
        return conjoin(bodies) if isinstance(formula, ForAll) else disjoin(bodies)
    return with_children(formula, [expand_quantifiers(f, members, substitute) for f in children(formula)])


def instance(formula: Quantified, atom: Any, substitute: Callable[[Hashable, str, Any], Hashable]) -> Formula:
    """The body for one atom; an inner quantifier over the same name hides the outer one."""
    return replace_free(formula.body, formula.variable, lambda e: substitute(e, formula.variable, atom))


def replace_free(formula: Formula, variable: str, change: Callable[[Hashable], Hashable]) -> Formula:
    if isinstance(formula, Proposition):
        return Proposition(change(formula.expression))
    if isinstance(formula, ForAll | Exists) and formula.variable == variable:
        return formula
    return with_children(formula, [replace_free(f, variable, change) for f in children(formula)])
