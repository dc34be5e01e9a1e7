"""Places and definitions: reads to instructions."""

from __future__ import annotations

from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.instructions import BOUND, Label, Op, signed
from quorbit.machine.compile.lower.scope import Env, Scope
from quorbit.machine.compile.packing import Field
from quorbit.machine.compile.shapes import (
    Unshaped,
    leaves,
)
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Scalar,
)
from quorbit.model.system.expression import (
    Bound,
    Literal,
    Read,
    Use,
)
from quorbit.model.system.types import NONE


class Places(Scope):
    """Reading places at constant and at computed addresses; definitions."""

    def read(self, e: Read, env: Env) -> Content:
        at = self.address(e, env)
        shape = self.layout.shapes[self.first_place[e.variable]]
        if isinstance(at, Known):
            return self.read_place(at.value, e.variable)
        base = self.layout.words if e.variable in self.view.dirty or self.assigned(e.variable) else 0
        found = [self.load_entry(e.variable, k, at, base, leaf.low) for k, leaf in enumerate(leaves(shape))]
        return lines.assemble(shape, found)

    def assigned(self, variable: str) -> bool:
        return self.view.makes and any(self.system.places[i].variable == variable for i in self.view.written)

    def read_place(self, i: int, variable: str) -> Content:
        if i in self.view.written:
            return self.view.written[i]
        base = self.layout.words if variable in self.view.dirty else 0
        known = self.known_load((base, i))
        if known is None:
            known = lines.assemble(self.layout.shapes[i], [self.e.load(base, f) for f in self.layout.fields[i]])
            if base == 0:
                self.loaded[-1][base, i] = known
        return known

    def load_entry(self, variable: str, k: int, at: Held, base: int, low: int) -> Scalar:
        """Leaf k of the place number ``at`` of a variable."""
        r = self.e.fresh()
        self.e.buffer.put(Op.LDX, r, at.register, base, self.entries(variable, k), signed(low))
        return Held(r)

    def entries(self, variable: str, k: int) -> int:
        """The table of where leaf k of each place of a variable is."""
        first = self.first_place[variable]
        n = self.places_of(variable)
        return self.e.table_of(tuple(field_entry(self.layout.fields[first + i][k]) for i in range(n)))

    def places_of(self, variable: str) -> int:
        v = self.system.variable[variable]
        n = 1
        for d in (*map(len, v.owners), *v.shape):
            n *= d
        return n

    def address(self, e: Read, env: Env) -> Scalar:
        """The number of the place: in the System if it is constant, else within the variable."""
        if (place := self.constant_place(e, env)) is not None:
            return Known(place)
        v = self.system.variable[e.variable]
        owners = [self.scalar(owner, env) for owner in e.owners]
        self.refuse_missing(e, owners)
        indices = [self.scalar(index, env) for index in e.indices]
        if len(owners) != len(v.owners) or len(indices) != len(v.shape) or not self.places_of(e.variable):
            self.e.jump(self.e.fault)
            return Known(self.first_place[e.variable])
        at: Scalar = Known(0)
        for atoms, owner in zip(v.owners, owners, strict=True):
            at = self.e.add(self.e.multiply(at, Known(len(atoms))), self.owner_position(atoms, owner))
        for n, index in zip(v.shape, indices, strict=True):
            at = self.e.add(self.e.multiply(at, Known(n)), self.e.require_within(index, 0, n - 1))
        return Known(self.first_place[e.variable] + at.value) if isinstance(at, Known) else at

    def owner_position(self, atoms: tuple[int, ...], owner: Scalar) -> Scalar:
        first = atoms[0]
        if atoms == tuple(range(first, first + len(atoms))):
            return self.e.subtract(self.e.require_within(owner, first, atoms[-1]), Known(first))
        return self.e.look_up({a: k for k, a in enumerate(atoms)}, owner)

    def refuse_missing(self, e: Read, owners: list[Scalar]) -> None:
        """A parameter that is not an atom where one is needed: there are too few of them."""
        if any(NONE in atoms for atoms in self.system.variable[e.variable].owners):
            return
        for owner, a in zip(e.owners, owners, strict=True):
            if isinstance(owner, Bound) and a.low <= NONE <= a.high:
                fine = Label()
                self.e.jump_if(Op.NE, a, Known(NONE), fine)
                self.e.end(BOUND)
                self.e.place(fine)

    def constant_place(self, e: Read, env: Env) -> int | None:
        """The number of the place in the System, if its address is constant and right."""
        values: list[int] = []
        for part in (*e.owners, *e.indices):
            content = self.value(part, env) if isinstance(part, Literal | Bound) else None
            if not isinstance(content, Known):
                return None
            values.append(content.value)
        n = len(e.owners)
        return self.system.index.get((e.variable, tuple(values[:n]), tuple(values[n:])))

    def use(self, e: Use, env: Env) -> Content:
        owners = [self.scalar(owner, env) for owner in e.owners]
        known = tuple(a.value for a in owners if isinstance(a, Known))
        rows = [key for key in self.system.definition if key[0] == e.definition and len(key[1]) == len(owners)]
        if not rows or (len(known) == len(owners) and (e.definition, known) not in rows):
            self.e.jump(self.e.fault)  # nothing is defined for these owners; what follows never runs
            return self.definition(*rows[0], env) if rows else Known(0)
        if len(known) == len(owners):
            return self.definition(e.definition, known, env)
        return self.use_among(e.definition, rows, owners, env)

    def use_among(self, name: str, rows: list[tuple[str, tuple[int, ...]]], owners: list[Scalar], env: Env) -> Content:
        """The definition whose owners are these, found while the program runs."""
        (_, atoms), *others = rows
        if not others:
            for a, owner in zip(atoms, owners, strict=True):
                self.e.require(Op.EQ, owner, Known(a))
            return self.definition(name, atoms, env)

        def leave(label: Label) -> None:
            for a, owner in zip(atoms, owners, strict=True):
                self.e.jump_if(Op.NE, owner, Known(a), label)

        return self.choose(
            leave, lambda: self.definition(name, atoms, env), lambda: self.use_among(name, others, owners, env)
        )

    def definition(self, name: str, owners: tuple[int, ...], env: Env) -> Content:
        """A definition's value; what was computed before in this scope is used again, so shared parts stay shared."""
        key = (name, owners)
        if key in self.using:
            raise Unshaped(f"the definition {name} uses itself")
        body = self.system.definition[key]
        known = self.known_definition(key, env)
        if known is None:
            self.using.append(key)
            known = self.value(body, env)
            self.using.pop()
            self.remember_definition(key, env, known)
        return known

    def known_definition(self, key: tuple[str, tuple[int, ...]], env: Env) -> Content | None:
        if self.view.makes:
            return None
        return self.known_load((id(self.system.definition[key]), id(env)))

    def remember_definition(self, key: tuple[str, tuple[int, ...]], env: Env, found: Content) -> None:
        if not self.view.makes:
            self.kept.append(env)  # so that its id stays its own
            self.loaded[-1][id(self.system.definition[key]), id(env)] = found


def field_entry(f: Field) -> int:
    """A field as an entry of a table for LDX and STX."""
    return f.word | f.shift << 16 | f.width << 24
