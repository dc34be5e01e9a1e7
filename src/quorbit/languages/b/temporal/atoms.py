"""The atoms of ProB's temporal formulas: what is true of a state or of the step that is taken there.

Of a state: {P}, e(op), e(op(1, 2)), deadlock, deadlock(a, b), sink, goal, current, det(a, b), ctrl(a, b). Of a step:
[op], [op(1, _)], BA({x > x$0}), changed({e}), unchanged({e}), increasing({e}), decreasing({e}). Of a run: WF(op),
SF(op), WEF, SEF.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations

from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.scope import system_type
from quorbit.languages.b.meaning.explore import START
from quorbit.languages.b.syntax.formulas import Formula as BFormula
from quorbit.languages.b.syntax.formulas import Name
from quorbit.languages.b.syntax.walk import descendants
from quorbit.languages.b.temporal.parse import DEAD
from quorbit.languages.b.temporal.reading import Reading, read_predicate, read_typed
from quorbit.languages.b.temporal.steps import Since, Taken
from quorbit.languages.b.types.types import INTEGER, PREDICATE
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Expr,
    Literal,
    Operator,
    Quantifier,
    Quantify,
    Read,
    conjunction,
    disjunction,
    negation,
)
from quorbit.model.system.formula import Always, Eventually, Formula, Implies, Proposition, conjoin
from quorbit.model.system.system import Invariant, Variable
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["read_atom"]

O = Operator
CALL = re.compile(r"\s*([^\W\d][\w.]*)\s*")
WORD = re.compile(r"[^\W\d]\w*")
EXPECTED = "expected {predicate}, [operation], e(operation), deadlock, sink or another atom of ProB's temporal logic"


@frozen
class Call:
    """An operation, with arguments or without; None for an argument that may be anything."""

    operation: str
    arguments: tuple[BFormula | None, ...] | None
    span: Span


def read_atom(reading: Reading, span: Span) -> tuple[Formula, int]:
    """The atom at the start of the span, and where it ends."""
    if span.text.startswith("{"):
        end = closing(span)
        holds = read_predicate(reading, inside(span, end))
        return Proposition(conjunction([reading.ready, holds])), end
    if span.text.startswith("["):
        end = closing(span)
        (call,) = read_calls(reading, inside(span, end))
        return Proposition(taken(reading, call)), end
    found = WORD.match(span.text)
    word = found.group() if found else ""
    end = span.start + len(word)
    if word in PLAIN:
        bracket = re.match(r"\s*\(", span.source.text[end : span.end])
        if word != "deadlock" or bracket is None:
            return PLAIN[word](reading, Span(span.source, span.start, end)), end
    bracket = re.match(r"\s*\(", span.source.text[end : span.end]) if word else None
    if bracket is not None and (word in OF_CALLS or word in OF_VALUES):
        begin = Span(span.source, end + bracket.end() - 1, span.end)
        end = closing(begin)
        if word in OF_CALLS:
            return OF_CALLS[word](reading, read_calls(reading, inside(begin, end))), end
        return OF_VALUES[word](reading, inside(begin, end)), end
    raise UserError(Span(span.source, span.start, min(span.start + 1, span.end)), EXPECTED)


def closing(span: Span) -> int:
    """Where the bracket closes that the span begins with."""
    depth = 0
    opens = span.text[0]
    closes = {"{": "}", "(": ")", "[": "]"}[opens]
    for i, c in enumerate(span.text):
        depth += (c == opens) - (c == closes)
        if depth == 0:
            return span.start + i + 1
    raise UserError(Span(span.source, span.start, span.start + 1), f"this {opens} is not closed")


def inside(span: Span, end: int) -> Span:
    return Span(span.source, span.start + 1, end - 1)


# Operations.


def read_calls(reading: Reading, span: Span) -> list[Call]:
    """Operations between commas, each with arguments or without."""
    found: list[Call] = []
    at = span.start
    while True:
        name = CALL.match(span.source.text, at, span.end)
        if name is None:
            raise UserError(Span(span.source, at, min(at + 1, span.end)), "expected the name of an operation")
        here = Span(span.source, name.start(1), name.end(1))
        if name.group(1) not in reading.parameters:
            raise UserError(here, f"there is no operation {name.group(1)}")
        at, arguments = name.end(), None
        if span.source.text.startswith("(", at, span.end):
            bracket = Span(span.source, at, span.end)
            at = closing(bracket)
            arguments = read_arguments(reading, name.group(1), Span(span.source, bracket.start, at))
        found.append(Call(name.group(1), arguments, here))
        rest = re.compile(r"\s*,").match(span.source.text, at, span.end)
        if rest is None:
            break
        at = rest.end()
    if span.source.text[at : span.end].strip():
        raise UserError(Span(span.source, at, span.end), "expected , or the end of the operation")
    return found


def read_arguments(reading: Reading, operation: str, span: Span) -> tuple[BFormula | None, ...]:
    """The formulas between commas, with their types; _ stands for any value."""
    found = [part for part in between_commas(inside(span, span.end)) if part.text.strip()]
    parameters = reading.parameters[operation]
    if len(found) != len(parameters):
        raise UserError(span, f"{operation} has {len(parameters)} parameters, not {len(found)}")
    return tuple(None if part.text.strip() == "_" else read_typed(reading, part) for part in found)


def between_commas(span: Span) -> Iterator[Span]:
    """The parts of a text between the commas that stand outside brackets."""
    depth, start = 0, span.start
    for at, c in enumerate(span.text, span.start):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            yield Span(span.source, start, at)
            start = at + 1
    yield Span(span.source, start, span.end)


def tests_of(reading: Reading, call: Call) -> list[Expr]:
    """What the parameters of a command must be."""
    pairs = zip(reading.parameters[call.operation], call.arguments or (), strict=False)
    return [
        Apply(O.EQUAL, (Bound(p.name), lower(reading.scope, argument)), call.span)
        for p, argument in pairs
        if argument is not None
    ]


def taken(reading: Reading, call: Call) -> Taken:
    return Taken(call.operation, tuple(tests_of(reading, call)))


def can_run(reading: Reading, call: Call) -> Expr:
    """Some way through the operation has a true guard for some values of its parameters that pass the tests."""
    tests = tests_of(reading, call)
    commands = [c for c in reading.system.commands if c.label == call.operation]
    return disjunction([some_value(c, [*tests, c.guard], call.span) for c in commands])


def some_value(command: Command, tests: list[Expr], span: Span) -> Expr:
    """Whether the tests hold for some values of the command's parameters."""
    found: Expr = conjunction(tests)
    for parameter in reversed(command.parameters):
        found = Quantify(Quantifier.SOME, parameter, found, span=span)
    return found


def enabled(reading: Reading, calls: list[Call]) -> Formula:
    return Proposition(conjunction([can_run(reading, call) for call in calls]))


def disabled(reading: Reading, calls: list[Call]) -> Formula:
    return Proposition(negation(disjunction([can_run(reading, call) for call in calls])))


def at_most_one(reading: Reading, calls: list[Call]) -> Expr:
    both = [conjunction(list(pair)) for pair in combinations([can_run(reading, call) for call in calls], 2)]
    return negation(disjunction(both))


def exactly_one(reading: Reading, calls: list[Call]) -> Expr:
    return conjunction([disjunction([can_run(reading, call) for call in calls]), at_most_one(reading, calls)])


def fair(reading: Reading, calls: list[Call], strong: bool) -> Formula:
    """An operation that can run from some moment on (strong: again and again) does run again and again."""
    return conjoin(tuple(fair_to(reading, call, strong) for call in calls))


def fair_to(reading: Reading, call: Call, strong: bool) -> Formula:
    can = Proposition(can_run(reading, call))
    asked: Formula = Always(Eventually(can)) if strong else Eventually(Always(can))
    return Implies(asked, Always(Eventually(Proposition(taken(reading, call)))))


def fair_to_all(reading: Reading, span: Span, strong: bool) -> Formula:
    return fair(reading, [Call(name, None, span) for name in reading.parameters], strong)


# States.


def sink(reading: Reading, span: Span) -> Formula:
    """No step leads to another state."""
    ways = [
        some_value(c, [c.guard, changes_something(c, span)], span)
        for c in reading.system.commands
        if c.label in reading.parameters
    ]
    return Proposition(conjunction([reading.ready, negation(disjunction(ways))]))


def changes_something(command: Command, span: Span) -> Expr:
    found: list[Expr] = []
    for step in command.effect:
        if isinstance(step, Together):
            for a in step.assignments:
                if a.target.variable == "STEP":
                    raise UserError(span, f"'sink' cannot be decided here: {command.label} has a loop")
                found.append(negation(Apply(O.EQUAL, (a.target, a.value), span)))
    return disjunction(found)


def goal(reading: Reading, span: Span) -> Formula:
    for p in reading.system.properties:
        if isinstance(p, Invariant) and p.goal:
            return Proposition(negation(p.condition))
    raise UserError(span, "the machine has no GOAL")


def current(reading: Reading, span: Span) -> Formula:
    """The state the run begins in; it must be the only one, for the atom names one state."""
    meaning = Meaning(reading.system)
    first = meaning.initial_states()
    if any(c.label == START for c in reading.system.commands) and len(first) == 1:
        first = [move.target for move in meaning.moves(first[0])]
    if len(set(first)) != 1:
        raise UserError(span, "'current' needs a machine with one initial state; say which state by {predicate}")
    same = [
        Apply(O.EQUAL, (Read(place.variable), Literal(value, place.type)), span)
        for place, value in zip(reading.system.places, first[0], strict=True)
    ]
    return Proposition(conjunction(list(same)))


# Steps that change values.


def before_after(reading: Reading, span: Span) -> Formula:
    """BA({P}): P holds after the step, where x$0 is what x was before."""
    typed = read_typed(reading, braces(span))
    if typed.type != PREDICATE:
        raise UserError(span, f"a predicate expected, found an expression of type {typed.type}")
    old = {d.name: d for d in descendants(typed) if isinstance(d, Name) and d.old}
    kept = {name: kept_value(reading, n.type, f"{name}$0") for name, n in old.items()}
    scope = reading.scope.having({f"{name}$0": Read(v.name) for name, v in kept.items()})
    values = tuple((v, reading.scope.names[name]) for name, v in kept.items())
    return Proposition(Since(values, lower(scope, typed)))


def compared(compare: Callable[[Expr, Expr, Span], Expr], numbers: bool = False) -> Callable[[Reading, Span], Formula]:
    def read(reading: Reading, span: Span) -> Formula:
        typed = read_typed(reading, braces(span))
        if numbers and typed.type != INTEGER:
            raise UserError(span, f"a number expected, found an expression of type {typed.type}")
        value = lower(reading.scope, typed)
        before = kept_value(reading, typed.type, span.text.strip())
        return Proposition(Since(((before, value),), compare(Read(before.name), value, span)))

    return read


def kept_value(reading: Reading, of: object, text: str) -> Variable:
    return Variable(f"before {text}", system_type(reading.scope.universe, of))  # type: ignore[arg-type]


def braces(span: Span) -> Span:
    text = span.text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise UserError(span, "expected { and } round the formula")
    start = span.start + span.text.index("{")
    return Span(span.source, start + 1, start + len(text) - 1)


def same(a: Expr, b: Expr, span: Span) -> Expr:
    return Apply(O.EQUAL, (a, b), span)


def less(a: Expr, b: Expr, span: Span) -> Expr:
    return Apply(O.LESS, (a, b), span)


PLAIN: dict[str, Callable[[Reading, Span], Formula]] = {
    "deadlock": lambda reading, span: DEAD,
    "sink": sink,
    "goal": goal,
    "current": current,
    "WEF": lambda reading, span: fair_to_all(reading, span, False),
    "SEF": lambda reading, span: fair_to_all(reading, span, True),
}
OF_CALLS: dict[str, Callable[[Reading, list[Call]], Formula]] = {
    **dict.fromkeys(("e", "enabled"), enabled),
    "deadlock": disabled,
    **dict.fromkeys(("det", "deterministic"), lambda r, calls: Proposition(at_most_one(r, calls))),
    **dict.fromkeys(("ctrl", "controller"), lambda r, calls: Proposition(exactly_one(r, calls))),
    **dict.fromkeys(("WF", "weak_fair"), lambda r, calls: fair(r, calls, False)),
    **dict.fromkeys(("SF", "strong_fair"), lambda r, calls: fair(r, calls, True)),
}
OF_VALUES: dict[str, Callable[[Reading, Span], Formula]] = {
    "BA": before_after,
    "unchanged": compared(same),
    "changed": compared(lambda a, b, span: negation(same(a, b, span))),
    "increasing": compared(less, True),
    "decreasing": compared(lambda a, b, span: less(b, a, span), True),
}
