"""Commands written out for the atoms their parameters range over, simplified on the way.

One pass from the inside out puts in the values of parameters, writes out constant definitions and folds.  What a part
of an expression becomes depends only on the parameters it mentions, so it is worked out once for these: a guard about
the sender of a message is not worked out again for each receiver.  Each expression becomes a closure once, its
*writer*, which is asked for every choice of atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from operator import is_

from quorbit.model.specialise.simplify import fold, fold_operator, must_unroll, unroll
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Literal,
    Operator,
    Quantify,
    Read,
    Use,
    atom,
)
from quorbit.model.system.once import Once
from quorbit.model.system.system import System
from quorbit.model.system.walk import map_parameter, map_parts, map_step, parts
from quorbit.source.frozen import replace

__all__ = ["Instances"]

Values = dict[str, Literal]
Writer = Callable[[Values], Expr]
Write = Callable[[Step], tuple[Step, ...]]
NOBODY: Values = {}


class Instances:
    """Writes out the commands and expressions of one System; equal questions are answered once."""

    def __init__(self, system: System, by_value: bool = False) -> None:
        """``by_value``: equal expressions are written out once wherever they stand; then nobody can tell where."""
        self.definition = system.definition
        self.equal: dict[Expr, Expr] | None = {} if by_value else None
        self.names: dict[int, tuple[Expr, tuple[str, ...]]] = {}  # by id; the expression is kept, so its id is its own
        self.writers: dict[int, tuple[Expr, Writer]] = {}
        self.targets: dict[int, tuple[Assign, Callable[[Values], Read], Writer]] = {}

    def of(self, command: Command) -> Iterator[tuple[tuple[int, ...], Command]]:
        """The command for each choice of the atoms its parameters range over; other parameters stay.

        Where the guard is plainly false there is no instance."""
        ranged = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
        open_command = replace(command, parameters=tuple(p for p in command.parameters if p.name not in ranged))
        literals = {a: atom(a) for atoms in ranged.values() for a in atoms}
        guard = self.writer(command.guard)
        for choice in product(*ranged.values()):
            values = {name: literals[a] for name, a in zip(ranged, choice, strict=True)}
            if (written := guard(values)) != FALSE:
                yield choice, self.filled(open_command, written, values)

    def filled(self, command: Command, guard: Expr, values: Values) -> Command:
        """The command with its guard as it is written already."""
        step: Once[Step, tuple[Step, ...]] = Once(lambda s: self.step(s, values, step))
        return Command(
            command.label,
            guard,
            written_by(step, command.effect),
            tuple([map_parameter(p, lambda e: self.written(e, values)) for p in command.parameters]),
            tuple([self.written(e, values) for e in command.actors]),
            command.rank,
            command.turn,
            command.hidden,
            command.prints,
            command.performs,
            command.claimed,
            command.span,
        )

    def step(self, step: Step, values: Values, inner: Write) -> tuple[Step, ...]:
        """The step written out; of a branch that is decided only the way that is taken.  ``inner`` writes out the steps
        inside."""
        match step:
            case Together(assignments):
                return (Together(tuple([self.assignment(a, values) for a in assignments])),)
            case Branch(test, then, other, span):
                decided = self.written(test, values)
                if isinstance(decided, Literal):
                    return written_by(inner, then if decided.value else other)
                return (Branch(decided, written_by(inner, then), written_by(inner, other), span),)
            case Loop(test, body, most, span):
                return (Loop(self.written(test, values), written_by(inner, body), most, span),)
            case Pick(parameter, body):
                written = map_parameter(parameter, lambda e: self.written(e, values))
                return (Pick(written, written_by(inner, body)),)
            case _:
                return (map_step(step, lambda e: self.written(e, values)),)

    def assignment(self, a: Assign, values: Values) -> Assign:
        """The target stays a place: only the way to it is written out."""
        known = self.targets.get(id(a))
        if known is None:
            known = self.targets[id(a)] = a, self.place(a.target), self.writer(a.value)
        target, value = known[1](values), known[2](values)
        return a if target is a.target and value is a.value else Assign(target, value, a.forgets)

    def written(self, e: Expr, values: Values = NOBODY) -> Expr:
        """e simplified, with these values of parameters and with constant definitions written out."""
        return self.writer(e)(values)

    # Writers.

    def writer(self, e: Expr) -> Writer:
        known = self.writers.get(id(e))
        if known is None:
            first = e if self.equal is None else self.equal.setdefault(e, e)
            known = self.writers[id(e)] = e, self.make_writer(e) if first is e else self.writer(first)
        return known[1]

    def make_writer(self, e: Expr) -> Writer:
        if isinstance(e, Literal):
            return lambda values: e
        if isinstance(e, Bound):
            name = e.name
            return lambda values: values.get(name, e)
        return remembered(self.names_in(e), self.build(e))

    def build(self, e: Expr) -> Writer:
        match e:
            case Quantify():
                return self.writer(unroll(e)) if must_unroll(e) else lambda values: self.quantified(e, values)
            case Apply(Operator.AND):
                return self.junction(e, TRUE, FALSE)
            case Apply(Operator.OR):
                return self.junction(e, FALSE, TRUE)
            case Apply():
                return self.application(e)
            case Read():
                return self.place(e)
            case Use():
                return lambda values: self.inlined(map_parts(e, lambda part: self.writer(part)(values)))
            case _:
                return lambda values: fold(map_parts(e, lambda part: self.writer(part)(values)))

    def junction(self, e: Apply, neutral: Literal, absorbing: Literal) -> Writer:
        """Like ``fold``; what comes after an absorbing operand is not even written."""
        operator, writers = e.operator, [self.writer(operand) for operand in e.operands]

        def write(values: Values) -> Expr:
            kept: list[Expr] = []
            for writer in writers:
                part = writer(values)
                if isinstance(part, Apply) and part.operator is operator:
                    kept += part.operands
                elif not isinstance(part, Literal):
                    kept.append(part)
                elif bool(part.value) == absorbing.value:
                    kept.append(absorbing)
                    break
            return neutral if not kept else kept[0] if len(kept) == 1 else Apply(operator, tuple(kept), e.span)

        return write

    def application(self, e: Apply) -> Writer:
        operands, writers = e.operands, [self.writer(operand) for operand in e.operands]

        def write(values: Values) -> Expr:
            new = tuple([writer(values) for writer in writers])
            return fold_operator(e if all(map(is_, new, operands)) else Apply(e.operator, new, e.span))

        return write

    def place(self, e: Read) -> Callable[[Values], Read]:
        owners = [self.writer(owner) for owner in e.owners]
        indices = [self.writer(index) for index in e.indices]

        def write(values: Values) -> Read:
            new_owners = tuple([writer(values) for writer in owners])
            new_indices = tuple([writer(values) for writer in indices])
            same = all(map(is_, new_owners, e.owners)) and all(map(is_, new_indices, e.indices))
            return e if same else Read(e.variable, new_owners, new_indices, e.span)

        return write

    def quantified(self, e: Quantify, values: Values) -> Expr:
        inner = {name: value for name, value in values.items() if name != e.parameter.name}
        return fold(
            replace(
                e,
                parameter=map_parameter(e.parameter, lambda part: self.written(part, values)),
                condition=self.written(e.condition, inner),
                body=self.written(e.body, inner),
            )
        )

    def inlined(self, e: Expr) -> Expr:
        """The definition's body, if it is a constant and its owners are known."""
        assert isinstance(e, Use)
        owners = tuple(owner.value for owner in e.owners if isinstance(owner, Literal))
        body = self.definition.get((e.definition, owners)) if len(owners) == len(e.owners) else None  # type: ignore[arg-type]
        return Literal(body.value, body.type, e.span) if isinstance(body, Literal) else e

    def names_in(self, e: Expr) -> tuple[str, ...]:
        """The parameters that e mentions (quantified ones too: that costs nothing but a second answer)."""
        known = self.names.get(id(e))
        if known is None:
            known = self.names[id(e)] = e, self.find_names(e)
        return known[1]

    def find_names(self, e: Expr) -> tuple[str, ...]:
        inside = parts(e)
        if not inside:
            return (e.name,) if isinstance(e, Bound) else ()
        if len(inside) == 1:
            return self.names_in(inside[0])
        return tuple(dict.fromkeys([name for part in inside for name in self.names_in(part)]))


def written_by(write: Write, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple([written for step in steps for written in write(step)])


def remembered(names: tuple[str, ...], build: Writer) -> Writer:
    """A writer that works out its answer once for each choice of the parameters it mentions."""
    known: dict[object, Expr] = {}
    if len(names) == 1:
        (name,) = names

        def write_for_one(values: Values) -> Expr:
            key = values[name].value if name in values else None
            found = known.get(key)
            if found is None:
                found = known[key] = build(values)
            return found

        return write_for_one

    def write(values: Values) -> Expr:
        key = tuple([values[name].value if name in values else None for name in names])
        found = known.get(key)
        if found is None:
            found = known[key] = build(values)
        return found

    return write
