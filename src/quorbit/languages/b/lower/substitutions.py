"""Substitutions to what commands are made of: every way through a substitution is an ``Outcome``.

Non-determinism becomes hidden parameters; conditions that decide between deterministic branches go into the values,
others into guards. Sequences are composed by putting the values of the first into the second.
"""

from __future__ import annotations

from quorbit.languages.b.lower.binding import EMPTY, bind_source, set_value
from quorbit.languages.b.lower.computed import NeedsSymbolic, computed_set
from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.infinite import is_infinite
from quorbit.languages.b.lower.membership import apply, may_fail, part
from quorbit.languages.b.lower.scope import Scope, fault, is_fault, system_type
from quorbit.languages.b.lower.solved import bind_solved
from quorbit.languages.b.meaning.plan import Check, make_plan
from quorbit.languages.b.syntax.formulas import Apply, Binary, Field, Formula, Name, SetOf
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.syntax.show import show
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assert,
    Assign,
    BecomesIn,
    BecomesSuch,
    Call,
    Case,
    Choice,
    If,
    Let,
    Parallel,
    Pre,
    Select,
    Sequence,
    Skip,
    Substitution,
    Var,
    While,
)
from quorbit.languages.b.syntax.walk import substitute
from quorbit.languages.b.types.typed import TypedOperation
from quorbit.languages.b.types.types import PairType, RecordType, SetOfType
from quorbit.languages.b.types.types import Type as BType
from quorbit.languages.b.types.types import product as tuple_type
from quorbit.model.system.command import Require
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Bound,
    Condition,
    Elements,
    Expr,
    Operator,
    Otherwise,
    Parameter,
    conjunction,
    disjunction,
    negation,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, replace
from quorbit.source.span import Span

__all__ = ["Lowering", "Outcome", "guarded", "outcomes"]

O = Operator
WELL_DEFINED = "run-time errors"


@frozen
class Outcome:
    """One way through: its parameters in order, its guards, what must hold, and the new values of names.

    Guards and domains are never ill-defined: where something is, there is a way of its own that ``fails``.
    """

    parameters: tuple[Parameter, ...] = ()
    guard: tuple[Expr, ...] = ()
    requires: tuple[Require, ...] = ()
    changes: dict[str, Expr] = field(default_factory=dict)
    fails: bool = False

    def then(self, later: Outcome) -> Outcome:
        return Outcome(
            (*self.parameters, *later.parameters),
            (*self.guard, *later.guard),
            (*self.requires, *later.requires),
            {**self.changes, **later.changes},
            self.fails or later.fails,
        )

    @property
    def is_plain(self) -> bool:
        return not (self.parameters or self.guard or self.requires or self.fails)


@frozen
class Lowering:
    """The operations that can be called, by name; ``calls`` are those being put in, to find recursion."""

    operations: dict[str, TypedOperation]
    calls: tuple[str, ...] = ()
    settled: frozenset[int] = frozenset()  # conjuncts (by identity) that hold by the way parameters get their values


def guarded(conditions: list[Expr]) -> Expr:
    """Conditions of a guard: where one is ill-defined the guard is false; each by itself, so that those that need few
    parameters are tested early."""
    return conjunction([Otherwise(c, FALSE, c.span) if may_fail(c) else c for c in conditions])


def outcomes(to: Lowering, scope: Scope, s: Substitution, top: bool = False) -> list[Outcome]:
    """All ways through a substitution; ``top``: PRE is a guard."""
    match s:
        case Skip():
            return [Outcome()]
        case Assign(targets=targets, values=values):
            return [Outcome(changes=assigned(scope, targets, values, s.span))]
        case BecomesIn():
            return becomes_in(scope, s)
        case BecomesSuch():
            return [becomes_such(scope, s)]
        case Pre(predicate=predicate, body=body) if top:
            guard = guarded([lower(scope, c) for c in conjuncts(predicate) if id(c) not in to.settled])
            return [Outcome(guard=nontrivial(guard)).then(o) for o in outcomes(to, scope, body, True)]
        case Pre(predicate=predicate, body=body) | Assert(predicate=predicate, body=body):
            return demanded(scope, s, predicate, outcomes(to, scope, body))
        case Choice(options=options):
            return [o for option in options for o in outcomes(to, scope, option)]
        case If():
            return branches(to, scope, [(lower(scope, p), b) for p, b in s.branches], s.otherwise, s.span)
        case Case():
            return case_of(to, scope, s)
        case Select():
            return select(to, scope, s)
        case Sequence(parts=parts):
            return in_sequence(to, scope, parts)
        case Parallel(parts=parts):
            return in_parallel(to, scope, parts, s.span, top)
        case Call():
            return call(to, scope, s)
        case While():
            raise UserError(
                s.span, "WHILE is not supported here: only in the body of an operation, not in one that is called"
            )
    return with_names(to, scope, s)


def undefined(e: Expr) -> Expr:
    """True where the expression has no value; itself always defined."""
    return Otherwise(negation(apply(O.EQUAL, e, e, span=e.span)), TRUE, e.span)


def failing(values: list[Expr], guard: tuple[Expr, ...] = ()) -> list[Outcome]:
    """A way that fails for each value that may be ill-defined."""
    return [Outcome(guard=(*guard, undefined(v)), requires=defined([v]), fails=True) for v in values if may_fail(v)]


def demanded(scope: Scope, s: Pre | Assert, predicate: Formula, found: list[Outcome]) -> list[Outcome]:
    """The body where the predicate holds, and a way that fails where it does not."""
    what = "precondition" if isinstance(s, Pre) else "ASSERT predicate"
    message = s.message if isinstance(s, Assert) and s.message else f"the {what} does not hold"
    try:
        condition = lower(scope, predicate)
    except UserError as problem:
        if not (isinstance(s, Assert) and s.message):
            raise
        scope.reference.note_cut(predicate.span, f"it is not checked whether {show(predicate)}: {problem.message}")
        return found
    demand = Require(condition, message, WELL_DEFINED, predicate.span)
    holds = guarded([condition])
    bad = Outcome(guard=(negation(holds, predicate.span),), requires=(demand,), fails=True)
    return [Outcome(guard=nontrivial(holds)).then(o) for o in found] + ([bad] if holds != TRUE else [])


def nontrivial(guard: Expr) -> tuple[Expr, ...]:
    return () if guard == TRUE else (guard,)


def with_names(to: Lowering, scope: Scope, s: Substitution) -> list[Outcome]:
    """Locals get names of their own, so that they hide nothing of an operation called inside."""
    match s:
        case Any(names=names, predicate=condition, body=body) | Let(names=names, definition=condition, body=body):
            own = renamed(scope, names)
            parameters, inner, guard = solve(scope, tuple_names(own, names), conjuncts(substitute(condition, own)))
            found = Outcome(parameters, guard)
            rest = outcomes(to, inner, substitute(body, own))
            return [found.then(o) for o in rest]
        case Var(names=names, body=body):
            own = renamed(scope, names)
            inner = scope.having({n.name: fault(n.span) for n in own.values() if isinstance(n, Name)})
            return [without(o, own) for o in outcomes(to, inner, substitute(body, own))]
    raise AssertionError(s)


def renamed(scope: Scope, names: tuple[Name, ...]) -> dict[str, Formula]:
    return {n.name: Name(n.span, scope.new_name(n.name), type=n.type) for n in names}


def tuple_names(own: dict[str, Formula], names: tuple[Name, ...]) -> tuple[Name, ...]:
    return tuple(new for n in names if isinstance(new := own[n.name], Name))


def without(o: Outcome, own: dict[str, Formula]) -> Outcome:
    """The outcome outside the scope of some names; that their last values are well-defined is still demanded."""
    hidden = {n.name for n in own.values() if isinstance(n, Name)}
    kept = {k: v for k, v in o.changes.items() if k not in hidden}
    demands = defined([v for k, v in o.changes.items() if k in hidden])
    return Outcome(o.parameters, o.guard, (*o.requires, *demands), kept, o.fails)


def defined(values: list[Expr]) -> tuple[Require, ...]:
    """Values that are computed and then lost must be well-defined all the same."""
    return tuple(
        Require(apply(O.EQUAL, v, v, span=v.span), "this has no value", WELL_DEFINED, v.span)
        for v in values
        if may_fail(v)
    )


def solve(
    scope: Scope, names: tuple[Name, ...], conditions: tuple[Formula, ...]
) -> tuple[tuple[Parameter, ...], Scope, tuple[Expr, ...]]:
    """Parameters for names that satisfy conditions, and what is left to be tested as a guard."""
    parameters: list[Parameter] = []
    tests: list[Expr] = []
    settled: set[int] = set()
    for step in make_plan(names, conditions):
        if isinstance(step, Check):
            if id(step.condition) not in settled:
                tests.append(lower(scope, step.condition))
            continue
        if (solved := bind_solved(scope, step, conditions)) is not None:
            parameter, scope, hold = solved
            parameters.append(parameter)
            settled |= {id(c) for c in hold}
            continue
        parameter, scope, more = bind_source(scope, step)
        parameters.append(guard_domain(parameter))
        tests.extend(more)
    return tuple(parameters), scope, nontrivial(guarded(tests))


def guard_domain(parameter: Parameter) -> Parameter:
    """An ill-defined set in a guard gives no values."""
    domain = parameter.domain
    if isinstance(domain, Elements) and may_fail(domain.set):
        return Parameter(parameter.name, Elements(Otherwise(domain.set, EMPTY, domain.set.span), domain.type))
    return parameter


def becomes_in(scope: Scope, s: BecomesIn) -> list[Outcome]:
    """x :: S; that S is ill-defined is an error, not a guard."""
    of = tuple_type(tuple(t.type for t in s.targets))
    values = set_value(scope, s.set)
    name = scope.new_name("new")
    parameter = guard_domain(Parameter(name, Elements(values, system_type(scope.universe, of))))
    pairs = list(zip(s.targets, tuple_parts(Bound(name, s.span), of, len(s.targets)), strict=True))
    return [Outcome((parameter,), changes=write(scope, pairs, s.span)), *failing([values])]


def tuple_parts(value: Expr, of: BType, n: int) -> list[Expr]:
    if n == 1:
        return [value]
    assert isinstance(of, PairType)
    return [*tuple_parts(part(value, 0), of.left, n - 1), part(value, 1)]


def becomes_such(scope: Scope, s: BecomesSuch) -> Outcome:
    """x : (P): x is the new value in P, x$0 the old one."""
    old = {f"{t.name}$0": scope.names[t.name] for t in s.targets}
    parameters, inner, guard = solve(scope.having(old), s.targets, conjuncts(s.predicate))
    return Outcome(parameters, guard, changes={t.name: inner.names[t.name] for t in s.targets})


# Branches.


def branches(
    to: Lowering,
    scope: Scope,
    cases: list[tuple[Expr, Substitution]],
    otherwise: Substitution | None,
    span: Span,
) -> list[Outcome]:
    """The first case whose condition holds: inside the values if all cases are deterministic, else as guards."""
    guards = [(condition, outcomes(to, scope, body)) for condition, body in cases if condition != FALSE]
    last = outcomes(to, scope, otherwise or Skip(span))
    every = [o for _, found in (*guards, (TRUE, last)) for o in found]
    plain = all(len(found) == 1 and found[0].is_plain for _, found in (*guards, (TRUE, last)))
    looked_at = any(o.changes for o in every) or not any(may_fail(condition) for condition, _ in guards)
    if plain and looked_at and not any(is_fault(scope.names[name]) for name in assigned_somewhere(every)):
        return [Outcome(changes=chosen(scope, guards, last[0], span))]
    result: list[Outcome] = []
    passed: list[Expr] = []
    for condition, found in (*guards, (TRUE, last)):
        guard = nontrivial(conjunction([*passed, guarded([condition])], span))
        result.extend(Outcome(guard=guard).then(o) for o in found)
        result.extend(failing([condition], tuple(passed)))
        passed.append(guarded([negation(condition, span)]))
    return [o for o in result if FALSE not in o.guard]


def assigned_somewhere(ways: list[Outcome]) -> set[str]:
    """The names that some ways assign and others do not."""
    every = {name for o in ways for name in o.changes}
    return {name for name in every if not all(name in o.changes for o in ways)}


def chosen(scope: Scope, guards: list[tuple[Expr, list[Outcome]]], last: Outcome, span: Span) -> dict[str, Expr]:
    """New values that depend on conditions; a name a branch leaves alone keeps its value."""
    names = dict.fromkeys(n for found in (*(f[0] for _, f in guards), last) for n in found.changes)
    result: dict[str, Expr] = {}
    for name in names:
        value = last.changes.get(name, scope.names[name])
        for condition, found in reversed(guards):
            value = Condition(condition, found[0].changes.get(name, scope.names[name]), value, span)
        result[name] = value
    return result


def case_of(to: Lowering, scope: Scope, s: Case) -> list[Outcome]:
    subject = lower(scope, s.subject)
    cases = [
        (disjunction([apply(O.EQUAL, subject, lower(scope, e), span=e.span) for e in labels]), body)
        for labels, body in s.branches
    ]
    return branches(to, scope, cases, s.otherwise, s.span)


def select(to: Lowering, scope: Scope, s: Select) -> list[Outcome]:
    found: list[Outcome] = []
    conditions = [guarded([lower(scope, c) for c in conjuncts(p) if id(c) not in to.settled]) for p, _ in s.branches]
    for condition, (_, body) in zip(conditions, s.branches, strict=True):
        rest = outcomes(to, scope, body)
        found.extend(Outcome(guard=nontrivial(condition)).then(o) for o in rest)
    if s.otherwise is not None:
        none = negation(disjunction(conditions), s.span)
        rest = outcomes(to, scope, s.otherwise)
        found.extend(Outcome(guard=nontrivial(none)).then(o) for o in rest)
    return [o for o in found if FALSE not in o.guard]


# Composition.


def in_sequence(to: Lowering, scope: Scope, parts: tuple[Substitution, ...]) -> list[Outcome]:
    """One after the other; a value that comes between must be well-defined, whatever follows does with it."""
    found = [Outcome()]
    for k, step in enumerate(parts):
        after = [
            first.then(later)
            for first in found
            for later in ([Outcome()] if first.fails else outcomes(to, scope.having(first.changes), step))
        ]
        between = [first for first in found if k > 0 and not first.fails]
        errors = [first.then(bad) for first in between for bad in failing(list(first.changes.values()))]
        found = [*after, *errors]
    return found


def in_parallel(to: Lowering, scope: Scope, parts: tuple[Substitution, ...], span: Span, top: bool) -> list[Outcome]:
    found = [Outcome()]
    for step in parts:
        others = outcomes(to, scope, step, top)
        for first in found:
            for other in others:
                for name in first.changes.keys() & other.changes.keys():
                    raise UserError(span, f"{name} is assigned twice in parallel")
        found = [first.then(other) for first in found for other in others]
    return found


def call(to: Lowering, scope: Scope, s: Call) -> list[Outcome]:
    """The operation's body in the place of the call, its parameters and results under names of their own."""
    operation = to.operations[s.operation]
    if s.operation in to.calls:
        raise UserError(s.span, f"the operation {s.operation} calls itself")
    own = renamed(scope, (*operation.parameters, *operation.results))
    values = {n.name: fault(s.span) for n in own.values() if isinstance(n, Name)}
    sets: set[str] = set()
    for p, a in zip(tuple_names(own, operation.parameters), s.arguments, strict=True):
        if isinstance(a.type, SetOfType) and is_infinite(scope, a):
            sets.add(p.name)
        values[p.name] = computed_set(scope, a) if p.name in sets else lower(scope, a)
    inner = Lowering(to.operations, (*to.calls, s.operation))
    found: list[Outcome] = []
    for o in outcomes(inner, scope.having(values, frozenset(sets)), substitute(operation.body, own)):
        results = [o.changes.get(r.name, fault(s.span)) for r in tuple_names(own, operation.results)]
        written = write(scope, list(zip(s.targets, results, strict=True)), s.span)
        kept = without(o, own)
        found.append(replace(kept, changes={**kept.changes, **written}))
    return found


# Writing.


def assigned(scope: Scope, targets: tuple[Formula, ...], values: tuple[Formula, ...], span: Span) -> dict[str, Expr]:
    """What an assignment writes; a name that may hold infinite sets gets the whole set, spelled."""
    plain: list[tuple[Formula, Expr]] = []
    sets: dict[str, Formula] = {}
    for target, value in zip(targets, values, strict=True):
        name, whole = whole_formula(target, value)
        if name in scope.symbolic:
            if name in sets:
                raise UserError(span, f"{name} is assigned twice")
            sets[name] = whole
        elif isinstance(value.type, SetOfType) and is_infinite(scope, value):
            if isinstance(target, Name):
                raise NeedsSymbolic(name)
            raise UserError(value.span, "an infinite set cannot be part of another value")
        else:
            plain.append((target, lower(scope, value)))
    return {**write(scope, plain, span), **{name: computed_set(scope, whole) for name, whole in sets.items()}}


def whole_formula(target: Formula, value: Formula) -> tuple[str, Formula]:
    """The name behind a target, and its whole new value if that is a set."""
    match target:
        case Name(name=name):
            return name, value
        case Apply(function=function, arguments=arguments, span=span):
            x = arguments[0]
            for other in arguments[1:]:
                x = Binary(span, "|->", x, other, type=PairType(x.type, other.type))
            pair = Binary(span, "|->", x, value, type=PairType(x.type, value.type))
            new = SetOf(span, (pair,), type=function.type)
            return whole_formula(function, Binary(span, "<+", function, new, type=function.type))
        case Field(record=record):
            return whole_formula(record, value)[0], value  # records hold no infinite sets
    raise AssertionError(target)


def write(scope: Scope, pairs: list[tuple[Formula, Expr]], span: Span) -> dict[str, Expr]:
    changes: dict[str, Expr] = {}
    for target, value in pairs:
        name, whole = whole_value(scope, target, value)
        if name in changes:
            raise UserError(span, f"{name} is assigned twice")
        changes[name] = whole
    return changes


def whole_value(scope: Scope, target: Formula, value: Expr) -> tuple[str, Expr]:
    """f(x) := e means f := f <+ {x |-> e}; r'a := e a record with one field changed."""
    match target:
        case Name(name=name):
            return name, value
        case Apply(function=function, arguments=arguments, span=span):
            x = lower(scope, arguments[0])
            for other in arguments[1:]:
                x = apply(O.TUPLE, x, lower(scope, other), span=span)
            pair = apply(O.SET, apply(O.TUPLE, x, value, span=span), span=span)
            return whole_value(scope, function, apply(O.OVERRIDE, lower(scope, function), pair, span=span))
        case Field(record=record, name=name, span=span):
            assert isinstance(record.type, RecordType)
            old = lower(scope, record)
            fields = [value if n == name else part(old, k) for k, (n, _) in enumerate(record.type.fields)]
            return whole_value(scope, record, apply(O.TUPLE, *fields, span=span))
    raise AssertionError(target)
