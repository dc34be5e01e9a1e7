"""External functions in a state: an element chosen from a set. Strings are only computed before there is a state."""

from __future__ import annotations

from quorbit.languages.b.lower.membership import apply
from quorbit.languages.b.lower.relations import Lower, Operands
from quorbit.languages.b.lower.scope import Scope, Unlowered, fault
from quorbit.languages.b.meaning.externals import REFUSED, refusal
from quorbit.languages.b.syntax.formulas import Binary, Formula, Unary
from quorbit.languages.b.types.library import OF_ONE, OF_THREE, OF_TWO
from quorbit.languages.b.types.types import BOOL, INTEGER, Given, PairType, SetOfType, Type
from quorbit.model.system.expression import Condition, Expr, Literal, Operator
from quorbit.model.system.types import TRUTH, AtomOf
from quorbit.source.errors import UserError
from quorbit.source.span import Span

O = Operator


def choose(scope: Scope, operands: Operands, f: Formula) -> Expr:
    """The least element, as the reference meaning orders them; it tells the elements of a set apart."""
    assert isinstance(f, Unary)
    assert isinstance(f.argument.type, SetOfType)
    return least(scope, operands[0], f.argument.type.element, f.span)


def least(scope: Scope, s: Expr, of: Type, span: Span) -> Expr:
    match of:
        case Given(name):
            atoms = scope.universe.atoms[name]
            return first_of([Literal(a, AtomOf(atoms), span) for a in atoms], s, span)
        case PairType(left, right):
            x = least(scope, apply(O.DOMAIN, s, span=span), left, span)
            y = least(scope, apply(O.IMAGE, s, apply(O.SET, x, span=span), span=span), right, span)
            return apply(O.TUPLE, x, y, span=span)
    if of == INTEGER:
        return apply(O.MINIMUM, s, span=span)
    if of == BOOL:
        return first_of([Literal(k, TRUTH, span) for k in (0, 1)], s, span)
    raise Unlowered(span, f"CHOOSE from a set of {of} that depends on the state is not supported")


def first_of(values: list[Literal], s: Expr, span: Span) -> Expr:
    found = fault(span)
    for value in reversed(values):
        found = Condition(apply(O.MEMBER, value, s, span=span), value, found, span)
    return found


def refuse(scope: Scope, operands: Operands, f: Formula) -> Expr:
    assert isinstance(f, Unary | Binary)
    if f.op in REFUSED:
        raise UserError(f.span, refusal(f.op))
    raise Unlowered(f.span, f"what {f.op} is given depends on the state here; that is not supported")


def bits(operator: Operator) -> Lower:
    return lambda scope, operands, f: apply(operator, *operands, span=f.span)


EXTERNALS: dict[str, Lower] = {
    "CHOOSE": choose,
    **dict.fromkeys(("TO_STRING", *OF_ONE, *OF_TWO, *OF_THREE), refuse),
    "BAND": bits(O.BIT_AND),
    "BOR": bits(O.BIT_OR),
    "BXOR": bits(O.BIT_XOR),
    "BNOT": bits(O.BIT_NOT),
}
