"""Names inside one instance of a module: signals with their nets, parameters, functions, values of enumerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quorbit.languages.circuits.verilog.tree import Declaration, Function
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

LARGEST_ARRAY = 1 << 12
WIDEST = 1 << 20  # bits of a word that other readers are asked about
Constant = tuple[str, bool]  # the bits of a parameter, the lowest first, and whether it is signed


class TooWide(UserError):
    """A word that no reader can take: Yosys would use all memory there is."""


@frozen
class Signal:
    """A declared name.  Every element (one unless it is an array) is a tuple of nets, the lowest bit first."""

    name: str
    kind: str
    type: str
    signed: bool
    left: int
    right: int
    array: tuple[int, int] | None
    elements: tuple[tuple[str, ...], ...]
    span: Span

    @property
    def width(self) -> int:
        return 1 if self.type else abs(self.left - self.right) + 1

    def bit(self, index: int) -> int | None:
        """The position of bit ``index``, counted from the lowest."""
        position = index - self.right if self.left >= self.right else self.right - index
        return position if 0 <= position < self.width else None

    def element(self, index: int) -> int | None:
        if self.array is None:
            return None
        first, last = min(self.array), max(self.array)
        return index - first if first <= index <= last else None


@mutable
class Scope:
    """The names of one instance, or of one call of a function (whose parent is the module)."""

    prefix: str
    enumerations: Mapping[str, tuple[str, ...]]
    signals: dict[str, Signal] = field(default_factory=dict)
    parameters: dict[str, Constant] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    tasks: dict[str, Function] = field(default_factory=dict)
    parent: Scope | None = None
    depth: int = 0

    def signal(self, name: str) -> Signal | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.signals:
                return scope.signals[name]
            if name in scope.parameters:
                return None
            scope = scope.parent
        return None

    def parameter(self, name: str) -> Constant | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.signals:
                return None
            if name in scope.parameters:
                return scope.parameters[name]
            scope = scope.parent
        return None

    def function(self, name: str) -> Function | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.functions:
                return scope.functions[name]
            scope = scope.parent
        return None

    def task(self, name: str) -> Function | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.tasks:
                return scope.tasks[name]
            scope = scope.parent
        return None

    def types_with(self, value: str) -> list[str]:
        """The enumerations that have a value of this name."""
        return [name for name, values in self.enumerations.items() if value in values]


def merge_declarations(declarations: Iterable[Declaration]) -> dict[str, Declaration]:
    """A port is often declared twice (direction, then wire or reg and type): what both say together."""
    merged: dict[str, Declaration] = {}
    for d in declarations:
        known = merged.get(d.name)
        if known is None:
            merged[d.name] = d
            continue
        merged[d.name] = Declaration(
            d.name,
            "reg" if "reg" in (d.kind, known.kind) else d.kind,
            d.type or known.type,
            d.direction or known.direction,
            d.signed or known.signed,
            d.range or known.range,
            d.array or known.array,
            d.value or known.value,
            known.span,
        )
    return merged


def make_signal(
    d: Declaration,
    prefix: str,
    bounds: tuple[int, int] | None,
    array: tuple[int, int] | None,
    bound_nets: tuple[str, ...] | None,
) -> Signal:
    """A signal with its nets: name, name<i> for bits, name<*k*> for elements."""
    left, right = bounds if bounds is not None else (31, 0) if d.kind == "integer" else (0, 0)
    count = 1 if array is None else abs(array[0] - array[1]) + 1
    if abs(left - right) >= WIDEST:
        raise TooWide(d.span, f"{d.name} has {abs(left - right) + 1:,} bits; a word can have at most {WIDEST:,}")
    if count > LARGEST_ARRAY or abs(left - right) >= LARGEST_ARRAY:
        raise UserError(d.span, f"{d.name} is larger than {LARGEST_ARRAY}")
    elements: list[tuple[str, ...]] = []
    for k in range(count):
        base = prefix + d.name + (f"<*{min(array) + k}*>" if array is not None else "")
        if d.type or (bounds is None and d.kind != "integer"):
            elements.append((base,))
        else:
            step = 1 if left >= right else -1
            elements.append(tuple(f"{base}<{right + step * i}>" for i in range(abs(left - right) + 1)))
    if bound_nets is not None:
        elements = [bound_nets]
    return Signal(d.name, d.kind, d.type, d.signed, left, right, array, tuple(elements), d.span)
