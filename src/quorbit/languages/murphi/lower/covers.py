"""``cover`` inside a rule: should be reached, with its condition true, by some run.

While a model is read, such a statement is a mark among the steps.  The System of the model only evaluates its
condition; each cover is a question about a System of its own that remembers whether its mark was reached, and where
nothing moves any more once it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from quorbit.languages.murphi.lower.changes import blocks
from quorbit.languages.murphi.syntax.program import (
    AliasRule,
    AliasStatement,
    Choose,
    Claim,
    Program,
    PropertyRule,
    RuleItem,
    Ruleset,
    SimpleRule,
    StartState,
    Statement,
)
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import FALSE, TRUE, Expr, Literal, Read, conjunction, disjunction, equal, negation
from quorbit.model.system.once import Once
from quorbit.model.system.properties import to_reach
from quorbit.model.system.system import ASSUMED, BLOCKED, System, Temporal, Variable
from quorbit.model.system.types import TRUTH
from quorbit.source.frozen import replace
from quorbit.source.span import Span

MARK = "cover "  # begins what a marked step calls its property
REACHED = "cover reached"  # a name that no variable of a model has
IS_REACHED = Read(REACHED)

Change = Callable[[Require], tuple[Step, ...]]


def covers_in(program: Program) -> Iterator[Claim]:
    """The cover statements of a model in the order of the text, those that no command performs included."""
    bodies = [routine.body for routine in program.routines.values()] + list(bodies_of(program.rules))
    found = (claim for body in bodies for claim in covers_among(body))
    yield from sorted(found, key=lambda claim: claim.span.start)


def bodies_of(items: Iterable[RuleItem]) -> Iterator[tuple[Statement, ...]]:
    for item in items:
        match item:
            case SimpleRule(body=body) | StartState(body=body):
                yield body
            case Ruleset(rules=rules) | AliasRule(rules=rules) | Choose(rules=rules):
                yield from bodies_of(rules)
            case PropertyRule():
                pass


def covers_among(body: Iterable[Statement]) -> Iterator[Claim]:
    for statement in body:
        if isinstance(statement, Claim) and statement.kind == "cover":
            yield statement
        inner = [statement.body] if isinstance(statement, AliasStatement) else blocks(statement)
        for inside in inner:
            yield from covers_among(inside)


def mark(condition: Expr, span: Span) -> Require:
    """The mark of the cover statement that stands here."""
    return Require(condition, "", f"{MARK}{span.start}", span)


def evaluated(command: Command) -> Command:
    """The command with all covers evaluated and nothing else: their conditions may be faults."""
    return rewritten(command, lambda step: evaluate(step) if step.property.startswith(MARK) else (step,))


def reached_by(command: Command, span: Span) -> Command:
    """The command, for which reaching this cover is a violation and other covers are only evaluated."""
    return rewritten(command, lambda step: violate(step, span))


def violate(step: Require, span: Span) -> tuple[Step, ...]:
    if not step.property.startswith(MARK):
        return (step,)
    return (replace(step, condition=negation(step.condition)),) if step.span == span else evaluate(step)


def evaluate(step: Require) -> tuple[Step, ...]:
    return () if isinstance(step.condition, Literal) else (Branch(step.condition, (), (), step.span),)


def watched(system: System, commands: list[Command], covers: list[Claim], known: frozenset[Span]) -> Iterator[Temporal]:
    """One property for each cover.  ``system``: without marks; ``commands``: with them; ``known``: the covers that a
    start state reaches."""
    names = {p.name for p in system.properties}
    for k, claim in enumerate(covers):
        span = claim.span
        name = claim.text or f"cover in line {span.line}"
        name = name if name not in names else f"{name} ({k + 1})"
        names.add(name)
        if span in known:
            yield to_reach(name, TRUE, span)
            continue
        found = to_reach(name, equal(IS_REACHED, TRUE), span)
        about = replace(
            system,
            variables=(*system.variables, Variable(REACHED, TRUTH)),
            commands=tuple(watching(command, span) for command in commands),
            start=tuple(replace(start, effect=(*start.effect, set_reached(FALSE))) for start in system.start),
            properties=(found,),
        )
        yield replace(found, about=about)


def watching(command: Command, span: Span) -> Command:
    found = rewritten(command, lambda step: watch(step, span))
    return replace(found, guard=conjunction([equal(IS_REACHED, FALSE), command.guard], command.guard.span))


def watch(step: Require, span: Span) -> tuple[Step, ...]:
    if step.property in (ASSUMED, BLOCKED):  # what is assumed later on does not undo that the statement was reached
        return (replace(step, condition=disjunction([equal(IS_REACHED, TRUE), step.condition])),)
    if not step.property.startswith(MARK):
        return (step,)
    if step.span != span:
        return evaluate(step)
    return (Branch(step.condition, (set_reached(TRUE),), (), span),)


def set_reached(value: Literal) -> Together:
    return Together((Assign(IS_REACHED, value),))


# Steps inside steps.


def rewritten(command: Command, change: Change) -> Command:
    """The command with other steps for what it requires; steps that stand in several places stay one."""

    def inside(step: Step) -> tuple[Step, ...]:
        match step:
            case Require():
                return change(step)
            case Branch(then=then, other=other):
                return (replace(step, then=several(then), other=several(other)),)
            case Loop() | Pick():
                return (replace(step, body=several(step.body)),)
            case Together():
                return (step,)

    once: Once[Step, tuple[Step, ...]] = Once(inside)

    def several(steps: Iterable[Step]) -> tuple[Step, ...]:
        return tuple(found for step in steps for found in once(step))

    return replace(command, effect=several(command.effect))
