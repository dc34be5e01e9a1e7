"""Functions of a model that the machine calls: evaluated by the System's meaning once for all operands
(runtime/memo.h).

Nothing here runs for a state; it runs for a combination of values that was not met before.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator
from typing import Any

from quorbit.machine import library
from quorbit.machine.compile.encoding import Reader, encode, has_value
from quorbit.machine.compile.instructions import signed
from quorbit.machine.compile.shapes import GREATEST, LEAST, WORD, Shape, leaves
from quorbit.machine.evaluation import evaluate_there, fitting
from quorbit.machine.interned import TooLarge, ValueTable
from quorbit.model.meaning.evaluate import Evaluate, Fault, Meaning
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.expression import Apply, Bound, Expr, Operator, Otherwise
from quorbit.model.system.system import System
from quorbit.model.system.types import Type, Value, contains
from quorbit.source.frozen import frozen

__all__ = ["Fits", "Function", "Listed", "Memo", "Special", "can_fault"]

FOUND, NO_VALUE, STOP = range(3)
MOST_BYTES = 1 << 30  # of remembered calls
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, library.u32, ctypes.POINTER(library.i64), ctypes.POINTER(library.i64))
NO_SYSTEM = System("", (), (), ())  # functions read no places
NOBODY: tuple[Value, ...] = ()  # the state that functions are evaluated in: they read parameters only


@frozen
class Listed:
    """The elements of a set in order, as a tuple."""


@frozen
class Fits:
    """Whether a value is of a type; strings are numbers in it."""

    type: Type


Special = Listed | Fits  # what no expression says


@frozen
class Function:
    """``body`` is an expression over the parameters "0", "1", ..., whose values come in these shapes.

    ``narrows``: where the value is none of the result's shape there is a fault; else there is always room for it."""

    parameters: tuple[Shape, ...]
    body: Expr | Special
    result: Shape
    narrows: bool = False


class Memo:
    """The functions of one run."""

    def __init__(self, system: System, table: ValueTable) -> None:
        self.meaning = Meaning(system)
        self.table = table
        self.functions: list[tuple[Function, Evaluate]] = []
        self.numbers: dict[Function, int] = {}
        self.bodies: dict[Expr | Special, Evaluate] = {}
        self.pending: BaseException | None = None
        self._handle: Any = None
        self._callback = CALLBACK(weak_miss(self))

    @property
    def handle(self) -> Any:
        if self._handle is None:
            runtime = library.runtime()
            self._handle = runtime.qb_memo_open(self._callback, MOST_BYTES)
            if not self._handle:
                raise MemoryError("the table of calls")
            weakref.finalize(self, runtime.qb_memo_close, self._handle)
        return self._handle

    @property
    def handle_if_open(self) -> Any:
        return self._handle

    def declare(self, function: Function) -> int:
        """The number by which the machine calls a function."""
        if function not in self.numbers:
            evaluate = self.evaluation(function.body)
            operands = sum(len(leaves(shape)) for shape in function.parameters)
            number = library.runtime().qb_memo_declare(self.handle, operands, len(leaves(function.result)))
            assert number == len(self.functions)
            self.functions.append((function, evaluate))
            body = fitting(function.body.type, Bound("0")) if isinstance(function.body, Fits) else function.body
            if body is not None and not isinstance(body, Special):
                evaluate_there(self.handle, number, function.parameters, body, function.result, self.table)
            self.numbers[function] = number
        return self.numbers[function]

    def arities(self) -> list[tuple[int, int]]:
        """Words of operands and results of each function."""
        return [(sum(len(leaves(shape)) for shape in f.parameters), len(leaves(f.result))) for f, _ in self.functions]

    def evaluation(self, body: Expr | Special) -> Evaluate:
        if body not in self.bodies:
            match body:
                case Listed():
                    self.bodies[body] = lambda s, env: tuple(sorted_elements(env["0"]))  # type: ignore[arg-type]
                case Fits(type):
                    self.bodies[body] = lambda s, env: int(contains(type, env["0"]))
                case _:
                    self.bodies[body] = self.meaning.value_of(body)
        return self.bodies[body]

    def miss(self, number: int, operands: Any, results: Any) -> int:
        """Called by the runtime.  No exception may leave: it waits for the end of the slice."""
        try:
            return self.answer(number, operands, results)
        except BaseException as error:  # an interrupt, too, must not be lost
            self.pending = self.pending or error
            return STOP

    def answer(self, number: int, operands: Any, results: Any) -> int:
        function, evaluate = self.functions[number]
        try:
            value = evaluate(NOBODY, self.arguments(function, operands))
        except Fault:
            return NO_VALUE
        if not has_value(function.result, value):
            return self.refuse(function, value)
        codes = encode(function.result, value, {}, self.table)
        for k, (leaf, code) in enumerate(zip(leaves(function.result), codes, strict=True)):
            results[k] = signed(code + leaf.low)
        return FOUND

    def arguments(self, function: Function, operands: Any) -> dict[str, Value]:
        at, found = 0, {}
        for k, shape in enumerate(function.parameters):
            listed = leaves(shape)
            codes = [(operands[at + j] - leaf.low) & (2**WORD - 1) for j, leaf in enumerate(listed)]
            found[str(k)] = Reader(codes, self.table).read(shape)
            at += len(listed)
        return found

    def refuse(self, function: Function, value: Value) -> int:
        """The value has no room in the shape of the result."""
        if function.narrows:
            return NO_VALUE
        if any(not LEAST <= n <= GREATEST for n in numbers_in(value)):
            raise TooLarge
        raise AssertionError(f"{value} is not of the shape {function.result}")

    def limit(self, most_bytes: int) -> None:
        """Forget what is remembered rather than use more."""
        if self._handle is not None:
            library.runtime().qb_memo_limit(self._handle, most_bytes)

    def byte_count(self) -> int:
        return 0 if self._handle is None else int(library.runtime().qb_memo_bytes(self._handle))

    def raise_pending(self) -> None:
        """What went wrong inside a slice."""
        error, self.pending = self.pending, None
        if error is not None:
            raise error


def can_fault(body: Expr | Special) -> bool:
    """Whether a function may have no value; a safe guess."""
    match body:
        case Listed() | Fits():
            return False
        case Otherwise(_, other):
            return can_fault(other)
        case Apply(Operator.AND | Operator.OR | Operator.NOT, operands):
            return any(map(can_fault, operands))
        case _:
            return may_fail(NO_SYSTEM, body, {})


def numbers_in(value: Value) -> Iterator[int]:
    if isinstance(value, int):
        yield value
    elif isinstance(value, tuple | frozenset):
        for part in value:
            yield from numbers_in(part)


def weak_miss(memo: Memo) -> Any:
    """The callback must not keep its own memo alive."""
    reference = weakref.ref(memo)

    def miss(number: int, operands: Any, results: Any) -> int:
        alive = reference()
        return STOP if alive is None else alive.miss(number, operands, results)

    return miss
