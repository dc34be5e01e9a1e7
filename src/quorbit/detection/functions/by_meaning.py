"""A circuit's functions written by what they compute, so that how they are written hides no symmetry.

`a | b | c | d` may be three gates in any order, share gates with other functions, be written with negations, as a chain
of `? :` or as a sum that is compared with 0.  Every function is written flat (flat.py), and so is what properties say.
**For the proof only**: engines run the circuit as it is.  What is written has the same value in every state for all
inputs, so a permutation that keeps it is a symmetry of the circuit.

Wires that properties mention keep their names, so that permutations can be applied to formulas.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.detection.functions.flat import Functions, uses_in
from quorbit.detection.functions.sizes import WrittenOut, is_too_large
from quorbit.detection.functions.tables import Sources, TooMuch, Unsaid
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Expr,
    Operator,
    Use,
    atom,
    equal,
    negation,
    number,
)
from quorbit.model.system.formula import (
    And,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Proposition,
    Truth,
    children,
    with_children,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.system import Invariant, Property, System, Temporal
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import replace

__all__ = ["by_meaning"]

ONE_OF = "one of a field"
MOST_WRITTEN = 500_000  # nodes of expressions, when everything is written out that they share


def by_meaning(grounded: System, fields: Sequence[tuple[int, ...]] = ()) -> System | None:
    """The same System with its functions by what they compute; None if it is not a circuit, or too large.

    ``fields``: atoms of which exactly one is 1 in every state and among the inputs of every step; that is said in what
    comes out, so that a symmetry maps fields to fields."""
    if not grounded.synchronous or len(grounded.commands) != 1 or is_too_large(grounded):
        return None
    try:
        return Meant(grounded, fields).system()
    except (Unsaid, TooMuch, RecursionError):
        return None


class Meant:
    """One System: its step and its properties with their functions by what they compute."""

    def __init__(self, system: System, fields: Sequence[tuple[int, ...]]) -> None:
        self.given, self.fields = system, fields
        sources = Sources(system, fields)
        for d in system.definitions:
            sources.of(d.body)
        self.functions = Functions(sources)

    def system(self) -> System:
        command = self.given.commands[0]
        changed = replace(command, guard=self.functions.written(command.guard), effect=self.effect(command))
        properties = tuple(map(self.property, self.given.properties))
        for use in [use for p in properties for e in property_expressions(p) for use in uses_in(e)]:
            self.functions.keep(use)
        definitions = tuple(self.functions.kept.values())
        written_out = WrittenOut()
        if sum(map(written_out.size, (*expressions_of(changed), *(d.body for d in definitions)))) > MOST_WRITTEN:
            raise TooMuch
        stated = (*properties, *map(one_of, self.fields))
        return replace(self.given, commands=(changed,), properties=stated, definitions=definitions)

    def effect(self, command: Command) -> tuple[Together, ...]:
        found = []
        for step in command.effect:
            if not isinstance(step, Together):
                raise Unsaid("a step that is not of a circuit")
            found.append(Together(tuple(replace(a, value=self.functions.written(a.value)) for a in step.assignments)))
        return tuple(found)

    # Properties.

    def property(self, p: Property) -> Property:
        match p:
            case Invariant(condition=condition):
                found = None if has_names(condition) else self.functions.few(condition)
                return p if found is None else replace(p, condition=found)
            case Temporal():
                return replace(p, formula=self.formula(p.formula))
        return p

    def formula(self, f: Formula) -> Formula:
        """The propositional parts by what they say, unless they mention wires or too much."""
        if is_propositional(f):
            whole = expression_of(f)
            found = None if whole is None or has_names(whole) else self.functions.few(whole)
            if found is not None:
                return Proposition(found)
        below = children(f)
        return with_children(f, tuple(map(self.formula, below))) if below else f


def one_of(members: tuple[int, ...]) -> Invariant:
    """That one of some atoms is 1, of latches and inputs alike."""
    return Invariant(ONE_OF, equal(Apply(Operator.SET, tuple(map(atom, members))), number(1)))


def has_names(e: Expr) -> bool:
    return any(isinstance(part, Use) for part in walk(e))


def expression_of(f: Formula) -> Expr | None:
    """A formula without temporal operators as one expression."""
    match f:
        case Proposition(e):
            return e  # type: ignore[return-value]
        case Truth(value):
            return TRUE if value else FALSE
        case Not(g):
            inner = expression_of(g)
            return None if inner is None else negation(inner)
        case And(operands) | Or(operands):
            found = [expression_of(g) for g in operands]
            listed = [e for e in found if e is not None]
            operator = Operator.AND if isinstance(f, And) else Operator.OR
            return Apply(operator, tuple(listed)) if len(listed) == len(found) else None
        case Implies(left, right):
            return expression_of(Or((Not(left), right)))
        case Iff(left, right):
            one, two = expression_of(left), expression_of(right)
            if one is None or two is None:
                return None
            return Apply(Operator.EQUAL, (negation(one), negation(two)))
    return None
