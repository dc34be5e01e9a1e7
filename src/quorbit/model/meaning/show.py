"""A System's parts as text for people: values, places, expressions, commands."""

from __future__ import annotations

import re
from collections.abc import Iterable

from quorbit.model.meaning.evaluate import Firing
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.system.command import Branch, Command, Loop, Pick, Require, Step, Together
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
    Operator,
    Otherwise,
    Part,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.system import VARIABLE, Place, State, System
from quorbit.model.system.types import NONE, AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, Value
from quorbit.source.exhaustive import assert_never

__all__ = [
    "family_name",
    "is_shown",
    "show_arguments",
    "show_call",
    "show_command",
    "show_expression",
    "show_firing",
    "show_place",
    "show_value",
]

MARKER = re.compile(r"\[(#[^]]*)?\]")
UNSEEN = "~"  # begins the names of variables that nobody wants to see
INFIX = {
    operator
    for operator in Operator
    if not operator.value.isalpha() and not operator.value.endswith("_") and operator.value not in ("!", "~")
} | {Operator.MEMBER, Operator.UNION, Operator.INTERSECTION, Operator.SUBSET}


def show_value(system: System, type: Type, value: Value) -> str:
    match type:
        case Truth():
            return system.telling.truth[bool(value)]
        case Number(low, _, names) if names and isinstance(value, int):
            k = value - (low or 0)
            return names[k] if 0 <= k < len(names) else str(value)
        case AtomOf() if isinstance(value, int):
            return system.atom_name(value)
        case TupleOf(parts) if isinstance(value, tuple):
            return f"({show_parts(system, parts, value)})"
        case SetOf(element) if isinstance(value, frozenset):
            return "{" + ", ".join(show_elements(system, element, sorted_elements(value))) + "}"
        case QueueOf() if isinstance(value, tuple) and value and system.telling.spelled is not None:
            return system.telling.spelled(value)  # type: ignore[arg-type]
        case QueueOf(message) if isinstance(value, tuple):
            return "[" + ", ".join(show_value(system, message, v) for v in value) + "]"
        case Text():
            return f'"{value}"'
        case Number() | AtomOf() | TupleOf() | SetOf() | QueueOf():
            return str(value)
        case _:
            assert_never(type)


def show_parts(system: System, parts: tuple[Type, ...], value: tuple[Value, ...]) -> str:
    shown = [show_value(system, t, v) for t, v in zip(parts, value, strict=True)]
    return (system.telling.maplet or ", ").join(shown)


def show_elements(system: System, type: Type, values: list[Value]) -> Iterable[str]:
    """The elements of a set; it may have thousands, and plain numbers show themselves."""
    if isinstance(type, Number) and not type.names:
        return map(str, values)
    return (show_element(system, type, v) for v in values)


def show_element(system: System, type: Type, value: Value) -> str:
    """An element of a set: maplets need no brackets there."""
    if system.telling.maplet and isinstance(type, TupleOf) and isinstance(value, tuple):
        return show_parts(system, type.parts, value)
    return show_value(system, type, value)


def show_place(system: System, place: Place) -> str:
    if isinstance(place.type, QueueOf) and len(place.owners) == 1 and not place.indices:
        return f"messages in {system.atom_name(place.owners[0])}"
    owners, indices = [system.atom_name(a) for a in place.owners], list(map(str, place.indices))
    if place.owners and is_variable(system, place.owners[0]):
        return owners[0] + "".join(f"[{part}]" for part in (*owners[1:], *indices))
    return address_text(place.variable, owners, indices)


def address_text(variable: str, owners: list[str], indices: list[str]) -> str:
    """A place as the user writes it.  A name may say where its owners and indices belong, ``net[].to[#1]``: the first
    owner, then the first index, counted from 1; ``[#red,green]`` lists the names of the positions."""
    left, numbers = iter(owners), iter(indices)

    def fill(marker: re.Match[str]) -> str:
        if not marker.group(1):
            return f"[{next(left, '')}]"
        return f"[{position(marker.group(1)[1:], next(numbers, ''))}]"

    filled = MARKER.sub(fill, variable)
    return filled + "".join(f"[{part}]" for part in (*left, *numbers))


def position(names: str, index: str) -> str:
    if not index.isdecimal():
        return index
    listed = names.split(",")
    return str(int(names) + int(index)) if is_number(names) else listed[int(index)]


def is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def family_name(variable: str) -> str:
    """The name of a variable without where its owners and indices belong."""
    return MARKER.sub("", variable)


def is_shown(variable: str) -> bool:
    """Whether a variable is one of the model's, and not an aid that is the same in all states."""
    return not variable.startswith(UNSEEN)


def show_state(system: System, s: State) -> dict[str, str]:
    """Every place by its name."""
    return {
        show_place(system, place): show_value(system, place.type, value)
        for place, value in zip(system.places, s, strict=True)
        if is_shown(place.variable)
    }


def show_firing(system: System, firing: Firing) -> str:
    """A command with the values of its visible parameters, and its results."""
    arguments, results = show_arguments(system, firing)
    return show_call(system.commands[firing.command].label, arguments, results)


def show_call(label: str, arguments: dict[str, str], results: dict[str, str]) -> str:
    called = label + (f"({', '.join(arguments.values())})" if arguments else "")
    return called + (f" --> {', '.join(results.values())}" if results else "")


def show_arguments(system: System, firing: Firing) -> tuple[dict[str, str], dict[str, str]]:
    """The values of the visible parameters by their names: those given, and those that are results."""
    command = system.commands[firing.command]
    bound = zip(command.parameters, firing.binding, strict=True)
    shown = {p.name: show_bound(system, p.domain, v) for p, v in bound if p.name not in command.hidden}
    results = {name: shown.pop(name) for name in dict(system.telling.results).get(command.label, ()) if name in shown}
    given = {name: shown.pop(name) for name in dict(system.telling.given).get(command.label, ()) if name in shown}
    return given | shown, results


def show_bound(system: System, domain: Domain, value: Value) -> str:
    match domain:
        case Atoms() | Fresh():
            return system.atom_name(value)  # type: ignore[arg-type]
        case Interval():
            return str(value)
        case Elements(type=type):
            return show_value(system, type, value)


def show_expression(system: System, e: Expr) -> str:
    def show(part: Expr) -> str:
        return show_expression(system, part)

    match e:
        case Literal(value, type):
            return show_value(system, type, value)
        case Bound(name):
            return name
        case Read(name, owners, indices):
            shown = list(map(show, owners)), list(map(show, indices))
            if owners and isinstance(owners[0], Literal) and is_variable(system, owners[0].value):
                return shown[0][0] + "".join(f"[{part}]" for part in shown[1])
            return address_text(name, *shown)
        case Use(name, owners):
            return name + "".join(f"[{show(part)}]" for part in owners)
        case Apply(operator, operands):
            return show_apply(operator, [show(part) for part in operands])
        case Part(whole, k):
            return f"{show(whole)}.{k}"
        case Condition(test, then, other):
            return f"({show(test)} ? {show(then)} : {show(other)})"
        case Wrap(operand):
            return show(operand)
        case Quantify(quantifier, parameter, body):
            return f"({quantifier.value} {parameter.name}: {show(body)})"
        case NumberOf(inner):
            return f"number({show(inner)})"
        case AtomAt(inner):
            return f"atom({show(inner)})"
        case Enabled(actor):
            return "enabled" if actor is None else f"enabled({show(actor)})"
        case Otherwise(body):
            return show(body)
        case Compute(computation):
            return computation.text
        case _:
            assert_never(e)


def is_variable(system: System, a: Value) -> bool:
    return isinstance(a, int) and a != NONE and system.atoms[a].sort == VARIABLE


def show_apply(operator: Operator, operands: list[str]) -> str:
    if operator is Operator.NOT:
        return f"!{operands[0]}"
    if operator is Operator.NEGATE:
        return f"-{operands[0]}"
    if operator in INFIX:
        return "(" + f" {operator.value} ".join(operands) + ")"
    return f"{operator.value}({', '.join(operands)})"


def show_command(system: System, command: Command) -> str:
    """One line: when it can run and what it does."""
    return f"{show_expression(system, command.guard)} -> {show_steps(system, command.effect)}"


def show_steps(system: System, steps: tuple[Step, ...]) -> str:
    return "; ".join(show_step(system, step) for step in steps) or "skip"


def show_step(system: System, step: Step) -> str:
    match step:
        case Together(assignments):
            return ", ".join(
                f"{show_expression(system, a.target)} := {show_expression(system, a.value)}" for a in assignments
            )
        case Require(condition):
            return f"assert {show_expression(system, condition)}"
        case Branch(test, then, other):
            otherwise = f" else {show_steps(system, other)}" if other else ""
            return f"if {show_expression(system, test)} then {show_steps(system, then)}{otherwise} end"
        case Loop(test, body):
            return f"while {show_expression(system, test)} do {show_steps(system, body)} end"
        case Pick(parameter, body):
            return f"with a free {parameter.name} do {show_steps(system, body)} end"
