"""Walk through expressions, commands and properties: their parts, and the same thing with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_

from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together, all_steps
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
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
from quorbit.model.system.once import Once
from quorbit.source.frozen import replace

__all__ = [
    "domain_expressions",
    "expressions_of",
    "map_command",
    "map_parameter",
    "map_parts",
    "map_step",
    "parts",
    "substitute",
    "walk",
]


def map_parts(e: Expr, f: Callable[[Expr], Expr]) -> Expr:
    """e with f applied to each of its direct parts; e itself if that changes none of them."""
    return MAPPED[e.__class__](e, f)


def map_all(parts: tuple[Expr, ...], f: Callable[[Expr], Expr]) -> tuple[Expr, ...]:
    """f on each part; the tuple itself if nothing changes, so that what stays the same is not built anew."""
    if not parts:
        return parts
    new = tuple([f(part) for part in parts])
    return parts if all(map(is_, new, parts)) else new


def map_read(e: Read, f: Callable[[Expr], Expr]) -> Read:
    owners, indices = map_all(e.owners, f), map_all(e.indices, f)
    same = owners is e.owners and indices is e.indices
    return e if same else Read(e.variable, owners, indices, e.span)


def map_use(e: Use, f: Callable[[Expr], Expr]) -> Use:
    owners = map_all(e.owners, f)
    return e if owners is e.owners else Use(e.definition, owners, e.span)


def map_apply(e: Apply, f: Callable[[Expr], Expr]) -> Apply:
    operands = map_all(e.operands, f)
    return e if operands is e.operands else Apply(e.operator, operands, e.span)


def map_part(e: Part, f: Callable[[Expr], Expr]) -> Part:
    whole = f(e.tuple)
    return e if whole is e.tuple else Part(whole, e.k, e.span)


def map_condition(e: Condition, f: Callable[[Expr], Expr]) -> Condition:
    a, b, c = f(e.test), f(e.then), f(e.other)
    return e if a is e.test and b is e.then and c is e.other else Condition(a, b, c, e.span)


def map_wrap(e: Wrap, f: Callable[[Expr], Expr]) -> Wrap:
    operand = f(e.operand)
    return e if operand is e.operand else Wrap(operand, e.bits, e.signed, e.span)


def map_quantify(e: Quantify, f: Callable[[Expr], Expr]) -> Quantify:
    parameter = map_parameter(e.parameter, f)
    a, b = f(e.condition), f(e.body)
    if a is e.condition and b is e.body and parameter is e.parameter:
        return e
    return Quantify(e.quantifier, parameter, b, a, e.span)


def map_number_of(e: NumberOf, f: Callable[[Expr], Expr]) -> NumberOf:
    inner = f(e.atom)
    return e if inner is e.atom else NumberOf(inner, e.numbering, e.first, e.none, e.span)


def map_atom_at(e: AtomAt, f: Callable[[Expr], Expr]) -> AtomAt:
    inner = f(e.number)
    return e if inner is e.number else AtomAt(inner, e.numbering, e.first, e.none, e.span)


def map_enabled(e: Enabled, f: Callable[[Expr], Expr]) -> Enabled:
    return e if e.actor is None or (actor := f(e.actor)) is e.actor else Enabled(actor, e.span)


def map_otherwise(e: Otherwise, f: Callable[[Expr], Expr]) -> Otherwise:
    a, b = f(e.body), f(e.other)
    return e if a is e.body and b is e.other else Otherwise(a, b, e.span)


def map_compute(e: Compute, f: Callable[[Expr], Expr]) -> Compute:
    operands = map_all(e.operands, f)
    return e if operands is e.operands else Compute(e.computation, operands, e.type, e.span)


def unmapped(e: Expr, f: Callable[[Expr], Expr]) -> Expr:
    return e


MAPPED: dict[type, Callable[..., Expr]] = {
    Literal: unmapped,
    Bound: unmapped,
    Read: map_read,
    Use: map_use,
    Apply: map_apply,
    Part: map_part,
    Condition: map_condition,
    Wrap: map_wrap,
    Quantify: map_quantify,
    NumberOf: map_number_of,
    AtomAt: map_atom_at,
    Enabled: map_enabled,
    Otherwise: map_otherwise,
    Compute: map_compute,
}


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


def map_step(step: Step, f: Callable[[Expr], Expr], inner: Callable[[Step], Step] | None = None) -> Step:
    """The step with f applied to its expressions; ``inner`` does the same for the steps inside."""
    go = inner or (lambda s: map_step(s, f))
    match step:
        case Together(assignments):
            return Together(tuple([map_assign(a, f) for a in assignments]))
        case Require():
            return replace(step, condition=f(step.condition))
        case Branch(test, then, other, span):
            return Branch(f(test), tuple(map(go, then)), tuple(map(go, other)), span)
        case Loop(test, body, most, span):
            return Loop(f(test), tuple(map(go, body)), most, span)
        case Pick(parameter, body):
            return Pick(map_parameter(parameter, f), tuple(map(go, body)))


def map_assign(assignment: Assign, f: Callable[[Expr], Expr]) -> Assign:
    """f on the value and on what the target's address is made of; the target stays a place."""
    target, value = map_read(assignment.target, f), f(assignment.value)
    same = target is assignment.target and value is assignment.value
    return assignment if same else Assign(target, value, assignment.forgets)


def map_command(command: Command, f: Callable[[Expr], Expr]) -> Command:
    step: Once[Step, Step] = Once(lambda s: map_step(s, f, step))
    return replace(
        command,
        guard=f(command.guard),
        effect=tuple(map(step, command.effect)),
        parameters=tuple([map_parameter(p, f) for p in command.parameters]),
        actors=tuple(map(f, command.actors)),
    )


def parts(e: Expr) -> tuple[Expr, ...]:
    """The direct parts of e, in order."""
    return PARTS[e.__class__](e)


PARTS: dict[type, Callable[..., tuple[Expr, ...]]] = {
    Literal: lambda e: (),
    Bound: lambda e: (),
    Read: lambda e: e.owners + e.indices,
    Use: lambda e: e.owners,
    Apply: lambda e: e.operands,
    Part: lambda e: (e.tuple,),
    Condition: lambda e: (e.test, e.then, e.other),
    Wrap: lambda e: (e.operand,),
    Quantify: lambda e: (*domain_expressions(e.parameter.domain), e.condition, e.body),
    NumberOf: lambda e: (e.atom,),
    AtomAt: lambda e: (e.number,),
    Enabled: lambda e: () if e.actor is None else (e.actor,),
    Otherwise: lambda e: (e.body, e.other),
    Compute: lambda e: e.operands,
}


def walk(e: Expr) -> Iterator[Expr]:
    """e and everything inside it, outermost first."""
    waiting = [e]
    while waiting:
        e = waiting.pop()
        yield e
        inside = PARTS[e.__class__](e)
        waiting.extend(inside[::-1])


def expressions_of(command: Command) -> Iterator[Expr]:
    """The outermost expressions of a command, targets of assignments included."""
    yield command.guard
    yield from command.actors
    for parameter in command.parameters:
        yield from domain_expressions(parameter.domain)
    for step in all_steps(command.effect):
        match step:
            case Together(assignments):
                for assignment in assignments:
                    yield assignment.target
                    yield assignment.value
            case Require():
                yield step.condition
            case Branch(test) | Loop(test):
                yield test
            case Pick(parameter):
                yield from domain_expressions(parameter.domain)


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
