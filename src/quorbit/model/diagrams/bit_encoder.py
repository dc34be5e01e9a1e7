"""The encoder of expressions for the bits of a layout, in the context of one command or of none."""

from __future__ import annotations

from quorbit.bdd.function import Manager
from quorbit.model.diagrams.bits import BitLayout, code_cases
from quorbit.model.diagrams.cases import Bdd, Cases
from quorbit.model.diagrams.encode import Encoder
from quorbit.model.system.system import System
from quorbit.model.system.types import Value

__all__ = ["encoder_for"]


def encoder_for(m: Manager, system: System, layout: BitLayout, number: int | None) -> Encoder:
    """``number``: the command whose parameters are known; start commands are numbered from -1 downwards."""
    bound: dict[str, Cases] = {}
    sets: dict[str, dict[Value, Bdd]] = {}
    for (command, name), coded in layout.parameters.items():
        if command == number and coded.members is not None:
            sets[name] = dict(zip(coded.members, map(m.variable, coded.bits), strict=True))
        elif command == number:
            bound[name] = code_cases(m, coded, coded.bits)

    def read(i: int) -> Cases:
        return code_cases(m, layout.places[i], layout.places[i].bits)

    return Encoder(m, system, read, bound, sets)
