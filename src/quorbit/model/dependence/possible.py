"""The values that places may have in any image of a reachable state, from starts closed under the group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorbit.groups.permutation import Permutation
from quorbit.model.dependence.abstract import Values
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.permute import permute_places
from quorbit.model.specialise.possible.outline import Outline
from quorbit.model.specialise.possible.run import Possible
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Value, permute_value

MOST_VALUES = 256  # of one place that are kept apart


def possible_values(system: System, generators: Sequence[Permutation]) -> Mapping[int, Values]:
    """For each place the values it may have; None: any."""
    found = Possible(Outline(system), states_with(closed_starts(system, generators)))
    return {
        i: frozenset(values)
        for i, place in enumerate(system.places)
        if (values := found.values.get(place.address)) is not None and len(values) <= MOST_VALUES
    }


def closed_starts(system: System, generators: Sequence[Permutation]) -> list[dict[Value, None]]:
    """For each place the values it has in images of initial states."""
    found = start_values(system)
    close(system, found, generators)
    return found


def start_values(system: System) -> list[dict[Value, None]]:
    """For each place the values it has in initial states."""
    meaning = Meaning(system)
    ways = meaning.starting_ways()
    if ways is None:
        found: list[dict[Value, None]] = [{} for _ in system.places]
        for s in meaning.initial_states():
            for i, value in enumerate(s):
                found[i][value] = None
        return found
    blank, choices = ways
    found = [{value: None} for value in blank]
    for group in choices:
        for change in group:
            for i, value in change:
                found[i][value] = None
    return found


def close(system: System, values: list[dict[Value, None]], generators: Sequence[Permutation]) -> None:
    """Add the images of values: what one place may have, its image may have as its image."""
    moves = [(g, permute_places(system, g)) for g in generators]
    waiting = [(i, value) for i, known in enumerate(values) for value in known]
    while waiting:
        i, value = waiting.pop()
        for g, places in moves:
            assert places is not None
            j, image = places[i], permute_value(system.places[i].type, value, g)
            if image not in values[j]:
                values[j][image] = None
                waiting.append((j, image))


def states_with(values: list[dict[Value, None]]) -> list[State]:
    """A few states in which every value comes up where it may."""
    columns = [list(known) for known in values]
    most = max(map(len, columns), default=1)
    return [tuple(column[k % len(column)] for column in columns) for k in range(most)]
