"""Expressions about a Murphi model that a user asks about."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.expression import Readable
from quorbit.languages.murphi.formulas import read_value
from quorbit.languages.murphi.load import load_source
from quorbit.languages.murphi.types import Integer, is_simple
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.show import show_value
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Span


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    lowered = load_source(read_source(path), options)
    found = read_value(lowered, text)
    if isinstance(found.type, Integer):
        return Readable(found.expr, str)
    if not is_simple(found.type):
        raise UserError(text, "a simple value is expected")
    stored = lowered.context.store.stored_type(found.type, False)  # type: ignore[arg-type]
    return Readable(found.expr, lambda value: show_value(lowered.system, stored, value))
