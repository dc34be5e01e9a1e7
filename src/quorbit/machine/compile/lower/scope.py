"""What the files that lower expressions share: the emitter, the state that is read, what is in registers already.

Lowering is one class in a chain of files: scope, places, operators, sets, quantifiers, expression, system; each knows
those before it, and ``value`` and ``branch``, which the last but one defines for all.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.emit import Emitter
from quorbit.machine.compile.encoding import encode, without_strings
from quorbit.machine.compile.instructions import Buffer, Label, signed
from quorbit.machine.compile.kinds import kind_of_value
from quorbit.machine.compile.packing import StateLayout, strings_in
from quorbit.machine.compile.shapes import GREATEST, LEAST, Shape, Unshaped, join_all, leaves, shape_of_value
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Line,
    Mask,
    Never,
    Parts,
    Scalar,
    Shared,
    flatten,
    shape_of_content,
)
from quorbit.machine.interned import TooLarge
from quorbit.model.system.expression import (
    Expr,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import QueueOf, TupleOf, Type, Value
from quorbit.source.frozen import field, mutable

Env = dict[str, Content]


@mutable
class View:
    """Which state expressions read: s; or the state being made, with what is known of it.

    ``written`` are the contents of places that were assigned at constant addresses, ``dirty`` the variables assigned
    elsewhere: only these are read from t, the others are still as in s."""

    makes: bool = False
    written: dict[int, Content] = field(default_factory=dict)
    dirty: set[str] = field(default_factory=set)


@mutable
class Aside:
    """Code that is written and not yet part of the program, the value it leaves, and what it loads."""

    buffer: Buffer = field(default_factory=Buffer)
    content: Content = field(default_factory=Never)
    loaded: dict[tuple[int, int], Content] = field(default_factory=dict)


class Scope:
    """Writes the code of expressions of one System."""

    def __init__(self, system: System, layout: StateLayout) -> None:
        self.system = system
        self.layout = layout
        self.e = Emitter(layout.words, layout.memo)
        self.view = View()
        self.first_place = {v.name: 0 for v in system.variables}
        for i in range(len(system.places) - 1, -1, -1):
            self.first_place[system.places[i].variable] = i
        self.loaded: list[dict[tuple[int, int], Content]] = [{}]  # what is in registers, by scope
        self.numbers: dict[int, Known] = {}  # constants: most are the same few numbers
        self.large: dict[tuple[int, int], tuple[Value, Type, Content]] = {}  # others, by the ids of value and type
        self.using: list[tuple[str, tuple[int, ...]]] = []
        self.kept: list[Env] = []
        self.plain: dict[int, bool] = {}  # by the id of a definition's body

    def scoped(self, write: Callable[[], object]) -> None:
        self.loaded.append({})
        write()
        self.loaded.pop()  # after Unshaped: lower_shared.py, rewind

    def known_load(self, key: tuple[int, int]) -> Content | None:
        for scope in reversed(self.loaded):
            if key in scope:
                return scope[key]
        return None

    # Written in later files of this chain.

    def value(self, e: Expr, env: Env, room: Shape | None = None) -> Content:
        """The value of e.  ``room``: the shape it is going to be stored in, if that is known."""
        raise AssertionError(e)

    def branch(self, e: Expr, env: Env, label: Label, sense: bool) -> None:
        """Jump to label where the truth of e is ``sense``; go on where it is not."""
        raise AssertionError(e)

    # Values of one kind.

    def scalar(self, e: Expr, env: Env) -> Scalar:
        found = self.value(e, env)
        if isinstance(found, Never):
            return Known(0)
        if not isinstance(found, Known | Held):
            raise Unshaped("a number is expected")
        return found

    def mask(self, e: Expr, env: Env) -> Mask:
        found = self.value(e, env)
        if isinstance(found, Never):
            return Mask((), None)
        if not isinstance(found, Mask):
            raise Unshaped("a set is expected")
        return found

    def line(self, e: Expr, env: Env) -> Line:
        found = self.value(e, env)
        if isinstance(found, Never) or (isinstance(found, Parts) and not found.parts):
            return Line(Known(0), (), None, 0)
        if not isinstance(found, Line):
            raise Unshaped("a queue is expected")
        return found

    def constant(self, value: Value, type: Type) -> Content:
        if isinstance(value, int) and LEAST <= value <= GREATEST:
            return self.numbers.get(value) or self.numbers.setdefault(value, Known(int(value)))
        if isinstance(value, str):
            return Known(self.layout.texts.setdefault(value, len(self.layout.texts)))
        if isinstance(value, tuple) and isinstance(type, TupleOf) and len(type.parts) == len(value):
            return Parts(tuple(self.constant(v, t) for v, t in zip(value, type.parts, strict=True)))
        key = id(value), id(type)
        if key not in self.large:
            self.large[key] = value, type, self.large_constant(value, type)
        return self.large[key][2]

    def large_constant(self, value: Value, type: Type) -> Content:
        try:
            shape = shape_of_value(value, self.layout.texts, isinstance(type, QueueOf))
        except Unshaped:
            return self.interned_constant(value, type)
        codes = encode(shape, value, self.layout.texts)
        found = [Known(signed(code + leaf.low)) for code, leaf in zip(codes, leaves(shape), strict=True)]
        return lines.assemble(shape, list(found))

    def interned_constant(self, value: Value, type: Type) -> Content:
        numbered = self.numbered(value)
        try:
            return Shared(Known(self.layout.table.number_of(numbered)), kind_of_value(numbered, type))
        except TooLarge:
            raise Unshaped("a constant of the model needs more than 64 bits") from None

    def numbered(self, value: Value) -> Value:
        """The value with every string replaced by its number."""
        texts = self.layout.texts
        for text in strings_in(value):
            texts.setdefault(text, len(texts))
        return without_strings(value, texts)

    # Choices.

    def choose(
        self, leave: Callable[[Label], None], then: Callable[[], Content], other: Callable[[], Content]
    ) -> Content:
        """then(), or other() where ``leave`` jumps to the label it gets."""
        otherwise = Label()

        def first() -> Content:
            leave(otherwise)
            return then()

        return self.either(self.aside(first), otherwise, self.aside(other))

    def aside(self, write: Callable[[], Content]) -> Aside:
        """What ``write`` writes, not yet part of the program.  Each way is written once, however deep ways are nested:
        only when both are there, the shape that holds the values of both is known."""
        found = Aside()
        with self.e.aside(found.buffer):
            self.loaded.append(found.loaded)
            found.content = write()
            self.loaded.pop()  # after Unshaped: lower_shared.py, rewind
        return found

    def either(self, first: Aside, label: Label, second: Aside) -> Content:
        """The first way, or from the label on the second one; registers that hold the value of either."""
        shape, past = join_all([shape_of_content(way.content) for way in (first, second)]), Label()
        registers = [self.e.fresh() for _ in leaves(shape)]
        for way in (first, second):
            with self.e.aside(way.buffer):
                self.keep(way.content, shape, registers)
        self.e.append(first.buffer)
        self.e.jump(past)
        self.e.place(label)
        self.e.append(second.buffer)
        self.e.place(past)
        return lines.assemble(shape, [Held(r) for r in registers])

    def choose_scalar(
        self, leave: Callable[[Label], None], then: Callable[[], Content], other: Callable[[], Content]
    ) -> Scalar:
        found = self.choose(leave, then, other)
        assert isinstance(found, Known | Held)
        return found

    def keep(self, content: Content, shape: Shape, registers: list[int]) -> None:
        for r, a in zip(registers, flatten(lines.coerce(self.e, content, shape)), strict=True):
            self.e.assign(r, a)

    def truth(self, write: Callable[[Label], None]) -> Scalar:
        """1, or 0 where ``write`` jumps to the label it gets."""
        r, no = self.e.fresh(), Label()
        self.e.assign(r, Known(0))
        self.scoped(lambda: write(no))
        self.e.assign(r, Known(1))
        self.e.place(no)
        return Held(r, 0, 1)

    def is_safe(self, e: Expr, env: Env) -> bool:
        """Whether e always has a value, whatever the state."""
        fault = Label()
        with self.e.scratch(), self.e.faults_to(fault):
            self.scoped(lambda: self.touch(e, env))
        return not fault.used

    def touch(self, e: Expr, env: Env) -> None:
        self.value(e, env)
