"""Inputs of a circuit that do the same in every state are chosen once.

What the inputs are counts only through the largest parts of the next values that read nothing but inputs.  Where a
request is taken only if it is the only one, n requests have n + 1 effects instead of 2**n.  The inputs fall into blocks
that no such part joins; one choice of each block is kept for each combination of what its parts say, and none that the
guard forbids whatever the state.
**For engines that take the choices one by one**: the states that a state leads to remain as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from quorbit.detection.functions.tables import Grid, Sources, TooMuch, Unsaid, bits_of
from quorbit.groups.unionfind import UnionFind
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Use,
    atom,
    conjuncts_of,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import AtomOf, SetOf
from quorbit.model.system.walk import expressions_of, parts
from quorbit.source.frozen import replace

__all__ = ["fewer_choices"]

MOST_INPUTS = 16  # of a block
MOST_CHOICES = 1 << 15  # that are listed
Choice = frozenset[int]


def fewer_choices(system: System) -> System:
    """The same System with one choice of those that do the same, where that is at most half of them."""
    if not system.synchronous or len(system.commands) != 1:
        return system
    try:
        looked = Looked(system)
        command = system.commands[0]
        found = tuple(map(looked.narrowed, command.parameters))
    except (Unsaid, TooMuch, RecursionError):
        return system
    return system if found == command.parameters else replace(system, commands=(replace(command, parameters=found),))


def members_of(parameter: Parameter) -> tuple[int, ...] | None:
    """The inputs, if a parameter is any set of some."""
    match parameter.domain:
        case Elements(set=Apply(Operator.POWERSET, (Apply(Operator.SET, elements),))):
            listed = [e.value for e in elements if isinstance(e, Literal) and isinstance(e.value, int)]
            return tuple(listed) if len(listed) == len(elements) else None
    return None


class Looked:
    """The parts of the next values that read inputs only."""

    def __init__(self, system: System) -> None:
        self.sources = Sources(system)
        for d in system.definitions:
            self.sources.of(d.body)
        self.roots = list(roots_of(system.commands[0]))
        self.guards = conjuncts_of(system.commands[0].guard)

    def narrowed(self, parameter: Parameter) -> Parameter:
        members = members_of(parameter)
        if members is None or len(members) < 2:
            return parameter
        choices = self.choices(parameter.name, members)
        if choices is None:
            return parameter
        type = SetOf(AtomOf(members))
        return replace(parameter, domain=Elements(Literal(frozenset(choices), SetOf(type)), type))

    def choices(self, name: str, members: tuple[int, ...]) -> list[Choice] | None:
        reads = [Apply(Operator.MEMBER, (atom(a), Bound(name))) for a in members]
        own = dict(zip(map(self.sources.number, reads), members, strict=True))
        functions = self.functions(sum(1 << k for k in own))
        blocks = blocks_of(list(own), [support for support, _ in functions])
        listed = []
        for block in blocks:
            if len(block) > MOST_INPUTS:
                return None
            inside = sum(1 << k for k in block)
            listed.append(self.alternatives(inside, [e for support, e in functions if support & inside], own))
        total = prod(map(len, listed))
        if not total or 2 * total > 1 << len(members) or total > MOST_CHOICES:
            return None
        return [frozenset[int]().union(*chosen) for chosen in product(*listed)]

    def functions(self, own: int) -> list[tuple[int, Expr]]:
        """The largest parts that read these inputs and nothing else, with what they read."""
        found, seen = [], set[int]()
        waiting = list(self.roots)
        while waiting:
            e = waiting.pop()
            if id(e) in seen:
                continue
            seen.add(id(e))
            support = self.sources.of(e)
            if support & own and not support & ~own:
                found.append((support, e))
            elif support & own:
                waiting += [self.sources.body(e)] if isinstance(e, Use) else parts(e)
        return found

    def alternatives(self, block: int, functions: list[Expr], own: dict[int, int]) -> list[Choice]:
        """One set of inputs for each combination of what the functions say."""
        grid = Grid(self.sources, block)
        possible = grid.full
        for e in self.guards:
            if not self.sources.of(e) & ~block:
                possible &= grid.truth(e)
        classes = [possible] if possible else []
        for e in functions:
            table = grid.table(e)
            classes = [points & f for points in classes for f in table.values() if points & f]
        atoms = [own[k] for k in bits_of(block)]
        firsts = [(points & -points).bit_length() - 1 for points in classes]
        return [frozenset(a for i, a in enumerate(atoms) if point >> i & 1) for point in firsts]


def roots_of(command: Command) -> Iterator[Expr]:
    """What a command reads, but for what its parameters range over."""
    return expressions_of(replace(command, parameters=()))


def blocks_of(sources: list[int], supports: list[int]) -> list[list[int]]:
    position = {k: i for i, k in enumerate(sources)}
    joined = UnionFind(len(sources))
    for support in supports:
        first, *rest = bits_of(support)
        for k in rest:
            joined.unite(position[first], position[k])
    return [[sources[i] for i in members] for members in joined.classes()]
