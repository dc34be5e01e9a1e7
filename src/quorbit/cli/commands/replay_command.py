"""``quorbit replay``: run a saved trace again and show it; a trace of another model is refused."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from quorbit.cli.answer import is_coloured, print_json
from quorbit.cli.run_files import rerun_file, write_chart
from quorbit.cli.trail_file import refuse_trail, save_trail
from quorbit.engines.simulate.printed import printed
from quorbit.model.meaning.evaluate import FAULTS, Meaning, Violation
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.system import Temporal
from quorbit.pipeline.load import Model
from quorbit.report.as_json import source_object, state_object, told_object
from quorbit.report.saved_trace import SavedTrace, digest_of
from quorbit.report.steps import show_step
from quorbit.report.text import Paint
from quorbit.report.told import show_told
from quorbit.report.trace import Moved, describe_step
from quorbit.report.trace_text import how_it_goes_on
from quorbit.result.outcome import Trace

__all__ = ["run"]

Shown = tuple[Moved, str]  # a step, and what it prints


def run(options: Namespace) -> int:
    model, saved, trace, violation = rerun_file(options.model, options.trace_file)
    if options.trail:
        refuse_trail(options.model, saved.options.language)
        save_trail(options.trail, model.path, model.options, model.system, trace, saved.property)
    steps = describe(model, trace)
    if options.json:
        print_json(replay_object(model, saved, trace, violation, steps))
    else:
        show(model, saved, trace, violation, steps)
    if options.chart and not (options.json and options.chart == "-"):
        write_chart(options.chart, model.system, trace, options.chart_all)
    return 1 if is_error(model, saved, violation) else 0


def is_error(model: Model, saved: SavedTrace, violation: Violation | None) -> bool:
    """What is wrong at the end is seen again; what a formula says about the whole run is believed."""
    safety = {FAULTS, *(p.name for p in model.system.properties if not isinstance(p, Temporal))}
    return violation is not None or bool(saved.property and saved.property not in safety)


def describe(model: Model, trace: Trace) -> list[Shown]:
    """Every command of the run as a step of its own.  A run that goes on goes past its assertions."""
    meaning, passing = Meaning(model.system), Meaning(without_assertions(model.system))
    found: list[Shown] = []
    s = trace.start
    for step in trace.steps:
        for n, firing in enumerate(step.firings, 1):
            t = step.state if n == len(step.firings) else passing.fire(s, firing)[0]
            found.append((describe_step(meaning, s, (firing,), t), printed(meaning, s, firing)))
            s = t
    return found


def show(model: Model, saved: SavedTrace, trace: Trace, violation: Violation | None, steps: list[Shown]) -> None:
    paint = Paint(is_coloured())
    print(f"  0: start  {show_told(model.system, trace.start)}")
    for k, (moved, text) in enumerate(steps, 1):
        print(show_step(k, moved, paint))
        print(text, end="" if not text or text.endswith("\n") else "\n")
    if saved.digest and saved.digest != digest_of(model.path):
        print("note: the model has changed since the trace was written; the trace is still a run of it")
    if trace.loop is not None:
        print(f"and so on forever: {how_it_goes_on(trace)}")
    if is_error(model, saved, violation):
        print(f"{paint('FAILS', 'red')}: {ending(saved, violation)}")
    elif saved.property:
        print(f"{saved.property} is no longer violated at the end of this trace")
    last = steps[-1][0].state if steps else trace.start
    print(f"state after {len(steps)} steps: {show_told(model.system, last)}")


def ending(saved: SavedTrace, violation: Violation | None) -> str:
    if violation is not None:
        return f"{violation.property} ({violation.message})"
    return f"{saved.property} ({saved.message})" if saved.message else saved.property


def replay_object(
    model: Model, saved: SavedTrace, trace: Trace, violation: Violation | None, steps: list[Shown]
) -> dict[str, Any]:
    path = str(model.path)
    first = {"command": "start", "actors": [], "source": {"file": path, "line": None}}
    wrong = is_error(model, saved, violation)
    return {
        "replays": True,
        "verdict": "fails" if wrong else None,
        "property": violation.property if violation else saved.property if wrong else "",
        "message": violation.message if violation else saved.message if wrong else "",
        "changed": bool(saved.digest) and saved.digest != digest_of(model.path),
        "steps": len(steps),
        "loop": trace.loop,
        "printed": "".join(text for _, text in steps),
        "trace": [
            {**first, "state": state_object(model.system, trace.start)},
            *(step_object(model, moved, text) for moved, text in steps),
        ],
        "model": path,
    }


def step_object(model: Model, moved: Moved, text: str) -> dict[str, Any]:
    return {
        "command": moved.label,
        "commands": list(moved.commands),
        "actors": list(moved.actors),
        "source": source_object(moved.span, str(model.path)),
        "state": state_object(model.system, moved.state),
        **told_object(moved),
        "printed": text,
    }
