"""B formulas to expressions of the System. What is the same in every state is computed here and now.

``lower`` gives the value of an expression or predicate; other files of lowering reach it through their scope.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.lower.binding import collect, nest, tuple_of
from quorbit.languages.b.lower.computed import computed
from quorbit.languages.b.lower.externals import EXTERNALS
from quorbit.languages.b.lower.infinite import is_infinite
from quorbit.languages.b.lower.membership import (
    apply,
    element_type,
    evaluated,
    is_large_set,
    may_fail,
    member,
    part,
    parts_of,
    subset,
)
from quorbit.languages.b.lower.relations import RELATIONS, SEQUENCES, demand_sequences, lower_closure
from quorbit.languages.b.lower.scope import (
    Scope,
    Unlowered,
    endless,
    fault,
    fixed_value,
    is_fixed,
    literal,
    system_type,
)
from quorbit.languages.b.lower.sets import lower_listed
from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import SET_MAKERS, Endless
from quorbit.languages.b.meaning.plan import Equal, safe_plan
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
    Quantifier,
    Record,
    SequenceOf,
    SetOf,
    Unary,
)
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import REAL, PairType, RecordType, SetOfType, Type
from quorbit.model.system import expression as out
from quorbit.model.system.expression import (
    TRUE,
    Bound,
    Condition,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Part,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.model.system.walk import walk
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["lower"]

O = Operator
Q = out.Quantifier

REAL_OPERATORS = frozenset(["+", "-", "*", "/", "**", "<", "<=", ">", ">="])
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
    if must_compute(scope, f):
        return computed(scope, f)
    try:
        return lower_case(scope, f)
    except Unlowered as problem:
        return computed(scope, f, problem)


def must_compute(scope: Scope, f: Formula) -> bool:
    """Whether this computes with real numbers, or is about sets that may be infinite and not a junction of formulas."""
    match f:
        case Unary(op=op, argument=argument) if op in ("-", "min", "max") and is_real(argument.type):
            return True
        case Binary(op=op, left=left) if op in REAL_OPERATORS and is_real(left.type):
            return True
        case Binder(op="SIGMA" | "PI", type=of) if is_real(of):
            return True
        case Name() | Junction() | Conditional() | Unary(op="not" | "bool") | Binary(op="=>" | "<=>"):
            return False
    return bool(scope.symbolic) and bool(free_names(f) & scope.symbolic)


def is_real(of: Type) -> bool:
    return of in (REAL, SetOfType(REAL))


def lower_case(scope: Scope, f: Formula) -> Expr:
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
    if f.name in scope.symbolic:
        raise Unlowered(f.span, f"{f.name} may be infinite: it can be tested and applied, but not be part of a value")
    found = scope.names.get(f.name + "$0" if f.old else f.name)
    if found is not None:
        return found
    if f.name in scope.fixed and not isinstance(scope.fixed[f.name], Endless):
        return literal(scope, scope.fixed[f.name], f.type, f.span)
    if f.name in scope.fixed:
        raise Unlowered(f.span, f"{f.name} is infinite: it can be applied, but not be used as a value")
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
    """An infinite relation is looked at only where the other operand has something."""
    if f.op == "[]" and (image_of := unlisted(scope, f.left)) is not None:
        inner, relation = image_of
        return over_elements(scope, f.right, f, lambda x: results_of(inner, relation, x))
    if f.op == "<|" and (restricted := unlisted(scope, f.right)) is not None:
        outer, whole = restricted
        return over_elements(scope, f.left, f, lambda x: pairs_from(x, results_of(outer, whole, x), f))
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
        case Comprehension(names=(*names, last)) if names:
            return apply_comprehension(scope, f.function, tuple(names), last, argument)
        case Binary(op="prj1" | "prj2" as op, left=left, right=right):
            inside = [member(scope, part(argument, k), of.type, of) for k, of in enumerate((left, right))]
            return where(conjunction(inside), part(argument, int(op == "prj2")), f.span)
        case Unary(op="id", argument=s):
            return where(member(scope, argument, f.arguments[0].type, s), argument, f.span)
        case Name() if (found := endless(scope, f.function)) is not None:
            if isinstance(found[1], Binder):
                return apply_lambda(found[0], found[1], argument, f.span)
            if (results := results_of(*found, argument)) is not None:
                return apply(O.CHOICE, results, span=f.span)
    return apply(O.APPLY, lower(scope, f.function), argument, span=f.span)


def over_elements(scope: Scope, s: Formula, f: Binary, made: Callable[[Expr], Expr | None]) -> Expr:
    """The union of the sets that are made of the elements of s."""
    name = scope.new_name("e")
    body = made(Bound(name, s.span))
    if body is None:
        raise Unlowered(f.span, "an infinite relation of this form can be applied, but not be used like this")
    parameter = Parameter(name, Elements(lower(scope, s), system_type(scope.universe, element_type(s))))
    return apply(O.BIG_UNION, out.Quantify(Q.COLLECT, parameter, body, span=f.span), span=f.span)


def pairs_from(x: Expr, results: Expr | None, f: Formula) -> Expr | None:
    return None if results is None else apply(O.PRODUCT, apply(O.SET, x, span=f.span), results, span=f.span)


def unlisted(scope: Scope, f: Formula) -> tuple[Scope, Formula] | None:
    """An infinite relation, named or written here, with the scope in which it means that."""
    if isinstance(f, Binder | Comprehension) and is_infinite(scope, f):
        return scope, f
    return endless(scope, f)


def results_of(scope: Scope, f: Formula, argument: Expr) -> Expr | None:
    """The set of what an infinite relation gives for an argument; None where that cannot be said."""
    match f:
        case Binder(op="%", names=names, predicate=predicate, body=body):
            inner = scope.having(parts_of(names, argument))
            found = apply(O.SET, lower(inner, body), span=f.span)
            return Condition(lower(inner, predicate), found, literal(scope, frozenset(), f.type, f.span), f.span)
        case Comprehension(names=(*first, last), predicate=predicate) if first:
            inner = scope.having(parts_of(tuple(first), argument))
            return lower(inner, Comprehension(f.span, (last,), predicate, type=SetOfType(last.type)))
        case Binary(op="\\/", left=left, right=right):
            sides = [results_of(scope, side, argument) for side in (left, right)]
            return None if None in sides else apply(O.UNION, *(s for s in sides if s is not None), span=f.span)
        case Name() if (inner_one := endless(scope, f)) is not None:
            return results_of(*inner_one, argument)
    if not is_fixed(scope, f) or fixed_value(scope, f) is None:
        return None
    return apply(O.IMAGE, lower(scope, f), apply(O.SET, argument, span=f.span), span=f.span)


def where(inside: Expr, value: Expr, span: Span) -> Expr:
    """The value of a function that is defined where the condition holds."""
    return value if inside == TRUE else Condition(inside, value, fault(span), span)


def apply_comprehension(scope: Scope, f: Comprehension, names: tuple[Name, ...], last: Name, argument: Expr) -> Expr:
    """{x, y | P}(a) is the y with P for a; where there is none the choice has no value."""
    values = Comprehension(f.span, (last,), f.predicate, type=SetOfType(last.type))

    def value_for(a: Expr) -> Expr:
        match lower(scope.having(parts_of(names, a)), values):
            case out.Apply(O.SET, (only,)):
                return only
            case Condition(test, out.Apply(O.SET, (only,)), Literal(value=frozenset() as none)) if not none:
                return Condition(test, only, fault(f.span), f.span)
            case found:
                return apply(O.CHOICE, found, span=f.span)

    return for_value(scope, f, argument, value_for)


def apply_lambda(scope: Scope, f: Binder, argument: Expr, span: Span) -> Expr:
    def value_for(a: Expr) -> Expr:
        inner = scope.having(parts_of(f.names, a))
        return Condition(lower(inner, f.predicate), lower(inner, f.body), fault(span), span)

    return for_value(scope, f, argument, value_for)


def for_value(scope: Scope, f: Binder | Comprehension, argument: Expr, value_for: Callable[[Expr], Expr]) -> Expr:
    """The value of a function for an argument; one that goes through values is found once, not wherever it is read."""
    if not any(isinstance(e, out.Quantify) for e in walk(argument)):
        return value_for(argument)
    assert isinstance(f.type, SetOfType)
    assert isinstance(f.type.element, PairType)
    name, span = scope.new_name("a"), f.span
    domain = Elements(apply(O.SET, argument, span=span), system_type(scope.universe, f.type.element.left))
    made = out.Quantify(Q.COLLECT, Parameter(name, domain), value_for(Bound(name, span)), span=span)
    return apply(O.CHOICE, made, span=span)


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
