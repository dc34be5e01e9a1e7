"""Walk through expressions, commands and properties: their parts, and the same thing with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import is_

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
    """e with f applied to each of its direct parts; e itself if that changes none of them."""
    match e:
        case Literal() | Bound():
            return e
        case Read(variable, owners, indices):
            new_owners, new_indices = map_all(owners, f), map_all(indices, f)
            same = new_owners is owners and new_indices is indices
            return e if same else Read(variable, new_owners, new_indices, e.span)
        case Use(definition, owners):
            new = map_all(owners, f)
            return e if new is owners else Use(definition, new, e.span)
        case Apply(operator, operands):
            new = map_all(operands, f)
            return e if new is operands else Apply(operator, new, e.span)
        case Part(whole, k):
            new_whole = f(whole)
            return e if new_whole is whole else Part(new_whole, k, e.span)
        case Condition(test, then, other):
            a, b, c = f(test), f(then), f(other)
            return e if a is test and b is then and c is other else Condition(a, b, c, e.span)
        case Wrap(operand, bits, signed):
            new_operand = f(operand)
            return e if new_operand is operand else Wrap(new_operand, bits, signed, e.span)
        case Quantify(quantifier, parameter, body, condition):
            new_parameter = map_parameter(parameter, f)
            a, b = f(condition), f(body)
            if a is condition and b is body and new_parameter is parameter:
                return e
            return Quantify(quantifier, new_parameter, b, a, e.span)
        case NumberOf(inner) | AtomAt(inner):
            new_inner = f(inner)
            if new_inner is inner:
                return e
            return type(e)(new_inner, e.numbering, e.first, e.none, e.span)
        case Enabled(actor):
            return e if actor is None or (new_actor := f(actor)) is actor else Enabled(new_actor, e.span)
        case Otherwise(body, other):
            a, b = f(body), f(other)
            return e if a is body and b is other else Otherwise(a, b, e.span)


def map_all(parts: tuple[Expr, ...], f: Callable[[Expr], Expr]) -> tuple[Expr, ...]:
    """f on each part; the tuple itself if nothing changes, so that what stays the same is not built anew."""
    new = tuple([f(part) for part in parts])
    return parts if all(map(is_, new, parts)) else new


def map_domain(domain: Domain, f: Callable[[Expr], Expr]) -> Domain:
    match domain:
        case Atoms() | Interval():
            return domain
        case Elements():
            return replace(domain, set=f(domain.set))
        case Fresh():
            return replace(domain, free=f(domain.free))


def map_parameter(parameter: Parameter, f: Callable[[Expr], Expr]) -> Parameter:
    domain = map_domain(parameter.domain, f)
    return parameter if domain is parameter.domain else Parameter(parameter.name, domain)


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
    return Assign(target, f(assignment.value), assignment.forgets)


def map_command(command: Command, f: Callable[[Expr], Expr]) -> Command:
    return replace(
        command,
        guard=f(command.guard),
        effect=tuple([map_step(step, f) for step in command.effect]),
        parameters=tuple([map_parameter(p, f) for p in command.parameters]),
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
