"""Random small Systems for comparing engines: all types, all operators, faults, ranks, turns and transient states."""

from __future__ import annotations

from random import Random

from quorbit.model.system.command import Assign, Command, Require, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Elements,
    Enabled,
    Expr,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
    atom,
    number,
)
from quorbit.model.system.system import Assertions, Atom, Definition, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import NONE, TRUTH, AtomOf, Number, QueueOf, SetOf, TupleOf

O = Operator
ATOMS = (0, 1, 2)
SMALL = Number(0, 3)
WHO = AtomOf(ATOMS, True)
PAIR = TupleOf((AtomOf(ATOMS), Number(0, 1)))
PAIRS = SetOf(PAIR)
NUMBERS = SetOf(SMALL)
QUEUE = QueueOf(TupleOf((WHO, SMALL)), 2)
RELATION = SetOf(TupleOf((AtomOf(ATOMS), AtomOf(ATOMS))))
VARIABLES = (
    Variable("n", SMALL),
    Variable("m", Number(-2, 2)),
    Variable("b", TRUTH),
    Variable("who", WHO),
    Variable("x", SMALL, (ATOMS,)),
    Variable("ref", WHO, (ATOMS,)),
    Variable("row", Number(0, 1), (), (3,)),
    Variable("q", QUEUE),
    Variable("s", NUMBERS),
    Variable("pairs", PAIRS),
    Variable("r", RELATION),
    Variable("t", TupleOf((SMALL, WHO))),
)


class Maker:
    """Makes random expressions of a wanted kind; ``bound`` lists the parameters in scope by kind."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.atoms: list[str] = []
        self.numbers: list[str] = []

    def pick(self, *choices: object) -> object:
        return self.random.choice(choices)

    def truth(self, depth: int) -> Expr:
        if depth == 0:
            return self.random.choice([TRUE, Read("b"), self.compare(0)])
        match self.random.randrange(12):
            case 0:
                return Apply(O.NOT, (self.truth(depth - 1),))
            case 1 | 2:
                operator = self.random.choice([O.AND, O.OR])
                return Apply(operator, tuple(self.truth(depth - 1) for _ in range(self.random.choice([2, 3]))))
            case 3:
                return Apply(O.EQUAL, (self.atom(depth - 1), self.atom(depth - 1)))
            case 4:
                return Apply(O.MEMBER, (self.number(depth - 1), self.set(depth - 1)))
            case 5:
                return Apply(O.SUBSET, (self.set(depth - 1), self.set(depth - 1)))
            case 6:
                return self.quantify(self.random.choice([Quantifier.ALL, Quantifier.SOME]), depth)
            case 7:
                return Otherwise(self.truth(depth - 1), self.random.choice([TRUE, FALSE]))
            case 8:
                return Apply(O.EQUAL, (self.relation(depth - 1), self.relation(depth - 1)))
            case 9:
                return Apply(O.EQUAL, (self.queue(depth - 1), self.queue(depth - 1)))
            case 10:
                return Use("d", ())
            case _:
                return self.compare(depth - 1)

    def compare(self, depth: int) -> Expr:
        operator = self.random.choice([O.EQUAL, O.LESS, O.LESS_EQUAL])
        return Apply(operator, (self.number(depth), self.number(depth)))

    def quantify(self, quantifier: Quantifier, depth: int) -> Expr:
        if self.random.random() < 0.5:
            name = f"a{len(self.atoms)}"
            self.atoms.append(name)
            domain: object = Atoms(ATOMS)
        else:
            name = f"k{len(self.numbers)}"
            domain = Elements(self.set(0), SMALL) if self.random.random() < 0.5 else Interval(0, 2)
            self.numbers.append(name)
        numeric = quantifier in (Quantifier.SUM, Quantifier.TIMES, Quantifier.COLLECT)
        body = self.number(depth - 1) if numeric else self.truth(depth - 1)
        condition = self.truth(0) if self.random.random() < 0.3 else TRUE
        (self.atoms if name in self.atoms else self.numbers).remove(name)
        return Quantify(quantifier, Parameter(name, domain), body, condition)  # type: ignore[arg-type]

    def number(self, depth: int) -> Expr:
        plain: list[Expr] = [number(self.random.randrange(-1, 4)), Read("n"), Read("m"), *map(Bound, self.numbers)]
        if depth == 0:
            return self.random.choice(plain)
        match self.random.randrange(16):
            case 0 | 1:
                operator = self.random.choice([O.ADD, O.SUBTRACT, O.MULTIPLY, O.DIVIDE, O.MODULO])
                return Apply(operator, (self.number(depth - 1), self.number(depth - 1)))
            case 2:
                operator = self.random.choice([O.BIT_AND, O.BIT_OR, O.BIT_XOR, O.SHIFT_LEFT, O.SHIFT_RIGHT, O.POWER])
                return Apply(operator, (self.number(depth - 1), self.number(0)))
            case 3:
                return Apply(self.random.choice([O.NEGATE, O.BIT_NOT]), (self.number(depth - 1),))
            case 4:
                return Read("x", (self.atom(depth - 1),))
            case 5:
                return Read("row", (), (self.number(depth - 1),))
            case 6:
                return Condition(self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1))
            case 7:
                return Wrap(self.number(depth - 1), self.random.choice([1, 2, 3]), self.random.random() < 0.5)
            case 8:
                chosen = self.random.choice([Quantifier.COUNT, Quantifier.SUM, Quantifier.TIMES])
                return self.quantify(chosen, depth)
            case 9:
                return Apply(self.random.choice([O.MINIMUM, O.MAXIMUM, O.CHOICE]), (self.set(depth - 1),))
            case 10:
                return Apply(O.SIZE, (self.random.choice([self.set, self.queue, self.relation])(depth - 1),))
            case 11:
                return NumberOf(self.atom(depth - 1), ATOMS, 1, self.random.choice([None, 0]))
            case 12:
                return Part(Apply(O.FIRST, (self.queue(depth - 1),)), 1)
            case 13:
                return Part(Apply(O.ELEMENT, (self.queue(depth - 1), self.number(0))), 1)
            case 14:
                return Apply(O.APPLY, (Read("pairs"), self.atom(depth - 1)))
            case _:
                return Otherwise(self.number(depth - 1), number(1))

    def atom(self, depth: int) -> Expr:
        plain: list[Expr] = [atom(self.random.choice([NONE, 0, 1, 2])), Read("who"), *map(Bound, self.atoms)]
        plain.append(Part(Read("t"), 1))
        if depth == 0:
            return self.random.choice(plain)
        match self.random.randrange(4):
            case 0:
                return Read("ref", (self.atom(depth - 1),))
            case 1:
                return Part(Apply(O.FIRST, (self.queue(depth - 1),)), 0)
            case 2:
                return Condition(self.truth(depth - 1), self.atom(depth - 1), self.atom(0))
            case _:
                return self.random.choice(plain)

    def set(self, depth: int) -> Expr:
        if depth == 0:
            return self.random.choice([Read("s"), Literal(frozenset({0, 2}), NUMBERS), Literal(frozenset(), NUMBERS)])
        match self.random.randrange(7):
            case 0 | 1:
                operator = self.random.choice([O.UNION, O.INTERSECTION, O.DIFFERENCE])
                return Apply(operator, (self.set(depth - 1), self.set(depth - 1)))
            case 2:
                return Apply(O.SET, tuple(self.number(depth - 1) for _ in range(self.random.choice([1, 2]))))
            case 3:
                return Apply(O.INTERVAL, (Read("n"), number(self.random.randrange(4))))
            case 4:
                return self.quantify(Quantifier.COLLECT, depth)
            case 5:
                return Apply(O.BIG_UNION, (Apply(O.SET, (self.set(depth - 1), self.set(0))),))
            case _:
                return Apply(O.RANGE, (Read("pairs"),))

    def relation(self, depth: int) -> Expr:
        if depth == 0:
            return self.random.choice([Read("r"), Literal(frozenset({(0, 1), (1, 2)}), RELATION)])
        unary = [O.INVERSE, O.CLOSURE]
        binary = [O.UNION, O.DIFFERENCE, O.COMPOSE, O.OVERRIDE]
        match self.random.randrange(5):
            case 0:
                return Apply(self.random.choice(unary), (self.relation(depth - 1),))
            case 1 | 2:
                return Apply(self.random.choice(binary), (self.relation(depth - 1), self.relation(depth - 1)))
            case 3:
                some = Apply(O.SET, (self.present(),))
                if self.random.random() < 0.5:
                    return Apply(O.DOMAIN_RESTRICT, (some, self.relation(depth - 1)))
                return Apply(O.RANGE_RESTRICT, (self.relation(depth - 1), some))
            case _:
                image = Apply(O.IMAGE, (self.relation(depth - 1), Apply(O.SET, (self.present(),))))
                return Apply(O.PRODUCT, (Apply(O.SET, (self.present(),)), image))

    def present(self) -> Expr:
        """An atom, never NONE."""
        return self.random.choice([atom(0), atom(1), *map(Bound, self.atoms)])

    def queue(self, depth: int) -> Expr:
        if depth == 0:
            return self.random.choice([Read("q"), Literal((), QUEUE), Literal(((1, 2),), QUEUE)])
        message = Apply(O.TUPLE, (self.atom(depth - 1), self.number(depth - 1)))
        match self.random.randrange(5):
            case 0 | 1:
                return Apply(O.APPEND, (self.queue(depth - 1), message))
            case 2:
                return Apply(O.REST, (self.queue(depth - 1),))
            case 3:
                return Apply(O.WITHOUT, (self.queue(depth - 1), self.number(0)))
            case _:
                return Apply(O.INSERT_SORTED, (self.queue(depth - 1), message))

    def assignment(self) -> Assign:
        depth = self.random.choice([1, 2])
        targets: list[tuple[Read, Expr]] = [
            (Read("n"), Apply(O.MODULO, (self.number(depth), number(4)))),
            (Read("n"), self.number(depth)),
            (Read("m"), self.number(depth)),
            (Read("b"), self.truth(depth)),
            (Read("who"), self.atom(depth)),
            (Read("x", (self.atom(1),)), Wrap(self.number(depth), 2, False)),
            (Read("ref", (self.present(),)), self.atom(depth)),
            (Read("row", (), (self.number(1),)), Wrap(self.number(depth), 1, False)),
            (Read("q"), self.queue(depth)),
            (Read("s"), self.set(depth)),
            (Read("r"), self.relation(depth)),
            (Read("t"), Apply(O.TUPLE, (Wrap(self.number(depth), 2, False), self.atom(depth)))),
            (
                Read("pairs"),
                Apply(O.OVERRIDE, (Read("pairs"), self.pair_set(depth))),
            ),
        ]
        return Assign(*self.random.choice(targets))

    def pair_set(self, depth: int) -> Expr:
        return Apply(O.SET, (Apply(O.TUPLE, (self.present(), Wrap(self.number(depth), 1, False))),))

    def command(self, k: int, ranks: bool, turns: bool, enabled: bool) -> Command:
        parameters: list[Parameter] = []
        actors: tuple[Expr, ...] = ()
        if self.random.random() < 0.7:
            parameters.append(Parameter("p", Atoms(ATOMS)))
            self.atoms.append("p")
            actors = (Bound("p"),)
        if self.random.random() < 0.3:
            domain: object = Interval(0, 2) if self.random.random() < 0.5 else Elements(Read("s"), SMALL)
            parameters.append(Parameter("k", domain))  # type: ignore[arg-type]
            self.numbers.append("k")
        first = Apply(O.EQUAL, (Read("x", (Bound("p"),)), number(self.random.randrange(3)))) if actors else TRUE
        guard = Apply(O.AND, (first, Otherwise(self.truth(2), FALSE) if self.random.random() < 0.8 else self.truth(2)))
        if enabled and self.random.random() < 0.3:
            asks = Enabled(self.random.choice([None, atom(1)]))
            guard = Apply(O.AND, (guard, asks))
        effect: list[Together | Require] = []
        for _ in range(self.random.choice([1, 1, 2])):
            effect.append(Together(tuple(self.assignment() for _ in range(self.random.choice([1, 2])))))
        if self.random.random() < 0.2:
            name = self.random.choice(["assertions", "others"])
            effect.append(Require(self.truth(1), "it does not hold", name))
        self.atoms, self.numbers = [], []
        rank = self.random.randrange(2) if ranks else 0
        turn = self.random.randrange(2) if turns else 0
        hidden = ("k",) if self.random.random() < 0.5 else ()
        return Command(f"c{k % 3}", guard, tuple(effect), tuple(parameters), actors, rank, turn, hidden)


def random_system(seed: int) -> System:
    maker = Maker(seed)
    flags = [maker.random.random() < 0.3 for _ in range(4)]
    kind = maker.random.randrange(6)
    commands = tuple(maker.command(k, *flags[:3]) for k in range(maker.random.choice([2, 3, 4])))
    transient = Apply(O.EQUAL, (Read("m"), number(2))) if kind == 0 else FALSE
    return System(
        f"random {seed}",
        tuple(Atom(f"A{i}", "process") for i in ATOMS),
        VARIABLES,
        commands,
        definitions=(Definition("d", maker.compare(1)),),
        properties=(
            *((Invariant("invariant", maker.truth(2)),) if maker.random.random() < 0.3 else ()),
            *((NoDeadlock(allowed=maker.truth(1)),) if maker.random.random() < 0.3 else ()),
            Assertions(),
        ),
        transient=transient,
        count_once=kind == 1,
    )
