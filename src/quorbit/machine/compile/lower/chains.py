"""Steps that follow each other inside atomic sections, written as one.

Most commands that lead to a transient state leave no choice of what comes next: the process in control is at a known
location, and one command starts there.  Its steps are written behind those of the first, on the state that is made, and
so on until a state may be stored: one record instead of one for each transient state.  The number of such a record is
that of a *chain*, the list of its commands (Program.chains); ways, counts and order stay as they are without.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from quorbit.machine.compile.instructions import Instruction, Label, Op
from quorbit.machine.compile.lower.instances import Instance, Instances
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.values import Known
from quorbit.model.meaning.evaluate import asks_enabled
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Expr
from quorbit.model.system.system import System

LONGEST_CHAIN = 64
LARGEST_CHAINED = 30_000  # lines of code; beyond, every transient state is a record

Way = tuple[int, ...]  # numbers of commands, one after the other


class Chains(Instances):
    """Which command must follow in the state that is made."""

    def __init__(self, system: System, layout: StateLayout) -> None:
        super().__init__(system, layout)
        self.instances: list[Instance] = []
        self.chains: dict[Way, int] = {}
        self.asking: dict[int, dict[int, list[int]]] = {}  # by place and value: which instances ask for it
        self.others: dict[int, list[int]] = {}  # by place: which do not ask for it
        self.agreeing: dict[tuple[int, int], list[int]] = {}  # by place and value: both together
        self.facts: list[dict[int, frozenset[int]]] = []

    @cached_property
    def asks_who_moves(self) -> bool:
        """Whether some guard asks who can move: few models have such guards, and to look at each command takes long."""
        return asks_enabled(*self.system.commands)

    def chain(self, way: Way) -> int:
        """The number that records of this way have."""
        if len(way) == 1:
            return way[0]
        return len(self.system.commands) + self.chains.setdefault(way, len(self.chains))

    def following(self, way: Way) -> Instance | None:
        """The command that must follow, if it is known that it can run and that no other can, and if it is not on the
        way already."""
        if len(way) >= LONGEST_CHAIN or self.system.count_once or len(self.e.buffer.lines) > LARGEST_CHAINED:
            return None
        possible = self.possible()
        if not possible:
            return None
        first = min(possible, key=lambda i: i.command.rank)
        if first.number in way or first.loops:
            return None
        if not all(other is first or hides(first.command, other.command) for other in possible):
            return None
        if self.asks_who_moves and asks_enabled(first.command):
            return None
        return first if all(self.decided(e, first.env) for e in first.conjuncts) else None

    def possible(self) -> list[Instance]:
        """The instances whose guard is not known to be false in the state that is made, as far as the constants say
        that guards ask for before all else."""
        if not self.facts:
            self.sort_by_facts()
        known = {i: c.value for i, c in self.view.written.items() if isinstance(c, Known) and i in self.asking}
        if not known:
            return self.instances
        fewest = min((self.matching(i, value) for i, value in known.items()), key=len)
        return [self.instances[k] for k in fewest if self.allows(k, known)]

    def allows(self, k: int, known: dict[int, int]) -> bool:
        return all(known[i] in values for i, values in self.facts[k].items() if i in known)

    def sort_by_facts(self) -> None:
        self.facts = [self.asked_values(instance) for instance in self.instances]
        for k, facts in enumerate(self.facts):
            for i, values in facts.items():
                for value in sorted(values):
                    self.asking.setdefault(i, {}).setdefault(value, []).append(k)
        for i in self.asking:
            self.others[i] = [k for k, facts in enumerate(self.facts) if i not in facts]

    def matching(self, i: int, value: int) -> list[int]:
        """Which instances do not ask for another value of the place."""
        found = self.agreeing.get((i, value))
        if found is None:
            found = self.agreeing[i, value] = sorted([*self.asking[i].get(value, ()), *self.others[i]])
        return found

    def decided(self, e: Expr, env: Env) -> bool | None:
        """Whether e holds in the state that is made, if that is known."""
        yes = Label()
        with self.e.scratch() as buffer:
            self.scoped(lambda: self.branch(e, env, yes, True))
            lines = list(instructions(buffer.lines))
        if not lines:
            return False
        return True if lines[0].op is Op.JMP and lines[0].x is yes else None


def hides(a: Command, b: Command) -> bool:
    """Whether b cannot run where a can, whoever moves."""
    return a.rank < b.rank and a.turn <= b.turn


def instructions(lines: Iterable[Instruction | Label]) -> Iterable[Instruction]:
    return (line for line in lines if isinstance(line, Instruction))
