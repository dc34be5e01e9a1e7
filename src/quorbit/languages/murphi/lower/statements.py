"""Statements: Murphi's to steps of a command."""

from __future__ import annotations

from quorbit.languages.murphi.lower.calls import (
    copy_spot,
    find_routine,
    fix_address,
    flag,
    inline_call,
    undefine,
)
from quorbit.languages.murphi.lower.changes import always_returns, changed_by, may_return
from quorbit.languages.murphi.lower.expressions import lower, lower_condition, lower_designator, lower_spot
from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.pure import ways_of
from quorbit.languages.murphi.lower.quantifiers import (
    dynamic_values,
    is_home,
    is_present,
    members,
    slots_of,
    type_of,
)
from quorbit.languages.murphi.lower.store import Slots, Spot
from quorbit.languages.murphi.lower.typed import Typed
from quorbit.languages.murphi.syntax import (
    Alias,
    AliasStatement,
    Assignment,
    Call,
    Claim,
    Clear,
    ErrorStatement,
    Expression,
    For,
    If,
    MultisetAdd,
    MultisetRemove,
    MultisetRemoveIf,
    Name,
    ProcedureCall,
    Put,
    Quantifier,
    Return,
    Routine,
    Statement,
    Switch,
    Undefine,
    Undefined,
    While,
)
from quorbit.languages.murphi.types import Multiset, SlotOf, is_simple, show_type
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.command import Assign, Branch, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Atoms,
    Bound,
    Expr,
    Fresh,
    Literal,
    Parameter,
    Read,
    atom,
    conjunction,
    equal,
    negation,
)
from quorbit.model.system.system import ASSUMED
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.span import Span

MOST_ROUNDS = 1_000  # of a while loop, as for CMurphi


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
        typed = lower(frame, value)
        stored = context.values.stored(typed, target)
        may_be_undefined = typed.raw is not None and context.store.may_be_undefined(typed.raw.key)
        if may_be_undefined:
            frame.sure.discard(target.root)
        elif not target.address and target.root == target.name:
            frame.sure.add(target.root)
        return [Together((Assign(target.read(span), stored),))]
    source = lower_spot(frame, value)
    if source.type != target.type:
        raise UserError(span, f"this is {show_type(source.type)} of another type")
    return copy_spot(context, source, target, span)


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
    kept: dict[str, Typed | Spot] = {}
    assert q.low is not None
    assert q.high is not None
    changed = changed_by(frame.context, body, roots_of(frame))
    names = []
    for k, bound in enumerate((q.low, q.high)):
        typed = lower(frame, bound)
        name = f"bound {k}"
        from quorbit.languages.murphi.lower.calls import copy_value, reads

        if reads(typed.expr, changed) and is_simple(typed.type):
            kept[name] = copy_value(frame, typed, typed.type, bound.span)
        else:
            kept[name] = typed
        names.append(name)
    from dataclasses import replace

    from quorbit.languages.murphi.syntax import Word

    asked = replace(q, low=Word(names[0], q.low.span), high=Word(names[1], q.high.span))
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
            return [*before, Require(condition, claim.text or "assumption", ASSUMED, claim.span)]
        case "cover":
            return before
        case _:
            return [*before, Require(condition, claim.text or "assertion failed", span=claim.span)]


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


# Multisets.


def lower_add(frame: Frame, statement: MultisetAdd) -> list[Step]:
    """The element goes into a free slot; which one is all the same."""
    spot, slots = slots_of(frame, statement.set, lower_designator)
    name = frame.context.fresh_name("slot")
    slot = Bound(name, statement.span)
    there = Read(slots.present, (slot,), (), statement.span)
    free = conjunction([*is_home(slots, spot, slot, statement.span), negation(there)], statement.span)
    full = f"the multiset {spot.key} is full"
    taken = Require(negation(equal(slot, atom(NONE))), full, FAULTS, statement.span)
    store = frame.context.store.slot(spot, slot)
    body: list[Step] = [taken, Together((Assign(there, TRUE),))]
    if is_simple(store.type):
        value = lower(frame, statement.element)
        body.append(Together((Assign(store.read(statement.span), frame.context.values.stored(value, store)),)))
    else:
        source = lower_spot(frame, statement.element)
        if source.type != store.type:
            raise UserError(statement.element.span, "this is not what the multiset holds")
        body += copy_spot(frame.context, source, store, statement.span)
    cells = slots.cells if len(slots.cells) > 1 else ()
    return [Pick(Parameter(name, Fresh(slots.atoms, free, cells)), tuple(body))]


def lower_remove(frame: Frame, statement: MultisetRemove) -> list[Step]:
    spot, slots = slots_of(frame, statement.set, lower_designator)
    index = lower(frame, statement.index)
    if index.type != SlotOf(spot.key):
        raise UserError(index.span, "an element of this multiset is expected, chosen by 'choose'")
    return remove_slot(frame, spot, slots, index.expr, statement.span)


def remove_slot(frame: Frame, spot: Spot, slots: Slots, slot: Expr, span: Span) -> list[Step]:
    element = frame.context.store.slot(spot, slot)
    for leaf in frame.context.store.leaves(element):
        frame.context.values.facts.undefined.add(leaf.key)
    gone = Assign(Read(slots.present, (slot,), (), span), FALSE)
    (undefined,) = undefine(frame.context, element, span)
    assert isinstance(undefined, Together)
    return [Together((gone, *undefined.assignments))]


def lower_remove_if(frame: Frame, statement: MultisetRemoveIf) -> list[Step]:
    spot, slots = slots_of(frame, statement.set, lower_designator)
    steps: list[Step] = []
    for a in slots.atoms:
        slot = atom(a, statement.span)
        inner = frame.bind({statement.name.text: Typed(slot, SlotOf(spot.key), statement.span, True)})
        condition = lower_condition(inner.aside(None), statement.condition)
        test = conjunction([is_present(slots, spot, slot, statement.span), condition], statement.span)
        steps.append(
            Branch(fold(test), tuple(remove_slot(frame, spot, slots, slot, statement.span)), (), statement.span)
        )
    return steps


def empty_multiset(frame: Frame, spot: Spot, span: Span) -> list[Step]:
    slots = frame.context.store.slots[spot.key]
    name = Name("element", span)
    steps: list[Step] = []
    for a in slots.atoms:
        homes = is_home(slots, spot, atom(a, name.span), span)
        gone = remove_slot(frame, spot, slots, atom(a, span), span)
        steps += [Branch(conjunction(list(homes)), tuple(gone), (), span)] if homes else gone
    return steps


__all__ = ["Atoms", "bind_aliases", "inline", "lower_body"]
