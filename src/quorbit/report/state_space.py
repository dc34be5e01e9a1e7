"""A state space for graphviz (dot) and as an object for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorbit.model.system.types import AtomOf, Number, Text, Truth, TupleOf, Value
from quorbit.report.as_json import state_object
from quorbit.report.text_tables import show_vector
from quorbit.result.state_space import StateSpace

__all__ = ["ranges", "state_space_dot", "state_space_object"]

WIDEST = 40  # letters on a line of a node
LONGEST = 2000  # letters in a node


def state_space_dot(space: StateSpace, name: str) -> str:
    """Initial states have a double border, those where something goes wrong are red, those without a move grey."""
    lines = [f"digraph {quote(name)} {{", '  node [shape=box, fontname="sans-serif", fontsize=10];']
    lines += [f"  {k} [{', '.join(node(space, k))}];" for k in range(len(space.states))]
    lines += [f"  {a.source} -> {a.target} [label={quote(a.label)}, fontsize=9];" for a in space.arrows]
    return "\n".join([*lines, "}"]) + "\n"


def node(space: StateSpace, k: int) -> Iterator[str]:
    yield f"label={quote(fold(show_vector(space.system, space.states[k])))}"
    if k in space.initial:
        yield "peripheries=2"
    if k in space.failing:
        yield f"color=red, tooltip={quote(space.failing[k])}"
    elif all(a.source != k for a in space.arrows):
        yield "style=filled, fillcolor=lightgrey"


def fold(text: str) -> str:
    """Break after commas."""
    lines = [""]
    for part in text[:LONGEST].split(", "):
        if lines[-1] and len(lines[-1]) + len(part) > WIDEST:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{part}"
    return "\n".join(lines)


def quote(text: str) -> str:
    """A string of dot; nothing in a model's text can end it."""
    marks = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
    return '"' + "".join(marks.get(c, c if c.isprintable() else " ") for c in text) + '"'


def ranges(space: StateSpace) -> dict[str, list[int]]:
    """The least and the greatest value of every variable of numbers, the smallest and largest size of sets and queues.

    Of a variable with many places, over all of them: symmetric states have the same ranges."""
    found: dict[str, list[int]] = {}
    for k, place in enumerate(space.system.places if space.states else ()):
        if isinstance(place.type, Truth | AtomOf | Text | TupleOf) or (
            isinstance(place.type, Number) and place.type.names
        ):
            continue
        values = [measure(s[k]) for s in space.states]
        low, high = found.get(place.variable, [values[0], values[0]])
        found[place.variable] = [min(low, *values), max(high, *values)]
    return found


def measure(value: Value) -> int:
    return value if isinstance(value, int) else len(value)


def state_space_object(space: StateSpace, path: str, symmetry: str) -> dict[str, Any]:
    return {
        "model": path,
        "symmetry": symmetry,
        "states": [
            {
                "number": k,
                "state": state_object(space.system, s),
                "initial": k in space.initial,
                "error": space.failing.get(k),
            }
            for k, s in enumerate(space.states)
        ],
        "ranges": ranges(space),
        "moves": [{"from": a.source, "to": a.target, "command": a.label} for a in space.arrows],
    }
