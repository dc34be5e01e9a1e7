"""Nets that several drivers share: tri-state buffers, assignments of z, and what pulls such nets.

In every step each driver drives or lets go.  The net has the value on which all that drive agree.  Where they differ a
simulator shows x, where nobody drives and nothing pulls z; both may be either value here, as x and z are everywhere.
So z cannot pass through one shared net to another, where it would not count as driving: that is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.circuits.verilog.elaboration import Driver, Elaboration, drive
from quorbit.languages.circuits.verilog.evaluate import Evaluator
from quorbit.languages.circuits.verilog.tree import Expr, Index, Join, Name, Number, Slice, Ternary
from quorbit.netlists.builder import ONE, ZERO
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

PULLS = {"pullup": ONE, "pulldown": ZERO}


def is_z(value: Expr) -> bool:
    match value:
        case Number(bits):
            return set(bits) == {"?"}
        case Join(parts):
            return all(map(is_z, parts))
    return False


def lets_go(value: Expr) -> bool:
    """Whether what is assigned is z in some case."""
    match value:
        case Ternary(_, then, other):
            return lets_go(then) or lets_go(other)
    return is_z(value)


def when_driven(e: Evaluator, value: Expr) -> str:
    """The bit that tells whether what is assigned is not z."""
    match value:
        case Ternary(test, then, other) if lets_go(value):
            return e.b.choose(e.truth(test), when_driven(e, then), when_driven(e, other))
    return ZERO if is_z(value) else ONE


def without_z(value: Expr) -> Expr:
    """The same where it is driven, and 0 elsewhere."""
    match value:
        case Number(bits) if is_z(value):
            return replace(value, bits="0" * len(bits))
        case Join(parts) if is_z(value):
            return replace(value, parts=tuple(map(without_z, parts)))
        case Ternary(_, then, other):
            return replace(value, then=without_z(then), other=without_z(other))
    return value


def passed_on(e: Evaluator, value: Expr) -> Iterator[str]:
    """The nets that are assigned as they are in some case, z included."""
    match value:
        case Ternary(_, then, other):
            yield from passed_on(e, then)
            yield from passed_on(e, other)
        case Name() | Index() | Slice():
            yield from e.word(value, e.width(value))


def join_bus(x: Elaboration, net: str, enabled: str, value: str, passed: frozenset[str] = frozenset()) -> None:
    """One more driver of a net."""
    x.driven.add(net)
    x.buses.setdefault(net, []).append(Driver(enabled, value, x.b.span, passed))


def resolve(x: Elaboration) -> None:
    """The values of all shared nets, once all their drivers are known."""
    for net, drivers in x.buses.items():
        refuse_passing(x, net, drivers)
        x.b.span = drivers[0].span
        either = x.b.fresh()
        x.b.choice(either, (0, 1))
        value = agreed(x, drivers, either)
        if net in x.pulls:
            value = x.b.choose(x.b.disjoin(d.enabled for d in drivers), value, x.pulls[net])
        drive(x, net, value)
    for net, value in x.pulls.items():
        if net not in x.driven:
            drive(x, net, value)


def refuse_passing(x: Elaboration, net: str, drivers: list[Driver]) -> None:
    if len(drivers) == 1 and net not in x.pulls:
        return
    for driver in drivers:
        if other := min((each for each in driver.passed if each in x.buses), default=""):
            raise UserError(
                driver.span, f"{other} may be z, which passes on to {net}, that others drive, too: not supported"
            )


def agreed(x: Elaboration, drivers: list[Driver], either: str) -> str:
    if len(drivers) == 1:
        return x.b.choose(drivers[0].enabled, drivers[0].value, either)
    up = x.b.disjoin([x.b.conjoin((d.enabled, d.value)) for d in drivers])
    down = x.b.disjoin([x.b.conjoin((d.enabled, x.b.invert(d.value))) for d in drivers])
    return x.b.choose(x.b.differ(up, down), up, either)
