"""``quorbit why``: the lines of a model that break a permutation, or every exchange of two processes that fails."""

from __future__ import annotations

from argparse import Namespace
from math import factorial, prod
from typing import Any

from quorbit.cli.answer import print_json
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import load_options
from quorbit.cli.permutation import parse_permutation
from quorbit.cli.progress import progress_line
from quorbit.detection.detect import Symmetry
from quorbit.detection.netlists.differences import Apart
from quorbit.detection.ranking import Cause, causes_of, kept_apart
from quorbit.detection.why import Breach, moved_start
from quorbit.groups.permutation import show
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import System
from quorbit.pipeline.explanations import explain, restoring_change, revealed, tell_pairs_apart
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.report.text import show_breaches
from quorbit.source.interrupted import Interrupted
from quorbit.source.span import NOWHERE, Span

__all__ = ["run"]

MOST_SHOWN = 12
MOST_CAUSES = 5


def run(options: Namespace) -> int:
    with stoppable(options.timeout) as stopper, progress_line(stopper, "comparing"):
        try:
            return answer(options)
        except Interrupted as reason:
            message = str(reason)
    if options.json:
        print_json({"verdict": "unknown", "message": message})
    else:
        print(f"UNKNOWN: {message}")
    return 3


def answer(options: Namespace) -> int:
    model = load(options.model, load_options(options))
    asked = CheckOptions(properties=tuple(options.properties))
    if options.permutation is None:
        return answer_pairs(options, *revealed(model, asked))
    system, found = revealed(model, asked if asked.properties else all_properties(model))
    names = tuple(atom.name for atom in system.atoms)
    words = tuple(f"{atom.sort} {atom.name}" if is_value(atom.sort) else atom.name for atom in system.atoms)
    processes = tuple(a for a, atom in enumerate(system.atoms) if atom.sort == "process")
    wanted = parse_permutation(options.permutation, words, processes)
    g, breaches = explain(system, found.group, wanted)
    change = restoring_change(model, system, wanted, breaches) if breaches else None
    moved = () if breaches else moved_start(system, g)
    apart = tell_pairs_apart(model, system, wanted) if breaches else []
    if options.json:
        print_json(
            {
                "permutation": show(g, names),
                "symmetry": not breaches,
                "start": list(moved),
                "breaches": [breach_object(breach) for breach in breaches],
                "apart": [{**place_object(a.span), "pair": [a.first, a.second], "message": a.message} for a in apart],
                "change": None if change is None else {**place_object(change.span), "message": change.message},
            }
        )
    else:
        advice = found.notes if breaches else ()
        print("\n".join([*advice, show_answer(show(g, names), breaches)]))
        if moved:
            print(f"  it moves the start: {'; '.join(moved[:MOST_SHOWN])}")
        for a in apart:
            print("\n".join(apart_lines(a)))
        if change is not None:
            print(f"  it would be one with this change: {change.message}")
        elif breaches:
            print("  no change of a few conditions, first values or properties was found that would make it one")
    return 1 if breaches else 0


def apart_lines(a: Apart) -> list[str]:
    spans = [span for span in dict.fromkeys((a.span, a.other)) if span.source is not NOWHERE.source]
    lines = [f"  {a.first} and {a.second} are told apart: {a.message}"]
    return [*lines, *(f"    {span}: {span.source.line_text(span.line).strip()}" for span in spans)]


def all_properties(model: Model) -> CheckOptions:
    """Formulas too: whoever asks about one permutation wants to see all that breaks it."""
    return CheckOptions(properties=tuple(dict.fromkeys(p.name for p in model.system.properties)))


def show_answer(permutation: str, breaches: tuple[Breach, ...]) -> str:
    if not breaches:
        return f"{permutation} is a symmetry"
    rows = [(b.span, b.written, b.image, b.message) for b in breaches[:MOST_SHOWN]]
    more = f"\n  ... and {len(breaches) - MOST_SHOWN} more" if len(breaches) > MOST_SHOWN else ""
    return show_breaches(f"{permutation} is not a symmetry:", rows) + more


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


def answer_pairs(options: Namespace, system: System, found: Symmetry) -> int:
    """Atoms that look alike and are in different orbits: what keeps them apart, and what would be gained first."""
    kept = kept_apart(system, found.group)
    causes = causes_of(found.group, kept)
    names = tuple(atom.name for atom in system.atoms)
    if options.json:
        listed = [
            {"permutation": f"({names[k.first]} {names[k.second]})", "breaches": [breach_object(b) for b in k.breaches]}
            for k in kept
        ]
        told = [{**breach_object(c.breach), "times": c.times, "advice": advice(system, c)} for c in causes]
        print_json({"symmetry": not kept, "causes": told, "notes": list(found.notes), "pairs": listed})
    elif not kept:
        print("no two atoms of one kind are kept apart")
    else:
        print("\n".join([first_sentence(system, found, causes), *rest_of(system, found, causes)]))
    return 1 if kept else 0


def first_sentence(system: System, found: Symmetry, causes: list[Cause]) -> str:
    """What to change, and what that would give at most."""
    best, apart = causes[0], sorted({a for cause in causes for pair in cause.pairs for a in pair})
    if found.notes and is_advice(found.notes[0]):
        return f"{found.notes[0]}: {gain(system, [apart])}"
    if best.times > 1:
        return advice(system, best)
    return f"{advice(system, best)}: if all of them say the same of all, there is {gain(system, [apart])}"


def is_advice(note: str) -> bool:
    return "`atomic`" in note or "may block" in note


def rest_of(system: System, found: Symmetry, causes: list[Cause]) -> list[str]:
    lines = [note for note in found.notes[1:] if is_advice(note)]
    for cause in causes[:MOST_CAUSES]:
        breach = cause.breach
        pairs = ", ".join(f"({system.atoms[a].name} {system.atoms[b].name})" for a, b in cause.pairs[:3])
        more = f" and {len(cause.pairs) - 3} more" if len(cause.pairs) > 3 else ""
        row = breach.span, breach.written, breach.image, breach.message
        lines.append(show_breaches(f"{pairs}{more}", [row]))
    left = len(causes) - MOST_CAUSES
    return [*lines, f"... and {left} more"] if left > 0 else lines


def advice(system: System, cause: Cause) -> str:
    span, message = cause.breach.span, cause.breach.message
    where = f"{span}: " if span.source is not NOWHERE.source else ""
    if cause.times == 1:
        return f"{where}{message}, and so do other lines"
    return f"{where}{message}: say the same of all, and there is {gain(system, list(map(list, cause.joined)))}"


def gain(system: System, cells: list[list[int]]) -> str:
    """The group that joining these atoms would give, and how many times fewer states there would be at most."""
    groups = " x ".join(f"S{len(cell)}" for cell in cells)
    names = ", ".join(system.atoms[a].name for a in cells[0][:3])
    more = ", ..." if len(cells[0]) > 3 or len(cells) > 1 else ""
    return f"{groups} on {names}{more}, up to {prod(factorial(len(cell)) for cell in cells):,} times fewer states"
