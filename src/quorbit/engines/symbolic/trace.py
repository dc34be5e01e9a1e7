"""From sets of states to a run of the model: concrete states and the values of the parameters of every step."""

from __future__ import annotations

from collections.abc import Container, Sequence

from quorbit.bdd.function import Variables
from quorbit.engines.symbolic.model import Model
from quorbit.engines.symbolic.reach import Reached
from quorbit.model.diagrams.bits import decode, state_cube
from quorbit.model.diagrams.cases import Bdd
from quorbit.model.meaning.evaluate import Firing
from quorbit.model.system.system import State
from quorbit.model.system.types import Value
from quorbit.result.outcome import Step, Trace

__all__ = ["path_to", "trace_of"]


def path_to(model: Model, reached: Reached, target: Bdd) -> list[State]:
    """A shortest path from an initial state to the target, back through the rings.  Requires: a ring meets the
    target.
    """
    m = model.m
    depth = next(k for k, ring in enumerate(reached.rings) if ring & target != m.false)
    s = model.pick(reached.rings[depth] & target)
    path = [s]
    for ring in reversed(reached.rings[:depth]):
        s = model.pick(model.preimage(state_cube(m, model.layout, s)) & ring)
        path.append(s)
    return path[::-1]


def trace_of(model: Model, states: Sequence[State], loop: int | None = None) -> Trace:
    """The run through these states; with ``loop`` it returns from the last state to that one."""
    following = [*states[1:], states[loop]] if loop is not None else list(states[1:])
    steps = [Step((firing(model, s, t),), t) for s, t in zip(states, following, strict=False)]
    return Trace(states[0], tuple(steps), loop)


def firing(model: Model, s: State, t: State) -> Firing:
    """A command with parameters that leads from s to t."""
    m, layout = model.m, model.layout
    here, there = state_cube(m, layout, s), state_cube(m, layout, t)
    for relation in model.relations:
        if any(s[i] != t[i] for i in range(len(s)) if i not in relation.changes):
            continue
        choices = here & m.substitute(m.exists(there, unchanged(model, relation.changes)), relation.to_following)
        for part in relation.parts:
            choices = choices & part
        if choices != m.false:
            return Firing(relation.number, binding(model, relation.number, choices))
    raise AssertionError("a step of the trace is not a step of the relation")


def unchanged(model: Model, changes: Container[int]) -> Variables:
    return model.m.variables(b for i, coded in enumerate(model.layout.places) if i not in changes for b in coded.bits)


def binding(model: Model, number: int, choices: Bdd) -> tuple[Value, ...]:
    parameters = [model.layout.parameters[number, p.name] for p in model.system.commands[number].parameters]
    chosen = model.m.pick(choices, [b for coded in parameters for b in coded.bits])
    return tuple(decode(coded, chosen, coded.bits) for coded in parameters)
