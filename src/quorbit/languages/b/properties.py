"""Properties in the words of B: predicates as invariants, and temporal formulas as ProB writes them (temporal/)."""

from __future__ import annotations

import re

from quorbit.languages.b.syntax.formulas import Text
from quorbit.languages.b.temporal.reading import Reading, read_predicate
from quorbit.model.system.expression import TRUE, disjunction, negation
from quorbit.model.system.formula import AllPaths, Next
from quorbit.model.system.formula_kinds import is_ltl
from quorbit.model.system.system import Invariant, Property, Temporal
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["Reading"]

TEMPORAL = re.compile(r"ASSERT_(LTL|CTL)\w*")
OPERATOR = re.compile(r"(?:\s|\(|!|not\b)*([GFXHOY]+|[AE][GFX]?)\b")


def read_property(reading: Reading, span: Span, name: str) -> Property:
    """A predicate is an invariant, anything else a temporal formula; of two complaints the one that came further."""
    if (inside := temporal_definitions(reading).get(span.text.strip())) is not None:
        return read_temporal(reading, inside, name)
    try:
        holds = read_predicate(reading, span)
        condition = disjunction([negation(reading.ready), holds], span)
        return Invariant(name, condition, f"{name} does not hold", span=span)
    except UserError as error:
        try:
            return read_temporal(reading, span, name)
        except UserError as other:
            if looks_temporal(reading, span.text):
                raise
            raise max(error, other, key=lambda e: e.span.start) from None


def looks_temporal(reading: Reading, text: str) -> bool:
    """Whether a text begins with an operator of temporal logic that is not a name of the machine."""
    found = OPERATOR.match(text)
    return found is not None and found.group(1) not in reading.scope.universe.types


def temporal_properties(reading: Reading) -> tuple[tuple[Temporal, ...], tuple[str, ...]]:
    """The ASSERT_LTL and ASSERT_CTL definitions; and those that need what we do not have, with the reason."""
    found: list[Temporal] = []
    unread: list[str] = []
    for name, span in temporal_definitions(reading).items():
        try:
            found.append(read_temporal(reading, span, name))
        except UserError as error:
            unread.append(f"not checked: {name}, which cannot be read ({error.span}: {error.message})")
    return tuple(found), tuple(unread)


def temporal_definitions(reading: Reading) -> dict[str, Span]:
    """Where the texts of the temporal definitions are, without their quotes."""
    found: dict[str, Span] = {}
    for definition in reading.definitions.values():
        if TEMPORAL.fullmatch(definition.name) and isinstance(definition.body, Text):
            span = definition.body.span
            found[definition.name] = Span(span.source, span.start + 1, span.end - 1)
    return found


def read_temporal(reading: Reading, span: Span, name: str) -> Temporal:
    """A temporal formula, with the System that remembers what it asks for."""
    from quorbit.languages.b.temporal.atoms import read_atom
    from quorbit.languages.b.temporal.history import remember
    from quorbit.languages.b.temporal.parse import parse_temporal

    formula, about = remember(reading.system, parse_temporal(span, lambda rest: read_atom(reading, rest)))
    if reading.ready != TRUE:
        # ProB looks at runs from the initialised states, one step after the valuation of the constants.
        formula = Next(formula) if is_ltl(formula) else AllPaths(Next(formula))
    return Temporal(name, formula, span, about=about)
