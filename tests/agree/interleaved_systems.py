"""Random small Systems of processes that mostly mind their own business: for partial-order reduction.

Each process goes from location to location, works on places of its own, on shared variables, arrays with an index that
may leave them, counters, and FIFO channels, some of them found by a list of what belongs to whom (definitions with
owners); in some Systems all begin asleep and wake each other one by one; some steps are atomic (a chain of transient
states, which is released where it blocks), some wait until nobody else can move (rank), some are hidden by an escape
(turn).  ``symmetric``: all processes have the same text, and the start may tell them apart.
"""

from __future__ import annotations

from random import Random

from quorbit.model.system.command import Assign, Command, Require, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Literal,
    Operator,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.formula import Always, Eventually, Formula, Implies, Not, Or, Proposition, Until
from quorbit.model.system.system import Assertions, Atom, Definition, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import TRUTH, AtomOf, Number, QueueOf, TupleOf

O = Operator
SMALL = Number(0, 3)


class Maker:
    def __init__(self, seed: int, symmetric: bool) -> None:
        self.random = Random(seed)
        self.symmetric = symmetric
        self.processes = tuple(range(self.random.choice([2, 2, 3])))
        self.locations = self.random.choice([2, 3, 4])
        self.me: Expr = atom(0)
        self.queue = QueueOf(TupleOf((Number(0, 1),)), self.random.choice([1, 2]))
        self.capacity = self.queue.capacity or 1

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def own(self, name: str) -> Read:
        return Read(name, (self.me,))

    def shared(self) -> Read:
        return self.random.choice(
            [
                Read("n"),
                Read("b"),
                Read("row", (), (number(self.random.randrange(2)),)),
                Read("row", (), (Read("i"),)),
                Read("row", (), (Use("home", (Read("who"),)),)),
                Read("i"),
                Read("x", (self.other(),)),
            ]
        )

    def other(self) -> Expr:
        return self.random.choice([self.me, self.me, Read("who"), Use("peer", (Read("who"),)), Use("peer", (self.me,))])

    def value(self) -> Expr:
        return self.random.choice([number(0), number(1), self.own("x"), self.shared()])

    def condition(self) -> Expr:
        match self.random.randrange(9):
            case 0:
                return equal(self.own("x"), number(self.random.randrange(2)))
            case 1 | 2:
                return equal(self.shared(), number(self.random.randrange(2)))
            case 3:
                return Apply(O.LESS, (number(0), Read("n")))
            case 4:
                return negation(equal(self.shared(), number(0)))
            case 5:
                return Apply(O.OR, (equal(self.own("x"), number(1)), equal(self.shared(), number(1))))
            case 6:
                return equal(Read("who"), self.me)
            case 7:
                return Use("ready", (self.other(),))
            case _:
                return TRUE

    def assignment(self) -> Assign:
        up, down = (Wrap(Apply(op, (Read("n"), number(1))), 2, False) for op in (O.ADD, O.SUBTRACT))
        flipped = Apply(O.SUBTRACT, (number(1), self.own("x")))
        bit = Wrap(self.value(), 1, False)
        return self.random.choice(
            [
                Assign(self.own("x"), flipped),
                Assign(self.own("x"), number(self.random.randrange(2))),
                Assign(self.own("x"), number(1)),
                Assign(Read("n"), up),
                Assign(Read("n"), down),
                Assign(Read("b"), number(1)),
                Assign(Read("b"), bit),
                Assign(Read("row", (), (Read("i"),)), bit),
                Assign(Read("row", (), (number(self.random.randrange(2)),)), bit),
                Assign(Read("i"), number(self.random.choice([0, 0, 0, 0, 1, 1, 1, 1, 2]))),
                Assign(Read("who"), self.me),
                Assign(Read("x", (Read("who"),)), number(self.random.randrange(2))),
                Assign(Read("row", (), (Use("home", (Read("who"),)),)), bit),
                Assign(Read("who"), Use("peer", (self.me,))),
            ]
        )

    def channel(self) -> tuple[Expr, list[Step]]:
        """A send or a receive."""
        q = Read(self.random.choice(["q", "r"])) if not self.symmetric else Read("q")
        if self.chance(0.3):
            q = self.own("box")
        elif self.chance(0.2):
            q = Read("box", (Use("peer", (self.random.choice([self.me, Read("who")]),)),))
        if self.chance(0.5):
            message = Apply(O.TUPLE, (Wrap(self.value(), 1, False) if self.chance(0.5) else number(1),))
            room = Apply(O.LESS, (Apply(O.SIZE, (q,)), number(self.capacity)))
            return room, [Together((Assign(q, Apply(O.APPEND, (q, message))),))]
        first = Apply(O.FIRST, (q,))
        guard: list[Expr] = [Apply(O.LESS, (number(0), Apply(O.SIZE, (q,))))]
        steps: list[Step] = [Together((Assign(q, Apply(O.REST, (q,))),))]
        if self.chance(0.3):
            guard.append(equal(Part(first, 0), number(self.random.randrange(2))))
        elif self.chance(0.6):
            steps = [Together((Assign(self.own("x"), Part(first, 0)), Assign(q, Apply(O.REST, (q,)))))]
        return conjunction(guard), steps

    def waking(self) -> Command:
        """A process that sleeps wakes up if it is its turn, and says who is next."""
        parameters = (Parameter("p", Atoms(self.processes)),) if self.symmetric else ()
        here = conjunction([equal(self.own("pc"), number(self.locations)), equal(Read("who"), self.me)])
        changes = [Assign(self.own("pc"), number(0)), Assign(Read("who"), Use("peer", (self.me,)))]
        if self.chance(0.5):
            changes.append(Assign(Read("n"), Wrap(Apply(O.ADD, (Read("n"), number(1))), 2, False)))
        return Command("wake", here, (Together(tuple(changes)),), parameters, (self.me,))

    def command(self, label: str, here: int, atomic: bool, rank: int, turn: int) -> Command:
        """A step of the process ``me`` from one location to another."""
        parameters = (Parameter("p", Atoms(self.processes)),) if self.symmetric else ()
        there = self.random.choice([here, (here + 1) % self.locations, self.random.randrange(self.locations)])
        guards: list[Expr] = [equal(self.own("pc"), number(here))]
        free: Expr = equal(Read("holder"), Literal(-1, AtomOf((), True)))
        if atomic:
            guards.append(Apply(O.OR, (free, equal(Read("holder"), self.me))))
        steps: list[Step] = []
        if self.chance(0.4):
            guard, steps = self.channel()
            guards.append(guard)
        elif self.chance(0.35):
            guards.append(self.condition())
            if self.chance(0.3):
                guards.append(self.condition())
        for _ in range(self.random.choice([0, 1, 1, 2])):
            steps.append(Together((self.assignment(),)))
        if self.chance(0.08):
            steps.append(Require(self.condition(), "it does not hold"))
        moving = [Assign(self.own("pc"), number(there))]
        if atomic:
            keeps = here < there and self.chance(0.5)  # else a section might never end
            moving.append(Assign(Read("holder"), self.me if keeps else Literal(-1, AtomOf((), True))))
        steps.append(Together(tuple(moving)))
        return Command(label, conjunction(guards), tuple(steps), parameters, (self.me,), rank, turn)


def interleaved_system(seed: int, symmetric: bool = False, properties: bool = True) -> System:
    maker = Maker(seed, symmetric)
    processes = maker.processes
    atomic, ranks, turns = maker.chance(0.3), maker.chance(0.2), maker.chance(0.2)
    asleep = maker.chance(0.25)
    commands = []
    for me in [Bound("p")] if symmetric else map(atom, processes):
        maker.me = me
        if asleep:
            commands.append(maker.waking())
        for here in range(maker.locations):
            for _ in range(maker.random.choice([1, 1, 1, 1, 2, 2, 3])):
                rank, turn = int(ranks and maker.chance(0.15)), int(turns and maker.chance(0.3))
                commands.append(maker.command(f"c{len(commands)}", here, atomic, rank, turn))
    nobody = Literal(-1, AtomOf((), True))
    held = negation(equal(Read("holder"), nobody))
    if atomic:
        commands.append(Command("release", held, (Together((Assign(Read("holder"), nobody),)),), rank=5))
    start = Command("start", effect=start_of(maker, asleep))
    checks = []
    if properties and maker.chance(0.3):
        checks.append(Invariant("invariant", invariant(maker)))
    if maker.chance(0.6):
        checks.append(NoDeadlock(allowed=maker.random.choice([TRUE, FALSE])))
    return System(
        f"interleaved {seed}",
        tuple(Atom(f"P{i}", "process", "" if symmetric else str(i)) for i in processes),
        (
            Variable("pc", Number(0, maker.locations), (processes,)),
            Variable("x", SMALL, (processes,)),
            Variable("n", SMALL),
            Variable("b", TRUTH),
            Variable("row", Number(0, 1), (), (2,)),
            Variable("i", SMALL),
            Variable("who", AtomOf(processes)),
            Variable("q", maker.queue),
            Variable("r", maker.queue),
            Variable("box", maker.queue, (processes,)),
            Variable("holder", AtomOf(processes, True)),
        ),
        tuple(commands),
        start=(start,),
        definitions=definitions_of(maker),
        properties=(*checks, Assertions()),
        transient=held if atomic else FALSE,
    )


def definitions_of(maker: Maker) -> tuple[Definition, ...]:
    """Who comes after whom, where the home of each is, and whether it is ready."""
    n = len(maker.processes)
    homes = [maker.random.randrange(2)] * n if maker.symmetric else maker.random.choices(range(2), k=n)
    return (
        *(Definition("peer", atom((p + 1) % n), (p,)) for p in maker.processes),
        *(Definition("home", number(homes[p]), (p,)) for p in maker.processes),
        *(Definition("ready", equal(Read("x", (atom(p),)), number(1)), (p,)) for p in maker.processes),
    )


def start_of(maker: Maker, asleep: bool) -> tuple[Step, ...]:
    """Sometimes the start tells processes apart."""
    if asleep:
        sleeping = tuple(Assign(Read("pc", (atom(p),)), number(maker.locations)) for p in maker.processes)
        return (Together((*sleeping, Assign(Read("who"), atom(maker.random.choice(maker.processes))))),)
    if not maker.chance(0.5):
        return ()
    here = maker.random.choice(maker.processes)
    return (
        Together(
            (
                Assign(Read("pc", (atom(here),)), number(maker.locations - 1)),
                Assign(Read("who"), atom(maker.random.choice(maker.processes))),
                Assign(Read("x", (atom(here),)), number(maker.random.randrange(2))),
            )
        ),
    )


def invariant(maker: Maker) -> Expr:
    location = number(maker.random.randrange(maker.locations))
    there = equal(Read("pc", (Bound("k"),)), location)
    inside = Quantify(Quantifier.COUNT, Parameter("k", Atoms(maker.processes)), there)
    return maker.random.choice(
        [
            Apply(O.LESS_EQUAL, (inside, number(1))),
            negation(equal(Read("n"), number(maker.random.randrange(1, 4)))),
            Apply(O.OR, (negation(Read("b")), equal(Read("row", (), (number(0),)), number(0)))),
            Quantify(Quantifier.ALL, Parameter("k", Atoms(maker.processes)), negation(there)),
        ]
    )


def random_formula(random: Random, system: System) -> Formula:
    """A formula of LTL without next about a few facts that the processes share or that one of them knows."""
    processes = system.sorts["process"]
    location = number(random.randrange(2))
    somewhere = Quantify(Quantifier.SOME, Parameter("k", Atoms(processes)), equal(Read("pc", (Bound("k"),)), location))
    first = equal(Read("pc", (atom(processes[0]),)), location)
    facts: list[Expr] = [
        equal(Read("n"), number(random.randrange(3))),
        Read("b"),
        somewhere,
        equal(Read("row", (), (number(0),)), number(1)),
        first,
    ]
    return formula(random, [Proposition(e) for e in random.sample(facts, 2)], 2)


def formula(random: Random, known: list[Formula], depth: int) -> Formula:
    if depth == 0:
        p = random.choice(known)
        return p if random.random() < 0.6 else Not(p)

    def inner() -> Formula:
        return formula(random, known, depth - 1)

    match random.randrange(8):
        case 0 | 1:
            return Eventually(inner())
        case 2 | 3:
            return Always(inner())
        case 4:
            return Until(inner(), inner())
        case 5:
            return Implies(inner(), inner())
        case 6:
            return Not(inner())
        case _:
            return Or((inner(), inner()))
