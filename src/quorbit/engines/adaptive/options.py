"""What the adaptive search cannot honour."""

from __future__ import annotations

from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import NoDeadlock, Property, Temporal
from quorbit.source.errors import UserError


def refusal(properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why this engine cannot serve these, "" if it can; models are refused when it runs."""
    for p in properties:
        if isinstance(p, Temporal):  # subsumption keeps the set of states, not the runs through it [W07, section 10]
            return f"cannot check {p.name}: it finds reachable states, not runs"
    if any(isinstance(p, NoDeadlock) and p.stuttering for p in properties):
        return "does not see moves that leave the state as it is (--deadlock stuttering)"
    return refusal_of_options(options)


def refusal_of_options(options: SearchOptions) -> str:
    """Why a search with these options is not possible, "" if it is."""
    if options.threads > 1:
        return "searches with one thread"
    if options.checkpoint or options.resume or options.spill:
        return "keeps its states in memory, without checkpoints"
    if options.search not in ("bfs", "dfs"):
        return "searches breadth first or depth first"
    if options.hash_compact or options.bitstate is not None or options.represented:
        return "keeps its states whole, and their orbits overlap: it cannot count what they represent"
    return ""


def refuse(properties: tuple[Property, ...], options: SearchOptions) -> None:
    if reason := refusal(properties, options):
        raise UserError(None, f"the adaptive engine {reason}")
