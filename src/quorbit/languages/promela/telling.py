"""How a run of a Promela model is told: the processes' own variables, without what its author did not write."""

from __future__ import annotations

from quorbit.languages.promela.lower.places import COUNT, LAST, OWN_PID, OWNER, PID, Placement, pc_name
from quorbit.languages.promela.lower.prelude import STAGE
from quorbit.languages.promela.lower.trace_automaton import EVENT
from quorbit.model.system.telling import Telling

__all__ = ["telling_of"]

MADE = "_message"  # how the counters begin that reading makes for loops over channels


def telling_of(placement: Placement) -> Telling:
    """Program counters, process numbers, who is in control and counters that nobody declared are hidden."""
    counters = (leaf.name for leaf in placement.leaves.values() if leaf.variables[0].name.startswith(MADE))
    own = (OWNER, PID, COUNT, OWN_PID, LAST, EVENT, STAGE)
    return Telling(frozenset((*map(pc_name, placement.flows), *own, *counters)), owned=True)
