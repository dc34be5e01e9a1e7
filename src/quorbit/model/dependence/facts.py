"""Facts about the cases of a System: which may make a test true or false, and which may not change their order.

Every row is a set of cases as the bits of a number.  All facts are true in every state that is an image of a reachable
one under the group: the values that places may have are found from starts that are closed under it.
[EJP97; guard-based stubborn sets: Laarman, Pater, van de Pol, Weber, 2013.]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from quorbit.groups.permutation import Permutation
from quorbit.model.dependence.abstract import Known, Values, known_from
from quorbit.model.dependence.access import Places, Reader
from quorbit.model.dependence.cases import Case, Cases, Drop, Test
from quorbit.model.dependence.decided import Decided, decided_by
from quorbit.model.dependence.footprint import Use, commute
from quorbit.model.dependence.turning import turns, written_out
from quorbit.model.dependence.ways import first_steps, nearest_gates
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Part, Read, Wrap, negation
from quorbit.model.system.system import System
from quorbit.model.system.types import Value
from quorbit.model.system.walk import parts
from quorbit.source.frozen import distinct

__all__ = ["Facts", "Row", "bits_of", "build_facts"]

O = Operator
Row = int  # a set of cases, one bit each
FEW = 2


@distinct
class Facts:
    """What is known of the cases; see ``build_facts``."""

    system: System
    found: Cases
    visible: Row

    @cached_property
    def cases(self) -> list[Case]:
        return self.found.cases

    @cached_property
    def tests(self) -> list[Test]:
        return self.found.tests

    @cached_property
    def reader(self) -> Reader:
        return self.found.reader

    @cached_property
    def of_command(self) -> dict[int, list[int]]:
        """The cases of each command that are not its run-time errors."""
        found: dict[int, list[int]] = {}
        for k, case in enumerate(self.cases):
            if not case.is_fault:
                found.setdefault(case.command, []).append(k)
        return found

    @cached_property
    def writers(self) -> dict[int, Row]:
        """For each place the cases that write it, but for commands that begin: these never happen later, and nothing
        else happens before."""
        found: dict[int, Row] = {}
        for k, case in enumerate(self.cases):
            for i in case.writes if not self.beginning >> k & 1 else ():
                found[i] = found.get(i, 0) | 1 << k
        return found

    @cached_property
    def beginning(self) -> Row:
        """The cases of the commands that run in the beginning only."""
        return sum(1 << k for c in self.found.first for k in self.of_command.get(c, ()))

    @cached_property
    def test_reads(self) -> list[Places]:
        """For each test the places on which its truth depends."""
        may_fail = self.found.faults.may_fail
        return [
            self.reader.failing_reads(t.expression, may_fail) if t.fails else self.reader.reads(t.expression)
            for t in self.tests
        ]

    @cached_property
    def may_fail(self) -> list[bool]:
        return [t.fails or self.found.faults.may_fail(t.expression) for t in self.tests]

    # Tests.

    @cached_property
    def makes_true(self) -> list[Row]:
        """For each test the cases that may make it true where it is false."""
        return [rows[0] for rows in self.changing]

    @cached_property
    def makes_false(self) -> list[Row]:
        return [rows[1] for rows in self.changing]

    @cached_property
    def changing(self) -> list[tuple[Row, Row]]:
        """For each test the cases that may make it true, and those that may make it false."""
        return [self.changers(t) for t in range(len(self.tests))]

    def changers(self, t: int) -> tuple[Row, Row]:
        """Cases between whose knowledge of the places there is no difference are looked at once."""
        reads = self.test_reads[t]
        if (decided := self.decided[t]) is not None:
            return self.changers_of_place(decided)
        views = [self.views_of(i) for i in sorted(reads)]
        known: dict[tuple[int, ...], tuple[bool, bool]] = {}
        to_true = to_false = 0
        for k in bits_of(self.writers_of(reads)):
            key = tuple([view[k] for view in views])
            answer = known.get(key)
            if answer is None:
                answer = known[key] = self.may_change(self.cases[k], t)
            to_true |= answer[0] << k
            to_false |= answer[1] << k
        return to_true, to_false

    def views_of(self, i: int) -> list[int]:
        """For each case a number for what it knows of a place and does to it."""
        found = self.views.get(i)
        if found is None:
            numbers: dict[object, int] = {}
            found = self.views[i] = [
                numbers.setdefault(
                    (
                        case.known.get(i),
                        case.after.get(i),
                        i in case.after,
                        case.uses[i].style if i in case.uses else "",
                    ),
                    len(numbers),
                )
                for case in self.cases
            ]
        return found

    @cached_property
    def views(self) -> dict[int, list[int]]:
        return {}

    def changers_of_place(self, test: Decided) -> tuple[Row, Row]:
        to_true = to_false = 0
        holding = test.values
        for (before, after), row in self.changes_of(test.place).items():
            if (before is None or not before <= holding) and (after is None or not after.isdisjoint(holding)):
                to_true |= row
            if (before is None or not before.isdisjoint(holding)) and (after is None or not after <= holding):
                to_false |= row
        return (to_true, to_false) if test.is_so else (to_false, to_true)

    def changes_of(self, i: int) -> dict[tuple[Values, Values], Row]:
        """The cases that write a place, by what is known of it before and after."""
        found = self.changes.get(i)
        if found is None:
            found = self.changes[i] = {}
            for k in bits_of(self.writers.get(i, 0)):
                case = self.cases[k]
                before = case.known.get(i)
                change = self.found.possible.get(i) if before is None else before, self.known_after(case)(i)
                found[change] = found.get(change, 0) | 1 << k
        return found

    @cached_property
    def changes(self) -> dict[int, dict[tuple[Values, Values], Row]]:
        return {}

    @cached_property
    def ways(self) -> list[tuple[int, dict[Value, Row]] | None]:
        """For each test that asks for the location of a process, or the like, the place and the cases of which one must
        happen before it holds, for each value of the place."""
        return [self.ways_to(t) for t in range(len(self.tests))]

    def ways_to(self, t: int) -> tuple[int, dict[Value, Row]] | None:
        decided = self.decided[t]
        possible = None if decided is None else self.found.possible.get(decided.place)
        if decided is None or possible is None:
            return None
        goal = frozenset(v for v in possible if decided.holds_for(v))
        found = first_steps(self.changes_of(decided.place), possible, goal)
        return None if found is None else (decided.place, found)

    @cached_property
    def decided(self) -> list[Decided | None]:
        """For each test the place that alone decides it."""
        return [None if t.fails else decided_by(self.reader, t.expression) for t in self.tests]

    @cached_property
    def asked(self) -> list[list[int]]:
        """The tests of each case, those that one place decides first: they are quickly asked, and often tell enough."""
        return [sorted(case.tests, key=lambda t: self.decided[t] is None) for case in self.cases]

    @cached_property
    def asked_of(self) -> dict[int, list[int]]:
        """For each place the tests that it decides."""
        found: dict[int, list[int]] = {}
        for t, decided in enumerate(self.decided):
            if decided is not None:
                found.setdefault(decided.place, []).append(t)
        return found

    @cached_property
    def alone(self) -> dict[int, Row]:
        """For each test the cases that have no other."""
        found: dict[int, Row] = {}
        for k, case in enumerate(self.cases):
            if len(case.tests) == 1:
                found[case.tests[0]] = found.get(case.tests[0], 0) | 1 << k
        return found

    def gates(self, i: int, value: Value) -> dict[int, Row]:
        """For each test that this place decides and that is false for this value, the cases of which one must happen
        before it holds, found by ``nearest_gates``."""
        false = tuple([t for t in self.asked_of.get(i, ()) if not self.holds_for(t, value)])
        found = self.known_gates.get(false)
        if found is None:
            found = self.known_gates[false] = nearest_gates(false, self.makes_true, self.alone)
        return found

    @cached_property
    def known_gates(self) -> dict[tuple[int, ...], dict[int, Row]]:
        return {}

    def holds_for(self, t: int, value: Value) -> bool:
        decided = self.decided[t]
        return decided is not None and decided.holds_for(value)

    def writers_of(self, places: Iterable[int]) -> Row:
        row = 0
        for i in places:
            row |= self.writers.get(i, 0)
        return row

    def may_change(self, case: Case, t: int) -> tuple[bool, bool]:
        """Whether a case that writes what a test reads may make it true, and whether it may make it false."""
        test = self.tests[t]
        if test.fails:
            return True, True
        rises, falls = True, True
        if self.only_queues(case, t):
            rises = not is_steady(self.reader, case, test.expression, True)
            falls = not is_steady(self.reader, case, test.expression, False)
        if (rises or falls) and not self.may_fail[t]:
            up, down = self.may_turn(case, test.expression)
            rises, falls = rises and up, falls and down
        return rises, falls

    def only_queues(self, case: Case, t: int) -> bool:
        return all(case.uses[i].style in ("head", "tail") for i in self.test_reads[t] if i in case.writes)

    def may_turn(self, case: Case, e: Expr) -> tuple[bool, bool]:
        """The same of an expression that always has a value."""
        before = known_from(case.known, self.found.possible)
        return turns(self.reader, e, case.writes, before, self.known_after(case))

    def known_after(self, case: Case) -> Known:
        possible = self.found.possible

        def known(i: int) -> Values:
            values = case.after[i] if i in case.after else case.known.get(i)
            return possible.get(i) if values is None else values

        return known

    # Pairs of cases.

    @cached_property
    def disabled_by(self) -> list[Row]:
        """For each case those that may end that it can happen."""
        rows = []
        for case in self.cases:
            row = self.writers_of(case.blind)
            for t in case.tests:
                row |= self.makes_false[t]
            rows.append(row)
        return rows

    @cached_property
    def conflicts(self) -> list[Row]:
        """For each case those whose effects may not change their order with its own."""
        rows = [0] * len(self.cases)
        for groups in self.users.values():
            for use, members in groups.items():
                others = 0
                for other, row in groups.items():
                    if not commute(use, other):
                        others |= row
                for k in bits_of(members) if others else ():
                    rows[k] |= others
        return rows

    @cached_property
    def users(self) -> dict[int, dict[Use, Row]]:
        """For each place the cases that use it, by how they do."""
        found: dict[int, dict[Use, Row]] = {}
        for k, case in enumerate(self.cases):
            for i, use in case.uses.items():
                groups = found.setdefault(i, {})
                groups[use] = groups.get(use, 0) | 1 << k
        return found

    @cached_property
    def asking(self) -> list[Row]:
        """For each test the cases that it is a test of."""
        rows = [0] * len(self.tests)
        for k, case in enumerate(self.cases):
            for t in case.tests:
                rows[t] |= 1 << k
        return rows

    @cached_property
    def apart(self) -> list[Row]:
        """For each case those that can never happen in the same state: guards that exclude each other."""
        groups: dict[int, dict[frozenset[object], Row]] = {}
        for k, case in enumerate(self.cases):
            for i, values in case.known.items():
                known = groups.setdefault(i, {})
                known[values] = known.get(values, 0) | 1 << k
        excluded = {
            (i, values): sum(row for others, row in known.items() if values.isdisjoint(others))
            for i, known in groups.items()
            for values in known
        }
        opposite = [self.found.numbers.get(Test(negation(t.expression))) if not t.fails else None for t in self.tests]
        for t, u in enumerate(opposite):
            if u is not None:
                opposite[u] = t
        rows = []
        for k, case in enumerate(self.cases):
            row = (1 << len(self.cases)) - 1 if self.beginning >> k & 1 else self.beginning
            for i, values in case.known.items():
                row |= excluded[i, values]
            for t in case.tests:
                if (u := opposite[t]) is not None:
                    row |= self.asking[u]
            rows.append(row)
        return rows

    @cached_property
    def disables(self) -> list[Row]:
        """For each case those for which it may end that they can happen."""
        ended: dict[Row, Row] = {}  # by whom: all for which it may end
        for t, row in enumerate(self.makes_false):
            ended[row] = ended.get(row, 0) | self.asking[t]
        for k, case in enumerate(self.cases):
            row = self.writers_of(case.blind)
            ended[row] = ended.get(row, 0) | 1 << k
        rows = [0] * len(self.cases)
        for row, others in ended.items():
            for k in bits_of(row):
                rows[k] |= others
        return rows

    @cached_property
    def dependent(self) -> list[Row]:
        """For each case those that may happen in the same state and may not change their order with it."""
        return [
            (self.conflicts[k] | self.disabled_by[k] | self.disables[k]) & ~self.apart[k] & ~(1 << k)
            for k in range(len(self.cases))
        ]

    @cached_property
    def loose(self) -> Row:
        """The cases that depend on few others: sets that begin with them are often small, and then quickly found."""
        return sum(1 << k for k, row in enumerate(self.dependent) if row.bit_count() <= FEW)

    @cached_property
    def enablers(self) -> list[Row]:
        """For each case those that write anything on which it depends whether it can happen: where no test tells."""
        return [self.writers_of(case.blind.union(*(self.test_reads[t] for t in case.tests))) for case in self.cases]


def build_facts(
    system: System,
    invariants: Sequence[Expr] = (),
    propositions: Sequence[Expr] = (),
    generators: Sequence[Permutation] = (),
    drop: Drop | None = None,
) -> Facts:
    """The facts about a grounded System; ``invariants`` are watched for, what changes ``propositions`` is visible, and
    ``generators`` are those of the group under which states are taken for equal."""
    facts = Facts(system, Cases(system, generators, invariants, drop), 0)
    facts.visible = visible_row(facts, propositions)
    return facts


def visible_row(facts: Facts, propositions: Sequence[Expr]) -> Row:
    """The cases that may change what a formula sees."""
    row = 0
    for e in map(written_out, propositions):
        may_fail = facts.found.faults.may_fail(e)
        for k in bits_of(facts.writers_of(facts.reader.reads(e))):
            if may_fail or any(facts.may_turn(facts.cases[k], e)):
                row |= 1 << k
    return row


def is_steady(reader: Reader, case: Case, e: Expr, to_true: bool) -> bool:
    """Whether what a test asks of a queue cannot change so: appending never empties a queue and never changes its
    first message, taking never fills it."""
    match e:
        case Apply(O.LESS | O.LESS_EQUAL, (Literal(), Apply(O.SIZE, (Read() as queue,)))):
            return style_of(reader, case, queue) == ("head" if to_true else "tail")
        case Apply(O.LESS | O.LESS_EQUAL, (Apply(O.SIZE, (Read() as queue,)), Literal())):
            return style_of(reader, case, queue) == ("tail" if to_true else "head")
        case Apply(O.NOT, (inner,)):
            return is_steady(reader, case, inner, not to_true)
        case Apply(O.AND | O.OR, operands):
            return all(is_steady(reader, case, part, to_true) for part in operands)
        case _:
            return is_untouched(reader, case, e)


def is_untouched(reader: Reader, case: Case, e: Expr) -> bool:
    """Whether the value of an expression, where it has one, stays: of queues it looks at the first message only."""
    match e:
        case Apply(O.FIRST, (Read() as queue,)) if style_of(reader, case, queue) == "tail":
            return True
        case Apply() | Part() | Wrap() | Literal():
            return all(is_untouched(reader, case, part) for part in parts(e))
        case _:
            return reader.reads(e).isdisjoint(case.writes)


def style_of(reader: Reader, case: Case, queue: Read) -> str | None:
    i = reader.static(queue)
    return None if i is None or i not in case.uses else case.uses[i].style


def bits_of(row: Row) -> Iterable[int]:
    """The members of a set, least first."""
    while row:
        least = row & -row
        yield least.bit_length() - 1
        row ^= least
