"""The eight Systems built by hand: explored, permuted and checked."""

from itertools import permutations

import pytest
from hand_built import EXPECTED, Expected

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.detect import detect
from quorbit.detection.proof import is_symmetry, keeps_colours
from quorbit.engines.reference.explore import explore
from quorbit.groups.chain import build_chain, contains
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.normal_form import says_the_same
from quorbit.model.meaning.permute import permute_places, permute_state, permute_system
from quorbit.model.specialise.ground import ground

WHOLE = SearchOptions(all_errors=True)
each = pytest.mark.parametrize("expected", EXPECTED, ids=[e.make.__name__ for e in EXPECTED])


@each
def test_explore(expected: Expected) -> None:
    system = expected.make()
    outcome = explore(system, system.properties, options=WHOLE)
    assert outcome.verdict.value == expected.verdict
    assert outcome.statistics.states == expected.states
    assert outcome.statistics.transitions == expected.transitions


@each
def test_quotient(expected: Expected) -> None:
    system = expected.make()
    group = detect(system, system.properties).group
    layout = layout_of(system)
    outcome = explore(system, system.properties, reducer(layout, classify(layout, group)), WHOLE)
    assert group.known_order == expected.order
    assert outcome.verdict.value == expected.verdict
    assert outcome.statistics.states == expected.orbits


@each
def test_grounding_keeps_the_meaning(expected: Expected) -> None:
    system = expected.make()
    outcome = explore(ground(system), system.properties, options=WHOLE)
    assert (outcome.statistics.states, outcome.statistics.transitions) == (expected.states, expected.transitions)


@each
def test_the_group_is_all_permutations_that_leave_the_system_alone(expected: Expected) -> None:
    """The group found is the set of permutations that keep the normal form, found by trying all."""
    system = expected.make()
    grounded = ground(system)
    chain = build_chain(detect(system, system.properties).group)
    for g in permutations(range(len(system.atoms))):
        assert contains(chain, g) == is_symmetry(grounded, g)


@each
def test_permuting_commutes_with_moving(expected: Expected) -> None:
    """For any permutation of atoms of one kind: the moves of g(system) from g(s) are the images of the moves from s."""
    system = expected.make()
    meaning = Meaning(system)
    for g in permutations(range(len(system.atoms))):
        if permute_places(system, g) is None or not keeps_colours(system, g):
            continue
        other = Meaning(permute_system(system, g))
        assert {permute_state(system, g, s) for s in meaning.initial_states()} == set(other.initial_states())
        for s in meaning.initial_states():
            if any(p.name == "new" for c in system.commands for p in c.parameters):
                continue  # the first unused atom is any unused atom only under the group
            images = sorted(repr(permute_state(system, g, m.target)) for m in meaning.moves(s))
            assert images == sorted(repr(m.target) for m in other.moves(permute_state(system, g, s)))


def test_a_permuted_system_says_something_else_unless_the_permutation_is_a_symmetry() -> None:
    system = next(e for e in EXPECTED if e.make.__name__ == "process_death").make()
    assert says_the_same(ground(system), permute_system(ground(system), (0, 1)))
    assert not says_the_same(ground(system), permute_system(ground(system), (1, 0)))
