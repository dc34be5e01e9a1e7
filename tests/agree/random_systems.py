"""Random small Systems for tests: processes with local states and references, shared variables, sets, queues.

Commands are templates over one or two processes; some look inside an atom or name one, which breaks symmetry.
"""

from __future__ import annotations

from random import Random

from quorbit.model.command import Command, Require, Step, assign
from quorbit.model.expression import (
    Apply,
    Atoms,
    Bound,
    Condition,
    Expr,
    NumberOf,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system import Assertions, Atom, Invariant, NoDeadlock, System, Variable
from quorbit.model.types import NONE, TRUTH, AtomOf, Number, QueueOf, SetOf

O = Operator


def random_system(seed: int) -> System:
    """A System that is mostly symmetric; a few thousand states at most."""
    rng = Random(seed)
    n = rng.choice([2, 3, 3, 4])
    processes = tuple(range(n))
    states = rng.choice([2, 3])
    variables = [Variable("local", Number(0, states - 1), (processes,))]
    if rng.random() < 0.4:
        variables.append(Variable("friend", AtomOf(processes, True), (processes,)))
    if rng.random() < 0.5:
        variables.append(Variable("turn", AtomOf(processes, True)))
    if rng.random() < 0.3:
        variables.append(Variable("members", SetOf(AtomOf(processes))))
    if rng.random() < 0.25:
        variables.append(Variable("line", QueueOf(AtomOf(processes), 2)))
    if rng.random() < 0.2:
        variables.append(Variable("flag", TRUTH, (processes, processes)))
    if rng.random() < 0.4:
        variables.append(Variable("shared", Number(0, 2)))
    maker = Maker(rng, processes, states, {v.name for v in variables})
    commands = tuple(maker.command(k) for k in range(rng.randint(4, 7)))
    return System(
        f"random{seed}",
        tuple(Atom(f"p{a}", "process") for a in processes),
        tuple(variables),
        commands,
        start=maker.start(),
        properties=maker.properties(),
    )


class Maker:
    """Makes random parts of a System over the given variables."""

    def __init__(self, rng: Random, processes: tuple[int, ...], states: int, names: set[str]) -> None:
        self.rng, self.processes, self.states, self.names = rng, processes, states, names

    def start(self) -> tuple[Command, ...]:
        """Sometimes one process starts elsewhere, or any one process does."""
        roll = self.rng.random()
        if roll < 0.7:
            return (Command("start"),)
        special = assign((Read("local", (Bound("q"),)), number(1)))
        atoms = self.processes if roll < 0.85 else self.processes[:1]
        return (Command("start", effect=(special,), parameters=(Parameter("q", Atoms(atoms)),)),)

    def command(self, k: int) -> Command:
        names = ["i", "j"][: self.rng.choice([1, 1, 2])]
        parameters = tuple(Parameter(name, Atoms(self.processes)) for name in names)
        here = equal(Read("local", (Bound("i"),)), number(k % self.states))
        guard = conjunction([here, *(self.condition(names, 2) for _ in range(self.rng.randint(0, 1)))])
        effect: list[Step] = [assign(*self.assignments(names))]
        if self.rng.random() < 0.04:
            effect.append(Require(self.condition(names, 1), "required"))
        return Command(f"c{k}", guard, tuple(effect), parameters, (Bound("i"),))

    def assignments(self, names: list[str]) -> list[tuple[Read, Expr]]:
        chosen = self.rng.sample(sorted(self.names), min(len(self.names), self.rng.randint(1, 2)))
        step = (Read("local", (Bound("i"),)), number(self.rng.randrange(self.states)))
        others = [self.assignment(variable, names) for variable in chosen if variable != "local"]
        return [step, *others] if self.rng.random() < 0.8 or not others else others

    def assignment(self, variable: str, names: list[str]) -> tuple[Read, Expr]:
        who, pick = self.process(names), self.rng
        match variable:
            case "local":
                return Read("local", (who,)), number(pick.randrange(self.states))
            case "friend":
                return Read("friend", (who,)), pick.choice([self.process(names), atom(NONE)])
            case "turn":
                return Read("turn"), pick.choice([self.process(names), atom(NONE), self.reference(names)])
            case "members":
                operator = pick.choice([O.UNION, O.DIFFERENCE])
                return Read("members"), Apply(operator, (Read("members"), Apply(O.SET, (self.process(names),))))
            case "line":
                full = equal(Apply(O.SIZE, (Read("line"),)), number(2))
                longer = Apply(O.APPEND, (Read("line"), self.process(names)))
                return Read("line"), Condition(full, Apply(O.REST, (Read("line"),)), longer)
            case "flag":
                target = Read("flag", (who, self.process(names)))
                return target, negation(target)
            case _:
                return Read("shared"), number(pick.randrange(3))

    def process(self, names: list[str]) -> Expr:
        """Mostly a parameter; now and then one process by its name, which breaks symmetry."""
        if self.rng.random() < 0.04:
            return atom(self.rng.choice(self.processes))
        return Bound(self.rng.choice(names))

    def reference(self, names: list[str]) -> Expr:
        return Read("friend", (self.process(names),)) if "friend" in self.names else self.process(names)

    def condition(self, names: list[str], depth: int) -> Expr:
        roll = self.rng.random()
        if depth and roll < 0.15:
            return negation(self.condition(names, depth - 1))
        if depth and roll < 0.35:
            join = self.rng.choice([conjunction, disjunction])
            return join([self.condition(names, depth - 1), self.condition(names, depth - 1)])
        if depth and roll < 0.5:
            quantifier = self.rng.choice([Quantifier.ALL, Quantifier.SOME])
            inner = [*names, "k"]
            return Quantify(quantifier, Parameter("k", Atoms(self.processes)), self.condition(inner, depth - 1))
        return self.test(names)

    def test(self, names: list[str]) -> Expr:
        tests = [equal(Read("local", (self.process(names),)), number(self.rng.randrange(self.states)))] * 3
        if len(names) > 1:
            tests.append(negation(equal(self.process(names), self.process(names))))
        if "friend" in self.names:
            tests.append(equal(self.reference(names), self.process(names)))
        if "turn" in self.names:
            tests.append(equal(Read("turn"), self.rng.choice([self.process(names), atom(NONE)])))
        if "members" in self.names:
            tests.append(Apply(O.MEMBER, (self.process(names), Read("members"))))
        if "line" in self.names:
            tests.append(Apply(O.LESS, (Apply(O.SIZE, (Read("line"),)), number(self.rng.randint(1, 2)))))
        if "flag" in self.names:
            tests.append(Read("flag", (self.process(names), self.process(names))))
        if "shared" in self.names:
            tests.append(equal(Read("shared"), number(self.rng.randrange(3))))
        if self.rng.random() < 0.12:
            tests = [Apply(O.LESS, (NumberOf(self.process(names), self.processes, 1), number(self.rng.randint(1, 4))))]
        return self.rng.choice(tests)

    def properties(self) -> tuple[Invariant | NoDeadlock | Assertions, ...]:
        body = conjunction([self.condition(["k"], 1), self.condition(["k"], 1)])
        if self.rng.random() < 0.2:
            return (NoDeadlock(), Assertions())
        bad = Quantify(Quantifier.COUNT, Parameter("k", Atoms(self.processes)), body)
        limit = number(self.rng.randint(len(self.processes) - 1, len(self.processes)))
        found = [Invariant("few", Apply(O.LESS_EQUAL, (bad, limit))), Assertions()]
        return (*found, NoDeadlock()) if self.rng.random() < 0.5 else tuple(found)
