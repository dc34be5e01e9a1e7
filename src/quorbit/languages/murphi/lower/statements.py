"""Statements: Murphi's to steps of a command."""

from __future__ import annotations

from quorbit.languages.murphi.lower.calls import (
    copy_spot,
    copy_value,
    find_routine,
    fix_address,
    flag,
    inline_call,
    reads,
)
from quorbit.languages.murphi.lower.changes import always_returns, calls_of, changed_by, may_return
from quorbit.languages.murphi.lower.covers import mark
from quorbit.languages.murphi.lower.expressions import lower, lower_condition, lower_designator, lower_spot
from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.multisets import empty_multiset, lower_add, lower_remove, lower_remove_if
from quorbit.languages.murphi.lower.pure import ways_of
from quorbit.languages.murphi.lower.quantifiers import (
    dynamic_values,
    members,
    type_of,
)
from quorbit.languages.murphi.lower.rotations import lower_wrapped
from quorbit.languages.murphi.lower.store import MOST_NAMED, Spot
from quorbit.languages.murphi.lower.typed import Typed
from quorbit.languages.murphi.syntax.program import (
    Alias,
    AliasStatement,
    Assignment,
    Claim,
    Clear,
    ErrorStatement,
    For,
    If,
    MultisetAdd,
    MultisetRemove,
    MultisetRemoveIf,
    ProcedureCall,
    Put,
    Return,
    Routine,
    Statement,
    Switch,
    Undefine,
    While,
)
from quorbit.languages.murphi.syntax.terms import Call, Expression, Quantifier, Undefined, Word
from quorbit.languages.murphi.types import (
    Boolean,
    Enum,
    EnumRange,
    Multiset,
    Range,
    Scalarset,
    Union,
    bounds,
    is_simple,
    show_type,
    value_names,
)
from quorbit.model.system.command import Assign, Branch, Loop, Print, Require, Shown, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Expr,
    Literal,
    NumberOf,
    Operator,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import BLOCKED
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

MOST_ROUNDS = 1_000  # of a while loop, as for CMurphi
LOW, HIGH = "low bound", "high bound"  # names that no model has


def lower_body(frame: Frame, statements: tuple[Statement, ...]) -> list[Step]:
    """The statements of a rule or a routine, which may return early."""
    steps: list[Step] = []
    found = restructured(statements)
    if returns_early(found, True):
        frame = frame.aside(frame.out)
        frame.done = flag(frame, steps, statements[0].span)
    return steps + lower_block(frame, found, True)


def restructured(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """What follows an ``if`` of which all ways but one return is put into that one, so that each return is the last
    thing that happens."""
    for k, statement in enumerate(statements):
        match statement:
            case If(arms, other, span):
                ways = [restructured(body) for _, body in arms] + [restructured(other)]
                rest = restructured(statements[k + 1 :])
                open_ways = [n for n, body in enumerate(ways) if not always_returns(body)]
                if rest and len(open_ways) == 1 and len(open_ways) < len(ways):
                    ways[open_ways[0]] = (*ways[open_ways[0]], *rest)
                    rest = ()
                tests = [test for test, _ in arms]
                changed = If(tuple(zip(tests, ways[:-1], strict=True)), ways[-1], span)
                return (*statements[:k], changed, *rest)
    return statements


def returns_early(statements: tuple[Statement, ...], tail: bool) -> bool:
    """Whether something could follow a return, so that it has to be skipped."""
    for k, statement in enumerate(statements):
        last = tail and k == len(statements) - 1
        match statement:
            case Return():
                if not last and k < len(statements) - 1:
                    continue  # what follows is never reached and is left out
                if not last:
                    return True
            case If(arms, other):
                if any(returns_early(body, last) for body in (*(body for _, body in arms), other)):
                    return True
            case Switch(_, cases, other):
                if any(returns_early(body, last) for body in (*(body for _, body in cases), other)):
                    return True
            case AliasStatement(body=body):
                if returns_early(body, last):
                    return True
            case For(body=body) | While(body=body):
                if may_return(body):
                    return True
            case _:
                pass
    return False


def lower_block(frame: Frame, statements: tuple[Statement, ...], tail: bool = False) -> list[Step]:
    steps: list[Step] = []
    for k, statement in enumerate(statements):
        last = tail and k == len(statements) - 1
        mark = len(frame.context.scratch.held)
        if isinstance(statement, Put) and frame.shows is not None:
            frame.shows.append(Print((shown(frame, statement.value),), len(steps)))
        steps += lower_statement(frame, statement, last)
        frame.context.give_back(mark)
        if isinstance(statement, Return):
            break
        if not last and may_return([statement]) and k < len(statements) - 1:
            rest = lower_block(frame, statements[k + 1 :], tail)
            return [*steps, *unless_done(frame, rest, statement.span)]
    return steps


def unless_done(frame: Frame, steps: list[Step], span: Span) -> list[Step]:
    assert frame.done is not None
    return [Branch(equal(frame.done.read(span), TRUE, span), (), tuple(steps), span)] if steps else []


def lower_statement(frame: Frame, statement: Statement, tail: bool) -> list[Step]:
    steps: list[Step] = []
    frame = frame.aside(steps)
    match statement:
        case Assignment(target, value, span):
            steps += lower_assignment(frame, lower_spot(frame, target), value, span)
        case If() if (turned := lower_turn(frame, statement)) is not None:
            steps += turned
        case If() | Switch():
            steps += lower_ways(frame, ways_of(statement), tail, statement.span)
        case For(quantifiers, body):
            steps += lower_for(frame, list(quantifiers), body)
        case While():
            steps += lower_while(frame, statement)
        case ProcedureCall(call):
            routine = find_routine(frame, call)
            steps += inline(frame, routine, call, None)
        case Clear(target, span):
            steps += clear(frame, lower_spot(frame, target), span)
        case Undefine(target, span):
            steps += undefine_all(frame, lower_spot(frame, target), span)
        case ErrorStatement(text, span):
            steps.append(Require(FALSE, text or "error", span=span))
        case Claim():
            steps += lower_claim(frame, statement)
        case Put():
            pass
        case AliasStatement(aliases, body):
            steps += lower_block(bind_aliases(frame, aliases, body), body, tail)
        case Return(value, span):
            steps += lower_return(frame, value, tail, span)
        case MultisetAdd():
            steps += lower_add(frame, statement)
        case MultisetRemove():
            steps += lower_remove(frame, statement)
        case MultisetRemoveIf():
            steps += lower_remove_if(frame, statement)
    return steps


def inline(frame: Frame, routine: Routine, call: Call, result: Spot | None) -> list[Step]:
    return inline_call(frame, routine, call, result, lower, lower_designator, lower_body)


# Assignments.


def lower_assignment(frame: Frame, target: Spot, value: Expression, span: Span) -> list[Step]:
    context = frame.context
    if isinstance(value, Undefined):
        return undefine_all(frame, target, span)
    if is_simple(target.type):
        return assign_simple(frame, target, lower(frame, value), span)
    source = lower_spot(frame, value)
    if source.type != target.type:
        raise UserError(span, f"this is {show_type(source.type)} of another type")
    return copy_spot(context, source, target, span)


def assign_simple(frame: Frame, target: Spot, typed: Typed, span: Span) -> list[Step]:
    context = frame.context
    stored = context.values.stored(typed, target)
    may_be_undefined = typed.raw is not None and context.store.may_be_undefined(typed.raw.key)
    if may_be_undefined:
        frame.sure.discard(target.root)
    elif not target.address and target.root == target.name:
        frame.sure.add(target.root)
    return [Together((Assign(target.read(span), stored),))]


def lower_turn(frame: Frame, statement: If) -> list[Step] | None:
    """The step of ``if x = high then x := low else x := x + 1``, which goes round a ring; None for others."""
    match statement:
        case If(((test, (Assignment(target, then),)),), (Assignment(again, other, span),)):
            aside = frame.aside(None if frame.out is None else [], set(frame.sure))
            if any(calls_of(target)) or any(calls_of(again)) or lower_spot(aside, target) != lower_spot(aside, again):
                return None
            found = lower_wrapped(frame, test, then, other, lower)
            return None if found is None else assign_simple(frame, lower_spot(frame, target), found, span)
        case _:
            return None


def undefine_all(frame: Frame, spot: Spot, span: Span) -> list[Step]:
    frame.sure.discard(spot.root)
    simple: list[Spot] = []
    steps: list[Step] = []
    for leaf in frame.context.store.leaves(spot):
        if isinstance(leaf.type, Multiset):
            steps += empty_multiset(frame, leaf, span)
        else:
            simple.append(leaf)
            frame.context.values.facts.undefined.add(leaf.key)
    assignments = [Assign(leaf.read(span), frame.context.absent(leaf, span)) for leaf in simple]
    return [Together(tuple(assignments)), *steps] if assignments else steps


def clear(frame: Frame, spot: Spot, span: Span) -> list[Step]:
    """Every part gets the first value of its type."""
    store = frame.context.store
    steps: list[Step] = []
    assignments = []
    for leaf in store.leaves(spot):
        if isinstance(leaf.type, Multiset):
            steps += empty_multiset(frame, leaf, span)
        else:
            value = store.first_value(leaf.type, span)  # type: ignore[arg-type]
            assignments.append(Assign(leaf.read(span), value))
    if not spot.address and spot.root == spot.name:
        frame.sure.add(spot.root)
    return [Together(tuple(assignments)), *steps] if assignments else steps


# Ways.


def lower_ways(
    frame: Frame, ways: list[tuple[Expression | None, tuple[Statement, ...]]], tail: bool, span: Span
) -> list[Step]:
    """The steps of the first way whose test holds."""
    (test, body), *others = ways
    if test is None:
        return lower_block(frame, body, tail)
    before: list[Step] = []
    condition = lower_condition(frame.aside(before), test)
    if isinstance(condition, Literal):
        chosen = lower_block(frame, body, tail) if condition.value else lower_ways(frame, others, tail, span)
        return [*before, *chosen]
    sure = set(frame.sure)
    then = lower_block(frame.aside(frame.out, frame.sure), body, tail)
    after_then = set(frame.sure)
    frame.sure.clear()
    frame.sure.update(sure)
    other = lower_ways(frame, others, tail, span)
    frame.sure.intersection_update(after_then)
    if not then and not other:
        return [*before, *tested(condition, test.span)]
    return [*before, Branch(condition, tuple(then), tuple(other), test.span)]


def tested(condition: Expr, span: Span) -> list[Step]:
    """A test without consequences may still be a fault."""
    return [Branch(condition, (), (), span)]


def lower_for(frame: Frame, quantifiers: list[Quantifier], body: tuple[Statement, ...]) -> list[Step]:
    if not quantifiers:
        return lower_block(frame, body)
    q, *rest = quantifiers
    type = type_of(frame, q)
    steps: list[Step] = []
    rounds: list[tuple[Typed, Expr]]
    if type is None:
        rounds = kept_rounds(frame, q, body, steps)
    else:
        rounds = [(value, TRUE) for value in members(frame, q, type)]
    returns = may_return(body)
    found: list[list[Step]] = []
    for value, inside in rounds:
        made = lower_for(frame.bind({q.name.text: value}), rest, body)
        found.append(made if inside == TRUE else [Branch(inside, tuple(made), (), q.span)] if made else [])
    if not returns:
        return [*steps, *(step for made in found for step in made)]
    nested: list[Step] = []
    for made in reversed(found):
        nested = [*made, *unless_done(frame, nested, q.span)]
    return [*steps, *nested]


def kept_rounds(
    frame: Frame, q: Quantifier, body: tuple[Statement, ...], steps: list[Step]
) -> list[tuple[Typed, Expr]]:
    """The rounds of a loop whose bounds depend on the state; the bounds are looked at once, before the loop."""
    assert q.low is not None
    assert q.high is not None
    changed = changed_by(frame.context, body, roots_of(frame))
    kept: dict[str, Typed | Spot] = {}
    for name, bound in ((LOW, q.low), (HIGH, q.high)):
        typed = lower(frame, bound)
        must_keep = reads(typed.expr, changed) and is_simple(typed.type)
        kept[name] = copy_value(frame, typed, typed.type, bound.span) if must_keep else typed
    asked = replace(q, low=Word(LOW, q.low.span), high=Word(HIGH, q.high.span))
    return dynamic_values(frame.bind(kept), asked, lower)


def lower_while(frame: Frame, statement: While) -> list[Step]:
    before: list[Step] = []
    frame.sure.clear()
    condition = lower_condition(frame.aside(before), statement.test)
    if before:
        raise UserError(statement.test.span, "the condition of a loop should only compute a value")
    body = lower_block(frame, statement.body)
    if may_return(statement.body):
        assert frame.done is not None
        done = equal(frame.done.read(statement.span), TRUE)
        condition = conjunction([negation(done), condition], statement.span)
    frame.sure.clear()
    return [Loop(condition, tuple(body), MOST_ROUNDS, statement.span)]


def lower_return(frame: Frame, value: Expression | None, tail: bool, span: Span) -> list[Step]:
    steps: list[Step] = []
    if value is not None:
        if frame.result is None:
            raise UserError(span, "only a function returns a value")
        steps += lower_assignment(frame, frame.result, value, span)
    elif frame.result is not None:
        raise UserError(span, "a function returns a value")
    if not tail and frame.done is not None:
        steps.append(Together((Assign(frame.done.read(span), TRUE),)))
    return steps


def lower_claim(frame: Frame, claim: Claim) -> list[Step]:
    before: list[Step] = []
    condition = lower_condition(frame.aside(before), claim.condition)
    match claim.kind:
        case "assume":
            return [*before, Require(condition, claim.text or "assumption", BLOCKED, claim.span)]
        case "cover":
            return [*before, mark(condition, claim.span)]
        case _:
            return [*before, Require(condition, claim.text or "assertion failed", span=claim.span)]


def shown(frame: Frame, value: str | Expression) -> str | Shown:
    """A text, or a value in the words of its type."""
    if isinstance(value, str):
        return value
    typed = lower(frame.aside(None), value)
    store = frame.context.store
    if not isinstance(typed.type, Boolean | Range | Scalarset | Enum | EnumRange | Union):
        return Shown(typed.expr)
    names, sort = value_names(typed.type), store.sort_of(typed.type)
    low = bounds(typed.type)[0]
    first = NumberOf(typed.expr, sort.atoms, 1) if sort else Apply(Operator.SUBTRACT, (typed.expr, number(low - 1)))
    return Shown(first, "e", names) if len(names) <= MOST_NAMED else Shown(typed.expr)


# Names for places.


def bind_aliases(frame: Frame, aliases: tuple[Alias, ...], body: tuple[Statement, ...]) -> Frame:
    """An alias is the place that its expression names where the alias begins."""
    roots = roots_of(frame)
    for alias in aliases:
        found = lower_designator(frame, alias.value)
        if isinstance(found, Spot):
            roots[alias.name.text] = found.root
        frame = frame.bind({alias.name.text: found})
    changed = changed_by(frame.context, body, roots)
    for alias in aliases:
        found = frame.names[alias.name.text]
        if isinstance(found, Spot):
            frame = frame.bind({alias.name.text: fix_address(frame, found, changed, alias.name.span)})
    return frame


def roots_of(frame: Frame) -> dict[str, str]:
    """The variables that names stand for here."""
    return {name: found.root for name, found in frame.names.items() if isinstance(found, Spot)}
