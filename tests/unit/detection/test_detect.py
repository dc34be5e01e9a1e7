"""Detection, proof and explanation on the readers-writers diagram of [W07, section 3] and small variations."""

from dataclasses import replace

import pytest

from quorbit.detection.detect import Symmetry, detect, keeping_the_start
from quorbit.detection.proof import is_symmetry
from quorbit.detection.reasons.ranking import causes_of, kept_apart
from quorbit.detection.reasons.why import why
from quorbit.groups.chain import order
from quorbit.groups.group import symmetric
from quorbit.model.specialise.constants import extract_constants
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.start import run_start
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Fresh,
    NumberOf,
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
from quorbit.model.system.system import Atom, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import TRUTH, Number

N, T, C = 0, 1, 2
I = Bound("i")


def local(who: Expr) -> Read:
    return Read("local", (who,))


def edge(label: str, a: int, b: int, guard: Expr, n: int) -> Command:
    everyone = Parameter("i", Atoms(tuple(range(n))))
    return Command(
        label, conjunction([equal(local(I), number(a)), guard]), (assign((local(I), number(b))),), (everyone,), (I,)
    )


def readers_writers(n: int = 3, writers: int = 1) -> System:
    everyone = tuple(range(n))
    readers = n - writers
    nobody = Quantify(Quantifier.ALL, Parameter("j", Atoms(everyone)), negation(equal(local(Bound("j")), number(C))))
    is_reader = Apply(Operator.LESS_EQUAL, (NumberOf(I, everyone, 1), number(readers)))
    no_writer = conjunction([negation(equal(local(atom(w)), number(C))) for w in everyone[readers:]])
    return System(
        "readers-writers",
        tuple(Atom(str(a + 1), "process") for a in everyone),
        (Variable("local", Number(0, 2, ("N", "T", "C")), (everyone,)),),
        (
            edge("try", N, T, TRUE, n),
            edge("enter", T, C, nobody, n),
            edge("join", T, C, conjunction([is_reader, no_writer]), n),
            edge("leave", C, N, TRUE, n),
        ),
        properties=(NoDeadlock(),),
    )


def found(system: System) -> Symmetry:
    return detect(system, system.properties)


def test_readers_writers() -> None:
    system = readers_writers()
    assert found(system).group.generators == ((1, 0, 2),)
    assert not is_symmetry(ground(system), (0, 2, 1))


@pytest.mark.parametrize(("n", "writers", "expected"), [(5, 2, 12), (6, 3, 36), (4, 4, 24), (6, 0, 720)])
def test_readers_and_writers_of_any_number(n: int, writers: int, expected: int) -> None:
    assert order(found(readers_writers(n, writers)).group) == expected


def test_why_points_at_the_edge_that_breaks_it() -> None:
    system = readers_writers()
    (breach,) = why(system, system.properties, (0, 2, 1))
    assert breach.message == "join has no counterpart"
    assert "local[3] == C" not in breach.image
    assert why(system, system.properties, (1, 0, 2)) == ()


def test_causes_are_ranked_by_what_they_would_give() -> None:
    """Two readers are alike; what keeps the writer from being one of them would give three times as much."""
    system = readers_writers()
    kept = kept_apart(system, detect(system, ()).group)
    assert [(k.first, k.second) for k in kept] == [(0, 2)]
    (cause, *_) = causes_of(detect(system, ()).group, kept)
    assert (cause.joined, cause.times) == (((0, 1, 2),), 3)


def test_a_cause_that_is_alone_tells_its_gain() -> None:
    system = readers_writers(4, 0)
    about_one = (Invariant("one", negation(equal(local(atom(0)), number(C)))),)
    asked = replace(system, properties=about_one)
    group = detect(system, about_one).group
    (cause,) = causes_of(group, kept_apart(asked, group))
    assert cause.times == 4
    assert cause.joined == ((0, 1, 2, 3),)
    assert "one" in cause.breach.message


def test_a_property_that_names_a_process_restricts_the_group() -> None:
    system = readers_writers(4, 0)
    about_one = (Invariant("one", negation(equal(local(atom(0)), number(C)))),)
    assert order(detect(system, ()).group) == 24
    assert order(detect(system, about_one).group) == 6
    (breach,) = why(system, about_one, (1, 0, 2, 3))
    assert "one" in breach.message


def test_properties_of_one_kind_may_take_each_others_place() -> None:
    system = readers_writers(3, 0)
    each = tuple(Invariant(f"i{a}", negation(equal(local(atom(a)), number(C)))) for a in range(3))
    assert order(detect(system, each).group) == 6


def test_the_initial_state_may_be_moved() -> None:
    system = readers_writers(4, 0)
    special = Command("start", effect=(assign((local(atom(0)), number(T))),))
    any_one = Command(
        "start", effect=(assign((local(I), number(T))),), parameters=(Parameter("i", Atoms((0, 1, 2, 3))),)
    )
    moved, kept = found(with_start(system, special)), found(with_start(system, any_one))
    assert (order(moved.group), order(keeping_the_start(system, moved))) == (24, 6)
    assert (order(kept.group), order(keeping_the_start(system, kept)), kept.moving) == (24, 24, ())
    assert moved.moving
    assert all(g[0] != 0 for g in moved.moving)


def with_start(system: System, start: Command) -> System:
    return System(system.name, system.atoms, system.variables, system.commands, (start,), properties=system.properties)


def test_atoms_of_different_kinds_are_not_exchanged() -> None:
    system = readers_writers(3, 0)
    coloured = (system.atoms[0], system.atoms[1], Atom("3", "process", "other"))
    changed = System(system.name, coloured, system.variables, system.commands, properties=system.properties)
    assert found(changed).group.generators == ((1, 0, 2),)
    (breach,) = why(changed, changed.properties, (0, 2, 1))
    assert "different kinds" in breach.message


def test_constants_are_specialised_before_detection() -> None:
    """Each process holds two numbers it never changes, in another order; what it does with them is the same."""
    everyone = (0, 1)
    low, high = Read("low", (I,)), Read("high", (I,))
    allowed = Apply(Operator.OR, (equal(Read("x"), low), equal(Read("x"), high)))
    effect = assign((Read("x"), number(0)), (Read("done", (I,)), number(1)))
    step = Command("step", allowed, (effect,), (Parameter("i", Atoms(everyone)),), (I,))
    values = [(Read("low", (atom(0),)), number(1)), (Read("high", (atom(0),)), number(2)),
              (Read("low", (atom(1),)), number(2)), (Read("high", (atom(1),)), number(1)),
              (Read("x"), number(1))]  # fmt: skip
    variables = (
        Variable("x", Number(0, 2)),
        Variable("done", Number(0, 1), (everyone,)),
        Variable("low", Number(0, 2), (everyone,)),
        Variable("high", Number(0, 2), (everyone,)),
    )
    atoms = tuple(Atom(str(a), "process") for a in everyone)
    system = System("constants", atoms, variables, (step,), (Command("start", effect=(assign(*values),)),))
    assert order(keeping_the_start(system, found(system))) == 1
    assert order(found(extract_constants(run_start(system)).system).group) == 2


def test_slots_that_can_be_used_again_are_interchangeable_or_pinned() -> None:
    """Creation takes the first unused slot, which stands for any: not if a property tells the slots apart."""
    slots = (0, 1, 2)
    alive = Read("alive", (Bound("new"),))
    make = Command(
        "make", effect=(assign((alive, TRUE)),), parameters=(Parameter("new", Fresh(slots, negation(alive))),)
    )
    end = Command(
        "end", Read("alive", (I,)), (assign((Read("alive", (I,)), number(0))),), (Parameter("i", Atoms(slots)),)
    )
    atoms = tuple(Atom(str(a), "process") for a in slots)
    system = System("slots", atoms, (Variable("alive", TRUTH, (slots,)),), (make, end))
    assert order(found(system).group) == 6
    about_first = detect(system, (Invariant("first", Read("alive", (atom(0),))),))
    assert about_first.group.is_trivial
    assert "not all interchangeable" in about_first.notes[0]


def test_many_processes() -> None:
    assert order(found(readers_writers(30, 10)).group) == order(symmetric(20)) * order(symmetric(10))
