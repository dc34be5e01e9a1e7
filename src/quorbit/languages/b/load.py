"""A B machine file to a System."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.compose import Composed, compose
from quorbit.languages.b.infer_machine import infer_machine
from quorbit.languages.b.lower import Lowered, lower_machine
from quorbit.languages.b.sizes import choose_universe
from quorbit.languages.b.typed import TypedMachine
from quorbit.languages.b.universe import Universe
from quorbit.languages.options import LoadOptions
from quorbit.model.system import System
from quorbit.source.errors import UserError
from quorbit.source.span import NOWHERE


def load(path: Path, options: LoadOptions) -> System:
    """The System of the machine in a file and of those it refers to; an enumeration without an end is refused."""
    lowered = load_lowered(path, options)
    for cut in lowered.cuts:
        raise UserError(cut.span, f"{cut.message}; the answer would be incomplete: bound it, or set --maxint")
    return lowered.system


def load_lowered(path: Path, options: LoadOptions, static_symmetry: bool = False) -> Lowered:
    machine, universe, _ = load_typed(path, options)
    return lower_machine(machine, universe, static_symmetry)


def load_typed(path: Path, options: LoadOptions) -> tuple[TypedMachine, Universe, Composed]:
    """The machine with its types and sizes, for the reference evaluator, for animating and for queries."""
    if options.defines:
        raise UserError(NOWHERE, "B machines have no -D; use --set for the sizes of deferred sets")
    composed = compose(path)
    machine = infer_machine(composed)
    return machine, choose_universe(machine, composed.definitions, options), composed
