"""What decides whether a command can run, and no test says: domains, conditions on parameters, earlier turns."""

from __future__ import annotations

import pytest

from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.cases import Case, FreeNames, few_values
from quorbit.model.dependence.facts import Facts, build_facts
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Elements,
    Enabled,
    Expr,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    Use,
    atom,
    equal,
    number,
)
from quorbit.model.system.system import Atom, Definition, System, Variable
from quorbit.model.system.types import NONE, AtomOf, Number, SetOf

SMALL = Number(0, 3)
X, Y, I, V = Read("x"), Read("y"), Read("i"), Bound("v")
VARIABLES = (
    Variable("x", SMALL),
    Variable("y", SMALL),
    Variable("i", SMALL),
    Variable("s", SetOf(SMALL)),
    Variable("r", SetOf(SMALL), (), (2,)),
    Variable("a", SMALL, (), (2,)),
)
STEP = assign((Y, number(1)))
FROM_S = Elements(Read("s"), SMALL)


def facts_of(*commands: Command, definitions: tuple[Definition, ...] = ()) -> Facts:
    atoms = (Atom("P0", "process"), Atom("P1", "process"))
    others = tuple(Command(f"sets {p.variable}", TRUE, (assign((p, number(2))),)) for p in (X, I))
    return build_facts(System("blind", atoms, VARIABLES, (*commands, *others), definitions=definitions))


def picks(domain: Elements, guard: Expr = TRUE) -> Command:
    return Command("picks", guard, (STEP,), (Parameter("v", domain),))


def place(facts: Facts, name: str) -> int:
    return next(i for i, p in enumerate(facts.system.places) if p.variable == name)


def faults(facts: Facts) -> list[Case]:
    return [case for case in facts.cases if case.is_fault]


def test_the_set_that_a_parameter_is_from_decides() -> None:
    facts = facts_of(picks(FROM_S))
    assert place(facts, "s") in facts.cases[0].blind
    assert not faults(facts)


def test_a_condition_on_a_parameter_decides() -> None:
    facts = facts_of(picks(FROM_S, equal(X, V)))
    assert {place(facts, "s"), place(facts, "x")} <= facts.cases[0].blind
    assert facts.dependent[0] == 0b10  # who sets x


def test_a_domain_that_may_have_no_value_is_an_error_of_its_own() -> None:
    facts = facts_of(picks(Elements(Read("r", (), (I,)), SMALL)))
    (fault,) = faults(facts)
    assert place(facts, "i") in fault.blind


def test_a_condition_on_a_parameter_may_have_no_value() -> None:
    facts = facts_of(picks(FROM_S, equal(Read("a", (), (V,)), X)))
    (fault,) = faults(facts)
    assert {place(facts, "s"), place(facts, "x"), place(facts, "a")} <= fault.blind


def test_what_a_definition_says_of_a_parameter_decides() -> None:
    definitions = (Definition("d", equal(X, V)),)
    facts = facts_of(picks(FROM_S, Use("d")), definitions=definitions)
    assert place(facts, "x") in facts.cases[0].blind
    assert FreeNames(facts.reader).of(Use("d")) == {"v"}


def test_what_a_quantifier_binds_is_not_a_parameter_of_the_command() -> None:
    reader = Reader(System("free", (), VARIABLES, ()))
    e = Quantify(Quantifier.SOME, Parameter("w", FROM_S), equal(Bound("w"), V), TRUE)
    assert FreeNames(reader).of(e) == {"v"}


@pytest.mark.parametrize("has_parameter", [True, False])
def test_a_later_turn_waits_for_an_earlier_one_of_its_mover(has_parameter: bool) -> None:
    """By a test, or blindly where that cannot be said by one."""
    guard = equal(X, V) if has_parameter else equal(X, number(2))
    parameters = (Parameter("v", FROM_S),) if has_parameter else ()
    facts = facts_of(
        Command("escape", guard, (STEP,), parameters, (atom(0),)),
        Command("hidden", TRUE, (assign((I, number(2))),), (), (atom(0),), turn=1),
        Command("of another", TRUE, (assign((I, number(3))),), (), (atom(1),), turn=1),
    )
    hidden, other = facts.cases[1:3]
    assert (place(facts, "x") in hidden.blind) is has_parameter
    assert len(hidden.tests) == (0 if has_parameter else 1)
    assert facts.disabled_by[1] >> 3 & 1  # who sets x may end it
    assert not other.blind
    assert not other.tests


def test_an_actor_that_is_not_written_down_may_be_the_same() -> None:
    who = Read("who")
    system = System(
        "who",
        (Atom("P0", "process"), Atom("P1", "process")),
        (*VARIABLES, Variable("who", AtomOf((0, 1)))),
        (
            Command("escape", equal(X, number(2)), (STEP,), (), (who,)),
            Command("hidden", TRUE, (assign((I, number(2))),), (), (atom(0),), turn=1),
            Command("sets x", TRUE, (assign((X, number(2))),)),
        ),
    )
    facts = build_facts(system)
    assert {place(facts, "x"), place(facts, "who")} <= facts.cases[1].blind


def test_an_atom_that_may_be_nobody() -> None:
    assert few_values(AtomOf((0, 1), True)) == {0, 1, NONE}
    assert few_values(AtomOf((0, 1))) == {0, 1}
    assert few_values(Number(-1, 1)) == {-1, 0, 1}


def test_enabled_reads_everything() -> None:
    reader = Reader(System("enabled", (), VARIABLES, ()))
    assert reader.reads(Enabled(atom(0))) == frozenset(range(len(reader.system.places)))


def test_what_quantifiers_and_indices_read() -> None:
    system = System("reads", (), VARIABLES, ())
    reader = Reader(system)
    found = reader.reads(Quantify(Quantifier.SOME, Parameter("v", FROM_S), equal(X, V), equal(Read("a", (), (I,)), V)))
    assert {system.places[i].variable for i in found} == {"s", "x", "a", "i"}
    assert reader.reads(Apply(Operator.ADD, (X, Y))) == reader.reads(X) | reader.reads(Y)
