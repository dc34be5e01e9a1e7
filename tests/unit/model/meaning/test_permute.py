"""The one convention: how a permutation acts on states, values and expressions."""

from hypothesis import given
from hypothesis import strategies as st

from quorbit.groups.permutation import compose
from quorbit.model.meaning.permute import permute_expression, permute_places, permute_state
from quorbit.model.system.expression import (
    Apply,
    NumberOf,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    number,
)
from quorbit.model.system.expression import Atoms as Over
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import NONE, TRUTH, AtomOf, Number, QueueOf, SetOf, TupleOf, permute_value

THREE = (0, 1, 2)
ATOM = AtomOf(THREE, True)
CYCLE = (1, 2, 0)  # (1 2 3)


def system_of(*variables: Variable) -> System:
    return System("s", tuple(Atom(str(a + 1), "process") for a in THREE), variables, ())


def test_the_convention_of_dm09() -> None:
    system = system_of(Variable("local", Number(0, 9), (THREE,)))
    assert permute_state(system, CYCLE, (7, 5, 4)) == (4, 7, 5)


def test_references_are_renamed_where_they_stand() -> None:
    system = system_of(Variable("turn", ATOM), Variable("friend", ATOM, (THREE,)))
    assert permute_state(system, CYCLE, (0, 1, NONE, 0)) == (1, 1, 2, NONE)


def test_the_slot_of_no_process_stays() -> None:
    system = system_of(Variable("flag", TRUTH, ((NONE, *THREE),)))
    assert permute_state(system, CYCLE, (1, 1, 0, 0)) == (1, 0, 1, 0)


def test_an_image_that_is_no_place_is_noticed() -> None:
    system = system_of(Variable("flag", TRUTH, ((0, 1),)))
    assert permute_places(system, CYCLE) is None
    assert permute_places(system, (1, 0, 2)) == (1, 0)


permutations_of_three = st.permutations(THREE).map(tuple)
atoms_or_none = st.sampled_from((NONE, *THREE))
VALUE = TupleOf((SetOf(TupleOf((ATOM, Number(0, 3)))), QueueOf(ATOM, 4)))
values = st.tuples(
    st.frozensets(st.tuples(atoms_or_none, st.integers(0, 3)), max_size=4),
    st.lists(atoms_or_none, max_size=4).map(tuple),
)


@given(permutations_of_three, permutations_of_three, values)
def test_first_g_then_h(g: tuple[int, ...], h: tuple[int, ...], value: tuple[object, ...]) -> None:
    twice = permute_value(VALUE, permute_value(VALUE, value, g), h)  # type: ignore[arg-type]
    assert twice == permute_value(VALUE, value, compose(g, h))  # type: ignore[arg-type]


def test_expressions() -> None:
    e = Apply(Operator.EQUAL, (Read("friend", (atom(0),)), atom(2)))
    assert permute_expression(e, CYCLE) == Apply(Operator.EQUAL, (Read("friend", (atom(1),)), atom(0)))


def test_a_numbering_moves_so_looking_inside_an_atom_pins_it() -> None:
    e = Apply(Operator.LESS, (NumberOf(Read("turn"), THREE, 1), number(2)))
    moved = permute_expression(e, CYCLE)
    assert moved != e
    assert moved == Apply(Operator.LESS, (NumberOf(Read("turn"), (1, 2, 0), 1), number(2)))


def test_a_domain_is_a_set() -> None:
    e = Quantify(Quantifier.ALL, Parameter("k", Over((0, 1))), atom(0))
    moved = permute_expression(e, CYCLE)
    assert moved == Quantify(Quantifier.ALL, Parameter("k", Over((1, 2))), atom(1))
