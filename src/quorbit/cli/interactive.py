"""Choosing the steps of a run by hand, through two functions: a terminal, a pipe or a test can be at the other end."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.engines.simulate.session import Choices, Session, Taken, find_problem
from quorbit.model.meaning.evaluate import BoundExceeded, Firing
from quorbit.model.meaning.show import show_firing
from quorbit.report.told import Teller, show_told
from quorbit.report.trace import describe_step
from quorbit.source.span import NOWHERE

__all__ = ["interact"]

HELP = "enter a number to take that step, u to undo one, s to show the state, q to quit"
MOST_SHOWN = 200
Ask = Callable[[], str | None]
Tell = Callable[[str], None]
Offer = tuple[int, Firing, str]  # number among the choices, command, how it is shown


def interact(session: Session, ask: Ask, tell: Tell, tell_step: Callable[[Taken], None], whole: bool = False) -> None:
    """Until there is no more to read; ``whole``: show the whole state before every choice."""
    tell(HELP)
    if len(session.starts) > 1 and not choose_start(session, ask, tell):
        return
    offers = offer(session, tell, whole)
    while (line := ask()) is not None and line.strip() != "q":
        match line.strip():
            case "":
                continue
            case "u":
                tell("took one step back" if session.undo() else "nothing to undo")
            case "s":
                tell(f"  {show_told(session.system, session.state)}")
                continue
            case text if text.isdecimal() and 1 <= int(text) <= len(offers):
                number, firing, _ = offers[int(text) - 1]
                tell_step(session.take(number, firing))
            case text if text.isdecimal():
                tell(f"choose 1 to {len(offers)}" if offers else "no step is possible")
                continue
            case _:
                tell(HELP)
                continue
        offers = offer(session, tell, whole)


def choose_start(session: Session, ask: Ask, tell: Tell) -> bool:
    """Whether an initial state was chosen."""
    shown = session.starts[:MOST_SHOWN]
    tell("initial states:" if session.all_starts else "some of the initial states:")
    for k, s in enumerate(shown, 1):
        tell(f"  {k}: {show_told(session.system, s)}")
    tell_more(len(session.starts) - len(shown), tell)
    while (line := ask()) is not None and line.strip() != "q":
        if line.strip().isdecimal() and 1 <= int(line) <= len(session.starts):
            session.choose_start(session.meaning, int(line) - 1)
            return True
        tell(f"choose 1 to {len(session.starts)}")
    return False


def offer(session: Session, tell: Tell, whole: bool) -> list[Offer]:
    """Show where the run stands and what can happen; the steps in the order of their numbers."""
    if whole:
        for line in Teller(session.meaning).families(session.state):
            tell(line)
    choices = session.choices()
    if (problem := find_problem(session, choices)) is not None:
        where = "" if problem.span.source is NOWHERE.source else f"{problem.span}: "
        tell(f"{where}{problem.property}: {problem.message}")
    offers = list_offers(session, choices)
    for k, (_, _, text) in enumerate(offers, 1):
        tell(f"  {k}: {text}")
    tell_more(len(choices.firings) - MOST_SHOWN, tell)
    if not choices.complete:
        tell("  ... and very many more; these were drawn at random")
    if not offers:
        tell("  no step is possible")
    return offers


def tell_more(count: int, tell: Tell) -> None:
    if count > 0:
        tell(f"  ... and {count} more")


def list_offers(session: Session, choices: Choices) -> list[Offer]:
    """The choices; those that look alike and lead to one state are one, and what tells others apart is shown."""
    found: dict[tuple[str, object], Offer] = {}
    for number, firing in enumerate(choices.firings[:MOST_SHOWN]):
        text = describe(session, firing)
        try:
            key = (text, session.meaning.fire(session.state, firing))
        except BoundExceeded:
            key = (text, (number, None))  # type: ignore[assignment]
        found.setdefault(key, (number, firing, text))
    return list(found.values())


def describe(session: Session, firing: Firing) -> str:
    """Who would move, where that is written, and how."""
    command = session.system.commands[firing.command]
    actors = describe_step(session.meaning, session.state, (firing,), session.state).actors if command.actors else ()
    where = "" if command.span.source is NOWHERE.source else f"line {command.span.line}  "
    text = command.label if actors else show_firing(session.system, firing)
    return f"{', '.join(actors)}  {where}{text}" if actors else f"{where}{text}"
