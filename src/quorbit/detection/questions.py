"""The symmetries that each of many questions about one System leaves, for as long as there is time.

What is asked for decides what is a symmetry: G joined with the formulas [M97, 5.5].  The search runs in a process of
its own, so that it ends when it should; what it found by then is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from quorbit.detection.detect import (
    Symmetry,
    Written,
    detect_in_instances,
    keeping_the_start,
    likely_group,
    written_as_meant,
)
from quorbit.detection.functions.sizes import is_too_large
from quorbit.detection.indices import decode_indices, gaining
from quorbit.groups.chain import order
from quorbit.groups.group import Group
from quorbit.model.specialise.fields.decode import Decoded, decode
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import Property, System
from quorbit.source.frozen import frozen, replace
from quorbit.source.isolate import CAN_FORK, Limits, Send, run_isolated

__all__ = ["Left", "groups_of"]

STARVED = 12  # times as long as it computes, the search may last
MANY = 2  # questions, of which it is asked first whether all have the same symmetries
SHARE = 8  # of the time that is left, it may last a part


@frozen
class Left:
    """The symmetries that a question leaves: None where time ran out; and those of the circuit with its indices
    decoded, where they are more."""

    group: Group | None = None
    decoded: Symmetry | None = None


def groups_of(
    system: System, questions: Sequence[tuple[Property, ...]], seconds: float, left: float | None = None
) -> list[Left]:
    """The group on the atoms that keeps the steps and the properties of each question, found in so many seconds of
    computing, and a small share of those that are left.

    Of a circuit the initial states need not be kept: who uses the group starts from their representatives.  They are
    kept where nothing is asked, for then the group is used to carry answers from one formula to another."""
    found = [Left()] * len(questions)
    if not CAN_FORK:
        return found

    def work(send: Send) -> None:
        known: dict[int, Group] = {}
        for k, (properties, symmetry) in enumerate(zip(questions, symmetries_of(system, questions), strict=True)):
            keeps_start = not (system.synchronous and properties)
            group = keeping_the_start(system, symmetry) if keeps_start else symmetry.group
            send((k, group.degree, tuple(group.moves), ()))
            if not keeps_start and not is_too_large(system):
                known[k] = group
        for k, group in worth_decoding(system, known, questions):
            decoded = decode_indices(replace(system, properties=questions[k]), group)
            if decoded is not None and decoded.decoded is not None:
                send((k, decoded.group.degree, tuple(decoded.group.moves), decoded.decoded.fields))

    longest = STARVED * seconds if left is None else min(STARVED * seconds, left / SHARE)
    for k, degree, moves, fields in run_isolated(work, Limits(longest, seconds)).told:
        group = Group(degree, moves=moves)
        decoded = decode(replace(system, properties=questions[k]), fields) if fields else None
        found[k] = replace(found[k], group=group) if decoded is None else with_decoded(found[k], group, decoded)
    return found


def worth_decoding(
    system: System, known: dict[int, Group], questions: Sequence[tuple[Property, ...]]
) -> list[tuple[int, Group]]:
    """Of questions that leave one and the same group, those that leave more with indices decoded."""
    groups = list(known.values())
    if len(groups) >= MANY and all(group == groups[0] for group in groups):
        return [(k, known[k]) for k in gaining(system, groups[0], {k: questions[k] for k in known})]
    return list(known.items())


def symmetries_of(system: System, questions: Sequence[tuple[Property, ...]]) -> Iterator[Symmetry]:
    """Those of each question.  What the steps compute is found out once for all of them, if that can be said."""
    listed = tuple(dict.fromkeys(p for asked in questions for p in asked))
    written = written_as_meant(replace(system, properties=listed))
    if written.composed is None:
        is_hopeless = len(questions) < MANY or written_as_meant(replace(system, properties=())).composed is None
        for asked in (replace(system, properties=properties) for properties in questions):
            alone = Written(ground(asked), None) if is_hopeless else written_as_meant(asked)
            yield detect_in_instances(alone, None, meant=True)
    elif (same := same_for_all(written, len(questions))) is not None:
        yield from repeat(same, len(questions))
    else:
        for properties in questions:
            yield detect_in_instances(written.asked([listed.index(p) for p in properties]), None, meant=True)


def same_for_all(written: Written, count: int) -> Symmetry | None:
    """The symmetries of every question, if all have the same: those that keep all properties are symmetries of each
    question, and those of each question keep the steps alone."""
    if count < MANY or written.composed is None:
        return None
    likely = likely_group(written.composed)
    least = detect_in_instances(written, None, meant=True, likely=likely)
    return least if order(likely.group) == order(least.group) else None


def with_decoded(left: Left, group: Group, decoded: Decoded) -> Left:
    return replace(left, decoded=Symmetry(group, decoded=decoded))
