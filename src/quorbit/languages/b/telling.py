"""How a run of a B machine is told: operations with arguments and results, maplets, the machine's own variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quorbit.languages.b.meaning.evaluator import Endless
from quorbit.languages.b.meaning.explore import SETUP, START
from quorbit.languages.b.meaning.value_spelling import Spelling
from quorbit.languages.b.syntax.formulas import Name
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.model.system.telling import Telling

__all__ = ["telling_of"]

LONGEST = 200


def telling_of(
    machine: TypedMachine,
    spelling: Spelling,
    fixed: dict[str, Any],
    places: Iterable[Name],
    hidden: Iterable[str],
) -> Telling:
    """``fixed``: constants with one value; ``places``: the others; ``hidden``: variables that nobody wrote."""
    own, universe = frozenset(hidden), spelling.universe
    begins = (START, tuple(v.name for v in machine.variables))
    constants = (SETUP, tuple(c.name for c in places))
    known = {c.name: c for c in machine.constants}
    return Telling(
        own,
        truth=("FALSE", "TRUE"),
        maplet=" |-> ",
        results=tuple((o.name, tuple(r.name for r in o.results)) for o in machine.operations if o.results),
        starts=(constants, begins) if machine.has_properties else (begins,),
        fixed=tuple(
            (name, shortened(show_value(universe, known[name].type, value)))
            for name, value in fixed.items()
            if not isinstance(value, Endless)
        ),
        internal=own,
        given=tuple((o.name, tuple(p.name for p in o.parameters)) for o in machine.operations if len(o.parameters) > 1),
        spelled=spelling.show,
    )


def shortened(text: str) -> str:
    """A large constant is told by how it begins."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
