"""``quorbit simulate``: run a model at random or by hand."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from quorbit.cli.answer import is_coloured, print_json, write_file
from quorbit.cli.interactive import interact
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import simulate_options
from quorbit.cli.run_files import write_chart
from quorbit.engines.simulate.random_walk import begin, ending, walk
from quorbit.engines.simulate.session import Session, Taken
from quorbit.model.meaning.evaluate import Violation
from quorbit.pipeline.load import Growing, Model, load
from quorbit.report.as_json import source_object, state_object, told_object
from quorbit.report.saved_trace import save_trace
from quorbit.report.steps import show_step
from quorbit.report.text import Paint
from quorbit.report.told import show_told
from quorbit.report.trace import describe_step
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]


def run(options: Namespace) -> int:
    if options.interactive and options.json:
        raise UserError(None, "--interactive talks to a person and --json to a program: choose one")
    growing = Growing(load(options.model, simulate_options(options)))
    session = Session(growing.model.system, options.seed, growing)
    interrupted = ""
    with stoppable(None):
        try:
            simulate(options, session)
        except Interrupted as stopped:
            interrupted = str(stopped)
    reason, problem = ending(session)
    write_files(options, growing.model, session, problem)
    tell_ending(options, session, interrupted or reason, problem)
    return 3 if interrupted else 1 if problem else 0


def simulate(options: Namespace, session: Session) -> None:
    show = teller(options, session)
    if options.interactive:
        interact(session, ask, print, show)
        return
    begin(session)
    if not options.json and not options.quiet:
        print(f"  0: start  {show_told(session.system, session.start)}  (seed {options.seed})")
    for taken in walk(session, options.steps):
        show(taken)


def ask() -> str | None:
    """A line of the input; None at its end."""
    if sys.stdin.isatty():
        print("> ", end="", flush=True)
    return sys.stdin.readline() or None


def teller(options: Namespace, session: Session) -> Callable[[Taken], None]:
    paint = Paint(is_coloured())

    def show(taken: Taken) -> None:
        if options.json:
            return
        if not options.quiet:
            moved = describe_step(session.meaning, taken.before, (taken.firing,), taken.after)
            print(show_step(len(session.taken), moved, paint))
        print(taken.printed, end="" if not taken.printed or taken.printed.endswith("\n") or options.quiet else "\n")

    return show


def write_files(options: Namespace, model: Model, session: Session, problem: Violation | None) -> None:
    if options.trace:
        write_file(options.trace, json.dumps(saved(model, session, problem)) + "\n")
    if options.chart and not (options.json and options.chart == "-"):
        write_chart(options.chart, session.system, session.trace(), options.chart_all)


def saved(model: Model, session: Session, problem: Violation | None) -> dict[str, Any]:
    told = (problem.property, problem.message) if problem else ("", "")
    return save_trace(model.system, model.path, model.options, session.trace(), *told)


def tell_ending(options: Namespace, session: Session, reason: str, problem: Violation | None) -> None:
    if options.json:
        print_json(run_object(options, session, reason, problem))
        return
    paint = Paint(is_coloured())
    if problem is None:
        print(reason)
    else:
        print(f"{paint('FAILS', 'red')}: {problem.property} ({problem.message})")
    print(f"state after {len(session.taken)} steps: {show_told(session.system, session.state)}")


def run_object(options: Namespace, session: Session, reason: str, problem: Violation | None) -> dict[str, Any]:
    """``verdict`` is "fails" or null: a run without an error proves nothing."""
    path = str(options.model)
    first = {"command": "start", "actors": [], "source": {"file": path, "line": None}}
    return {
        "verdict": "fails" if problem else None,
        "property": problem.property if problem else "",
        "message": reason,
        "seed": options.seed,
        "steps": len(session.taken),
        "printed": "".join(taken.printed for taken in session.taken),
        "trace": [
            {**first, "state": state_object(session.system, session.start)},
            *(taken_object(session, taken, path) for taken in session.taken),
        ],
        "model": path,
    }


def taken_object(session: Session, taken: Taken, path: str) -> dict[str, Any]:
    moved = describe_step(session.meaning, taken.before, (taken.firing,), taken.after)
    return {
        "command": moved.label,
        "commands": list(moved.commands),
        "actors": list(moved.actors),
        "source": source_object(moved.span, path),
        "state": state_object(session.system, moved.state),
        **told_object(moved),
        "printed": taken.printed,
    }
