"""Why atoms are kept apart: the answers of ``quorbit why``, as records, as text and as JSON."""

from __future__ import annotations

from math import factorial, prod
from typing import Any

from quorbit.detection.netlists.differences import Apart
from quorbit.detection.reasons.ranking import Cause, Kept
from quorbit.detection.reasons.why import TELLS_APART, Breach
from quorbit.detection.restore import Change
from quorbit.detection.reveal import COUNTS, NOT_IDENTITIES
from quorbit.groups.unionfind import UnionFind
from quorbit.report.text import show_breaches
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Held", "WhyApart", "WhyNot"]

MOST_SHOWN = 12
MOST_CAUSES = 5
FEW_CAUSES = 2
MOST_NOTES = 3


@frozen
class WhyNot:
    """Why one permutation is not a symmetry, if anything breaks it.

    start   what of the initial states it moves, if it is a symmetry
    apart   of the latches and inputs of a circuit that it moves, those that differ from their images, and where
    change  the smallest change found that would make it a symmetry
    """

    permutation: str
    breaches: tuple[Breach, ...] = ()
    start: tuple[str, ...] = ()
    apart: tuple[Apart, ...] = ()
    change: Change | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_symmetry(self) -> bool:
        return not self.breaches

    def __str__(self) -> str:
        lines = list(self.notes) if self.breaches else []
        lines.append(show_answer(self.permutation, self.breaches))
        if self.start:
            lines.append(f"  it moves the start: {'; '.join(self.start[:MOST_SHOWN])}")
        lines += [line for a in self.apart for line in apart_lines(a)]
        if self.change is not None:
            lines.append(f"  it would be one with this change: {self.change.message}")
        elif self.breaches:
            lines.append("  no change of a few conditions, first values or properties was found that would make it one")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        change = self.change
        return {
            "permutation": self.permutation,
            "symmetry": self.is_symmetry,
            "start": list(self.start),
            "breaches": [breach_object(breach) for breach in self.breaches],
            "apart": [{**place_object(a.span), "pair": [a.first, a.second], "message": a.message} for a in self.apart],
            "change": None if change is None else {**place_object(change.span), "message": change.message},
        }

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


@frozen
class Held:
    """What it gives, as was tried, to put some loops into ``atomic``: the group and the processes that it moves."""

    loops: tuple[Span, ...]
    structure: str
    processes: tuple[str, ...]
    order: int | None  # None: beyond reach

    def __str__(self) -> str:
        lines = sorted({span.line for span in self.loops})
        what = f"the loop at line {lines[0]}" if len(lines) == 1 else f"the loops at lines {', '.join(map(str, lines))}"
        shown = ", ".join((*self.processes[:3], *(["..."] if len(self.processes) > 3 else [])))
        times = "" if self.order is None else f", up to {self.order:,} times fewer states"
        given = f"{self.structure} on {shown}{times}"
        return f"{self.loops[0]}: put {what} into `atomic`, where nobody sees how far it is: {given}"


@frozen
class WhyApart:
    """What keeps atoms of one kind apart: every pair, and the causes, the one that would give most first; ``held``:
    what it gives to put loops into ``atomic``, if that gives something."""

    names: tuple[str, ...]  # of the atoms
    kept: tuple[Kept, ...]
    causes: tuple[Cause, ...]
    notes: tuple[str, ...] = ()
    held: Held | None = None

    @property
    def is_symmetry(self) -> bool:
        """No two of them are kept apart."""
        return not self.kept

    def __str__(self) -> str:
        if self.is_symmetry:
            return "no two atoms of one kind are kept apart"
        return "\n".join([first_sentence(self), *rest_of(self)])

    def to_json(self) -> dict[str, Any]:
        names = self.names
        listed = [
            {"permutation": f"({names[k.first]} {names[k.second]})", "breaches": [breach_object(b) for b in k.breaches]}
            for k in self.kept
        ]
        told = [{**breach_object(c.breach), "times": c.times, "advice": advice(names, c)} for c in self.causes]
        advice_of_loops = None if self.held is None else {**place_object(self.held.loops[0]), "advice": str(self.held)}
        return {
            "symmetry": self.is_symmetry,
            "causes": told,
            "notes": list(self.notes),
            "pairs": listed,
            "loops": advice_of_loops,
        }

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


def show_answer(permutation: str, breaches: tuple[Breach, ...]) -> str:
    if not breaches:
        return f"{permutation} is a symmetry"
    rows = [(b.span, b.written, b.image, b.message) for b in breaches[:MOST_SHOWN]]
    more = f"\n  ... and {len(breaches) - MOST_SHOWN} more" if len(breaches) > MOST_SHOWN else ""
    return show_breaches(f"{permutation} is not a symmetry:", rows) + more


def apart_lines(a: Apart) -> list[str]:
    spans = [span for span in dict.fromkeys((a.span, a.other)) if span.source is not NOWHERE.source]
    lines = [f"  {a.first} and {a.second} are told apart: {a.message}"]
    return [*lines, *(f"    {span}: {span.source.line_text(span.line).strip()}" for span in spans)]


def breach_object(breach: Breach) -> dict[str, Any]:
    return {
        **place_object(breach.span),
        "written": breach.written,
        "image": breach.image,
        "message": breach.message,
    }


def place_object(span: Span) -> dict[str, Any]:
    known = span.source is not NOWHERE.source
    return {
        "file": span.file if known else None,
        "line": span.line if known else None,
        "column": span.column if known else None,
    }


def first_sentence(why: WhyApart) -> str:
    """What to change, and what that would give at most."""
    best, apart = why.causes[0], kinds_apart(why)
    if why.held is not None:
        return str(why.held)
    if why.notes and is_about_steps(why.notes[0]):
        return f"{why.notes[0]}; {without_that(why.names, apart)}"
    looked = [note for note in why.notes if note.endswith(NOT_IDENTITIES)]
    if looked and best.breach.message.endswith(TELLS_APART):
        return f"{looked[0]}; {without_that(why.names, apart)}"
    if best.times > 1:
        return advice(why.names, best)
    if len(why.causes) <= FEW_CAUSES and not best.breach.message.endswith(TELLS_APART):  # a line and its counterpart
        return f"{advice(why.names, best)}: if all of them say the same of all, there is {gain(why.names, apart)}"
    return f"{advice(why.names, best)}, so that no single change makes {some_of(why.names, apart)} interchangeable"


def without_that(names: tuple[str, ...], apart: list[list[int]]) -> str:
    return f"without that, if nothing else keeps them apart, there is {gain(names, apart)}"


def kinds_apart(why: WhyApart) -> list[list[int]]:
    """The atoms that are kept apart, those of one kind together: these are compared in pairs."""
    kinds = UnionFind(len(why.names))
    pairs = [pair for cause in why.causes for pair in cause.pairs]
    for a, b in pairs:
        kinds.unite(a, b)
    found: dict[int, list[int]] = {}
    for a in sorted({a for pair in pairs for a in pair}):
        found.setdefault(kinds.find(a), []).append(a)
    return list(found.values())


def is_about_steps(note: str) -> bool:
    return note.endswith(COUNTS) or "may block" in note


def rest_of(why: WhyApart) -> list[str]:
    lines = [note for note in why.notes[1:] if is_about_steps(note)]
    if len(lines) > MOST_NOTES:
        lines = [*lines[:MOST_NOTES], f"... and {len(lines) - MOST_NOTES} more lines of this kind"]
    for cause in why.causes[:MOST_CAUSES]:
        breach = cause.breach
        pairs = ", ".join(f"({why.names[a]} {why.names[b]})" for a, b in cause.pairs[:3])
        more = f" and {len(cause.pairs) - 3} more" if len(cause.pairs) > 3 else ""
        row = breach.span, breach.written, breach.image, breach.message
        lines.append(show_breaches(f"{pairs}{more}", [row]))
    left = len(why.causes) - MOST_CAUSES
    return [*lines, f"... and {left} more"] if left > 0 else lines


def advice(names: tuple[str, ...], cause: Cause) -> str:
    span, message = cause.breach.span, cause.breach.message
    where = f"{span}: " if span.source is not NOWHERE.source else ""
    if cause.times == 1:
        return f"{where}{message}; other lines keep them apart as well"
    return f"{where}{message}: say the same of all, and there is {gain(names, list(map(list, cause.joined)))}"


def gain(names: tuple[str, ...], cells: list[list[int]]) -> str:
    """The group that joining these atoms would give, and how many times fewer states there would be at most."""
    groups = " x ".join(f"S{len(cell)}" for cell in cells)
    times = prod(factorial(len(cell)) for cell in cells)
    return f"{groups} on {some_of(names, cells)}, up to {times:,} times fewer states"


def some_of(names: tuple[str, ...], cells: list[list[int]]) -> str:
    more = ", ..." if len(cells[0]) > 3 or len(cells) > 1 else ""
    return ", ".join(names[a] for a in cells[0][:3]) + more
