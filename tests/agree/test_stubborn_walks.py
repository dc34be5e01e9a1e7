"""Stubborn sets by brute force: what others do does not keep a chosen command from running, nor does its order matter.

From every state that is expanded in part we go on by the commands that were left out, and by what these enable, as long
as none of the set is taken.  On that way each command of the set that can run still can, and it leads to the same state
whether it is taken before the next command or after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_partial_order_models import PAST_ERRORS, prepared

from quorbit.engines.partial_order import find_facts, refusal
from quorbit.engines.reference.explore import SAFETY
from quorbit.engines.stubborn import Chooser, Rules
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.system.system import State
from quorbit.pipeline.case import Case
from quorbit.source.frozen import replace

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "models" / "everyday").glob("*.pml"))
MOST = 400  # states of a model that is looked at
FARTHEST = 60  # states of one walk


class Graph:
    """The moves from the states of a System, each found once."""

    def __init__(self, case: Case) -> None:
        self.meaning = Meaning(case.system)
        self.known: dict[State, list[Move]] = {}

    def moves(self, s: State) -> list[Move]:
        if s not in self.known:
            self.known[s] = list(self.meaning.moves(s))
        return self.known[s]

    def after(self, s: State, command: int) -> set[State]:
        return {m.target for m in self.moves(s) if m.firings[0].command == command and m.violation is None}

    def states(self) -> list[State]:
        found = dict.fromkeys(self.meaning.initial_states())
        waiting = list(found)
        while waiting and len(found) <= MOST:
            targets = [m.target for m in self.moves(waiting.pop()) if m.violation is None]
            waiting += [t for t in dict.fromkeys(targets) if t not in found]
            found.update(dict.fromkeys(targets))
        return list(found)


def walk(graph: Graph, s: State, chosen: frozenset[int]) -> Iterator[tuple[State, int, State]]:
    """Steps by commands outside of the set, from s on."""
    waiting, seen = [s], {s}
    while waiting and len(seen) < FARTHEST:
        at = waiting.pop()
        for move in graph.moves(at):
            if move.firings[0].command not in chosen and move.violation is None:
                yield at, move.firings[0].command, move.target
                if move.target not in seen:
                    seen.add(move.target)
                    waiting.append(move.target)


def broken(case: Case, rules: Rules) -> int:
    """How many steps of others keep a chosen command from running, or lead elsewhere in another order."""
    system = case.system
    if refusal(system, system.properties, case.plan, PAST_ERRORS):
        return 0
    graph = Graph(case)
    chooser, states = Chooser(find_facts(system, system.properties, case.plan), graph.meaning, rules), graph.states()
    found = 0
    for s in states if len(states) <= MOST else ():
        can_run = {m.firings[0].command for m in graph.moves(s)}
        chosen = chooser.choose(s, can_run)
        if chosen is not None:
            steps = walk(graph, s, chosen)
            found += sum(not commutes(graph, a, *step) for step in steps for a in chosen & can_run)
    return found


def commutes(graph: Graph, a: int, s: State, b: int, t: State) -> bool:
    """Whether a can still run after b has led from s to t, and leads to where b leads after it."""
    if not any(m.firings[0].command == a for m in graph.moves(t)):
        return False
    return graph.after(t, a) <= {u for first in graph.after(s, a) for u in graph.after(first, b)}


@pytest.mark.parametrize("symmetry", ["off", "auto"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_left_out_can_wait(path: Path, symmetry: str) -> None:
    assert broken(prepared(path, symmetry, LoadOptions()), SAFETY) == 0


@pytest.mark.parametrize("rule", ["dependence", "enabling"])
def test_a_rule_that_is_dropped_is_seen(rule: str) -> None:
    assert any(broken(prepared(path, "off", LoadOptions()), replace(SAFETY, **{rule: False})) for path in FILES)
