"""A process beside the explorer: ``python -m quorbit.explorer.work``.

It reads the length of a pickled ``Task`` and the ``Task``, and writes lines of JSON: {"progress": ...} while it
computes, at last {"result": ...} or {"error": ...}.  It ends with the process that started it.
"""

from __future__ import annotations

import json
import os
import pickle
import time
from pathlib import Path
from threading import Thread
from typing import Any, TextIO

from quorbit.explorer.state_graph import GraphTooLarge, state_graph
from quorbit.explorer.task import LENGTH, Task
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.pipeline.explanations import find_missing
from quorbit.pipeline.load import Model, load, load_larger
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import MOST_DOUBLINGS, check
from quorbit.report.as_json import check_object
from quorbit.report.page.check_data import figures_of
from quorbit.report.page.symmetry_data import effect_text
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Statistics
from quorbit.source.errors import UserError

EVERY = 0.1  # seconds between two lines of progress
Data = dict[str, Any]


def main() -> None:
    task = pickle.loads(read_exactly(int.from_bytes(read_exactly(LENGTH), "big")))
    assert isinstance(task, Task)
    Thread(target=end_with_the_explorer, daemon=True).start()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints is not a line of ours
    tell = Tell(out)
    try:
        tell.say({"result": answer(task, tell)})
    except UserError as error:
        tell.say({"error": one_line(error)})
    except GraphTooLarge as reason:
        tell.say({"error": str(reason)})
    except MemoryError:
        tell.say({"error": "out of memory"})


def read_exactly(size: int) -> bytes:
    """From the pipe, which stays open."""
    found = b""
    while len(found) < size:
        more = os.read(0, size - len(found))
        if not more:
            os._exit(1)
        found += more
    return found


def end_with_the_explorer() -> None:
    """Its end of the pipe is closed when it ends, however it does.  (The system tells of a parent's death, too, but
    means the thread that started this process, which may end long before.)"""
    os.read(0, 1)
    os._exit(1)


class Tell:
    """Tells how far a search is, now and then; called by the pipeline."""

    def __init__(self, out: TextIO) -> None:
        self.out, self.began, self.last = out, time.monotonic(), 0.0

    def __call__(self, step: str, known: Statistics) -> bool:
        now = time.monotonic()
        if step != "explore" or now - self.last >= EVERY:
            self.last = now
            figures = {"states": known.states, "transitions": known.transitions, "depth": known.depth}
            self.say({"progress": {"step": step, **figures, "seconds": round(now - self.began, 2)}})
        return False

    def say(self, told: Data) -> None:
        self.out.write(json.dumps(told) + "\n")
        self.out.flush()


def one_line(error: UserError) -> str:
    first = error.diagnostics[0].render().splitlines()[0]
    return first.removeprefix("error: ")


def answer(task: Task, tell: Tell) -> Any:
    model = load(Path(task.path), task.options)
    match task.kind:
        case "check":
            return check_results(model, task, tell)
        case "graph":
            return draw_graph(model)
        case "missing":
            return find_missing(model, CheckOptions())
        case _:
            raise ValueError(task.kind)


def check_results(model: Model, task: Task, tell: Tell) -> Data:
    options = CheckOptions(properties=task.properties, symmetry=task.symmetry, search=SearchOptions(por="auto"))
    results = check(model, options, tell)
    return {"verdict": results.verdict, "results": [result_data(result) for result in results.results]}


def result_data(result: CheckResult) -> Data:
    """The answer in short, and the counterexample for the explorer to step through."""
    told = check_object(result)
    effect = effect_text(result.effect, result.symmetry, result.states, result.outcome.engine)
    return {
        "verdict": result.verdict,
        "subject": result.subject,
        "asked": result.asked or "safety",
        "message": result.outcome.message,
        "notes": list(result.notes),
        "figures": figures_of(result),
        "saved": effect,
        "steps": told["trace_steps"],
        "replay": told["replay"],
        "levels": list(result.outcome.statistics.levels),
    }


def draw_graph(model: Model) -> Data:
    for _ in range(MOST_DOUBLINGS):
        try:
            return state_graph(model)
        except BoundExceeded:
            model = load_larger(model)
    raise UserError(None, f"{model.path}: the number of processes grows without bound")


if __name__ == "__main__":
    main()
