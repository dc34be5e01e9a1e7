"""Ways through a step that nobody can interrupt: what places hold at the end of each, and how two become one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.expression import (
    FALSE,
    Apply,
    Condition,
    Expr,
    Literal,
    Operator,
    Wrap,
    conjunction,
    conjuncts_of,
    negation,
    number,
)
from quorbit.model.system.system import Address
from quorbit.source.frozen import frozen, replace

__all__ = ["is_always_one"]

TRUTHS = frozenset(
    [Operator.NOT, Operator.AND, Operator.OR, Operator.EQUAL, Operator.LESS, Operator.LESS_EQUAL]
)  # their values are 0 and 1
Env = dict[Address, Expr]  # what places hold on the way, in terms of the stored state


@frozen
class Way:
    """How far a chain has come: under which conditions, what places hold by then, and what had to hold on the way."""

    conditions: tuple[Expr, ...]
    env: Env
    required: tuple[tuple[str, Expr], ...] = ()


def is_split(a: Way, b: Way) -> bool:
    """Whether two ways differ in the last condition only, which holds in one of them."""
    return (
        len(a.conditions) == len(b.conditions) > 0
        and a.conditions[:-1] == b.conditions[:-1]
        and are_opposite(a.conditions[-1], b.conditions[-1])
    )


def chosen(test: Expr, x: Expr, y: Expr) -> Expr:
    """x if the test holds, else y.  What both add up is taken out, so that sums over all processes are sums; the
    greater or less of two is that of a set; one value under several conditions is one under either of them."""
    match test:
        case Apply(Operator.NOT, (inner,)):
            return chosen(inner, y, x)
        case Apply(Operator.LESS | Operator.LESS_EQUAL, (a, b)) if (a, b) == (y, x):
            return extreme(Operator.MAXIMUM, x, y)
        case Apply(Operator.LESS | Operator.LESS_EQUAL, (a, b)) if (a, b) == (x, y):
            return extreme(Operator.MINIMUM, x, y)
        case Apply(Operator.AND, operands) if (found := extreme_of_some(operands, x, y)) is not None:
            return found
    match x, y:
        case _, Condition(other, then, rest) if then == x:
            return Condition(either(test, other), x, rest)
        case _, Condition(other, then, rest) if rest == x:
            return Condition(both(negated(test), other), then, x)
        case Condition(other, then, rest), _ if rest == y:
            return Condition(both(test, other), then, y)
        case Condition(other, then, rest), _ if then == y:
            return Condition(both(test, negated(other)), rest, y)
    return without_common_terms(test, x, y)


def in_plain_words(e: Expr) -> Expr:
    """The same in the words in which branches are told: a conditional value as that of a branch, and a truth as it is
    where it is asked whether it is 0, so that `all = all && up[j]` is one conjunction in the end."""
    match e:
        case Condition(test, then, other):
            return chosen(test, then, other)
        case Apply(Operator.EQUAL, (truth, Literal(0)) | (Literal(0), truth)) if is_truth(truth):
            return negated(truth)
        case Apply(Operator.NOT, (Apply(Operator.NOT, (truth,)),)) if is_truth(truth):
            return truth
        case _:
            return e


def is_truth(e: Expr) -> bool:
    return isinstance(e, Apply) and e.operator in TRUTHS


def extreme(operator: Operator, *values: Expr) -> Expr:
    """The greatest or least of values, which may be such themselves."""
    operands = dict.fromkeys(element for e in values for element in elements_of(operator, e))
    return Apply(operator, (Apply(Operator.SET, tuple(operands)),))


def extreme_of_some(tests: tuple[Expr, ...], x: Expr, y: Expr) -> Expr | None:
    """The greater or less of x and y where x counts only under some condition: else a number that y is compared with
    anyway stands for it."""
    for k, test in enumerate(tests):
        match test:
            case Apply(Operator.LESS | Operator.LESS_EQUAL, (a, b)) if {a, b} == {x, y}:
                operator = Operator.MAXIMUM if a == y else Operator.MINIMUM
                known = next((e for e in elements_of(operator, y) if isinstance(e, Literal)), None)
                if known is not None:
                    rest = simplify(conjunction([e for i, e in enumerate(tests) if i != k]))
                    return extreme(operator, y, Condition(rest, x, known))
    return None


def elements_of(operator: Operator, e: Expr) -> tuple[Expr, ...]:
    match e:
        case Apply(found, (Apply(Operator.SET, inner),)) if found is operator:
            return inner
        case _:
            return (e,)


def negated(e: Expr) -> Expr:
    return simplify(negation(e))


def both(a: Expr, b: Expr) -> Expr:
    return simplify(Apply(Operator.AND, (a, b)))


def either(a: Expr, b: Expr) -> Expr:
    return simplify(Apply(Operator.OR, (a, b)))


def without_common_terms(test: Expr, x: Expr, y: Expr) -> Expr:
    width = next((e for e in (x, y) if isinstance(e, Wrap)), None)
    if width is None:
        return Condition(test, x, y)
    left, right = terms_of(x, width), terms_of(y, width)
    common = [e for e in left if e in right]
    if not common:
        return Condition(test, x, y)
    for e in common:
        left.remove(e)
        right.remove(e)
    term = Condition(test, total(left), total(right))
    return replace(width, operand=Apply(Operator.ADD, (*common, term)))


def terms_of(e: Expr, width: Wrap) -> list[Expr]:
    """What e adds up, as far as numbers of this width are concerned."""
    match e:
        case Wrap(operand, bits, signed) if (bits, signed) == (width.bits, width.signed):
            return terms_of(operand, width)
        case Apply(Operator.ADD, operands):
            return [term for operand in operands for term in terms_of(operand, width)]
        case _:
            return [e]


def total(terms: list[Expr]) -> Expr:
    match terms:
        case []:
            return number(0)
        case [term]:
            return term
        case _:
            return simplify(Apply(Operator.ADD, tuple(terms)))


def without(guard: Expr, known: tuple[Expr, ...]) -> Expr:
    """The guard without what is known to hold."""
    held = {part for e in known for part in conjuncts_of(e)}
    return conjunction([e for e in conjuncts_of(guard) if e not in held])


def are_opposite(a: Expr, b: Expr) -> bool:
    return simplify(negation(a)) == b or simplify(negation(b)) == a


# Which of several options can run, as far as the tests they are made of tell.

MOST_TESTS = 8


def settled(guard: Expr) -> Expr:
    """A guard that cannot fail: false if any part of it is."""
    return FALSE if any(part == FALSE for e in conjuncts_of(guard) for part in conjuncts_of(e)) else guard


def is_always_one(guards: list[Expr]) -> bool:
    """Whether one of the guards holds, whatever the tests in them say."""
    return all(any(row) for row in rows_of(guards))


def is_never_two(guards: list[Expr]) -> bool:
    return all(sum(row) <= 1 for row in rows_of(guards))


def rows_of(guards: list[Expr]) -> Iterator[list[bool]]:
    """What the guards say for each answer to their tests; nothing that helps if there are many tests."""
    tests = list(dict.fromkeys(test for guard in guards for test in tests_in(guard)))
    if len(tests) > MOST_TESTS:
        yield [False] * len(guards)
        yield [True] * len(guards)
        return
    for answers in product((False, True), repeat=len(tests)):
        known = dict(zip(tests, answers, strict=True))
        yield [says(guard, known) for guard in guards]


def tests_in(e: Expr) -> Iterator[Expr]:
    match e:
        case Apply(Operator.AND | Operator.OR | Operator.NOT, operands):
            for operand in operands:
                yield from tests_in(operand)
        case Literal():
            pass
        case _:
            yield e


def says(e: Expr, known: dict[Expr, bool]) -> bool:
    match e:
        case Apply(Operator.AND, operands):
            return all(says(operand, known) for operand in operands)
        case Apply(Operator.OR, operands):
            return any(says(operand, known) for operand in operands)
        case Apply(Operator.NOT, (operand,)):
            return not says(operand, known)
        case Literal(value):
            return bool(value)
        case _:
            return known[e]
