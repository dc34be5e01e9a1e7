"""A very long run told in terms of the System as it was loaded (translate.py), by one look at each step.

The commands of a step are known by what they keep: label, place in the text, actors.  Where several commands of the
loaded System fit, the places that both Systems have decide; where these do not, the run is told as it was searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.engines.translate import Signature, common_places, signatures, what_runs
from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Step, Trace

__all__ = ["is_long", "translate_long"]

MOST_STEPS = 10_000  # longer runs are told as they were searched


def is_long(trace: Trace) -> bool:
    """Whether its steps are made as they are looked at."""
    return not isinstance(trace.steps, tuple)


def translate_long(trace: Trace, special: System, loaded: System) -> Trace | None:
    """The same run, of the loaded System; None if it is too long or a step cannot be told at one look."""
    if what_runs(special) == what_runs(loaded):
        return trace
    if len(trace.steps) > MOST_STEPS:
        return None
    meaning, common = Meaning(loaded), common_places(special, loaded)
    initial = meaning.initial_states()
    starts = [s for s in initial if common(s, trace.start)] or initial
    if len(starts) != 1:
        return None
    wanted, found = remembered(signatures(special)), Finder(meaning)
    s, steps = starts[0], []
    for step in trace.steps:
        ends = list(found.ways(s, [wanted(firing) for firing in step.firings]))
        if len(ends) > 1:
            ends = [end for end in ends if common(end.state, step.state)]
        if not ends:
            return None
        steps.append(ends[0])
        s = ends[0].state
    return Trace(starts[0], tuple(steps)) if common(s, trace.steps[-1].state) else None


def remembered(signature: Callable[[Firing], Signature]) -> Callable[[Firing], Signature]:
    known: dict[Firing, Signature] = {}

    def found(firing: Firing) -> Signature:
        if firing not in known:
            known[firing] = signature(firing)
        return known[firing]

    return found


class Finder:
    """The commands of a System by what they keep."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning
        self.signature = remembered(signatures(meaning.system))
        self.numbers: dict[Signature, list[int]] = {}
        for c, command in enumerate(meaning.system.commands):
            span = command.span
            self.numbers.setdefault((command.label, span.file, span.start, span.end), []).append(c)

    def ways(self, s: State, wanted: list[Signature]) -> Iterator[Step]:
        """The ways from a state by commands with these signatures; the last may run into a violation."""
        waiting: list[tuple[State, tuple[Firing, ...]]] = [(s, ())]
        while waiting:
            at, way = waiting.pop()
            for firing in self.firings(at, wanted[len(way)]):
                t, violation = self.meaning.fire(at, firing)
                longer = (*way, firing)
                if len(longer) == len(wanted):
                    yield Step(longer, t)
                elif violation is None:
                    waiting.append((t, longer))

    def firings(self, s: State, wanted: Signature) -> Iterator[Firing]:
        commands = self.meaning.system.commands
        for c in self.numbers.get(wanted[:4], ()):
            for env in self.meaning.bindings(commands[c], s):
                firing = Firing(c, tuple(env[p.name] for p in commands[c].parameters))
                if self.signature(firing) == wanted:
                    yield firing
