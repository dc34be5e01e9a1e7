"""Who moves in a move: the first actor of each command on the way; and whom fairness is about."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.system.system import State

__all__ = ["fair_processes", "movers"]


def movers(meaning: Meaning, s: State, move: Move) -> tuple[int, int]:
    """The process that begins a move, and all that move in it, as masks of atoms."""
    first, all_movers, at = 0, 0, s
    for k, firing in enumerate(move.firings):
        command = meaning.system.commands[firing.command]
        if command.actors:
            atom = meaning.value_of(command.actors[0])(at, meaning.environment(firing))
            all_movers |= 1 << atom
            if k == 0:
                first = 1 << atom
        if k + 1 < len(move.firings):
            at = meaning.fire(at, firing)[0]
    return first, all_movers


def fair_processes(enabled: Iterable[int]) -> tuple[int, ...]:
    """The processes that fairness is about: all that can move in one of the states, given as masks of atoms."""
    mask = 0
    for those in enabled:
        mask |= those
    return tuple(a for a in range(mask.bit_length()) if mask >> a & 1)
