"""Büchi automata over the propositions of a formula, as plain data.

A letter is a bit mask: bit i says that `propositions[i]` holds in a state of the system.  A transition may be taken on
a letter if all its `positive` bits are set and none of its `negative` ones: `allows(transition, letter)`.  Several
transitions between the same states stand for the disjunction of their guards.  The automaton reads the letter of a
system's state when it leaves its own state: a product state (s, q) goes to (t, r) if s → t and q goes to r on the
letter of s.

`GeneralisedBuchi` accepts a run that takes, for each acceptance set k < sets, infinitely often a transition whose
`marks` have bit k.  `Buchi` accepts a run that is infinitely often in an accepting state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.model.system.formula import Formula, Proposition, conjoin, disjoin, negate
from quorbit.model.system.formula_text import show
from quorbit.source.frozen import frozen, replace

__all__ = ["Automaton", "Buchi", "GeneralisedBuchi", "Transition", "allows", "as_generalised", "outgoing"]


@frozen
class Transition:
    source: int
    target: int
    positive: int
    negative: int
    marks: int = 0


@frozen
class GeneralisedBuchi:
    """States are 0..states-1; a run begins in `initial`."""

    propositions: tuple[Proposition, ...]
    states: int
    initial: int
    transitions: tuple[Transition, ...]
    sets: int


@frozen
class Buchi:
    propositions: tuple[Proposition, ...]
    states: int
    initial: int
    transitions: tuple[Transition, ...]
    accepting: tuple[bool, ...]


Automaton = GeneralisedBuchi | Buchi


def allows(transition: Transition, letter: int) -> bool:
    return letter & transition.positive == transition.positive and not letter & transition.negative


def outgoing(automaton: Automaton) -> list[list[Transition]]:
    """The transitions of every state."""
    found: list[list[Transition]] = [[] for _ in range(automaton.states)]
    for transition in automaton.transitions:
        found[transition.source].append(transition)
    return found


def as_generalised(automaton: Automaton) -> GeneralisedBuchi:
    """The same automaton with marks: one acceptance set, on all transitions out of accepting states."""
    if isinstance(automaton, GeneralisedBuchi):
        return automaton
    marked = tuple(replace(t, marks=int(automaton.accepting[t.source])) for t in automaton.transitions)
    return GeneralisedBuchi(automaton.propositions, automaton.states, automaton.initial, marked, 1)


def guard(automaton: Automaton, transition: Transition) -> Formula:
    """The guard as a propositional formula."""
    literals: list[Formula] = []
    for i, proposition in enumerate(automaton.propositions):
        if transition.positive >> i & 1:
            literals.append(proposition)
        if transition.negative >> i & 1:
            literals.append(negate(proposition))
    return conjoin(literals)


def show_never(automaton: Buchi, show_expression: Callable[[Any], str] = str) -> str:
    """The automaton as a never claim of Promela."""
    lines = ["never {"]
    for state in claim_order(automaton):
        lines.append(f"{claim_name(automaton, state)}:")
        lines.extend(claim_choices(automaton, state, show_expression))
    return "\n".join([*lines, "}"])


def claim_order(automaton: Buchi) -> list[int]:
    """The initial state first, as a claim demands."""
    return sorted(range(automaton.states), key=lambda q: (q != automaton.initial, q))


def claim_name(automaton: Buchi, state: int) -> str:
    prefix = "accept" if automaton.accepting[state] else "T0"
    return f"{prefix}_{'init' if state == automaton.initial else f'S{state}'}"


def claim_choices(automaton: Buchi, state: int, show_expression: Callable[[Any], str]) -> list[str]:
    guards: dict[int, list[Formula]] = {}
    for transition in outgoing(automaton)[state]:
        guards.setdefault(transition.target, []).append(guard(automaton, transition))
    if not guards:
        return ["  false;"]
    choices = [
        f"  :: ({show(disjoin(found), show_expression)}) -> goto {claim_name(automaton, target)}"
        for target, found in guards.items()
    ]
    return ["  do", *choices, "  od;"]
