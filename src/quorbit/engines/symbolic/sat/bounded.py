"""Runs of bounded length by a SAT solver: errors, and proofs by induction over k steps.

[Sheeran, Singh, Stålmarck 2000.]  Of runs that symmetries carry into each other only the least are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.sat.clauses import Clauses, Frame
from quorbit.engines.symbolic.sat.symmetry import Cube, Images, LeastRun
from quorbit.model.diagrams.bits import decode
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.system.system import State
from quorbit.result.outcome import Step, Trace
from quorbit.source.frozen import replace


class Unrolled:
    """The first frames of a run, as many as were asked for."""

    def __init__(self, steps: Steps, from_start: bool, symmetries: Sequence[Images] = ()) -> None:
        self.steps, self.from_start = steps, from_start
        self.clauses = Clauses()
        self.frames = [Frame(self.clauses, steps.wide)]
        self.clauses.add([self.frames[0].literal(steps.start if from_start else steps.valid)])
        self.least = LeastRun(self.clauses, symmetries)
        self.least.extend(self.frames[0], steps.state_bits)

    def frame(self, k: int) -> Frame:
        """The state after k steps."""
        while len(self.frames) <= k:
            last = self.frames[-1]
            self.least.extend(last, self.steps.choice_bits)
            self.clauses.add([last.literal(self.steps.guard)])
            given = {b: last.literal(edge) for b, edge in self.steps.following.items()}
            self.frames.append(Frame(self.clauses, self.steps.wide, given))
            if not self.from_start:  # what is known of all states holds there anyway, but need not follow from steps
                self.clauses.add([self.frames[-1].literal(self.steps.valid)])
        return self.frames[k]

    def grant(self, valid: Edge) -> None:
        """More is known of all states.  Requires: runs from any state."""
        if valid != self.steps.valid:
            self.steps = replace(self.steps, valid=valid)
            for frame in self.frames:
                self.clauses.add([frame.literal(valid)])

    def literal_at(self, k: int, f: Edge) -> int:
        """What f is after k steps; of later steps it chooses what these choose.  Requires: the frames of these."""
        at = self.frames[k]
        for later, frame in zip(self.steps.later, self.frames[k + 1 :], strict=False):
            at.give({b: frame.variable(c) for b, c in zip(later, self.steps.choice_bits, strict=True)})
        return at.literal(f)

    def literal_in(self, k: int, n: int) -> int:
        """A literal of a cube, after k steps."""
        bit = self.frames[k].variable(self.steps.state_bits[abs(n) - 1])
        return bit if n > 0 else -bit

    def state(self, k: int) -> State:
        frame, layout = self.frames[k], self.steps.layout
        return tuple(decode(coded, frame.chosen(coded), coded.bits) for coded in layout.places)

    def trace(self, length: int) -> Trace:
        """The run of the last model."""
        steps = []
        for k in range(length):
            parameters = self.steps.system.commands[0].parameters
            listed = [self.steps.layout.parameters[0, p.name] for p in parameters]
            values = tuple(decode(coded, self.frames[k].chosen(coded), coded.bits) for coded in listed)
            steps.append(Step((Firing(0, values),), self.state(k + 1)))
        return Trace(self.state(0), tuple(steps))


def find_error(
    run: Unrolled,
    bad: Edge,
    clock: Clock,
    last: int | None = None,
    beyond: int = 0,
    is_excluded: Callable[[int], bool] = lambda k: False,
) -> Iterator[Trace | None]:
    """For every length from 0 on: the run of this length to a bad state, if there is one, and so many steps beyond.
    ``is_excluded``: whether it is known by now that there is none.  Requires: runs from the start."""
    k = 0
    while last is None or k <= last:
        clock.tick()
        run.frame(k + beyond)
        wrong = run.literal_at(k, bad)
        if not is_excluded(k) and run.clauses.solve([wrong]):
            yield run.trace(k + beyond)
            return
        run.clauses.add([-wrong])
        yield None
        k += 1


def run_along(run: Unrolled, bad: Edge, cubes: Sequence[Cube], beyond: int = 0) -> Trace:
    """A run through cubes of state bits to a bad state, and so many steps beyond.
    Requires: all runs from the start; from every state of a cube a step leads into the next one, or is bad; the first
    has an initial state."""
    last = max(0, len(cubes) - 1)
    run.frame(last + beyond)
    inside = [run.literal_in(k, n) for k, cube in enumerate(cubes) for n in cube]
    there_is_one = run.clauses.solve([*inside, run.literal_at(last, bad)])
    assert there_is_one
    return run.trace(last + beyond)


def prove_by_induction(run: Unrolled, bad: Edge, clock: Clock) -> Iterator[bool]:
    """For every k from 0 on: whether k good states are never followed by a bad one.  Requires: runs from any state."""
    good: list[int] = []
    while True:
        clock.tick()
        wrong = run.frame(len(good)).literal(bad)
        yield not run.clauses.solve([*good, wrong])
        good.append(-wrong)
