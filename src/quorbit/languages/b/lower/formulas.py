"""B formulas to expressions of the System. What is the same in every state is computed here and now.

``lower`` gives the value of an expression or predicate; other files of lowering reach it through their scope.
"""

from __future__ import annotations

from quorbit.languages.b.lower.binding import collect, nest, tuple_of
from quorbit.languages.b.lower.externals import EXTERNALS
from quorbit.languages.b.lower.membership import (
    apply,
    evaluated,
    is_large_set,
    may_fail,
    member,
    part,
    parts_of,
    subset,
)
from quorbit.languages.b.lower.relations import RELATIONS, SEQUENCES, demand_sequences, lower_closure
from quorbit.languages.b.lower.scope import Scope, fault, fixed_value, literal
from quorbit.languages.b.lower.sets import lower_listed
from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import SET_MAKERS, Endless
from quorbit.languages.b.meaning.plan import Equal, safe_plan
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Conditional,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Quantifier,
    Record,
    SequenceOf,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.types.types import RecordType
from quorbit.model.system import expression as out
from quorbit.model.system.expression import (
    TRUE,
    Condition,
    Expr,
    Operator,
    Part,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["lower"]

O = Operator
Q = out.Quantifier

SIMPLE_BINARY = {
    "+": O.ADD,
    "-": O.SUBTRACT,
    "*": O.MULTIPLY,
    "/": O.DIVIDE,
    "**": O.POWER,
    "..": O.INTERVAL,
    "|->": O.TUPLE,
    "\\/": O.UNION,
    "/\\": O.INTERSECTION,
    "\\": O.DIFFERENCE,
    "×": O.PRODUCT,
    "<+": O.OVERRIDE,
    ";": O.COMPOSE,
    "[]": O.IMAGE,
    "<|": O.DOMAIN_RESTRICT,
    "|>": O.RANGE_RESTRICT,
    "=": O.EQUAL,
    "<=>": O.EQUAL,
    "<": O.LESS,
    "<=": O.LESS_EQUAL,
}
SIMPLE_UNARY = {
    "-": O.NEGATE,
    "~": O.INVERSE,
    "card": O.SIZE,
    "union": O.BIG_UNION,
    "inter": O.BIG_INTERSECTION,
    "min": O.MINIMUM,
    "max": O.MAXIMUM,
    "dom": O.DOMAIN,
    "ran": O.RANGE,
    "closure1": O.CLOSURE,
    "size": O.SIZE,
}


def lower(scope: Scope, f: Formula) -> Expr:
    """The value of a formula in a state."""
    if not isinstance(f, Name) and not is_large_set(f) and (value := fixed_value(scope, f)) is not None:
        return literal(scope, value, f.type, f.span)
    match f:
        case Name():
            return lower_name(scope, f)
        case Unary(op="not", argument=argument):
            return negation(lower(scope, argument), f.span)
        case Unary(op="bool", argument=argument):
            return lower(scope, argument)
        case Unary() | Binary() if (found := lower_operator(scope, f)) is not None:
            return found
        case Junction(op=op, items=items):
            join = conjunction if op == "&" else disjunction
            return join([lower(scope, i) for i in items], f.span)
        case Apply():
            return lower_application(scope, f)
        case SetOf(items=items):
            return apply(O.SET, *(lower(scope, i) for i in items), span=f.span)
        case SequenceOf(items=items):
            pairs = (apply(O.TUPLE, number(k), lower(scope, i), span=i.span) for k, i in enumerate(items, 1))
            return apply(O.SET, *pairs, span=f.span)
        case Quantifier():
            return lower_quantifier(scope, f)
        case Binder():
            return lower_binder(scope, f)
        case Record(op="rec", fields=fields):
            return apply(O.TUPLE, *(lower(scope, v) for _, v in fields), span=f.span)
        case Field(record=record, name=name):
            assert isinstance(record.type, RecordType)
            return Part(lower(scope, record), [n for n, _ in record.type.fields].index(name), f.span)
        case Conditional(condition=test, then=then, otherwise=other):
            return Condition(lower(scope, test), lower(scope, then), lower(scope, other), f.span)
        case LetIn():
            return lower_let(scope, f)
    return lower_listed(scope, f)


def lower_name(scope: Scope, f: Name) -> Expr:
    found = scope.names.get(f.name + "$0" if f.old else f.name)
    if found is not None:
        return found
    if f.name in scope.fixed and not isinstance(scope.fixed[f.name], Endless):
        return literal(scope, scope.fixed[f.name], f.type, f.span)
    if f.name in scope.fixed:
        raise UserError(f.span, f"{f.name} is infinite: it can be applied, but not be used as a value")
    raise UserError(f.span, f"{f.name} has no value here")


def lower_operator(scope: Scope, f: Unary | Binary) -> Expr | None:
    """Operators that take the values of their operands; None for sets that have to be listed."""
    if isinstance(f, Unary):
        if f.op in SET_MAKERS:
            return None
        return lower_unary(scope, f)
    match f.op:
        case "=>":
            return disjunction([negation(lower(scope, f.left), f.left.span), lower(scope, f.right)], f.span)
        case "/=":
            return negation(equal(scope, f), f.span)
        case "=":
            return equal(scope, f)
        case ">" | ">=":
            swapped = O.LESS if f.op == ">" else O.LESS_EQUAL
            return apply(swapped, lower(scope, f.right), lower(scope, f.left), span=f.span)
        case ":" | "/:":
            x = lower(scope, f.left)
            found = evaluated(x, member(scope, x, f.left.type, f.right))
            return found if f.op == ":" else negation(found, f.span)
        case "<:" | "/<:":
            found = subset(scope, f.left, f.right)
            return found if f.op == "<:" else negation(found, f.span)
        case "<<:" | "/<<:":
            strict = conjunction([subset(scope, f.left, f.right), negation(equal(scope, f), f.span)], f.span)
            return strict if f.op == "<<:" else negation(strict, f.span)
        case op if op in ARROW:
            return None
    return lower_binary(scope, f)


def lower_unary(scope: Scope, f: Unary) -> Expr:
    operands = demand_sequences((lower(scope, f.argument),), f)
    if f.op in SIMPLE_UNARY:
        return apply(SIMPLE_UNARY[f.op], *operands, span=f.span)
    if f.op == "closure":
        return lower_closure(scope, operands[0], f)
    return (RELATIONS | SEQUENCES | EXTERNALS)[f.op](scope, operands, f)


def lower_binary(scope: Scope, f: Binary) -> Expr:
    operands = demand_sequences((lower(scope, f.left), lower(scope, f.right)), f)
    if f.op in SIMPLE_BINARY:
        return apply(SIMPLE_BINARY[f.op], *operands, span=f.span)
    return (RELATIONS | SEQUENCES | EXTERNALS)[f.op](scope, operands, f)


def equal(scope: Scope, f: Binary) -> Expr:
    """Equality; with an infinite or very large set on one side nothing finite is equal to it."""
    a, b = lower(scope, f.left), lower(scope, f.right)
    return TRUE if a == b and not may_fail(a) else apply(O.EQUAL, a, b, span=f.span)


def lower_application(scope: Scope, f: Apply) -> Expr:
    argument = lower(scope, f.arguments[0])
    for other in f.arguments[1:]:
        argument = apply(O.TUPLE, argument, lower(scope, other), span=f.span)
    match f.function:
        case Builtin(name="succ" | "pred" as name):
            return apply(O.ADD if name == "succ" else O.SUBTRACT, argument, number(1), span=f.span)
        case Binder(op="%"):
            return apply_lambda(scope, f.function, argument, f.span)
        case Binary(op="prj1" | "prj2" as op, left=left, right=right):
            inside = [member(scope, part(argument, k), of.type, of) for k, of in enumerate((left, right))]
            return where(conjunction(inside), part(argument, int(op == "prj2")), f.span)
        case Unary(op="id", argument=s):
            return where(member(scope, argument, f.arguments[0].type, s), argument, f.span)
        case Name(name=name) if name not in scope.names and isinstance(found := scope.fixed.get(name), Endless):
            if isinstance(found.formula, Binder):
                return apply_lambda(scope.outermost, found.formula, argument, f.span)
    return apply(O.APPLY, lower(scope, f.function), argument, span=f.span)


def where(inside: Expr, value: Expr, span: Span) -> Expr:
    """The value of a function that is defined where the condition holds."""
    return value if inside == TRUE else Condition(inside, value, fault(span), span)


def apply_lambda(scope: Scope, f: Binder, argument: Expr, span: Span) -> Expr:
    inner = scope.having(parts_of(f.names, argument))
    return Condition(lower(inner, f.predicate), lower(inner, f.body), fault(span), span)


def lower_quantifier(scope: Scope, f: Quantifier) -> Expr:
    match f:
        case Quantifier(op="#", names=names, predicate=predicate):
            return nest(scope, safe_plan(names, conjuncts(predicate)), Q.SOME, lambda inner: TRUE, f.span)
        case Quantifier(names=names, predicate=Binary(op="=>", left=left, right=right)):
            plan = safe_plan(names, conjuncts(left))
            return nest(scope, plan, Q.ALL, lambda inner: lower(inner, right), f.span)
    return nest(scope, safe_plan(f.names, ()), Q.ALL, lambda inner: lower(inner, f.predicate), f.span)


def lower_binder(scope: Scope, f: Binder) -> Expr:
    plan = safe_plan(f.names, conjuncts(f.predicate))
    match f.op:
        case "SIGMA" | "PI":
            kind = Q.SUM if f.op == "SIGMA" else Q.TIMES
            return nest(scope, plan, kind, lambda inner: lower(inner, f.body), f.span)
        case "%":
            return collect(
                scope,
                plan,
                lambda inner: apply(O.TUPLE, tuple_of(inner, f.names, f.span), lower(inner, f.body), span=f.span),
                f,
            )
    sets = collect(scope, plan, lambda inner: lower(inner, f.body), f)
    return apply(O.BIG_UNION if f.op == "UNION" else O.BIG_INTERSECTION, sets, span=f.span)


def lower_let(scope: Scope, f: LetIn) -> Expr:
    """LET with equations puts their right sides in; in general there is one solution and the body's value for it."""
    plan = safe_plan(f.names, conjuncts(f.definition))
    if all(isinstance(step, Equal) and isinstance(step.pattern, Name) for step in plan):
        for step in plan:
            assert isinstance(step, Equal)
            assert isinstance(step.pattern, Name)
            scope = scope.having({step.pattern.name: lower(scope, step.value)})
        return lower(scope, f.body)
    return apply(O.CHOICE, collect(scope, plan, lambda inner: lower(inner, f.body), f), span=f.span)
