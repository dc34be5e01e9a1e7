"""A trace in the Informal Trace Format, which the viewers of Apalache and TLA+ read.

    {"#meta": {...}, "vars": ["x", "s"], "states": [{"#meta": {"index": 0}, "x": 1, "s": {"#map": [["1", "N"]]}}]}

Places of one variable are a map from the names of their owners and their indices; registers of circuits are numbers.
"""

from __future__ import annotations

from typing import Any

from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.system.system import State, System
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Truth, TupleOf, Type, Value
from quorbit.report.told import Teller
from quorbit.report.trace import moves_of
from quorbit.result.outcome import Trace
from quorbit.source.version import VERSION

__all__ = ["itf_object"]

SAFE = 2**53  # what every reader of JSON keeps exactly


def itf_object(system: System, trace: Trace, model: str, message: str) -> dict[str, Any]:
    teller = Teller(Meaning(system))
    states = [{"#meta": {"index": 0, "action": "start"}, **state_object(teller, trace.start)}]
    for k, moved in enumerate(moves_of(system, trace), 1):
        meta = {"index": k, "action": moved.text, "actors": list(moved.actors)}
        states.append({"#meta": meta, **state_object(teller, moved.state)})
    told = {"format": "ITF", "source": model, "description": message, "generator": f"quorbit {VERSION}"}
    found: dict[str, Any] = {"#meta": told, "vars": list(state_object(teller, trace.start)), "states": states}
    return found if trace.loop is None else {**found, "loop": trace.loop}


def state_object(teller: Teller, s: State) -> dict[str, Any]:
    """The visible variables of a state."""
    system, found = teller.system, dict[str, Any]()
    for i in teller.visible:
        place = system.places[i]
        value = value_object(system, place.type, s[i])
        keys: list[Any] = [*map(system.atom_name, place.owners), *place.indices]
        if keys:
            key = keys[0] if len(keys) == 1 else {"#tup": keys}
            found.setdefault(place.variable, {"#map": []})["#map"].append([key, value])
        else:
            found[place.variable] = value
    words = ((name, read(s, {})) for name, read in teller.words)
    return found | {name: int(text) if text.isdigit() else text for name, text in words}


def value_object(system: System, type: Type, value: Value) -> Any:
    match type, value:
        case Truth(), _:
            return bool(value)
        case Number(low, _, names), int() if names and 0 <= value - (low or 0) < len(names):
            return names[value - (low or 0)]
        case AtomOf(), int():
            return system.atom_name(value)
        case TupleOf(parts), tuple():
            return {"#tup": [value_object(system, t, v) for t, v in zip(parts, value, strict=True)]}
        case SetOf(element), frozenset():
            return {"#set": [value_object(system, element, v) for v in sorted_elements(value)]}
        case QueueOf(), tuple() if value and system.telling.spelled is not None:
            return system.telling.spelled(value)  # type: ignore[arg-type]
        case QueueOf(message), tuple():
            return [value_object(system, message, v) for v in value]
        case _, int():
            return value if -SAFE < value < SAFE else {"#bigint": str(value)}
        case _:
            return value
