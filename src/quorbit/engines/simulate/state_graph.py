"""All states of a small System and the moves between them, to be looked at."""

from __future__ import annotations

from quorbit.canon.minimise import Reduce
from quorbit.engines.simulate.choices import is_flat, is_listable
from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.meaning.show import show_firing
from quorbit.model.system.system import State, System
from quorbit.model.system.types import default
from quorbit.result.state_space import Arrow, StateSpace
from quorbit.source.frozen import field, mutable

__all__ = ["TooLarge", "find_states", "refuse_many"]


class TooLarge(Exception):
    """There are more states than were allowed, or too many moves to list; the message says which."""


@mutable
class Found:
    """The states in the order they were found, their numbers, the moves, and what goes wrong in which state."""

    states: list[State] = field(default_factory=list)
    numbers: dict[State, int] = field(default_factory=dict)
    arrows: dict[Arrow, None] = field(default_factory=dict)
    failing: dict[int, str] = field(default_factory=dict)


def find_states(system: System, most: int, reduce: Reduce | None = None) -> StateSpace:
    """The reachable states, one per orbit if ``reduce`` is given, in the order of breadth-first search.

    Requires: ``refuse_many`` had nothing to refuse."""
    meaning = Meaning(system)
    found = Found()
    initial = [number_of(found, s, reduce) for s in meaning.initial_states()]
    for source, s in enumerate(found.states):  # grows while we go through it
        if len(found.states) > most:
            raise TooLarge(f"there are more than {most} states; --max-states N allows more")
        for move in meaning.moves(s):
            add_move(meaning, found, source, move, reduce)
    return StateSpace(system, tuple(found.states), tuple(dict.fromkeys(initial)), tuple(found.arrows), found.failing)


def refuse_many(meaning: Meaning) -> None:
    """Raise TooLarge where the moves from one state cannot be listed."""
    system = meaning.system
    blank = tuple(default(place.type) for place in system.places)
    starts = is_listable(meaning, system.start, blank)
    if not starts or (is_flat(system.commands) and not is_listable(meaning, system.commands, blank)):
        raise TooLarge("there are too many moves from one state to list them")


def number_of(found: Found, s: State, reduce: Reduce | None) -> int:
    r = reduce(s)[0] if reduce else s
    if r not in found.numbers:
        found.numbers[r] = len(found.states)
        found.states.append(r)
    return found.numbers[r]


def add_move(meaning: Meaning, found: Found, source: int, move: Move, reduce: Reduce | None) -> None:
    """A move that ends in a violation leads nowhere."""
    if move.violation is not None:
        found.failing.setdefault(source, move.violation.message)
        return
    texts = dict.fromkeys(call(meaning.system, move, k) for k in range(len(move.firings)))
    found.arrows[Arrow(source, number_of(found, move.target, reduce), "; ".join(texts))] = None


def call(system: System, move: Move, k: int) -> str:
    """A command as the user knows it: by its actor's name if it has one, else with its arguments."""
    return show_firing(system, move.firings[k])
