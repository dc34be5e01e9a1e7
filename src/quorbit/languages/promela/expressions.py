"""Expressions of Promela that a user asks about: globals by their names, locals as P[1]:x."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.expression import Readable
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import check_options, defines_of
from quorbit.languages.promela.lower.expressions import value
from quorbit.languages.promela.lower.places import Placement
from quorbit.languages.promela.lower.remote import remote_uses
from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.lower.values import View
from quorbit.languages.promela.parse.program import Expression, Kind, Reference, RemoteLabel
from quorbit.languages.promela.parse.units import parse_words
from quorbit.languages.promela.parse.walk import walk
from quorbit.model.system.expression import atom
from quorbit.model.system.types import NONE, Value
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Span


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    check_options(options)
    program, formula = parse_words(read_source(path), defines_of(options), text, "expression")
    watched, _ = remote_uses(program)
    placement = lower(program, options.count_like, options.bounds, options.stepwise).placement
    for inner in walk(formula.body):
        if isinstance(inner, Reference) and placement.is_hidden(inner.variable):
            raise UserError(inner.span, f"'{inner.variable.name}' is never read by the model and therefore not stored")
        if isinstance(inner, RemoteLabel) and (inner.proctype, inner.label) not in watched:
            raise UserError(inner.span, "only labels that the model itself asks about can be used here")
    shown = value(View(placement, "", atom(NONE)), formula.body)
    return Readable(shown, lambda found: show(placement, formula.body, found))


def show(placement: Placement, expression: Expression, found: Value) -> str:
    """A number; of an mtype variable the name."""
    if isinstance(expression, Reference) and expression.last.type.kind is Kind.MTYPE and isinstance(found, int):
        members = dict(placement.program.mtypes).get(expression.last.type.name, ())
        return members[found - 1] if 0 < found <= len(members) else str(found)
    return str(found)
