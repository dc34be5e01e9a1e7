"""Types of formulas by unification. Each function gives the formula back with its type, holes still open.

What cannot be decided at once (``-`` and ``*``, fields of a record not known yet) waits in ``Inference.waiting``.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.meaning.externals import open_external
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Number,
    Quantifier,
    Real,
    Record,
    SequenceOf,
    SetOf,
    Text,
    Typed,
    Unary,
    Whole,
)
from quorbit.languages.b.types.signatures import BINARY, OVERLOADED, REAL_BINARY, REAL_UNARY, UNARY, WORDS
from quorbit.languages.b.types.types import (
    INTEGER,
    PREDICATE,
    REAL,
    STRING,
    Hole,
    RecordType,
    SetOfType,
    Type,
    instantiate,
    product,
    prune,
    relation,
    sequence,
    unify,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable, replace
from quorbit.source.span import Span
from quorbit.source.suggest import did_you_mean

__all__ = ["Inference", "decide_waiting", "infer"]

Scope = dict[str, Type]


@mutable
class Inference:
    """What is known so far; ``waiting`` are decisions that need more types: each says whether it has been taken."""

    reals: bool = False  # numbers may be real: operators wait until that is known
    waiting: list[Callable[[bool], bool]] = field(default_factory=list)
    locals: list[Name] = field(default_factory=list)


def demand(span: Span, expected: Type, found: Type) -> None:
    """Both types are the same, or the user hears it."""
    if unify(expected, found):
        return
    if prune(expected) == PREDICATE:
        raise UserError(span, f"a predicate expected, found an expression of type {found}")
    if prune(found) == PREDICATE:
        raise UserError(span, "an expression expected, found a predicate")
    raise UserError(span, f"the type {expected} is expected here, found {found}")


def infer(to: Inference, scope: Scope, f: Formula, expected: Type | None = None) -> Formula:
    """The formula with types; ``expected`` is what its place demands."""
    typed = infer_case(to, scope, f)
    if expected is not None:
        demand(f.span, expected, typed.type)
    return typed


def predicate(to: Inference, scope: Scope, f: Formula) -> Formula:
    return infer(to, scope, f, PREDICATE)


def infer_case(to: Inference, scope: Scope, f: Formula) -> Formula:
    match f:
        case Name(name=name):
            if name not in scope:
                raise UserError(f.span, f"unknown identifier {name}{did_you_mean(name, scope)}")
            return replace(f, type=scope[name])
        case Number():
            return replace(f, type=INTEGER)
        case Real():
            return replace(f, type=REAL)
        case Text():
            return replace(f, type=STRING)
        case Builtin(name=name):
            if name not in WORDS:
                raise UserError(f.span, f"{name} is not supported")
            return replace(f, type=WORDS[name])
        case Unary(op=op, argument=argument) if to.reals and op in REAL_UNARY:
            operand = infer(to, scope, argument)
            typed = replace(f, argument=operand, type=Hole())
            return decide_number(to, typed, (operand, typed), UNARY[op], REAL_UNARY[op])
        case Unary(op=op, argument=argument):
            return infer_unary(to, scope, f, op, argument)
        case Binary(op=op, left=left, right=right) if to.reals and op in REAL_BINARY and op not in OVERLOADED:
            left, right = infer(to, scope, left), infer(to, scope, right)
            both = replace(f, left=left, right=right, type=Hole() if BINARY[op][2] == INTEGER else PREDICATE)
            return decide_number(to, both, (left, right, both), BINARY[op], REAL_BINARY[op])
        case Binary(op=op) if op in OVERLOADED:
            return infer_overloaded(to, scope, f)
        case Binary(op=op, left=left, right=right):
            names: dict[str, Hole] = {}
            wanted = tuple(instantiate(t, names) for t in BINARY[op])
            left = infer(to, scope, left, wanted[0])
            return replace(f, left=left, right=infer(to, scope, right, wanted[1]), type=wanted[2])
        case Junction(items=items):
            return replace(f, items=tuple(predicate(to, scope, i) for i in items), type=PREDICATE)
        case Apply():
            return infer_apply(to, scope, f)
        case SetOf(items=items):
            element: Type = Hole()
            return replace(f, items=tuple(infer(to, scope, i, element) for i in items), type=SetOfType(element))
        case SequenceOf(items=items):
            element = Hole()
            return replace(f, items=tuple(infer(to, scope, i, element) for i in items), type=sequence(element))
        case Record():
            return infer_record(to, scope, f)
        case Field():
            return infer_field(to, scope, f)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            condition, then = predicate(to, scope, condition), infer(to, scope, then)
            return replace(
                f, condition=condition, then=then, otherwise=infer(to, scope, otherwise, then.type), type=then.type
            )
        case Whole():
            return replace(f, type=SetOfType(Hole()))
        case Typed(formula=formula, of=of):
            element = Hole()
            infer(to, scope, of, SetOfType(element))
            return infer(to, scope, formula, element)
    return infer_binding(to, scope, f)


def decide_number(
    to: Inference, f: Formula, operands: tuple[Formula, ...], whole: tuple[Type, ...], real: tuple[Type, ...]
) -> Formula:
    """An operator of integers or of real numbers, decided as soon as one of its operands is known."""

    def decide(last: bool) -> bool:
        known = [prune(o.type) for o in operands if prune(o.type) != PREDICATE]
        known = [prune(t.element) if isinstance(t, SetOfType) else t for t in known]
        is_real = REAL in known
        if not is_real and not last and all(isinstance(t, Hole) for t in known):
            return False
        for operand, wanted in zip(operands, real if is_real else whole, strict=True):
            if operand is not f or prune(operand.type) != PREDICATE:
                demand(operand.span, wanted, operand.type)
        return True

    if not decide(False):
        to.waiting.append(decide)
    return f


def infer_unary(to: Inference, scope: Scope, f: Unary, op: str, argument: Formula) -> Formula:
    names: dict[str, Hole] = {}
    takes, gives = (instantiate(t, names) for t in UNARY[op])
    return replace(f, argument=infer(to, scope, argument, takes), type=gives)


def infer_overloaded(to: Inference, scope: Scope, f: Binary) -> Formula:
    left, right = infer(to, scope, f.left), infer(to, scope, f.right)
    typed = replace(f, left=left, right=right, type=Hole())
    for side in (left, right):
        if prune(side.type) == PREDICATE:
            raise UserError(side.span, "an expression expected, found a predicate")
    types = (left.type, right.type, typed.type)

    def decide(last: bool) -> bool:
        known = [t for t in map(prune, types) if not isinstance(t, Hole)]
        if not known and not last:
            return False
        sets = bool(known) and isinstance(known[0], SetOfType)
        names: dict[str, Hole] = {}
        wanted = REAL_BINARY[f.op] if REAL in known else OVERLOADED[f.op][sets][1]
        for side, want in zip((left, right, f), wanted, strict=True):
            demand(side.span, instantiate(want, names), typed.type if side is f else side.type)
        return True

    if not decide(False):
        to.waiting.append(decide)
    return typed


def infer_apply(to: Inference, scope: Scope, f: Apply) -> Formula:
    """f(x, y) is f applied to the pair (x, y)."""
    if isinstance(f.function, Name) and f.function.name not in scope:
        return infer(to, scope, open_external(f, f.function.name))
    function = infer(to, scope, f.function)
    arguments = tuple(infer(to, scope, argument) for argument in f.arguments)
    for argument in arguments:
        demand(argument.span, Hole(), argument.type)
    takes, gives = Hole(), Hole()
    if not unify(function.type, relation(takes, gives)):
        raise UserError(f.span, f"this is not a function: its type is {function.type}")
    demand(arguments[0].span.to(arguments[-1].span), takes, product(tuple(a.type for a in arguments)))
    return replace(f, function=function, arguments=arguments, type=gives)


def infer_record(to: Inference, scope: Scope, f: Record) -> Formula:
    fields = tuple((name, infer(to, scope, value)) for name, value in f.fields)
    if f.op == "rec":
        for _, value in fields:
            demand(value.span, Hole(), value.type)
        return replace(f, fields=fields, type=RecordType(tuple((name, v.type) for name, v in fields)))
    holes = tuple((name, Hole()) for name, _ in fields)
    for (_, hole), (_, value) in zip(holes, fields, strict=True):
        demand(value.span, SetOfType(hole), value.type)
    return replace(f, fields=fields, type=SetOfType(RecordType(holes)))


def infer_field(to: Inference, scope: Scope, f: Field) -> Formula:
    record = infer(to, scope, f.record)
    typed = replace(f, record=record, type=Hole())

    def decide(last: bool) -> bool:
        match prune(record.type):
            case Hole() if not last:
                return False
            case RecordType(fields) if f.name in dict(fields):
                demand(f.span, dict(fields)[f.name], typed.type)
                return True
            case found:
                raise UserError(f.span, f"there is no field {f.name} in the type {found}")

    if not decide(False):
        to.waiting.append(decide)
    return typed


def infer_binding(to: Inference, scope: Scope, f: Formula) -> Formula:
    match f:
        case Comprehension(names=names, predicate=condition):
            names, inner = bind(to, scope, names)
            element = product(tuple(n.type for n in names))
            return replace(f, names=names, predicate=predicate(to, inner, condition), type=SetOfType(element))
        case Quantifier(names=names, predicate=condition):
            names, inner = bind(to, scope, names)
            return replace(f, names=names, predicate=predicate(to, inner, condition), type=PREDICATE)
        case Binder(op=op, names=names, predicate=condition, body=body):
            names, inner = bind(to, scope, names)
            condition = predicate(to, inner, condition)
            if to.reals and op in ("SIGMA", "PI"):
                body = infer(to, inner, body)
                typed = replace(f, names=names, predicate=condition, body=body, type=body.type)
                return decide_number(to, typed, (body,), (INTEGER,), (REAL,))
            gives = binder_type(op)
            body = infer(to, inner, body, gives)
            if op == "%":
                gives = relation(product(tuple(n.type for n in names)), body.type)
            return replace(f, names=names, predicate=condition, body=body, type=gives)
        case LetIn(names=names, definition=definition, body=body):
            names, inner = bind(to, scope, names)
            definition = predicate(to, inner, definition)
            body = infer(to, inner, body)
            return replace(f, names=names, definition=definition, body=body, type=body.type)
    raise AssertionError(f)


def binder_type(op: str) -> Type:
    if op in ("SIGMA", "PI"):
        return INTEGER
    return Hole() if op == "%" else SetOfType(Hole())


def bind(to: Inference, scope: Scope, names: tuple[Name, ...]) -> tuple[tuple[Name, ...], Scope]:
    """New identifiers with types to be found, and the scope that knows them."""
    for k, name in enumerate(names):
        if name.name in [n.name for n in names[:k]]:
            raise UserError(name.span, f"{name.name} is bound twice")
    typed = tuple(replace(n, type=Hole()) for n in names)
    to.locals.extend(typed)
    return typed, {**scope, **{n.name: n.type for n in typed}}


def decide_waiting(to: Inference) -> None:
    """Take the decisions that can be taken, in rounds; then the rest, where any choice will do."""
    progress = True
    while progress and to.waiting:
        left = [decide for decide in to.waiting if not decide(False)]
        progress = len(left) < len(to.waiting)
        to.waiting = left
    if to.waiting:
        first, *to.waiting = to.waiting
        first(True)
        decide_waiting(to)
