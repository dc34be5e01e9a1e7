"""Strong stubborn sets: which of the commands that can run in a state have to be looked at there.

A set T of cases (model/dependence) is stubborn in a state if, for each member that can happen, it holds all that may
not change their order with it, and, for each that cannot, all that may make true one test that is false.  It begins
with a case that can happen, so it always leads on.  Then all deadlocks are kept; for more there are the conditions of
``Rules`` and a proviso, which the search sees to.  The set is the smallest that begins with one case, loose cases tried
first (``Facts.loose``); members are taken least number first, so that the compiled engine (runtime/stubborn.c) finds
the same.

[Valmari 1990; condition numbers as in docs/partial-order.md.]
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.model.dependence.facts import Facts, Row, bits_of
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.system import State
from quorbit.source.frozen import frozen

__all__ = ["LTL", "SAFETY", "Chooser"]

ENABLED_COST = 100  # of a case that can happen and would join the set; one that cannot costs 1


@frozen
class Rules:
    """For LTL, ``visible``: a set with a visible member that can happen holds all visible ones; ``invisible``: it
    begins with an invisible one if some can happen.  The others are there to be dropped by tests."""

    visible: bool = False
    invisible: bool = False
    dependence: bool = True
    enabling: bool = True
    proviso: bool = True


SAFETY, LTL = Rules(), Rules(visible=True, invisible=True)


class Chooser:
    """Chooses stubborn sets by the meaning of the System."""

    def __init__(self, facts: Facts, meaning: Meaning, rules: Rules) -> None:
        self.facts, self.meaning, self.rules = facts, meaning, rules
        self.tests = [meaning.value_of(t.expression) for t in facts.tests]

    def choose(self, s: State, enabled: Iterable[int]) -> frozenset[int] | None:
        """Those of the enabled commands that have to be looked at in s; None for all of them."""
        commands = frozenset(enabled)
        if len(commands) < 2:
            return None
        truths: dict[int, bool | None] = {}
        active = self.active(s, commands, truths)
        if active is None:
            return None
        best = self.smallest(s, active, truths)
        if best == active:
            return None
        return frozenset(self.facts.cases[k].command for k in bits_of(best))

    def active(self, s: State, commands: frozenset[int], truths: dict[int, bool | None]) -> Row | None:
        """The cases of the commands that can run, one for each; None if one has none: it is of a later rank."""
        row = 0
        for c in commands:
            fitting = [
                k
                for k in self.facts.of_command.get(c, ())
                if all(self.holds(t, s, truths) for t in self.facts.cases[k].tests)
            ]
            assert len(fitting) < 2, "the cases of a command exclude each other"
            if not fitting:
                return None
            row |= 1 << fitting[0]
        return row

    def holds(self, t: int, s: State, truths: dict[int, bool | None]) -> bool | None:
        """Whether a test holds; None if its expression has no value."""
        if t not in truths:
            fails = self.facts.tests[t].fails
            try:
                value = bool(self.tests[t](s, {}))
                truths[t] = False if fails else value
            except Fault:
                truths[t] = True if fails else None
        return truths[t]

    def smallest(self, s: State, active: Row, truths: dict[int, bool | None]) -> Row:
        """The members that can happen of the smallest set."""
        best, least, tried = active, active.bit_count(), 0
        hidden, loose = active & ~self.facts.visible, self.facts.loose
        seeds = hidden if self.rules.invisible and hidden else active
        for seed in (*bits_of(seeds & loose), *bits_of(seeds & ~loose)):
            found = self.grow(s, seed, active, truths, least, tried)
            tried |= 1 << seed
            if found is not None:
                best, least = found, found.bit_count()
            if least == 1:
                break
        return best

    def grow(
        self, s: State, seed: int, active: Row, truths: dict[int, bool | None], limit: int, tried: Row
    ) -> Row | None:
        """The smallest set with the seed; None if as many as the limit can happen, or one that was tried before: a set
        with that was no smaller."""
        facts, rules = self.facts, self.rules
        whole, done = 1 << seed, 0
        while waiting := whole & ~done:
            waiting = waiting & active or waiting  # those that can happen first, for they may end the search
            bit = waiting & -waiting
            k, done = bit.bit_length() - 1, done | bit
            if bit & active:
                whole |= facts.dependent[k] if rules.dependence else 0
                if rules.visible and bit & facts.visible:
                    whole |= facts.visible
            elif rules.enabling:
                more, settled = self.needed(s, k, whole, active, truths)
                whole, done = whole | more, done | settled
            if whole & tried or (whole & active).bit_count() >= limit:
                return None
        return whole & active

    def needed(self, s: State, k: int, whole: Row, active: Row, truths: dict[int, bool | None]) -> tuple[Row, Row]:
        """The cases of which one must happen before case k can: the first steps to one of its false tests if they are
        in the set, else the nearest gates on the way to its cheapest false test; and whoever has that test, for then it
        needs no more."""
        facts = self.facts
        best, settled, least = facts.enablers[k], 0, -1
        for t in facts.asked[k]:
            if self.holds(t, s, truths) is not False:
                continue
            row, steps = self.gates(t, s), self.first_steps(t, s)
            new = row & ~whole
            cost = new.bit_count() + (ENABLED_COST - 1) * (new & active).bit_count()
            if steps is not None and not steps & ~whole:
                row, cost = steps, 0
            if least < 0 or cost < least:
                best, settled, least = row, facts.asking[t], cost
            if cost == 0:
                break
        return best, settled

    def gates(self, t: int, s: State) -> Row:
        """Of which cases one must happen before a false test holds."""
        decided = self.facts.decided[t]
        return self.facts.makes_true[t] if decided is None else self.facts.gates(decided.place, s[decided.place])[t]

    def first_steps(self, t: int, s: State) -> Row | None:
        way = self.facts.ways[t]
        return None if way is None else way[1].get(s[way[0]])
