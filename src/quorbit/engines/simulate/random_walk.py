"""A random run: every choice with equal chance, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from quorbit.engines.simulate.choices import pick_number
from quorbit.engines.simulate.session import Session, Taken, find_problem
from quorbit.model.meaning.evaluate import Violation

__all__ = ["begin", "ending", "walk"]

Ending = tuple[str, Violation | None]  # a sentence about why the run ends here, and what is wrong


def begin(session: Session) -> None:
    """Choose an initial state at random."""
    session.choose_start(session.meaning, pick_number(session.random, len(session.starts)))


def walk(session: Session, steps: int, random: Random | None = None) -> Iterator[Taken]:
    """At most so many steps; ends early where something is wrong or nothing can move.  ``random``: the session's, if
    no other is given."""
    random = random or session.random
    for _ in range(steps):
        choices = session.choices()
        if find_problem(session, choices) is not None or not choices.firings:
            return
        k = pick_number(random, len(choices.firings))
        yield session.take(k, choices.firings[k])


def ending(session: Session) -> Ending:
    choices = session.choices()
    problem = find_problem(session, choices)
    if problem is not None:
        return problem.message, problem
    if choices.firings:
        return f"stopped after {len(session.taken)} steps", None
    return ("the end: nothing can move" if choices.complete else "no move was found in many random tries"), None
