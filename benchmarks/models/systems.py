"""Benchmark Systems built by hand, each with a Promela twin beside this file that SPIN explores to the same counts.

``peterson(n)``: Peterson's mutual exclusion for n processes.  ``mail(n, capacity)``: n clients send mail through one
channel to a mailer, which puts it into the clients' boxes.  ``counters(n, m)``: n processes that each count to m - 1
and start again; m^n states, for measurements of the engine alone.  ``classes(a, b, m)``: the same with a processes that
count to m - 1 and b others that count to m, so that there are two symmetric groups.
"""

from __future__ import annotations

from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Expr,
    Operator,
    Parameter,
    Part,
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
from quorbit.model.system.system import Atom, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import NONE, AtomOf, Number, QueueOf, TupleOf

O = Operator


def plus(a: Expr, k: int) -> Expr:
    return Apply(O.ADD, (a, number(k)))


def peterson(n: int) -> System:
    """pc: 0 raise the flag, 1 give way, 2 wait, 3 next round or enter, 4 leave."""
    processes = tuple(range(n))
    p = Bound("p")
    me = Parameter("p", Atoms(processes))
    pc, round_, flag = (Read(name, (p,)) for name in ("pc", "k", "flag"))
    turn = Read("turn", (), (plus(round_, -1),))
    inside = Read("inside")
    other = Bound("q")
    lower = Quantify(
        Quantifier.ALL,
        Parameter("q", Atoms(processes)),
        Apply(O.LESS, (Read("flag", (other,)), round_)),
        negation(equal(other, p)),
    )

    def at(k: int) -> Expr:
        return equal(pc, number(k))

    def command(label: str, guard: list[Expr], *pairs: tuple[Read, Expr]) -> Command:
        return Command(label, conjunction(guard), (assign(*pairs),), (me,), (p,))

    last = number(n - 1)
    commands = (
        command("raise", [at(0)], (flag, round_), (pc, number(1))),
        command("give way", [at(1)], (turn, p), (pc, number(2))),
        command("pass", [at(2), disjunction([negation(equal(turn, p)), lower])], (pc, number(3))),
        command("next round", [at(3), Apply(O.LESS, (round_, last))], (round_, plus(round_, 1)), (pc, number(0))),
        command("enter", [at(3), equal(round_, last)], (inside, plus(inside, 1)), (pc, number(4))),
        command("leave", [at(4)], (inside, plus(inside, -1)), (flag, number(0)), (round_, number(1)), (pc, number(0))),
    )
    return System(
        f"peterson {n}",
        tuple(Atom(f"P{i}", "process") for i in processes),
        (
            Variable("pc", Number(0, 4), (processes,)),
            Variable("k", Number(1, n - 1), (processes,)),
            Variable("flag", Number(0, n - 1), (processes,)),
            Variable("turn", AtomOf(processes, True), (), (n - 1,)),
            Variable("inside", Number(0, n)),
        ),
        commands,
        properties=(
            Invariant("mutual exclusion", Apply(O.LESS_EQUAL, (inside, number(1)))),
            NoDeadlock(),
        ),
    )


def mail(n: int, capacity: int) -> System:
    clients = tuple(range(n))
    p, q = Bound("p"), Bound("q")
    me, you = Parameter("p", Atoms(clients)), Parameter("q", Atoms(clients))
    queue, holds = Read("queue"), Read("holds")
    source, target = Read("source"), Read("target")
    nobody = atom(NONE)
    commands = (
        Command(
            "choose",
            conjunction([equal(Read("chosen", (p,)), nobody), negation(equal(p, q))]),
            (assign((Read("chosen", (p,)), q)),),
            (me, you),
            (p,),
        ),
        Command(
            "send",
            conjunction(
                [
                    negation(equal(Read("chosen", (p,)), nobody)),
                    Apply(O.LESS, (Apply(O.SIZE, (queue,)), number(capacity))),
                ]
            ),
            (
                assign(
                    (queue, Apply(O.APPEND, (queue, Apply(O.TUPLE, (p, Read("chosen", (p,))))))),
                    (Read("chosen", (p,)), nobody),
                ),
            ),
            (me,),
            (p,),
        ),
        Command(
            "read",
            negation(equal(Read("box", (p,)), nobody)),
            (assign((Read("box", (p,)), nobody)),),
            (me,),
            (p,),
        ),
        Command(
            "take",
            conjunction([equal(holds, number(0)), Apply(O.LESS, (number(0), Apply(O.SIZE, (queue,))))]),
            (
                assign(
                    (source, first_part(queue, 0)),
                    (target, first_part(queue, 1)),
                    (queue, Apply(O.REST, (queue,))),
                    (holds, number(1)),
                ),
            ),
        ),
        Command(
            "deliver",
            conjunction([equal(holds, number(1)), equal(Read("box", (target,)), nobody)]),
            (assign((Read("box", (target,)), source), (source, nobody), (target, nobody), (holds, number(0))),),
        ),
    )
    who = AtomOf(clients, True)
    return System(
        f"mail {n} {capacity}",
        tuple(Atom(f"C{i}", "client") for i in clients),
        (
            Variable("chosen", who, (clients,)),
            Variable("box", who, (clients,)),
            Variable("queue", QueueOf(TupleOf((who, who)), capacity)),
            Variable("holds", Number(0, 1)),
            Variable("source", who),
            Variable("target", who),
        ),
        commands,
        properties=(NoDeadlock(),),
    )


def first_part(queue: Expr, k: int) -> Expr:
    return Part(Apply(O.FIRST, (queue,)), k)


def counters(n: int, m: int) -> System:
    processes = tuple(range(n))
    p = Bound("p")
    x = Read("x", (p,))
    step = Apply(O.MODULO, (plus(x, 1), number(m)))
    return System(
        f"counters {n} {m}",
        tuple(Atom(f"P{i}", "process") for i in processes),
        (Variable("x", Number(0, m - 1), (processes,)),),
        (Command("step", effect=(assign((x, step)),), parameters=(Parameter("p", Atoms(processes)),), actors=(p,)),),
    )


def classes(a: int, b: int, m: int) -> System:
    low, high = tuple(range(a)), tuple(range(a, a + b))
    p = Bound("p")

    def step(name: str, owners: tuple[int, ...], modulus: int) -> Command:
        x = Read(name, (p,))
        after = Apply(O.MODULO, (plus(x, 1), number(modulus)))
        return Command(name, effect=(assign((x, after)),), parameters=(Parameter("p", Atoms(owners)),), actors=(p,))

    return System(
        f"classes {a} {b} {m}",
        tuple(Atom(f"P{i}", "process") for i in (*low, *high)),
        (Variable("x", Number(0, m - 1), (low,)), Variable("y", Number(0, m), (high,))),
        (step("x", low, m), step("y", high, m + 1)),
    )
