"""Expressions about interned values: calls of functions that are evaluated once for all operands.

What is asked of one large value and a few small ones (parameters) is one call, however much is written there; else the
parts are computed first and only the outermost operator is a call.  So there are about as many evaluations as there are
different values, not states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.instructions import Buffer, Label
from quorbit.machine.compile.kinds import kind_of
from quorbit.machine.compile.lower.quantifiers import Quantifiers
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import (
    Ids,
    Shape,
    Unshaped,
    count,
    has_ids,
    join_all,
    shape_of_type,
    type_of_shape,
    width,
)
from quorbit.machine.compile.values import Content, Held, Known, Line, Mask, Never, Parts, Shared, shape_of_content
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Compute,
    Enabled,
    Expr,
    Literal,
    Operator,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import SetOf, TupleOf
from quorbit.model.system.walk import map_parameter, map_parts, walk
from quorbit.source.frozen import field, mutable, replace

O = Operator
T = TypeVar("T")
LARGE = 10  # bits; what has more may have many values
MOST_SMALL = 16  # bits of all small operands together
CONTROL = (O.AND, O.OR, O.NOT)  # these are ways through the code


class NotWhole(Exception):
    """An expression that is not a function of a few values that are there already."""


@mutable
class Inputs:
    """What an expression reads, in the order of the parameters of a function."""

    reads: dict[Expr, int] = field(default_factory=dict)

    def parameter(self, e: Expr) -> Bound:
        return Bound(str(self.reads.setdefault(e, len(self.reads))))


# How far the program was written: buffer, lines in it, next register, fault label, scopes, loads in the last one, uses.
Mark = tuple[Buffer, int, int, Label, int, int, int]


class SharedValues(Quantifiers):
    """Calls of functions."""

    def __init__(self, system: System, layout: StateLayout) -> None:
        super().__init__(system, layout)
        self.interned = frozenset(v.name for v in system.variables if self.is_interned(v.name))
        self.beyond_bits: dict[int, Expr] = {}  # expressions that have no code in bits, by their ids
        self.mentioned: dict[int, tuple[Expr, bool, frozenset[str]]] = {}

    def is_interned(self, variable: str) -> bool:
        return self.places_of(variable) > 0 and has_ids(self.layout.shapes[self.first_place[variable]])

    def value_or_call(self, e: Expr, env: Env, write: Callable[[], Content]) -> Content:
        """The value of e as ``write`` has it in bits, or by a call."""
        if self.is_about_shared(e, env) and (found := self.call_whole(e, env, few=True)) is not None:
            return found
        if id(e) not in self.beyond_bits:
            found = self.attempt(write)
            if found is not None:
                return found
            self.beyond_bits[id(e)] = e
        return self.call_outermost(e, env)

    def attempt(self, write: Callable[[], T]) -> T | None:
        """What ``write`` writes; nothing stays written if there is no code in bits."""
        mark = self.mark()
        try:
            return write()
        except Unshaped:
            self.rewind(mark)
            return None

    def mark(self) -> Mark:
        e, loaded = self.e, self.loaded
        return e.buffer, len(e.buffer.lines), e.next, e.fault, len(loaded), len(loaded[-1]), len(self.using)

    def rewind(self, mark: Mark) -> None:
        self.e.buffer, lines, self.e.next, self.e.fault, scopes, loads, uses = mark
        del self.e.buffer.lines[lines:]
        del self.loaded[scopes:]
        while len(self.loaded[-1]) > loads:
            self.loaded[-1].popitem()
        del self.using[uses:]

    # What an expression is about.

    def is_about_shared(self, e: Expr, env: Env) -> bool:
        if not self.interned and not self.layout.table.is_open:
            return False
        if id(e) not in self.mentioned:
            self.mentioned[id(e)] = (e, *self.find_mentioned(e))
        _, reads, names = self.mentioned[id(e)]
        return reads or any(name in env and holds_shared(env[name]) for name in names)

    def find_mentioned(self, e: Expr) -> tuple[bool, frozenset[str]]:
        """Whether e reads interned places, and the parameters it mentions."""
        reads, names = False, set()
        for part in walk(e):
            match part:
                case Read(variable):
                    reads = reads or variable in self.interned
                case Bound(name):
                    names.add(name)
                case Use(definition):
                    for d in self.system.definitions:
                        if d.name == definition:
                            inner = self.find_mentioned(d.body)
                            reads, names = reads or inner[0], names | inner[1]
        return reads, frozenset(names)

    def is_large_value(self, e: Expr) -> bool:
        """f(x) for an interned function f whose values are interned too: these are fewer than the functions, so f(x) is
        found first where more is asked of it."""
        match e:
            case Apply(O.APPLY, (Read(variable), _)) if variable in self.interned:
                of = self.system.variable[variable].type
                return (
                    isinstance(of, SetOf) and isinstance(of.element, TupleOf) and isinstance(of.element.parts[1], SetOf)
                )
        return False

    # Calls.

    def call_whole(self, e: Expr, env: Env, few: bool) -> Content | None:
        """One call for all of e; None if it asks for too many values (``few``) or is not a function of values."""
        inputs = Inputs()
        try:
            if self.is_large_value(e):
                body = map_parts(e, lambda part: self.function_of(part, env, frozenset(), inputs))
            else:
                body = self.function_of(e, env, frozenset(), inputs)
        except NotWhole:
            return None
        if few and not self.are_few(inputs, env):
            return None
        contents = [self.value(read, env) for read in inputs.reads]
        return self.call(body, contents)

    def call(self, body: Expr, contents: list[Content]) -> Content:
        if any(isinstance(c, Never) for c in contents):
            return Never()
        kinds = {str(k): type_of_shape(shape_of_content(c)) for k, c in enumerate(contents)}
        return lines.call(self.e, body, contents, shape_of_type(kind_of(body, kinds)))

    def are_few(self, inputs: Inputs, env: Env) -> bool:
        weights = [self.weight(read, env) for read in inputs.reads]
        large = sum(1 for w in weights if w > LARGE)
        return large <= 1 and sum(w for w in weights if w <= LARGE) <= MOST_SMALL

    def weight(self, e: Expr, env: Env) -> int:
        if isinstance(e, Bound):
            return bits_of(env[e.name])
        with self.e.scratch():
            found: list[int] = []
            self.scoped(lambda: found.append(bits_of(self.value(e, env))))
            return found[0]

    def call_outermost(self, e: Expr, env: Env) -> Content:
        """The parts, then a call of what joins them; if that is impossible, one call for all."""
        found = self.attempt(lambda: self.call_of_parts(e, env))
        if found is None:
            found = self.call_whole(e, env, few=False)
        if found is None:
            raise Unshaped("an expression has no bounded values")
        return found

    def call_of_parts(self, e: Expr, env: Env) -> Content:
        match e:
            case Apply(operator, operands) if operator not in CONTROL:
                contents = [self.value(operand, env) for operand in operands]
                return self.call(Apply(operator, parameters(len(operands)), e.span), contents)
            case Compute():
                return self.call_computation(e, env)
            case Part(inner, k):
                return self.call(Part(Bound("0"), k, e.span), [self.value(inner, env)])
            case Quantify(quantifier=Quantifier.COLLECT):
                return self.collect_shared(e, env)
            case _:
                raise Unshaped("an expression has no bounded values")

    def call_computation(self, e: Compute, env: Env) -> Content:
        """What is written down stays in the function, the rest is handed over."""
        inputs = Inputs()
        operands = tuple(
            Literal(self.numbered(operand.value), operand.type)
            if isinstance(operand, Literal)
            else inputs.parameter(operand)
            for operand in e.operands
        )
        return self.call(replace(e, operands=operands), [self.value(read, env) for read in inputs.reads])

    def collect_shared(self, x: Quantify, env: Env) -> Content:
        """The set of the bodies, element by element."""
        kinds: list[Shape] = []

        def look(value: Content) -> None:
            kinds.append(shape_of_content(self.value(x.body, {**env, x.parameter.name: value})))

        with self.e.scratch():
            self.scoped(lambda: self.each(x.parameter.name, x.parameter.domain, env, look))
        if not kinds:
            return Mask((), None)
        type = SetOf(type_of_shape(join_all(kinds)))
        total = self.e.copy(Known(self.layout.table.number_of(frozenset())))
        with_one_more = Apply(O.UNION, (Bound("0"), Apply(O.SET, (Bound("1"),))))

        def write(value: Content) -> None:
            inner, skip = {**env, x.parameter.name: value}, Label()
            self.branch(x.condition, inner, skip, False)
            body = self.value(x.body, inner)
            found = lines.call(self.e, with_one_more, [Shared(Held(total.register), type), body], Ids(type))
            assert isinstance(found, Shared)
            self.e.assign(total.register, found.number)
            self.e.place(skip)

        self.each(x.parameter.name, x.parameter.domain, env, write)
        return Shared(Held(total.register, 0, lines.MOST_VALUES), type)

    # Expressions as functions.

    def function_of(self, e: Expr, env: Env, inner: frozenset[str], inputs: Inputs) -> Expr:
        """e over parameters: what it reads outside of its own quantifiers becomes one."""
        match e:
            case Literal(value, type):
                return Literal(self.numbered(value), type, e.span)
            case Bound(name):
                return e if name in inner else inputs.parameter(Bound(name))
            case Apply() if self.is_large_value(e) and not self.find_mentioned(e)[1] & inner:
                return inputs.parameter(e)
            case Read():
                if any(isinstance(part, Bound) and part.name in inner for part in walk(e)):
                    raise NotWhole
                return inputs.parameter(e)
            case Use(definition, owners):
                atoms = tuple(o.value if isinstance(o, Literal) else None for o in owners)
                body = self.system.definition.get((definition, atoms))  # type: ignore[arg-type]
                if body is None or (definition, atoms) in self.using:
                    raise NotWhole
                return self.function_of(body, env, inner, inputs)
            case Enabled():
                raise NotWhole
            case Quantify(parameter=p):
                names = inner | {p.name}
                return replace(
                    e,
                    parameter=map_parameter(p, lambda part: self.function_of(part, env, names, inputs)),
                    condition=self.function_of(e.condition, env, names, inputs),
                    body=self.function_of(e.body, env, names, inputs),
                )
            case _:
                return map_parts(e, lambda part: self.function_of(part, env, inner, inputs))


def parameters(n: int) -> tuple[Expr, ...]:
    return tuple(Bound(str(k)) for k in range(n))


def holds_shared(content: Content) -> bool:
    return isinstance(content, Shared) or (isinstance(content, Parts) and any(map(holds_shared, content.parts)))


def bits_of(content: Content) -> int:
    """How many bits tell the values apart that this may be."""
    match content:
        case Held(_, low, high):
            return (high - low).bit_length()
        case Parts(parts):
            return sum(map(bits_of, parts))
        case Mask(_, element):
            return count(element)
        case Line():
            return width(shape_of_content(content))
        case Shared(number):
            return 0 if isinstance(number, Known) else 32
        case _:
            return 0
