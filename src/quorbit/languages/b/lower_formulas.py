"""B formulas to expressions of the System. What is the same in every state is computed here and now.

``lower`` gives the value of an expression or predicate, ``member`` whether a value belongs to a set, which is never
built for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.arrows import ARROW, Arrow, relations
from quorbit.languages.b.lower_relations import RELATIONS, SEQUENCES, demand_sequences, lower_closure
from quorbit.languages.b.lower_scope import (
    Scope,
    all_of_type,
    bounded,
    fault,
    fixed_value,
    is_fixed,
    listed_set,
    literal,
    system_type,
)
from quorbit.languages.b.parse_machine import conjuncts
from quorbit.languages.b.plan import Anything, Check, Equal, Member, OneOf, Range, Step, Subset, safe_plan
from quorbit.languages.b.reference import SET_MAKERS, Endless, IllDefined, Unbounded
from quorbit.languages.b.syntax import (
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
from quorbit.languages.b.types import BOOL, Given, PairType, RecordType, SetOfType
from quorbit.languages.b.types import Type as BType
from quorbit.languages.b.walk import free_names
from quorbit.model import expression as out
from quorbit.model.expression import (
    TRUE,
    Atoms,
    Bound,
    Condition,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Part,
    Quantify,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.model.operators import PARTIAL
from quorbit.model.types import TRUTH
from quorbit.model.types import SetOf as SetOfValues
from quorbit.model.walk import walk
from quorbit.source.errors import UserError
from quorbit.source.span import Span

EMPTY = Literal(frozenset(), SetOfValues(TRUTH))  # no element, so any type will do
O = Operator
Q = out.Quantifier
Body = Callable[[Scope], Expr]

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


def apply(operator: Operator, *operands: Expr, span: Span) -> Expr:
    return out.Apply(operator, operands, span)


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


def is_large_set(f: Formula) -> bool:
    """Sets of sets, relations or tuples are listed only where a list is needed."""
    return (isinstance(f, Unary) and f.op in SET_MAKERS) or (isinstance(f, Binary) and f.op in (*ARROW, "×"))


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
    return (RELATIONS | SEQUENCES)[f.op](scope, operands, f)


def lower_binary(scope: Scope, f: Binary) -> Expr:
    operands = demand_sequences((lower(scope, f.left), lower(scope, f.right)), f)
    if f.op in SIMPLE_BINARY:
        return apply(SIMPLE_BINARY[f.op], *operands, span=f.span)
    return (RELATIONS | SEQUENCES)[f.op](scope, operands, f)


def equal(scope: Scope, f: Binary) -> Expr:
    """Equality; with an infinite or very large set on one side nothing finite is equal to it."""
    a, b = lower(scope, f.left), lower(scope, f.right)
    return TRUE if a == b and not may_fail(a) else apply(O.EQUAL, a, b, span=f.span)


def may_fail(e: Expr) -> bool:
    """Whether evaluating the expression may have no result."""
    return any(
        isinstance(part, out.NumberOf | out.AtomAt) or (isinstance(part, out.Apply) and part.operator in PARTIAL)
        for part in walk(e)
    )


# Application.


def lower_application(scope: Scope, f: Apply) -> Expr:
    argument = lower(scope, f.arguments[0])
    for other in f.arguments[1:]:
        argument = apply(O.TUPLE, argument, lower(scope, other), span=f.span)
    match f.function:
        case Builtin(name="succ" | "pred" as name):
            return apply(O.ADD if name == "succ" else O.SUBTRACT, argument, number(1), span=f.span)
        case Binder(op="%"):
            return apply_lambda(scope, f.function, argument, f.span)
        case Name(name=name) if name not in scope.names and isinstance(found := scope.fixed.get(name), Endless):
            if isinstance(found.formula, Binder):
                return apply_lambda(scope.outermost, found.formula, argument, f.span)
    return apply(O.APPLY, lower(scope, f.function), argument, span=f.span)


def apply_lambda(scope: Scope, f: Binder, argument: Expr, span: Span) -> Expr:
    inner = scope.having(parts_of(f.names, argument))
    return Condition(lower(inner, f.predicate), lower(inner, f.body), fault(span), span)


def parts_of(names: tuple[Name, ...], value: Expr) -> dict[str, Expr]:
    """The names of a tuple ((a, b), c) as parts of its value."""
    found: dict[str, Expr] = {}
    for name in reversed(names[1:]):
        value, found[name.name] = part(value, 0), part(value, 1)
    found[names[0].name] = value
    return found


def part(value: Expr, k: int) -> Expr:
    if isinstance(value, out.Apply) and value.operator is O.TUPLE:
        return value.operands[k]
    return Part(value, k, value.span)


# Membership.


def member(scope: Scope, x: Expr, of: BType, s: Formula) -> Expr:
    """Whether x belongs to the set; a set that is the whole type says nothing."""
    if is_whole_type(scope, s):
        return TRUE
    match s:
        case Builtin(name="NATURAL" | "NATURAL1" as name):
            return apply(O.LESS_EQUAL, number(int(name == "NATURAL1")), x, span=s.span)
        case Binary(op="..", left=left, right=right):
            low, high = lower(scope, left), lower(scope, right)
            return conjunction(
                [apply(O.LESS_EQUAL, low, x, span=s.span), apply(O.LESS_EQUAL, x, high, span=s.span)], s.span
            )
        case Unary(op="POW" | "FIN" | "POW1" | "FIN1" as op, argument=argument):
            inside = subset_of(scope, x, argument)
            return inside if op in ("POW", "FIN") else conjunction([inside, is_not_empty(scope, x, of, s.span)], s.span)
        case Unary(op=op, argument=argument) if op in SET_MAKERS:
            return is_sequence(scope, x, op, of, argument, s.span)
        case Binary(op=op) if op in ARROW:
            return is_relation(scope, x, s)
        case Binary(op="×", left=left, right=right):
            pairs = [member(scope, part(x, k), side.type, side) for k, side in enumerate((left, right))]
            return conjunction(pairs, s.span)
        case Binary(op="\\/" | "/\\" as op, left=left, right=right):
            both = [member(scope, x, of, left), member(scope, x, of, right)]
            return (disjunction if op == "\\/" else conjunction)(both, s.span)
        case Binary(op="\\", left=left, right=right):
            return conjunction([member(scope, x, of, left), negation(member(scope, x, of, right), s.span)], s.span)
        case SetOf(items=items):
            return disjunction([apply(O.EQUAL, x, lower(scope, i), span=s.span) for i in items], s.span)
        case Record(op="struct", fields=fields):
            return conjunction([member(scope, part(x, k), v.type, v) for k, (_, v) in enumerate(fields)], s.span)
        case Comprehension(names=names, predicate=predicate):
            return lower(scope.having(parts_of(names, x)), predicate)
    return apply(O.MEMBER, x, lower(scope, s), span=s.span)


def is_whole_type(scope: Scope, s: Formula) -> bool:
    """Whether a set has all values of its type, seen from its form."""
    match s:
        case Builtin(name="INTEGER" | "STRING" | "BOOL"):
            return True
        case Name(name=name, type=SetOfType(element=Given(name=given))):
            return name == given and name not in scope.names
        case Unary(op="POW" | "FIN", argument=argument):
            return is_whole_type(scope, argument)
        case Binary(op="×" | "<->", left=left, right=right):
            return is_whole_type(scope, left) and is_whole_type(scope, right)
        case Record(op="struct", fields=fields):
            return all(is_whole_type(scope, v) for _, v in fields)
    return False


def is_not_empty(scope: Scope, x: Expr, of: BType, span: Span) -> Expr:
    return negation(apply(O.EQUAL, x, literal(scope, frozenset(), of, span), span=span), span)


def subset(scope: Scope, left: Formula, right: Formula) -> Expr:
    x = lower(scope, left)
    return evaluated(x, subset_of(scope, x, right))


def evaluated(x: Expr, test: Expr) -> Expr:
    """A test of x that is ill-defined where x is, also when the answer does not depend on x."""
    if not may_fail(x) or surely_evaluates(test, x):
        return test
    return conjunction([apply(O.EQUAL, x, x, span=x.span), test], test.span)


def surely_evaluates(test: Expr, x: Expr) -> bool:
    if test is x:
        return True
    match test:
        case out.Apply(operator=O.AND | O.OR, operands=operands):
            return surely_evaluates(operands[0], x)
        case out.Apply(operands=operands):
            return any(surely_evaluates(operand, x) for operand in operands)
        case Condition(test=condition):
            return surely_evaluates(condition, x)
        case Quantify(parameter=Parameter(domain=Elements(set=s))):
            return surely_evaluates(s, x)
        case Part(tuple=whole):
            return surely_evaluates(whole, x)
    return False


def subset_of(scope: Scope, x: Expr, s: Formula) -> Expr:
    """Whether all elements of x belong to s; s is built only if it is small."""
    if is_whole_type(scope, s):
        return TRUE
    if is_endless(s) or is_large_set(s) or isinstance(s, Comprehension):
        return every(scope, x, s, lambda e: member(scope, e, element_type(s), s))
    return apply(O.SUBSET, x, lower(scope, s), span=s.span)


def is_endless(s: Formula) -> bool:
    return isinstance(s, Builtin) and s.name in ("NATURAL", "NATURAL1", "INTEGER", "STRING")


def element_type(s: Formula) -> BType:
    assert isinstance(s.type, SetOfType)
    return s.type.element


def every(scope: Scope, x: Expr, s: Formula, condition: Callable[[Expr], Expr]) -> Expr:
    name = scope.new_name("e")
    body = condition(Bound(name, s.span))
    if body == TRUE:
        return TRUE
    domain = Elements(x, system_type(scope.universe, element_type(s)))
    return Quantify(Q.ALL, Parameter(name, domain), body, span=s.span)


def is_relation(scope: Scope, r: Expr, s: Binary) -> Expr:
    """r : A +-> B and its kin, without building the set of relations."""
    arrow, span = ARROW[s.op], s.span
    domain, image = apply(O.DOMAIN, r, span=span), apply(O.RANGE, r, span=span)
    tests: list[Expr] = []
    if arrow.function:
        tests.append(same_size(domain, r, span))
    if arrow.injective:
        tests.append(same_size(image, r, span))
    tests.append(
        apply(O.EQUAL, domain, lower(scope, s.left), span=span) if arrow.total else subset_of(scope, domain, s.left)
    )
    tests.append(
        apply(O.EQUAL, image, lower(scope, s.right), span=span)
        if arrow.surjective
        else subset_of(scope, image, s.right)
    )
    return conjunction(tests, span)


def same_size(a: Expr, b: Expr, span: Span) -> Expr:
    return apply(O.EQUAL, apply(O.SIZE, a, span=span), apply(O.SIZE, b, span=span), span=span)


def is_sequence(scope: Scope, x: Expr, op: str, of: BType, s: Formula, span: Span) -> Expr:
    """x : seq(S) and its kin: a function on 1..n."""
    domain, image, size = (apply(o, x, span=span) for o in (O.DOMAIN, O.RANGE, O.SIZE))
    tests = [
        apply(O.EQUAL, domain, apply(O.INTERVAL, number(1), size, span=span), span=span),
        same_size(domain, x, span),
    ]
    if op in ("iseq", "iseq1", "perm"):
        tests.append(same_size(image, x, span))
    if op in ("seq1", "iseq1"):
        tests.append(is_not_empty(scope, x, of, span))
    whole = apply(O.EQUAL, image, lower(scope, s), span=span) if op == "perm" else subset_of(scope, image, s)
    return conjunction([*tests, whole], span)


# Sets that are listed.


def lower_listed(scope: Scope, s: Formula) -> Expr:
    """A set given by a description: as a literal if it is the same in every state, else collected in the state."""
    if (found := listed_set(scope, s)) is not None:
        return literal(scope, found, s.type, s.span)
    match s:
        case Unary(op="POW" | "FIN", argument=argument):
            return apply(O.POWERSET, lower(scope, argument), span=s.span)
        case Unary(op="POW1" | "FIN1", argument=argument):
            empty = literal(scope, frozenset({frozenset()}), s.type, s.span)
            return apply(O.DIFFERENCE, apply(O.POWERSET, lower(scope, argument), span=s.span), empty, span=s.span)
        case Comprehension(names=names, predicate=predicate):
            plan = safe_plan(names, conjuncts(predicate))
            return collect(scope, plan, lambda inner: tuple_of(inner, names, s.span), s)
        case Binary(op="×", left=left, right=right):
            return apply(O.PRODUCT, lower(scope, left), lower(scope, right), span=s.span)
        case Record(op="struct", fields=fields):
            return collect_record(scope, s, fields)
        case Builtin():
            raise UserError(s.span, f"{s.name} is infinite and cannot be used as a value here")
    return filtered_type(scope, s)


def filtered_type(scope: Scope, s: Formula) -> Expr:
    """A set of relations that depends on the state: those values of the type that belong to it."""
    if not isinstance(s, Unary | Binary) or (isinstance(s, Unary) and s.op in ("seq", "seq1")):
        raise UserError(s.span, "this set is infinite or cannot be listed")
    name = scope.new_name("r")
    of = element_type(s)
    values = Literal(candidates(scope, s, of), system_type(scope.universe, s.type), s.span)
    domain = Elements(values, system_type(scope.universe, of))
    condition = member(scope, Bound(name, s.span), of, s)
    return Quantify(Q.COLLECT, Parameter(name, domain), Bound(name, s.span), condition, s.span)


def candidates(scope: Scope, s: Unary | Binary, of: BType) -> frozenset[Any]:
    """A set of relations between whole types that includes the one between sets that depend on the state."""
    match of:
        case SetOfType(element=PairType(left, right)) if isinstance(s, Binary) and ARROW[s.op].function:
            sides = [all_of_type(scope, side, s.span) for side in (left, right)]
            arrow = Arrow(injective=ARROW[s.op].injective)
            return bounded(relations(arrow, sides[0], sides[1]), s.span)
    return all_of_type(scope, of, s.span)


def tuple_of(scope: Scope, names: tuple[Name, ...], span: Span) -> Expr:
    value = scope.names[names[0].name]
    for name in names[1:]:
        value = apply(O.TUPLE, value, scope.names[name.name], span=span)
    return value


def collect_record(scope: Scope, s: Record, fields: tuple[tuple[str, Formula], ...]) -> Expr:
    names = tuple(Name(v.span, name, type=element_type(v)) for name, v in fields)
    steps: tuple[Step, ...] = tuple(Member(n, v, frozenset({n.name})) for n, (_, v) in zip(names, fields, strict=True))
    return collect(scope, steps, lambda inner: apply(O.TUPLE, *(inner.names[n.name] for n in names), span=s.span), s)


# Bound names.


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


def collect(scope: Scope, plan: tuple[Step, ...], body: Body, f: Formula) -> Expr:
    """The set of the body's values for all solutions of a plan: a union of sets for each parameter but the last."""
    sources = [k for k, step in enumerate(plan) if is_parameter(step)]
    if len(sources) > 1:
        rest = plan[sources[1] :]
        sets = nest(scope, plan[: sources[1]], Q.COLLECT, lambda inner: collect(inner, rest, body, f), f.span)
        return apply(O.BIG_UNION, sets, span=f.span)
    if not sources:
        return nest(scope, plan, Q.COLLECT, lambda inner: apply(O.SET, body(inner), span=f.span), f.span)
    return nest(scope, plan, Q.COLLECT, body, f.span)


def is_parameter(step: Step) -> bool:
    """A step that needs a parameter of its own: not a check, and no plain equation."""
    return not isinstance(step, Check) and not (isinstance(step, Equal) and isinstance(step.pattern, Name))


def nest(scope: Scope, plan: tuple[Step, ...], kind: out.Quantifier, body: Body, span: Span) -> Expr:
    """Quantifiers for the sources of a plan, the checks as their conditions."""
    checks: list[Expr] = []
    k = 0
    while k < len(plan) and isinstance(step := plan[k], Check):
        checks.append(lower(scope, step.condition))
        k += 1
    if k == len(plan):
        return with_checks(kind, checks, body(scope), span)
    source = plan[k]
    if isinstance(source, Equal) and isinstance(source.pattern, Name):
        known = scope.having({source.pattern.name: lower(scope, source.value)})
        return with_checks(kind, checks, nest(known, plan[k + 1 :], kind, body, span), span)
    parameter, inner, tests = bind_source(scope, source)
    k += 1
    while k < len(plan) and isinstance(step := plan[k], Check):
        tests.append(lower(inner, step.condition))
        k += 1
    rest = nest(inner, plan[k:], kind, body, span) if k < len(plan) else body(inner)
    found = Quantify(kind, parameter, rest, conjunction(tests, span), span)
    return with_checks(kind, checks, found, span)


def with_checks(kind: out.Quantifier, checks: list[Expr], found: Expr, span: Span) -> Expr:
    """Conditions that mention no bound name of this plan."""
    if not checks or conjunction(checks) == TRUE:
        return found
    test = conjunction(checks, span)
    match kind:
        case Q.SOME:
            return conjunction([test, found], span)
        case Q.ALL:
            return disjunction([negation(test, span), found], span)
        case Q.COLLECT:
            return Condition(test, found, EMPTY, span)
    return Condition(test, found, number(1 if kind is Q.TIMES else 0), span)


def bind_source(scope: Scope, source: Step, keep: bool = False) -> tuple[Parameter, Scope, list[Expr]]:
    """A parameter for the next unknown names, the scope that knows them, and what is still to be tested.

    With ``keep`` the parameter has the name in the text, else one that nothing else has.
    """
    match source:
        case Equal(pattern, value, unknown):
            found = apply(O.SET, lower(scope, value), span=value.span)
            return bind_pattern(scope, pattern, found, value.type, unknown, keep)
        case Member(pattern, s, unknown):
            return bind_member(scope, pattern, s, unknown, keep)
        case Subset(name, s):
            found = powerset(scope, s)
            return bind_pattern(scope, name, found, name.type, frozenset({name.name}), keep)
        case OneOf(name, options):
            sets = [option_set(scope, option, name) for option in options]
            found = apply(O.UNION, *sets, span=name.span)
            return bind_pattern(scope, name, found, name.type, frozenset({name.name}), keep)
        case Range(name=name):
            return bind_pattern(scope, name, interval(scope, source), name.type, frozenset({name.name}), keep)
        case Anything(name):
            return bind_anything(scope, name, keep)
    raise AssertionError(source)


def bind_member(
    scope: Scope, pattern: Formula, s: Formula, unknown: frozenset[str], keep: bool
) -> tuple[Parameter, Scope, list[Expr]]:
    atoms = given_atoms(scope, s)
    if isinstance(pattern, Name) and atoms is not None:
        name = pattern.name if keep else scope.new_name(pattern.name)
        return Parameter(name, Atoms(atoms)), scope.having({pattern.name: Bound(name, pattern.span)}), []
    return bind_pattern(scope, pattern, set_value(scope, s), element_type(s), unknown, keep)


def set_value(scope: Scope, s: Formula) -> Expr:
    """A set to be gone through; an infinite one is cut, which the reference notes."""
    if listed_set(scope, s) is None and is_fixed(scope, s):
        try:
            found = bounded(scope.reference.elements(s, scope.fixed, cut=True), s.span)
            return literal(scope, found, s.type, s.span)
        except IllDefined:
            return lower(scope, s)
        except Unbounded as problem:
            raise UserError(s.span, problem.message) from None
    return lower(scope, s)


def given_atoms(scope: Scope, s: Formula) -> tuple[int, ...] | None:
    match s:
        case Name(name=name, type=SetOfType(element=Given(name=given))) if name == given and name not in scope.names:
            return scope.universe.atoms[name]
    return None


def powerset(scope: Scope, s: Formula) -> Expr:
    made = Unary(s.span, "POW", s, type=SetOfType(s.type))
    return lower_listed(scope, made)


def option_set(scope: Scope, option: Step, name: Name) -> Expr:
    parameter, inner, tests = bind_source(scope, option)
    body = inner.names[name.name]
    if isinstance(parameter.domain, Elements) and isinstance(body, Bound) and not tests:
        return parameter.domain.set
    return Quantify(Q.COLLECT, parameter, body, conjunction(tests), name.span)


def interval(scope: Scope, source: Range) -> Expr:
    low = [bound(scope, b) for b in source.low] or [number(scope.universe.min_int)]
    high = [bound(scope, b) for b in source.high] or [number(scope.universe.max_int)]
    span = source.name.span
    if not source.low or not source.high:
        scope.reference.note_cut(span, f"{source.name.name} has no bound on one side: MININT..MAXINT is used")
    least = low[0] if len(low) == 1 else apply(O.MAXIMUM, apply(O.SET, *low, span=span), span=span)
    most = high[0] if len(high) == 1 else apply(O.MINIMUM, apply(O.SET, *high, span=span), span=span)
    return apply(O.INTERVAL, least, most, span=span)


def bound(scope: Scope, b: Formula) -> Expr:
    if isinstance(b, Builtin) and b.name in ("NATURAL", "NATURAL1"):
        return number(int(b.name == "NATURAL1"))
    return lower(scope, b)


def bind_anything(scope: Scope, name: Name, keep: bool) -> tuple[Parameter, Scope, list[Expr]]:
    new = name.name if keep else scope.new_name(name.name)
    if isinstance(name.type, Given):
        domain: out.Domain = Atoms(scope.universe.atoms[name.type.name])
    elif name.type == BOOL:
        domain = Elements(literal(scope, frozenset((0, 1)), SetOfType(BOOL), name.span), TRUTH)
    else:
        values = literal(scope, all_of_type(scope, name.type, name.span), SetOfType(name.type), name.span)
        domain = Elements(values, system_type(scope.universe, name.type))
    return Parameter(new, domain), scope.having({name.name: Bound(new, name.span)}), []


def bind_pattern(
    scope: Scope, pattern: Formula, found: Expr, of: BType, unknown: frozenset[str], keep: bool
) -> tuple[Parameter, Scope, list[Expr]]:
    """A parameter for the elements of a set; names of the pattern are its parts, known parts are compared."""
    plain = pattern.name if isinstance(pattern, Name) else ""
    new = plain if keep and plain else scope.new_name(plain or "p")
    names: dict[str, Expr] = {}
    tests: list[Expr] = []
    match_pattern(scope, pattern, Bound(new, pattern.span), unknown, names, tests)
    domain = Elements(found, system_type(scope.universe, of))
    return Parameter(new, domain), scope.having(names), tests


def match_pattern(
    scope: Scope, pattern: Formula, value: Expr, unknown: frozenset[str], names: dict[str, Expr], tests: list[Expr]
) -> None:
    match pattern:
        case Name(name=name) if name in unknown and name not in names:
            names[name] = value
        case Binary(op="|->", left=left, right=right) if unknown & free_names(pattern):
            match_pattern(scope, left, part(value, 0), unknown, names, tests)
            match_pattern(scope, right, part(value, 1), unknown, names, tests)
        case _:
            tests.append(apply(O.EQUAL, value, lower(scope.having(names), pattern), span=pattern.span))
