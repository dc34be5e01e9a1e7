"""A permutation in the user's words: cycles of the names of atoms, or of their numbers from 1."""

from __future__ import annotations

import re

from quorbit.groups.permutation import Permutation
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span

__all__ = ["parse_permutation"]

PART = re.compile(r"\s+|\((?P<cycle>[^()]*)\)|,")
POINT = re.compile(r"[^\s,]+")
NUMBERED = re.compile(r"\[(\d+)\]$")


def parse_permutation(
    text: str, names: tuple[str, ...], processes: tuple[int, ...] = (), values: tuple[int, ...] = ()
) -> Permutation:
    """Names go before numbers; the number in a name such as client[2] goes before the place in the list, and that of a
    process before any other.  ``values``: atoms that are values which only have names; the numbers in these are no
    one's."""
    source = Source("<permutation>", text)
    words = {name: k for k, name in enumerate(names)}
    if pids := numbers_in({k: names[k] for k in processes}):
        known = pids | words
    else:
        numbered = numbers_in({k: name for k, name in enumerate(names) if k not in values})
        known = {str(k + 1): k for k in range(len(names))} | numbered | words
    images: dict[int, int] = {}
    at = 0
    while at < len(text):
        part = PART.match(text, at)
        if part is None:
            raise UserError(Span(source, at, at + 1), 'expected cycles of names or numbers, for example "(1 2)(3 4)"')
        if part["cycle"] is not None:
            close_cycle(read_cycle(source, part.start("cycle"), part.end("cycle"), known, images), images)
        at = part.end()
    if not images:
        raise UserError(Span(source, 0, len(text)), 'there is nothing to permute; write for example "(1 2)"')
    return tuple(images.get(a, a) for a in range(len(names)))


def numbers_in(names: dict[int, str]) -> dict[str, int]:
    """The numbers that stand in brackets at the end of one name only."""
    found: dict[str, list[int]] = {}
    for k, name in names.items():
        if match := NUMBERED.search(name):
            found.setdefault(match[1], []).append(k)
    return {number: ks[0] for number, ks in found.items() if len(ks) == 1}


def read_cycle(source: Source, start: int, end: int, known: dict[str, int], images: dict[int, int]) -> list[int]:
    cycle: list[int] = []
    spaced = sorted((name for name in known if " " in name), key=len, reverse=True)
    point = re.compile("|".join([*(rf"{re.escape(name)}(?![^\s,])" for name in spaced), POINT.pattern]))
    for word in point.finditer(source.text, start, end):
        span = Span(source, *word.span())
        if word.group() not in known:
            raise UserError(span, f"there is no {word.group()}; the model has {listed(list(known))}")
        if known[word.group()] in images or known[word.group()] in cycle:
            raise UserError(span, f"{word.group()} occurs twice")
        cycle.append(known[word.group()])
    return cycle


def close_cycle(cycle: list[int], images: dict[int, int]) -> None:
    for a, b in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
        images[a] = b


def listed(names: list[str]) -> str:
    shown = dict.fromkeys(name for name in names)
    return ", ".join(list(shown)[:12]) + (", ..." if len(shown) > 12 else "")
