"""The start of a System: its initial states, found once, and its commands written down as the states they lead to.

``Started`` goes from step to step, so that nobody runs the start again.  Written down, the order of the steps of a
start command hides no symmetry; an atom that a place holds by default is written down too: it is told apart from others
by that.
"""

from __future__ import annotations

from functools import cached_property

from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.meaning.permute import image_of
from quorbit.model.specialise.possible.outline import Outline
from quorbit.model.specialise.possible.run import Possible
from quorbit.model.system.command import Assign, Command, Together, assignments_in
from quorbit.model.system.expression import Literal, Read, atom, number
from quorbit.model.system.system import Address, State, System
from quorbit.model.system.types import NONE, atoms_in, default, permute_value
from quorbit.source.frozen import frozen, replace

__all__ = ["Started", "run_start", "write_starts", "write_state"]


@frozen
class Started:
    """A System with its initial states; None where the start has choices, of which there may be very many."""

    system: System
    states: tuple[State, ...] | None

    @cached_property
    def outline(self) -> Outline:
        """Its commands as abstract runs look at them."""
        return Outline(self.system)

    @cached_property
    def possible(self) -> Possible:
        """What may ever happen.  Requires: the initial states are known."""
        assert self.states is not None
        return Possible(self.outline, self.states, from_start=True)


def has_choice_at_start(system: System) -> bool:
    """Whether there may be many initial states; then nobody looks at them one by one."""
    return any(command.parameters for command in system.start)


def run_start(system: System) -> Started:
    """A System with its initial states, which are computed here and nowhere else before the search."""
    return Started(system, None if has_choice_at_start(system) else tuple(Meaning(system).initial_states()))


def cut_down(before: Started, system: System, g: Permutation | None = None) -> Started:
    """The same for a System that has some of the places only; its atoms are numbered anew if g says so."""
    if before.states is None:
        return Started(system, None)
    kept: list[tuple[int, int]] = []  # where a value was, and where it is now
    for i, place in enumerate(before.system.places):
        owners = tuple(image_of(a, g) for a in place.owners) if g else place.owners
        gone = any(a != NONE == b for a, b in zip(place.owners, owners, strict=True))
        address: Address = (place.variable, owners, place.indices)
        if not gone and address in system.index:
            kept.append((i, system.index[address]))
    kept.sort(key=lambda pair: pair[1])
    types = [before.system.places[i].type for i, _ in kept]
    states: dict[State, None] = {}
    for s in before.states:
        values = [s[i] for i, _ in kept]
        states[tuple(permute_value(t, v, g) for t, v in zip(types, values, strict=True)) if g else tuple(values)] = None
    return Started(system, tuple(states))


def write_starts(system: System) -> tuple[Command, ...]:
    """The start commands; those without parameters as one step that writes what is not there by default."""
    meaning = Meaning(system)
    blank: State = tuple(default(place.type) for place in system.places)
    return tuple(command if command.parameters else written(meaning, command, blank) for command in system.start)


def written(meaning: Meaning, command: Command, blank: State) -> Command:
    try:
        state = meaning.run_effect(command, blank, {})
    except Fault:
        return command
    forgotten = {a.target: a.forgets for a in assignments_in(command.effect) if isinstance(a.value, Literal)}
    return replace(command, effect=(write_state(meaning.system, state, forgotten),))


def write_state(system: System, state: State, forgotten: dict[Read, bool] | None = None) -> Together:
    """One step that writes what a state holds and what is not there by default; ``forgotten``: places whose value is
    written but never read."""
    forgotten = forgotten or {}
    assignments = []
    for place, value in zip(system.places, state, strict=True):
        target = Read(place.variable, tuple(map(atom, place.owners)), tuple(map(number, place.indices)))
        silent = default(place.type)
        if value != silent or forgotten.get(target) or any(True for _ in atoms_in(place.type, value)):
            assignments.append(Assign(target, Literal(value, place.type), forgotten.get(target, False)))
    return Together(tuple(assignments))
