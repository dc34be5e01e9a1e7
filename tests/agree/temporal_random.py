"""Random Systems of a few processes that are nearly interchangeable, and random formulas about them."""

from __future__ import annotations

from random import Random

from quorbit.model.system.command import Command, Require, assign
from quorbit.model.system.expression import (
    FALSE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Until,
    WeakUntil,
)
from quorbit.model.system.system import Atom, System, Temporal, Variable
from quorbit.model.system.types import NONE, AtomOf, Number

P, Q = Bound("p"), Bound("q")


def random_system(random: Random) -> System:
    """Two to four processes with a location and a flag, a shared number and a reference to a process."""
    atoms = tuple(range(random.choice([2, 3, 3, 4])))
    variables = (
        Variable("at", Number(0, 2), (atoms,)),
        Variable("flag", Number(0, 1), (atoms,)),
        Variable("n", Number(0, 2)),
        Variable("who", AtomOf(atoms, True)),
        *((Variable("busy", AtomOf(atoms, True)),) if random.random() < 0.3 else ()),
    )
    has_busy = any(v.name == "busy" for v in variables)
    commands = tuple(random_command(random, atoms, k, has_busy) for k in range(random.choice([2, 3, 4, 5])))
    start = Command("start", effect=(assign((Read("who"), atom(NONE)), *busy(has_busy, NONE)),))
    transient = negation(equal(Read("busy"), atom(NONE))) if has_busy else FALSE
    named = tuple(Atom(f"P{a}", "process", "P") for a in atoms)
    return System("random", named, variables, commands, (start,), transient=transient)


def busy(present: bool, a: int) -> tuple[tuple[Read, Expr], ...]:
    return ((Read("busy"), atom(a)),) if present else ()


def random_command(random: Random, atoms: tuple[int, ...], k: int, has_busy: bool) -> Command:
    movers = (random.choice(atoms),) if random.random() < 0.1 else atoms
    source, target = random.randrange(3), random.randrange(3)
    keeps = source < target and random.random() < 0.4  # so that nobody is in control for ever
    guard: list[Expr] = [equal(Read("at", (P,)), number(source))]
    if random.random() < 0.5:
        guard.append(random_test(random))
    parameters = [Parameter("p", Atoms(movers))]
    actors: tuple[Expr, ...] = (P,)
    other = random.random() < 0.25
    if other:
        parameters.append(Parameter("q", Atoms(atoms)))
        guard += [negation(equal(P, Q)), equal(Read("at", (Q,)), number(random.randrange(3)))]
        actors = (P, Q)
    pairs: list[tuple[Read, Expr]] = [(Read("at", (P,)), number(target))]
    if random.random() < 0.4:
        pairs.append((Read("n"), number(random.randrange(3))))
    if random.random() < 0.4:
        pairs.append((Read("who"), random.choice([P, Q if other else P, atom(NONE)])))
    if random.random() < 0.4:
        pairs.append((Read("flag", (P,)), number(random.randrange(2))))
    if other:
        pairs.append((Read("at", (Q,)), number(random.randrange(3))))
    if has_busy:
        guard.append(Apply(Operator.OR, (equal(Read("busy"), atom(NONE)), equal(Read("busy"), P))))
        pairs.append((Read("busy"), P if keeps else atom(NONE)))
    effect = (assign(*pairs), *((Require(FALSE, "no"),) if random.random() < 0.05 else ()))
    rank = 1 if random.random() < 0.1 and not has_busy else 0
    return Command(f"c{k}", conjunction(guard), effect, tuple(parameters), actors, rank)


def random_test(random: Random) -> Expr:
    some = Quantify(Quantifier.SOME, Parameter("r", Atoms((0, 1))), equal(Read("flag", (Bound("r"),)), number(1)))
    tests: list[Expr] = [
        equal(Read("n"), number(random.randrange(3))),
        equal(Read("who"), P),
        negation(equal(Read("who"), P)),
        equal(Read("who"), atom(NONE)),
        equal(Read("flag", (P,)), number(random.randrange(2))),
        *([some] if random.random() < 0.2 else []),
    ]
    return random.choice(tests)


def random_property(random: Random, system: System) -> Temporal:
    """LTL, CTL* or a conjunction over the processes."""
    atoms = tuple(range(len(system.atoms)))
    named = random.random() < 0.4
    kind = random.random()
    if kind < 0.25:
        seed = random.randrange(1 << 30)
        return Temporal("f", And(tuple(path(Random(seed), atoms, 2, a) for a in atoms)))
    if kind < 0.45:
        return Temporal("f", state(random, atoms, 2, random.choice(atoms) if named else None))
    return Temporal("f", path(random, atoms, 3, random.choice(atoms) if named else None))


def path(random: Random, atoms: tuple[int, ...], depth: int, a: int | None) -> Formula:
    def inner() -> Formula:
        return path(random, atoms, depth - 1, a)

    if depth == 0:
        return proposition(random, atoms, a)
    unary = [Always, Eventually, Not, Next]
    binary = [Until, WeakUntil, Release, Implies, Iff]
    match random.randrange(4):
        case 0 | 1:
            return random.choice(unary)(inner())
        case 2:
            return random.choice(binary)(inner(), inner())
        case _:
            return random.choice([And, Or])((inner(), inner()))


def state(random: Random, atoms: tuple[int, ...], depth: int, a: int | None) -> Formula:
    """A state formula of CTL*."""
    if depth == 0:
        return proposition(random, atoms, a)
    body = path(random, atoms, random.choice([1, 2]), a)
    quantified: Formula = random.choice([AllPaths, SomePath])(body)
    if random.random() < 0.4:
        inner = state(random, atoms, depth - 1, a)
        quantified = random.choice([AllPaths, SomePath])(random.choice([Always, Eventually])(Or((quantified, inner))))
    return quantified


def proposition(random: Random, atoms: tuple[int, ...], a: int | None) -> Formula:
    r = Parameter("r", Atoms(atoms))
    here = equal(Read("at", (Bound("r"),)), number(random.randrange(3)))
    choices: list[Expr] = [
        equal(Read("n"), number(random.randrange(3))),
        equal(Read("who"), atom(NONE)),
        Quantify(random.choice([Quantifier.ALL, Quantifier.SOME]), r, here),
    ]
    if a is not None:
        choices += [equal(Read("at", (atom(a),)), number(random.randrange(3))), equal(Read("who"), atom(a))] * 2
    return Proposition(random.choice(choices))
