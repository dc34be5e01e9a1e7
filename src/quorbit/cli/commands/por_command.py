"""``quorbit por``: which lines of a model disturb each other, and why two of them do or do not."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from quorbit.cli.answer import print_json
from quorbit.cli.options import load_options
from quorbit.engines.partial_order import find_facts, refusal
from quorbit.machine.options import SearchOptions
from quorbit.model.dependence.explain import Pair, dependent_lines, explain_lines, lines
from quorbit.model.dependence.facts import Facts
from quorbit.model.system.command import has_inner_steps
from quorbit.model.system.system import Temporal
from quorbit.pipeline.load import Model, faults_at_the_start, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.source.errors import UserError

__all__ = ["run"]

WIDEST = 60
MOST_REASONS = 3
INDEPENDENT = 1  # the exit code for two lines that do not disturb each other


def run(options: Namespace) -> int:
    model = load(options.model, load_options(options))
    facts, reason = facts_of(model)
    if options.lines:
        return answer_two(options, model, facts)
    pairs = dependent_lines(facts)
    if options.json:
        print_json(answer_object(facts, pairs, reason))
    else:
        print("\n".join(answer_lines(model, facts, pairs, reason)))
    return 0


def facts_of(model: Model) -> tuple[Facts, str]:
    """What is known about the commands, and why nothing could be left out."""
    asked = tuple(p for p in model.system.properties if not isinstance(p, Temporal))
    with faults_at_the_start():
        system = prepare(model.system, asked, CheckOptions(symmetry="off"), None).system
        reason = refusal(system, asked, None, SearchOptions())
        if has_inner_steps(system.commands):
            raise UserError(None, f"{model.path}: {reason}")
        return find_facts(system, asked, None), reason


def answer_two(options: Namespace, model: Model, facts: Facts) -> int:
    if len(options.lines) != 2:
        raise UserError(None, "give two lines, or none to see all that disturb each other")
    first, second = options.lines
    for line in (first, second):
        if line not in lines(facts):
            raise UserError(None, f"{model.path}: no command begins in line {line}")
    pair = explain_lines(facts, first, second)
    if options.json:
        print_json(pair_object(pair))
    else:
        words = "dependent" if pair.dependent else "independent"
        print(f"{words}: {few(pair.reasons)}, lines {first} and {second}")
    return 0 if pair.dependent else INDEPENDENT


def answer_lines(model: Model, facts: Facts, pairs: list[Pair], reason: str) -> list[str]:
    """Each line of the model with the lines it disturbs."""
    found = [f"{len(facts.system.commands)} commands, {share(facts):.0%} of their pairs disturb each other"]
    if reason:
        found.append(f"nothing is left out: {reason}")
    for line in lines(facts):
        others = [p for p in pairs if line in (p.first, p.second)]
        if line == 0:
            continue
        found.append(f"  line {line:<4} {text_of(model, facts, line)}")
        for p in others:
            other = p.second if p.first == line else p.first
            where = "itself, in another process" if other == line else f"line {other}" if other else "an invariant"
            found.append(f"            disturbs {where}: {few(p.reasons)}")
        if not others:
            found.append("            disturbs nothing")
    return found


def few(reasons: tuple[str, ...]) -> str:
    more = len(reasons) - MOST_REASONS
    return "; ".join(reasons[:MOST_REASONS]) + (f"; and {more} more" if more > 0 else "")


def text_of(model: Model, facts: Facts, line: int) -> str:
    for command in facts.system.commands:
        if command.span.line == line:
            text = command.span.source.line_text(line).strip()
            return text if len(text) <= WIDEST else text[: WIDEST - 4] + " ..."
    return ""


def share(facts: Facts) -> float:
    """Of all pairs of cases, those that disturb each other."""
    n = len(facts.cases)
    return sum(row.bit_count() for row in facts.dependent) / (n * (n - 1)) if n > 1 else 0.0


def answer_object(facts: Facts, pairs: list[Pair], reason: str) -> dict[str, Any]:
    return {
        "commands": len(facts.system.commands),
        "cases": len(facts.cases),
        "dependent": round(share(facts), 6),
        "reason": reason,
        "pairs": [pair_object(p) for p in pairs],
    }


def pair_object(p: Pair) -> dict[str, Any]:
    return {"lines": [p.first, p.second], "dependent": p.dependent, "reasons": list(p.reasons)}
