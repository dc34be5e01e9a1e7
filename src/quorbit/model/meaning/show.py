"""A System's parts as text for people: values, places, expressions, commands."""

from __future__ import annotations

from quorbit.model.meaning.evaluate import Firing
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.system.command import Command, Require, Step, Together
from quorbit.model.system.expression import (
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
    Operator,
    Otherwise,
    Part,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.system import Place, State, System
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, Value
from quorbit.source.exhaustive import assert_never

__all__ = ["show_command", "show_expression", "show_firing", "show_place", "show_value"]

INFIX = {
    operator
    for operator in Operator
    if not operator.value.isalpha() and not operator.value.endswith("_") and operator.value not in ("!", "~")
} | {Operator.MEMBER, Operator.UNION, Operator.INTERSECTION, Operator.SUBSET}


def show_value(system: System, type: Type, value: Value) -> str:
    match type:
        case Truth():
            return "true" if value else "false"
        case Number(low, _, names) if names and isinstance(value, int):
            k = value - (low or 0)
            return names[k] if 0 <= k < len(names) else str(value)
        case AtomOf() if isinstance(value, int):
            return system.atom_name(value)
        case TupleOf(parts) if isinstance(value, tuple):
            return "(" + ", ".join(show_value(system, t, v) for t, v in zip(parts, value, strict=True)) + ")"
        case SetOf(element) if isinstance(value, frozenset):
            return "{" + ", ".join(show_value(system, element, v) for v in sorted_elements(value)) + "}"
        case QueueOf(message) if isinstance(value, tuple):
            return "[" + ", ".join(show_value(system, message, v) for v in value) + "]"
        case Text():
            return f'"{value}"'
        case Number() | AtomOf() | TupleOf() | SetOf() | QueueOf():
            return str(value)
        case _:
            assert_never(type)


def show_place(system: System, place: Place) -> str:
    if isinstance(place.type, QueueOf) and len(place.owners) == 1 and not place.indices:
        return f"messages in {system.atom_name(place.owners[0])}"
    address = [*map(system.atom_name, place.owners), *map(str, place.indices)]
    return place.variable + "".join(f"[{part}]" for part in address)


def show_state(system: System, s: State) -> dict[str, str]:
    """Every place by its name."""
    return {
        show_place(system, place): show_value(system, place.type, value)
        for place, value in zip(system.places, s, strict=True)
    }


def show_firing(system: System, firing: Firing) -> str:
    """A command with the values of its visible parameters."""
    command = system.commands[firing.command]
    shown = [
        show_bound(system, p.domain, v)
        for p, v in zip(command.parameters, firing.binding, strict=True)
        if p.name not in command.hidden
    ]
    return command.label + (f"({', '.join(shown)})" if shown else "")


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
            return name + "".join(f"[{show(part)}]" for part in (*owners, *indices))
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
        case _:
            assert_never(e)


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
    effect = "; ".join(show_step(system, step) for step in command.effect) or "skip"
    return f"{show_expression(system, command.guard)} -> {effect}"


def show_step(system: System, step: Step) -> str:
    match step:
        case Together(assignments):
            return ", ".join(
                f"{show_expression(system, a.target)} := {show_expression(system, a.value)}" for a in assignments
            )
        case Require(condition):
            return f"assert {show_expression(system, condition)}"
