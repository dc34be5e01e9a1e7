"""The cone of influence: the part of a synchronous System that some properties depend on.

Places outside the cone are dropped with their assignments.  A run of the cone is lifted to a run of the whole by firing
the same commands with the same parameters from an initial state that agrees with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quorbit.engines.symbolic.start import start_with
from quorbit.model.diagrams.bits import Entered, PlaceItem, Reads
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import Expr
from quorbit.model.system.formula import Proposition, walk
from quorbit.model.system.system import Invariant, NoDeadlock, Property, State, System, Temporal
from quorbit.result.outcome import Step, Trace
from quorbit.source.frozen import frozen, replace


@frozen
class Cone:
    """The reduced System and which place of the whole each of its places is."""

    system: System
    places: tuple[int, ...]


def cone_of(system: System, properties: Sequence[Property]) -> Cone | None:
    """The cone of some properties; None if it is the whole System or if the System is not synchronous."""
    if len(system.commands) != 1 or any(isinstance(p, NoDeadlock) for p in properties):
        return None
    kept = closure(system, [e for p in properties for e in expressions(p)])
    if len(kept) == len(system.places):
        return None
    return Cone(restrict(system, kept), tuple(sorted(kept)))


def expressions(p: Property) -> Iterator[Expr]:
    match p:
        case Invariant(condition=condition):
            yield condition
        case Temporal(formula=formula):
            for f in walk(formula):
                if isinstance(f, Proposition):
                    yield f.expression  # type: ignore[misc]


def closure(system: System, first: Iterable[Expr]) -> set[int]:
    """The places some expressions depend on, now or later."""
    reads = Reads(system)
    command = system.commands[0]
    found: set[int] = set()
    entered: Entered = set()
    waiting = [*first, command.guard]
    for e in waiting:
        for item in reads.of(0, command, e, entered):
            if isinstance(item, PlaceItem) and item.place not in found:
                found.add(item.place)
                waiting += [value for _, _, value in reads.targets.get(item.place, [])]
    return found


def restrict(system: System, kept: set[int]) -> System:
    addresses = {system.places[i].address for i in kept}
    variables = []
    for variable in system.variables:
        owners = variable.owners
        if len(owners) == 1 and not variable.shape:
            atoms = tuple(a for a in owners[0] if (variable.name, (a,), ()) in addresses)
            if atoms:
                variables.append(replace(variable, owners=(atoms,)))
        elif any(address[0] == variable.name for address in addresses):
            variables.append(variable)
    small = replace(system, variables=tuple(variables), properties=())
    return replace(
        small,
        commands=tuple(restrict_command(small, c) for c in system.commands),
        start=tuple(restrict_command(small, c) for c in system.start),
    )


def restrict_command(system: System, command: Command) -> Command:
    """The command without the assignments to places that are gone."""
    reads = Reads(replace(system, commands=(), start=()))
    effect = []
    for step in command.effect:
        if isinstance(step, Together):
            step = Together(tuple(a for a in step.assignments if reads.addresses(a.target)))
        effect.append(step)
    return replace(command, effect=tuple(effect))


def lift_trace(whole: System, cone: Cone, trace: Trace) -> Trace | None:
    """The run of the whole System with the same inputs; None if its loop does not close outside the cone."""
    start = lift_start(whole, cone, trace.start)
    meaning = SharingMeaning(whole)
    s, steps = start, []
    for step in trace.steps:
        s, _ = meaning.fire(s, step.firings[0])
        steps.append(Step(step.firings, s))
    states = [start, *(step.state for step in steps)]
    if trace.loop is not None and states[-1] != states[trace.loop]:
        return unroll(whole, start, steps, trace.loop)
    return Trace(start, tuple(steps), trace.loop)


def unroll(whole: System, start: State, steps: list[Step], loop: int) -> Trace | None:
    """Go round the loop until the whole state repeats; what is outside the cone may take longer to come back."""
    meaning = SharingMeaning(whole)
    period = len(steps) - loop
    states = [start, *(step.state for step in steps)]
    seen = {states[loop]: loop}
    for turn in range(1, 1 << 12):
        at = loop + turn * period
        if states[at] in seen:
            return Trace(start, tuple(steps), seen[states[at]])
        seen[states[at]] = at
        for k in range(loop, loop + period):
            firing = steps[k].firings[0]
            t, _ = meaning.fire(states[-1], firing)
            steps.append(Step((firing,), t))
            states.append(t)
    return None


def lift_start(whole: System, cone: Cone, s: State) -> State:
    """An initial state of the whole that agrees with s on the cone."""
    found = start_with(whole, dict(zip(cone.places, s, strict=True)))
    assert found is not None, "the cone starts where the whole cannot"
    return found
