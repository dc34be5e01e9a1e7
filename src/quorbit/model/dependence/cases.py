"""The *cases* of a System: what can happen in a stored state, each with when it can and what it touches.

A case is a variant of a command (split.py) together with all that may follow it in transient states (chains.py), or the
run-time error of a guard: that can happen even where the command cannot run, so it is a case of its own.  That an
invariant is broken is such a case too, as if a command watched for it.  When a case
can happen is a list of *tests*; a test is a conjunct of a guard or of its address, or that evaluating one fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from quorbit.groups.permutation import Permutation
from quorbit.model.dependence.abstract import Values, known_from, values_of
from quorbit.model.dependence.access import NO_PLACES, Domains, Places, Reader
from quorbit.model.dependence.beginning import beginning
from quorbit.model.dependence.chains import Chains, scratch_constants, stored_constants
from quorbit.model.dependence.faults import Faults
from quorbit.model.dependence.footprint import Footprint, Steps, Use, is_writing, summarised
from quorbit.model.dependence.possible import possible_values
from quorbit.model.dependence.split import Splitter, Variant, flat_conjuncts
from quorbit.model.dependence.turning import written_out
from quorbit.model.meaning.partial import NOTHING, Facts, learned
from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Expr,
    Fresh,
    Literal,
    Operator,
    Quantify,
    Read,
    negation,
)
from quorbit.model.system.expression import Use as UseOf
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE, AtomOf, Number, Truth, Value
from quorbit.model.system.walk import domain_expressions, map_parts, parts
from quorbit.source.frozen import field, frozen

__all__ = ["Test"]

NOBODY = -1  # whose case it is that an invariant is broken
MOST_VALUES = 64  # of a place that are tried one by one


@frozen
class Test:
    """Holds where the expression does, or (``fails``) where it has no value."""

    expression: Expr
    fails: bool = False


@frozen
class Case:
    """``tests``: numbers of the tests that must hold; ``blind``: places read by what else the guard asks.  ``known``:
    values of places wherever it happens; ``after``: values of places it writes; ``chain``: what may follow."""

    command: int
    tests: tuple[int, ...]
    blind: Places
    known: Mapping[int, frozenset[Value]] = field(repr=False)
    uses: Footprint = field(repr=False)
    after: Mapping[int, Values] = field(repr=False)
    chain: tuple[int, ...] = ()
    is_fault: bool = False

    @cached_property
    def writes(self) -> Places:
        return frozenset(i for i, use in self.uses.items() if is_writing(use))


@frozen
class Drop:
    """What a test leaves out on purpose, to see that it is missed."""

    invariants: bool = False
    faults: bool = False
    chains: bool = False
    turns: bool = False
    starts: bool = False
    ranks: bool = False


class Cases:
    """The cases and tests of a System, as they are in all images of its states under a group with these generators."""

    def __init__(
        self,
        system: System,
        generators: Sequence[Permutation],
        invariants: Sequence[Expr] = (),
        drop: Drop | None = None,
    ) -> None:
        self.system, self.drop = system, drop or Drop()
        if self.drop.starts:
            generators = ()
        possible = possible_values(system, generators)
        self.reader = Reader(system)
        self.constants = {**stored_constants(self.reader), **scratch_constants(self.reader, generators)}
        self.possible = {**possible, **{i: frozenset((v,)) for i, v in self.constants.items()}}
        known = known_from(self.possible)
        self.splitter, self.faults = Splitter(self.reader, known), Faults(self.reader, known)
        self.first = beginning(self.reader, generators)
        self.chains = Chains(self.reader, possible, self.first)
        self.free = FreeNames(self.reader)
        self.tests: list[Test] = []
        self.numbers: dict[Test, int] = {}
        self.allowed: list[tuple[int, frozenset[Value]] | None] = []
        self.guards = [tuple(flat_conjuncts(self.folded(c.guard))) for c in system.commands]
        self.first_rank = min((c.rank for c in system.commands), default=0)
        self.first_turn = min((c.turn for c in system.commands), default=0)
        self.cases = [case for number, c in enumerate(system.commands) for case in self.of(number, c)]
        self.cases += [case for e in invariants for case in self.broken(self.folded(e))]

    def folded(self, e: Expr) -> Expr:
        """e in stored states."""
        return simplify(self.put_constants(e)) if self.constants else e

    def put_constants(self, e: Expr) -> Expr:
        e = map_parts(e, self.put_constants)
        if isinstance(e, Read) and (i := self.reader.static(e)) in self.constants:
            assert i is not None
            return Literal(self.constants[i], self.system.places[i].type)
        return e

    def of(self, number: int, command: Command) -> Iterator[Case]:
        """Later ranks wait, and nobody looks at their guards, while something of the first rank can run."""
        if command.rank != self.first_rank and not self.drop.ranks:
            return
        if not self.drop.faults:
            yield from self.faults_of(number, command)
        if self.guards[number][-1] == FALSE:
            return
        hidden, blind = self.turns(command)
        for variant in self.splitter.variants(number, command, (*self.guards[number], *hidden)):
            case = self.case_of(variant, blind)
            if case is not None:
                yield case

    def turns(self, command: Command) -> tuple[list[Expr], Places]:
        """The command waits until no command of its mover with a lower turn can run."""
        found, blind = list[Expr](), NO_PLACES
        if self.drop.turns or not command.actors or command.turn == self.first_turn:
            return found, blind
        for c, other in enumerate(self.system.commands):
            if other.turn < command.turn and other.actors and may_be_same(other.actors[0], command.actors[0]):
                if other.parameters or other.actors[0] != command.actors[0]:
                    blind |= self.guard_reads(c)
                else:
                    found.append(negation(self.folded(other.guard)))
        return found, blind

    def guard_reads(self, c: int) -> Places:
        """What decides whether a command can run: its guard, its domains and who would move."""
        command = self.system.commands[c]
        domains = {p.name: p.domain for p in command.parameters}
        outer = [e for p in command.parameters for e in domain_expressions(p.domain)]
        return NO_PLACES.union(*(self.reader.reads(e, domains) for e in (command.guard, *outer, *command.actors)))

    # Cases.

    def case_of(self, variant: Variant, blind: Places) -> Case | None:
        tests, unseen = self.tests_of(variant)
        known = self.known_where(tests)
        if known is None:
            return None
        chain, watched = ([], []) if self.drop.chains else self.chains.following(variant, known)
        uses, after = self.effect_of(variant, known, chain, watched)
        return Case(variant.command, tests, (blind | unseen) - self.constants.keys(), known, uses, after, tuple(chain))

    def tests_of(self, variant: Variant) -> tuple[tuple[int, ...], Places]:
        """The tests of a variant, and what its guard reads in a way that no test tells."""
        names = frozenset(variant.domains)
        found, blind = list[int](), set[int]()
        for e in (*variant.conjuncts, *variant.chosen):
            if e == TRUE:
                continue
            if self.free.of(e) & names:
                blind |= self.reader.reads(e, variant.domains)
            else:
                found.append(self.number_of(Test(e)))
        for p in variant.parameters:
            for e in domain_expressions(p.domain):
                blind |= self.reader.reads(e, variant.domains)
        return tuple(dict.fromkeys(found)), frozenset(blind)

    def effect_of(
        self, variant: Variant, known: Mapping[int, Values], chain: list[int], watched: list[int]
    ) -> tuple[Footprint, dict[int, Values]]:
        steps = Steps(self.reader, variant.domains, known_from(known, self.possible))
        for step in variant.effect:
            steps.add(step)
        after = dict(steps.after)
        for c in dict.fromkeys((*chain, *watched)):
            for i in self.guard_reads(c):
                steps.uses.setdefault(i, []).append(Use("read"))
        for c in chain:
            self.follow(c, steps, after, known)
        filled, roomy = self.queues(variant.conjuncts)
        touched = {i: found for i, found in steps.uses.items() if i not in self.constants}
        return summarised(touched, filled, roomy), after

    def follow(self, c: int, steps: Steps, after: dict[int, Values], known: Mapping[int, Values]) -> None:
        """What a command that may follow adds: it may also not run, and what it reads may have changed."""
        command = self.system.commands[c]
        later = Steps(self.reader, {p.name: p.domain for p in command.parameters}, lambda i: None)
        for step in command.effect:
            later.add(step)
        for i, found in later.uses.items():
            mine = steps.uses.setdefault(i, [])
            mine += found if all(use.style == "set" for use in found) else [*found, Use("write")]
            if all(use.style in ("read", "peek") for use in found):
                mine.remove(Use("write"))
        for i, values in later.after.items():
            before = after[i] if i in after else known_from(known, self.possible)(i)
            after[i] = None if before is None or values is None else before | values

    def queues(self, conjuncts: tuple[Expr, ...]) -> tuple[Places, Places]:
        """The queues that are not empty, and those that have room, if the conjuncts hold."""
        filled, roomy = set[int](), set[int]()
        for e in conjuncts:
            for queue in learned(e):
                if isinstance(queue, Read) and (i := self.reader.static(queue)) is not None:
                    filled.add(i)
            match e:
                case Apply(Operator.LESS, (Apply(Operator.SIZE, (Read() as queue,)), Literal())):
                    if (i := self.reader.static(queue)) is not None:
                        roomy.add(i)
        return frozenset(filled), frozenset(roomy)

    # Run-time errors of guards.

    def faults_of(self, number: int, command: Command) -> Iterator[Case]:
        """One case for each conjunct that may have no value where all before it hold."""
        domains = {p.name: p.domain for p in command.parameters}
        names, facts = frozenset(domains), NOTHING
        before, blind = list[int](), NO_PLACES
        for p in command.parameters:
            for e in domain_expressions(p.domain):
                inside = {**domains, p.name: Atoms(p.domain.atoms)} if isinstance(p.domain, Fresh) else domains
                if self.faults.may_fail(e, inside):
                    yield from self.fault(number, (), self.reader.reads(e, domains))
                blind |= self.reader.reads(e, domains)
        for e in self.guards[number]:
            has_names = bool(self.free.of(e) & names)
            if self.faults.may_fail(e, domains, facts) and self.fails_after(before, e, domains, facts):
                if has_names:
                    yield from self.fault(number, tuple(before), blind | self.reader.reads(e, domains))
                else:
                    yield from self.fault(number, (*before, self.number_of(Test(e, True))), blind)
            facts |= learned(e)
            if e == FALSE:
                return
            if has_names:
                blind |= self.reader.reads(e, domains)
            elif e != TRUE:
                before.append(self.number_of(Test(e)))

    def fails_after(self, before: list[int], e: Expr, domains: Domains, facts: Facts) -> bool:
        """Whether e may have no value where the tests before it hold."""
        known = self.known_where(tuple(before))
        if known is None:
            return False
        return Faults(self.reader, known_from(known, self.possible)).may_fail(e, domains, facts)

    def fault(self, number: int, tests: tuple[int, ...], blind: Places) -> Iterator[Case]:
        known = self.known_where(tests)
        if known is not None:
            yield Case(number, tests, blind - self.constants.keys(), known, {}, {}, is_fault=True)

    def broken(self, e: Expr) -> Iterator[Case]:
        """An invariant does not hold, one case for each conjunct that does not; or it has no value."""
        if self.drop.invariants:
            return
        if self.faults.may_fail(e):
            yield from self.fault(NOBODY, (), self.reader.reads(e))
            return
        for conjuncts in denials(written_out(e)):
            tests = [self.number_of(Test(c)) for c in conjuncts if c != TRUE]
            if FALSE not in conjuncts:
                yield from self.fault(NOBODY, tuple(tests), NO_PLACES)

    # Tests.

    def number_of(self, test: Test) -> int:
        found = self.numbers.get(test)
        if found is None:
            found = self.numbers[test] = len(self.tests)
            self.tests.append(test)
            self.allowed.append(None if test.fails else self.find_allowed(test.expression))
        return found

    def find_allowed(self, e: Expr) -> tuple[int, frozenset[Value]] | None:
        """The place a test asks for, if it is one, and the values that will do."""
        places = self.reader.reads(e)
        if len(places) != 1:
            return None
        (i,) = places
        match e:
            case Apply(Operator.EQUAL, (Read() as place, Literal(value)) | (Literal(value), Read() as place)):
                if self.reader.static(place) == i:
                    return i, frozenset((value,))
        values = self.possible.get(i)
        if values is None:
            values = few_values(self.system.places[i].type)
        if values is None or len(values) > MOST_VALUES:
            return None
        kept = [v for v in values if can_hold(self.reader, e, i, v)]
        return i, frozenset(kept)

    def known_where(self, tests: tuple[int, ...]) -> dict[int, frozenset[Value]] | None:
        """What is known of places where tests hold; None if they never do together."""
        found: dict[int, frozenset[Value]] = {}
        for t in tests:
            allowed = self.allowed[t]
            if allowed is None:
                continue
            i, values = allowed
            base = found.get(i, self.possible.get(i))
            found[i] = values if base is None else values & base
            if not found[i]:
                return None
        known = known_from(found, self.possible)
        for t in tests:
            if not self.tests[t].fails and values_of(self.reader, self.tests[t].expression, known) == frozenset((0,)):
                return None
        return found


def can_hold(reader: Reader, e: Expr, i: int, value: Value) -> bool:
    only = frozenset((value,))
    values = values_of(reader, e, lambda place: only if place == i else None)
    return values is None or any(values)


def few_values(type: object) -> frozenset[Value] | None:
    match type:
        case Truth():
            return frozenset((0, 1))
        case Number(int(low), int(high)) if high - low < MOST_VALUES:
            return frozenset(range(low, high + 1))
        case AtomOf(atoms, optional):
            return frozenset((*atoms, NONE)) if optional else frozenset(atoms)
    return None


def may_be_same(a: Expr, b: Expr) -> bool:
    return not (isinstance(a, Literal) and isinstance(b, Literal) and a.value != b.value)


def denials(e: Expr) -> list[list[Expr]]:
    """The ways in which e may be false: each a list of what then holds."""
    match e:
        case Apply(Operator.AND, operands):
            return [found for part in operands for found in denials(part)]
        case Apply(Operator.OR, operands) if all(len(denials(part)) == 1 for part in operands):
            return [[c for part in operands for c in denials(part)[0]]]
        case Apply(Operator.NOT, (part,)):
            return [list(flat_conjuncts(part))]
        case Condition(test, then, other) if other == TRUE:
            return [[*flat_conjuncts(test), *found] for found in denials(then)]
        case _:
            return [[negation(e)]]


class FreeNames:
    """The parameters that an expression mentions and does not bind itself, those of definitions it uses included."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.known: dict[int, tuple[Expr, frozenset[str]]] = {}

    def of(self, e: Expr) -> frozenset[str]:
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = e, self.find(e)
        return known[1]

    def find(self, e: Expr) -> frozenset[str]:
        inner = frozenset[str]().union(*map(self.of, parts(e)))
        match e:
            case Bound(name):
                return frozenset((name,))
            case Quantify(parameter=parameter):
                outer = frozenset[str]().union(*map(self.of, domain_expressions(parameter.domain)))
                return outer | (self.of(e.condition) | self.of(e.body)) - {parameter.name}
            case UseOf():
                return inner.union(*map(self.of, self.reader.used_bodies(e)))
            case _:
                return inner
