"""What a user does not want to hear of (``--ignore``): kinds of properties, and moves that have no value."""

from __future__ import annotations

from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.meaning.partial import may_fail
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import FALSE, TRUE, Expr, Otherwise, conjunction, equal
from quorbit.model.system.system import BLOCKED, Assertions, Invariant, NoDeadlock, Property, System
from quorbit.source.frozen import replace

__all__ = ["ignore"]


def ignore(system: System, kinds: tuple[str, ...]) -> System:
    """The System without these kinds of errors.

    Where a step has no value (an index out of range, a function outside its domain) and that is ignored, the step is
    not taken; an invariant that has no value holds."""
    if not kinds:
        return system
    found = replace(system, properties=tuple(p for p in system.properties if kind_of(p) not in kinds))
    if "assertion" in kinds:
        found = without_assertions(found)
    return without_faults(found) if "welldefinedness" in kinds else found


def kind_of(p: Property) -> str:
    match p:
        case Invariant(goal=True):
            return "goal"
        case Invariant(name=name):
            return "assertion" if name.startswith("assertion ") else "invariant"
        case NoDeadlock():
            return "deadlock"
        case Assertions():
            return "assertion"
    return ""


def without_faults(system: System) -> System:
    commands = tuple(total(system, c) for c in system.commands)
    properties = tuple(
        replace(p, condition=Otherwise(p.condition, TRUE, p.condition.span)) if isinstance(p, Invariant) else p
        for p in system.properties
    )
    return replace(system, commands=commands, properties=properties)


def total(system: System, command: Command) -> Command:
    """The command that does not run where something in it has no value."""
    guard = command.guard
    if may_fail(system, guard, {}):
        guard = Otherwise(guard, FALSE, guard.span)
    steps = total_steps(system, command.effect)
    first = next((k for k, step in enumerate(steps) if not is_demand(step)), len(steps))  # they look at the same state
    demands = [step.condition for step in steps[:first] if isinstance(step, Require)]
    return replace(command, guard=conjunction([guard, *demands], guard.span), effect=steps[first:])


def is_demand(step: Step) -> bool:
    return isinstance(step, Require) and step.property == BLOCKED


def total_steps(system: System, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    found: list[Step] = []
    for step in steps:
        match step:
            case Require(condition=condition, property=property) if property == FAULTS:
                found.append(demand(condition, step))
            case Require():
                found.append(step)
            case Together(assignments):
                values = [e for a in assignments for e in read_by(a) if may_fail(system, e, {})]
                if values:
                    found.append(demand(conjunction([equal(e, e) for e in values]), None))
                found.append(step)
            case Branch(then=then, other=other):
                found.append(replace(step, then=total_steps(system, then), other=total_steps(system, other)))
            case Loop() | Pick():
                found.append(replace(step, body=total_steps(system, step.body)))
    return tuple(found)


def demand(condition: Expr, like: Require | None) -> Require:
    """There is no move where the condition is false or has no value."""
    whole = Otherwise(condition, FALSE, condition.span)
    return Require(whole, "", BLOCKED) if like is None else replace(like, condition=whole, property=BLOCKED)


def read_by(a: Assign) -> tuple[Expr, ...]:
    return (a.value, *a.target.owners, *a.target.indices)
