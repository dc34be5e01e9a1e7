"""Random small systems with process symmetry, unreduced and as annotated quotients, built by enumeration.

A state is (shared value, owner or -1, local values).  Commands let one process move by its local value, the shared
value, its relation to the owner and (in rings) its right neighbour's local value; all processes have the same commands,
so that permutations of the processes (in rings: rotations) are automorphisms.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

State = tuple[int, int, tuple[int, ...]]
Permutation = tuple[int, ...]


@dataclass(frozen=True)
class Command:
    local: int
    shared: int | None
    owner: str  # any, mine, none, other
    neighbour: int | None
    new_local: int
    new_shared: int | None
    new_owner: str  # keep, take, drop, next


@dataclass(frozen=True)
class Whole:
    """The unreduced graph: states, and per state the list of (target, actor)."""

    processes: int
    states: list[State]
    edges: list[list[tuple[int, int]]]


@dataclass(frozen=True)
class Quotient:
    states: list[State]
    edges: list[tuple[int, int, int, Permutation]]  # source, target, actors, permutation


def random_commands(rng: random.Random, ring: bool) -> list[Command]:
    def command() -> Command:
        return Command(
            rng.randrange(2),
            rng.choice([None, 0, 1]),
            rng.choice(["any", "any", "mine", "none", "other"]),
            rng.choice([None, 0, 1]) if ring else None,
            rng.randrange(2),
            rng.choice([None, None, 0, 1]),
            rng.choice(["keep", "keep", "take", "drop", *(["next"] if ring else [])]),
        )

    return [command() for _ in range(rng.randint(2, 5))]


def moves(commands: list[Command], state: State) -> list[tuple[State, int]]:
    """All steps, with the process that makes them."""
    shared, owner, locals_ = state
    n = len(locals_)
    found = []
    for p, c in itertools.product(range(n), commands):
        relation = {"any": True, "mine": owner == p, "none": owner < 0, "other": owner >= 0 and owner != p}
        if c.local != locals_[p] or c.shared not in (None, shared) or not relation[c.owner]:
            continue
        if c.neighbour not in (None, locals_[(p + 1) % n]):
            continue
        new_owner = {"keep": owner, "take": p, "drop": -1, "next": (p + 1) % n}[c.new_owner]
        new_locals = (*locals_[:p], c.new_local, *locals_[p + 1 :])
        found.append(((shared if c.new_shared is None else c.new_shared, new_owner, new_locals), p))
    return found


def explore(commands: list[Command], processes: int) -> Whole:
    start = (0, -1, (0,) * processes)
    states, numbers, edges = [start], {start: 0}, []
    for s in states:
        out = []
        for t, p in moves(commands, s):
            if t not in numbers:
                numbers[t] = len(states)
                states.append(t)
            out.append((numbers[t], p))
        edges.append(out)
    return Whole(processes, states, edges)


def group(processes: int, ring: bool) -> list[Permutation]:
    if ring:
        return [tuple((i + k) % processes for i in range(processes)) for k in range(processes)]
    return list(itertools.permutations(range(processes)))


def act(g: Permutation, state: State) -> State:
    """Process i becomes process g[i]."""
    shared, owner, locals_ = state
    moved = [0] * len(g)
    for i, value in enumerate(locals_):
        moved[g[i]] = value
    return shared, g[owner] if owner >= 0 else -1, tuple(moved)


def divide(commands: list[Command], processes: int, elements: list[Permutation]) -> Quotient:
    """The quotient, with all steps of each representative and the permutations that rename their targets."""

    def minimise(s: State) -> tuple[State, Permutation]:
        return min((act(g, s), g) for g in elements)

    start = (0, -1, (0,) * processes)  # fixed by every permutation
    states, numbers, edges = [start], {start: 0}, []
    for s in states:
        for t, p in moves(commands, s):
            least, g = minimise(t)
            if least not in numbers:
                numbers[least] = len(states)
                states.append(least)
            edges.append((numbers[s], numbers[least], 1 << p, g))
    return Quotient(states, edges)
