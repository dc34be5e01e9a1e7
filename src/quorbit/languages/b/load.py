"""A B machine file to a System."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quorbit.languages.b.language import EVENT_B, B
from quorbit.languages.b.lower.computed import NeedsSpelling, NeedsSymbolic
from quorbit.languages.b.lower.system import Lowered, lower_machine
from quorbit.languages.b.meaning.constants.recursion import take_out_recursion
from quorbit.languages.b.meaning.constants.symbolic import put_in_large
from quorbit.languages.b.meaning.sizes import choose_universe
from quorbit.languages.b.meaning.universe import Cut, Universe
from quorbit.languages.b.properties import Reading, temporal_properties
from quorbit.languages.b.properties import read_property as read_words
from quorbit.languages.b.syntax.compose import Composed, compose
from quorbit.languages.b.types.infer_machine import infer_machine
from quorbit.languages.b.types.typed import TypedMachine
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Property, System
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE, Span

__all__ = ["is_event_b"]


@frozen
class LateCuts:
    """What was cut while states were looked at: all that is in ``cuts`` by then and was not there early."""

    cuts: dict[Span, Cut]
    early: tuple[str, ...]

    def __call__(self) -> tuple[str, ...]:
        found = (f"{cut.span}: {cut.message}" for cut in self.cuts.values())
        return tuple(text for text in found if text not in self.early)


def load(path: Path, options: LoadOptions) -> System:
    """The System of the machine in a file and of those it refers to.

    An enumeration without an end is cut at MAXINT, and the System says so: what is found then is found, but nothing can
    be said to hold.
    """
    reading, lowered, composed = load_reading(path, options)
    temporal, unread = temporal_properties(reading)
    refined = composed.machine.refines
    unchecked = (f"not checked: that this refines {refined.name}; 'quorbit refine' does that",) if refined else ()
    cuts = tuple(f"{cut.span}: {cut.message}" for cut in lowered.cuts)
    properties = (*lowered.system.properties, *temporal)
    return replace(
        lowered.system,
        most_moves=most_of(options, "MAX_OPERATIONS"),
        properties=properties,
        incomplete=cuts,
        doubtful=lowered.doubtful,
        late_cuts=LateCuts(lowered.scope.reference.cuts, cuts),
        unread=(*lowered.system.unread, *unread, *unchecked),
    )


def read_property(path: Path, options: LoadOptions, text: Span, name: str) -> Property:
    """A property in the words of B, given from outside."""
    reading, *_ = load_reading(path, options)
    return read_words(reading, text, name)


def load_reading(path: Path, options: LoadOptions) -> tuple[Reading, Lowered, Composed]:
    machine, universe, composed = load_typed(path, options)
    most_starts = most_of(options, "MAX_INITIALISATIONS")
    lowered = lower_as_needed(
        universe, lambda u: lower_machine(machine, u, options.count_like == "own", options.bounds == 1, most_starts)
    )
    parameters = {o.name: o.parameters for o in machine.operations}
    reading = Reading(lowered.scope, composed.definitions, lowered.system, lowered.ready, parameters)
    return reading, lowered, composed


def lower_as_needed(universe: Universe, lower: Callable[[Universe], Lowered]) -> Lowered:
    """Lowered again where strings or sets turn out to need another form."""
    while True:
        try:
            return lower(universe)
        except NeedsSpelling:
            universe = replace(universe, spelled=True)
        except NeedsSymbolic as need:
            universe = replace(universe, symbolic=universe.symbolic | {need.name})


def most_of(options: LoadOptions, preference: str) -> int | None:
    """How much is tried; this counts only where the user asks for it: what a text says is meant for ProB."""
    asked = dict(options.preferences).get(preference)
    if asked is None:
        return None
    if not asked.isdecimal() or asked == "0":
        raise UserError(NOWHERE, f"--pref {preference}={asked}: the value should be a positive number")
    return int(asked)


def load_lowered(path: Path, options: LoadOptions, static_symmetry: bool = False) -> Lowered:
    machine, universe, _ = load_typed(path, options)
    return lower_as_needed(universe, lambda u: lower_machine(machine, u, static_symmetry))


def is_event_b(path: Path, options: LoadOptions) -> bool:
    """Whether a file is read as Event-B, which then is a machine of B as any other."""
    if options.language is not None:
        return options.language == EVENT_B.name
    return path.is_dir() or path.suffix.lower() in EVENT_B.suffixes


def read_composed(path: Path, options: LoadOptions) -> Composed:
    if is_event_b(path, options):
        return read_project(path, options)
    if options.machine is not None:
        raise UserError(NOWHERE, "--machine is about projects of Event-B; name the file of the machine")
    return compose(path, preferences=options.preferences)


def read_project(path: Path, options: LoadOptions) -> Composed:
    from quorbit.languages.b.eventb.load import compose_project

    return compose_project(path, options.machine)


def load_typed(path: Path, options: LoadOptions) -> tuple[TypedMachine, Universe, Composed]:
    """The machine with its types and sizes, for the reference evaluator, for animating and for queries."""
    if options.defines:
        raise UserError(NOWHERE, "-D does not apply to B machines; use --set for the sizes of deferred sets")
    if options.count_like not in B.counts:
        raise UserError(NOWHERE, f"--count-like {options.count_like} is not about B; there is {' and '.join(B.counts)}")
    composed = read_composed(path, options)
    machine = infer_machine(composed)
    machine = take_out_recursion(machine)
    universe = choose_universe(machine, composed.definitions, options)
    return put_in_large(machine, universe), universe, composed
