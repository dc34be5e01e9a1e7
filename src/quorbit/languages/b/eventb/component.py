"""Contexts and machines of Event-B as their authors wrote them, whichever file they come from."""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["INITIALISATION", "Event", "EventMachine", "Project"]

INITIALISATION = "INITIALISATION"


@frozen
class Labelled:
    """An axiom, invariant or guard; a theorem follows from what stands before it."""

    label: str
    formula: Formula
    is_theorem: bool = False


@frozen
class Witness:
    """with t: P; ``name`` is a parameter of the abstract event, or x' for the new value of an abstract variable."""

    name: str
    formula: Formula


@frozen
class Action:
    label: str
    substitution: Substitution


@frozen
class Event:
    """any parameters where guards with witnesses then actions."""

    span: Span
    name: str
    status: str = "ordinary"  # or convergent, anticipated
    refines: tuple[str, ...] = ()
    is_extended: bool = False  # it repeats the event that it refines, and adds to it
    parameters: tuple[Name, ...] = ()
    guards: tuple[Labelled, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    actions: tuple[Action, ...] = ()


@frozen
class Context:
    span: Span
    name: str
    extends: tuple[str, ...] = ()
    sets: tuple[Name, ...] = ()
    constants: tuple[Name, ...] = ()
    axioms: tuple[Labelled, ...] = ()


@frozen
class EventMachine:
    span: Span
    name: str
    refines: str | None = None
    sees: tuple[str, ...] = ()
    variables: tuple[Name, ...] = ()
    invariants: tuple[Labelled, ...] = ()
    variants: tuple[Labelled, ...] = ()
    events: tuple[Event, ...] = ()


@frozen
class Project:
    """All components by name; ``main`` is the one that was asked for: a machine, or a context if there is none."""

    main: str
    machines: dict[str, EventMachine]
    contexts: dict[str, Context]
