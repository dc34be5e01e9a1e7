"""What may follow a command before the next stored state, where states in between are transient.

A move from one stored state to the next is a chain of commands: an atomic section, the two sides of a handshake, the
release of a blocked one.  Which commands may come next follows from what is known after the first one: places that it
gave a constant, and what its guard said of others.  Chains go from process to process as ``transient`` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from quorbit.groups.permutation import Permutation
from quorbit.model.dependence.abstract import Known, Values, can_be_true, known_from, values_of
from quorbit.model.dependence.access import Domains, Reader
from quorbit.model.dependence.faults import Faults
from quorbit.model.dependence.possible import closed_starts
from quorbit.model.dependence.split import Variant, flat_conjuncts
from quorbit.model.meaning.partial import NOTHING, learned
from quorbit.model.system.command import Step, Together, assignments_in, has_inner_steps, parameters_of
from quorbit.model.system.expression import FALSE, Apply, Elements, Expr, Fresh, Literal, Operator, Read
from quorbit.model.system.types import Value

MOST_KNOWLEDGE = 2_000  # different knowledge on the ways from one variant; with more, anything may follow
Sets = dict[int, frozenset[Value]]  # what is known of some places
Knowledge = frozenset[tuple[int, frozenset[Value]]]
Key = tuple[tuple[int, frozenset[Value]], ...]  # of the places that decide whether a state is transient


class Chains:
    """For each variant the commands that may follow it; ``possible``: the values places may have."""

    def __init__(self, reader: Reader, possible: Mapping[int, Values], first: frozenset[int] = frozenset()) -> None:
        """``first``: commands that run in the beginning only."""
        self.stored = stored_constants(reader)  # a chain begins in a stored state
        self.reader, self.system, self.possible = reader, reader.system, possible
        self.first = first
        self.faults = Faults(reader, known_from(possible))
        self.conjuncts = [tuple(flat_conjuncts(c.guard)) for c in self.system.commands]
        self.pins = [pins_of(reader, conjuncts) for conjuncts in self.conjuncts]
        self.deciding = reader.reads(self.system.transient)
        self.control = self.deciding.union(*self.pins)  # only these places are followed
        self.found: dict[Knowledge, tuple[list[int], list[int]]] = {}
        self.nexts: dict[Knowledge, list[tuple[int, Knowledge]]] = {}
        self.fitting: dict[Key, list[int]] = {}
        self.watching: dict[Key, list[int]] = {}
        self.domains: list[Domains] = [{p.name: p.domain for p in c.parameters} for c in self.system.commands]

    def following(self, variant: Variant, known: Mapping[int, Values]) -> tuple[list[int], list[int]]:
        """The numbers of the commands that may run in transient states after this variant, and of those whose guards
        may have no value there; in order."""
        if self.system.transient == FALSE:
            return [], []
        sets = {i: frozenset((value,)) for i, value in self.stored.items()}
        sets |= {i: values for i, values in known.items() if values is not None and i in self.control}
        after = frozenset(self.effect_on(sets, variant.effect, variant.domains).items())
        if after not in self.found:
            self.found[after] = self.chain_from(after)
        return self.found[after]

    def chain_from(self, after: Knowledge) -> tuple[list[int], list[int]]:
        """All that may happen from there until the state is not transient."""
        commands, watched, seen, waiting = set[int](), set[int](), {after}, [after]
        while waiting:
            for c, following in self.next_after(at := waiting.pop()):
                commands.add(c)
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
            watched.update(self.watched_at(at))
            if len(seen) > MOST_KNOWLEDGE:
                everything = list(range(len(self.conjuncts)))
                return everything, everything
        return sorted(commands), sorted(watched)

    def next_after(self, after: Knowledge) -> list[tuple[int, Knowledge]]:
        """The commands that may run if the state is transient, each with what is known after it."""
        found = self.nexts.get(after)
        if found is None:
            found = self.nexts[after] = self.find_next(dict(after))
        return found

    def find_next(self, sets: Sets) -> list[tuple[int, Knowledge]]:
        if not self.may_be_transient(sets):
            return []
        found = []
        for c in self.candidates(sets):
            narrowed = self.enter(c, sets)
            if narrowed is not None:
                effect = self.system.commands[c].effect
                found.append((c, frozenset(self.effect_on(narrowed, effect, self.domains[c]).items())))
        return found

    def may_be_transient(self, sets: Sets) -> bool:
        return can_be_true(values_of(self.reader, self.system.transient, known_from(sets, self.possible)))

    def watched_at(self, after: Knowledge) -> list[int]:
        sets = dict(after)
        return self.watched(self.key_of(sets)) if self.may_be_transient(sets) else []

    def key_of(self, sets: Sets) -> Key:
        return tuple((i, sets[i]) for i in sorted(self.deciding) if i in sets)

    def candidates(self, sets: Sets) -> list[int]:
        """The commands whose guards fit what decides whether a state is transient."""
        key = self.key_of(sets)
        found = self.fitting.get(key)
        if found is None:
            known = known_from(dict(key), self.possible)
            others = (c for c in range(len(self.conjuncts)) if c not in self.first)
            found = self.fitting[key] = [c for c in others if self.fits(c, known)]
        return found

    def fits(self, c: int, known: Known) -> bool:
        return all(can_be_true(values_of(self.reader, e, known)) for e in self.conjuncts[c])

    def watched(self, key: Key) -> list[int]:
        """The commands whose guards may fault before they are seen to be false."""
        found = self.watching.get(key)
        if found is None:
            known = known_from(dict(key), self.possible)
            found = self.watching[key] = [c for c in self.risky if self.may_fault(c, known)]
        return found

    @cached_property
    def risky(self) -> list[int]:
        """The same where nothing is known."""
        known = known_from(self.possible)
        return [c for c in range(len(self.conjuncts)) if self.may_fault(c, known)]

    def may_fault(self, c: int, known: Known) -> bool:
        if any(isinstance(p.domain, Elements | Fresh) for p in self.system.commands[c].parameters):
            return True
        facts = NOTHING
        for e in self.conjuncts[c]:
            if self.faults.may_fail(e, self.domains[c], facts):
                return True
            if not can_be_true(values_of(self.reader, e, known)):
                return False
            facts |= learned(e)
        return False

    def enter(self, c: int, sets: Sets) -> Sets | None:
        """What is known when command c runs; None if it cannot."""
        narrowed = dict(sets)
        for i, wanted in self.pins[c].items():
            left = wanted & narrowed[i] if i in narrowed else wanted
            if not left:
                return None
            narrowed[i] = left
        return narrowed if self.fits(c, known_from(narrowed, self.possible)) else None

    def effect_on(self, sets: Sets, effect: tuple[object, ...], domains: Domains) -> Sets:
        after = dict(sets)
        for step in effect:
            if not isinstance(step, Together):
                continue
            before = known_from(dict(after), self.possible)
            for a in step.assignments:
                place = self.reader.static(a.target)
                values = None if place is None else values_of(self.reader, a.value, before)
                if place is not None and values is not None:
                    if place in self.control:
                        after[place] = values
                else:
                    for i in self.reader.targets(a.target, domains):
                        after.pop(i, None)
        return after


def pins_of(reader: Reader, conjuncts: tuple[Expr, ...]) -> Sets:
    """Places that must have a constant value."""
    found: Sets = {}
    for e in conjuncts:
        match e:
            case Apply(Operator.EQUAL, (Read() as place, Literal(value)) | (Literal(value), Read() as place)):
                if (i := reader.static(place)) is not None:
                    found[i] = found.get(i, frozenset((value,))) & {value}
    return found


def stored_constants(reader: Reader) -> dict[int, Value]:
    """The places that have one value in every stored state: transient where they have another."""
    found: dict[int, Value] = {}
    transient = reader.system.transient
    operands = (
        transient.operands if isinstance(transient, Apply) and transient.operator is Operator.OR else (transient,)
    )
    for e in operands:
        match e:
            case Apply(Operator.NOT, (Apply(Operator.EQUAL, (Read() as place, Literal(value))),)):
                if (i := reader.static(place)) is not None:
                    found[i] = value
    return found


def scratch_constants(reader: Reader, generators: Sequence[Permutation]) -> dict[int, Value]:
    """The places that every command leaves as they were in all images of the start, though it may use them in between:
    locals of procedures that are written out."""
    system = reader.system
    if not has_inner_steps(system.commands):
        return {}
    begins = closed_starts(system, generators)
    found = {i: next(iter(values)) for i, values in enumerate(begins) if len(values) == 1}
    for command in system.commands:
        domains = {p.name: p.domain for p in parameters_of(command)}
        last = left_behind(reader, command.effect, domains)
        for i, value in last.items():
            if i in found and value != found[i]:
                del found[i]
    written = {i for c in system.commands for a in assignments_in(c.effect) for i in reader.targets(a.target)}
    return {i: value for i, value in found.items() if i in written}


def left_behind(reader: Reader, steps: tuple[Step, ...], domains: Domains) -> dict[int, Value | None]:
    """The places that steps write, with the constant that the last write leaves there; None: it may be anything."""
    found: dict[int, Value | None] = {}
    for step in reversed(steps):
        if isinstance(step, Together):
            for a in step.assignments:
                i = reader.static(a.target)
                if i is not None and isinstance(a.value, Literal):
                    found.setdefault(i, a.value.value)
        for a in assignments_in((step,)):
            for i in reader.targets(a.target, domains):
                found.setdefault(i, None)
    return found
