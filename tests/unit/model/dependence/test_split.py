"""Cases by what an address names: only as long as nothing writes what the address reads."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from quorbit.model.dependence.abstract import known_from
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.facts import build_facts
from quorbit.model.dependence.split import Splitter
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.ground import ground
from quorbit.model.system.command import Command, Loop, assign
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Fresh,
    Operator,
    Parameter,
    Read,
    Use,
    atom,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Atom, Definition, System, Variable
from quorbit.model.system.types import AtomOf, Number
from quorbit.pipeline.load import load

INDEX_CHANGES = """
var a: array [0..1] of 0..2; i: 0..1;
startstate begin a[0] := 0; a[1] := 0; i := 0; end;
rule "first the index" a[i] = 0 ==> begin a[i] := 2; i := 1 - i; a[i] := 1; end;
"""


def test_an_index_that_changes_on_the_way_names_another_place_then(tmp_path: Path) -> None:
    (tmp_path / "model.m").write_text(INDEX_CHANGES, encoding="utf-8")
    system = ground(load(tmp_path / "model.m").system)
    elements = {k for k, place in enumerate(system.places) if place.variable.startswith("a")}
    cases = build_facts(system).cases
    assert len(elements) == len(cases) == 2
    assert all(elements <= case.uses.keys() for case in cases)


def test_a_definition_is_folded_only_if_its_owners_are_written_down() -> None:
    atoms, who = (Atom("P0", "process"), Atom("P1", "process")), Variable("who", AtomOf((0, 1)))
    definitions = (Definition("d", number(1), (0,)), Definition("d", number(2), (1,)))
    splitter = Splitter(Reader(System("owners", atoms, (who,), (), definitions=definitions)), known_from({}))
    assert splitter.folded(Use("d", (atom(1),))) == number(2)
    assert splitter.folded(Use("d", (Read("who"),))) == Use("d", (Read("who"),))


X, I = Read("x"), Read("i")
ARRAY = Variable("a", Number(0, 3), (), (2,))
NUMBERS = tuple(Variable(name, Number(0, 3)) for name in ("x", "i"))


def test_an_address_may_also_leave_the_array() -> None:
    """Who copies a number into it may make the test of its value true, inside or outside."""
    commands = (
        Command("looks", equal(Read("a", (), (I,)), number(0)), (assign((X, number(1))),)),
        *(Command("sets", TRUE, (assign((I, number(n))),)) for n in range(4)),
    )
    system = System("leaves", (), (*NUMBERS, ARRAY), commands)
    facts = build_facts(system)
    (i,) = facts.reader.targets(I)
    mine = [facts.cases[k] for k in facts.of_command[0]]
    assert frozenset[object]().union(*(case.known.get(i, range(4)) for case in mine)) == {0, 1, 2, 3}


def test_in_every_state_one_variant_of_a_creation_fits() -> None:
    """The first unused one is created; where all are used, none."""
    p = Bound("p")
    used = Read("used", (p,))
    commands = (
        Command(
            "creates", TRUE, (assign((used, number(1))),), (Parameter("p", Fresh((0, 1), equal(used, number(0)))),)
        ),
        Command("ends", TRUE, tuple(assign((Read("used", (atom(a),)), number(0))) for a in (0, 1))),
    )
    atoms = (Atom("P0", "process"), Atom("P1", "process"))
    system = System("creates", atoms, (Variable("used", Number(0, 1), ((0, 1),)),), commands)
    facts, meaning = build_facts(system), Meaning(system)
    tests = [meaning.value_of(t.expression) for t in facts.tests]
    for s in product((0, 1), repeat=2):
        fitting = [k for k in facts.of_command[0] if all(tests[t](s, {}) for t in facts.cases[k].tests)]
        assert len(fitting) == 1
        written = set(facts.cases[fitting[0]].writes)
        assert written == ({s.index(0)} if 0 in s else set())


def test_an_address_in_a_loop_names_another_place_in_a_later_round() -> None:
    body = (assign((Read("a", (), (I,)), number(1))), assign((I, Apply(Operator.ADD, (I, number(1))))))
    loop = Loop(negation(equal(I, number(2))), body, 3)
    commands = (
        Command("loops", TRUE, (assign((X, Read("a", (), (I,)))), loop)),
        Command("sets", TRUE, (assign((I, number(0))),)),
    )
    facts = build_facts(System("rounds", (), (*NUMBERS, ARRAY), commands))
    elements = facts.reader.targets(Read("a", (), (X,)))
    assert len(facts.of_command[0]) > 1
    assert all(elements <= facts.cases[k].uses.keys() for k in facts.of_command[0])
