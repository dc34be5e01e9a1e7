"""``quorbit formulas``: the formulas whose verdict follows from that of one formula."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from quorbit.cli.answer import print_json
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import load_options
from quorbit.cli.progress import progress_line
from quorbit.detection.derived import Derived
from quorbit.logic.formulas.subformulas import SubformulaClass
from quorbit.model.meaning.show import show_expression
from quorbit.model.system.formula import Formula
from quorbit.model.system.formula_text import show
from quorbit.pipeline.formulas import formulas, readings
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]


def run(options: Namespace) -> int:
    asked = CheckOptions(properties=tuple(options.properties))
    if options.parsed:
        return show_readings(readings(load(options.model, load_options(options)), asked), options.json)
    with stoppable(options.timeout) as stopper, progress_line(stopper):
        try:
            found = formulas(load(options.model, load_options(options)), asked, options.most)
        except (Interrupted, MemoryError) as reason:
            print(f"UNKNOWN: {reason}")
            return 3
    if options.json:
        print_json({"formulas": [derived_object(one) for one in found]})
    else:
        print("\n\n".join(show_derived(one) for one in found))
    return 0


def show_readings(found: list[tuple[str, str]], as_json: bool) -> int:
    if as_json:
        print_json({"formulas": [{"property": name, "parsed": text} for name, text in found]})
    else:
        print("\n".join(f"{name}\n  {text}" for name, text in found))
    return 0


def derived_object(found: Derived) -> dict[str, Any]:
    return {
        "formula": text_of(found, found.formula),
        "decides": [text_of(found, member.formula) for member in found.others.members],
        "complete": found.others.complete,
        "classes": [class_object(found, c) for c in found.classes],
        "joined_classes": [class_object(found, c) for c in found.joined_classes],
    }


def class_object(found: Derived, c: SubformulaClass) -> list[str]:
    return [text_of(found, member.formula) for member in c.members]


def text_of(found: Derived, formula: Formula) -> str:
    return show(formula, lambda e: unbracketed(show_expression(found.system, e)))


def unbracketed(text: str) -> str:
    """Without a pair of brackets round the whole."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text[1:-1] if text.startswith("(") and k == len(text) - 1 else text
    return text


def show_derived(found: Derived) -> str:
    lines = [text_of(found, found.formula)]
    members = found.others.members
    lines.append("  has the same verdict as" if members else "  decides no other formula by symmetry")
    lines += [f"    {text_of(found, member.formula)}" for member in members]
    if not found.others.complete:
        lines.append("    ... and more (--most N lists more)")
    lines += show_classes(found, "its parts that symmetries of the model carry into each other", found.classes)
    if found.joined_classes != found.classes:
        lines += show_classes(found, "of these by symmetries of model and formula", found.joined_classes)
    return "\n".join(lines)


def show_classes(found: Derived, title: str, classes: tuple[SubformulaClass, ...]) -> list[str]:
    listed = ["    { " + ", ".join(class_object(found, c)) + " }" for c in classes]
    return [f"  {title}", *listed] if listed else []
