"""What a user sees of the run after so many steps: the moves from there, and how the properties fare."""

from __future__ import annotations

from typing import Any

from quorbit.engines.simulate.session import Choices
from quorbit.explorer.exploration import Exploration
from quorbit.model.meaning.evaluate import BoundExceeded, Fault, Meaning
from quorbit.model.meaning.show import show_expression
from quorbit.model.system.expression import Expr
from quorbit.model.system.formula import map_propositions
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, State, Temporal
from quorbit.report.page.run_data import RunTeller
from quorbit.source.exhaustive import assert_never

MOST_MOVES = 200
MOST_STARTS = 200
MOST_PARTS = 12  # propositions of a formula
LONGEST = 300  # characters of a property
Data = dict[str, Any]


def view(exploration: Exploration, teller: RunTeller, at: int) -> Data:
    choices = exploration.choices(at)
    problem = exploration.problem(at)
    s = exploration.run.state_at(at)
    moves = list_moves(exploration, teller, at, choices)
    return {
        "at": at,
        "moves": moves,
        "more": max(0, len(choices.firings) - MOST_MOVES),
        "complete": choices.complete,
        "inside": exploration.meaning.is_transient(s),
        "problem": None if problem is None else teller.violation(problem),
        "properties": [status(exploration, p, s, at, choices, moves) for p in exploration.system.properties],
    }


def list_moves(exploration: Exploration, teller: RunTeller, at: int, choices: Choices) -> list[Data]:
    """The moves; those that look alike and lead to one state are one."""
    s, found = exploration.run.state_at(at), dict[object, Data]()
    taken = exploration.run.taken[at].firing if at < len(exploration.run.taken) else None
    for number, firing in enumerate(choices.firings[:MOST_MOVES]):
        try:
            t, violation = exploration.meaning.fire(s, firing)
        except BoundExceeded:  # it creates more than there is room for yet
            t, violation = s, None
        row = teller.row(0, s, firing, t, violation)
        key = (row["text"], tuple(row["actors"]), t, violation)
        if key in found:
            found[key]["next"] = found[key]["next"] or firing == taken
        else:
            found[key] = {**row, "number": number, "next": firing == taken}
    return list(found.values())


def list_rows(exploration: Exploration, teller: RunTeller, first: int = 0) -> list[Data]:
    """The steps taken, from one on; the number of a step counts those that lead to a stored state."""
    meaning, rows, number = exploration.meaning, list[Data](), 1
    for k, taken in enumerate(exploration.run.taken):
        inside = taken.violation is None and meaning.is_transient(taken.after)
        if k >= first:
            row = teller.row(number, taken.before, taken.firing, taken.after, taken.violation)
            printed = {"printed": taken.printed} if taken.printed else {}
            rows.append({**row, **printed, "inside": inside})
        number += not inside
    return rows


def list_starts(exploration: Exploration) -> list[int]:
    return list(range(min(MOST_STARTS, len(exploration.session.starts))))


def list_properties(exploration: Exploration, teller: RunTeller) -> list[Data]:
    """What can be checked: all safety properties together, then each property."""
    system = exploration.system
    return [
        {
            "name": p.name,
            "kind": kind(p),
            "text": text_of(exploration, p),
            "place": teller.sources.place(p.span),
        }
        for p in system.properties
    ]


def kind(p: Property) -> str:
    match p:
        case Invariant():
            return "goal" if p.goal else "invariant"
        case NoDeadlock():
            return "deadlock"
        case Assertions():
            return "assertions"
        case Temporal():
            return "temporal"
        case _:
            assert_never(p)


def text_of(exploration: Exploration, p: Property) -> str:
    match p:
        case Invariant():
            written = " ".join(p.span.text.split())
            text = written or show_expression(exploration.system, p.condition)
        case NoDeadlock():
            text = "some move can be made in every state"
        case Assertions():
            text = "every assertion holds when it is reached"
        case Temporal():
            text = " ".join(p.span.text.split())
        case _:
            assert_never(p)
    return text if len(text) <= LONGEST else text[: LONGEST - 2] + " …"


def status(exploration: Exploration, p: Property, s: State, at: int, choices: Choices, moves: list[Data]) -> Data:
    """How a property fares here: holds, violated, near (a move violates it), inside (not judged here), open."""
    meaning = exploration.meaning
    last = exploration.run.taken[at - 1].violation if at else None
    if last is not None and last.property == p.name:
        return {"name": p.name, "status": "violated", "detail": last.message}
    match p:
        case Temporal():
            return {"name": p.name, "status": "open", "detail": "", "parts": propositions(meaning, p, s)}
        case _ if meaning.is_transient(s):
            return {"name": p.name, "status": "inside", "detail": "not judged inside a step"}
        case Invariant():
            found = judge(meaning, p.condition, s)
        case NoDeadlock():
            can_move = bool(choices.firings) or not choices.complete or last is not None
            found = ("holds", "") if can_move else judge(meaning, p.allowed, s)
        case Assertions():
            found = ("holds", "")
        case _:
            assert_never(p)
    near = [move for move in moves if (v := move.get("violation")) is not None and v["property"] == p.name]
    if found[0] == "holds" and near:
        found = ("near", f"{near[0]['text']} would violate it")
    return {"name": p.name, "status": found[0], "detail": found[1]}


def judge(meaning: Meaning, condition: Expr, s: State) -> tuple[str, str]:
    try:
        return ("holds", "") if meaning.holds(condition, s) else ("violated", "")
    except Fault as fault:
        return "violated", fault.message


def propositions(meaning: Meaning, p: Temporal, s: State) -> list[list[Any]]:
    """The propositions of a formula with their truth values here; null where one has none."""
    found: dict[str, bool | None] = {}

    def look(e: Any) -> Any:
        text = show_expression(meaning.system, e)
        if text not in found and len(found) < MOST_PARTS:
            try:
                found[text] = bool(meaning.holds(e, s))
            except (Fault, KeyError):
                found[text] = None
        return e

    map_propositions(p.formula, look)
    return [[text if len(text) <= LONGEST else text[: LONGEST - 2] + " …", value] for text, value in found.items()]
