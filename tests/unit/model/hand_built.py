"""Eight Systems built by hand, one for each odd notion the languages need; with the counts worked out on paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quorbit.model.system.command import Command, Require, assign
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Elements,
    Expr,
    Fresh,
    Interval,
    Operator,
    Parameter,
    Read,
    Use,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Atom, Definition, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import NONE, TRUTH, AtomOf, Number, SetOf, TupleOf

O = Operator
i, j = Bound("i"), Bound("j")
OWNER = Read("owner")


def processes(n: int) -> tuple[Atom, ...]:
    return tuple(Atom(f"p{k}", "process") for k in range(n))


def over(*names: str, n: int) -> tuple[Parameter, ...]:
    return tuple(Parameter(name, Atoms(tuple(range(n)))) for name in names)


def pc(who: Expr) -> Read:
    return Read("pc", (who,))


def at(who: Expr, where: int) -> Expr:
    return equal(pc(who), number(where))


def may_move(who: Expr) -> Expr:
    """No other process is inside an atomic section."""
    return disjunction([equal(OWNER, atom(NONE)), equal(OWNER, who)])


RELEASE = Command("release", negation(equal(OWNER, atom(NONE))), (assign((OWNER, atom(NONE))),), rank=1)


def atomic_hand_over() -> System:
    """Each of two processes runs `atomic { x = 1 - x; token == me; x = 1 - x }`: it blocks inside, loses control, goes
    on atomically when it has the token, and gives that back.  pc: 0 start, 1 blocked inside, 2 after, 3 done."""
    n, everyone = 2, (0, 1)
    x, token = Read("x"), Read("token")
    flip = (x, Apply(O.SUBTRACT, (number(1), x)))
    return System(
        "atomic hand-over",
        processes(n),
        (
            Variable("pc", Number(0, 3), (everyone,)),
            Variable("owner", AtomOf(everyone, True)),
            Variable("token", AtomOf(everyone, True)),
            Variable("x", Number(0, 1)),
        ),
        (
            Command(
                "enter",
                conjunction([at(i, 0), may_move(i)]),
                (assign((pc(i), number(1)), flip, (OWNER, i)),),
                over("i", n=n),
                (i,),
            ),
            Command(
                "go on",
                conjunction([at(i, 1), may_move(i), equal(token, i)]),
                (assign((pc(i), number(2)), (OWNER, i)),),
                over("i", n=n),
                (i,),
            ),
            Command(
                "leave",
                conjunction([at(i, 2), may_move(i)]),
                (assign((pc(i), number(3)), flip, (OWNER, atom(NONE)), (token, atom(NONE))),),
                over("i", n=n),
                (i,),
            ),
            Command(
                "give",
                conjunction([equal(OWNER, atom(NONE)), equal(token, atom(NONE)), negation(at(i, 3))]),
                (assign((token, i)),),
                over("i", n=n),
                (i,),
            ),
            RELEASE,
        ),
        properties=(
            NoDeadlock(allowed=conjunction([at(atom(0), 3), at(atom(1), 3)])),
            Invariant("free", equal(OWNER, atom(NONE))),
        ),
        transient=negation(equal(OWNER, atom(NONE))),
    )


def rendezvous() -> System:
    """Two senders and two receivers meet in pairs; the message is the sender."""
    atoms = (
        Atom("s0", "process", "sender"),
        Atom("s1", "process", "sender"),
        Atom("r0", "process", "receiver"),
        Atom("r1", "process", "receiver"),
    )
    meet = Command(
        "meet",
        conjunction([at(i, 0), at(j, 0)]),
        (assign((pc(i), number(1)), (pc(j), number(1)), (Read("got", (j,)), i)),),
        (Parameter("i", Atoms((0, 1))), Parameter("j", Atoms((2, 3)))),
        (i, j),
    )
    met = conjunction([at(atom(0), 1), at(atom(1), 1)])
    variables = (Variable("pc", Number(0, 1), ((0, 1, 2, 3),)), Variable("got", AtomOf((0, 1), True), ((2, 3),)))
    return System("rendezvous", atoms, variables, (meet,), properties=(NoDeadlock(allowed=met),))


def dynamic_creation() -> System:
    """A parent makes up to two children, which count a number up and end; their slots are used again."""
    atoms = (
        Atom("parent", "process", "parent"),
        Atom("child1", "process", "child"),
        Atom("child2", "process", "child"),
    )
    slots = (1, 2)
    new = Bound("new")
    alive = Read("alive", (new,))
    free = Fresh(slots, negation(alive))
    unborn = Apply(O.LESS, (Read("made"), number(3)))
    some_free = disjunction([negation(Read("alive", (atom(a),))) for a in slots])
    make = Command(
        "run child",
        conjunction([unborn, some_free]),
        (assign((alive, TRUE), (Read("made"), Apply(O.ADD, (Read("made"), number(1))))),),
        (Parameter("new", free),),
        (atom(0),),
    )
    end = Command(
        "end", Read("alive", (i,)), (assign((Read("alive", (i,)), FALSE)),), (Parameter("i", Atoms(slots)),), (i,)
    )
    variables = (Variable("alive", TRUTH, (slots,)), Variable("made", Number(0, 3)))
    return System(
        "dynamic creation",
        atoms,
        variables,
        (make, end),
        properties=(NoDeadlock(allowed=equal(Read("made"), number(3))),),
    )


def unless() -> System:
    """Two processes count `do :: n[i] < 2 -> n[i]++ od unless { alarm -> stop }`: the escape hides the loop."""
    n, everyone = 2, (0, 1)
    count, alarm = Read("n", (i,)), Read("alarm")
    return System(
        "unless",
        processes(n),
        (Variable("pc", Number(0, 1), (everyone,)), Variable("n", Number(0, 2), (everyone,)), Variable("alarm", TRUTH)),
        (
            Command(
                "count",
                conjunction([at(i, 0), Apply(O.LESS, (count, number(2)))]),
                (assign((count, Apply(O.ADD, (count, number(1))))),),
                over("i", n=n),
                (i,),
                turn=1,
            ),
            Command(
                "escape", conjunction([at(i, 0), alarm]), (assign((pc(i), number(1))),), over("i", n=n), (i,), turn=0
            ),
            Command("ring", negation(alarm), (assign((alarm, TRUE)),)),
        ),
        properties=(NoDeadlock(allowed=alarm),),
    )


def d_step() -> System:
    """Three processes each take the first free of two seats in one deterministic step; the third finds none."""
    n, everyone = 3, (0, 1, 2)
    taken = [Read("seat", (), (number(k),)) for k in (0, 1)]
    free = [equal(seat, atom(NONE)) for seat in taken]
    first = Command(
        "first seat",
        conjunction([at(i, 0), free[0]]),
        (assign((pc(i), number(1)), (taken[0], i)),),
        over("i", n=n),
        (i,),
    )
    other = Command(
        "second seat",
        conjunction([at(i, 0), negation(free[0]), free[1]]),
        (assign((pc(i), number(1)), (taken[1], i)),),
        over("i", n=n),
        (i,),
    )
    stuck = Command(
        "no seat",
        conjunction([at(i, 0), negation(free[0]), negation(free[1])]),
        (Require(FALSE, "blocks in d_step"),),
        over("i", n=n),
        (i,),
    )
    variables = (Variable("pc", Number(0, 1), (everyone,)), Variable("seat", AtomOf(everyone, True), (), (2,)))
    return System("d_step", processes(n), variables, (first, other, stuck), properties=(Assertions(), NoDeadlock()))


def process_death() -> System:
    """Processes end, and die in reverse order of creation, as pan has it: this order breaks the symmetry."""
    n = 2
    last = Command("die", conjunction([at(atom(1), 1)]), (assign((pc(atom(1)), number(2))),), (), (atom(1),))
    first = Command(
        "die", conjunction([at(atom(0), 1), at(atom(1), 2)]), (assign((pc(atom(0)), number(2))),), (), (atom(0),)
    )
    end = Command("end", at(i, 0), (assign((pc(i), number(1))),), over("i", n=n), (i,))
    variables = (Variable("pc", Number(0, 2), ((0, 1),)),)
    dead = conjunction([at(atom(a), 2) for a in (0, 1)])
    return System("process death", processes(n), variables, (end, last, first), properties=(NoDeadlock(allowed=dead),))


def nested_set() -> System:
    """A B-like machine: a set of teams (sets of people) to which pairs of people are added, up to two."""
    people = (0, 1, 2)
    person = AtomOf(people)
    teams = Read("teams")
    everyone = Apply(O.SET, tuple(atom(a) for a in people))
    pair = Parameter("t", Elements(Apply(O.POWERSET, (everyone,)), SetOf(person)))
    t = Bound("t")
    is_pair = equal(Apply(O.SIZE, (t,)), number(2))
    add = Command(
        "add",
        conjunction(
            [is_pair, negation(Apply(O.MEMBER, (t, teams))), Apply(O.LESS, (Apply(O.SIZE, (teams,)), number(2)))]
        ),
        (assign((teams, Apply(O.UNION, (teams, Apply(O.SET, (t,)))))),),
        (pair,),
    )
    atoms = tuple(Atom(name, "PEOPLE") for name in ("ann", "bob", "cy"))
    variables = (Variable("teams", SetOf(SetOf(person))), Variable("log", SetOf(TupleOf((person, TRUTH)))))
    full = equal(Apply(O.SIZE, (teams,)), number(2))
    return System("nested set", atoms, variables, (add,), properties=(NoDeadlock(allowed=full),), count_once=True)


def netlist() -> System:
    """Three latches in a ring; wire w of latch k is `latch k-1 and not input`; all step together."""
    ring = (0, 1, 2)
    atoms = tuple(Atom(f"l{k}", "latch") for k in ring)
    latch = {k: Read("latch", (atom(k),)) for k in ring}
    definitions = tuple(Definition("wire", Condition(Bound("stop"), latch[k], latch[(k - 1) % 3]), (k,)) for k in ring)
    step = Command(
        "step",
        effect=(assign(*((latch[k], Use("wire", (atom(k),))) for k in ring)),),
        parameters=(Parameter("stop", Interval(0, 1)),),
    )
    start = Command("start", effect=(assign((latch[0], TRUE)),))
    others = tuple(Command("start", effect=(assign((latch[k], TRUE)),)) for k in (1, 2))
    one = Apply(O.LESS, (Apply(O.ADD, tuple(latch.values())), number(2)))
    return System(
        "netlist",
        atoms,
        (Variable("latch", TRUTH, (ring,)),),
        (step,),
        (start, *others),
        definitions,
        (Invariant("one", one),),
    )


@dataclass(frozen=True)
class Expected:
    """Counts worked out by hand; transitions are ways between stored states, and one for each initial state."""

    make: Callable[[], System]
    order: int
    states: int
    orbits: int
    transitions: int
    verdict: str = "holds"


EXPECTED = [
    Expected(atomic_hand_over, 2, 21, 12, 35),
    Expected(rendezvous, 4, 7, 3, 9),
    Expected(dynamic_creation, 2, 11, 9, 16),
    Expected(unless, 2, 45, 27, 58),
    Expected(d_step, 6, 10, 3, 10, "fails"),
    Expected(process_death, 1, 7, 7, 9),
    Expected(nested_set, 6, 7, 3, 10),
    Expected(netlist, 3, 3, 1, 9),
]
