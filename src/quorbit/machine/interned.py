"""Interned values: the numbers of the values that are too large to lay out in bits (runtime/values.h).

Here a value is made of integers, tuples and sets; strings are their numbers already.
"""

from __future__ import annotations

import ctypes
import weakref
from array import array
from typing import Any

from quorbit.machine import library
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, Value, mentions_atoms
from quorbit.source.exhaustive import assert_never

__all__ = ["TooLarge", "ValueTable"]

INTEGER, TUPLE, SET = range(3)
PLAIN, ATOM, PARTS, EACH = range(4)
BEYOND = 1 << 63  # integers have 64 bits
AT_HAND = 512  # bytes that a value may take in Python, with its entries in both dictionaries; a guess for the mean


class TooLarge(Exception):
    """A number beyond 64 bits."""


class ValueTable:
    """The table of one run.  The runtime opens it when the first value asks for a number."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._numbers: dict[Value, int] = {}
        self._values: dict[int, Value] = {}
        self._forms: dict[Type, int] = {}
        self._most_at_hand: int | None = None

    @property
    def is_open(self) -> bool:
        return self._handle is not None

    @property
    def handle_if_open(self) -> Any:
        return self._handle

    @property
    def handle(self) -> Any:
        if self._handle is None:
            runtime = library.runtime()
            self._handle = runtime.qb_values_open()
            if not self._handle:
                raise MemoryError("the table of values")
            weakref.finalize(self, runtime.qb_values_close, self._handle)
        return self._handle

    def number_of(self, value: Value) -> int:
        """The number of a value; equal values have equal numbers."""
        found = self._numbers.get(value)
        if found is None:
            found = self.add(value)
            self.keep(value, found)
        return found

    def add(self, value: Value) -> int:
        if isinstance(value, int):
            if not -BEYOND <= value < BEYOND:
                raise TooLarge
            return self.node(INTEGER, [value])
        assert isinstance(value, tuple | frozenset)
        return self.node(TUPLE if isinstance(value, tuple) else SET, [self.number_of(part) for part in value])

    def node(self, kind: int, parts: list[int]) -> int:
        array = (library.i64 * len(parts))(*parts)
        number: int = library.runtime().qb_value_number(self.handle, kind, array, len(parts))
        return number

    def value_of(self, number: int) -> Value:
        """The value with a number; the runtime may have made it (an image under a permutation)."""
        found = self._values.get(number)
        if found is None:
            found = self.read(number)
            self.keep(found, number)
        return found

    def keep(self, value: Value, number: int) -> None:
        """At hand; the runtime knows all of them, so that any may be given up."""
        if self._most_at_hand is not None and len(self._values) >= self._most_at_hand:
            self._numbers.clear()
            self._values.clear()
        self._numbers[value], self._values[number] = number, value

    def limit(self, most_bytes: int) -> None:
        """Keep no more values at hand than fit."""
        self._most_at_hand = max(1, most_bytes // AT_HAND)

    def read(self, number: int) -> Value:
        kind, parts = self.parts_of(number)
        if kind == INTEGER:
            return parts[0]
        values = [self.value_of(part) for part in parts]
        return tuple(values) if kind == TUPLE else frozenset(values)

    def parts_of(self, number: int) -> tuple[int, list[int]]:
        runtime, kind = library.runtime(), library.u32()
        room = 16
        while True:
            parts = (library.i64 * room)()
            count = runtime.qb_value_parts(self.handle, number, ctypes.byref(kind), parts, room)
            if count <= room:
                return kind.value, list(parts[:count])
            room = count

    def form_of(self, type: Type) -> int:
        """Where atoms stand in the values of a type, as the runtime knows it."""
        if type not in self._forms:
            self._forms[type] = self.add_form(type)
        return self._forms[type]

    def add_form(self, type: Type) -> int:
        match type:
            case AtomOf():
                kind, parts = ATOM, []
            case TupleOf(types) if mentions_atoms(type):
                kind, parts = PARTS, [self.form_of(t) for t in types]
            case SetOf(inner) | QueueOf(inner) if mentions_atoms(inner):
                kind, parts = EACH, [self.form_of(inner)]
            case Number() | Truth() | TupleOf() | SetOf() | QueueOf() | Text():
                kind, parts = PLAIN, []
            case _:
                assert_never(type)
        array = (library.u32 * len(parts))(*parts)
        number: int = library.runtime().qb_value_form(self.handle, kind, array, len(parts))
        return number

    def universe_of(self, elements: list[Value]) -> int:
        """The values that the bits of a set stand for, as the runtime knows them."""
        numbers = (library.u32 * len(elements))(*map(self.number_of, elements))
        number: int = library.runtime().qb_value_universe(self.handle, numbers, len(elements))
        return number

    def count(self) -> int:
        return int(library.runtime().qb_values_count(self._handle)) if self.is_open else 0

    def nodes_from(self, first: int) -> array[int]:
        """The values from a number on, as ``restore`` takes them: of each its kind, how many parts, and these."""
        found = array("q")
        for number in range(first, self.count()):
            kind, parts = self.parts_of(number)
            found.extend([kind, len(parts), *parts])
        return found

    def restore(self, first: int, nodes: array[int]) -> bool:
        """Give values the numbers they had; False if other values have them."""
        at, number = 0, first
        while at < len(nodes):
            kind, n = nodes[at], nodes[at + 1]
            if self.node(kind, list(nodes[at + 2 : at + 2 + n])) != number:
                return False
            at, number = at + 2 + n, number + 1
        return True

    def has_failed(self) -> bool:
        """Whether memory was short once; then nothing that came after is to be trusted."""
        return self.is_open and bool(library.runtime().qb_values_failed(self._handle))

    def byte_count(self) -> int:
        in_runtime = int(library.runtime().qb_values_bytes(self._handle)) if self.is_open else 0
        return in_runtime + AT_HAND * len(self._values)
