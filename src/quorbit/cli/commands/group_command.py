"""``quorbit group``: analyse a permutation group, step by step, so that a very large one still gets its orbits."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from quorbit.cli.answer import is_coloured, print_json, write_file
from quorbit.cli.interrupt import stoppable
from quorbit.cli.progress import progress_line
from quorbit.groups.group import Group
from quorbit.groups.parse import parse_generators
from quorbit.groups.permutation import show
from quorbit.groups.reach import BeyondReach
from quorbit.pipeline.describe import describe_group, minimise_vector, plan_vector
from quorbit.report.as_json import group_object
from quorbit.report.pictures.symmetry import draw_symmetry
from quorbit.report.record import Found
from quorbit.report.text import Paint, show_symmetry
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span

__all__ = ["run"]


def run(options: Namespace) -> int:
    with stoppable(options.timeout) as stopper, progress_line(stopper, "analysing the group"):
        try:
            group = parse_generators(read_generators(options.generators), options.degree)
        except Interrupted as reason:
            return refuse(options, str(reason))
        result, minimised = analyse(group, options)
    if options.svg:
        write_file(options.svg, draw_symmetry(result))
    if options.json:
        print_json({**group_object(result), **minimised})
    else:
        print(show_symmetry(result, Paint(is_coloured())))
        for key, value in minimised.items():
            print(f"{key:11} {value if isinstance(value, str) else ','.join(map(str, value))}")
    return 0 if result.order is not None else 3


def read_generators(text: str) -> Source:
    return read_source(Path(text[1:])) if text.startswith("@") else Source("<generators>", text)


def refuse(options: Namespace, reason: str) -> int:
    if options.json:
        print_json({"verdict": "unknown", "order": None, "structure": "unknown", "message": reason})
    else:
        print(f"UNKNOWN: {reason}")
    return 3


def analyse(group: Group, options: Namespace) -> tuple[Found, dict[str, Any]]:
    """What is found before the time is over; the rest is unknown."""
    result = Found(group, None, "unknown", "unknown", False, "the group is too large to compute")
    minimised: dict[str, Any] = {}
    try:
        order, structure = describe_group(group)
        result = replace(result, order=order, structure=structure)
        plan = plan_vector(group, options.strategy)
        result = replace(result, strategy=plan.name, exact=plan.exact, reason=plan.reason)
        if options.minimise is not None:
            minimised = minimise(group, options)
    except (Interrupted, BeyondReach, MemoryError) as reason:
        result = replace(result, notes=(str(reason) or "out of memory",))
    return result, minimised


def minimise(group: Group, options: Namespace) -> dict[str, Any]:
    s = read_vector(options.minimise, group.degree)
    t, g = minimise_vector(group, s, options.strategy)
    return {"minimised": list(t), "permutation": show(g)}


def read_vector(text: str, degree: int) -> tuple[int, ...]:
    source = Source("<vector>", text)
    found = []
    at = 0
    for word in text.split(","):
        try:
            found.append(int(word))
        except ValueError:
            raise UserError(Span(source, at, at + len(word)), "expected numbers with commas between them") from None
        at += len(word) + 1
    if len(found) != degree:
        raise UserError(Span(source, 0, len(text)), f"{len(found)} numbers are given for {degree} points")
    return tuple(found)
