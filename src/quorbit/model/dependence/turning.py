"""Whether a case may turn a condition from false to true or back, also where only a part of it is known.

A condition is a function of its innermost comparisons.  Those that the case does not touch have the same truth before
and after it; so entering a critical section cannot bring the number of processes inside down, whoever is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

from quorbit.model.dependence.abstract import (
    Known,
    Values,
    can_be_false,
    can_be_true,
    values_of,
)
from quorbit.model.dependence.access import Places, Reader
from quorbit.model.meaning.operators import MEANING
from quorbit.model.specialise.simplify import fold, unroll
from quorbit.model.system.expression import Apply, Atoms, Condition, Expr, Literal, Operator, Quantifier, Quantify
from quorbit.model.system.walk import map_parts, parts
from quorbit.source.frozen import distinct, field

O = Operator
COMPARING = (O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER, O.SUBSET)
LOGIC = (O.AND, O.OR, O.NOT)
PLAIN = frozenset({O.NOT, O.EQUAL, O.LESS, O.LESS_EQUAL, O.ADD, O.SUBTRACT, O.MULTIPLY, O.NEGATE})
MOST_LEAVES = 8  # whose truths are combined
MOST_LOOKED_AT = 64  # that may all keep their truths
MOST_CHOICES = 512  # of their truths before and after
MOST_UNROLLED = 24  # values of a quantified parameter
Around = tuple[tuple[int, int], ...]  # the truths that a comparison may have before and after
Evaluate = Callable[[tuple[int, ...]], Any]  # from the truths of the comparisons to a value; None: they do not tell


def turns(reader: Reader, e: Expr, writes: Places, before: Known, after: Known) -> tuple[bool, bool]:
    """Whether e, which always has a value, may become true, and whether it may become false."""
    first, last = values_of(reader, e, before), values_of(reader, e, after)
    rises, falls = can_be_false(first) and can_be_true(last), can_be_true(first) and can_be_false(last)
    if not (rises or falls):
        return False, False
    form = form_of(reader, e)
    if not 2 <= len(form.leaves) <= MOST_LOOKED_AT:
        return rises, falls
    choices = tuple([truths_around(reader, leaf, writes, before, after) for leaf in form.leaves])
    if form.is_told and all(v == w for around in choices for v, w in around):
        return False, False
    if len(form.leaves) > MOST_LEAVES:
        return rises, falls
    known = form.known.get(choices)
    if known is None:
        known = form.known[choices] = may_turn(form.evaluate, choices)
    return rises and known[0], falls and known[1]


@distinct
class Form:
    """A condition as a function of its innermost comparisons, and what is known of it for some truths before and
    after."""

    condition: Expr
    leaves: list[Expr]
    evaluate: Evaluate
    is_told: bool  # their truths always tell its value
    known: dict[tuple[Around, ...], tuple[bool, bool]] = field(default_factory=dict)


def form_of(reader: Reader, e: Expr) -> Form:
    """Found out once for each condition of a System."""
    form = reader.forms.get(id(e))
    if form is None:
        leaves = list(dict.fromkeys(leaves_of(e)))
        numbers = {leaf: k for k, leaf in enumerate(leaves)}
        form = reader.forms[id(e)] = Form(e, leaves, cache(evaluator(e, numbers)), is_told(e, numbers))
    assert isinstance(form, Form)
    return form


def may_turn(evaluate: Evaluate, choices: tuple[Around, ...]) -> tuple[bool, bool]:
    """Whether what is evaluated may become true, and whether it may become false, for some choice of truths."""
    size = 1
    for choice in choices:
        size *= len(choice)
    if size > MOST_CHOICES:
        return True, True
    up = down = False
    for chosen in product(*choices):
        befores, afters = zip(*chosen, strict=True)
        old, new = evaluate(befores), evaluate(afters)
        up = up or ((old is None or not old) and (new is None or bool(new)))
        down = down or ((old is None or bool(old)) and (new is None or not new))
        if up and down:
            break
    return up, down


def truths_around(reader: Reader, leaf: Expr, writes: Places, before: Known, after: Known) -> Around:
    """The truths of a comparison before and after: it stays where nothing of it is written."""
    old = truths(values_of(reader, leaf, before))
    if reader.reads(leaf).isdisjoint(writes):
        return tuple([(v, v) for v in old])
    return tuple([(v, w) for v in old for w in truths(values_of(reader, leaf, after))])


def truths(values: Values) -> list[int]:
    return [v for v, possible in ((0, can_be_false(values)), (1, can_be_true(values))) if possible]


def evaluator(e: Expr, leaves: dict[Expr, int]) -> Evaluate:
    """e as a function of the truths of its comparisons."""
    if (k := leaves.get(e)) is not None:
        return lambda chosen, k=k: chosen[k]  # type: ignore[misc]
    match e:
        case Literal(value):
            return lambda chosen: value
        case Apply(O.AND | O.OR as operator, operands):
            fs, ends = [evaluator(part, leaves) for part in operands], operator is O.OR
            return lambda chosen: junction_of([f(chosen) for f in fs], ends)
        case Condition(test, then, other):
            f, g, h = (evaluator(part, leaves) for part in (test, then, other))
            return lambda chosen: None if (v := f(chosen)) is None else g(chosen) if v else h(chosen)
        case Apply(operator, operands) if operator in PLAIN:
            meaning, fs = MEANING[operator], [evaluator(part, leaves) for part in operands]

            def apply(chosen: tuple[int, ...]) -> Any:
                values = [f(chosen) for f in fs]
                return None if None in values else meaning(*values)

            return apply
        case _:
            return lambda chosen: None


def is_told(e: Expr, leaves: dict[Expr, int]) -> bool:
    """Whether the truths of its comparisons always tell the value of e: ``evaluator`` knows all of its operators."""
    match e:
        case _ if e in leaves:
            return True
        case Literal():
            return True
        case Condition(test, then, other):
            return all(is_told(part, leaves) for part in (test, then, other))
        case Apply(operator, operands) if operator in PLAIN or operator in LOGIC:
            return all(is_told(part, leaves) for part in operands)
        case _:
            return False


def junction_of(values: list[Any], ends: bool) -> int | None:
    if any(v is not None and bool(v) == ends for v in values):
        return int(ends)
    return None if None in values else int(not ends)


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
