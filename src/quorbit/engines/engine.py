"""What an engine is: a record that says what it can do, why it refuses and how it explores.

Every engine defines its record in ``engines/<name>/engine.py``; ``engines/registry.py`` lists them.  The functions of a
record import their engine in their first line, so that to read the records takes no time.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from quorbit.source.frozen import frozen

__all__ = ["EXTRAS", "Engine", "Guide", "Kind", "Progress", "Work", "moves_left_out", "why_not"]

if TYPE_CHECKING:
    from quorbit.canon.layout import Layout
    from quorbit.canon.plan import Plan
    from quorbit.groups.group import Group
    from quorbit.groups.permutation import Permutation
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.partitions import Partitions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome, Statistics

Progress = Callable[["Statistics"], bool]  # told what is known so far; answers whether to stop


class Guide(Enum):
    """What leads an engine to fewer states."""

    NOTHING = "nothing"
    PLAN = "a plan: one state per orbit"
    PARTITIONS = "partitions: which processes each command distinguishes"
    GENERATORS = "generators: formulas that are images of each other"


class Kind(Enum):
    """What a property is about."""

    SAFETY = "invariants, assertions and deadlocks"
    TEMPORAL = "temporal formulas"


@frozen
class Work:
    """What an engine is to do, with the guide it wants (where the System has no symmetry there is none)."""

    system: System
    properties: tuple[Property, ...]
    options: SearchOptions
    progress: Progress
    plan: Plan | None = None
    layout: Layout | None = None  # of the plan
    partitions: Partitions | None = None
    generators: tuple[Permutation, ...] = ()
    witnesses: bool = False  # a trace also for a formula that one path shows to hold
    groups: tuple[Group | None, ...] = ()  # for each property the symmetries that keep it, where they are known
    quotient: str = "auto"  # of sets of states: by which of the ways of [M97, 4.3.2] they are divided by the groups
    # glance: only what is answered at once; first: in a few seconds; later: all but that; clauses: soon by a SAT
    # solver; glance at clauses: in a moment by that; sets: first, but for a SAT solver
    stage: str = "all"


@frozen
class Engine:
    """What an engine can do.  ``explore`` answers each property if ``together``, else all of them at once; it may
    refuse the System after all by a UserError.  ``refuse``: why it cannot serve, as far as the record does not say."""

    name: str
    guide: Guide
    kinds: frozenset[Kind]
    refuse: Callable[[System, tuple[Property, ...], SearchOptions], str]
    explore: Callable[[Work], list[Outcome]]
    orders: frozenset[str] = frozenset(["bfs"])  # of search
    fairness: bool = False
    threads: int = 1  # at most
    traceless: bool = False  # whether it can do without traces
    extras: frozenset[str] = frozenset()  # the options, of those that few engines have, that it honours
    together: bool = False  # whether one search answers many properties
    by_sets: bool = False  # whether many choices in one step cost it little, since it works on sets of states
    checkpoints: str = "quorbit-run"  # the folder of its checkpoints, in the directory that the user names
    automatic: bool = True  # whether it is tried when nobody asks for it
    slow: bool = False  # whether it is slow where the compiled engine cannot serve
    watches_memory: bool = False  # whether it honours the memory limit by itself


EXTRAS = {
    "checkpoint": "keeps its states in memory, without checkpoints",
    "resume": "keeps its states in memory, without checkpoints",
    "spill": "keeps its states in memory, without checkpoints",
    "alpha": "has no mixed search",
    "seed": "has no mixed search",
    "hash_compact": "has no hash compaction",
    "bitstate": "keeps its states whole, not as bits",
    "no_parents": "keeps how states were reached",
    "represented": "does not count the states represented",
    "cluster": "runs in one process; --cluster is for the cluster engine",
    "workers": "runs in one process; --workers is for the cluster engine",
    "replicas": "runs in one process; --replicas is for the cluster engine",
}  # options that few engines have, and what the others say


def moves_left_out(system: System, label: str) -> str:
    """What is said where nothing was found, but moves with this label were not all followed."""
    most = f"more than {system.most_moves} moves from one state"
    return f"no error was found, but {label} has {most}; the rest were not followed"


def why_not(engine: Engine, system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why an engine cannot serve, "" if it can."""
    if reason := refusal_by_record(engine, options):
        return reason
    if system.most_moves is not None and "most_moves" not in engine.extras:
        return "follows every move from a state; the explicit, temporal and reference engines keep to a limit"
    try:
        return engine.refuse(system, properties, options)
    except (ImportError, OSError) as error:
        return f"cannot be loaded ({error})"


def refusal_by_record(engine: Engine, options: SearchOptions) -> str:
    if options.fairness != "none" and not engine.fairness:
        return "checks safety only; --fairness needs a temporal property"
    if options.search == "dfs" and "dfs" not in engine.orders:
        return "searches breadth first"
    if not options.trace and not engine.traceless:
        return "keeps what a trace needs"
    if options.search == "mixed" and "mixed" not in engine.orders:
        return "has no mixed search"
    for option, reason in EXTRAS.items():
        if getattr(options, option) not in (None, False) and option not in engine.extras:
            return reason
    if options.por == "on" and "por" not in engine.extras:
        return "expands every state in full, without partial-order reduction"
    if options.threads > engine.threads:
        return "runs in one thread" if engine.threads == 1 else f"runs on 1 to {engine.threads} threads"
    return ""
