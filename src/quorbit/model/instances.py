"""Commands written out for the atoms their parameters range over, simplified on the way.

One pass from the inside out puts in the values of parameters, writes out constant definitions and folds.  What a part
of an expression becomes depends only on the parameters it mentions, so it is worked out once for these: a guard about
the sender of a message is not worked out again for each receiver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from quorbit.model.command import Command
from quorbit.model.expression import FALSE, Atoms, Bound, Expr, Literal, Quantify, Use, atom
from quorbit.model.simplify import fold, must_unroll, unroll
from quorbit.model.system import System
from quorbit.model.walk import map_command, map_parameter, map_parts, parts

Values = dict[str, Literal]
NOBODY: Values = {}


class Instances:
    """Writes out the commands and expressions of one System; equal questions are answered once."""

    def __init__(self, system: System) -> None:
        self.definition = system.definition
        self.names: dict[int, tuple[Expr, tuple[str, ...]]] = {}  # by id; the expression is kept, so its id is its own
        self.closed: dict[int, tuple[Expr, Expr]] = {}  # what mentions no parameter
        self.known: dict[tuple[object, ...], tuple[Expr, Expr]] = {}

    def of(self, command: Command) -> Iterator[tuple[tuple[int, ...], Command]]:
        """The command for each choice of the atoms its parameters range over; other parameters stay.

        Where the guard is plainly false there is no instance."""
        ranged = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
        open_command = replace(command, parameters=tuple(p for p in command.parameters if p.name not in ranged))
        literals = {a: atom(a) for atoms in ranged.values() for a in atoms}
        for choice in product(*ranged.values()):
            values = {name: literals[a] for name, a in zip(ranged, choice, strict=True)}
            if self.written(command.guard, values) != FALSE:
                yield choice, map_command(open_command, lambda e, values=values: self.written(e, values))  # type: ignore[misc]

    def written(self, e: Expr, values: Values = NOBODY) -> Expr:
        """e simplified, with these values of parameters and with constant definitions written out."""
        if isinstance(e, Literal):
            return e
        if isinstance(e, Bound):
            return values.get(e.name, e)
        if (closed := self.closed.get(id(e))) is not None:
            return closed[1]
        names = self.names_in(e)
        if not names:
            self.closed[id(e)] = e, self.write(e, values)
            return self.closed[id(e)][1]
        key = (id(e), *[values[name].value if name in values else None for name in names])
        if key not in self.known:
            self.known[key] = e, self.write(e, values)
        return self.known[key][1]

    def write(self, e: Expr, values: Values) -> Expr:
        if isinstance(e, Quantify):
            return self.quantified(e, values)
        e = fold(map_parts(e, lambda part: self.written(part, values)))
        return self.inlined(e) if isinstance(e, Use) else e

    def quantified(self, e: Quantify, values: Values) -> Expr:
        if must_unroll(e):
            return self.written(unroll(e), values)
        inner = {name: value for name, value in values.items() if name != e.parameter.name}
        return fold(
            replace(
                e,
                parameter=map_parameter(e.parameter, lambda part: self.written(part, values)),
                condition=self.written(e.condition, inner),
                body=self.written(e.body, inner),
            )
        )

    def inlined(self, e: Use) -> Expr:
        """The definition's body, if it is a constant and its owners are known."""
        owners = tuple(owner.value for owner in e.owners if isinstance(owner, Literal))
        body = self.definition.get((e.definition, owners)) if len(owners) == len(e.owners) else None  # type: ignore[arg-type]
        return replace(body, span=e.span) if isinstance(body, Literal) else e

    def names_in(self, e: Expr) -> tuple[str, ...]:
        """The parameters that e mentions (quantified ones too: that costs nothing but a second answer)."""
        known = self.names.get(id(e))
        if known is None:
            inside = (e.name,) if isinstance(e, Bound) else ()
            found = dict.fromkeys(name for part in parts(e) for name in self.names_in(part))
            known = self.names[id(e)] = e, (*inside, *found)
        return known[1]
