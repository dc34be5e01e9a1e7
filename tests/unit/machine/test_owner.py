"""Owners of one search in one process: they exchange bytes, and count as one engine does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.agree.cluster_cases import MUTEX, ROOT, mutex_states, prepared

from quorbit.engines.explicit.explore import explore
from quorbit.machine.options import SearchOptions
from quorbit.machine.owner import Damaged, Owner, Prepared
from quorbit.machine.run import initial_words, opened
from quorbit.model.system.system import System

OPTIONS = SearchOptions(all_errors=True, native=False)
SMALL = 400  # bytes of a message: many of them
VALUED = ROOT / "examples" / "b" / "SeatBooking.mch"
PARTS = 11


@pytest.fixture
def mutex(tmp_path: Path) -> System:
    file = tmp_path / "mutex.edges"
    file.write_text(MUTEX.format(n=6), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    return found[0]


@contextmanager
def owners_of(system: System, count: int) -> Iterator[list[Owner]]:
    with ExitStack() as stack:
        runs = [stack.enter_context(opened(system, system.properties, OPTIONS)) for _ in range(count)]
        yield [Owner(run, k, count) for k, run in enumerate(runs)]


def begin(owners: list[Owner], epoch: int = 1) -> None:
    for owner in owners:
        owner.abort(0, epoch)
        owner.seed(initial_words(owner.run))


def messages(owners: list[Owner]) -> Iterator[tuple[int, int, bytes]]:
    """Expand the level: sender, receiver and what is sent, which the receiver has not taken."""
    left = [1] * len(owners)
    while any(left):
        for k, owner in enumerate(owners):
            if left[k]:
                left[k] = owner.expand(SMALL, 1.0)
                for j in range(len(owners)):
                    if message := owner.outbox(j):
                        yield k, j, message


def expand(owners: list[Owner]) -> list[list[int]]:
    """How many messages each has got from each."""
    sent = [[0] * len(owners) for _ in owners]
    for k, j, message in messages(owners):
        owners[j].take(message)
        sent[j][k] += 1
    return sent


def prepare(owners: list[Owner], sent: list[list[int]] | None = None) -> list[Prepared]:
    return [owner.prepare(sent[k] if sent else [0] * len(owners)) for k, owner in enumerate(owners)]


def search(owners: list[Owner], levels: list[int], epoch: int) -> tuple[int, int]:
    """Go on to the end; transitions and errors on the way."""
    transitions = errors = 0
    while True:
        told = prepare(owners, expand(owners) if levels else None)
        transitions += sum(p.transitions for p in told)
        errors += sum(p.errors for p in told)
        if not sum(p.found for p in told):
            return transitions, errors
        levels.append(sum(p.found for p in told))
        epoch += 1
        for owner in owners:
            owner.commit(epoch)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_owners_count_as_one(mutex: System, count: int) -> None:
    with owners_of(mutex, count) as owners:
        begin(owners)
        levels: list[int] = []
        transitions, errors = search(owners, levels, 1)
    alone = explore(mutex, mutex.properties, options=OPTIONS).statistics
    assert sum(levels) == mutex_states(6)
    assert (tuple(levels), transitions, errors) == (alone.levels, alone.transitions, alone.errors)


@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_values_keep_their_meaning_on_the_way(symmetry: str) -> None:
    """Owners number interned values as they meet them; in messages they are known by what they are."""
    for file in [VALUED, *sorted((ROOT / "tests" / "models" / "b").glob("*.mch"))[::PARTS]]:
        found = prepared(file, symmetry)
        if found is None:
            continue
        system, plan = found
        with ExitStack() as stack:
            runs = [stack.enter_context(opened(system, system.properties, OPTIONS, plan)) for _ in range(2)]
            owners = [Owner(run, k, 2) for k, run in enumerate(runs)]
            begin(owners)
            levels: list[int] = []
            transitions, errors = search(owners, levels, 1)
        alone = explore(system, system.properties, plan, options=OPTIONS).statistics
        assert (tuple(levels), transitions, errors) == (alone.levels, alone.transitions, alone.errors), file


def two_levels(owners: list[Owner]) -> list[int]:
    begin(owners)
    prepare(owners)
    for owner in owners:
        owner.commit(2)
    told = prepare(owners, expand(owners))
    for owner in owners:
        owner.commit(3)
    return [1, sum(p.found for p in told)]


def test_late_and_repeated_messages_are_dropped(mutex: System) -> None:
    with owners_of(mutex, 2) as owners:
        two_levels(owners)
        kept = list(messages(owners))
        sender, receiver, message = kept[0]
        assert owners[receiver].take(message) > 0
        assert owners[receiver].take(message) == 0, "it comes again"
        for owner in owners:
            owner.abort(2, 4)
        assert owners[receiver].take(message) == 0, "it is of an earlier epoch"
        assert sender != receiver


def test_a_missing_message_is_noticed(mutex: System) -> None:
    with owners_of(mutex, 2) as owners:
        two_levels(owners)
        kept = [m for m in messages(owners) if m[0] == 0]
        owners[1].take(kept[0][2])
        with pytest.raises(Damaged):
            owners[1].prepare([2, 0])
        with pytest.raises(Damaged):
            owners[0].prepare([0, 1])


@pytest.mark.parametrize("place", [0, 40, 64, 80, -3])
def test_a_damaged_message_is_noticed(mutex: System, place: int) -> None:
    with owners_of(mutex, 2) as owners:
        two_levels(owners)
        _, receiver, message = next(iter(messages(owners)))
        damaged = bytearray(message)
        damaged[place] ^= 0x41
        with pytest.raises(Damaged):
            owners[receiver].take(bytes(damaged))
        with pytest.raises(Damaged):
            owners[receiver].take(message[:-8])


def test_an_aborted_level_is_expanded_again(mutex: System) -> None:
    """Some of it was taken already, and what was sent must be sent again."""
    with owners_of(mutex, 3) as owners:
        levels = two_levels(owners)
        for k, (_, j, message) in enumerate(messages(owners)):
            if k % 2:
                owners[j].take(message)
        for owner in owners:
            owner.abort(2, 9)
        transitions, _ = search(owners, levels, 9)
        assert sum(levels) == mutex_states(6)
        assert transitions > 0


@pytest.mark.parametrize("count", [1, 2, 5])
def test_levels_come_back_to_another_number_of_owners(mutex: System, count: int) -> None:
    with owners_of(mutex, 2) as owners, owners_of(mutex, count) as others:
        levels = two_levels(owners)
        for level in range(2):
            for owner in owners:
                at, end = owner.level_start(level), owner.level_start(level + 1)
                while at < end:
                    at, message = owner.export(at, end, SMALL)
                    for other in others:
                        other.restore(message)
            for other in others:
                other.restore_level(level == 1)
        for other in others:
            other.abort(2, 5)
        search(others, levels, 5)
        assert sum(levels) == mutex_states(6)


def test_an_owner_hands_over_what_belongs_to_others(mutex: System) -> None:
    with owners_of(mutex, 1) as alone, owners_of(mutex, 3) as others:
        levels = two_levels(alone)
        for level in range(2):
            for k in (1, 2):
                first, end = alone[0].level_start(level), alone[0].level_start(level + 1)
                _, message = alone[0].export(first, end, 1 << 20, k, 3)
                if message:
                    others[k].restore(message)
                others[k].restore_level(level == 1)
        alone[0].own_again(0, 3)
        shared = [alone[0], *others[1:]]
        for owner in shared:
            owner.abort(2, 5)
        search(shared, levels, 5)
        assert sum(levels) == mutex_states(6)


def test_the_order_of_states_is_shared(mutex: System) -> None:
    with owners_of(mutex, 2) as owners:
        first, second = (owner.tell_state([n]) for owner, n in zip(owners, (3, 5), strict=True))
        assert all(owner.is_before(first, second) and not owner.is_before(second, first) for owner in owners)
