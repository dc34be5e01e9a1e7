"""Long paths: lifted to a run of the unreduced model by the compiled engine (runtime/follow.h), told when looked at.

To lift and replay a path by the model's meaning takes about a millisecond for each step; a search that goes deep finds
paths of millions.  The engine follows such a path with the bytecode, and the model's meaning looks at both ends of it.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from typing import overload

from quorbit.engines.replay import ReplayError, find_start, replay_part
from quorbit.machine import library
from quorbit.machine.compile.packing import StateLayout, pack_states
from quorbit.machine.library import RunView, u64
from quorbit.machine.path import Path
from quorbit.machine.run import SLICE, Run
from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.system.system import State
from quorbit.result.outcome import Step

LONG = 300  # steps; shorter paths are lifted by the model's meaning alone
REPLAYED = 100  # steps at each end that the model's meaning replays


class FollowedSteps(Sequence[Step]):
    """The steps of a run, each made when it is looked at; ``last``: one more, that ends in a violation."""

    def __init__(self, meaning: Meaning, layout: StateLayout, start: State, view: RunView) -> None:
        self.meaning, self.layout, self.start = meaning, layout, start
        self.path = Path(array("Q", view.states[: view.steps * layout.words]), layout.words)
        self.ends = array("Q", view.ends[: view.steps])
        self.commands = array("I", view.commands[: self.ends[-1]])
        self.last: tuple[Step, ...] = ()
        self.made: tuple[int, State] = (0, start)  # the state that was asked for last: the next step begins in it

    def __len__(self) -> int:
        return len(self.path) + len(self.last)

    @overload
    def __getitem__(self, k: int) -> Step: ...
    @overload
    def __getitem__(self, k: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, k: int | slice) -> Step | tuple[Step, ...]:
        if isinstance(k, slice):
            return tuple(self[j] for j in range(*k.indices(len(self))))
        k = range(len(self))[k]
        if k >= len(self.path):
            return self.last[k - len(self.path)]
        commands = self.commands[self.ends[k - 1] if k else 0 : self.ends[k]]
        before, target = self.state(k), self.state(k + 1)
        return Step(self.firings(before, commands, target), target)

    def state(self, k: int) -> State:
        """The state before step number k."""
        if k != self.made[0]:
            self.made = k, self.path.state(self.layout, k - 1) if k else self.start
        return self.made[1]

    def firings(self, s: State, commands: Sequence[int], target: State) -> tuple[Firing, ...]:
        """The commands with the values of their parameters, which the engine does not tell."""
        listed = self.meaning.system.commands
        if not any(listed[c].parameters for c in commands):
            return tuple(Firing(c, ()) for c in commands)
        waiting: list[tuple[State, tuple[Firing, ...]]] = [(s, ())]
        while waiting:
            at, way = waiting.pop()
            if len(way) == len(commands):
                if at == target:
                    return way
                continue
            command = commands[len(way)]
            for env in self.meaning.bindings(listed[command], at):
                firing = Firing(command, tuple(env[p.name] for p in listed[command].parameters))
                t, violation = self.meaning.fire(at, firing)
                if violation is None:
                    waiting.append((t, (*way, firing)))
        raise ReplayError("a step that the engine has made is not a step of the model")


def can_follow(run: Run, path: Path) -> bool:
    return len(path) > max(1, LONG) and (run.plan is None or run.plan.exact)


def follow(run: Run, path: Path) -> FollowedSteps:
    """The run of the unreduced model along a path of representatives; requires that the plan is exact."""
    runtime, meaning = library.runtime(), Meaning(run.system)
    start = find_start(meaning, path.state(run.layout, 0), run.reduce)[0]
    words, first = (
        (u64 * len(path.words)).from_buffer(path.words),
        (u64 * path.width)(*pack_states(run.layout, [start])),
    )
    handle = runtime.qb_follow_open(run.engine, words, len(path), first)
    if not handle:
        raise MemoryError
    try:
        while (status := runtime.qb_follow_step(handle, SLICE)) == library.RUNNING:
            run.layout.memo.raise_pending()
        run.layout.memo.raise_pending()
        if status == library.MEMORY:
            raise MemoryError
        if status != library.DONE:
            raise ReplayError("a step of the path is not a step of the model")
        view = RunView()
        runtime.qb_follow_view(handle, ctypes.byref(view))
        steps = FollowedSteps(meaning, run.layout, start, view)
    finally:
        runtime.qb_follow_close(handle)
    replay_part(meaning, start, steps[:REPLAYED])
    rest = max(0, len(steps) - REPLAYED)
    replay_part(meaning, steps.state(rest), steps[rest:])
    return steps
