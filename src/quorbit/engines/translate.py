"""A run of the specialised System told in terms of the System as it was loaded.

Specialising renames values, drops constants and writes commands out for each instance, but a command keeps its label,
its place in the text and its actors.  The run of the loaded System is found by following these, and the places that
both Systems have; it is a run by construction, so this is the last check of a trace before anyone sees it.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.engines.replay import ReplayError
from quorbit.model.meaning.evaluate import FAULTS, Firing, Meaning, Move
from quorbit.model.meaning.show import show_place, show_value
from quorbit.model.specialise.after_errors import is_companion
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Bound, Literal
from quorbit.model.system.system import State, System
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type
from quorbit.result.outcome import Statistics, Step, Trace
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import replace

__all__ = ["common_places", "fault_at_the_end", "signatures", "translate", "translate_statistics", "what_runs"]

Signature = tuple[object, ...]
MOST_RUNS = 1000  # followed at once; labels and common places leave few


def translate(trace: Trace, special: System, loaded: System) -> Trace:
    """The same run, of the loaded System."""
    if what_runs(special) == what_runs(loaded):
        return trace  # and it was replayed by the engine; a circuit may have too many moves to look for this one again
    meaning, common = Meaning(loaded), common_places(special, loaded)
    initial = meaning.initial_states()  # what the first step writes may be there from the start in the special one
    begun = [s for s in initial if common(s, trace.start)] or initial
    runs: dict[State, tuple[State, tuple[Step, ...]]] = {s: (s, ()) for s in begun}
    whole = signatures(special)
    for k, step in enumerate(trace.steps):
        wanted, last = [whole(firing) for firing in step.firings], k == len(trace.steps) - 1
        runs = follow(meaning, runs, wanted, fitting(common, step.state, last))
    for start, steps in runs.values():
        found = Trace(start, steps, trace.loop)
        if closes(found):
            return found
    raise ReplayError("the run is not a run of the model as it was loaded")


def fitting(common: Callable[[State, State], bool], s: State, last: bool) -> Callable[[Move], bool]:
    """Whether a move leads to a state that agrees with s.  How much of the last step is done when it goes wrong depends
    on how assignments were put together, so a violation will do there."""
    return lambda move: common(move.target, s) or (last and move.violation is not None)


def what_runs(system: System) -> tuple[object, ...]:
    """Everything but the properties, and but for the inputs that an engine chose among where others do the same."""
    commands: tuple[object, ...] = system.commands
    if system.synchronous:
        commands = tuple((replace(c, parameters=()), tuple(p.name for p in c.parameters)) for c in system.commands)
    return system.atoms, system.variables, system.definitions, system.start, commands


def follow(
    meaning: Meaning,
    runs: dict[State, tuple[State, tuple[Step, ...]]],
    wanted: list[Signature],
    fits: Callable[[Move], bool],
) -> dict[State, tuple[State, tuple[Step, ...]]]:
    """The runs that go on with the wanted commands in a move that fits."""
    signature = signatures(meaning.system)
    longer: dict[State, tuple[State, tuple[Step, ...]]] = {}
    for s, (start, steps) in runs.items():
        for move in meaning.moves(s):
            is_wanted = len(move.firings) == len(wanted) and move.target not in longer and fits(move)
            if is_wanted and [signature(firing) for firing in move.firings] == wanted:
                longer[move.target] = start, (*steps, Step(move.firings, move.target))
        if len(longer) > MOST_RUNS:
            break
    return longer


def signatures(system: System) -> Callable[[Firing], Signature]:
    """What a command keeps: label, place in the text, actors that are known without the state."""
    meaning = Meaning(system)
    nowhere: State = ()

    def signature(firing: Firing) -> Signature:
        command = system.commands[firing.command]
        env = meaning.environment(firing)
        actors = []
        for actor in command.actors:
            if isinstance(actor, Literal | Bound):
                actors.append(system.atom_name(meaning.value_of(actor)(nowhere, env)))
        span = command.span
        return command.label, span.file, span.start, span.end, tuple(actors)

    return signature


def common_places(special: System, loaded: System) -> Callable[[State, State], bool]:
    """Whether a state of the loaded System and one of the special agree on what both hold in types of one kind."""
    names = {show_place(special, place): i for i, place in enumerate(special.places)}
    pairs = []
    for i, place in enumerate(loaded.places):
        k = names.get(show_place(loaded, place))
        if k is not None and kind(place.type) == kind(special.places[k].type):
            pairs.append((i, place.type, k, special.places[k].type))

    def agree(s: State, t: State) -> bool:
        return all(show_value(loaded, a, s[i]) == show_value(special, b, t[k]) for i, a, k, b in pairs)

    return agree


def kind(type: Type) -> str:
    """Types whose values are shown alike; compound values may hold numbers that became atoms, so they are left out."""
    match type:
        case Number() | Truth() | Text():
            return "plain"
        case AtomOf():
            return "atom"
        case TupleOf() | SetOf() | QueueOf():
            return f"compound {id(type)}"
        case _:
            assert_never(type)


def closes(trace: Trace) -> bool:
    """Whether a run with a loop comes back to where the loop begins."""
    if trace.loop is None:
        return True
    states = [trace.start, *(step.state for step in trace.steps)]
    return states[trace.loop] == states[-1]


def fault_at_the_end(trace: Trace, system: System) -> str:
    """The run-time error that a run of a System ends in, in its words; "" if there is none."""
    meaning = Meaning(system)
    s, violation = trace.steps[-2].state if len(trace.steps) > 1 else trace.start, None
    for firing in trace.steps[-1].firings if trace.steps else ():
        s, violation = meaning.fire(s, firing)
    violation = violation or meaning.guard_fault(s)
    return "" if violation is None or violation.property != FAULTS else violation.message


def translate_statistics(statistics: Statistics, special: System, loaded: System) -> Statistics:
    """How often each command ran, by the loaded System's numbers.  Commands that cannot be told apart by what they are
    called, where they stand and what they perform are counted together, with the first of them; companions are not
    counted."""
    if not statistics.fired:
        return statistics
    ran: dict[Signature, int] = {}
    for command, times in zip(special.commands, statistics.fired, strict=True):
        if not is_companion(command):
            ran[counted(command)] = ran.get(counted(command), 0) + times
    return replace(statistics, fired=tuple(ran.pop(counted(command), 0) for command in loaded.commands))


def counted(command: Command) -> Signature:
    spans = (command.span, *(p.span for p in command.performs))
    return (command.label, *((span.file, span.start, span.end) for span in spans))
