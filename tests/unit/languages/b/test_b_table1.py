"""[T07, Table 1] with the two misprints corrected (2418 to 2481, 1277 to 1227), by the reference meaning."""

from __future__ import annotations

from functools import partial
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from quorbit.languages.b.load import load_typed
from quorbit.languages.b.lower.scope import system_type
from quorbit.languages.b.meaning.explore import Animator, BState, explore
from quorbit.languages.options import LoadOptions
from quorbit.model.system.types import order_key, permute_value

EXAMPLES = Path(__file__).parents[4] / "examples" / "b"

# states and transitions for Card 1, 2, ... without symmetry, then with it
TABLE = {
    "Scheduler0": ([(5, 6), (16, 37), (55, 190), (190, 865)], [(5, 6), (10, 23), (17, 59), (26, 121)]),
    "Scheduler": ([(4, 5), (11, 25), (36, 121), (125, 561)], [(4, 5), (7, 16), (11, 37), (16, 71)]),
    "PostalPuzzle": ([(15, 24), (81, 177), (441, 1227), (2325, 7869)], [(15, 24), (48, 105), (119, 331), (248, 838)]),
    "PhoneBook": ([(3, 4), (10, 37), (65, 433), (626, 6001)], [(3, 4), (5, 17), (8, 50), (13, 125)]),
}
LARGER = {
    "Scheduler0": [(649, 3646), (2188, 14581)],
    "Scheduler": [(438, 2481), (1523, 10489)],
    "PostalPuzzle": [(11985, 47795)],
    "PhoneBook": [(7777, 97201)],
}


def animate(name: str, card: int) -> Animator:
    path = EXAMPLES / f"{name}.mch"
    machine, _, _ = load_typed(path, LoadOptions())
    deferred = [s.name for s in machine.sets if s.elements is None]
    options = LoadOptions(set_sizes=tuple((s, card) for s in deferred))
    machine, universe, _ = load_typed(path, options)
    return Animator(machine, universe)


@pytest.mark.parametrize("card", [1, 2, 3, 4])
@pytest.mark.parametrize("name", TABLE)
def test_without_symmetry(name: str, card: int) -> None:
    found = explore(animate(name, card))
    assert found.counts == TABLE[name][0][card - 1]
    assert not found.problems
    assert not found.cuts


@pytest.mark.soak
@pytest.mark.parametrize(("name", "card"), [(name, 5 + k) for name, cells in LARGER.items() for k in range(len(cells))])
def test_without_symmetry_larger(name: str, card: int) -> None:
    assert explore(animate(name, card)).counts == LARGER[name][card - 5]


def least_image(animator: Animator, s: BState) -> Any:
    """The least of all images under permutations of the deferred sets: one for each orbit."""
    universe = animator.universe
    names = (*animator.machine.constants, *animator.machine.variables)
    types = [system_type(universe, n.type) for n in names]
    values = (*s.constants, *(s.variables or ()))
    images = []
    for moved in product(*(permutations(universe.atoms[name]) for name in sorted(universe.deferred))):
        g = list(range(len(universe.names)))
        for name, image in zip(sorted(universe.deferred), moved, strict=True):
            for a, b in zip(universe.atoms[name], image, strict=True):
                g[a] = b
        images.append(tuple(order_key(permute_value(t, v, tuple(g))) for t, v in zip(types, values, strict=False)))
    return (s.variables is None, min(images))


@pytest.mark.parametrize("card", [1, 2, 3])
@pytest.mark.parametrize("name", TABLE)
def test_with_symmetry_by_brute_force(name: str, card: int) -> None:
    animator = animate(name, card)
    assert explore(animator, partial(least_image, animator)).counts == TABLE[name][1][card - 1]


def test_phonebook_err_violates_its_invariant() -> None:
    found = explore(animate("PhoneBookErr", 3))
    assert {p.span.text for p in found.problems} == {"ran(book) = used"}


def test_goal_of_the_postal_puzzle_is_reached_with_two_locks() -> None:
    assert not explore(animate("PostalPuzzle", 1)).goals
    assert explore(animate("PostalPuzzle", 2)).goals


def test_seat_booking_has_the_orbits_of_its_multisets() -> None:
    animator = animate("SeatBooking", 3)
    assert explore(animator, partial(least_image, animator)).counts == (92, 632)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_server_farm_orbits(n: int) -> None:
    """A client is idle, waiting or served; transitions by counting them for each number of waiting and served ones."""
    animator = animate("ServerFarm", n)
    found = explore(animator, partial(least_image, animator))
    kinds = [(served, waiting) for served in range(n + 1) for waiting in range(n + 1 - served)]
    steps = sum((n - k - w) + w * (n - k) + k + n for k, w in kinds)
    assert found.counts == ((n + 1) * (n + 2) // 2 + 1, steps + 1)
