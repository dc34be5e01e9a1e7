"""``quorbit eval``: the value of an expression in a state of a model."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import print_json
from quorbit.cli.options import simulate_options
from quorbit.cli.run_files import rerun_file
from quorbit.engines.simulate.session import Session
from quorbit.languages.expression import Readable
from quorbit.languages.registry import language_of_file
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.system import State
from quorbit.pipeline.load import Model, load
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span

__all__ = ["run"]

MOST_STEPS = 3  # until a machine with constants is initialised


def run(options: Namespace) -> int:
    language = language_of_file(Path(options.model), options.language)
    if language.read_expression is None:
        raise UserError(None, f"{options.model}: expressions about {language.title} cannot be evaluated")
    if options.after is None:
        model, last = load(options.model, simulate_options(options)), None
    else:
        refuse_load_options(options)
        model, _, trace, _ = rerun_file(options.model, options.after)
        last = trace.steps[-1].state if trace.steps else trace.start
    text = Span(Source("<expression>", options.expression), 0, len(options.expression))
    asked = language.read_expression(model.path, model.options, text)
    shown = evaluate(model, asked, first_state(model, asked) if last is None else last, text)
    if options.json:
        print_json({"value": shown, "expression": options.expression, "model": options.model})
    else:
        print(shown)
    return 0


def refuse_load_options(options: Namespace) -> None:
    if options.defines or options.sets or options.maxint is not None or options.minint is not None:
        raise UserError(None, "a trace says how its model is read: leave out -D, --set, --maxint and --minint")


def first_state(model: Model, asked: Readable) -> State:
    """The first initial state, or the first after it in which the expression has a meaning."""
    session = Session(model.system)
    for _ in range(MOST_STEPS):
        if session.meaning.holds(asked.ready, session.state):
            return session.state
        firings = session.choices().firings
        if not firings:
            break
        session.take(0, firings[0])
    raise UserError(None, f"{model.path}: no state is initialised")


def evaluate(model: Model, asked: Readable, s: State, text: Span) -> str:
    meaning = Meaning(model.system)
    if not meaning.holds(asked.ready, s):
        raise UserError(text, "the variables have no values yet in this state")
    try:
        return asked.show(meaning.value_of(asked.expression)(s, {}))
    except Fault as fault:
        raise UserError(fault.span, fault.message) from None
