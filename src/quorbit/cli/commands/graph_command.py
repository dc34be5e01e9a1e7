"""``quorbit graph``: the state space of a small model, for graphviz or as JSON."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import Reduce, reducer
from quorbit.cli.answer import write_file
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import load_options
from quorbit.cli.unknown import print_unknown
from quorbit.engines.simulate.state_graph import TooLarge, find_states, refuse_many
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import BoundExceeded, Fault, Meaning
from quorbit.model.specialise.fields.field import without_fields
from quorbit.model.system.system import Temporal
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import MOST_DOUBLINGS, prepare
from quorbit.report.record import Found
from quorbit.report.state_space import ranges, state_space_dot, state_space_object
from quorbit.result.state_space import StateSpace
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted

__all__ = ["run", "small_space"]


def run(options: Namespace) -> int:
    if options.dot is None and options.json is None:
        raise UserError(None, "say where the states go: --dot FILE or --json FILE; see quorbit graph --help")
    with stoppable(None):
        try:
            space, symmetry = explore(options.model, load_options(options), options.symmetry, options.max_states)
        except (TooLarge, Interrupted) as reason:
            print_unknown(str(reason), options.json == "-")
            return 3
    if options.dot is not None:
        give(options.dot, state_space_dot(space, space.system.name))
    if options.json is not None:
        give(options.json, json.dumps(state_space_object(space, str(options.model), symmetry)) + "\n")
    if "-" not in (options.dot, options.json):
        print(f"{len(space.states)} states, {len(space.arrows)} moves, symmetry {symmetry}")
        for variable, (low, high) in ranges(space).items():
            print(f"  {variable}: {low} .. {high}")
    return 0


def small_space(path: Path, options: LoadOptions, symmetry: str, most: int) -> StateSpace | None:
    """The states, if there are not too many and nothing goes wrong before the first."""
    try:
        return explore(path, options, symmetry, most)[0]
    except (TooLarge, Interrupted, UserError):
        return None


def explore(path: Path, options: LoadOptions, symmetry: str, most: int) -> tuple[StateSpace, str]:
    """The states, and the structure of the group they were reduced by."""
    model = load(path, options)
    for _ in range(MOST_DOUBLINGS):
        try:
            refuse_many(Meaning(model.system))
            reduce, structure = find_reduction(model, symmetry)
            return find_states(model.system, most, reduce), structure
        except BoundExceeded:
            model = load(model.path, replace(model.options, bounds=2 * model.options.bounds))
        except Fault as fault:
            raise UserError(fault.span, f"run-time error before the first state: {fault.message}") from None
    raise UserError(None, f"{model.path}: the number of processes grows without bound")


def find_reduction(model: Model, symmetry: str) -> tuple[Reduce | None, str]:
    safety = tuple(p for p in model.system.properties if not isinstance(p, Temporal))
    case = prepare(without_fields(model.system), safety, CheckOptions(symmetry=symmetry))
    structure = case.symmetry.structure if isinstance(case.symmetry, Found) else "trivial"
    if case.system.atoms != model.system.atoms:
        return None, "not used"  # it moves numbers, which the states shown here keep
    return None if case.plan is None else reducer(layout_of(model.system), case.plan), structure


def give(path: str, text: str) -> None:
    if path == "-":
        print(text, end="")
    else:
        write_file(path, text)
