"""Why two lines of a model disturb each other, or why they do not, in words."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.dependence.cases import NOBODY
from quorbit.model.dependence.facts import Facts, bits_of
from quorbit.model.dependence.footprint import Use, commute
from quorbit.model.meaning.show import show_place
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Pair", "dependent_lines", "explain_lines", "lines"]

INVARIANT = 0  # the line of what watches for a broken invariant


@frozen
class Pair:
    """Two lines, whether commands of theirs disturb each other, and why or why not."""

    first: int
    second: int
    dependent: bool
    reasons: tuple[str, ...]


def line_of(facts: Facts, k: int) -> int:
    """The line of a case; 0 for an invariant or where the text is not known."""
    command = facts.cases[k].command
    span: Span = NOWHERE if command == NOBODY else facts.system.commands[command].span
    return INVARIANT if span.source is NOWHERE.source else span.line


def lines(facts: Facts) -> dict[int, list[int]]:
    """The cases of each line."""
    found: dict[int, list[int]] = {}
    for k in range(len(facts.cases)):
        found.setdefault(line_of(facts, k), []).append(k)
    return dict(sorted(found.items()))


def dependent_lines(facts: Facts) -> list[Pair]:
    """All pairs of lines that disturb each other; a line also itself, where two processes may be there."""
    found: dict[tuple[int, int], dict[str, None]] = {}
    for k, row in enumerate(facts.dependent):
        if facts.cases[k].is_fault:
            continue
        for j in bits_of(row):
            if j < k and not facts.cases[j].is_fault:
                continue
            pair = sorted((line_of(facts, k), line_of(facts, j)))
            found.setdefault((pair[0], pair[1]), {}).update(dict.fromkeys(disturbances(facts, k, j)))
    return [Pair(a, b, True, tuple(sorted(reasons))) for (a, b), reasons in sorted(found.items())]


def explain_lines(facts: Facts, first: int, second: int) -> Pair:
    """Two lines, with the reasons."""
    known = lines(facts)
    pairs = [(j, k) for j in known.get(first, ()) for k in known.get(second, ()) if j != k]
    reasons: dict[str, None] = {}
    for j, k in pairs:
        if facts.dependent[j] >> k & 1 or facts.dependent[k] >> j & 1:
            reasons.update(dict.fromkeys(disturbances(facts, j, k)))
    if reasons:
        return Pair(first, second, True, tuple(sorted(reasons)))
    calm = {text: None for j, k in pairs for text in [why_not(facts, j, k)]}
    return Pair(first, second, False, tuple(sorted(calm)))


def disturbances(facts: Facts, j: int, k: int) -> Iterator[str]:
    """What two cases have to do with each other."""
    a, b = facts.cases[j], facts.cases[k]
    for i in sorted(a.uses.keys() & b.uses.keys()):
        if not commute(a.uses[i], b.uses[i]):
            yield both(a.uses[i], b.uses[i], name(facts, i))
    for one, other in ((j, k), (k, j)):
        if facts.disabled_by[other] >> one & 1:
            yield from ends(facts, one, other)


def both(a: Use, b: Use, place: str) -> str:
    if "read" in (a.style, b.style):
        return f"one writes {place}, the other reads it"
    if a.style == b.style == "head":
        return f"both take from the front of {place}"
    if a.style == b.style == "tail":
        return f"both append to {place}"
    return f"both write {place}"


def ends(facts: Facts, one: int, other: int) -> Iterator[str]:
    """Case ``one`` may end that the other can happen: by what it writes and the other asks for."""
    writes, asks = facts.cases[one].writes, facts.cases[other]
    places = set(asks.blind & writes)
    for t in asks.tests:
        if facts.makes_false[t] >> one & 1:
            places |= facts.test_reads[t] & writes
    for i in sorted(places):
        yield f"one writes {name(facts, i)}, on which it depends whether the other can run"


def why_not(facts: Facts, j: int, k: int) -> str:
    a, b = facts.cases[j], facts.cases[k]
    if facts.apart[j] >> k & 1:
        return "they can never run in the same state"
    common = sorted(i for i in a.uses.keys() & b.uses.keys() if {a.uses[i].style, b.uses[i].style} != {"read"})
    for i in common:
        styles = {a.uses[i].style, b.uses[i].style}
        if styles == {"head", "tail"}:
            return f"one appends to {name(facts, i)}, the other takes from its front"
        if styles == {"add"}:
            return f"both only add to {name(facts, i)}"
        if styles == {"set"}:
            return f"both give {name(facts, i)} the same value"
    return "neither touches what the other uses"


def name(facts: Facts, i: int) -> str:
    return show_place(facts.system, facts.system.places[i])
