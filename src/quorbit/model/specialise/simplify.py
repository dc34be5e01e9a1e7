"""Simplify expressions without changing their meaning: fold what is constant, unroll what looks inside an atom.

A quantifier over atoms whose body asks for the number of its atom becomes a list of cases, in which those questions
fold away: ``forall j: j < 3 -> s[j] != C`` becomes ``s[1] != C && s[2] != C``, which permits the exchange of 1 and 2.
"""

from __future__ import annotations

from quorbit.model.meaning.evaluate import wrap
from quorbit.model.meaning.operators import LOGICAL, MEANING, Undefined
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Expr,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Part,
    Quantifier,
    Quantify,
    Wrap,
    atom,
    conjunction,
    disjunction,
    number,
)
from quorbit.model.system.types import INTEGER, NONE, TRUTH, Number, Truth
from quorbit.model.system.walk import map_parts, substitute, walk

__all__ = ["fold", "simplify", "unroll"]

NUMERIC = frozenset(
    {
        Operator.NEGATE,
        Operator.ADD,
        Operator.SUBTRACT,
        Operator.MULTIPLY,
        Operator.DIVIDE,
        Operator.MODULO,
        Operator.BIT_AND,
        Operator.BIT_OR,
        Operator.BIT_XOR,
        Operator.BIT_NOT,
        Operator.SHIFT_LEFT,
        Operator.SHIFT_RIGHT,
        Operator.LESS,
        Operator.LESS_EQUAL,
    }
)


def simplify(e: Expr) -> Expr:
    """An expression with the same meaning, folded from the inside out."""
    if isinstance(e, Quantify) and must_unroll(e):
        return simplify(unroll(e))
    return fold(map_parts(e, simplify))


def fold(e: Expr) -> Expr:
    """Simplify e itself, its parts being simple."""
    match e:
        case Apply(Operator.AND, operands):
            return conjunction(flatten(Operator.AND, operands), e.span)
        case Apply(Operator.OR, operands):
            return disjunction(flatten(Operator.OR, operands), e.span)
        case Apply():
            return fold_operator(e)
        case Condition(Literal(value), then, other):
            return then if value else other
        case Wrap(Literal(value, type), bits, signed) if isinstance(value, int):
            return Literal(wrap(value, bits, signed), type, e.span)
        case NumberOf(Literal(value)):
            return fold_number(e, value)
        case AtomAt(Literal(value)):
            return fold_atom(e, value)
        case Part(Apply(Operator.TUPLE, parts), k):
            return parts[k]
        case Otherwise(Literal()):
            return e.body
        case Compute(operands=operands) if all(isinstance(operand, Literal) for operand in operands):
            return fold_computation(e)
        case _:
            return e


def fold_computation(e: Compute) -> Expr:
    """The value for operands that are written down; where there is none the fault stays."""
    try:
        value = e.computation.evaluate(*(operand.value for operand in e.operands if isinstance(operand, Literal)))
    except Undefined:
        return e
    return Literal(value, e.type, e.span)


def flatten(operator: Operator, operands: tuple[Expr, ...]) -> list[Expr]:
    """The operands with nested ones of the same operator taken apart and truth values recognised."""
    flat: list[Expr] = []
    for e in operands:
        match e:
            case Apply(inner, parts) if inner is operator:
                flat.extend(parts)
            case Literal(int(value)):
                flat.append(TRUE if value else FALSE)
            case _:
                flat.append(e)
    return flat


def fold_operator(e: Apply) -> Expr:
    if not all(isinstance(operand, Literal) for operand in e.operands):
        return e
    if e.operator is Operator.EQUAL:
        return fold_equality(e)
    if e.operator is Operator.PRESENT:
        return e.operands[0] if fold_equality(e) == FALSE else e
    types = [operand.type for operand in e.operands if isinstance(operand, Literal)]
    if e.operator is Operator.NOT or (e.operator in NUMERIC and all(isinstance(t, Number | Truth) for t in types)):
        try:
            value = MEANING[e.operator](*[operand.value for operand in e.operands if isinstance(operand, Literal)])
        except Undefined:
            return e
        return Literal(value, TRUTH if e.operator in LOGICAL else INTEGER, e.span)
    return e


def fold_equality(e: Apply) -> Expr:
    """Atoms are equal or not whatever they are called, so this looks inside nothing."""
    a, b = e.operands
    assert isinstance(a, Literal)
    assert isinstance(b, Literal)
    return TRUE if a.value == b.value else FALSE


def fold_number(e: NumberOf, a: object) -> Expr:
    if a == NONE and e.none is not None:
        return number(e.none, e.span)
    return number(e.first + e.numbering.index(a), e.span) if a in e.numbering and a != NONE else e


def fold_atom(e: AtomAt, n: object) -> Expr:
    if n == e.none and e.none is not None:
        return atom(NONE, e.span)
    k = n - e.first if isinstance(n, int) else -1
    found = e.numbering[k] if 0 <= k < len(e.numbering) else NONE
    return e if found == NONE else atom(found, e.span)


def must_unroll(e: Quantify) -> bool:
    """Whether the quantified atom's number is asked for."""
    if not isinstance(e.parameter.domain, Atoms):
        return False
    inside = [*walk(e.condition), *walk(e.body)]
    return any(isinstance(part, NumberOf) and mentions(part.atom, e.parameter.name) for part in inside)


def mentions(e: Expr, name: str) -> bool:
    return any(isinstance(part, Bound) and part.name == name for part in walk(e))


def unroll(e: Quantify) -> Expr:
    """One case for each atom.  COLLECT keeps its meaning too: the cases are elements of a set."""
    assert isinstance(e.parameter.domain, Atoms)
    cases = []
    for a in e.parameter.domain.atoms:
        values: dict[str, Expr] = {e.parameter.name: atom(a)}
        cases.append((simplify(substitute(e.condition, values)), substitute(e.body, values)))
    return UNROLLED[e.quantifier](e, cases)


Case = tuple[Expr, Expr]  # condition, body


def unroll_all(e: Quantify, cases: list[Case]) -> Expr:
    return conjunction([implication(condition, body) for condition, body in cases], e.span)


def implication(condition: Expr, body: Expr) -> Expr:
    if condition == TRUE:
        return body
    return TRUE if condition == FALSE else Condition(condition, body, TRUE)


def unroll_some(e: Quantify, cases: list[Case]) -> Expr:
    return disjunction([conjunction([condition, body]) for condition, body in cases], e.span)


def unroll_count(e: Quantify, cases: list[Case]) -> Expr:
    return total(Operator.ADD, 0, [(c, Condition(body, number(1), number(0))) for c, body in cases])


def total(operator: Operator, neutral: int, cases: list[Case]) -> Expr:
    terms = [body if c == TRUE else Condition(c, body, number(neutral)) for c, body in cases if c != FALSE]
    return Apply(operator, (number(neutral), *terms)) if terms else number(neutral)


def unroll_collect(e: Quantify, cases: list[Case]) -> Expr:
    empty = Apply(Operator.SET, ())
    single = [
        Apply(Operator.SET, (body,)) if c == TRUE else Condition(c, Apply(Operator.SET, (body,)), empty)
        for c, body in cases
        if c != FALSE
    ]
    return Apply(Operator.UNION, (empty, *single))


UNROLLED = {
    Quantifier.ALL: unroll_all,
    Quantifier.SOME: unroll_some,
    Quantifier.COUNT: unroll_count,
    Quantifier.SUM: lambda e, cases: total(Operator.ADD, 0, cases),
    Quantifier.TIMES: lambda e, cases: total(Operator.MULTIPLY, 1, cases),
    Quantifier.COLLECT: unroll_collect,
}
