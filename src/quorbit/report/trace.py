"""A trace in the words of the model: for every step who moved, by which statements, and what changed.

``Moved`` is the one record of a step; every format of a trace is written from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.meaning.show import show_arguments, show_call, show_firing
from quorbit.model.system.command import Command
from quorbit.model.system.system import State, System
from quorbit.model.system.telling import Part, Side
from quorbit.report.told import Change, Teller
from quorbit.result.outcome import Step, Trace
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE, Span

__all__ = ["Moved", "Said", "actors_of", "describe_step", "moves_of_piece", "shown_pieces", "tell_step"]


@frozen
class Said:
    """A statement of a step: who performs it, what it says, where it is written, and what changed when it was done."""

    actor: str
    text: str
    span: Span
    changes: tuple[Change, ...] = ()


@frozen
class Moved:
    """One step: its commands as the user knows them, the actors of all of them, where the first is written.

    ``text`` tells the step in one line, ``statements`` one by one; ``arguments`` and ``results`` are by name."""

    label: str
    commands: tuple[str, ...]
    actors: tuple[str, ...]
    span: Span
    changes: tuple[Change, ...]
    state: State
    text: str
    arguments: dict[str, str]
    results: dict[str, str]
    statements: tuple[Said, ...]


def seen_by(system: System, side: Side) -> System:
    """The System as one of the machines that move together tells it."""
    parts = dict(side.parts)
    commands = tuple(with_part(c, parts[c.label]) if c.label in parts else c for c in system.commands)
    hidden = system.telling.hidden | side.hidden
    return replace(system, commands=commands, telling=replace(system.telling, hidden=hidden, sides=()))


def with_part(command: Command, part: Part) -> Command:
    hidden = tuple(p.name for p in command.parameters if p.name not in part.parameters)
    return replace(command, label=part.label, hidden=hidden, span=part.span)


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
    teller = Teller(Meaning(system))
    found, before = [], piece.start
    for step in piece.steps:
        found.append(tell_step(teller, before, step.firings, step.state))
        before = step.state
    return tuple(found)


def describe_step(meaning: Meaning, before: State, firings: tuple[Firing, ...], after: State) -> Moved:
    return tell_step(Teller(meaning), before, firings, after)


def tell_step(teller: Teller, before: State, firings: tuple[Firing, ...], after: State) -> Moved:
    system = teller.system
    labels = dict.fromkeys(system.commands[firing.command].label for firing in firings)
    spans = [system.commands[firing.command].span for firing in firings]
    statements = tuple(statements_of(teller, before, firings, after))
    arguments, results = arguments_of(teller, before, firings)
    return Moved(
        "; ".join(labels),
        tuple(show_firing(system, firing) for firing in firings),
        actors_of(teller.meaning, before, firings),
        next((span for span in spans if span.source is not NOWHERE.source), NOWHERE),
        teller.changes(before, after),
        after,
        "; ".join(dict.fromkeys(said.text for said in statements)),
        arguments,
        results,
        statements,
    )


def arguments_of(teller: Teller, s: State, firings: tuple[Firing, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Those of all commands of a step: an operation with a loop has its results in the last."""
    if not firings:
        return {}, {}
    if teller.inputs:
        return teller.arguments(s, firings[0]), {}
    arguments: dict[str, str] = {}
    results: dict[str, str] = {}
    for firing in firings:
        command = teller.system.commands[firing.command]
        given, found = ({}, {}) if command.actors else show_arguments(teller.system, firing)
        arguments |= given
        results |= found
    return arguments, results


def statements_of(teller: Teller, s: State, firings: tuple[Firing, ...], after: State) -> Iterator[Said]:
    """What every command performs, in order; the last statement of each has what changed.  Of several commands those
    that perform nothing the author wrote, and change nothing visible, are left out."""
    system = teller.system
    if firings and not any(system.commands[firing.command].actors for firing in firings):
        yield operation(teller, s, firings, after)
        return
    for k, firing in enumerate(firings):
        t = after if k + 1 == len(firings) else teller.meaning.fire(s, firing)[0]
        said, changes = list(performed(teller.meaning, s, firing)), teller.changes(s, t)
        is_own = bool(system.commands[firing.command].performs)
        s = t
        if is_own or changes or len(firings) == 1:
            yield from said[:-1]
            yield replace(said[-1], changes=changes)


def operation(teller: Teller, s: State, firings: tuple[Firing, ...], after: State) -> Said:
    """A step in which nobody in particular moves: an operation with its arguments, or the inputs of a circuit."""
    command = teller.system.commands[firings[0].command]
    arguments, results = arguments_of(teller, s, firings)
    if teller.inputs:
        text = ", ".join(f"{name} = {value}" for name, value in arguments.items())
    elif teller.system.synchronous:
        text = command.label
    else:
        text = show_call(command.label, arguments, results)
    given = teller.given(command.label, after)
    return Said("", text, command.span, teller.changes(s, after) if given is None else given)


def performed(meaning: Meaning, s: State, firing: Firing) -> Iterator[Said]:
    """The statements of a command; its label where it performs none that the text has."""
    command = meaning.system.commands[firing.command]
    names = actor_names(meaning, s, firing)
    said = [p for p in command.performs if p.text]
    if not said:
        yield Said(", ".join(names), command.label, command.span)
    for p in said:
        span = command.span if p.span.source is NOWHERE.source else p.span
        yield Said(names[p.actor] if p.actor < len(names) else "", p.text, span)


def actors_of(meaning: Meaning, s: State, firings: tuple[Firing, ...]) -> tuple[str, ...]:
    """The actors of all commands of a step, each once; every command is looked at in the state where it runs."""
    found: dict[str, None] = {}
    for k, firing in enumerate(firings):
        found.update(dict.fromkeys(actor_names(meaning, s, firing)))
        if k + 1 < len(firings):
            s = meaning.fire(s, firing)[0]
    return tuple(found)


def actor_names(meaning: Meaning, s: State, firing: Firing) -> tuple[str, ...]:
    system, env = meaning.system, meaning.environment(firing)
    actors = system.commands[firing.command].actors
    return tuple(system.atom_name(meaning.value_of(actor)(s, env)) for actor in actors)
