"""The search in C: states, subsumption, unwinding and looking up are done there, what is new is asked here.

``Kernel`` lays the rules and error conditions of a Search out for the kernel, and answers what it asks with the same
functions that the search in Python uses (explore.py is the meaning; the order of the search and all numbers agree).

Short names: k, r, p numbers of cells, rules and partitions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from quorbit.engines.adaptive.bags import Bags
from quorbit.engines.adaptive.counted import Counted, counted_of
from quorbit.engines.adaptive.forms import NAME, Form, Formed, form_of
from quorbit.engines.adaptive.library import ASK, bits, words
from quorbit.engines.adaptive.rules import Context, Event, Position, Rule
from quorbit.model.meaning.evaluate import Env
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.expression import Expr, conjunction
from quorbit.model.system.partitions import Clause
from quorbit.source.frozen import frozen

COUNT_BITS = 12  # of a word, as runtime/cells.h lays them out
MOST_PROCESSES = 2**COUNT_BITS - 1
MOST_LETTERS = 2 ** (31 - COUNT_BITS)
NOTHING = 2**32 - 1
STOP = -1000
(
    ASK_SHARED,
    ASK_LETTER,
    ASK_COUNTED,
    ASK_SYMMETRIC,
    ASK_EFFECT,
    ASK_EVENTS,
    ASK_MEET,
    ASK_PLACES,
    ASK_ERRORS,
    ASK_STUCK,
    ASK_PAUSE,
) = range(11)
DONE, MORE, TOO_DEEP = 0, 1, 2


class BeyondKernel(Exception):
    """More local states than the kernel can number; the search in Python has no such limit."""


def words_of(bags: Bags) -> list[int]:
    return [
        letter << COUNT_BITS + 1 | count << 1 | (k == len(bag) - 1)
        for bag in bags
        for k, (letter, count) in enumerate(bag)
    ]


def bags_from(found: list[int]) -> Bags:
    bags, bag = [], []
    for word in found:
        bag.append((word >> COUNT_BITS + 1, word >> 1 & MOST_PROCESSES))
        if word & 1:
            bags.append(tuple(bag))
            bag = []
    return tuple(bags)


OnViolation = Callable[[Event], None]


@frozen
class Condition:
    """A condition the kernel knows by number: what to evaluate when it has not met the numbers before."""

    clause: int
    expression: Expr
    rule: Rule | None


class Kernel:
    """Rules and conditions, laid out.  ``handlers``: further questions, answered by whoever runs the search."""

    def __init__(
        self, library: ctypes.CDLL, context: Context, depth_first: bool, forget: bool, on_violation: OnViolation
    ) -> None:
        self.library, self.context, self.on_violation = library, context, on_violation
        self.raised: BaseException | None = None
        self.said: dict[int, tuple[Expr, str]] = {}  # clauses about a letter, with the name of the process
        self.shared: dict[int, Expr] = {}
        self.conditions: list[Condition] = []
        self.registered = 0
        self.handlers: dict[int, Callable[[int, int, Position], int]] = {}
        self.ask = ASK(self.answer)  # kept as long as the kernel may call it
        commands = len(context.shape.system.commands)
        self.handle = library.adaptive_open(context.cells.n, depth_first, forget, commands, self.ask)
        if not self.handle:
            raise MemoryError
        self.register()
        for rule in context.rules:
            self.add_rule(rule)

    def close(self) -> None:
        if self.handle:
            self.library.adaptive_close(self.handle)
            self.handle = None

    def register(self) -> None:
        """Tell of the partitions that are new; they have the same numbers on both sides."""
        cells = self.context.cells
        for p in range(self.registered, len(cells.partitions)):
            self.demand(self.library.adaptive_partition(self.handle, words(list(cells.labels(p)))))
        self.registered = len(cells.partitions)

    def demand(self, worked: int) -> None:
        if not worked:
            raise MemoryError

    # Rules and errors.

    def add_rule(self, rule: Rule) -> None:
        cells = self.context.cells
        shared = [self.shared_clause(number, f.expression) for number, f in rule.forms[Form.SHARED]]
        own = [self.own_clause(number, f.expression, rule) for number, f in rule.own]
        symmetric = [self.symmetric_condition(number, f.expression) for number, f in rule.symmetric]
        general = self.general_conditions(rule)
        pieces, movers = general or ([], [])
        classes = frozenset(
            k
            for k, cell in enumerate(cells.cells(cells.coarsest))
            if self.context.shape.classes[cell[0]] in rule.classes
        )
        lists = [shared, own, symmetric, pieces, movers]
        self.demand(
            self.library.adaptive_rule(
                self.handle,
                cells.meet(cells.coarsest, rule.q),
                rule.c,
                rule.edge,
                general is not None,
                bool(rule.forms[Form.EACH]),
                words([len(part) for part in lists]),
                words([number for part in lists for number in part]),
                bits([classes], cells.n),
            )
        )

    def general_conditions(self, rule: Rule) -> tuple[list[int], list[int]] | None:
        """The numbers of the other clauses, those about pieces and those about the moving process; None: the rule is
        run in Python."""
        if rule.name is None or not rule.is_local or rule.must_check_hiding or not self.resolves(rule, rule.domain):
            return None
        system = self.context.shape.system
        domains = {p.name: p.domain for p in rule.command.parameters}
        pieces: list[int] = []
        movers: list[int] = []
        by_cell: list[Expr] = []
        for number, formed in rule.forms[Form.GENERAL]:
            e = formed.expression
            counted = (
                None if may_fail(system, e, domains) else counted_of(self.context.shape, e, rule.name, rule.domain)
            )
            if counted is None or not all(self.resolves(rule, c.members) for c in counted.counters):
                return None
            if counted.by_cell:
                by_cell.append(e)
            else:
                (movers if counted.by_letter else pieces).append(self.add_counted(number, e, counted, rule))
        if (
            by_cell
        ):  # together and last: if all else holds, they hold for all processes of a cell and letter or for none
            e = conjunction(by_cell)
            together = counted_of(self.context.shape, e, rule.name, rule.domain)
            assert together is not None
            movers.append(self.add_counted(self.context.number(Formed(Form.GENERAL, e)), e, together, rule))
        return pieces, movers

    def resolves(self, rule: Rule, members: frozenset[int]) -> bool:
        """Whether every cell of the rule's partition lies inside the set or outside."""
        q = self.context.cells.meet(self.context.cells.coarsest, rule.q)
        return all(members.isdisjoint(cell) or members.issuperset(cell) for cell in self.context.cells.cells(q))

    def shared_clause(self, number: int, e: Expr) -> int:
        self.shared[number] = e
        return number

    def own_clause(self, number: int, e: Expr, rule: Rule) -> int:
        assert rule.name is not None
        self.said[number] = e, rule.name
        return number

    def letter_clause(self, e: Expr) -> int:
        number = self.context.number(Formed(Form.EACH, e))
        self.said[number] = e, NAME
        return number

    def symmetric_condition(self, number: int, e: Expr) -> int:
        coarsest = self.context.cells.cells(self.context.cells.coarsest)
        counted = counted_of(self.context.shape, e, None, frozenset())
        whole = counted is not None and all(
            c.members.isdisjoint(cell) or c.members.issuperset(cell) for c in counted.counters for cell in coarsest
        )
        if counted is not None and whole:
            return self.add_counted(number, e, counted, None)
        return self.add_condition(Condition(number, e, None), ASK_SYMMETRIC, Counted())

    def add_counted(self, number: int, e: Expr, counted: Counted, rule: Rule | None) -> int:
        return self.add_condition(Condition(number, e, rule), ASK_COUNTED, counted)

    def add_condition(self, condition: Condition, kind: int, counted: Counted) -> int:
        self.conditions.append(condition)
        counters = [(self.letter_clause(c.clause), int(c.clipped), int(c.without_self)) for c in counted.counters]
        number: int = self.library.adaptive_condition(
            self.handle,
            kind,
            condition.clause,
            counted.by_letter,
            counted.by_cell,
            len(counters),
            words([value for counter in counters for value in counter]),
            bits([c.members for c in counted.counters], self.context.cells.n),
        )
        self.demand(number == len(self.conditions) - 1)
        return number

    def add_error(self, clauses: tuple[Clause, ...]) -> None:
        """What must be true of a state for it to be an error, as far as the kernel can tell."""
        context = self.context
        known, each = [], []
        for clause in clauses:
            q = context.cells.meet(context.cells.coarsest, context.partition(clause))
            formed = form_of(context.shape, None, clause.expression, q == context.cells.coarsest)
            if formed.form is Form.SHARED:
                number = self.shared_clause(context.number(formed), formed.expression)
                known.append(self.add_condition(Condition(number, formed.expression, None), ASK_SHARED, Counted()))
            elif formed.form is Form.SYMMETRIC:
                known.append(self.symmetric_condition(context.number(formed), formed.expression))
            elif formed.form is Form.EACH:
                each.append((self.letter_clause(formed.expression), formed.processes))
        self.demand(
            self.library.adaptive_error(
                self.handle,
                len(known),
                words(known),
                len(each),
                words([value for clause, _ in each for value in (clause, 0, 0)]),
                bits([processes for _, processes in each], context.cells.n),
            )
        )

    # Questions.

    def answer(self, what: int, subject: int, extra: int, shared: int, p: int, found: object, length: int) -> int:
        try:
            if what == ASK_MEET:
                return self.meet(subject, extra)
            if what == ASK_PLACES:
                return self.places(self.context.rules[subject], p)
            listed: list[int] = found[:length]  # type: ignore[index]
            if what == ASK_COUNTED:
                condition = self.conditions[subject]
                return self.counted(condition, extra, listed[-1], self.position(shared, p, listed[:-1]))
            if what == ASK_EFFECT:
                cell, letter = listed[-2:]
                return self.effect(self.context.rules[subject], self.position(shared, p, listed[:-2]), cell, letter)
            at = self.position(shared, p, listed)
            if what in self.handlers:
                return self.handlers[what](subject, extra, at)
            return self.truth(what, subject, extra, at)
        except BaseException as raised:  # nothing may pass through the kernel; it is raised again behind it
            self.raised = raised
            return STOP

    def position(self, shared: int, p: int, listed: list[int]) -> Position:
        return Position(self.context, shared, bags_from(listed), p)

    def truth(self, what: int, subject: int, extra: int, at: Position) -> int:
        context = self.context
        match what:
            case 0:  # ASK_SHARED
                return context.about_shared(subject, self.shared[subject], at)
            case 1:  # ASK_LETTER
                expression, name = self.said[subject]
                return context.about_letter(subject, expression, name, at, extra)
            case _:  # ASK_SYMMETRIC
                condition = self.conditions[subject]
                return context.about_state(condition.clause, condition.expression, at)

    def counted(self, condition: Condition, letter: int, cell: int, at: Position) -> int:
        rule = condition.rule
        env: Env = {}
        if rule is not None and letter != NOTHING:
            assert rule.name is not None
            witness = next(j for j in self.context.cells.cells(at.p)[cell] if at.letters[j] == letter)
            env[rule.name] = self.context.shape.atoms[witness]
        return int(bool(self.context.meaning.value_of(condition.expression)(at.look(), env)))

    def meet(self, p: int, q: int) -> int:
        found = self.context.cells.meet(p, q)
        self.register()
        return found

    def places(self, rule: Rule, r: int) -> int:
        cells = rule.domain_cells(r) if rule.name is not None else ()
        listed = [len(cells), *cells]
        if rule.forms[Form.EACH]:
            for clauses in rule.forbidding(r):
                listed += [len(clauses), *(self.letter_clause(f.expression) for _, f in clauses)]
        else:
            listed += [0] * len(self.context.cells.cells(r))
        self.reply(listed)
        return 0

    def effect(self, rule: Rule, u: Position, cell: int, letter: int) -> int:
        """What running the rule for one process does to the shared part and to the process."""
        context = self.context
        witness = next(j for j in context.cells.cells(u.p)[cell] if u.letters[j] == letter)
        assert rule.name is not None
        event = rule.fire(u, {rule.name: context.shape.atoms[witness]})
        if event is None:
            return 0
        if event.violation is not None:
            self.on_violation(event)
            return 2
        assert event.firing is not None
        shared, letters = context.shape.encode(context.meaning.fire(u.state, event.firing)[0])
        self.expect_letters()
        self.reply([shared, letters[witness]])
        return 1

    def expect_letters(self) -> None:
        count = len(self.context.shape.locals)
        if count >= MOST_LETTERS:
            raise BeyondKernel
        self.demand(self.library.adaptive_expect_letter(self.handle, count))

    def reply(self, listed: list[int]) -> None:
        self.demand(self.library.adaptive_answer(self.handle, words(listed), len(listed)))
