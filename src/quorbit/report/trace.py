"""A trace in the words of the model: for every step who moved, along which line, and what changed."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.meaning.show import show_firing, show_place, show_value
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Step, Trace
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Moved", "describe_step"]


@frozen
class Change:
    place: str
    before: str
    after: str


@frozen
class Moved:
    """One step: its commands as the user knows them, the actors of all of them, where the first is written."""

    label: str
    commands: tuple[str, ...]
    actors: tuple[str, ...]
    span: Span
    changes: tuple[Change, ...]
    state: State


@frozen
class Piece:
    """Steps of a trace, one after the other: how many came before, and the state they begin in."""

    passed: int
    start: State
    steps: Sequence[Step]


def shown_pieces(trace: Trace, most: int) -> tuple[Piece, ...]:
    """The whole trace, or of a longer one than asked for the beginning and the end."""
    steps, half = trace.steps, most // 2
    if len(steps) <= most:
        return (Piece(0, trace.start, steps),)
    passed = len(steps) - half
    return Piece(0, trace.start, steps[:half]), Piece(passed, steps[passed - 1].state, steps[passed:])


def moves_of(system: System, trace: Trace) -> tuple[Moved, ...]:
    return moves_of_piece(system, Piece(0, trace.start, trace.steps))


def moves_of_piece(system: System, piece: Piece) -> tuple[Moved, ...]:
    meaning = Meaning(system)
    found, before = [], piece.start
    for step in piece.steps:
        found.append(describe_step(meaning, before, step.firings, step.state))
        before = step.state
    return tuple(found)


def describe_step(meaning: Meaning, before: State, firings: tuple[Firing, ...], after: State) -> Moved:
    system = meaning.system
    commands = tuple(show_firing(system, firing) for firing in firings)
    labels = dict.fromkeys(system.commands[firing.command].label for firing in firings)
    spans = [system.commands[firing.command].span for firing in firings]
    return Moved(
        "; ".join(labels),
        commands,
        actors_of(meaning, before, firings),
        next((span for span in spans if span.source is not NOWHERE.source), NOWHERE),
        changes(system, before, after),
        after,
    )


def actors_of(meaning: Meaning, s: State, firings: tuple[Firing, ...]) -> tuple[str, ...]:
    """The actors of all commands of a step, each once; every command is looked at in the state where it runs."""
    found: dict[str, None] = {}
    for k, firing in enumerate(firings):
        env = meaning.environment(firing)
        for actor in meaning.system.commands[firing.command].actors:
            found[meaning.system.atom_name(meaning.value_of(actor)(s, env))] = None
        if k + 1 < len(firings):
            s = meaning.fire(s, firing)[0]
    return tuple(found)


def changes(system: System, before: State, after: State) -> tuple[Change, ...]:
    return tuple(
        Change(show_place(system, place), show_value(system, place.type, a), show_value(system, place.type, b))
        for place, a, b in zip(system.places, before, after, strict=True)
        if a != b
    )
