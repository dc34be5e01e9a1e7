"""What symmetry says about the run: which atoms are interchangeable in a state, its representative, and by which
permutation the search would go on from the representative after each step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from quorbit.canon.alike import Alike
from quorbit.canon.minimise import Reduce, reducer
from quorbit.engines.simulate.shadow import Shadow
from quorbit.explorer.exploration import Run
from quorbit.groups.permutation import Permutation, compose, identity, inverse, show
from quorbit.model.meaning.evaluate import BoundExceeded, Firing, Meaning
from quorbit.model.specialise.fields.field import without_fields
from quorbit.model.system.system import State, System, Temporal
from quorbit.pipeline.case import Case
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.report.record import Found
from quorbit.report.told import Teller
from quorbit.source.frozen import replace

Data = dict[str, Any]
MOST_MOVES = 60  # whose orbits are compared
PATIENCE = 0.1  # seconds of one answer; the page asks again


def find_case(system: System) -> Case:
    """The symmetry that the safety properties leave, as a check would use it on states as they are stored."""
    safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
    return prepare(without_fields(system), safety, CheckOptions())


class Orbits:
    """Follows runs of one System in the System that is searched, state by state.

    Requires: the case has a plan.  Raises BeyondReach where the group is too large for plans."""

    def __init__(self, system: System, case: Case) -> None:
        assert case.plan is not None
        assert case.layout is not None
        assert isinstance(case.symmetry, Found)
        self.case, self.symmetry = case, case.symmetry
        self.order = case.symmetry.order
        self.meaning = Meaning(system)  # of its own, for a Meaning remembers things and steps are taken meanwhile
        self.shadow = Shadow(system, case.system)
        self.reduce: Reduce = reducer(case.layout, case.plan)
        self.alike = Alike(case.layout, case.symmetry.group)
        self.teller = Teller(Meaning(told_alike(case.system, system)))
        self.names = tuple(atom.name for atom in case.system.atoms)
        self.followed: list[tuple[object, State | None]] = []  # steps of the run as far as it was followed

    def follow(self, run: Run, upto: int) -> bool:
        """Follow the run so far, for a while; False if that was not enough.  What was followed before is not followed
        again."""
        steps: list[object] = [run.start, *run.taken[:upto]]
        known = 0
        while known < min(len(self.followed), len(steps)) and self.followed[known][0] is steps[known]:
            known += 1
        if known < min(len(self.followed), len(run.taken) + 1, len(steps)):
            del self.followed[known:]
        late = time.monotonic() + PATIENCE
        for step in steps[len(self.followed) :]:
            self.followed.append((step, self.next(step)))
            if time.monotonic() > late:
                break
        return len(self.followed) >= len(steps)

    def next(self, step: Any) -> State | None:
        if not self.followed:
            return self.shadow.start(step)
        u = self.followed[-1][1]
        try:
            return None if u is None else self.shadow.step(u, step.firing, step.after)
        except BoundExceeded:
            return None

    def tell(self, run: Run, at: int, firings: Sequence[Firing]) -> Data:
        """Of the state after so many steps, from which these moves lead on."""
        if not self.follow(run, at):
            return {"known": False, "reason": "the run is being followed", "running": True}
        u = self.followed[at][1]
        if u is None:
            return {"known": False, "reason": "this state could not be found in the simplified model that is searched"}
        representative, g = self.leads(u)
        classes = self.alike.classes(u)
        fixing = self.alike.fixing(u)
        return {
            "known": True,
            "alike": [list(found) for found in classes],
            "names": {str(a): self.names[a] for found in classes for a in found},
            "stands_for": None if fixing is None or self.order is None else str(self.order // fixing),
            "is_representative": representative == u,
            "permutation": show(g, self.names),
            "representative": self.compare(u, representative),
            "step": self.step_between(at - 1) if at else None,
            "classes": self.classes_of_moves(run.state_at(at), u, firings),
        }

    def permutations(self, run: Run, first: int) -> Data:
        """Those of the steps from one on, as many as are found in a while."""
        self.follow(run, len(run.taken))
        found: list[str | None] = []
        late = time.monotonic() + PATIENCE
        for k in range(first, min(len(run.taken), len(self.followed) - 1)):
            found.append(self.step_between(k))
            if time.monotonic() > late:
                break
        return {"known": True, "first": first, "steps": found, "complete": first + len(found) >= len(run.taken)}

    def compare(self, u: State, v: State) -> list[list[Any]]:
        """The visible parts of the representative: name, value, and whether the value is another than in the state."""
        here, there = self.teller.state(u), self.teller.state(v)
        return [[name, value, here.get(name) != value] for name, value in there.items()]

    def step_between(self, k: int) -> str | None:
        """The permutation by which the search goes on: it takes the step from the representative of the state before,
        and what it reaches is moved to the representative of the state after."""
        u, v = self.followed[k][1], self.followed[k + 1][1]
        if u is None or v is None:
            return None
        return show(between(self.leads(u)[1], self.leads(v)[1]), self.names)

    def leads(self, u: State) -> tuple[State, Permutation]:
        """The representative and what leads there; nothing moves a state that is the representative."""
        representative, g = self.reduce(u)
        return representative, identity(len(g)) if representative == u else g

    def classes_of_moves(self, s: State, u: State, firings: Sequence[Firing]) -> list[list[int]]:
        """The moves by number, those together that lead to one orbit."""
        found: dict[State, list[int]] = {}
        for number, firing in enumerate(firings[:MOST_MOVES]):
            try:
                t, violation = self.meaning.fire(s, firing)
                v = None if violation else self.shadow.step(u, firing, t)
            except BoundExceeded:
                continue
            if v is not None:
                found.setdefault(self.reduce(v)[0], []).append(number)
        return list(found.values())


def between(g: Permutation, h: Permutation) -> Permutation:
    """First back by g, then by h."""
    return compose(inverse(g), h)


def told_alike(special: System, loaded: System) -> System:
    """The searched System told in the words of the loaded one; what these words compute from its places they cannot."""
    return replace(special, telling=replace(loaded.telling, words=(), inputs=(), hidden=hidden_of(loaded)))


def hidden_of(loaded: System) -> frozenset[str]:
    """Where a state is told by words, the places they are computed from are told instead."""
    return frozenset() if loaded.telling.words else loaded.telling.hidden
