"""The machine interface: results as objects for JSON.  Keys may be added here, never renamed."""

from __future__ import annotations

from typing import Any

from quorbit.groups.group import orbits
from quorbit.groups.moves import Moves, cycles_of_moves
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.meaning.show import is_shown, show_place
from quorbit.model.system.system import State, System
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Truth, TupleOf, Type, Value
from quorbit.report.coverage import coverage_object
from quorbit.report.digits import decimal
from quorbit.report.record import CheckResult, CheckResults, Effect, Found, NotLookedFor, Off, SymmetryResult
from quorbit.report.saved_trace import save_trace
from quorbit.report.told import Teller
from quorbit.report.trace import Moved, moves_of_piece, seen_by, shown_pieces
from quorbit.source.errors import place_object
from quorbit.source.frozen import fields_by_name, replace
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "check_object",
    "checks_object",
    "group_object",
    "point_name",
    "show_moves",
    "source_object",
    "state_object",
    "symmetry_object",
    "told_object",
]

MOST_STEPS = 10_000  # of a trace that are told
OF_THE_WORST = ("verdict", "property", "trace", "trace_steps", "loop", "replay", "message")  # other keys: safety's


def check_object(result: CheckResult) -> dict[str, Any]:
    outcome, statistics = result.outcome, result.outcome.statistics
    trace = None if outcome.trace is None else trace_list(result)
    return {
        "verdict": outcome.verdict.value,
        "property": outcome.property or result.asked,
        "states": statistics.states,
        "transitions": statistics.transitions,
        "depth": statistics.depth,
        "seconds": {step: round(seconds, 6) for step, seconds in fields_by_name(result.seconds).items()},
        "memory_bytes": statistics.memory_bytes,
        "symmetry": {**symmetry_object(result.symmetry), "effect": effect_object(result.effect)},
        "por": fields_by_name(outcome.por),
        "engine": outcome.engine,
        "method": outcome.method,
        "attempts": [{**fields_by_name(a), "seconds": round(a.seconds, 3)} for a in outcome.attempts],
        "trace": trace,
        "trace_steps": None if outcome.trace is None else len(outcome.trace.steps),
        "loop": None if outcome.trace is None else outcome.trace.loop,
        "replay": None if outcome.trace is None or result.simplified or result.most_steps else saved_trace(result),
        "message": outcome.message,
        "errors": statistics.errors,
        "represented": None if statistics.represented is None else decimal(statistics.represented),
        "loss_probability": statistics.loss_probability,
        "bitstate_coverage": statistics.bitstate_coverage,
        "coverage": coverage_object(result),
        "notes": list(result.notes),
        "model": result.path,
        **({"runs": runs_object(result)} if result.system.telling.sides else {}),
        **({} if result.refused is None else {"error": place_object(result.refused.diagnostics[0])}),
    }


def runs_object(result: CheckResult) -> list[dict[str, Any]] | None:
    """The run of each of the machines that move together."""
    if result.outcome.trace is None:
        return None
    sides = result.system.telling.sides
    views = [replace(result, system=seen_by(result.system, side)) for side in sides]
    return [
        {"machine": side.name, "trace": [without(step, side.hidden) for step in trace_list(view)]}
        for side, view in zip(sides, views, strict=True)
    ]


def without(step: dict[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    """A step without the variables of the other machines."""
    state = {name: value for name, value in step["state"].items() if name not in hidden}
    return {**step, "state": state}


def saved_trace(result: CheckResult) -> dict[str, Any]:
    """The trace as ``quorbit replay`` reads it."""
    outcome = result.outcome
    assert outcome.trace is not None
    return save_trace(
        result.system, result.path, result.options, outcome.trace, outcome.property or result.asked, outcome.message
    )


def checks_object(results: CheckResults) -> dict[str, Any]:
    """The worst answer at the top with the counts of safety if it was asked for; all below ``results`` if several."""
    if len(results.results) == 1:
        return check_object(results.worst)
    told = [check_object(result) for result in results.results]
    by_result = {id(result): found for result, found in zip(results.results, told, strict=True)}
    worst, counted = by_result[id(results.worst)], by_result[id(results.counted)]
    notes = list(dict.fromkeys([*counted["notes"], *worst["notes"]]))
    seconds = {**counted["seconds"], "total": total_seconds(results)}
    of_the_worst = {key: worst[key] for key in OF_THE_WORST}
    return {**counted, **of_the_worst, "seconds": seconds, "notes": notes, "results": told}


def total_seconds(results: CheckResults) -> float:
    """Of all answers; the model was read once.  Answers that were found together have the very same total."""
    parse = max(result.seconds.parse for result in results.results)
    return round(parse + sum(total - parse for total in {result.seconds.total for result in results.results}), 6)


def symmetry_object(result: SymmetryResult) -> dict[str, Any]:
    match result:
        case NotLookedFor(reason):
            return unreduced_object(None, "unknown", reason)
        case Off():
            return unreduced_object("1", "trivial", "symmetry is off, every state represents itself")
        case Found():
            return found_object(result)


def unreduced_object(order: str | None, structure: str, reason: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "order": order,
        "structure": structure,
        "generators": [],
        "strategy": "none",
        "exact": True,
    }
    return {**described, "reason": reason, "moves_start": [], "notes": [], "effect": None}


def found_object(result: Found) -> dict[str, Any]:
    return {
        "order": None if result.order is None else decimal(result.order),
        "structure": result.structure,
        "generators": [show_moves(moves, result.names) for moves in result.group.moves],
        "strategy": result.strategy,
        "exact": result.exact,
        "reason": result.reason,
        "moves_start": [show_permutation(g, result.names) for g in result.moving],
        "notes": list(result.notes),
        "effect": None,
    }


def effect_object(effect: Effect | None) -> dict[str, Any] | None:
    if effect is None:
        return None
    word = "exact" if effect.exact else "at_most"
    represented = None if effect.represented is None else {word: effect.represented}
    return {"orbits": effect.orbits, "represented": represented, "idle": effect.idle}


def group_object(result: Found) -> dict[str, Any]:
    """The symmetry at top level, with the degree and all orbits."""
    listed = [[point_name(x, result.names) for x in orbit] for orbit in orbits(result.group)]
    return {**found_object(result), "degree": result.group.degree, "orbits": listed}


def show_moves(moves: Moves, names: tuple[str, ...] | None) -> str:
    """Cycles, in the user's names."""
    cycles = ["(" + " ".join(str(point_name(x, names)) for x in cycle) + ")" for cycle in cycles_of_moves(moves)]
    return "".join(cycles) or "()"


def show_permutation(g: Permutation, names: tuple[str, ...] | None) -> str:
    return show_moves(tuple((a, x) for a, x in enumerate(g) if a != x), names)


def point_name(x: int, names: tuple[str, ...] | None) -> int | str:
    """Points without names are numbers from 1."""
    return x + 1 if names is None else names[x]


def trace_list(result: CheckResult) -> list[dict[str, Any]]:
    """The start, as a step of the command "start", and the steps: of a very long trace the first and the last."""
    trace = result.outcome.trace
    assert trace is not None
    starts = result.system.telling.starts
    given = {}
    if starts:
        changes = Teller(Meaning(result.system)).given(starts[0][0], trace.start) or ()
        given = {change.place: change.after for change in changes}
    first = {
        "command": "start",
        "actors": [],
        "source": {"file": result.path, "line": None},
        "state": state_object(result.system, trace.start),
        "text": starts[0][0] if starts else "start",
        "arguments": given,
        "results": {},
        "changed": {},
        "statements": [],
    }
    pieces = shown_pieces(trace, result.most_steps or MOST_STEPS)
    return [first, *(step_object(result, moved) for piece in pieces for moved in moves_of_piece(result.system, piece))]


def step_object(result: CheckResult, moved: Moved) -> dict[str, Any]:
    return {
        "command": moved.label,
        "commands": list(moved.commands),
        "actors": list(moved.actors),
        "source": source_object(moved.span, result.path),
        "state": state_object(result.system, moved.state),
        **told_object(moved),
    }


def told_object(moved: Moved) -> dict[str, Any]:
    """A step as the author would tell it; ``changed`` has what is visible, as [before, after]."""
    return {
        "text": moved.text,
        "arguments": moved.arguments,
        "results": moved.results,
        "changed": {change.place: [change.before, change.after] for change in moved.changes},
        "statements": [
            {"actor": said.actor, "text": said.text, "line": line_number(said.span)} for said in moved.statements
        ],
    }


def line_number(span: Span) -> int | None:
    return None if span.source is NOWHERE.source else span.line


def source_object(span: Span, path: str) -> dict[str, Any]:
    if span.source is NOWHERE.source:
        return {"file": path, "line": None}
    return {"file": span.file, "line": span.line}


def state_object(system: System, s: State) -> dict[str, Any]:
    return {
        show_place(system, place): value_object(system, place.type, value)
        for place, value in zip(system.places, s, strict=True)
        if is_shown(place.variable) and place.variable not in system.telling.internal
    }


def value_object(system: System, type: Type, value: Value) -> Any:
    """Numbers and truth values as such, everything else by name."""
    match type, value:
        case Truth(), _:
            return bool(value)
        case Number(low, _, names), int() if names:
            return names[value - (low or 0)] if 0 <= value - (low or 0) < len(names) else value
        case AtomOf(), int():
            return system.atom_name(value)
        case TupleOf(parts), tuple():
            return [value_object(system, t, v) for t, v in zip(parts, value, strict=True)]
        case SetOf(element), frozenset():
            return element_objects(system, element, sorted_elements(value))
        case QueueOf(), tuple() if value and system.telling.spelled is not None:
            return system.telling.spelled(value)  # type: ignore[arg-type]
        case QueueOf(message), tuple():
            return [value_object(system, message, v) for v in value]
        case _:
            return value


def element_objects(system: System, type: Type, values: list[Value]) -> list[Any]:
    """Those of a set; it may have thousands, and plain numbers are what they are."""
    if isinstance(type, Number) and not type.names:
        return list(values)
    return [value_object(system, type, v) for v in values]
