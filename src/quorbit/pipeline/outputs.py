"""The symmetry of a circuit without latches: permutations of its inputs that its outputs do not notice."""

from __future__ import annotations

from quorbit.detection.netlists.joined_graph import Kept, join_graphs, latch_group
from quorbit.languages.registry import language_of
from quorbit.pipeline.describe import describe_group
from quorbit.pipeline.load import Model
from quorbit.report.record import Found

REASON = "there are no latches, so the symmetry is that of the outputs as functions of the inputs"


def symmetry_of_outputs(model: Model) -> Found | None:
    """None if the model has states, or no netlist."""
    read = language_of(model.path, model.options.language).read_netlist
    if model.system.places or read is None:
        return None
    netlist = read(model.path, model.options)
    group = latch_group(join_graphs(netlist, Kept((), ())))
    return Found(group, *describe_group(group), "none", True, REASON, netlist.inputs, system=model.system)
