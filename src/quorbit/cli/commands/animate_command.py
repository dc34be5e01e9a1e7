"""``quorbit animate``: step through a model by hand, with its state and invariants in view."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import is_coloured
from quorbit.cli.commands.simulate_command import ask
from quorbit.cli.interactive import interact
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import simulate_options
from quorbit.engines.simulate.session import Session, Taken
from quorbit.languages.registry import language_of_file
from quorbit.pipeline.load import Growing, load
from quorbit.report.steps import show_step
from quorbit.report.text import Paint
from quorbit.report.trace import describe_step
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]


def run(options: Namespace) -> int:
    if options.json:
        raise UserError(None, "animate is interactive; programs can use simulate --json or graph --json")
    with stoppable(None):
        try:
            animate(options)
        except Interrupted as reason:
            print(f"UNKNOWN: {reason}")
            return 3
    return 0


def animate(options: Namespace) -> None:
    """By the language's own way of stepping through a model, if it has one."""
    path = Path(options.model)
    own = language_of_file(path, options.language).animate
    if own is not None:
        own(path, simulate_options(options), ask, print)
        return
    growing = Growing(load(path, simulate_options(options)))
    session = Session(growing.model.system, 0, growing)
    paint = Paint(is_coloured())

    def tell_step(taken: Taken) -> None:
        moved = describe_step(session.meaning, taken.before, (taken.firing,), taken.after)
        print(show_step(len(session.taken), moved, paint))
        print(taken.printed, end="" if not taken.printed or taken.printed.endswith("\n") else "\n")

    interact(session, ask, print, tell_step, whole=True)
