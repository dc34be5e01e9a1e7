"""Arithmetic on what never changes: `(_pid + 1) % N` is a number for each process, nothing is computed when it runs.

Such an expression becomes a definition with one value for each owner; `0 + 1`, as generated models have it, becomes a
number.  It then no longer looks inside the number it is made of, so that a ring of processes can be turned.
"""

from __future__ import annotations

from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.meaning.operators import LOGICAL
from quorbit.model.specialise.simplify import NUMERIC, simplify
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Apply, Atoms, Bound, Expr, Literal, NumberOf, Use, Wrap
from quorbit.model.system.system import Definition, System
from quorbit.model.system.types import INTEGER, NONE
from quorbit.model.system.walk import map_command, map_parts, walk
from quorbit.source.frozen import replace

__all__ = ["ARITHMETIC"]

ARITHMETIC = NUMERIC - LOGICAL


def fold_owner_constants(system: System) -> System:
    """The System with arithmetic on constants of one process written down as definitions."""
    folding = Folding(system)
    commands = tuple(folding.command(command) for command in system.commands)
    if not folding.definitions and not folding.numbers:
        return system
    return replace(system, commands=commands, definitions=(*system.definitions, *folding.definitions))


class Folding:
    """Collects the definitions made on the way."""

    def __init__(self, system: System) -> None:
        self.meaning = Meaning(system)
        self.constant = {d.name for d in system.definitions if isinstance(d.body, Literal)}
        self.definitions: list[Definition] = []
        self.numbers = 0  # expressions that became a number
        self.names: dict[tuple[Expr, tuple[int, ...]], str] = {}

    def command(self, command: Command) -> Command:
        domains = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
        return map_command(command, lambda e: self.expression(e, domains))

    def expression(self, e: Expr, domains: dict[str, tuple[int, ...]]) -> Expr:
        if self.is_arithmetic(e) and (folded := self.fold(e, domains)) is not None:
            return folded
        return map_parts(e, lambda part: self.expression(part, domains))

    def is_arithmetic(self, e: Expr) -> bool:
        inner = e.operand if isinstance(e, Wrap) else e
        return isinstance(inner, Apply) and inner.operator in ARITHMETIC and all(map(self.is_constant, walk(e)))

    def is_constant(self, e: Expr) -> bool:
        match e:
            case Literal() | Bound() | NumberOf() | Wrap():
                return True
            case Apply(operator):
                return operator in ARITHMETIC
            case Use(name):
                return name in self.constant
            case _:
                return False

    def fold(self, e: Expr, domains: dict[str, tuple[int, ...]]) -> Expr | None:
        """The definition with the values of e for each owner, or its value; None if it has more than one owner or not
        always a value."""
        names = dict.fromkeys(part.name for part in walk(e) if isinstance(part, Bound))
        if not names and isinstance(value := simplify(e), Literal):
            self.numbers += 1
            return value
        if len(names) != 1 or (name := next(iter(names))) not in domains or NONE in domains[name]:
            return None
        atoms = domains[name]
        if (e, atoms) not in self.names and not self.define(e, name, atoms):
            return None
        return Use(self.names[e, atoms], (Bound(name),), e.span)

    def define(self, e: Expr, name: str, atoms: tuple[int, ...]) -> bool:
        try:
            values = [self.meaning.value_of(e)((), {name: a}) for a in atoms]
        except Fault:
            return False
        label = f"constant {len(self.names) + 1}"
        self.names[e, atoms] = label
        self.definitions += [
            Definition(label, Literal(value, INTEGER), (a,), e.span) for a, value in zip(atoms, values, strict=True)
        ]
        return True
