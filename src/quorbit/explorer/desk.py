"""What the explorer's page can ask for: the run, the moves, the orbit, searches beside it.  One for each server.

Everything is answered as data for JSON; the server (server.py) only carries it.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock, Thread
from typing import Any

from quorbit.engines.simulate.rerun import DoesNotFit, rerun
from quorbit.explorer.exploration import Exploration
from quorbit.explorer.jobs import Job
from quorbit.explorer.orbit import Orbits, find_case
from quorbit.explorer.state_graph import state_key
from quorbit.explorer.task import Task
from quorbit.explorer.view import list_properties, list_rows, list_starts, view
from quorbit.groups.reach import BeyondReach
from quorbit.model.meaning.evaluate import BoundExceeded, Fault
from quorbit.model.system.system import System
from quorbit.pipeline.case import Case
from quorbit.pipeline.load import Model, load
from quorbit.report.page.run_data import RunTeller
from quorbit.report.page.symmetry_data import symmetry_data
from quorbit.report.page.write import html_page
from quorbit.report.saved_trace import SavedTrace, read_step, read_trace, read_value
from quorbit.report.trace_text import trace_lines
from quorbit.source.errors import UserError
from quorbit.source.version import VERSION

Data = dict[str, Any]
JOBS = ("check", "graph", "missing")
PLAIN_COLUMNS = 100


class Desk:
    """A model on the table.  ``lock``: one request at a time moves the run; the orbit has a lock of its own, for it
    may take longer than a step."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.exploration = Exploration(model, seed)
        self.lock, self.orbit_lock = Lock(), Lock()
        self.jobs: dict[str, Job] = {}
        self.use()

    def use(self) -> None:
        """Another System: it is told by another teller, and its symmetry is looked for."""
        exploration = self.exploration
        self.teller = RunTeller(exploration.system, exploration.model.path)
        self.used = exploration.systems
        self.orbits: Orbits | None = None
        self.symmetry: Data = {"state": "running"}
        Thread(target=self.look_for_symmetry, args=(exploration.system,), daemon=True).start()

    # Symmetry, looked for while the user begins.

    def look_for_symmetry(self, system: System) -> None:
        orbits: Orbits | None = None
        try:
            case = find_case(system)
            told: Data = {"state": "done", "symmetry": symmetry_data(case.symmetry, loaded=system)}
            orbits, reason = ready(system, case)
            told["reason"] = reason
        except BoundExceeded:
            told = {
                "state": "failed",
                "reason": "a run needs more processes than were read; go on, and it is read anew",
            }
        except (UserError, Fault, MemoryError, RecursionError) as error:
            told = {"state": "failed", "reason": str(error) or type(error).__name__}
        with self.orbit_lock:
            if self.exploration.system is system:
                self.symmetry, self.orbits = told, orbits

    # What is asked.

    def session(self) -> Data:
        """All that a page needs to begin."""
        exploration, run = self.exploration, self.exploration.run
        model = exploration.model
        return {
            "kind": "explore",
            "version": VERSION,
            "model": str(model.path),
            "name": Path(model.path).name,
            "systems": exploration.systems,
            "sources": self.teller.sources.to_json(),
            "properties": list_properties(exploration, self.teller),
            "starts": len(list_starts(exploration)),
            "all_starts": exploration.session.all_starts,
            "unread": list(exploration.system.unread),
            "run": {**self.teller.head(run.start), **self.run_data(0)},
        }

    def run_data(self, first: int) -> Data:
        """The run from one step on."""
        run = self.exploration.run
        return {
            "first": first,
            "rows": list_rows(self.exploration, self.teller, first),
            "length": len(run.taken),
            "at": run.at,
            "loop": run.loop,
            "begins": self.teller.values(run.start),
            "undo": len(self.exploration.done),
            "redo": len(self.exploration.undone),
            "systems": self.exploration.systems,
        }

    def view(self, at: int) -> Data:
        at = self.within(at)
        self.exploration.go(at)
        key = state_key(self.exploration.run.state_at(at))
        return {**view(self.exploration, self.teller, at), "key": key}

    def within(self, at: int) -> int:
        return max(0, min(at, len(self.exploration.run.taken)))

    def orbit(self, at: int) -> Data:
        """Requires: the caller does not hold ``lock``, so that steps are answered meanwhile."""
        with self.lock:
            run, at = self.exploration.run, self.within(at)
            firings = self.exploration.choices(at).firings
        with self.orbit_lock:
            if self.symmetry["state"] == "running":
                return {"known": False, "reason": "symmetries are being looked for", "running": True}
            if self.orbits is None:
                return {"known": False, "reason": self.symmetry.get("reason", "")}
            return self.orbits.tell(run, at, firings)

    def permutations(self, first: int) -> Data:
        """By which permutation the search goes on after each step."""
        run = self.exploration.run
        with self.orbit_lock:
            if self.orbits is None:
                return {"known": False}
            return self.orbits.permutations(run, max(0, first))

    def starts(self) -> Data:
        starts = self.exploration.session.starts
        return {"starts": [self.teller.values(starts[k]) for k in list_starts(self.exploration)]}

    # What moves the run; each answers with the run from the step on where it may have changed.

    def step(self, at: int, number: int) -> Data:
        at = self.within(at)
        self.exploration.take(at, number)
        return self.moved(at)

    def walk(self, at: int, steps: int) -> Data:
        at = self.within(at)
        self.exploration.walk(at, max(1, steps))
        return self.moved(at)

    def start(self, number: int) -> Data:
        self.exploration.choose_start(number)
        return self.moved(0)

    def undo(self) -> Data:
        self.exploration.undo()
        return self.moved(0)

    def redo(self) -> Data:
        self.exploration.redo()
        return self.moved(0)

    def draw(self, at: int) -> Data:
        self.exploration.draw_again(self.within(at))
        return self.view(at)

    def moved(self, first: int) -> Data:
        if self.used != self.exploration.systems:
            self.use()
            return self.session()
        return {"run": self.run_data(first), "view": self.view(self.exploration.run.at)}

    # Searches beside the page.

    def begin(self, kind: str, properties: tuple[str, ...] = (), symmetry: str = "auto") -> Data:
        if kind not in JOBS:
            raise UserError(None, f"there is no job {kind}")
        if symmetry not in ("auto", "off"):
            raise UserError(None, "symmetry is auto or off")
        self.stop(kind)
        model = self.exploration.model
        self.jobs[kind] = Job(Task(kind, str(model.path), model.options, properties, symmetry))
        return self.jobs[kind].tell()

    def stop(self, kind: str) -> Data:
        job = self.jobs.get(kind)
        if job is not None:
            job.stop()
        return {} if job is None else job.tell()

    def job(self, kind: str) -> Data:
        """How far a search is; its result once it is done, without what only this side needs."""
        job = self.jobs.get(kind)
        if job is None:
            return {"state": "none"}
        told = job.tell()
        if told["state"] == "done":
            told["result"] = shown_result(kind, job.result)
        return told

    def follow(self, number: int) -> Data:
        """The counterexample of an answer becomes the run."""
        results = self.result_of("check")["results"]
        if not 0 <= number < len(results) or results[number]["replay"] is None:
            raise UserError(None, "this answer has no counterexample that can be stepped through")
        return self.replay(read_trace(results[number]["replay"]))

    def visit(self, number: int) -> Data:
        """A state of the graph becomes the end of the run, reached in as few steps as possible."""
        graph = self.result_of("graph")
        nodes = (graph["unreduced"] or graph["reduced"])["nodes"]
        if not 0 <= number < len(nodes):
            raise UserError(None, f"there is no state number {number}")
        steps: list[Any] = []
        node = nodes[number]
        while node["start"] is None:
            steps.insert(0, node["firings"])
            node = nodes[node["from"]]
        model = self.exploration.model
        start = tuple(read_value(value) for value in node["start"])
        return self.replay(SavedTrace(str(model.path), "", model.options, start, tuple(map(read_step, steps))))

    def result_of(self, kind: str) -> Any:
        job = self.jobs.get(kind)
        if job is None or job.tell()["state"] != "done":
            raise UserError(None, f"there is no answer of {kind} yet")
        return job.result

    def replay(self, saved: SavedTrace) -> Data:
        model = self.exploration.model
        if saved.options != model.options:
            model = load(model.path, saved.options)
        try:
            trace, _ = rerun(model.system, saved.start, saved.steps, saved.loop, saved.property)
        except DoesNotFit as problem:
            raise UserError(None, f"the run does not fit the model any more: {problem}") from None
        self.exploration.follow(model, trace)
        return self.moved(0)

    # A file for a colleague.

    def saved_page(self, at: int) -> str:
        """The run up to where the user stands, as one page."""
        exploration, at = self.exploration, self.within(at)
        exploration.place(at)
        trace = exploration.session.trace()
        problem = exploration.problem(at)
        told = None if problem is None else f"{problem.property}: {problem.message}"
        data = {
            "kind": "trace",
            "version": VERSION,
            "model": str(exploration.model.path),
            "name": Path(exploration.model.path).name,
            "verdict": "fails" if problem else "run",
            "title": told or f"a run of {len(trace.steps)} steps",
            "message": "",
            "saved": "",
            "results": [
                {
                    "verdict": "fails" if problem else "run",
                    "subject": problem.property if problem else "a run",
                    "asked": "",
                    "message": problem.message if problem else "",
                    "notes": [],
                    "figures": [["steps", f"{len(trace.steps):,}"]],
                    "saved": "",
                    "run": self.teller.run(trace),
                    "goes_on": "",
                }
            ],
            "worst": 0,
            "sources": self.teller.sources.to_json(),
            "symmetry": self.symmetry.get("symmetry"),
        }
        return html_page(data, "\n".join(trace_lines(exploration.system, trace, PLAIN_COLUMNS)))

    def close(self) -> None:
        for job in self.jobs.values():
            job.stop()


def ready(system: System, case: Case) -> tuple[Orbits | None, str]:
    """What follows runs through their orbits; or why nothing does."""
    if case.plan is None:
        return None, "the model has no symmetry: every state is its own representative"
    try:
        return Orbits(system, case), ""
    except BeyondReach as reason:
        return None, str(reason)


def shown_result(kind: str, result: Any) -> Any:
    """Replays stay on this side."""
    if kind == "check":
        results = [
            {**{key: value for key, value in r.items() if key != "replay"}, "can_follow": r["replay"] is not None}
            for r in result["results"]
        ]
        return {**result, "results": results}
    if kind == "graph":
        return {key: graph_shown(value) if isinstance(value, dict) else value for key, value in result.items()}
    return result


def graph_shown(graph: Data) -> Data:
    hidden = {"firings", "from", "start"}
    nodes = [
        {**{key: value for key, value in node.items() if key not in hidden}, "initial": node["start"] is not None}
        for node in graph["nodes"]
    ]
    return {**graph, "nodes": nodes}
