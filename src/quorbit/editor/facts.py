"""What an editor shows of a model: mistakes, declared names, possible values, symmetry and the lines that break it.

Plain values that go through a pipe as JSON: they are found in a process of its own (work.py), for a model that is half
typed may take long or much memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quorbit.detection.reasons.why import Breach
from quorbit.groups.permutation import show
from quorbit.languages.options import LoadOptions
from quorbit.languages.outline import Symbol
from quorbit.languages.registry import language_of
from quorbit.model.meaning.show import show_value
from quorbit.model.specialise.possible.outline import Outline
from quorbit.model.specialise.possible.run import Possible
from quorbit.model.specialise.start import run_start
from quorbit.model.system.system import System
from quorbit.pipeline.explanations import first_breaches, revealed
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import symmetry
from quorbit.report.as_json import symmetry_object
from quorbit.source.errors import UserError
from quorbit.source.read import unsaved
from quorbit.source.span import NOWHERE, Span

MOST_VALUES = 12  # of a variable that hover tells
MOST_PAIRS = 40
Facts = dict[str, Any]


def read(path: Path, text: str) -> Facts:
    """Quickly: the mistakes that reading shows, and the names that are declared."""
    outline = language_of(path).outline
    try:
        with unsaved({path: text}):
            symbols = outline(path, LoadOptions()) if outline is not None else ()
    except UserError as error:
        return {"mistakes": mistakes_of(error, path)}
    return {"mistakes": [], "symbols": [symbol_object(each) for each in symbols if is_in(each.span, path)]}


def find(path: Path, text: str) -> Facts:
    """With more time: the mistakes that only show when the model is lowered, possible values, symmetry."""
    try:
        with unsaved({path: text}):
            model = load(path)
            found = symmetry(model, CheckOptions())
            return {
                "mistakes": [],
                "values": possible_values(model.system),
                "symmetry": symmetry_object(found)["structure"],
                "breaks": breaks_of(model),
            }
    except UserError as error:
        return {"mistakes": mistakes_of(error, path)}


def mistakes_of(error: UserError, path: Path) -> list[Facts]:
    """Those in another file are told at the top of this one."""
    told = []
    for each in error.diagnostics:
        here = is_in(each.span, path)
        where = range_object(each.span) if here else range_object(NOWHERE)
        other = "" if here or each.span.source is NOWHERE.source else f"{each.span}: "
        told.append({"range": where, "message": other + each.message})
    return told


def is_in(span: Span, path: Path) -> bool:
    return span.source is not NOWHERE.source and Path(span.file).absolute() == path.absolute()


def range_object(span: Span) -> list[int]:
    """First line and column, last line and column, from 0, in code points."""
    if span.source is NOWHERE.source:
        return [0, 0, 0, 1]
    text = span.source.text
    lines, last = text.count("\n", 0, span.end), text.rfind("\n", 0, span.end)
    return [span.line - 1, span.column - 1, lines, span.end - last - 1]


def symbol_object(symbol: Symbol) -> Facts:
    return {
        "name": symbol.name,
        "kind": symbol.kind,
        "detail": symbol.detail,
        "container": symbol.container,
        "range": range_object(symbol.span),
    }


def possible_values(system: System) -> dict[str, str]:
    """What every variable may hold in any reachable state, as far as is known without a search."""
    starts = None if system.synchronous else run_start(system).states
    if starts is None:
        return {}
    possible = Possible(Outline(system, roughly=True), starts)
    types = {place.address: place.type for place in system.places}
    told: dict[str, str] = {}
    for variable, addresses in possible.outline.addresses.items():
        sets = [possible.values.get(address) for address in addresses]
        if any(values is None for values in sets) or not addresses:
            continue
        kind = types[addresses[0]]
        shown = sorted({show_value(system, kind, value) for values in sets for value in values or ()})
        told[variable] = ", ".join(shown[:MOST_VALUES]) + (", ..." if len(shown) > MOST_VALUES else "")
    return told


def breaks_of(model: Model) -> list[Facts]:
    """The lines that keep alike atoms apart, with the exchange that each breaks."""
    system, found = revealed(model, CheckOptions())
    names = tuple(atom.name for atom in system.atoms)
    told: dict[int, Facts] = {}
    for _, g, breach in first_breaches(system, found, MOST_PAIRS):
        if is_in(breach.span, model.path):
            told.setdefault(breach.span.line, break_object(show(g, names), breach))
    return list(told.values())


def break_object(exchange: str, breach: Breach) -> Facts:
    return {"range": range_object(breach.span), "exchange": exchange, "message": breach.message}
