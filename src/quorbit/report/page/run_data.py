"""A run as data for a page: what is visible of the first state, and row by row who did what and what changed.

A row is one command; those of one step of the model (an atomic section) share its number.  A state is never repeated:
rows have what changed, by the numbers of the visible parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quorbit.model.meaning.evaluate import Firing, Meaning, Violation
from quorbit.model.system.system import State, System
from quorbit.model.system.types import QueueOf
from quorbit.report.page.sources import Sources
from quorbit.report.pictures.messages import Event, events_of, queues_of
from quorbit.report.told import Teller
from quorbit.report.trace import Said, shown_pieces, tell_step
from quorbit.result.outcome import Trace

__all__ = ["RunTeller"]

MOST_STEPS = 5000  # of a trace that are told; of a longer one the beginning and the end
Row = dict[str, Any]


class RunTeller:
    """Tells the runs of one System."""

    def __init__(self, system: System, path: Path) -> None:
        self.system = system
        self.teller = Teller(Meaning(system))
        self.sources = Sources(system, path)

    def values(self, s: State) -> list[str]:
        """Every visible part of a state, in the order of ``parts``."""
        teller = self.teller
        return [*(teller.value(i, s[i]) for i in teller.visible), *(read(s, {}) for _, read in teller.words)]

    def parts(self) -> list[Row]:
        """The visible parts of a state: their names, whose they are and what they are called there."""
        words = [{"name": name, "owner": None, "label": name} for name, _ in self.teller.words]
        return [*map(self.part, self.teller.visible), *words]

    def part(self, i: int) -> Row:
        place, name = self.system.places[i], self.teller.name(i)
        if len(place.owners) != 1 or isinstance(place.type, QueueOf) or place.owners[0] < 0:
            return {"name": name, "owner": None, "label": name}
        label = place.variable.split(".", 1)[-1] if self.system.telling.owned else place.variable
        return {
            "name": name,
            "owner": self.system.atom_name(place.owners[0]),
            "label": label + "".join(f"[{k}]" for k in place.indices),
        }

    def changes(self, before: State, after: State) -> list[list[Any]]:
        """The numbers of the parts that changed, with their new values."""
        if before == after:
            return []
        teller = self.teller
        pairs = enumerate(teller.visible)
        found: list[list[Any]] = [[k, teller.value(i, after[i])] for k, i in pairs if before[i] != after[i]]
        words = (
            (k, read(before, {}), read(after, {})) for k, (_, read) in enumerate(teller.words, len(teller.visible))
        )
        return [*found, *([k, new] for k, old, new in words if old != new)]

    def row(self, number: int, s: State, firing: Firing, t: State, violation: Violation | None = None) -> Row:
        """One command of step ``number``."""
        moved = tell_step(self.teller, s, (firing,), t)
        command, changes = self.system.commands[firing.command], self.changes(s, t)
        wrong = {} if violation is None else {"violation": self.violation(violation)}
        return {
            "step": number,
            "actors": list(moved.actors),
            "text": moved.text,
            "statements": [self.said(said) for said in moved.statements],
            "changes": changes,
            "messages": [self.message(event) for event in events_of(self.system, s, t)],
            "quiet": not changes and bool(command.actors) and not command.performs,
            **wrong,
        }

    def said(self, said: Said) -> list[Any]:
        return [said.actor, said.text, self.sources.place(said.span)]

    def message(self, event: Event) -> list[Any]:
        return [event.kind, event.queue, event.channel, event.at, event.text]

    def violation(self, violation: Violation) -> Row:
        place = self.sources.place(violation.span)
        return {"property": violation.property, "message": violation.message, "place": place}

    def head(self, start: State) -> Row:
        """What a page must know before the rows."""
        return {
            "parts": self.parts(),
            "start": self.values(start),
            "queues": [[i, size] for i, size in queues_of(self.system, start).items()],
            "atoms": [[atom.name, atom.sort] for atom in self.system.atoms],
            "acting": any(command.actors for command in self.system.commands),
            "synchronous": self.system.synchronous,
        }

    def run(self, trace: Trace) -> Row:
        """A whole run."""
        rows = list(self.rows(trace))
        told = [row for k, row in enumerate(rows) if not is_left_out(rows, k)]
        return {**self.head(trace.start), "rows": told, "loop": trace.loop, "steps": len(trace.steps)}

    def rows(self, trace: Trace) -> Iterator[Row]:
        passed = 0
        for piece in shown_pieces(trace, MOST_STEPS):
            if piece.passed > passed:
                yield {"gap": piece.passed - passed, "values": self.values(piece.start), "step": piece.passed}
            s = piece.start
            for number, step in enumerate(piece.steps, piece.passed + 1):
                for k, firing in enumerate(step.firings):
                    last = k + 1 == len(step.firings)
                    t, violation = self.teller.meaning.fire(s, firing)
                    t = step.state if last else t
                    yield self.row(number, s, firing, t, violation if last else None)
                    s = t
            passed = piece.passed + len(piece.steps)


def is_left_out(rows: list[Row], k: int) -> bool:
    """Of several commands of a step those that perform nothing the author wrote, and change nothing visible."""
    if not rows[k].get("quiet"):
        return False
    around = [rows[j]["step"] for j in (k - 1, k + 1) if 0 <= j < len(rows)]
    return rows[k]["step"] in around
