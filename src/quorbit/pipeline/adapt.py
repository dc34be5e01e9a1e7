"""When adaptive reduction is worth trying, and how long. [W07]"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorbit.engines.adaptive.engine import ADAPTIVE
from quorbit.engines.engine import Kind, why_not
from quorbit.groups.group import orbits
from quorbit.groups.partition import labels_of
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import Atom
from quorbit.pipeline.batches import Batch
from quorbit.pipeline.case import Case
from quorbit.source.frozen import replace

FEW_STATES = 20_000  # are searched at once; with an answer within so many, adaptive reduction must not need more
MOST_EDGES = (
    24  # of the diagram that all processes walk: with more, to tell which processes each of them tells apart takes
)
# longer than a search, and on no model that was looked at it was worth the while
MOST_PIECES = 5_000  # of orbits, before adaptive reduction that was not asked for by name is given up


def may_adapt(batch: Batch, case: Case) -> bool:
    """Whether adaptive reduction may be chosen, some processes of one kind are told apart by the model, and a glance
    promises something.  Where all cells move at once no command tells fewer of them apart; where moves are counted by
    the classes they lead to these are orbits [T07, Table 1]."""
    options, atoms = case.options, case.system.atoms
    wanted = options.adapt and (options.engine, options.strategy, options.symmetry) == ("auto", "auto", "auto")
    if not wanted or batch.questions[0].kind is Kind.TEMPORAL or case.found is None:
        return False
    if case.system.synchronous or case.system.count_once or case.special is None:
        return False
    if len(case.special.system.commands) > MOST_EDGES:
        return False
    if not tells_processes_apart(atoms, labels_of(orbits(case.found.group))):
        return False
    return not why_not(ADAPTIVE, batch.system, batch.properties, options.search) and may_win(case)


def tells_processes_apart(atoms: Sequence[Atom], orbit: Mapping[int, int]) -> bool:
    """Whether some atoms of one kind are in different orbits; where some atoms are processes, some of these: channels
    that have one shape and different users do not justify a look for paths on which they are alike."""
    looked_at = [a for a, atom in enumerate(atoms) if atom.sort == "process"] or list(range(len(atoms)))
    kinds = {(atoms[a].sort, atoms[a].colour, orbit[a]) for a in looked_at}
    return len(kinds) > len({(atoms[a].sort, atoms[a].colour) for a in looked_at})


def may_win(case: Case) -> bool:
    from quorbit.pipeline.partitions import names_few

    return names_few(case)


def infer_if_promising(case: Case) -> tuple[Case | None, str]:
    """What the adaptive engine needs, if it is preferred, and a note that says why."""
    from quorbit.pipeline.partitions import prefer

    return prefer(case)


def limited(case: Case, limits: SearchOptions) -> Case:
    return replace(case, options=replace(case.options, search=limits))


def limit_adaptive(case: Case, most: int | None) -> Case:
    """So many states, and half the time that is left, so that the usual engine has the other half."""
    search, spent = case.options.search, case.steps.total()
    timeout = None if search.timeout is None else spent + (search.timeout - spent) / 2
    return limited(case, replace(search, timeout=timeout, max_states=most, pieces=MOST_PIECES))
