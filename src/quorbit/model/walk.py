"""Walk through expressions, commands and properties: their parts, and the same thing with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from quorbit.model.command import Assign, Command, Require, Step, Together
from quorbit.model.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Domain,
    Elements,
    Enabled,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Otherwise,
    Parameter,
    Part,
    Quantify,
    Read,
    Use,
    Wrap,
)


def map_parts(e: Expr, f: Callable[[Expr], Expr]) -> Expr:
    """e with f applied to each of its direct parts."""
    match e:
        case Literal() | Bound():
            return e
        case Read():
            return replace(e, owners=tuple(map(f, e.owners)), indices=tuple(map(f, e.indices)))
        case Use():
            return replace(e, owners=tuple(map(f, e.owners)))
        case Apply():
            return replace(e, operands=tuple(map(f, e.operands)))
        case Part():
            return replace(e, tuple=f(e.tuple))
        case Condition():
            return replace(e, test=f(e.test), then=f(e.then), other=f(e.other))
        case Wrap():
            return replace(e, operand=f(e.operand))
        case Quantify():
            parameter = map_parameter(e.parameter, f)
            return replace(e, parameter=parameter, condition=f(e.condition), body=f(e.body))
        case NumberOf():
            return replace(e, atom=f(e.atom))
        case AtomAt():
            return replace(e, number=f(e.number))
        case Enabled():
            return e if e.actor is None else replace(e, actor=f(e.actor))
        case Otherwise():
            return replace(e, body=f(e.body), other=f(e.other))


def map_domain(domain: Domain, f: Callable[[Expr], Expr]) -> Domain:
    match domain:
        case Atoms() | Interval():
            return domain
        case Elements():
            return replace(domain, set=f(domain.set))
        case Fresh():
            return replace(domain, free=f(domain.free))


def map_parameter(parameter: Parameter, f: Callable[[Expr], Expr]) -> Parameter:
    return Parameter(parameter.name, map_domain(parameter.domain, f))


def map_step(step: Step, f: Callable[[Expr], Expr]) -> Step:
    match step:
        case Together(assignments):
            return Together(tuple(map_assign(a, f) for a in assignments))
        case Require():
            return replace(step, condition=f(step.condition))


def map_assign(assignment: Assign, f: Callable[[Expr], Expr]) -> Assign:
    """f on the value and on what the target's address is made of; the target stays a place."""
    target = map_parts(assignment.target, f)
    assert isinstance(target, Read)
    return Assign(target, f(assignment.value))


def map_command(command: Command, f: Callable[[Expr], Expr]) -> Command:
    return replace(
        command,
        guard=f(command.guard),
        effect=tuple(map_step(step, f) for step in command.effect),
        parameters=tuple(map_parameter(p, f) for p in command.parameters),
        actors=tuple(map(f, command.actors)),
    )


def parts(e: Expr) -> tuple[Expr, ...]:
    """The direct parts of e, in order."""
    found: list[Expr] = []

    def note(part: Expr) -> Expr:
        found.append(part)
        return part

    map_parts(e, note)
    return tuple(found)


def walk(e: Expr) -> Iterator[Expr]:
    """e and everything inside it, outermost first."""
    yield e
    for part in parts(e):
        yield from walk(part)


def expressions_of(command: Command) -> Iterator[Expr]:
    """The outermost expressions of a command, targets of assignments included."""
    yield command.guard
    yield from command.actors
    for parameter in command.parameters:
        yield from domain_expressions(parameter.domain)
    for step in command.effect:
        match step:
            case Together(assignments):
                for assignment in assignments:
                    yield assignment.target
                    yield assignment.value
            case Require():
                yield step.condition


def domain_expressions(domain: Domain) -> Iterator[Expr]:
    match domain:
        case Elements(set=e) | Fresh(free=e):
            yield e
        case _:
            pass


def substitute(e: Expr, values: dict[str, Expr]) -> Expr:
    """e with the named parameters replaced by closed expressions; inner quantifiers hide names."""
    match e:
        case Bound(name):
            return values.get(name, e)
        case Quantify(parameter=parameter) if parameter.name in values:
            outer = map_parameter(parameter, lambda part: substitute(part, values))
            inner = {name: value for name, value in values.items() if name != parameter.name}
            return replace(e, parameter=outer, condition=substitute(e.condition, inner), body=substitute(e.body, inner))
        case _:
            return map_parts(e, lambda part: substitute(part, values))
