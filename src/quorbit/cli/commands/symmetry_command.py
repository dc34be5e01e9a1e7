"""``quorbit symmetry``: find the symmetries of a model."""

from __future__ import annotations

from argparse import Namespace

from quorbit.cli.answer import is_coloured, print_json, print_text, write_file
from quorbit.cli.commands import netlist_command
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import load_options
from quorbit.cli.progress import progress_line
from quorbit.cli.unknown import unknown_object
from quorbit.detection.channel_diagram import channel_diagram
from quorbit.detection.reasons.why import Breach
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System
from quorbit.pipeline.explanations import find_missing_soon, first_breaches
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import symmetry
from quorbit.report.as_json import group_object
from quorbit.report.page.check_data import symmetry_page_data
from quorbit.report.page.write import html_page
from quorbit.report.pictures.channels import dot_channel_diagram, draw_channel_diagram
from quorbit.report.pictures.symmetry import draw_symmetry
from quorbit.report.record import Found
from quorbit.report.text import Paint, show_model_symmetry
from quorbit.result.outcome import Statistics
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted
from quorbit.source.span import NOWHERE

__all__ = ["run"]

MOST_PAIRS = 20  # of members of types that are looked at to see what tells them apart
PAGE_SECONDS = 5.0  # to find out what a page shows beside the symmetry


def run(options: Namespace) -> int:
    refuse_diagram(options)
    if options.netlist:
        refuse_with_netlist(options)
        return netlist_command.run(options)
    asked = CheckOptions(properties=tuple(options.properties), strategy=options.strategy)
    with stoppable(options.timeout) as stopper, progress_line(stopper) as line:
        try:
            model = load(options.model, load_options(options))
            result = symmetry(model, asked, line)
        except (Interrupted, MemoryError) as reason:
            return give_up(options, str(reason) or "out of memory")
    write_pictures(options, result, model)
    remarks = remarks_about(model.system, result)
    if options.json:
        print_json({**group_object(result), "remarks": remarks})
    else:
        print_text(show_model_symmetry(result, Paint(is_coloured())))
        for k, remark in enumerate(remarks):
            print(f"{'' if k else 'types':<12}{remark}")
    return 0 if result.order is not None else 3


def remarks_about(loaded: System, result: Found) -> list[str]:
    """What the front end says about types, and of each type whose members are told apart where that is first done."""
    system, apart = result.system, dict[str, str]()
    if loaded.remarks and system is not None:
        for (a, b), _, breach in first_breaches(system, result, MOST_PAIRS):
            apart.setdefault(a.sort, f"{a.sort}: {a.name} and {b.name} are told apart{at(breach)}: {breach.message}")
    return [*loaded.remarks, *apart.values()]


def at(breach: Breach) -> str:
    return "" if breach.span.source is NOWHERE.source else f" in line {breach.span.line}"


def write_pictures(options: Namespace, result: Found, model: Model) -> None:
    if options.html:
        write_page(options, result, model)
    if options.svg:
        write_file(options.svg, draw_symmetry(result))
    if options.diagram:
        write_diagram(options, result)


def write_page(options: Namespace, result: Found, model: Model) -> None:
    """The symmetry, and what tells atoms apart that look alike, if that is found soon."""
    asked = CheckOptions(properties=tuple(options.properties))
    missing = find_missing_soon(model, asked, PAGE_SECONDS)
    write_file(options.html, html_page(symmetry_page_data(str(options.model), result, missing), plain(result)))


def plain(result: Found) -> str:
    return show_model_symmetry(result, Paint())


def write_diagram(options: Namespace, result: Found) -> None:
    """The ending of the file's name tells the format."""
    assert result.system is not None
    diagram = channel_diagram(ground(result.system), options.shared)
    if options.diagram.endswith(".dot"):
        write_file(options.diagram, dot_channel_diagram(diagram, result.group))
    elif options.diagram.endswith((".html", ".htm")):
        write_file(
            options.diagram, html_page(symmetry_page_data(str(options.model), result, (), diagram), plain(result))
        )
    else:
        write_file(options.diagram, draw_channel_diagram(diagram, result.group))


def refuse_with_netlist(options: Namespace) -> None:
    for name in ("html", "svg", "diagram", "timeout"):
        if getattr(options, name):
            raise UserError(None, f"--{name} cannot be combined with --netlist")
    if options.strategy != "auto":
        raise UserError(None, "--strategy cannot be combined with --netlist")


def refuse_diagram(options: Namespace) -> None:
    if options.shared and not options.diagram:
        raise UserError(None, "--shared is about the diagram; it needs --diagram FILE")
    if options.diagram and not options.diagram.endswith((".svg", ".dot", ".html", ".htm")):
        raise UserError(None, f"{options.diagram}: the name of a diagram ends in .svg, .dot or .html")


def give_up(options: Namespace, reason: str) -> int:
    if options.json:
        unknown = unknown_object(options.model, reason, Statistics())
        print_json({**unknown["symmetry"], "verdict": "unknown", "message": reason, "degree": None, "orbits": []})
    else:
        print(f"UNKNOWN: {reason}")
    return 3
