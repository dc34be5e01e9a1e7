"""A set of states that holds all reachable ones and is closed under steps, found block by block.

The places are cut into blocks.  Every block is explored by itself, the others being anything that their own sets allow
so far, until no set grows [Cho et al. 1996, least machine by machine].  The conjunction of the sets is closed, so that
formulas may be evaluated on it; it is often small where the reachable states themselves are not.
"""

from __future__ import annotations

from quorbit.engines.symbolic.model import Model
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.relation import Schedule, schedule
from quorbit.model.diagrams.cases import Bdd
from quorbit.source.frozen import frozen

BLOCK = 10  # bits


@frozen
class Block:
    bits: tuple[int, ...]  # of the present state
    schedule: Schedule
    reads: frozenset[int]  # the blocks its next values depend on


def approximate(model: Model, clock: Clock, size: int = BLOCK) -> Bdd:
    """Requires: one command, which assigns every place."""
    m = model.m
    groups = cut(model, size)
    owner = {b: k for k, group in enumerate(groups) for b in bits_of(model, group)}
    blocks = [make_block(model, group, owner) for group in groups]
    back = m.rename(dict(zip(model.layout.following, model.layout.present, strict=True)))
    everything = set(model.layout.present)
    sets = [m.exists(model.initial, m.variables(everything - set(block.bits))) for block in blocks]
    waiting = list(range(len(blocks)))
    while waiting:
        k = waiting.pop(0)
        clock.tick()
        reached = m.conjunction(sets[j] for j in sorted({*blocks[k].reads, k}))
        reached = m.exists(reached, blocks[k].schedule.first)
        for cluster, done in blocks[k].schedule.clusters:
            reached = m.and_exists(reached, cluster, done)
        grown = sets[k] | m.substitute(reached, back)
        if grown != sets[k]:
            sets[k] = grown
            waiting += [j for j in range(len(blocks)) if (k in blocks[j].reads or j == k) and j not in waiting]
    return m.conjunction(sets)


def cut(model: Model, size: int) -> list[list[int]]:
    """Places that stand together in the order of the variables, so many bits at a time."""
    order = sorted(range(len(model.layout.places)), key=lambda i: model.layout.places[i].bits[:1])
    groups: list[list[int]] = []
    filled = size
    for i in order:
        bits = len(model.layout.places[i].bits)
        if filled + bits > size:
            groups.append([])
            filled = 0
        groups[-1].append(i)
        filled += bits
    return groups


def bits_of(model: Model, group: list[int]) -> list[int]:
    return [b for i in group for b in model.layout.places[i].bits]


def make_block(model: Model, group: list[int], owner: dict[int, int]) -> Block:
    m, layout = model.m, model.layout
    (relation,) = model.relations
    places = [layout.places[i] for i in group]
    parts = [
        m.equivalent(m.variable(b), f)
        for i in group
        for b, f in zip(layout.places[i].following, relation.changes[i], strict=True)
    ]
    if relation.guard != m.true:
        parts.append(relation.guard)
    parameters = {b for coded in layout.parameters.values() for b in coded.bits}
    support = {v for part in parts for v in m.support(part)}
    found = schedule(m, parts, {*layout.present, *parameters})
    return Block(
        tuple(b for coded in places for b in coded.bits), found, frozenset(owner[v] for v in support if v in owner)
    )
