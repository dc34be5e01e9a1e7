"""The transition relation: one part per next bit, clustered, with variables quantified as early as possible.

The relation is a disjunction over the commands.  A command only speaks of the places it assigns; the others keep their
variables, so no frame conditions are built.  Within a command the parts are a conjunction; the order of
multiplication is chosen greedily so that variables disappear soon [Ranjan et al., IWLS 1995].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quorbit.bdd.function import Manager, Substitution, Variables
from quorbit.model.diagrams.bit_encoder import encoder_for
from quorbit.model.diagrams.bits import BitLayout, encode_bits, is_coded
from quorbit.model.diagrams.cases import Bdd, Cases, Unsupported
from quorbit.model.diagrams.effect import run_effect
from quorbit.model.system.command import Command
from quorbit.model.system.system import System
from quorbit.source.frozen import frozen

LARGEST_CLUSTER = 2000  # nodes
MOST_ORDERED = 400  # parts: to choose among n takes time that grows as n squared
LARGEST_COMPOSED = 300  # nodes of a set whose predecessors are found by composition


@frozen
class Schedule:
    """Clusters in the order of multiplication, each with the variables that are done with after it."""

    first: Variables
    clusters: tuple[tuple[Bdd, Variables], ...]


@frozen
class StepRelation:
    """What one command does."""

    number: int
    guard: Bdd  # over present bits and parameters, with the parameters in their ranges
    changes: Changes
    parts: tuple[Bdd, ...]
    forward: Schedule
    backward: Schedule
    to_present: Substitution
    to_following: Substitution
    into_next: Substitution  # the bits of every place it assigns become the functions of their next values
    parameters: Variables


Changes = dict[int, tuple[Bdd, ...]]  # for every place that is assigned, the bits of its next value


def build_relation(m: Manager, system: System, layout: BitLayout, number: int, command: Command) -> StepRelation:
    """Requires: the command has no rank, turn or assertion."""
    return assemble(m, layout, number, *encode_step(m, system, layout, number, command))


def encode_step(m: Manager, system: System, layout: BitLayout, number: int, command: Command) -> tuple[Bdd, Changes]:
    """When a command can happen, and what it does."""
    if command.rank or command.turn:
        raise Unsupported("priorities of commands")
    encoder = encoder_for(m, system, layout, number)
    guard = encoder.truth(command.guard)
    for (c, _), coded in layout.parameters.items():
        if c == number:
            guard = guard & is_coded(m, coded, coded.bits)
    values = {i: possible(m, cases, guard) for i, cases in run_effect(m, encoder, command).items()}
    return guard, {i: tuple(encode_bits(m, layout.places[i], cases)) for i, cases in values.items()}


def possible(m: Manager, cases: Cases, guard: Bdd) -> Cases:
    """The values that occur where the guard holds; elsewhere the command does nothing."""
    return {value: f for value, f in cases.items() if f & guard != m.false}


def parts_of(m: Manager, layout: BitLayout, guard: Bdd, changes: Changes) -> list[Bdd]:
    """The conjuncts of a step, one for each bit that it determines."""
    parts = [] if guard == m.true else [guard]
    for i, functions in changes.items():
        parts += [m.equivalent(m.variable(b), f) for b, f in zip(layout.places[i].following, functions, strict=True)]
    return parts


def assemble(m: Manager, layout: BitLayout, number: int, guard: Bdd, changes: Changes) -> StepRelation:
    parts = parts_of(m, layout, guard, changes)
    parameters = [b for (c, _), coded in layout.parameters.items() if c == number for b in coded.bits]
    present = [b for i in changes for b in layout.places[i].bits]
    following = [b for i in changes for b in layout.places[i].following]
    pairs = dict(zip(present, following, strict=True))
    return StepRelation(
        number,
        guard,
        changes,
        tuple(parts),
        schedule(m, parts, {*present, *parameters}),
        schedule(m, parts, {*following, *parameters}),
        m.rename({new: old for old, new in pairs.items()}),
        m.rename(pairs),
        m.substitution({b: f for i, fs in changes.items() for b, f in zip(layout.places[i].bits, fs, strict=True)}),
        m.variables(parameters),
    )


def schedule(m: Manager, parts: Iterable[Bdd], quantified: set[int]) -> Schedule:
    clusters = merge(m, greedy_order([(part, set(m.support(part))) for part in parts], quantified))
    later: set[int] = set()
    listed: list[tuple[Bdd, Variables]] = []
    for cluster in reversed(clusters):
        support = set(m.support(cluster))
        listed.append((cluster, m.variables(v for v in support if v in quantified and v not in later)))
        later |= support
    return Schedule(m.variables(v for v in quantified if v not in later), tuple(reversed(listed)))


def greedy_order(parts: list[tuple[Bdd, set[int]]], quantified: set[int]) -> list[Bdd]:
    """Next comes the part that lets most variables go and brings in fewest new ones; very many stay as they are."""
    if len(parts) > MOST_ORDERED:
        return [part for part, _ in parts]
    waiting = {k: mask_of(support) for k, (_, support) in enumerate(parts)}
    counts = Counter(v for _, support in parts for v in support if v in quantified)
    last = mask_of(v for v, count in counts.items() if count == 1)  # the variables that one part alone still has
    seen = 0
    order = []
    while waiting:
        best = max(waiting, key=lambda k: (score(waiting[k], last, seen), -k))
        seen |= waiting.pop(best)
        part, support = parts[best]
        counts.subtract(v for v in support if v in quantified)
        last = last & ~mask_of(support) | mask_of(v for v in support if counts[v] == 1)
        order.append(part)
    return order


def mask_of(variables: Iterable[int]) -> int:
    """A set of variables as bits."""
    return sum(1 << v for v in set(variables))


def score(support: int, last: int, seen: int) -> int:
    """How many variables are done with after a part, against those that come with it."""
    return 2 * (support & last).bit_count() - (support & ~seen).bit_count()


def merge(m: Manager, parts: list[Bdd]) -> list[Bdd]:
    """Neighbours multiplied as long as the product stays small."""
    clusters: list[Bdd] = []
    for part in parts:
        if clusters:
            product = clusters[-1] & part
            if m.size(product) <= LARGEST_CLUSTER:
                clusters[-1] = product
                continue
        clusters.append(part)
    return clusters


def image(m: Manager, relation: StepRelation, states: Bdd) -> Bdd:
    """The successors of a set."""
    reached = m.exists(states, relation.forward.first)
    for cluster, done in relation.forward.clusters:
        reached = m.and_exists(reached, cluster, done)
    return m.substitute(reached, relation.to_present)


def preimage(m: Manager, relation: StepRelation, states: Bdd) -> Bdd:
    """The predecessors of a set.  A small set is put together from the functions of the next values, which only looks
    at those it depends on."""
    if m.size(states) <= LARGEST_COMPOSED:
        return m.and_exists(m.substitute(states, relation.into_next), relation.guard, relation.parameters)
    reached = m.exists(m.substitute(states, relation.to_following), relation.backward.first)
    for cluster, done in relation.backward.clusters:
        reached = m.and_exists(reached, cluster, done)
    return reached
