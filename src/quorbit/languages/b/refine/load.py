"""Two machines to the System of their pairs; a chain of refinements is a list of such pairs."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.eventb.levels import chain_of
from quorbit.languages.b.eventb.load import read_project
from quorbit.languages.b.load import is_event_b
from quorbit.languages.b.meaning.constants.symbolic import put_in_large
from quorbit.languages.b.meaning.sizes import choose_universe
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.refine.classical import chain_of_files, join_files
from quorbit.languages.b.refine.events import join_levels
from quorbit.languages.b.refine.joint import Joint
from quorbit.languages.b.refine.product import lower_product
from quorbit.languages.b.types.infer_machine import infer_machine
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import System
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

__all__ = ["load_pair", "refinements"]


def refinements(abstract: Path, concrete: Path, options: LoadOptions) -> list[tuple[Path, LoadOptions]]:
    """The pairs from the abstract machine down to the concrete one, as ``load_pair`` reads them."""
    if not is_event_b(concrete, options):
        chain = chain_of_files(abstract, concrete)
        pairs = zip(chain[1:], chain, strict=False)
        return [(below, replace(options, refines=str(above))) for above, below in reversed(list(pairs))]
    names = [m.name for m in chain_of(read_project(concrete, options.machine))]
    wanted = machine_name(abstract)
    if wanted not in names[1:]:
        above = f"it refines {', '.join(names[1:])}" if names[1:] else "it refines nothing"
        raise UserError(None, f"{names[0]} does not refine {wanted}; {above}")
    levels = range(names.index(wanted) - 1, -1, -1)
    return [(concrete, replace(options, machine=names[k], refines=names[k + 1])) for k in levels]


def machine_name(path: Path) -> str:
    """The abstract machine of Event-B: a file of Rodin's, or the name of a machine in the same project or package."""
    return path.stem if path.suffix.lower() == ".bum" else path.name


def load_pair(path: Path, options: LoadOptions) -> System:
    """The product of the model with the machine that it refines."""
    return lower_product(*read_pair(path, options), options.deadlock_free)


def read_pair(path: Path, options: LoadOptions) -> tuple[Joint, TypedMachine, Universe]:
    assert options.refines is not None
    if options.defines:
        raise UserError(None, "B machines have no -D; use --set for the sizes of deferred sets")
    if options.count_like not in ("own", "plain"):
        raise UserError(None, f"--count-like {options.count_like} is not about B")
    above = Path(options.refines)
    joint = (
        join_levels(read_project(path, options.machine), machine_name(above))
        if is_event_b(path, options)
        else join_files(above, path)
    )
    machine = infer_machine(joint.composed)
    universe = choose_universe(machine, joint.composed.definitions, options)
    return joint, put_in_large(machine, universe), universe
