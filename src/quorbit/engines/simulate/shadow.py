"""A run of the System as it was loaded, followed in the System that a search would use.

Specialising renames values and drops constants, so a state of the one is not one of the other; but a command keeps its
label, its place in the text and its actors (``engines/translate.py``).  So the run is followed step by step: the state
of the specialised System is the one that the same command leads to.

Short names: s, t states of the loaded System; u, v of the specialised one.
"""

from __future__ import annotations

from quorbit.engines.translate import common_places, signatures, what_runs
from quorbit.model.meaning.evaluate import Fault, Firing, Meaning
from quorbit.model.system.system import State, System

__all__ = ["Shadow"]


class Shadow:
    def __init__(self, loaded: System, special: System) -> None:
        self.same = what_runs(loaded) == what_runs(special)
        self.meaning = Meaning(special)
        self.agree = common_places(special, loaded)
        self.of_loaded, self.of_special = signatures(loaded), signatures(special)
        self.known: dict[State, list[tuple[tuple[object, ...], State]]] = {}

    def start(self, s: State) -> State | None:
        """The initial state that s stands for; None if none fits."""
        if self.same:
            return s
        initial = self.meaning.initial_states()
        return next((u for u in initial if self.agree(s, u)), initial[0] if len(initial) == 1 else None)

    def step(self, u: State, firing: Firing, t: State) -> State | None:
        """Where the command of a step that leads to t leads from u; None if no command there is the same."""
        if self.same:
            return t
        wanted = self.of_loaded(firing)
        found = [v for signature, v in self.successors(u) if signature == wanted]
        return next((v for v in found if self.agree(t, v)), found[0] if len(set(found)) == 1 else None)

    def successors(self, u: State) -> list[tuple[tuple[object, ...], State]]:
        if u not in self.known:
            try:
                firings = self.meaning.enabled(u)
                self.known[u] = [(self.of_special(firing), self.meaning.fire(u, firing)[0]) for firing in firings]
            except Fault:
                self.known[u] = []
        return self.known[u]
